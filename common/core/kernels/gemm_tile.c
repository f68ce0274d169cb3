#include "core/kernels/gemm_tile.h"

#define INLINE static inline __attribute__((always_inline))

/* Writes one row of the tile; a tile at the right edge of C has fewer columns. */
INLINE void store_row(float *c, const Vec *sum, int cols, bool accumulate) {
    for (int v = 0; v < TILE_VECS; v++, cols -= VEC_LANES, c += VEC_LANES) {
        if (cols >= VEC_LANES) {
            vec_store(c, accumulate ? vec_load(c) + sum[v] : sum[v]);
        } else if (cols > 0) {
            Vec old = accumulate ? vec_load_part(c, cols, 0.0f) : vec_all(0.0f);
            vec_store_part(c, old + sum[v], cols);
        }
    }
}

/* `rows`, `vecs` and `unit_rows` are constants wherever this is expanded, so the loops over them
 * unroll and the sums live in registers. */
INLINE void tile(int rows, int vecs, bool unit_rows, int cols, int k, APlace place, const float *b,
                 long ldb, bool accumulate, float *c, long ldc) {
    Vec sum[TILE_ROWS][TILE_VECS];
    for (int i = 0; i < rows; i++) {
        sum[i][0] = sum[i][1] = vec_all(0.0f);
    }
    const float *a = place.a;
    for (int p = 0; p < k; p++, b += ldb, a += place.k_step) {
        Vec b0 = vec_load(b), b1 = vecs > 1 ? vec_load(b + VEC_LANES) : b0;
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++) {
            float a_ip = unit_rows ? a[i] : a[i * place.row_step];
            sum[i][0] += a_ip * b0;
            if (vecs > 1) {
                sum[i][1] += a_ip * b1;
            }
        }
    }
    for (int i = 0; i < rows; i++) {
        store_row(c + i * ldc, sum[i], cols, accumulate);
    }
}

#define TILE_CASE(r)                                                                               \
    case r:                                                                                        \
        if (a.row_step == 1) {                                                                     \
            if (cols > VEC_LANES) {                                                                \
                tile(r, 2, true, cols, k, a, b, ldb, accumulate, c, ldc);                          \
            } else {                                                                               \
                tile(r, 1, true, cols, k, a, b, ldb, accumulate, c, ldc);                          \
            }                                                                                      \
        } else {                                                                                   \
            if (cols > VEC_LANES) {                                                                \
                tile(r, 2, false, cols, k, a, b, ldb, accumulate, c, ldc);                         \
            } else {                                                                               \
                tile(r, 1, false, cols, k, a, b, ldb, accumulate, c, ldc);                         \
            }                                                                                      \
        }                                                                                          \
        break

void gemm_tile(int rows, int cols, int k, APlace a, const float *b, long ldb, bool accumulate,
               float *c, long ldc) {
    switch (rows) {
        TILE_CASE(1);
        TILE_CASE(2);
        TILE_CASE(3);
        TILE_CASE(4);
        TILE_CASE(5);
        TILE_CASE(6);
#if defined(__AVX512F__)
        TILE_CASE(7);
        TILE_CASE(8);
#endif
    }
}
