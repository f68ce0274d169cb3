/* Packing: copies of parts of A and B in exactly the order in which the tile reads them, so that
 * every cache line that comes in is used to its last byte. */
#ifndef CORE_KERNELS_GEMM_PACK_H
#define CORE_KERNELS_GEMM_PACK_H

#include <stdbool.h>

/* Panel of op(B), k rows and up to TILE_COLS columns from column 0 of `b`: to[p * TILE_COLS + j].
 * Missing columns are zeros. */
void pack_b_panel(bool trans_b, int k, int cols, const float *b, long ldb, float *to);

/* Panel of op(A), up to TILE_ROWS rows and k columns: to[p * TILE_ROWS + i]. Missing rows are not
 * written: no tile reads them. */
void pack_a_panel(bool trans_a, int rows, int k, const float *a, long lda, float *to);

/* to[j * to_step + i] = from[i * from_step + j] for i < rows, j < cols: a matrix turned over. */
void transpose_matrix(int rows, int cols, const float *from, long from_step, float *to,
                      long to_step);

#endif
