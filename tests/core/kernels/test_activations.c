/* Activations and their slopes against formulas in double precision, at every length, in place, and
 * on several threads. */
#include "assert_close.h"

#include "core/kernels/rows.h"
#include "core/kernels/vec.h"
#include "core/rng.h"
#include "core/threads.h"

#include <stdlib.h>

enum { LONGEST = 3 * VEC_LANES + 5, MANY = 300001 };

static void fill(float *x, long n, uint64_t seed) {
    Rng rng = rng_seeded(seed, 0);
    for (long i = 0; i < n; i++) {
        x[i] = 2.0f * rng_normal(&rng);
    }
}

static double sigmoid_of(double x) {
    return 1.0 / (1.0 + exp(-x));
}

static double relu_of(double x) {
    return x > 0.0 ? x : 0.0;
}

static double silu_of(double x) {
    return x * sigmoid_of(x);
}

static double gelu_erf_of(double x) {
    return 0.5 * x * (1.0 + erf(x / sqrt(2.0)));
}

static double gelu_tanh_of(double x) {
    return 0.5 * x * (1.0 + tanh(sqrt(2.0 / acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

typedef struct Activation {
    const char *name;
    void (*forward)(float *y, const float *x, long n);
    void (*backward)(float *dx, const float *dy, const float *v, long n);
    double (*exact)(double x);
    bool from_y; /* the backward pass needs the output, not the input */
} Activation;

static const Activation activations[] = {
    {"exp", exp_forward, exp_backward, exp, true},
    {"tanh", tanh_forward, tanh_backward, tanh, true},
    {"sigmoid", sigmoid_forward, sigmoid_backward, sigmoid_of, true},
    {"relu", relu_forward, relu_backward, relu_of, false},
    {"silu", silu_forward, silu_backward, silu_of, false},
    {"gelu_tanh", gelu_tanh_forward, gelu_tanh_backward, gelu_tanh_of, false},
    {"gelu_erf", gelu_erf_forward, gelu_erf_backward, gelu_erf_of, false},
};
enum { COUNT = sizeof activations / sizeof *activations };

static void test_forward_at_every_length(void **state) {
    (void)state;
    float x[LONGEST], y[LONGEST + 1], long_y[LONGEST];
    fill(x, LONGEST, 1);
    for (int a = 0; a < COUNT; a++) {
        activations[a].forward(long_y, x, LONGEST);
        for (int n = 1; n <= LONGEST; n++) {
            y[n] = -99.0f;
            activations[a].forward(y, x, n);
            for (int i = 0; i < n; i++) {
                assert_close_at((double)y[i], activations[a].exact((double)x[i]), 1e-6, 1e-6,
                                activations[a].name, __FILE__, __LINE__);
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

static void test_backward_adds_the_slope(void **state) {
    (void)state;
    float x[LONGEST], y[LONGEST], dy[LONGEST], dx[LONGEST + 1], long_dx[LONGEST];
    fill(x, LONGEST, 2);
    fill(dy, LONGEST, 3);
    for (int a = 0; a < COUNT; a++) {
        const Activation *f = &activations[a];
        f->forward(y, x, LONGEST);
        for (int n = LONGEST; n >= 1; n--) {
            for (int i = 0; i <= n; i++) {
                dx[i] = 0.5f;
            }
            f->backward(dx, dy, f->from_y ? y : x, n);
            if (n == LONGEST) {
                memcpy(long_dx, dx, sizeof long_dx);
            }
            for (int i = 0; i < n; i++) {
                double h = 1e-6, at = (double)x[i];
                double slope = (f->exact(at + h) - f->exact(at - h)) / (2.0 * h);
                assert_close_at((double)dx[i], 0.5 + (double)dy[i] * slope, 1e-5, 1e-5, f->name,
                                __FILE__, __LINE__);
            }
            assert_memory_equal(dx, long_dx, (size_t)n * sizeof(float));
            assert_true(dx[n] == 0.5f || n == LONGEST);
        }
    }
}

static void test_same_bits_on_any_number_of_threads(void **state) {
    (void)state;
    float *x = calloc(MANY, sizeof *x), *dy = calloc(MANY, sizeof *dy);
    float *one = calloc(2 * MANY, sizeof *one), *many = calloc(2 * MANY, sizeof *many);
    fill(x, MANY, 4);
    fill(dy, MANY, 5);
    for (int a = 0; a < COUNT; a++) {
        for (int threads = 1; threads <= 8; threads += threads == 1 ? 1 : 3) {
            float *y = threads == 1 ? one : many;
            threads_set(threads);
            activations[a].forward(y, x, MANY);
            memset(y + MANY, 0, MANY * sizeof *y);
            activations[a].backward(y + MANY, dy, activations[a].from_y ? y : x, MANY);
            assert_memory_equal(y, one, 2 * MANY * sizeof *y);
        }
    }
    threads_set(0);
    free(x);
    free(dy);
    free(one);
    free(many);
}

static void test_nan_survives(void **state) {
    (void)state;
    for (int a = 0; a < COUNT; a++) {
        float x[] = {NAN, -1.0f, 2.0f}, y[3];
        activations[a].forward(y, x, 3);
        assert_true(isnan(y[0]) && !isnan(y[1]) && !isnan(y[2]));
    }
}

static void test_far_from_zero(void **state) {
    (void)state;
    float x[] = {-1000.0f, 1000.0f}, y[2];
    exp_forward(y, x, 2);
    assert_true(y[0] == 0.0f && y[1] == INFINITY);
    tanh_forward(y, x, 2);
    assert_true(y[0] == -1.0f && y[1] == 1.0f);
    sigmoid_forward(y, x, 2);
    assert_true(y[0] == 0.0f && y[1] == 1.0f);
    gelu_erf_forward(y, x, 2);
    assert_true(y[0] == 0.0f && y[1] == 1000.0f);
    gelu_tanh_forward(y, x, 2);
    assert_true(y[0] == 0.0f && y[1] == 1000.0f);
    silu_forward(y, x, 2);
    assert_true(y[0] == 0.0f && y[1] == 1000.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forward_at_every_length),
        cmocka_unit_test(test_backward_adds_the_slope),
        cmocka_unit_test(test_same_bits_on_any_number_of_threads),
        cmocka_unit_test(test_nan_survives),
        cmocka_unit_test(test_far_from_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
