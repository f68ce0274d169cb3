/* The vector functions against the double precision ones of libm, over floats of all sizes. Errors
 * are in ulp: units of the last place of the exact result. */
#include "assert_close.h"

#include "core/kernels/vec.h"

#include <float.h>

/* |got - exact| in ulp; below the normal numbers, where denormals may be flushed, anything that is
 * that small is right. */
static double ulps(float got, double exact) {
    float nearest = (float)exact;
    if (isnan(exact) || isinf(nearest)) {
        return (isnan(exact) && isnan(got)) || got == nearest ? 0.0 : INFINITY;
    }
    if (fabs(exact) < (double)FLT_MIN) {
        return fabs((double)got - exact) <= (double)FLT_MIN ? 0.0 : INFINITY;
    }
    int exponent;
    frexp(exact, &exponent);
    return fabs((double)got - exact) / ldexp(1.0, exponent - 24);
}

static double logistic(double x) {
    return 1.0 / (1.0 + exp(-x));
}

typedef struct Worst {
    double error;
    float at;
} Worst;

/* Every 4099th float from -infinity to infinity, nan included. */
#define WORST_OF(vector_function, exact_function)                                                  \
    ({                                                                                             \
        Worst worst = {0};                                                                         \
        for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 4099) {                                \
            uint32_t word = (uint32_t)bits;                                                        \
            float x;                                                                               \
            memcpy(&x, &word, sizeof x);                                                           \
            double error = ulps(vector_function(vec_all(x))[0], exact_function((double)x));        \
            if (!(error <= worst.error)) {                                                         \
                worst = (Worst){error, x};                                                         \
            }                                                                                      \
        }                                                                                          \
        worst;                                                                                     \
    })

static void expect_at_most(const char *name, Worst worst, double bound) {
    if (!(worst.error <= bound)) {
        print_error("%s(%.9g) is off by %.2f ulp, allowed %.1f\n", name, (double)worst.at,
                    worst.error, bound);
        fail();
    }
}

static void test_exp(void **state) {
    (void)state;
    expect_at_most("exp", WORST_OF(vec_exp, exp), 1.5);
    assert_true(vec_exp(vec_all(0.0f))[0] == 1.0f);
    assert_true(vec_exp(vec_all(INFINITY))[0] == INFINITY);
    assert_true(vec_exp(vec_all(89.0f))[0] == INFINITY);
    assert_true(vec_exp(vec_all(-INFINITY))[0] == 0.0f);
    assert_true(isnan(vec_exp(vec_all(NAN))[0]));
}

static void test_tanh(void **state) {
    (void)state;
    expect_at_most("tanh", WORST_OF(vec_tanh, tanh), 2.6);
    assert_true(vec_tanh(vec_all(40.0f))[0] == 1.0f);
    assert_true(vec_tanh(vec_all(-INFINITY))[0] == -1.0f);
    assert_true(isnan(vec_tanh(vec_all(NAN))[0]));
    assert_true(signbit(vec_tanh(vec_all(-0.0f))[0]));
    for (float x = 1e-6f; x < 20.0f; x *= 1.07f) { /* exactly odd */
        assert_true(vec_tanh(vec_all(x))[0] == -vec_tanh(vec_all(-x))[0]);
    }
}

static void test_sigmoid(void **state) {
    (void)state;
    expect_at_most("sigmoid", WORST_OF(vec_sigmoid, logistic), 2.6);
    assert_true(vec_sigmoid(vec_all(0.0f))[0] == 0.5f);
    assert_true(vec_sigmoid(vec_all(-INFINITY))[0] == 0.0f);
    assert_true(vec_sigmoid(vec_all(INFINITY))[0] == 1.0f);
}

static void test_erf(void **state) {
    (void)state;
    expect_at_most("erf", WORST_OF(vec_erf, erf), 1.5);
    assert_true(vec_erf(vec_all(0.0f))[0] == 0.0f);
    assert_true(signbit(vec_erf(vec_all(-0.0f))[0]));
    assert_true(vec_erf(vec_all(4.0f))[0] == 1.0f);
    assert_true(vec_erf(vec_all(-INFINITY))[0] == -1.0f);
    assert_true(isnan(vec_erf(vec_all(NAN))[0]));
    for (float x = 1e-6f; x < 6.0f; x *= 1.07f) { /* exactly odd */
        assert_true(vec_erf(vec_all(x))[0] == -vec_erf(vec_all(-x))[0]);
    }
}

static void test_all_lanes_and_parts(void **state) {
    (void)state;
    float in[VEC_LANES], out[VEC_LANES + 1];
    for (int i = 0; i < VEC_LANES; i++) {
        in[i] = (float)i - 3.5f;
    }
    Vec whole = vec_exp(vec_load(in));
    for (long n = 0; n < VEC_LANES; n++) {
        for (int i = 0; i <= VEC_LANES; i++) {
            out[i] = -9.0f;
        }
        vec_store_part(out, vec_exp(vec_load_part(in, n, 0.0f)), n);
        for (int i = 0; i <= VEC_LANES; i++) {
            assert_true(out[i] == (i < n ? whole[i] : -9.0f));
        }
        assert_true(vec_load_part(in, n, 5.0f)[VEC_LANES - 1] == 5.0f);
    }
}

static void test_select_and_max(void **state) {
    (void)state;
    Vec v;
    for (int i = 0; i < VEC_LANES; i++) {
        v[i] = i % 3 == 0 ? NAN : (float)(i % 2 ? i : -i);
    }
    Vec chosen = vec_select(v > 0.0f, v, vec_all(-5.0f)), larger = vec_max(v, vec_all(-1.0f));
    for (int i = 0; i < VEC_LANES; i++) {
        bool positive = i % 3 != 0 && i % 2 == 1;
        assert_true(chosen[i] == (positive ? (float)i : -5.0f));
        assert_true(larger[i] == (positive ? (float)i : -1.0f)); /* the other one for a nan */
    }
}

static void test_sum_and_largest(void **state) {
    (void)state;
    Vec v;
    for (int i = 0; i < VEC_LANES; i++) {
        v[i] = (float)(i * i) - 2.0f;
    }
    int n = VEC_LANES;
    assert_true(vec_sum(v) == (float)((n - 1) * n * (2 * n - 1) / 6 - 2 * n));
    assert_true(vec_largest(v) == (float)((n - 1) * (n - 1)) - 2.0f);
    assert_true(vec_largest(-v) == 2.0f);
    Vec4 each = vec_sum_each(v, vec_all(0.5f), -v, v + 1.0f);
    const float sums[] = {vec_sum(v), 0.5f * (float)n, -vec_sum(v), vec_sum(v + 1.0f)};
    for (int i = 0; i < 4; i++) {
        assert_true(each[i] == sums[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp),
        cmocka_unit_test(test_tanh),
        cmocka_unit_test(test_sigmoid),
        cmocka_unit_test(test_erf),
        cmocka_unit_test(test_all_lanes_and_parts),
        cmocka_unit_test(test_select_and_max),
        cmocka_unit_test(test_sum_and_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
