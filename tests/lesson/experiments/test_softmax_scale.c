#include "support/stage.h"

#include "lesson/experiments/softmax_scale.h"

#include <math.h>
#include <stdlib.h>

/* Two keys, weights a and 1 - a: all four entries of the Jacobian are a (1 - a) or its negative. */
static void test_jacobian_of_two_keys(void **state) {
    (void)state;
    for (int i = 0; i <= 10; i++) {
        const float a[] = {(float)i / 10.0f, 1.0f - (float)i / 10.0f};
        assert_close(softmax_jacobian_size(a, 2), 2.0 * (double)a[0] * (double)a[1], 1e-7, 0);
    }
}

/* All alike, n keys: |J|^2 = n^-2 (n - 1). One key with all the weight: nothing moves. */
static void test_jacobian_at_its_ends(void **state) {
    (void)state;
    const float alike[] = {0.25f, 0.25f, 0.25f, 0.25f}, one[] = {0, 1, 0, 0};
    assert_close(softmax_jacobian_size(alike, 4), sqrt(3.0) / 4.0, 1e-12, 0);
    assert_close(softmax_jacobian_size(one, 4), 0.0, 0, 0);
}

static SoftmaxScale measure(int d, float factor) {
    Rng rng = rng_seeded(5, 5);
    return softmax_scale(d, 32, 1000, factor, &rng);
}

/* The variance of q . k is d, that of factor * q . k is factor^2 d. */
static void test_variance_is_d(void **state) {
    (void)state;
    const int sizes[] = {1, 4, 64, 300};
    for (int i = 0; i < 4; i++) {
        int d = sizes[i];
        assert_close(measure(d, 1.0f).variance, d, 0, 0.1);
        assert_close(measure(d, 1.0f / sqrtf((float)d)).variance, 1.0, 0, 0.1);
    }
}

/* No scores at all: every key gets 1/32, the entropy is ln 32, and so is every measure known. */
static void test_factor_of_zero(void **state) {
    (void)state;
    SoftmaxScale found = measure(16, 0.0f);
    assert_close(found.variance, 0.0, 0, 0);
    assert_close(found.largest, 1.0 / 32.0, 1e-6, 0);
    assert_close(found.entropy, log(32.0), 1e-5, 0);
    assert_close(found.gradient_median, sqrt(31.0) / 32.0, 1e-6, 0);
    assert_close(found.gradient_mean, sqrt(31.0) / 32.0, 1e-6, 0);
}

/* A factor so large that one key always wins. */
static void test_hard_choice(void **state) {
    (void)state;
    SoftmaxScale found = measure(16, 1e6f);
    assert_true(found.largest > 0.99);
    assert_true(found.entropy < 0.01);
    assert_close(found.gradient_median, 0.0, 1e-9, 0);
}

static void play(Run *run, void *context) {
    softmax_scale_compare(run, context, 2, 8, 200);
}

static void test_compared(void **state) {
    (void)state;
    ScoreScale scales[2] = {{.name = "plain"}, {.name = "scaled", .power = 0.5f}};
    Stage stage = stage_play(play, scales, "--no-plots");
    assert_int_equal(stage.status, 0);
    for (int k = 0; k < SCALE_SIZES; k++) { /* the same vectors: exactly d times the variance */
        int d = 4 << 2 * k;
        assert_close(scales[0].at[k].variance, d * scales[1].at[k].variance, 0, 1e-5);
        assert_close(scales[1].at[k].variance, 1.0, 0.35, 0);
    }
    const char *files[] = {"scale_variance.tsv", "scale_entropy.tsv", "scale_gradient.tsv"};
    for (int i = 0; i < 3; i++) {
        char *text = lesson_file(&stage, files[i], NULL);
        assert_non_null(text);
        assert_non_null(strstr(text, "scaled"));
        assert_int_equal(strstr(text, "plain, mean") != NULL, i == 2);
        free(text);
    }
    lesson_run_free(&stage);
}

static void test_too_many_scales(void **state) {
    (void)state;
    Run silent = {.silent = true};
    expect_check_message("5 scales", softmax_scale_compare(&silent, NULL, 5, 8, 8));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jacobian_of_two_keys), cmocka_unit_test(test_jacobian_at_its_ends),
        cmocka_unit_test(test_variance_is_d),        cmocka_unit_test(test_factor_of_zero),
        cmocka_unit_test(test_hard_choice),          cmocka_unit_test(test_compared),
        cmocka_unit_test(test_too_many_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
