/* The most usual plot: several lines with marks over the same x. */
#ifndef LESSON_LINES_H
#define LESSON_LINES_H

#include "lesson/run.h"

enum { LINES_MOST = 8 };

/* run_plot() of that plot with `count` lines (at most LINES_MOST): y (count, n) row-major, x (n).
 * The plot's own series and count are ignored. */
bool run_lines(Run *run, Plot plot, const char *const *labels, int count, const double *x,
               const double *y, int n);

#endif
