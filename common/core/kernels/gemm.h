/* General matrix product, the heart of everything: C = op(A) op(B), or C += op(A) op(B).
 *
 * Row-major; ld* is the leading dimension, the distance in floats from one row of the stored matrix
 * to the next. op(X) is X or, where trans_* is true, X transposed; nothing is ever copied by the
 * caller to get a transposed operand.
 *
 *   op(A) (m, k): A is stored (m, k), or (k, m) when trans_a
 *   op(B) (k, n): B is stored (k, n), or (n, k) when trans_b
 *   C (m, n)
 *
 * Any size may be 0. The order in which the k products of an element are added depends on the sizes
 * alone, never on the number of threads. */
#ifndef CORE_KERNELS_GEMM_H
#define CORE_KERNELS_GEMM_H

#include <stdbool.h>

void gemm(bool trans_a, bool trans_b, int m, int n, int k, const float *a, int lda, const float *b,
          int ldb, bool accumulate, float *c, int ldc);

/* The same in three loops: what it means, and the oracle of the tests. Read this one first. */
void gemm_naive(bool trans_a, bool trans_b, int m, int n, int k, const float *a, int lda,
                const float *b, int ldb, bool accumulate, float *c, int ldc);

/* `batch` products; stride_* is the distance in floats between the matrices of one and the next. */
void gemm_batched(bool trans_a, bool trans_b, int batch, int m, int n, int k, const float *a,
                  int lda, long stride_a, const float *b, int ldb, long stride_b, bool accumulate,
                  float *c, int ldc, long stride_c);

#endif
