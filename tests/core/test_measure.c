#include "assert_close.h"

#include "core/measure.h"

static void test_vector_length(void **state) {
    (void)state;
    assert_close(vector_length((const float[]){3, -4}, 2), 5.0, 0, 1e-15);
    assert_close(vector_length((const float[]){-2}, 1), 2.0, 0, 1e-15);
    assert_close(vector_length(NULL, 0), 0.0, 0, 0);
    /* squares that float32 could not hold */
    assert_close(vector_length((const float[]){3e30f, 4e30f}, 2), 5e30, 0, 1e-6);
    assert_close(vector_length((const float[]){3e-30f, 4e-30f}, 2), 5e-30, 0, 1e-6);
}

static void test_largest_difference(void **state) {
    (void)state;
    const float a[] = {1, 2, 3, 4}, b[] = {1, 2.5f, 1, 4};
    assert_close(largest_difference(a, b, 4), 2.0, 0, 0);
    assert_close(largest_difference(b, a, 4), 2.0, 0, 0);
    assert_close(largest_difference(a, a, 4), 0.0, 0, 0);
    assert_close(largest_difference(a, b, 0), 0.0, 0, 0);
}

/* Whatever is broken must not look equal, wherever it stands. */
static void test_nothing_broken_looks_equal(void **state) {
    (void)state;
    const float broken[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        for (int at = 0; at < 3; at++) {
            float a[] = {1, 2, 3}, b[] = {1, 2, 3};
            a[at] = b[at] = broken[i];
            assert_true(isinf(largest_difference(a, b, 3)));
            b[at] = 1;
            assert_true(isinf(largest_difference(a, b, 3)));
        }
    }
}

static void test_spread(void **state) {
    (void)state;
    Spread odd = spread_of((const double[]){5, 1, 3}, 3);
    assert_close(odd.median, 3, 0, 0);
    assert_close(odd.min, 1, 0, 0);
    assert_close(odd.max, 5, 0, 0);
    Spread even = spread_of((const double[]){4, 1, 2, 10}, 4);
    assert_close(even.median, 3, 0, 0);
    Spread one = spread_of((const double[]){-7}, 1);
    assert_close(one.median, -7, 0, 0);
    assert_close(one.min, -7, 0, 0);
    assert_close(one.max, -7, 0, 0);
    Spread with_nan = spread_of((const double[]){2, (double)NAN, 1}, 3);
    assert_true(isnan(with_nan.min));
    assert_close(with_nan.median, 1, 0, 0);
    assert_close(with_nan.max, 2, 0, 0);
    expect_check_message("spread_of: 0 numbers", spread_of((const double[]){1}, 0));
}

static void test_slope(void **state) {
    (void)state;
    const double line[] = {9, 9, 1.5, 1.25, 1.0, 0.75};
    assert_close(slope_of(line, 2, 6), -0.25, 1e-15, 0);
    assert_close(slope_of(line, 0, 2), 0.0, 0, 0);
    const double noisy[] = {0, 1, 0, 1}; /* (-1.5 0 - .5 1 + .5 0 + 1.5 1) / 5 */
    assert_close(slope_of(noisy, 0, 4), 0.2, 1e-15, 0);
    const double hole[] = {1, (double)NAN, 3, -(double)INFINITY, 5};
    assert_true(isnan(slope_of(hole, 0, 3)));
    assert_true(isnan(slope_of(hole, 2, 5)));
    assert_true(isnan(slope_of(line, 2, 3))); /* one point has no slope */
    assert_true(isnan(slope_of(line, 3, 3)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vector_length),
        cmocka_unit_test(test_largest_difference),
        cmocka_unit_test(test_nothing_broken_looks_equal),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
