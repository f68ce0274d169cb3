/* Small measurements that every experiment needs: how long is a vector, how far apart are two, what
 * is the typical one of several runs. */
#ifndef CORE_MEASURE_H
#define CORE_MEASURE_H

#include <stddef.h>

/* Euclidean length of n numbers, summed in double precision. */
double vector_length(const float *v, size_t n);

/* Largest |a_i - b_i|; infinity when any of the numbers is not finite, so that nothing broken can
 * look equal. */
double largest_difference(const float *a, const float *b, size_t n);

/* Median, smallest and largest of n >= 1 numbers; the median of an even number is the mean of the
 * two in the middle. NaN counts as the smallest. */
typedef struct Spread {
    double median, min, max;
} Spread;
Spread spread_of(const double *values, int n);

/* Slope of the least-squares line through y[from], y[from + 1] ... y[to - 1], per step of the
 * index. NaN where a value is not finite or there are fewer than two. */
double slope_of(const double *y, int from, int to);

#endif
