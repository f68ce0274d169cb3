/* Row kernels against their formulas in double precision. That gradients are right is tested where
 * the operations are (tests/core/ops); here it is the arithmetic, the edges and the order of sums.
 */
#include "assert_close.h"

#include "core/kernels/rows.h"
#include "core/kernels/vec.h"
#include "core/rng.h"

#include <stdlib.h>

enum { LONGEST = 3 * VEC_LANES + 5 };

static void fill(float *x, long n, uint64_t seed) {
    Rng rng = rng_seeded(seed, 0);
    for (long i = 0; i < n; i++) {
        x[i] = 2.0f * rng_normal(&rng);
    }
}

static double silu_of(double x) {
    return x / (1.0 + exp(-x));
}

static double gelu_erf_of(double x) {
    return 0.5 * x * (1.0 + erf(x / sqrt(2.0)));
}

static double gelu_tanh_of(double x) {
    return 0.5 * x * (1.0 + tanh(sqrt(2.0 / acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

static double relu_of(double x) {
    return x > 0.0 ? x : 0.0;
}

static double sigmoid_of(double x) {
    return 1.0 / (1.0 + exp(-x));
}

typedef struct Activation {
    void (*forward)(float *y, const float *x, long n);
    double (*exact)(double x);
} Activation;

static const Activation activations[] = {
    {exp_forward, exp},
    {tanh_forward, tanh},
    {sigmoid_forward, sigmoid_of},
    {relu_forward, relu_of},
    {silu_forward, silu_of},
    {gelu_tanh_forward, gelu_tanh_of},
    {gelu_erf_forward, gelu_erf_of},
};

static void test_activations_at_every_length(void **state) {
    (void)state;
    float x[LONGEST], y[LONGEST + 1], long_y[LONGEST];
    fill(x, LONGEST, 1);
    for (size_t a = 0; a < sizeof activations / sizeof *activations; a++) {
        activations[a].forward(long_y, x, LONGEST);
        for (int n = 1; n <= LONGEST; n++) {
            y[n] = -99.0f;
            activations[a].forward(y, x, n);
            for (int i = 0; i < n; i++) {
                assert_close((double)y[i], activations[a].exact((double)x[i]), 1e-6, 1e-6);
            }
            /* the same bits wherever the number stands, and nothing written behind the end */
            assert_memory_equal(y, long_y, (size_t)n * sizeof(float));
            assert_true(y[n] == -99.0f);
        }
        memcpy(y, x, sizeof x);
        activations[a].forward(y, y, LONGEST); /* in place */
        assert_memory_equal(y, long_y, sizeof long_y);
    }
}

static void test_nan_survives_relu(void **state) {
    (void)state;
    float x[] = {NAN, -1.0f, 2.0f}, y[3];
    relu_forward(y, x, 3);
    assert_true(isnan(y[0]) && y[1] == 0.0f && y[2] == 2.0f);
}

static void test_sums_at_every_length(void **state) {
    (void)state;
    float a[LONGEST], b[LONGEST];
    fill(a, LONGEST, 2);
    fill(b, LONGEST, 3);
    for (int n = 0; n <= LONGEST; n++) {
        double products = 0.0, total = 0.0, squares = 0.0;
        for (int i = 0; i < n; i++) {
            products += (double)a[i] * (double)b[i];
            total += (double)a[i];
            squares += (double)a[i] * (double)a[i];
        }
        assert_close((double)dot(a, b, n), products, 2e-5, 1e-6);
        assert_close((double)sum(a, n), total, 2e-5, 1e-6);
        assert_close(sum_squares(a, n), squares, 1e-12, 1e-12);
    }
}

static void test_softmax_sums_to_one_and_takes_large_numbers(void **state) {
    (void)state;
    for (int n = 1; n <= LONGEST; n++) {
        float x[LONGEST], y[LONGEST], log_y[LONGEST];
        fill(x, n, (uint64_t)n);
        for (int i = 0; i < n; i++) {
            x[i] += 3e4f; /* e^30000 is no float */
        }
        softmax_rows(y, x, 1, n);
        log_softmax_rows(log_y, x, 1, n);
        assert_close((double)sum(y, n), 1.0, 1e-5, 0.0);
        for (int i = 0; i < n; i++) {
            assert_close(log((double)y[i]), (double)log_y[i], 1e-5, 1e-5);
        }
    }
}

static void test_masked_softmax_row(void **state) {
    (void)state;
    const float x[] = {1.0f, 100.0f, 1.0f, -INFINITY};
    float y[4];
    softmax_row_masked(y, x, 4, (const bool[]){true, false, true, false});
    assert_all_close(y, ((float[]){0.5f, 0.0f, 0.5f, 0.0f}), 4, 1e-7, 0.0);
    softmax_row_masked(y, x, 4, (const bool[]){false, false, false, false});
    assert_memory_equal(y, ((float[]){0, 0, 0, 0}), sizeof y);
    const float with_nan[] = {0.0f, NAN, 0.0f, 0.0f};
    softmax_row_masked(y, with_nan, 4, (const bool[]){true, true, true, true});
    assert_true(isnan(y[0]) && isnan(y[1])); /* a nan that may be looked at is not hidden */
    softmax_row_masked(y, with_nan, 4, (const bool[]){true, false, true, true});
    assert_close((double)y[0], 1.0 / 3.0, 1e-6, 0.0); /* one that may not, is */
}

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

static void test_bias_there_and_back(void **state) {
    (void)state;
    float y[] = {1, 2, 3, 4, 5, 6}, bias[] = {10, 20, 30}, dbias[] = {1, 1, 1};
    add_bias_rows(y, bias, 2, 3);
    assert_memory_equal(y, ((float[]){11, 22, 33, 14, 25, 36}), sizeof y);
    bias_backward(dbias, y, 2, 3);
    assert_memory_equal(dbias, ((float[]){26, 48, 70}), sizeof dbias);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_activations_at_every_length),
        cmocka_unit_test(test_nan_survives_relu),
        cmocka_unit_test(test_sums_at_every_length),
        cmocka_unit_test(test_softmax_sums_to_one_and_takes_large_numbers),
        cmocka_unit_test(test_masked_softmax_row),
        cmocka_unit_test(test_fault_16_layernorm_divides_by_n),
        cmocka_unit_test(test_bias_there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
