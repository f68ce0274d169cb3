#include "assert_close.h"

#include "core/kernels/dropout.h"
#include "core/rng.h"

static void test_factors_follow_the_counter(void **state) {
    (void)state;
    float factor[100];
    Dropout dropout = {0.25f, 9};
    dropout_factors(dropout, 1000, 100, factor);
    for (uint64_t i = 0; i < 100; i++) {
        bool kept = rng_counter_uniform(9, 1000 + i) >= 0.25f;
        assert_true(factor[i] == (kept ? 1.0f / 0.75f : 0.0f));
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
        cmocka_unit_test(test_factors_follow_the_counter),
        cmocka_unit_test(test_runs_agree),
        cmocka_unit_test(test_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
