#include "core/kernels/gemm_dots.h"

#include "core/kernels/vec.h"

#include <stddef.h>

#define INLINE static inline __attribute__((always_inline))

/* The next lanes along k: a whole vector, or (a constant where this is expanded) the last few. */
INLINE Vec load(const float *from, bool whole, int k) {
    return whole ? vec_load(from) : vec_load_part(from, k, 0.0f);
}

/* Four columns of C: rows of A with four rows of B. `rows` and `whole` are constants wherever this
 * is expanded, so the sums live in registers. */
INLINE void dots_4(int rows, bool whole, int k, const float *a, long lda, const float *b, long ldb,
                   bool accumulate, float *c, long ldc) {
    Vec sum[DOTS_ROWS][4];
    VEC_UNROLL
    for (int i = 0; i < rows; i++) {
        sum[i][0] = sum[i][1] = sum[i][2] = sum[i][3] = vec_all(0.0f);
    }
    for (int p = 0; p < k; p += VEC_LANES, b += VEC_LANES) {
        Vec b0 = load(b, whole, k), b1 = load(b + ldb, whole, k);
        Vec b2 = load(b + 2 * ldb, whole, k), b3 = load(b + 3 * ldb, whole, k);
        VEC_UNROLL
        for (int i = 0; i < rows; i++) {
            Vec row = load(a + i * lda + p, whole, k);
            sum[i][0] = sum[i][0] + row * b0;
            sum[i][1] = sum[i][1] + row * b1;
            sum[i][2] = sum[i][2] + row * b2;
            sum[i][3] = sum[i][3] + row * b3;
        }
    }
    VEC_UNROLL
    for (int i = 0; i < rows; i++) {
        Vec4 four = vec_sum_each(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
        vec4_store(c + i * ldc, accumulate ? vec4_load(c + i * ldc) + four : four);
    }
}

INLINE void dots_1(int rows, bool whole, int k, const float *a, long lda, const float *b,
                   bool accumulate, float *c, long ldc) {
    for (int i = 0; i < rows; i++, a += lda, c += ldc) {
        Vec sum = vec_all(0.0f);
        for (int p = 0; p < k; p += VEC_LANES) {
            sum += load(a + p, whole, k) * load(b + p, whole, k);
        }
        *c = accumulate ? *c + vec_sum(sum) : vec_sum(sum);
    }
}

INLINE void dots(int rows, bool whole, int n, int k, const float *a, long lda, const float *b,
                 long ldb, bool accumulate, float *c, long ldc) {
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        dots_4(rows, whole, k, a, lda, b + j * ldb, ldb, accumulate, c + j, ldc);
    }
    for (; j < n; j++) {
        dots_1(rows, whole, k, a, lda, b + j * ldb, accumulate, c + j, ldc);
    }
}

#define CASE(r)                                                                                    \
    case r:                                                                                        \
        if (whole > 0) {                                                                           \
            dots(r, true, n, whole, a, lda, b, ldb, accumulate, c, ldc);                           \
        }                                                                                          \
        if (whole < k) {                                                                           \
            dots(r, false, n, k - whole, a + whole, lda, b + whole, ldb, accumulate || whole > 0,  \
                 c, ldc);                                                                          \
        }                                                                                          \
        break

void gemm_dots(int rows, int n, int k, const float *a, long lda, const float *b, long ldb,
               bool accumulate, float *c, long ldc) {
    int whole = k / VEC_LANES * VEC_LANES;
    switch (rows) {
        CASE(1);
        CASE(2);
        CASE(3);
        CASE(4);
    }
}
