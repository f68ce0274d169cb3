/* The innermost piece of the matrix product: a tile of C that stays in registers.
 *
 * For each p a tile takes one row of B, as vectors, and one column of A, as single numbers, and
 * adds their outer product to its sums. TILE_ROWS x 2 vectors of sums are enough independent ones
 * to hide the latency of a multiply-add, and ten loads feed sixteen of them. With few rows a tile
 * is made wider instead, to have as many sums.
 *
 * Where C's columns are no multiple of the vector, the last vector of a tile is moved left until it
 * ends where C ends. It then overlaps its neighbour, and the columns in both come out twice with
 * the same bits: no mask, no copy, no read beyond the end. Only a C narrower than one vector is
 * padded.
 */
#ifndef CORE_KERNELS_GEMM_TILE_H
#define CORE_KERNELS_GEMM_TILE_H

#include "core/kernels/vec.h"

#include <stdbool.h>

enum {
    TILE_ROWS = VEC_BYTES == 64 ? 8 : 6, /* 8 x 2 sums of 32 registers, 6 x 2 of 16 */
    TILE_COLS = 2 * VEC_LANES,
    WIDE_ROWS = VEC_BYTES == 64 ? 4 : 3, /* 4 x 4 sums, 3 x 4 */
    WIDE_COLS = 4 * VEC_LANES,
};

/* Where op(A) lies: element (i, p) of a tile is at a[i * row_step + p * k_step], one of the two
 * steps being 1, and the next tile begins at a + tile_step. */
typedef struct APlace {
    const float *a;
    long row_step, k_step, tile_step;
} APlace;

/* A strip of C, any number of rows and `cols` columns: C = or += A (rows, k) B (k, cols).
 *
 * cols is at most TILE_COLS or, where there are at most WIDE_ROWS rows, exactly WIDE_COLS. B's rows
 * are `ldb` apart; VEC_LANES floats of each must be readable even if cols is less. `a` is a pointer
 * because a copy of four fields just written would wait for them: 10 ns of a small product's 60. */
void gemm_strip(int rows, int cols, int k, const APlace *a, const float *b, long ldb,
                bool accumulate, float *c, long ldc);

#endif
