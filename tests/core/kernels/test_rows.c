/* Softmax and layer normalisation against their formulas in double precision. That gradients are
 * right is also tested where the operations are (tests/core/ops); here it is the arithmetic, the
 * edges, and that the number of threads changes nothing. */
#include "assert_close.h"

#include "core/kernels/rows.h"
#include "core/kernels/vec.h"
#include "core/rng.h"
#include "core/threads.h"

#include <stdlib.h>

enum { LONGEST = 3 * VEC_LANES + 5 };

static void fill(float *x, long n, uint64_t seed) {
    Rng rng = rng_seeded(seed, 0);
    for (long i = 0; i < n; i++) {
        x[i] = 2.0f * rng_normal(&rng);
    }
}

/* ---- softmax ---- */

static void softmax_of(double *y, const float *x, int n) {
    double most = -INFINITY, total = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, (double)x[i]);
    }
    for (int i = 0; i < n; i++) {
        total += y[i] = exp((double)x[i] - most);
    }
    for (int i = 0; i < n; i++) {
        y[i] /= total;
    }
}

static void test_softmax_at_every_length(void **state) {
    (void)state;
    for (int n = 1; n <= LONGEST; n++) {
        float x[2 * LONGEST], y[2 * LONGEST + 1], log_y[2 * LONGEST];
        fill(x, 2 * n, (uint64_t)n);
        for (int i = 0; i < 2 * n; i++) {
            x[i] += 1000.0f; /* e^1000 is no float */
        }
        y[2 * n] = -9.0f;
        softmax_rows(y, x, 2, n);
        log_softmax_rows(log_y, x, 2, n);
        for (int r = 0; r < 2; r++) {
            double exact[LONGEST];
            softmax_of(exact, x + r * n, n);
            for (int i = 0; i < n; i++) {
                assert_close((double)y[r * n + i], exact[i], 1e-7, 1e-5);
                assert_close((double)log_y[r * n + i], log(exact[i]), 1e-5, 1e-5);
            }
        }
        assert_true(y[2 * n] == -9.0f);
        softmax_rows(x, x, 2, n); /* in place */
        assert_memory_equal(x, y, (size_t)(2 * n) * sizeof(float));
    }
}

static void test_softmax_backward_at_every_length(void **state) {
    (void)state;
    for (int n = 1; n <= LONGEST; n++) {
        float x[LONGEST], y[LONGEST], log_y[LONGEST], dy[LONGEST], dx[LONGEST], log_dx[LONGEST];
        fill(x, n, (uint64_t)n);
        fill(dy, n, (uint64_t)n + 100);
        softmax_rows(y, x, 1, n);
        log_softmax_rows(log_y, x, 1, n);
        double inner = 0.0, total = 0.0;
        for (int i = 0; i < n; i++) {
            dx[i] = log_dx[i] = 0.25f;
            inner += (double)dy[i] * (double)y[i];
            total += (double)dy[i];
        }
        softmax_backward_rows(dx, dy, y, 1, n);
        log_softmax_backward_rows(log_dx, dy, log_y, 1, n);
        for (int i = 0; i < n; i++) {
            double slope = (double)y[i] * ((double)dy[i] - inner);
            assert_close((double)dx[i], 0.25 + slope, 1e-5, 1e-5);
            assert_close((double)log_dx[i], 0.25 + (double)dy[i] - (double)y[i] * total, 2e-5,
                         1e-5);
        }
    }
}

static void test_masked_softmax_at_every_length(void **state) {
    (void)state;
    for (int n = 1; n <= LONGEST; n++) {
        float x[LONGEST], y[LONGEST + 1], seen[LONGEST], in_place[LONGEST];
        bool may_look[LONGEST];
        double exact[LONGEST];
        int count = 0;
        fill(x, n, (uint64_t)n);
        for (int i = 0; i < n; i++) {
            may_look[i] = (i * 7 + n) % 3 != 0 || i == n - 1;
            if (may_look[i]) {
                seen[count++] = x[i];
            } else {
                x[i] = i % 2 ? 1e30f : NAN; /* what is hidden must not matter */
            }
        }
        softmax_of(exact, seen, count);
        y[n] = -9.0f;
        softmax_row_masked(y, x, n, may_look);
        for (int i = 0, j = 0; i < n; i++) {
            if (may_look[i]) {
                assert_close((double)y[i], exact[j++], 1e-7, 1e-5);
            } else {
                assert_true(y[i] == 0.0f);
            }
        }
        assert_true(y[n] == -9.0f);
        memcpy(in_place, x, sizeof in_place);
        softmax_row_masked(in_place, in_place, n, may_look);
        assert_memory_equal(in_place, y, (size_t)n * sizeof(float));
    }
}

static void test_fault_04_a_row_with_nothing_to_look_at(void **state) {
    (void)state;
    const float x[] = {1.0f, 100.0f, 1.0f, -INFINITY};
    float y[4], dx[4] = {0};
    softmax_row_masked(y, x, 4, (const bool[]){false, false, false, false});
    assert_memory_equal(y, ((float[]){0, 0, 0, 0}), sizeof y);
    softmax_backward_rows(dx, x, y, 1, 3);
    assert_memory_equal(dx, ((float[]){0, 0, 0, 0}), sizeof dx);
    softmax_row_masked(y, x, 4, (const bool[]){false, false, false, true}); /* all weights zero */
    assert_memory_equal(y, ((float[]){0, 0, 0, 0}), sizeof y);
}

static void test_nan_is_hidden_only_by_the_mask(void **state) {
    (void)state;
    float y[4];
    const float with_nan[] = {0.0f, NAN, 0.0f, 0.0f}, only_nan[] = {NAN};
    softmax_row_masked(y, with_nan, 4, (const bool[]){true, true, true, true});
    assert_true(isnan(y[0]) && isnan(y[1])); /* a nan that may be looked at is not hidden */
    softmax_row_masked(y, with_nan, 4, (const bool[]){true, false, true, true});
    assert_close((double)y[0], 1.0 / 3.0, 1e-6, 0.0); /* one that may not, is */
    softmax_row_masked(y, only_nan, 1, (const bool[]){true});
    assert_true(isnan(y[0]));
}

/* ---- layer normalisation ---- */

static void test_fault_16_layernorm_divides_by_n(void **state) {
    (void)state;
    const float x[] = {1, 0, 0, 0}, ones[] = {1, 1, 1, 1}, zeros[] = {0, 0, 0, 0};
    const float constant[] = {3, 3, 3, 3};
    float y[4], mean, rstd;
    layernorm_rows(y, &mean, &rstd, x, ones, zeros, 1, 4, 1e-5f);
    assert_close((double)y[0], 1.732, 1e-3, 0.0);
    layernorm_rows(y, &mean, &rstd, constant, ones, zeros, 1, 4, 1e-5f);
    assert_memory_equal(y, zeros, sizeof y);
}

enum { NORM_ROWS = 3 };
static const double EPS = 1e-5;

typedef struct Norm {
    int cols;
    float x[NORM_ROWS * LONGEST], y[NORM_ROWS * LONGEST], dy[NORM_ROWS * LONGEST];
    float dx[NORM_ROWS * LONGEST], gain[LONGEST], bias[LONGEST], dgain[LONGEST], dbias[LONGEST];
    float mean[NORM_ROWS], rstd[NORM_ROWS];
} Norm;

/* The normalised h of one row, in double. */
static void normalise_row(const Norm *t, int r, double *h, double *rstd) {
    double mean = 0.0, variance = 0.0;
    for (int i = 0; i < t->cols; i++) {
        mean += (double)t->x[r * t->cols + i] / t->cols;
    }
    for (int i = 0; i < t->cols; i++) {
        h[i] = (double)t->x[r * t->cols + i] - mean;
        variance += h[i] * h[i] / t->cols;
    }
    *rstd = 1.0 / sqrt(variance + EPS);
    for (int i = 0; i < t->cols; i++) {
        h[i] *= *rstd;
    }
}

static void check_norm(const Norm *t) {
    int n = t->cols;
    double dgain[LONGEST] = {0}, dbias[LONGEST] = {0};
    for (int r = 0; r < NORM_ROWS; r++) {
        double h[LONGEST], rstd, mean_g = 0.0, mean_gh = 0.0;
        normalise_row(t, r, h, &rstd);
        for (int i = 0; i < n; i++) {
            double dy = (double)t->dy[r * n + i], g = dy * (double)t->gain[i];
            mean_g += g / n;
            mean_gh += g * h[i] / n;
            dgain[i] += dy * h[i];
            dbias[i] += dy;
        }
        for (int i = 0; i < n; i++) {
            double g = (double)t->dy[r * n + i] * (double)t->gain[i];
            double y = (double)t->gain[i] * h[i] + (double)t->bias[i];
            assert_close((double)t->y[r * n + i], y, 2e-5, 1e-4);
            assert_close((double)t->dx[r * n + i], 0.5 + rstd * (g - mean_g - h[i] * mean_gh), 1e-4,
                         1e-3);
        }
    }
    for (int i = 0; i < n; i++) {
        assert_close((double)t->dgain[i], 0.5 + dgain[i], 1e-4, 1e-4);
        assert_close((double)t->dbias[i], 0.5 + dbias[i], 1e-5, 1e-5);
    }
}

static void test_layernorm_at_every_length(void **state) {
    (void)state;
    for (int n = 2; n <= LONGEST; n++) {
        Norm t = {.cols = n};
        fill(t.x, NORM_ROWS * n, (uint64_t)n);
        fill(t.dy, NORM_ROWS * n, (uint64_t)n + 100);
        fill(t.gain, n, 7);
        fill(t.bias, n, 8);
        for (int i = 0; i < NORM_ROWS * n; i++) {
            t.dx[i] = 0.5f;
        }
        for (int i = 0; i < n; i++) {
            t.dgain[i] = t.dbias[i] = 0.5f;
        }
        layernorm_rows(t.y, t.mean, t.rstd, t.x, t.gain, t.bias, NORM_ROWS, n, (float)EPS);
        layernorm_backward_rows(t.dx, t.dgain, t.dbias, t.dy, t.x, t.mean, t.rstd, t.gain,
                                NORM_ROWS, n);
        check_norm(&t);
        layernorm_backward_rows(NULL, NULL, NULL, t.dy, t.x, t.mean, t.rstd, t.gain, NORM_ROWS, n);
    }
}

/* ---- threads ---- */

enum { ROWS = 2100, COLS = 131, ALL = ROWS * COLS };

/* Everything that cuts its work, one result after the other. */
typedef struct Results {
    float y[ALL], log_y[ALL], dx[ALL], log_dx[ALL], norm[ALL], norm_dx[ALL];
    float mean[ROWS], rstd[ROWS], dgain[COLS], dbias[COLS];
} Results;

static void run_all(Results *to, const float *x, const float *dy, const float *gain) {
    memset(to, 0, sizeof *to);
    softmax_rows(to->y, x, ROWS, COLS);
    log_softmax_rows(to->log_y, x, ROWS, COLS);
    softmax_backward_rows(to->dx, dy, to->y, ROWS, COLS);
    log_softmax_backward_rows(to->log_dx, dy, to->log_y, ROWS, COLS);
    layernorm_rows(to->norm, to->mean, to->rstd, x, gain, gain, ROWS, COLS, 1e-5f);
    layernorm_backward_rows(to->norm_dx, to->dgain, to->dbias, dy, x, to->mean, to->rstd, gain,
                            ROWS, COLS);
}

static void test_same_bits_on_any_number_of_threads(void **state) {
    (void)state;
    float *x = malloc(ALL * sizeof *x), *dy = malloc(ALL * sizeof *dy), gain[COLS];
    Results *one = malloc(sizeof *one), *many = malloc(sizeof *many);
    assert_true(x != NULL && dy != NULL && one != NULL && many != NULL);
    fill(x, ALL, 1);
    fill(dy, ALL, 2);
    fill(gain, COLS, 3);
    threads_set(1);
    run_all(one, x, dy, gain);
    for (int threads = 2; threads <= 8; threads += 3) {
        threads_set(threads);
        run_all(many, x, dy, gain);
        assert_memory_equal(many, one, sizeof *one);
    }
    threads_set(0);
    free(x);
    free(dy);
    free(one);
    free(many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_softmax_at_every_length),
        cmocka_unit_test(test_softmax_backward_at_every_length),
        cmocka_unit_test(test_masked_softmax_at_every_length),
        cmocka_unit_test(test_fault_04_a_row_with_nothing_to_look_at),
        cmocka_unit_test(test_nan_is_hidden_only_by_the_mask),
        cmocka_unit_test(test_fault_16_layernorm_divides_by_n),
        cmocka_unit_test(test_layernorm_at_every_length),
        cmocka_unit_test(test_same_bits_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
