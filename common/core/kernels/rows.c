/* Softmax and layer normalisation, row by row. */
#include "core/kernels/rows.h"

#include "core/kernels/parallel.h"
#include "core/kernels/vec.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

static bool rows_worth_threads(long rows, int cols) {
    return worth_threads((double)rows * cols, PARALLEL_LEAST);
}

/* The next n <= VEC_LANES numbers of a row. Rows are walked through with n = VEC_LANES, which makes
 * these a plain load and store, and once more with what is left. */
INLINE Vec load(const float *x, long n, float rest) {
    return n == VEC_LANES ? vec_load(x) : vec_load_part(x, n, rest);
}

INLINE void store(float *y, Vec v, long n) {
    if (n == VEC_LANES) {
        vec_store(y, v);
    } else {
        vec_store_part(y, v, n);
    }
}

/* ---- softmax ---- */

static void scale(float *y, float factor, int n) {
    for (int i = 0; i < n; i++) {
        y[i] *= factor;
    }
}

static float largest(const float *x, int n) {
    Vec even = vec_all(-INFINITY), odd = even;
    int i = 0;
    for (; i + 2 * VEC_LANES <= n; i += 2 * VEC_LANES) {
        even = vec_max(vec_load(x + i), even);
        odd = vec_max(vec_load(x + i + VEC_LANES), odd);
    }
    if (i + VEC_LANES <= n) {
        even = vec_max(vec_load(x + i), even);
        i += VEC_LANES;
    }
    if (i < n) {
        odd = vec_max(vec_load_part(x + i, n - i, -INFINITY), odd);
    }
    return vec_largest(vec_max(even, odd));
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

/* Exercise 2.4 */
static void softmax_row(float *y, const float *x, int cols) {
    /* the largest first: exp never overflows then, and the result is the same */
    float total = exp_shifted(y, x, cols, largest(x, cols));
    scale(y, 1.0f / total, cols);
}

void softmax_rows(float *y, const float *x, long rows, int cols) {
    if (!rows_worth_threads(rows, cols)) {
        for (long r = 0; r < rows; r++) {
            softmax_row(y + r * cols, x + r * cols, cols);
        }
        return;
    }
#pragma omp parallel for schedule(static)
    for (long r = 0; r < rows; r++) {
        softmax_row(y + r * cols, x + r * cols, cols);
    }
}

static bool has_nan(const float *x, int n) {
    bool found = false;
    for (int i = 0; i < n; i++) {
        found |= x[i] != x[i];
    }
    return found;
}

/* Exercise 2.4 */
void softmax_row_masked(float *y, const float *x, int cols, const bool *may_look) {
    const unsigned char *look = (const unsigned char *)may_look; /* gcc has vectors of bytes only */
    for (int i = 0; i < cols; i++) {
        float score = x[i];
        y[i] = look[i] != 0 ? score : -INFINITY;
    }
    float most = largest(y, cols);
    if (most == -INFINITY && !has_nan(y, cols)) {
        memset(y, 0, (size_t)cols * sizeof(float)); /* nothing to look at, or all weights zero */
        return;
    }
    scale(y, 1.0f / exp_shifted(y, y, cols, most), cols);
}

INLINE void softmax_backward_step(float *dx, const float *dy, const float *y, float mean, long n) {
    Vec old = load(dx, n, 0.0f), dy_i = load(dy, n, 0.0f), y_i = load(y, n, 0.0f);
    store(dx, old + y_i * (dy_i - mean), n);
}

static void softmax_backward_row(float *dx, const float *dy, const float *y, int cols) {
    float mean = dot(dy, y, cols); /* of dy, weighted by y */
    int i = 0;
    for (; i + VEC_LANES <= cols; i += VEC_LANES) {
        softmax_backward_step(dx + i, dy + i, y + i, mean, VEC_LANES);
    }
    if (i < cols) {
        softmax_backward_step(dx + i, dy + i, y + i, mean, cols - i);
    }
}

void softmax_backward_rows(float *dx, const float *dy, const float *y, long rows, int cols) {
    if (!rows_worth_threads(rows, cols)) {
        for (long r = 0; r < rows; r++) {
            softmax_backward_row(dx + r * cols, dy + r * cols, y + r * cols, cols);
        }
        return;
    }
#pragma omp parallel for schedule(static)
    for (long r = 0; r < rows; r++) {
        softmax_backward_row(dx + r * cols, dy + r * cols, y + r * cols, cols);
    }
}

/* Exercise 2.4 */
static void log_softmax_row(float *y, const float *x, int cols) {
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

void log_softmax_rows(float *y, const float *x, long rows, int cols) {
    if (!rows_worth_threads(rows, cols)) {
        for (long r = 0; r < rows; r++) {
            log_softmax_row(y + r * cols, x + r * cols, cols);
        }
        return;
    }
#pragma omp parallel for schedule(static)
    for (long r = 0; r < rows; r++) {
        log_softmax_row(y + r * cols, x + r * cols, cols);
    }
}

INLINE void from_log_step(float *dx, float factor, const float *log_p, long n) {
    Vec old = load(dx, n, 0.0f), p = vec_exp(load(log_p, n, 0.0f));
    store(dx, old + factor * p, n);
}

void softmax_from_log_accumulate(float *dx, float factor, const float *log_p, int cols) {
    int i = 0;
    for (; i + VEC_LANES <= cols; i += VEC_LANES) {
        from_log_step(dx + i, factor, log_p + i, VEC_LANES);
    }
    if (i < cols) {
        from_log_step(dx + i, factor, log_p + i, cols - i);
    }
}

static void log_softmax_backward_row(float *dx, const float *dy, const float *y, int cols) {
    axpy(dx, 1.0f, dy, cols);
    softmax_from_log_accumulate(dx, -sum(dy, cols), y, cols);
}

void log_softmax_backward_rows(float *dx, const float *dy, const float *y, long rows, int cols) {
    if (!rows_worth_threads(rows, cols)) {
        for (long r = 0; r < rows; r++) {
            log_softmax_backward_row(dx + r * cols, dy + r * cols, y + r * cols, cols);
        }
        return;
    }
#pragma omp parallel for schedule(static)
    for (long r = 0; r < rows; r++) {
        log_softmax_backward_row(dx + r * cols, dy + r * cols, y + r * cols, cols);
    }
}

/* ---- layer normalisation ---- */

INLINE Vec centre_step(float *y, const float *x, float mean, long n) {
    Vec centred = load(x, n, mean) - mean;
    store(y, centred, n);
    return centred * centred;
}

INLINE void normalise_step(float *y, float rstd, const float *gain, const float *bias, long n) {
    Vec centred = load(y, n, 0.0f), g = load(gain, n, 0.0f), b = load(bias, n, 0.0f);
    store(y, g * (centred * rstd) + b, n);
}

/* Exercise 7.1 */
static void layernorm_row(float *y, float *mean, float *rstd, const float *x, const float *gain,
                          const float *bias, int cols, float eps) {
    float m = sum(x, cols) / (float)cols;
    Vec squares = vec_all(0.0f);
    int i = 0;
    for (; i + VEC_LANES <= cols; i += VEC_LANES) {
        squares += centre_step(y + i, x + i, m, VEC_LANES);
    }
    if (i < cols) {
        squares += centre_step(y + i, x + i, m, cols - i);
    }
    float s = 1.0f / sqrtf(vec_sum(squares) / (float)cols + eps);
    for (i = 0; i + VEC_LANES <= cols; i += VEC_LANES) {
        normalise_step(y + i, s, gain + i, bias + i, VEC_LANES);
    }
    if (i < cols) {
        normalise_step(y + i, s, gain + i, bias + i, cols - i);
    }
    *mean = m;
    *rstd = s;
}

void layernorm_rows(float *y, float *mean, float *rstd, const float *x, const float *gain,
                    const float *bias, long rows, int cols, float eps) {
    if (!rows_worth_threads(rows, cols)) {
        for (long r = 0; r < rows; r++) {
            layernorm_row(y + r * cols, mean + r, rstd + r, x + r * cols, gain, bias, cols, eps);
        }
        return;
    }
#pragma omp parallel for schedule(static)
    for (long r = 0; r < rows; r++) {
        layernorm_row(y + r * cols, mean + r, rstd + r, x + r * cols, gain, bias, cols, eps);
    }
}

/* What the backward pass of one row needs: with h = (x - mean) rstd and g = dy gain,
 * dx += rstd (g - mean(g) - h mean(g h)). */
typedef struct NormRow {
    const float *dy, *x, *gain;
    float mean, rstd, mean_g, mean_gh;
} NormRow;

INLINE void norm_sums_step(const NormRow *row, long i, long n, Vec *sum_g, Vec *sum_gh) {
    Vec dy = load(row->dy + i, n, 0.0f), gain = load(row->gain + i, n, 0.0f);
    Vec x = load(row->x + i, n, 0.0f), g = dy * gain;
    *sum_g += g;
    *sum_gh += g * ((x - row->mean) * row->rstd);
}

INLINE void norm_slope_step(float *dx, const NormRow *row, long i, long n) {
    Vec dy = load(row->dy + i, n, 0.0f), gain = load(row->gain + i, n, 0.0f);
    Vec x = load(row->x + i, n, 0.0f), old = load(dx + i, n, 0.0f);
    Vec g = dy * gain, h = (x - row->mean) * row->rstd;
    store(dx + i, old + row->rstd * (g - row->mean_g - h * row->mean_gh), n);
}

static void layernorm_backward_row(float *dx, NormRow row, int cols) {
    Vec sum_g = vec_all(0.0f), sum_gh = sum_g;
    int i = 0;
    for (; i + VEC_LANES <= cols; i += VEC_LANES) {
        norm_sums_step(&row, i, VEC_LANES, &sum_g, &sum_gh);
    }
    if (i < cols) {
        norm_sums_step(&row, i, cols - i, &sum_g, &sum_gh);
    }
    row.mean_g = vec_sum(sum_g) / (float)cols;
    row.mean_gh = vec_sum(sum_gh) / (float)cols;
    for (i = 0; i + VEC_LANES <= cols; i += VEC_LANES) {
        norm_slope_step(dx, &row, i, VEC_LANES);
    }
    if (i < cols) {
        norm_slope_step(dx, &row, i, cols - i);
    }
}

/* Columns begin .. end of one row: dgain += dy h, dbias += dy. */
static void norm_gain_columns(float *restrict dgain, float *restrict dbias,
                              const float *restrict dy, const float *restrict x, float mean,
                              float rstd, int begin, int end) {
    for (int i = begin; i < end && dgain != NULL; i++) {
        dgain[i] += dy[i] * ((x[i] - mean) * rstd);
    }
    for (int i = begin; i < end && dbias != NULL; i++) {
        dbias[i] += dy[i];
    }
}

void layernorm_backward_rows(float *dx, float *dgain, float *dbias, const float *dy, const float *x,
                             const float *mean, const float *rstd, const float *gain, long rows,
                             int cols) {
    enum { COLUMNS = 64 };
    if (!rows_worth_threads(rows, cols)) {
        for (long r = 0; r < rows; r++, x += cols, dy += cols) {
            if (dx != NULL) {
                NormRow row = {.dy = dy, .x = x, .gain = gain, .mean = mean[r], .rstd = rstd[r]};
                layernorm_backward_row(dx + r * cols, row, cols);
            }
            norm_gain_columns(dgain, dbias, dy, x, mean[r], rstd[r], 0, cols);
        }
        return;
    }
    /* Rows are independent for dx, columns for dgain and dbias: the same sums in the same order. */
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (long r = 0; r < (dx != NULL ? rows : 0); r++) {
            NormRow row = {dy + r * cols, x + r * cols, gain, mean[r], rstd[r], 0.0f, 0.0f};
            layernorm_backward_row(dx + r * cols, row, cols);
        }
#pragma omp for schedule(static)
        for (int i = 0; i < cols; i += COLUMNS) {
            for (long r = 0; r < rows; r++) {
                norm_gain_columns(dgain, dbias, dy + r * cols, x + r * cols, mean[r], rstd[r], i,
                                  i + COLUMNS < cols ? i + COLUMNS : cols);
            }
        }
    }
}
