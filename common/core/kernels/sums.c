/* Sums and products of arrays, and of the rows of a matrix. */
#include "core/kernels/rows.h"

#include "core/kernels/parallel.h"
#include "core/kernels/vec.h"

#include <string.h>

float dot(const float *a, const float *b, long n) {
    Vec even = vec_all(0.0f), odd = even; /* two sums: each waits only for every other product */
    long i = 0;
    for (; i + 2 * VEC_LANES <= n; i += 2 * VEC_LANES) {
        even += vec_load(a + i) * vec_load(b + i);
        odd += vec_load(a + i + VEC_LANES) * vec_load(b + i + VEC_LANES);
    }
    if (i + VEC_LANES <= n) {
        even += vec_load(a + i) * vec_load(b + i);
        i += VEC_LANES;
    }
    if (i < n) {
        odd += vec_load_part(a + i, n - i, 0.0f) * vec_load_part(b + i, n - i, 0.0f);
    }
    return vec_sum(even + odd);
}

static float sum_chunk(const float *x, long n) {
    Vec even = vec_all(0.0f), odd = even;
    long i = 0;
    for (; i + 2 * VEC_LANES <= n; i += 2 * VEC_LANES) {
        even += vec_load(x + i);
        odd += vec_load(x + i + VEC_LANES);
    }
    if (i + VEC_LANES <= n) {
        even += vec_load(x + i);
        i += VEC_LANES;
    }
    if (i < n) {
        odd += vec_load_part(x + i, n - i, 0.0f);
    }
    return vec_sum(even + odd);
}

/* A float32 total stops growing long before a million terms are in: chunks are added in double. */
float sum(const float *x, long n) {
    enum { CHUNK = 1024 };
    if (n <= CHUNK) {
        return sum_chunk(x, n);
    }
    double total = 0.0;
    for (long i = 0; i < n; i += CHUNK) {
        total += (double)sum_chunk(x + i, n - i < CHUNK ? n - i : CHUNK);
    }
    return (float)total;
}

/* In lanes of our own: the same bits whatever the vectors of the machine. */
static double sum_squares_chunk(const float *x, long n) {
    enum { LANES = 32 };
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
    for (int half = LANES / 2; half > 0; half /= 2) {
        for (int j = 0; j < half; j++) {
            lane[j] += lane[j + half];
        }
    }
    return lane[0];
}

enum { SQUARE_PARTS = 64, SQUARE_LEAST = 1 << 14 };

static double sum_squares_part(const float *x, long n, long i) {
    long begin = n * i / SQUARE_PARTS, end = n * (i + 1) / SQUARE_PARTS;
    return sum_squares_chunk(x + begin, end - begin);
}

/* Long arrays in 64 parts, whatever the number of threads, which are added one after the other. */
double sum_squares(const float *x, long n) {
    double part[SQUARE_PARTS], total = 0.0;
    if (n < SQUARE_LEAST) {
        return sum_squares_chunk(x, n);
    }
    if (worth_chunks(n)) {
#pragma omp parallel for schedule(static)
        for (long i = 0; i < SQUARE_PARTS; i++) {
            part[i] = sum_squares_part(x, n, i);
        }
    } else {
        for (long i = 0; i < SQUARE_PARTS; i++) {
            part[i] = sum_squares_part(x, n, i);
        }
    }
    for (int i = 0; i < SQUARE_PARTS; i++) {
        total += part[i];
    }
    return total;
}

/* ---- element by element: what is long is cut into chunks for the threads ---- */

static void axpy_chunk(float *restrict y, float a, const float *restrict x, long n) {
    for (long i = 0; i < n; i++) {
        y[i] += a * x[i];
    }
}

void axpy(float *y, float a, const float *x, long n) {
    if (!worth_chunks(n)) {
        axpy_chunk(y, a, x, n);
        return;
    }
#pragma omp parallel for schedule(static)
    for (long begin = 0; begin < n; begin += PARALLEL_CHUNK) {
        axpy_chunk(y + begin, a, x + begin, chunk_length(begin, n));
    }
}

static void add_chunk(float *y, const float *a, const float *b, long n) {
    for (long i = 0; i < n; i++) {
        y[i] = a[i] + b[i];
    }
}

void add(float *y, const float *a, const float *b, long n) {
    if (!worth_chunks(n)) {
        add_chunk(y, a, b, n);
        return;
    }
#pragma omp parallel for schedule(static)
    for (long begin = 0; begin < n; begin += PARALLEL_CHUNK) {
        add_chunk(y + begin, a + begin, b + begin, chunk_length(begin, n));
    }
}

static void mul_chunk(float *y, const float *a, const float *b, long n) {
    for (long i = 0; i < n; i++) {
        y[i] = a[i] * b[i];
    }
}

void mul(float *y, const float *a, const float *b, long n) {
    if (!worth_chunks(n)) {
        mul_chunk(y, a, b, n);
        return;
    }
#pragma omp parallel for schedule(static)
    for (long begin = 0; begin < n; begin += PARALLEL_CHUNK) {
        mul_chunk(y + begin, a + begin, b + begin, chunk_length(begin, n));
    }
}

void copy(float *y, const float *x, long n) {
    if (!worth_chunks(n)) {
        memcpy(y, x, (size_t)n * sizeof(float));
        return;
    }
#pragma omp parallel for schedule(static)
    for (long begin = 0; begin < n; begin += PARALLEL_CHUNK) {
        memcpy(y + begin, x + begin, (size_t)chunk_length(begin, n) * sizeof(float));
    }
}

void set_zero(float *y, long n) {
    if (!worth_chunks(n)) {
        memset(y, 0, (size_t)n * sizeof(float));
        return;
    }
#pragma omp parallel for schedule(static)
    for (long begin = 0; begin < n; begin += PARALLEL_CHUNK) {
        memset(y + begin, 0, (size_t)chunk_length(begin, n) * sizeof(float));
    }
}

/* ---- a bias: the same for all rows ---- */

void add_bias_rows(float *y, const float *bias, long rows, int cols) {
    if (!worth_chunks(rows * cols)) {
        for (long r = 0; r < rows; r++) {
            add_chunk(y + r * cols, y + r * cols, bias, cols);
        }
        return;
    }
#pragma omp parallel for schedule(static)
    for (long r = 0; r < rows; r++) {
        add_chunk(y + r * cols, y + r * cols, bias, cols);
    }
}

/* Columns begin .. end, row after row. */
static void bias_columns(float *restrict dbias, const float *restrict dy, long rows, int cols,
                         int begin, int end) {
    for (long r = 0; r < rows; r++) {
        for (int i = begin; i < end; i++) {
            dbias[i] += dy[r * cols + i];
        }
    }
}

void bias_backward(float *dbias, const float *dy, long rows, int cols) {
    enum { COLUMNS = 128 };
    if (cols <= COLUMNS || !worth_chunks(rows * cols)) {
        bias_columns(dbias, dy, rows, cols, 0, cols);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int i = 0; i < cols; i += COLUMNS) {
        bias_columns(dbias, dy, rows, cols, i, cols - i < COLUMNS ? cols : i + COLUMNS);
    }
}
