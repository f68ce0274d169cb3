/* The innermost piece of the matrix product: a tile of C that stays in registers.
 *
 * A tile has up to TILE_ROWS rows and TILE_COLS columns. For each p it takes one row of B (two
 * vectors) and one column of A (one number for each row), and adds their outer product. Sixteen
 * independent sums hide the latency of multiply-add; ten loads feed sixteen of them. */
#ifndef CORE_KERNELS_GEMM_TILE_H
#define CORE_KERNELS_GEMM_TILE_H

#include "core/kernels/vec.h"

#include <stdbool.h>

enum {
    TILE_ROWS = VEC_BYTES == 64 ? 8 : 6, /* 8 x 2 sums of 32 registers, 6 x 2 of 16 */
    TILE_VECS = 2,
    TILE_COLS = TILE_VECS * VEC_LANES,
};

/* Where element (i, p) of op(A) lies: a[i * row_step + p * k_step]. One of the two steps is 1. */
typedef struct APlace {
    const float *a;
    long row_step, k_step;
} APlace;

/* C tile (rows, cols) = or += A (rows, k) B (k, cols): B's rows are `ldb` apart and readable over
 * all TILE_COLS columns. */
void gemm_tile(int rows, int cols, int k, APlace a, const float *b, long ldb, bool accumulate,
               float *c, long ldc);

#endif
