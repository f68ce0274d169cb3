/* Two folders of runs, made up, for tests of what compares them.
 *
 *     TwoRuns two = two_runs_new();                   both have the same run.tsv and claims.tsv
 *     two_runs_put(&two, 'B', "run.tsv", "...");
 *     const char *text = two_runs_say(&two, compare_flags);
 *     two_runs_free(&two);
 */
#ifndef TESTS_SUPPORT_TWO_RUNS_H
#define TESTS_SUPPORT_TWO_RUNS_H

#include "show/compare/compare.h"
#include "support/lesson_run.h"

#define CLAIMS_HEADER "step\tid\ttext\tvalue\top\tbound\tstatus\n"
#define SPREAD_HEADER "step\tid\ttext\top\tbound\tseeds\tmade\tholds\tmin\tmedian\tmax\n"
#define CURVE_HEADER "series\tx\ty\tlow\thigh\tlabel\n"
#define MAP_HEADER "map\tpart\tname\n"

typedef struct TwoRuns {
    char folder[LESSON_PATH], a[2 * LESSON_PATH], b[2 * LESSON_PATH], out[2 * LESSON_PATH];
    Terminal term;
    Comparison c; /* of the last two_runs_say() */
    bool color;   /* as on a terminal that has colours */
    bool stopped; /* as after Ctrl-C */
    char *text;
} TwoRuns;

TwoRuns two_runs_new(void);
void two_runs_free(TwoRuns *two);

/* Writes a file into the run 'A' or 'B' ('O': into the folder for pictures). */
void two_runs_put(const TwoRuns *two, char run, const char *name, const char *text);

/* The path of a file there; good until the next call. */
const char *two_runs_path(const TwoRuns *two, char run, const char *name);

/* Reads both folders, calls the part without drawing curves, and gives what it printed; good until
 * the next call. */
const char *two_runs_say(TwoRuns *two, void (*part)(Comparison *c));

/* Fails the test when the text (does not) contain the part. */
void assert_part(const char *text, const char *part);
void assert_no_part(const char *text, const char *part);

#endif
