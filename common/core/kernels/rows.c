#include "core/kernels/rows.h"

#include "core/kernels/vec.h"

#include <math.h>
#include <string.h>

/* ---- sums and products ---- */

float dot(const float *a, const float *b, long n) {
    Vec even = vec_all(0.0f), odd = even; /* two sums: each waits only for every other product */
    long i = 0;
    for (; i + 2 * VEC_LANES <= n; i += 2 * VEC_LANES) {
        even += vec_load(a + i) * vec_load(b + i);
        odd += vec_load(a + i + VEC_LANES) * vec_load(b + i + VEC_LANES);
    }
    for (; i < n; i += VEC_LANES) {
        long rest = n - i;
        even += rest >= VEC_LANES
                    ? vec_load(a + i) * vec_load(b + i)
                    : vec_load_part(a + i, rest, 0.0f) * vec_load_part(b + i, rest, 0.0f);
    }
    return vec_sum(even + odd);
}

static float sum_chunk(const float *x, long n) {
    Vec total = vec_all(0.0f);
    long i = 0;
    for (; i + VEC_LANES <= n; i += VEC_LANES) {
        total += vec_load(x + i);
    }
    if (i < n) {
        total += vec_load_part(x + i, n - i, 0.0f);
    }
    return vec_sum(total);
}

/* A float32 total stops growing long before a million terms are in: chunks are added in double. */
float sum(const float *x, long n) {
    enum { CHUNK = 1024 };
    double total = 0.0;
    for (long i = 0; i < n; i += CHUNK) {
        total += (double)sum_chunk(x + i, n - i < CHUNK ? n - i : CHUNK);
    }
    return (float)total;
}

double sum_squares(const float *x, long n) {
    enum { LANES = 8 };
    double lane[LANES] = {0};
    long i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (int j = 0; j < LANES; j++) {
            lane[j] += (double)x[i + j] * (double)x[i + j];
        }
    }
    for (int j = 0; i < n; i++, j++) {
        lane[j] += (double)x[i] * (double)x[i];
    }
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) +
           ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

void axpy(float *restrict y, float a, const float *restrict x, long n) {
    for (long i = 0; i < n; i++) {
        y[i] += a * x[i];
    }
}

void add(float *y, const float *a, const float *b, long n) {
    for (long i = 0; i < n; i++) {
        y[i] = a[i] + b[i];
    }
}

void mul(float *y, const float *a, const float *b, long n) {
    for (long i = 0; i < n; i++) {
        y[i] = a[i] * b[i];
    }
}

/* ---- activations ---- */

/* Applies f to n numbers: whole vectors, then the rest through the same code in a padded one. */
#define MAP(y, x, n, f)                                                                            \
    do {                                                                                           \
        long at_ = 0;                                                                              \
        for (; at_ + VEC_LANES <= (n); at_ += VEC_LANES) {                                         \
            vec_store((y) + at_, f(vec_load((x) + at_)));                                          \
        }                                                                                          \
        if (at_ < (n)) {                                                                           \
            vec_store_part((y) + at_, f(vec_load_part((x) + at_, (n)-at_, 0.0f)), (n)-at_);        \
        }                                                                                          \
    } while (0)

/* The same for dx += f(dy, v), where v is the input or the output of the activation. */
#define MAP_BACK(dx, dy, v, n, f)                                                                  \
    do {                                                                                           \
        long at_ = 0;                                                                              \
        for (; at_ + VEC_LANES <= (n); at_ += VEC_LANES) {                                         \
            Vec slope_ = f(vec_load((dy) + at_), vec_load((v) + at_));                             \
            vec_store((dx) + at_, vec_load((dx) + at_) + slope_);                                  \
        }                                                                                          \
        if (at_ < (n)) {                                                                           \
            long rest_ = (n)-at_;                                                                  \
            Vec slope_ =                                                                           \
                f(vec_load_part((dy) + at_, rest_, 0.0f), vec_load_part((v) + at_, rest_, 0.0f));  \
            vec_store_part((dx) + at_, vec_load_part((dx) + at_, rest_, 0.0f) + slope_, rest_);    \
        }                                                                                          \
    } while (0)

void exp_forward(float *y, const float *x, long n) {
    MAP(y, x, n, vec_exp);
}

static inline Vec exp_slope(Vec dy, Vec y) {
    return dy * y;
}

void exp_backward(float *dx, const float *dy, const float *y, long n) {
    MAP_BACK(dx, dy, y, n, exp_slope);
}

void tanh_forward(float *y, const float *x, long n) {
    MAP(y, x, n, vec_tanh);
}

static inline Vec tanh_slope(Vec dy, Vec y) {
    return dy * (1.0f - y * y);
}

void tanh_backward(float *dx, const float *dy, const float *y, long n) {
    MAP_BACK(dx, dy, y, n, tanh_slope);
}

void sigmoid_forward(float *y, const float *x, long n) {
    MAP(y, x, n, vec_sigmoid);
}

static inline Vec sigmoid_slope(Vec dy, Vec y) {
    return dy * y * (1.0f - y);
}

void sigmoid_backward(float *dx, const float *dy, const float *y, long n) {
    MAP_BACK(dx, dy, y, n, sigmoid_slope);
}

static inline Vec relu(Vec x) { /* a nan stays one */
    return vec_select(x < 0.0f, vec_all(0.0f), x);
}

void relu_forward(float *y, const float *x, long n) {
    MAP(y, x, n, relu);
}

static inline Vec relu_slope(Vec dy, Vec x) {
    return vec_select(x > 0.0f, dy, vec_all(0.0f));
}

void relu_backward(float *dx, const float *dy, const float *x, long n) {
    MAP_BACK(dx, dy, x, n, relu_slope);
}

static inline Vec silu(Vec x) {
    return x * vec_sigmoid(x);
}

void silu_forward(float *y, const float *x, long n) {
    MAP(y, x, n, silu);
}

static inline Vec silu_slope(Vec dy, Vec x) { /* s (1 + x (1 - s)) */
    Vec s = vec_sigmoid(x);
    return dy * s * (1.0f + x * (1.0f - s));
}

void silu_backward(float *dx, const float *dy, const float *x, long n) {
    MAP_BACK(dx, dy, x, n, silu_slope);
}

static const float sqrt_2_over_pi = 0.79788456080f, gelu_cubic = 0.044715f;

static inline Vec gelu_tanh(Vec x) { /* x/2 (1 + tanh(sqrt(2/pi) (x + .044715 x^3))) */
    return 0.5f * x * (1.0f + vec_tanh(sqrt_2_over_pi * (x + gelu_cubic * x * x * x)));
}

void gelu_tanh_forward(float *y, const float *x, long n) {
    MAP(y, x, n, gelu_tanh);
}

static inline Vec gelu_tanh_slope(Vec dy, Vec x) {
    Vec t = vec_tanh(sqrt_2_over_pi * (x + gelu_cubic * x * x * x));
    Vec inner = sqrt_2_over_pi * (1.0f + 3.0f * gelu_cubic * x * x);
    return dy * 0.5f * (1.0f + t + x * (1.0f - t * t) * inner);
}

void gelu_tanh_backward(float *dx, const float *dy, const float *x, long n) {
    MAP_BACK(dx, dy, x, n, gelu_tanh_slope);
}

/* Phi(x), the share of a standard normal below x */
static float normal_below(float x) {
    return 0.5f * (1.0f + erff(x * 0.70710678119f));
}

void gelu_erf_forward(float *y, const float *x, long n) { /* x Phi(x) */
    for (long i = 0; i < n; i++) {
        y[i] = x[i] * normal_below(x[i]);
    }
}

void gelu_erf_backward(float *dx, const float *dy, const float *x, long n) { /* Phi + x phi */
    for (long i = 0; i < n; i++) {
        float density = 0.39894228040f * expf(-0.5f * x[i] * x[i]);
        dx[i] += dy[i] * (normal_below(x[i]) + x[i] * density);
    }
}

/* ---- softmax ---- */

static float largest(const float *x, int n) {
    Vec most = vec_all(-INFINITY);
    int i = 0;
    for (; i + VEC_LANES <= n; i += VEC_LANES) {
        most = vec_max(vec_load(x + i), most);
    }
    if (i < n) {
        most = vec_max(vec_load_part(x + i, n - i, -INFINITY), most);
    }
    return vec_largest(most);
}

/* y = exp(x - shift); returns the sum. */
static float exp_shifted(float *y, const float *x, int n, float shift) {
    Vec total = vec_all(0.0f);
    int i = 0;
    for (; i + VEC_LANES <= n; i += VEC_LANES) {
        Vec e = vec_exp(vec_load(x + i) - shift);
        vec_store(y + i, e);
        total += e;
    }
    if (i < n) {
        Vec e = vec_exp(vec_load_part(x + i, n - i, -INFINITY) - shift);
        vec_store_part(y + i, e, n - i);
        total += e;
    }
    return vec_sum(total);
}

static void scale(float *y, float factor, int n) {
    for (int i = 0; i < n; i++) {
        y[i] *= factor;
    }
}

void softmax_rows(float *y, const float *x, long rows, int cols) {
    for (long r = 0; r < rows; r++, x += cols, y += cols) {
        /* the largest first: exp never overflows then, and the result is the same */
        float total = exp_shifted(y, x, cols, largest(x, cols));
        scale(y, 1.0f / total, cols);
    }
}

void softmax_row_masked(float *y, const float *x, int cols, const bool *may_look) {
    float most = -INFINITY;
    for (int i = 0; i < cols; i++) {
        if (may_look[i] && !(x[i] <= most)) { /* so written, a nan is not lost */
            most = x[i];
        }
    }
    for (int i = 0; i < cols; i++) {
        y[i] = may_look[i] ? x[i] - most : -INFINITY;
    }
    if (most == -INFINITY) { /* nothing to look at, or nothing but weights of zero */
        memset(y, 0, (size_t)cols * sizeof(float));
        return;
    }
    scale(y, 1.0f / exp_shifted(y, y, cols, 0.0f), cols);
}

void softmax_backward_rows(float *dx, const float *dy, const float *y, long rows, int cols) {
    for (long r = 0; r < rows; r++, dx += cols, dy += cols, y += cols) {
        float mean = dot(dy, y, cols); /* of dy, weighted by y */
        for (int i = 0; i < cols; i++) {
            dx[i] += y[i] * (dy[i] - mean);
        }
    }
}

void log_softmax_rows(float *y, const float *x, long rows, int cols) {
    for (long r = 0; r < rows; r++, x += cols, y += cols) {
        float most = largest(x, cols);
        Vec total = vec_all(0.0f);
        int i = 0;
        for (; i + VEC_LANES <= cols; i += VEC_LANES) {
            total += vec_exp(vec_load(x + i) - most);
        }
        if (i < cols) {
            total += vec_exp(vec_load_part(x + i, cols - i, -INFINITY) - most);
        }
        float log_total = logf(vec_sum(total));
        for (i = 0; i < cols; i++) {
            y[i] = (x[i] - most) - log_total;
        }
    }
}

void softmax_from_log_accumulate(float *dx, float factor, const float *log_p, int cols) {
    int i = 0;
    for (; i + VEC_LANES <= cols; i += VEC_LANES) {
        vec_store(dx + i, vec_load(dx + i) + factor * vec_exp(vec_load(log_p + i)));
    }
    if (i < cols) {
        long rest = cols - i;
        Vec p = vec_exp(vec_load_part(log_p + i, rest, 0.0f));
        vec_store_part(dx + i, vec_load_part(dx + i, rest, 0.0f) + factor * p, rest);
    }
}

void log_softmax_backward_rows(float *dx, const float *dy, const float *y, long rows, int cols) {
    for (long r = 0; r < rows; r++, dx += cols, dy += cols, y += cols) {
        axpy(dx, 1.0f, dy, cols);
        softmax_from_log_accumulate(dx, -sum(dy, cols), y, cols);
    }
}

/* ---- layer normalisation ---- */

void layernorm_rows(float *y, float *mean, float *rstd, const float *x, const float *gain,
                    const float *bias, long rows, int cols, float eps) {
    for (long r = 0; r < rows; r++, x += cols, y += cols) {
        float m = sum(x, cols) / (float)cols;
        for (int i = 0; i < cols; i++) {
            y[i] = x[i] - m;
        }
        float variance = dot(y, y, cols) / (float)cols;
        float s = 1.0f / sqrtf(variance + eps);
        for (int i = 0; i < cols; i++) {
            y[i] = gain[i] * (y[i] * s) + bias[i];
        }
        mean[r] = m;
        rstd[r] = s;
    }
}

/* With h = (x - mean) rstd and g = dy gain: dx += rstd (g - mean(g) - h mean(g h)). */
static void layernorm_row_backward(float *restrict dx, const float *restrict dy,
                                   const float *restrict x, float mean, float rstd,
                                   const float *restrict gain, int cols) {
    float mean_g = dot(dy, gain, cols) / (float)cols, mean_gh = 0.0f;
    for (int i = 0; i < cols; i++) {
        mean_gh += dy[i] * gain[i] * (x[i] - mean);
    }
    mean_gh *= rstd / (float)cols;
    for (int i = 0; i < cols; i++) {
        float h = (x[i] - mean) * rstd;
        dx[i] += rstd * (dy[i] * gain[i] - mean_g - h * mean_gh);
    }
}

void layernorm_backward_rows(float *dx, float *dgain, float *dbias, const float *dy, const float *x,
                             const float *mean, const float *rstd, const float *gain, long rows,
                             int cols) {
    for (long r = 0; r < rows; r++) {
        const float *dy_r = dy + r * cols, *x_r = x + r * cols;
        for (int i = 0; i < cols && dgain != NULL; i++) {
            dgain[i] += dy_r[i] * (x_r[i] - mean[r]) * rstd[r];
        }
        if (dx != NULL) {
            layernorm_row_backward(dx + r * cols, dy_r, x_r, mean[r], rstd[r], gain, cols);
        }
    }
    if (dbias != NULL) {
        bias_backward(dbias, dy, rows, cols);
    }
}

/* ---- bias ---- */

void add_bias_rows(float *y, const float *bias, long rows, int cols) {
    for (long r = 0; r < rows; r++) {
        add(y + r * cols, y + r * cols, bias, cols);
    }
}

void bias_backward(float *restrict dbias, const float *restrict dy, long rows, int cols) {
    for (long r = 0; r < rows; r++) {
        for (int i = 0; i < cols; i++) {
            dbias[i] += dy[r * cols + i];
        }
    }
}
