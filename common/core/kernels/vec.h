/* Vectors in C, without a single intrinsic: one source for SSE, AVX2, AVX-512 and NEON.
 *
 * gcc and clang let + - * / and comparisons work on vector types, lane by lane; the compiler picks
 * the instructions. VEC_LANES floats fit into one register of the machine we compile for.
 *
 * exp, tanh and the logistic function are written here for whole vectors, since they dominate the
 * recurrent layers and softmax: a call into libm for each number would cost ten times as much.
 * Errors against exact values, in units of the last place, are in tests/core/kernels/test_vec.c. */
#ifndef CORE_KERNELS_VEC_H
#define CORE_KERNELS_VEC_H

#include <string.h>

#if defined(__AVX512F__)
enum { VEC_BYTES = 64 };
#elif defined(__AVX__)
enum { VEC_BYTES = 32 };
#else
enum { VEC_BYTES = 16 };
#endif
enum { VEC_LANES = VEC_BYTES / 4 };

typedef float Vec __attribute__((vector_size(VEC_BYTES)));
typedef int VecInt __attribute__((vector_size(VEC_BYTES)));
typedef float VecAnywhere __attribute__((vector_size(VEC_BYTES), aligned(4), may_alias));

static inline Vec vec_load(const float *from) {
    return *(const VecAnywhere *)from;
}

static inline void vec_store(float *to, Vec v) {
    *(VecAnywhere *)to = v;
}

/* All lanes the same. */
static inline Vec vec_all(float x) {
    return x - (Vec){0};
}

/* The first n lanes (0 < n < VEC_LANES), the others `rest`: the end of an array goes through the
 * same arithmetic as its body, so a number's result does not depend on where it stands. */
static inline Vec vec_load_part(const float *from, long n, float rest) {
    float lanes[VEC_LANES];
    vec_store(lanes, vec_all(rest));
    memcpy(lanes, from, (size_t)n * sizeof(float));
    return vec_load(lanes);
}

static inline void vec_store_part(float *to, Vec v, long n) {
    float lanes[VEC_LANES];
    vec_store(lanes, v);
    memcpy(to, lanes, (size_t)n * sizeof(float));
}

/* yes where the mask (0 or -1 in each lane, as a comparison makes it) says so, else no. */
static inline Vec vec_select(VecInt mask, Vec yes, Vec no) {
    return (Vec)((mask & (VecInt)yes) | (~mask & (VecInt)no));
}

static inline Vec vec_max(Vec a, Vec b) { /* b where a is nan */
    return vec_select(a > b, a, b);
}

static inline Vec vec_abs(Vec x) {
    return (Vec)((VecInt)x & 0x7fffffff);
}

/* Sum of the lanes, halves first: always the same order. */
static inline float vec_sum(Vec v) {
    float lanes[VEC_LANES];
    vec_store(lanes, v);
    for (int half = VEC_LANES / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; i++) {
            lanes[i] += lanes[i + half];
        }
    }
    return lanes[0];
}

static inline float vec_largest(Vec v) {
    float lanes[VEC_LANES];
    vec_store(lanes, v);
    for (int half = VEC_LANES / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; i++) {
            lanes[i] = lanes[i] > lanes[i + half] ? lanes[i] : lanes[i + half];
        }
    }
    return lanes[0];
}

/* x = n ln 2 + r with a whole n and |r| <= ln 2 / 2; then e^x = 2^n e^r. ln 2 is subtracted in two
 * pieces, the first short enough for n times it to be exact (Cody and Waite 1980). Adding 1.5 2^23
 * rounds to a whole number, which then stands in the lowest bits. */
typedef struct VecReduced {
    Vec r;
    VecInt n;
} VecReduced;

static inline VecReduced vec_reduce(Vec x) {
    const float round = 0x1.8p23f, log2_e = 0x1.715476p0f;
    const float ln2_high = 0x1.62e400p-1f, ln2_low = 0x1.7f7d1cp-20f;
    Vec shifted = x * log2_e + round;
    Vec n = shifted - round;
    return (VecReduced){(x - n * ln2_high) - n * ln2_low, (VecInt)shifted - (VecInt)vec_all(round)};
}

/* e^r - 1 for |r| <= .35 by Taylor's series to r^7; what is left out is below 6e-9. */
static inline Vec vec_expm1_small(Vec r) {
    Vec p = r * (1.0f / 5040.0f) + 1.0f / 720.0f;
    p = p * r + 1.0f / 120.0f;
    p = p * r + 1.0f / 24.0f;
    p = p * r + 1.0f / 6.0f;
    p = p * r + 0.5f;
    return p * r * r + r;
}

/* 2^n for -126 <= n <= 127: n is the exponent field. */
static inline Vec vec_power_of_two(VecInt n) {
    return (Vec)((n + 127) << 23);
}

/* e^x. Above 88.72 infinity, below -103.9 zero, nan stays nan. The power is applied in two halves,
 * because 2^128 and 2^-140 are no floats but their roots are. */
static inline Vec vec_exp(Vec x) {
    x = vec_select(x > 89.0f, vec_all(89.0f), x);
    x = vec_select(x < -104.0f, vec_all(-104.0f), x);
    VecReduced e = vec_reduce(x);
    VecInt half = e.n >> 1;
    Vec y = vec_expm1_small(e.r) + 1.0f;
    return y * vec_power_of_two(half) * vec_power_of_two(e.n - half);
}

/* tanh |x| = q / (q + 2) with q = e^(2|x|) - 1, which keeps its digits near 0; the sign comes back
 * afterwards, so the function is exactly odd. From 9.02 on tanh is 1 in float32. */
static inline Vec vec_tanh(Vec x) {
    Vec size = vec_abs(x);
    size = vec_select(size > 9.1f, vec_all(9.1f), size);
    VecReduced e = vec_reduce(2.0f * size);
    Vec power = vec_power_of_two(e.n);
    Vec q = vec_expm1_small(e.r) * power + (power - 1.0f);
    Vec y = q / (q + 2.0f);
    return (Vec)((VecInt)y | ((VecInt)x & (int)0x80000000));
}

/* 1 / (1 + e^-x) */
static inline Vec vec_sigmoid(Vec x) {
    return 1.0f / (1.0f + vec_exp(-x));
}

#endif
