#include "core/kernels/gemm_pack.h"

#include "core/kernels/gemm_tile.h"

#include <string.h>

/* Four lanes exist on every machine with vectors, and a 4 x 4 block is all a transposition needs.
 */
typedef float Vec4 __attribute__((vector_size(16)));
typedef float Vec4Anywhere __attribute__((vector_size(16), aligned(4), may_alias));

#if defined(__clang__)
#define MIX(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
typedef int VecInt4 __attribute__((vector_size(16)));
#define MIX(a, b, i, j, k, l) __builtin_shuffle(a, b, (VecInt4){i, j, k, l})
#endif

/* to[p * to_step + j] = from[j * from_step + p] for j, p < 4 */
static void transpose_4x4(const float *from, long from_step, float *to, long to_step) {
    Vec4 r0 = *(const Vec4Anywhere *)from, r1 = *(const Vec4Anywhere *)(from + from_step);
    Vec4 r2 = *(const Vec4Anywhere *)(from + 2 * from_step);
    Vec4 r3 = *(const Vec4Anywhere *)(from + 3 * from_step);
    Vec4 low01 = MIX(r0, r1, 0, 4, 1, 5), high01 = MIX(r0, r1, 2, 6, 3, 7);
    Vec4 low23 = MIX(r2, r3, 0, 4, 1, 5), high23 = MIX(r2, r3, 2, 6, 3, 7);
    *(Vec4Anywhere *)to = MIX(low01, low23, 0, 1, 4, 5);
    *(Vec4Anywhere *)(to + to_step) = MIX(low01, low23, 2, 3, 6, 7);
    *(Vec4Anywhere *)(to + 2 * to_step) = MIX(high01, high23, 0, 1, 4, 5);
    *(Vec4Anywhere *)(to + 3 * to_step) = MIX(high01, high23, 2, 3, 6, 7);
}

/* to[p * to_step + j] = from[j * from_step + p] for j < rows, p < k */
void transpose_matrix(int rows, int k, const float *from, long from_step, float *to, long to_step) {
    int whole_rows = rows / 4 * 4, whole_k = k / 4 * 4;
    for (int j = 0; j < whole_rows; j += 4) {
        for (int p = 0; p < whole_k; p += 4) {
            transpose_4x4(from + j * from_step + p, from_step, to + p * to_step + j, to_step);
        }
    }
    for (int j = 0; j < rows; j++) {
        for (int p = j < whole_rows ? whole_k : 0; p < k; p++) {
            to[p * to_step + j] = from[j * from_step + p];
        }
    }
}

/* to[p * width + j] = from[p * from_step + j] for j < cols <= width. A copy of a whole row has a
 * length the compiler knows: a few moves instead of a call. */
static inline void copy_rows(int k, int cols, int width, const float *from, long from_step,
                             float *to) {
    for (int p = 0; p < k && cols == width; p++) {
        memcpy(to + p * width, from + p * from_step, (size_t)width * sizeof(float));
    }
    for (int p = 0; p < k && cols < width; p++) {
        memcpy(to + p * width, from + p * from_step, (size_t)cols * sizeof(float));
    }
}

void pack_b_panel(bool trans_b, int k, int cols, const float *b, long ldb, float *to) {
    if (trans_b) {
        transpose_matrix(cols, k, b, ldb, to, TILE_COLS);
    } else {
        copy_rows(k, cols, TILE_COLS, b, ldb, to);
    }
    for (int p = 0; p < k && cols < TILE_COLS; p++) {
        memset(to + p * TILE_COLS + cols, 0, (size_t)(TILE_COLS - cols) * sizeof(float));
    }
}

void pack_a_panel(bool trans_a, int rows, int k, const float *a, long lda, float *to) {
    if (!trans_a) {
        transpose_matrix(rows, k, a, lda, to, TILE_ROWS);
    } else {
        copy_rows(k, rows, TILE_ROWS, a, lda, to);
    }
}
