#include "core/measure.h"

#include "core/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double vector_length(const float *v, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)v[i] * (double)v[i];
    }
    return sqrt(sum);
}

double largest_difference(const float *a, const float *b, size_t n) {
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        double difference = fabs((double)a[i] - (double)b[i]);
        largest = difference <= largest       ? largest
                  : isfinite(difference) != 0 ? difference
                                              : (double)INFINITY;
    }
    return largest;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y)) {
        return isnan(y) - isnan(x); /* NaN first */
    }
    return (x > y) - (x < y);
}

Spread spread_of(const double *values, int n) {
    CHECK(n >= 1, "spread_of: %d numbers: there must be one at least", n);
    double *sorted = check_alloc((size_t)n * sizeof *sorted);
    memcpy(sorted, values, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    Spread spread = {(sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0, sorted[0], sorted[n - 1]};
    free(sorted);
    return spread;
}

double slope_of(const double *y, int from, int to) {
    double n = to - from, mean_x = (from + to - 1) / 2.0, mean_y = 0.0, xy = 0.0, xx = 0.0;
    for (int i = from; i < to; i++) {
        mean_y += y[i] / n;
    }
    for (int i = from; i < to; i++) {
        xy += (i - mean_x) * (y[i] - mean_y);
        xx += (i - mean_x) * (i - mean_x);
    }
    double slope = xy / xx;
    return isfinite(slope) ? slope : (double)NAN;
}
