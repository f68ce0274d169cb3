#include "core/kernels/gemm_tile.h"

#define INLINE static inline __attribute__((always_inline))

enum { MAX_VECS = WIDE_COLS / VEC_LANES };

/* Where vector v of a row of `cols` columns begins: side by side, the last one at the end. */
INLINE long vec_place(int v, int vecs, int cols) {
    return v < vecs - 1 || cols < VEC_LANES ? v * VEC_LANES : cols - VEC_LANES;
}

/* One row of the tile. All of C is read before any of it is written, because columns in two vectors
 * must get the same number twice. */
INLINE void store_row(float *c, const Vec *sum, int vecs, int cols, bool accumulate) {
    if (cols < VEC_LANES) {
        vec_store_part(c, accumulate ? vec_load_part(c, cols, 0.0f) + sum[0] : sum[0], cols);
        return;
    }
    Vec row[MAX_VECS];
    VEC_UNROLL
    for (int v = 0; v < vecs; v++) {
        row[v] = accumulate ? vec_load(c + vec_place(v, vecs, cols)) + sum[v] : sum[v];
    }
    VEC_UNROLL
    for (int v = 0; v < vecs; v++) {
        vec_store(c + vec_place(v, vecs, cols), row[v]);
    }
}

/* `rows`, `vecs` and `turned` (A's columns, not its rows, lie in order) are constants wherever this
 * is expanded, so the loops over them unroll and the sums live in registers. */
INLINE void tile(int rows, int vecs, bool turned, int cols, int k, APlace place, const float *b,
                 long ldb, bool accumulate, float *c, long ldc) {
    Vec sum[TILE_ROWS][MAX_VECS];
    VEC_UNROLL
    for (int i = 0; i < rows; i++) {
        VEC_UNROLL
        for (int v = 0; v < vecs; v++) {
            sum[i][v] = vec_all(0.0f);
        }
    }
    const float *a = place.a;
    VEC_UNROLL_BY_4
    for (int p = 0; p < k; p++, a += turned ? place.k_step : 1, b += ldb) {
        Vec b_row[MAX_VECS];
        VEC_UNROLL
        for (int v = 0; v < vecs; v++) {
            b_row[v] = vec_load(b + vec_place(v, vecs, cols));
        }
        VEC_UNROLL
        for (int i = 0; i < rows; i++) {
            float a_ip = a[turned ? i : i * place.row_step];
            VEC_UNROLL
            for (int v = 0; v < vecs; v++) {
                sum[i][v] = sum[i][v] + a_ip * b_row[v]; /* fused, so read the sum first */
            }
        }
    }
    VEC_UNROLL
    for (int i = 0; i < rows; i++) {
        store_row(c + i * ldc, sum[i], vecs, cols, accumulate);
    }
}

#define LAST_ROWS(r)                                                                               \
    case r:                                                                                        \
        if (vecs * (r) <= 2 * TILE_ROWS) {                                                         \
            tile(r, vecs, turned, cols, k, a, b, ldb, accumulate, c, ldc);                         \
        }                                                                                          \
        break

/* All whole tiles, then the rows that are left; a wide strip has only those. */
INLINE void strip(int vecs, bool turned, int rows, int cols, int k, APlace a, const float *b,
                  long ldb, bool accumulate, float *c, long ldc) {
    for (; vecs <= 2 && rows >= TILE_ROWS; rows -= TILE_ROWS) {
        tile(TILE_ROWS, vecs, turned, cols, k, a, b, ldb, accumulate, c, ldc);
        a.a += a.tile_step;
        c += TILE_ROWS * ldc;
    }
    switch (rows) {
        LAST_ROWS(1);
        LAST_ROWS(2);
        LAST_ROWS(3);
        LAST_ROWS(4);
        LAST_ROWS(5);
#if defined(__AVX512F__)
        LAST_ROWS(6);
        LAST_ROWS(7);
#endif
    }
}

INLINE void any_strip(bool turned, int rows, int cols, int k, APlace a, const float *b, long ldb,
                      bool accumulate, float *c, long ldc) {
    if (cols > TILE_COLS) {
        strip(4, turned, rows, WIDE_COLS, k, a, b, ldb, accumulate, c, ldc);
    } else if (cols > VEC_LANES) {
        strip(2, turned, rows, cols, k, a, b, ldb, accumulate, c, ldc);
    } else {
        strip(1, turned, rows, cols, k, a, b, ldb, accumulate, c, ldc);
    }
}

void gemm_strip(int rows, int cols, int k, const APlace *a, const float *b, long ldb,
                bool accumulate, float *c, long ldc) {
    if (a->row_step == 1) {
        any_strip(true, rows, cols, k, *a, b, ldb, accumulate, c, ldc);
    } else {
        any_strip(false, rows, cols, k, *a, b, ldb, accumulate, c, ldc);
    }
}
