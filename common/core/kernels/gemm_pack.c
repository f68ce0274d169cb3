#include "core/kernels/gemm_pack.h"

#include "core/kernels/gemm_tile.h"

#include <string.h>

/* Lanes of two vectors side by side, by number. */
#if defined(__clang__)
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(a, b, ...) __builtin_shuffle(a, b, (VecInt){__VA_ARGS__})
#endif

/* Lists of lanes for PICK, made of fours: FOUR is a pick from two fours (0 to 3, 4 to 7), done in
 * four q of both vectors. */
#define LANE(q, i) (4 * (q) + ((i) < 4 ? (i) : (i)-4 + VEC_LANES))
#define FOUR(q, i, j, k, l) LANE(q, i), LANE(q, j), LANE(q, k), LANE(q, l)
#define WHOLE(q) 4 * (q), 4 * (q) + 1, 4 * (q) + 2, 4 * (q) + 3
#if defined(__AVX512F__)
#define IN_FOURS(...)                                                                              \
    FOUR(0, __VA_ARGS__), FOUR(1, __VA_ARGS__), FOUR(2, __VA_ARGS__), FOUR(3, __VA_ARGS__)
#elif defined(__AVX__)
#define IN_FOURS(...) FOUR(0, __VA_ARGS__), FOUR(1, __VA_ARGS__)
#else
#define IN_FOURS(...) FOUR(0, __VA_ARGS__)
#endif

/* Of four vectors, as far as they are long: in each four of lanes, a 4 x 4 block is turned over. */
static inline void turn_in_fours(Vec *r) {
    Vec low01 = PICK(r[0], r[1], IN_FOURS(0, 4, 1, 5));
    Vec high01 = PICK(r[0], r[1], IN_FOURS(2, 6, 3, 7));
    Vec low23 = PICK(r[2], r[3], IN_FOURS(0, 4, 1, 5));
    Vec high23 = PICK(r[2], r[3], IN_FOURS(2, 6, 3, 7));
    r[0] = PICK(low01, low23, IN_FOURS(0, 1, 4, 5));
    r[1] = PICK(low01, low23, IN_FOURS(2, 3, 6, 7));
    r[2] = PICK(high01, high23, IN_FOURS(0, 1, 4, 5));
    r[3] = PICK(high01, high23, IN_FOURS(2, 3, 6, 7));
}

/* Of r[0], r[4], ...: four q of the g-th changes places with four g of the q-th. */
static inline void turn_fours(Vec *r) {
#if defined(__AVX512F__)
    Vec low01 = PICK(r[0], r[4], WHOLE(0), WHOLE(1), WHOLE(4), WHOLE(5));
    Vec high01 = PICK(r[0], r[4], WHOLE(2), WHOLE(3), WHOLE(6), WHOLE(7));
    Vec low23 = PICK(r[8], r[12], WHOLE(0), WHOLE(1), WHOLE(4), WHOLE(5));
    Vec high23 = PICK(r[8], r[12], WHOLE(2), WHOLE(3), WHOLE(6), WHOLE(7));
    r[0] = PICK(low01, low23, WHOLE(0), WHOLE(2), WHOLE(4), WHOLE(6));
    r[4] = PICK(low01, low23, WHOLE(1), WHOLE(3), WHOLE(5), WHOLE(7));
    r[8] = PICK(high01, high23, WHOLE(0), WHOLE(2), WHOLE(4), WHOLE(6));
    r[12] = PICK(high01, high23, WHOLE(1), WHOLE(3), WHOLE(5), WHOLE(7));
#elif defined(__AVX__)
    Vec r0 = r[0];
    r[0] = PICK(r0, r[4], WHOLE(0), WHOLE(2));
    r[4] = PICK(r0, r[4], WHOLE(1), WHOLE(3));
#else
    (void)r;
#endif
}

/* A square block, VEC_LANES rows and columns: to[j * to_step + i] = from[i * from_step + j]. */
static void transpose_square(const float *from, long from_step, float *to, long to_step) {
    Vec r[VEC_LANES];
    VEC_UNROLL
    for (int i = 0; i < VEC_LANES; i++) {
        r[i] = vec_load(from + i * from_step);
    }
    VEC_UNROLL
    for (int g = 0; g < VEC_LANES; g += 4) {
        turn_in_fours(r + g);
    }
    VEC_UNROLL
    for (int c = 0; c < 4; c++) {
        turn_fours(r + c);
    }
    VEC_UNROLL
    for (int j = 0; j < VEC_LANES; j++) {
        vec_store(to + j * to_step, r[j]);
    }
}

static void transpose_4x4(const float *from, long from_step, float *to, long to_step) {
    Vec4 r0 = vec4_load(from), r1 = vec4_load(from + from_step);
    Vec4 r2 = vec4_load(from + 2 * from_step), r3 = vec4_load(from + 3 * from_step);
    Vec4 low01 = VEC4_PICK(r0, r1, 0, 4, 1, 5), high01 = VEC4_PICK(r0, r1, 2, 6, 3, 7);
    Vec4 low23 = VEC4_PICK(r2, r3, 0, 4, 1, 5), high23 = VEC4_PICK(r2, r3, 2, 6, 3, 7);
    vec4_store(to, VEC4_PICK(low01, low23, 0, 1, 4, 5));
    vec4_store(to + to_step, VEC4_PICK(low01, low23, 2, 3, 6, 7));
    vec4_store(to + 2 * to_step, VEC4_PICK(high01, high23, 0, 1, 4, 5));
    vec4_store(to + 3 * to_step, VEC4_PICK(high01, high23, 2, 3, 6, 7));
}

void transpose_matrix(int rows, int cols, const float *from, long from_step, float *to,
                      long to_step) {
    int whole_rows = rows / 4 * 4, whole_cols = cols / 4 * 4;
    int square_rows = rows / VEC_LANES * VEC_LANES, square_cols = cols / VEC_LANES * VEC_LANES;
    for (int i = 0; i < square_rows; i += VEC_LANES) {
        for (int j = 0; j < square_cols; j += VEC_LANES) {
            transpose_square(from + i * from_step + j, from_step, to + j * to_step + i, to_step);
        }
    }
    for (int i = 0; i < whole_rows; i += 4) {
        for (int j = i < square_rows ? square_cols : 0; j < whole_cols; j += 4) {
            transpose_4x4(from + i * from_step + j, from_step, to + j * to_step + i, to_step);
        }
    }
    for (int i = 0; i < rows; i++) {
        for (int j = i < whole_rows ? whole_cols : 0; j < cols; j++) {
            to[j * to_step + i] = from[i * from_step + j];
        }
    }
}

void pack_b_strip(bool trans_b, int k, int cols, const float *b, long ldb, float *to) {
    long width = cols > VEC_LANES ? cols : VEC_LANES;
    if (trans_b) {
        transpose_matrix(cols, k, b, ldb, to, width);
        return;
    }
    for (int p = 0; p < k; p++, b += ldb, to += width) {
        if (cols < VEC_LANES) {
            vec_store(to, vec_load_part(b, cols, 0.0f));
        } else {
            vec_store(to, vec_load(b));
            vec_store(to + cols - VEC_LANES, vec_load(b + cols - VEC_LANES));
        }
    }
}

/* One stored row of A after the other, because their pages are far apart; of each, TILE_ROWS
 * numbers go to every tile, a move or two. */
void pack_a_rows(int rows, int k, const float *a, long lda, float *to, long tile_step) {
    int whole = rows / TILE_ROWS * TILE_ROWS;
    float *last = to + whole / TILE_ROWS * tile_step;
    for (int p = 0; p < k; p++, a += lda, to += TILE_ROWS, last += TILE_ROWS) {
        float *tile = to;
        for (int i = 0; i < whole; i += TILE_ROWS, tile += tile_step) {
            memcpy(tile, a + i, TILE_ROWS * sizeof(float));
        }
        for (int i = whole; i < rows; i++) {
            last[i - whole] = a[i];
        }
    }
}
