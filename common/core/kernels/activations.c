/* Activation functions over arrays: y = f(x), and dx += dy f'(x).
 *
 * Whole vectors first, then what is left in a padded one: a number's result does not depend on
 * where it stands. Long arrays are cut into chunks for the threads. */
#include "core/kernels/rows.h"

#include "core/kernels/parallel.h"
#include "core/kernels/vec.h"

#define INLINE static inline __attribute__((always_inline))

typedef void (*Forward)(float *y, const float *x, long n);
typedef void (*Backward)(float *dx, const float *dy, const float *v, long n);

/* Calls the function chunk by chunk on all threads; false, and nothing done, where it is not worth
 * it. Within a chunk it never is, so a function can call this first and then do the work. */
static bool chunks_forward(Forward f, float *y, const float *x, long n) {
    if (!worth_chunks(n)) {
        return false;
    }
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i += PARALLEL_CHUNK) {
        f(y + i, x + i, chunk_length(i, n));
    }
    return true;
}

static bool chunks_backward(Backward f, float *dx, const float *dy, const float *v, long n) {
    if (!worth_chunks(n)) {
        return false;
    }
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i += PARALLEL_CHUNK) {
        f(dx + i, dy + i, v + i, chunk_length(i, n));
    }
    return true;
}

/* y = f(x) for n numbers. f is a constant wherever this is expanded. */
INLINE void map(float *y, const float *x, long n, Vec (*f)(Vec)) {
    long i = 0;
    for (; i + VEC_LANES <= n; i += VEC_LANES) {
        vec_store(y + i, f(vec_load(x + i)));
    }
    if (i < n) {
        vec_store_part(y + i, f(vec_load_part(x + i, n - i, 0.0f)), n - i);
    }
}

/* dx += f(dy, v), where v is the input or the output of the activation.
 *
 * Compilers fuse a product and a sum into one rounding where nothing stands between the two, and
 * body and end of an array must come out alike. So all is loaded before anything is computed, here
 * and in rows.c, and no sum has two products to choose from. */
INLINE void map_back(float *dx, const float *dy, const float *v, long n, Vec (*f)(Vec, Vec)) {
    long i = 0;
    for (; i + VEC_LANES <= n; i += VEC_LANES) {
        vec_store(dx + i, vec_load(dx + i) + f(vec_load(dy + i), vec_load(v + i)));
    }
    if (i < n) {
        long rest = n - i;
        Vec old = vec_load_part(dx + i, rest, 0.0f), dy_i = vec_load_part(dy + i, rest, 0.0f);
        Vec v_i = vec_load_part(v + i, rest, 0.0f);
        vec_store_part(dx + i, old + f(dy_i, v_i), rest);
    }
}

/* ---- exp, tanh, sigmoid: their slopes follow from y ---- */

void exp_forward(float *y, const float *x, long n) {
    if (!chunks_forward(exp_forward, y, x, n)) {
        map(y, x, n, vec_exp);
    }
}

INLINE Vec exp_slope(Vec dy, Vec y) {
    return dy * y;
}

void exp_backward(float *dx, const float *dy, const float *y, long n) {
    if (!chunks_backward(exp_backward, dx, dy, y, n)) {
        map_back(dx, dy, y, n, exp_slope);
    }
}

void tanh_forward(float *y, const float *x, long n) {
    if (!chunks_forward(tanh_forward, y, x, n)) {
        map(y, x, n, vec_tanh);
    }
}

INLINE Vec tanh_slope(Vec dy, Vec y) {
    return dy * (1.0f - y * y);
}

void tanh_backward(float *dx, const float *dy, const float *y, long n) {
    if (!chunks_backward(tanh_backward, dx, dy, y, n)) {
        map_back(dx, dy, y, n, tanh_slope);
    }
}

void sigmoid_forward(float *y, const float *x, long n) {
    if (!chunks_forward(sigmoid_forward, y, x, n)) {
        map(y, x, n, vec_sigmoid);
    }
}

INLINE Vec sigmoid_slope(Vec dy, Vec y) {
    return dy * y * (1.0f - y);
}

void sigmoid_backward(float *dx, const float *dy, const float *y, long n) {
    if (!chunks_backward(sigmoid_backward, dx, dy, y, n)) {
        map_back(dx, dy, y, n, sigmoid_slope);
    }
}

/* ---- relu, silu, gelu: their slopes need x ---- */

INLINE Vec relu(Vec x) { /* a nan stays one */
    return vec_select(x < 0.0f, vec_all(0.0f), x);
}

void relu_forward(float *y, const float *x, long n) {
    if (!chunks_forward(relu_forward, y, x, n)) {
        map(y, x, n, relu);
    }
}

INLINE Vec relu_slope(Vec dy, Vec x) {
    return vec_select(x > 0.0f, dy, vec_all(0.0f));
}

void relu_backward(float *dx, const float *dy, const float *x, long n) {
    if (!chunks_backward(relu_backward, dx, dy, x, n)) {
        map_back(dx, dy, x, n, relu_slope);
    }
}

INLINE Vec silu(Vec x) {
    return x * vec_sigmoid(x);
}

void silu_forward(float *y, const float *x, long n) {
    if (!chunks_forward(silu_forward, y, x, n)) {
        map(y, x, n, silu);
    }
}

INLINE Vec silu_slope(Vec dy, Vec x) { /* s (1 + x (1 - s)) */
    Vec s = vec_sigmoid(x);
    return dy * s * (1.0f + x * (1.0f - s));
}

void silu_backward(float *dx, const float *dy, const float *x, long n) {
    if (!chunks_backward(silu_backward, dx, dy, x, n)) {
        map_back(dx, dy, x, n, silu_slope);
    }
}

static const float sqrt_2_over_pi = 0.79788456080f, gelu_cubic = 0.044715f;

INLINE Vec gelu_tanh(Vec x) { /* x/2 (1 + tanh(sqrt(2/pi) (x + .044715 x^3))) */
    return 0.5f * x * (1.0f + vec_tanh(sqrt_2_over_pi * (x + gelu_cubic * x * x * x)));
}

void gelu_tanh_forward(float *y, const float *x, long n) {
    if (!chunks_forward(gelu_tanh_forward, y, x, n)) {
        map(y, x, n, gelu_tanh);
    }
}

INLINE Vec gelu_tanh_slope(Vec dy, Vec x) {
    Vec t = vec_tanh(sqrt_2_over_pi * (x + gelu_cubic * x * x * x));
    Vec inner = sqrt_2_over_pi * (1.0f + 3.0f * gelu_cubic * x * x);
    return dy * 0.5f * (1.0f + t + x * (1.0f - t * t) * inner);
}

void gelu_tanh_backward(float *dx, const float *dy, const float *x, long n) {
    if (!chunks_backward(gelu_tanh_backward, dx, dy, x, n)) {
        map_back(dx, dy, x, n, gelu_tanh_slope);
    }
}

/* Phi(x), the share of a standard normal below x */
INLINE Vec normal_below(Vec x) {
    return 0.5f * vec_erf(x * 0.70710678119f) + 0.5f;
}

INLINE Vec gelu_erf(Vec x) {
    return x * normal_below(x);
}

void gelu_erf_forward(float *y, const float *x, long n) {
    if (!chunks_forward(gelu_erf_forward, y, x, n)) {
        map(y, x, n, gelu_erf);
    }
}

INLINE Vec gelu_erf_slope(Vec dy, Vec x) { /* Phi + x phi, phi the density */
    Vec density = 0.39894228040f * vec_exp(-0.5f * x * x);
    return dy * (normal_below(x) + x * density);
}

void gelu_erf_backward(float *dx, const float *dy, const float *x, long n) {
    if (!chunks_backward(gelu_erf_backward, dx, dy, x, n)) {
        map_back(dx, dy, x, n, gelu_erf_slope);
    }
}
