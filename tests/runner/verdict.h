/* What the output of a cmocka program and the way it ended say about its tests. */
#ifndef TESTS_RUNNER_VERDICT_H
#define TESTS_RUNNER_VERDICT_H

#include <stdbool.h>

/* cmocka's own counts, summed over the groups of a program. */
typedef struct Summary {
    long announced; /* "[==========] Running 5 test(s)." */
    long run;       /* "[==========] 5 test(s) run." */
    long passed;    /* "[  PASSED  ] 4 test(s)." */
    long skipped;   /* "[  SKIPPED ] 1 test(s), listed below:" */
    long groups_begun, groups_ended;
} Summary;

Summary summary_read(const char *output);

/* Did cmocka come to its end, with counts that agree? At least one test must have run. */
bool summary_complete(const Summary *summary);

/* A program that is over. */
typedef struct Ending {
    const char *program;
    const char *output; /* all that it printed, as a string */
    const char *killed; /* why the runner ended it, or "" */
    int status;         /* as waitpid() gives it */
    double seconds;
} Ending;

typedef struct Totals {
    long passed, failed, skipped; /* tests; a program that died is one that failed */
} Totals;

/* Judges it, prints one line (and, when it failed, what is worth reading of its output), and adds
 * to the totals. */
void ending_judge(const Ending *ending, Totals *totals);

/* "SIGSEGV" of 11. */
const char *signal_name(int number);

#endif
