/* --runs N: the whole lesson with N seeds, and how far they differ.
 *
 * Each seed runs in a process of its own, a copy of the program as it was before anything was read
 * or computed, so that nothing leaks from one to the next; it leaves a complete run in OUT/seed_S.
 * What they have in common is then written to OUT itself (lesson/spread.h). */
#ifndef LESSON_SEVERAL_H
#define LESSON_SEVERAL_H

#include "lesson/run.h"

/* What a seed's process does, and what the program does with the sum of them. */
typedef struct SeveralWork {
    int (*check)(Run *run);   /* tries whether the run can begin at all: 0, or 2 after one line */
    int (*whole)(Run *run);   /* a whole run into run->flags.out; the exit code */
    void (*finish)(Run *run); /* claims.tsv, run.tsv and the last words */
    int (*code)(const Run *run); /* the exit code of what was found */
} SeveralWork;

/* Runs seeds S .. S + N - 1, S and N from the flags; the exit code of the program: that of a run
 * whose claims are judged by their medians. The first seed that cannot run ends it, and so does
 * Ctrl-C (after which nothing is written to OUT itself). */
int several_run(Run *run, SeveralWork work);

#endif
