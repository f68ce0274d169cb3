/* One submission from beginning to end. */
#ifndef GRADE_SUBMISSION_H
#define GRADE_SUBMISSION_H

#include "grade/report.h"

/* Builds and judges the student's folder and writes the reports to folder `out`; the table goes to
 * `screen` (NULL: nowhere). `only`: numbers of exercises, or NULL. `*missed` is how many of them
 * have not passed. False with an error for what is no verdict: a folder that is no submission, a
 * disk that is full.
 */
bool submission_grade(const ExerciseTable *table, const char *graded, const char *student,
                      const char *out, uint64_t seed, const char *only, FILE *screen, int *missed,
                      Error *error);

/* A seed that nobody can foresee. */
uint64_t submission_seed(void);

#endif
