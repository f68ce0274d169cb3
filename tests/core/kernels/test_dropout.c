#include "assert_close.h"

#include "core/kernels/dropout.h"

#include <string.h>

/* Which of the first 32 elements are dropped, worked out apart from the program: the same on every
 * machine, so a training gives the same everywhere. */
static void test_known_factors(void **state) {
    (void)state;
    float factor[32];
    uint32_t dropped = 0;
    dropout_factors((Dropout){0.25f, 9}, 0, 32, factor);
    for (int i = 0; i < 32; i++) {
        assert_true(factor[i] == 0.0f || factor[i] == 1.0f / 0.75f);
        dropped |= (uint32_t)(factor[i] == 0.0f) << i;
    }
    assert_int_equal(dropped, 0x3a0444aau);
}

/* Elements from 2^32 on are drawn with another key; a run may lie across. */
static void test_runs_across_a_change_of_key(void **state) {
    (void)state;
    enum { N = 64 };
    const uint64_t change = (uint64_t)1 << 32;
    float across[N], before[N / 2], after[N / 2], first[N / 2];
    Dropout dropout = {0.5f, 3};
    dropout_factors(dropout, change - N / 2, N, across);
    dropout_factors(dropout, change - N / 2, N / 2, before);
    dropout_factors(dropout, change, N / 2, after);
    dropout_factors(dropout, 0, N / 2, first);
    assert_memory_equal(across, before, sizeof before);
    assert_memory_equal(across + N / 2, after, sizeof after);
    assert_true(memcmp(after, first, sizeof first) != 0);
}

/* Whether one element is dropped says nothing about its neighbours, near or at any power of two
 * further on, nor about the same element under another key: correlations stay within five standard
 * errors of 0. */
static void test_elements_and_keys_are_unrelated(void **state) {
    (void)state;
    enum { N = 1 << 16, KEYS = 4 };
    static float x[KEYS][2 * N];
    for (int key = 0; key < KEYS; key++) {
        dropout_factors((Dropout){0.5f, (uint64_t)key}, 0, 2 * N, x[key]);
    }
    double bound = 5.0 / sqrt((double)N);
    for (int shift = 1; shift <= N; shift *= 2) {
        double product = 0.0;
        for (int i = 0; i < N; i++) {
            product += ((double)x[0][i] - 1.0) * ((double)x[0][i + shift] - 1.0) / N;
        }
        assert_close(product, 0.0, bound, 0.0);
    }
    for (int key = 1; key < KEYS; key++) {
        double product = 0.0;
        for (int i = 0; i < N; i++) {
            product += ((double)x[0][i] - 1.0) * ((double)x[key][i] - 1.0) / N;
        }
        assert_close(product, 0.0, bound, 0.0);
    }
}

/* Wherever a run begins and ends, an element's factor is the same. */
static void test_runs_agree(void **state) {
    (void)state;
    enum { N = 200 };
    float whole[N], part[N];
    Dropout dropout = {0.5f, 3};
    dropout_factors(dropout, 0, N, whole);
    for (int first = 0; first < N; first += 13) {
        for (int n = 0; n <= 40 && first + n <= N; n++) {
            dropout_factors(dropout, (uint64_t)first, n, part);
            assert_memory_equal(part, whole + first, (size_t)n * sizeof *part);
        }
    }
}

/* The share that is dropped is p to within five standard errors, and the mean factor 1. */
static void test_share(void **state) {
    (void)state;
    enum { N = 1 << 16, RUN = 1 << 10 };
    const float ps[] = {0.0f, 0.1f, 0.5f, 0.9f};
    for (int k = 0; k < 4; k++) {
        double dropped = 0.0, sum = 0.0, p = (double)ps[k];
        for (uint64_t first = 0; first < N; first += RUN) {
            float factor[RUN];
            dropout_factors((Dropout){ps[k], 1}, first, RUN, factor);
            for (int i = 0; i < RUN; i++) {
                dropped += factor[i] == 0.0f;
                sum += (double)factor[i];
            }
        }
        double error = 5.0 * sqrt(p * (1.0 - p) / N);
        assert_close(dropped / N, p, error + 1e-12, 0.0);
        assert_close(sum / N, 1.0, error / (1.0 - p) + 1e-6, 0.0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_factors),
        cmocka_unit_test(test_runs_across_a_change_of_key),
        cmocka_unit_test(test_elements_and_keys_are_unrelated),
        cmocka_unit_test(test_runs_agree),
        cmocka_unit_test(test_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
