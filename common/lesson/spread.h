/* Several runs of a lesson with different seeds, summed up.
 *
 * In the folder above theirs: each curve with the median of the seeds as its line and a band from
 * the least to the most; claims.tsv as of one run, with the medians as its values; and spread.tsv,
 * a line for each claim that is not about time, with the columns step id text op bound seeds made
 * holds min median max: of how many seeds, with how many there is a value, with how many it holds.
 * The files are the same to the byte for the same seeds. */
#ifndef LESSON_SPREAD_H
#define LESSON_SPREAD_H

#include "lesson/run.h"

/* Reads the `count` (at least 1) runs and writes curves and spread.tsv into run->flags.out, which
 * exists; fills run->claims (for whoever writes claims.tsv) and run->done, and prints the table of
 * claims. False with one line when a folder is no run. */
bool spread_gather(Run *run, const char *const *folders, int count, Error *error);

/* One line about a run that has ended: how many of its claims hold; `seconds` < 0 are left out.
 * False with an error when it has left no run. */
bool spread_tell(Run *run, const char *folder, double seconds, Error *error);

/* The median of `count` numbers, which are sorted by this; NaNs do not count; NaN without any. */
double spread_median(double *values, int count);

/* The bands of all curves that all the folders have. */
void spread_curves(Run *run, const char *const *folders, int count);

#endif
