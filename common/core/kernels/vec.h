/* Vectors in C, without a single intrinsic: one source for SSE, AVX2, AVX-512 and NEON.
 *
 * gcc and clang let + - * / and comparisons work on vector types, lane by lane; the compiler picks
 * the instructions. VEC_LANES floats fit into one register of the machine we compile for.
 *
 * exp, tanh, the logistic function and erf are written here for whole vectors, since they dominate
 * the recurrent layers, softmax and gelu: a call into libm for each number would cost ten times as
 * much. Errors against exact values, in units of the last place, are in
 * tests/core/kernels/test_vec.c. */
#ifndef CORE_KERNELS_VEC_H
#define CORE_KERNELS_VEC_H

#include <math.h>

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
typedef unsigned VecBits __attribute__((vector_size(VEC_BYTES))); /* for sums that may wrap */
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

/* Four lanes, which exist wherever vectors do: for what is shorter than a Vec, or turned over. */
typedef float Vec4 __attribute__((vector_size(16)));
typedef float Vec4Anywhere __attribute__((vector_size(16), aligned(4), may_alias));

static inline Vec4 vec4_load(const float *from) {
    return *(const Vec4Anywhere *)from;
}

static inline void vec4_store(float *to, Vec4 v) {
    *(Vec4Anywhere *)to = v;
}

/* Four of the eight lanes of a (0 to 3) and b (4 to 7), by number. */
typedef int Vec4Int __attribute__((vector_size(16)));
#if defined(__clang__)
#define VEC4_PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define VEC4_PICK(a, b, i, j, k, l) __builtin_shuffle(a, b, (Vec4Int){i, j, k, l})
#endif

typedef union VecQuarters {
    Vec all;
    Vec4 four[VEC_LANES / 4];
} VecQuarters;

/* Loops with few turns, known to the compiler, that must vanish: what they index lives in registers
 * then. The innermost loop of a product, of which four turns are written out: counting and jumping
 * after each one cost 5 % of 1024^3. And loops over lanes that must stay loops: machines with masks
 * (AVX2, AVX-512) do such a one in a single masked move, which the compiler only finds while it is
 * not unrolled. */
#if defined(__clang__)
#define VEC_UNROLL _Pragma("clang loop unroll(full)")
#define VEC_UNROLL_BY_4 _Pragma("clang loop unroll_count(4)")
#define VEC_KEEP_LOOP _Pragma("clang loop unroll(disable)")
#else
#define VEC_UNROLL _Pragma("GCC unroll 16")
#if defined(__SANITIZE_ADDRESS__) /* with a check of each access, one turn is long enough */
#define VEC_UNROLL_BY_4
#else
#define VEC_UNROLL_BY_4 _Pragma("GCC unroll 4")
#endif
#define VEC_KEEP_LOOP _Pragma("GCC unroll 1")
#endif

/* The first n lanes (0 <= n < VEC_LANES), the others `rest`: the end of an array goes through the
 * same arithmetic as its body, so a number's result does not depend on where it stands. */
static inline Vec vec_load_part(const float *from, long n, float rest) {
    float lanes[VEC_LANES];
    int lanes_used = (int)n;
    VEC_KEEP_LOOP
    for (int i = 0; i < VEC_LANES; i++) {
        lanes[i] = i < lanes_used ? from[i] : rest;
    }
    return vec_load(lanes);
}

static inline void vec_store_part(float *to, Vec v, long n) {
    float lanes[VEC_LANES];
    vec_store(lanes, v);
    int lanes_used = (int)n;
    VEC_KEEP_LOOP
    for (int i = 0; i < VEC_LANES; i++) {
        if (i < lanes_used) {
            to[i] = lanes[i];
        }
    }
}

/* yes where the mask (0 or -1 in each lane, as a comparison makes it) says so, else no. Each
 * compiler knows another way of saying it as the one instruction it is. */
static inline Vec vec_select(VecInt mask, Vec yes, Vec no) {
#if defined(__clang__)
    return (Vec)((mask & (VecInt)yes) | (~mask & (VecInt)no));
#else
    float y[VEC_LANES], n[VEC_LANES];
    int m[VEC_LANES];
    vec_store(y, yes);
    vec_store(n, no);
    __builtin_memcpy(m, &mask, sizeof m);
    VEC_KEEP_LOOP
    for (int i = 0; i < VEC_LANES; i++) {
        y[i] = m[i] ? y[i] : n[i];
    }
    return vec_load(y);
#endif
}

static inline Vec vec_max(Vec a, Vec b) { /* b where a is nan */
    return vec_select(a > b, a, b);
}

static inline Vec vec_abs(Vec x) {
    return (Vec)((VecInt)x & 0x7fffffff);
}

/* x with its sign replaced by that of `from`; x must not be negative. */
static inline Vec vec_with_sign(Vec x, Vec from) {
    return (Vec)((VecInt)x | ((VecInt)from & (int)0x80000000));
}

/* The vector's halves added until four lanes are left: always the same order. */
static inline Vec4 vec_fold(Vec v) {
    VecQuarters x = {v};
    for (int half = VEC_LANES / 8; half > 0; half /= 2) {
        for (int i = 0; i < half; i++) {
            x.four[i] += x.four[i + half];
        }
    }
    return x.four[0];
}

/* Sum of the lanes, halves first. */
static inline float vec_sum(Vec v) {
    Vec4 four = vec_fold(v);
    return (four[0] + four[2]) + (four[1] + four[3]);
}

/* The sums of four vectors, each added in the order of vec_sum. */
static inline Vec4 vec_sum_each(Vec a, Vec b, Vec c, Vec d) {
    Vec4 a4 = vec_fold(a), b4 = vec_fold(b), c4 = vec_fold(c), d4 = vec_fold(d);
    Vec4 ab = VEC4_PICK(a4, b4, 0, 4, 1, 5) + VEC4_PICK(a4, b4, 2, 6, 3, 7); /* a b a b */
    Vec4 cd = VEC4_PICK(c4, d4, 0, 4, 1, 5) + VEC4_PICK(c4, d4, 2, 6, 3, 7);
    return VEC4_PICK(ab, cd, 0, 1, 4, 5) + VEC4_PICK(ab, cd, 2, 3, 6, 7);
}

/* The largest lane; nan is passed over. */
static inline float vec_largest(Vec v) {
    VecQuarters x = {v};
    for (int half = VEC_LANES / 8; half > 0; half /= 2) {
        for (int i = 0; i < half; i++) {
            Vec4 a = x.four[i], b = x.four[i + half];
            Vec4Int first = a > b;
            x.four[i] = (Vec4)((first & (Vec4Int)a) | (~first & (Vec4Int)b));
        }
    }
    float most = x.four[0][0];
    for (int i = 1; i < 4; i++) {
        most = x.four[0][i] > most ? x.four[0][i] : most;
    }
    return most;
}

/* x = n ln 2 + r with a whole n and |r| <= ln 2 / 2; then e^x = 2^n e^r. ln 2 is subtracted in two
 * pieces, the first short enough for n times it to be exact (Cody and Waite 1980). Adding 1.5 2^23
 * rounds to a whole number, which then stands in the lowest bits. */
typedef struct VecReduced {
    Vec r;
    VecInt n_shifted; /* n times 2^23: what is added to a float's bits to multiply it by 2^n */
} VecReduced;

static inline VecReduced vec_reduce(Vec x) {
    const float round = 0x1.8p23f, log2_e = 0x1.715476p0f;
    const float ln2_high = 0x1.62e400p-1f, ln2_low = 0x1.7f7d1cp-20f;
    Vec shifted = x * log2_e + round;
    Vec n = shifted - round;
    return (VecReduced){(x - n * ln2_high) - n * ln2_low, (VecInt)((VecBits)shifted << 23)};
}

/* e^r - 1 for |r| <= ln 2 / 2: r + r^2 p(r), p a minimax fit (Remez's exchange) that leaves a
 * relative error of 1.4e-8. */
static inline Vec vec_expm1_small(Vec r) {
    Vec p = r * 0x1.6a4276p-10f + 0x1.122694p-7f;
    p = p * r + 0x1.55585ep-5f;
    p = p * r + 0x1.5554b2p-3f;
    p = p * r + 0x1.fffffep-2f;
    return p * r * r + r;
}

static inline Vec vec_times_power(Vec x, VecInt n_shifted) {
    return (Vec)((VecBits)x + (VecBits)n_shifted);
}

/* e^x. Above 88.72 infinity; below -87.33, where only denormals are left, zero; nan stays nan. */
static inline Vec vec_exp(Vec x) {
    const float lowest = -0x1.5d589ep6f, highest = 0x1.62e42ep6f;
    VecReduced e = vec_reduce(x);
    Vec y = vec_times_power(vec_expm1_small(e.r) + 1.0f, e.n_shifted);
    y = vec_select(x <= highest, y, x + INFINITY);
    return vec_select(x < lowest, vec_all(0.0f), y);
}

/* tanh |x| = q / (q + 2) with q = e^(2|x|) - 1, which keeps its digits near 0; the sign comes back
 * afterwards, so the function is exactly odd. From 9.02 on tanh is 1 in float32. */
static inline Vec vec_tanh(Vec x) {
    Vec size = vec_abs(x);
    size = vec_select(size > 9.1f, vec_all(9.1f), size);
    VecReduced e = vec_reduce(2.0f * size);
    Vec power = vec_times_power(vec_all(1.0f), e.n_shifted);
    Vec q = vec_expm1_small(e.r) * power + (power - 1.0f);
    return vec_with_sign(q / (q + 2.0f), x);
}

/* 1 / (1 + e^-x) */
static inline Vec vec_sigmoid(Vec x) {
    return 1.0f / (1.0f + vec_exp(-x));
}

/* erf, the error function. Near 0 it is |x| times a polynomial in x^2; from 7/8 on 1 - e^-p(|x|),
 * where p, fitted to -log(1 - erf), is smooth. Both are minimax fits (Remez's exchange) with a
 * relative error below 1e-8 in erf. From 3.92 on erf is 1 in float32. */
static inline Vec vec_erf(Vec x) {
    Vec size = vec_abs(x);
    size = vec_select(size > 4.0f, vec_all(4.0f), size);
    Vec square = size * size;
    Vec near = square * -6.203256242724865e-4f + 5.032181530326545e-3f;
    near = near * square - 2.6791463174617985e-2f;
    near = near * square + 1.1282455333604052e-1f;
    near = near * square - 3.7612550464628675e-1f;
    near = near * square + 1.28379157491906e-1f; /* the 1 of 1.128.. is added as size itself */
    near = near * size + size;
    Vec p = size * -2.0099588058813196e-4f + 3.0922890259296077e-3f;
    p = p * size - 2.2420206233425975e-2f;
    p = p * size + 1.0432748268516656e-1f;
    p = p * size + 6.367372535997899e-1f;
    p = p * size + 1.1279361137492974f;
    p = p * size + 1.3357787667570467e-4f;
    return vec_with_sign(vec_select(size < 0.875f, near, 1.0f - vec_exp(-p)), x);
}

#endif
