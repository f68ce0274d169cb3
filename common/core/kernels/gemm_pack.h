/* Packing: copies of parts of A and B in exactly the order in which the tile reads them, so that
 * every cache line that comes in is used to its last byte. */
#ifndef CORE_KERNELS_GEMM_PACK_H
#define CORE_KERNELS_GEMM_PACK_H

#include <stdbool.h>

/* A strip of op(B), k rows and `cols` columns from column 0 of `b`: to[p * width + j], where width
 * is cols or, for less than a vector, VEC_LANES; what is in the lanes behind cols does not matter.
 */
void pack_b_strip(bool trans_b, int k, int cols, const float *b, long ldb, float *to);

/* `rows` rows and k columns of an A that is stored transposed, tile after tile: row i of tile t is
 * at to[t * tile_step + p * TILE_ROWS + i], tile_step >= k * TILE_ROWS. */
void pack_a_rows(int rows, int k, const float *a, long lda, float *to, long tile_step);

/* to[j * to_step + i] = from[i * from_step + j] for i < rows, j < cols: a matrix turned over. */
void transpose_matrix(int rows, int cols, const float *from, long from_step, float *to,
                      long to_step);

#endif
