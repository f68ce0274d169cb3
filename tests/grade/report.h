/* What a grading says: a table on the screen, and grade.tsv, grade.json and grade.xml (JUnit). */
#ifndef GRADE_REPORT_H
#define GRADE_REPORT_H

#include "grade/judge.h"

typedef struct Grading {
    const char *student; /* the folder, as it was given */
    const ExerciseTable *table;
    const Verdict *verdict; /* one for each exercise */
    uint64_t seed;
    double seconds;
} Grading;

/* How many have passed, and of how many that were asked. */
int grading_passed(const Grading *grading);
int grading_asked(const Grading *grading);

/* The table, wrapped at 80 columns. */
void grading_print(const Grading *grading, FILE *out);

/* The three files, in an existing folder. */
bool grading_write(const Grading *grading, const char *folder, Error *error);

#endif
