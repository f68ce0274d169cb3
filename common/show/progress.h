/* Progress of a training: how far, how good, how long still.
 *
 *     with attention [##########----------]  750/1500  loss 0.213  exact 0.62  12 s left
 *
 * On a terminal the line is rewritten in place, about ten times a second, and is never wider than
 * the window. In a pipe or a file a plain line comes every fifth of the way, without seconds, so
 * that two runs with the same seed print the same. */
#ifndef SHOW_PROGRESS_H
#define SHOW_PROGRESS_H

#include "show/terminal.h"

typedef struct Progress {
    const Terminal *term;
    const char *label;
    int total;     /* steps */
    bool fleeting; /* true: nothing in a pipe, and wiped from the terminal at the end */
    double started, drawn;
    int step; /* of the last update */
    double loss, metric;
    const char *metric_name;
    int fifths;   /* of the way that were reported in a pipe */
    int reported; /* step of the last line in a pipe */
    bool line;    /* a rewritten line stands on the terminal */
} Progress;

/* Starts with nothing drawn. `label` must outlive it. `fleeting` is for work nobody asked to see.
 */
Progress progress_begin(const Terminal *term, const char *label, int total, bool fleeting);

/* After each step, 1 .. total. Cheap: most calls only look at the clock. loss: NaN to leave it out;
 * metric_name: NULL when there is none (the last one given stays on display). */
void progress_update(Progress *progress, int step, double loss, const char *metric_name,
                     double metric);

/* Takes the line off the terminal, so that something else can be printed in between; the next
 * update draws it again. */
void progress_hide(Progress *progress);

/* Ends the line; with fewer steps than the total it says where it stopped. */
void progress_end(Progress *progress);

/* Seconds on a clock that never goes back. */
double progress_clock(void);

#endif
