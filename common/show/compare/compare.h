/* Two runs beside each other: what was asked for, what they claim, their curves over each other,
 * their heatmaps subtracted, and a verdict in words.
 *
 * Each part prints its own section and notes in the Comparison what the verdict needs. */
#ifndef SHOW_COMPARE_COMPARE_H
#define SHOW_COMPARE_COMPARE_H

#include "show/plot.h"
#include "show/run_folder.h"
#include "show/terminal.h"

enum { COMPARE_ENDS = 6 };

typedef struct Comparison {
    const Terminal *term;
    RunFolder a, b;
    const char *out;  /* folder for the pictures; it exists */
    bool draw;        /* false: numbers and scripts only */
    GnuplotStop stop; /* has somebody pressed Ctrl-C? may be NULL */
    int problems;     /* files that could not be read or written; each was told on stderr */
    bool undrawn;     /* a curve was not drawn: gnuplot is missing or fails... */
    bool no_gnuplot;  /* ... and it is the former */
    bool only_seed;   /* nothing else was asked for differently */
    int curves, maps; /* pairs that were compared */
    int pictures;     /* drawn */
    char ends[COMPARE_ENDS][192]; /* of two lessons: where the first curves end, a sentence each */
} Comparison;

/* Are both runs of the same lesson? */
bool compare_same_lesson(const Comparison *c);

/* A problem with a file: one line on stderr, counted. */
void compare_problem(Comparison *c, const Error *error);

/* True after Ctrl-C: nothing new is begun. */
bool compare_stopped(const Comparison *c);

/* A headline of a section. */
void compare_section(const Comparison *c, const char *title);

/* ---- what was asked for ---- */

/* The two runs, a line each, and a table of the flags that differ. */
void compare_flags(Comparison *c);

/* ---- claims ---- */

typedef enum ClaimMove { MOVE_NONE, MOVE_BETTER, MOVE_WORSE } ClaimMove;

/* Where a claim's value is farther on its own side of the bound (of "==": nearer to it) it is
 * better. Changes of less than one percent of the bound (or of the value, at a bound of 0) are
 * none. The values are the medians over the seeds. */
ClaimMove claim_move(const RunClaim *a, const RunClaim *b);

/* Size of the change in the unit in which claim_move() counts it: share of the bound. */
double claim_change(const RunClaim *a, const RunClaim *b);

/* Is b's value (its median) outside what the seeds of a gave, or a's outside what b's gave?
 * Only a run of several seeds counts as a spread. */
bool claim_outside(const RunFolder *a, const RunFolder *b, const RunClaim *of_a,
                   const RunClaim *of_b);

/* The table of all claims: both values, the change, who holds. Of two lessons, only those with the
 * same id that also measure the same: alike in text, but for the name before ": ". */
void compare_claims(const Comparison *c);

/* A value as the lessons print it: "41.2 %" when the text of the claim has a '%'. */
enum { VALUE_SIZE = 40 };
void claim_value_text(char text[VALUE_SIZE], const RunClaim *claim, double value, bool sign,
                      int digits);

/* ---- files ---- */

/* How the tables and pictures of two runs agree, byte for byte; run.tsv and timing_* apart. */
typedef struct FileTally {
    int same;
    int tables_differ, pictures_differ; /* or only one of the runs has them */
    char first[128];                    /* the first that differs */
} FileTally;

FileTally compare_bytes(Comparison *c);

/* ---- curves and heatmaps ---- */

/* Every curve of the same name: overlaid in one picture, and how both end. */
void compare_curves(Comparison *c);

/* Every heatmap of the same name: three panels for each of its maps (A, B, B minus A with zero in
 * white), and how far they are apart. Maps of two sizes have two panels, in a picture of their own.
 */
void compare_maps(Comparison *c);

/* ---- in words ---- */

void compare_verdict(Comparison *c);

/* All of the above; both folders have been read. */
void compare_runs(Comparison *c);

#endif
