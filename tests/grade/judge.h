/* The judge: asks the student's worker and the instructor's the same questions, drawn at random,
 * and compares what comes back. It is linked with neither of them; both are programs of their own,
 * sealed (sandbox.h), and whatever the student's says is data. */
#ifndef GRADE_JUDGE_H
#define GRADE_JUDGE_H

#include "grade/build.h"

#include <stdint.h>

typedef enum Outcome {
    OUTCOME_PASSED,
    OUTCOME_FAILED, /* a wrong answer, or none */
    OUTCOME_NEEDS,  /* another exercise first */
    OUTCOME_NOT_WRITTEN,
    OUTCOME_CRASHED, /* a signal, or something that is not allowed */
    OUTCOME_OUT_OF_TIME,
    OUTCOME_NOT_COMPILED,
    OUTCOME_NOT_ASKED, /* left out by ONLY */
    OUTCOMES,
} Outcome;

/* "passed", "failed", "needs another" .. and, for files, "passed", "failed", "needs" .. */
extern const char *const outcome_words[], *const outcome_keys[];

typedef struct Verdict {
    Outcome outcome;
    char text[1200]; /* what to tell the student; one line, empty when passed */
} Verdict;

enum { TRIALS = 12 };

/* One check: `program` is the student's worker. The inputs depend on the seed and the check. False
 * with an error when the instructor's side does not work. */
bool judge_check(const Build *build, const Check *check, const char *program, uint64_t seed,
                 Verdict *verdict, Error *error);

/* All exercises of the table that are in `only` (NULL: all), in order: verdict[i] of exercise i. */
bool judge_all(Build *build, const ExerciseTable *table, const Tree *tree, uint64_t seed,
               const char *only, Verdict *verdict, Error *error);

#endif
