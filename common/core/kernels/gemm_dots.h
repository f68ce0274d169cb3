/* A few rows times a matrix that is stored transposed: C = A B^T.
 *
 * Rows of A and B both lie in order along k, so each element of C is a dot product of two of them.
 * With so few rows, turning B over for the tile would take longer than the product itself: this is
 * how one token goes through a linear layer, and how one query meets all its keys. */
#ifndef CORE_KERNELS_GEMM_DOTS_H
#define CORE_KERNELS_GEMM_DOTS_H

#include <stdbool.h>

enum { DOTS_ROWS = 4 }; /* up to here faster than the tile */

/* C (rows, n) = or += A (rows, k) B^T with B stored (n, k); rows <= DOTS_ROWS, k > 0. */
void gemm_dots(int rows, int n, int k, const float *a, long lda, const float *b, long ldb,
               bool accumulate, float *c, long ldc);

#endif
