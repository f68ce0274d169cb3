/* Dropout (Srivastava et al. 2014, inverted) of numbers that stand in a row somewhere. */
#ifndef CORE_KERNELS_DROPOUT_H
#define CORE_KERNELS_DROPOUT_H

#include <stdint.h>

typedef struct Dropout {
    float p; /* the probability to be dropped, in 0 .. 1 */
    uint64_t key;
} Dropout;

/* What elements first .. first + n - 1 are multiplied by: 0 with probability p, else 1 / (1 - p).
 * Depends on the key and the number of the element alone, so it can be drawn again on the way
 * back. */
void dropout_factors(Dropout dropout, uint64_t first, int n, float *factor);

#endif
