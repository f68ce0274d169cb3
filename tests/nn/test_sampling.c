#include "support/tensors.h"

#include "nn/sampling.h"

#include <float.h>

static void check(const float *logits, int V, Sampling sampling, const float *expected) {
    float p[16] = {0};
    sampling_probabilities(logits, V, sampling, p);
    assert_all_close(p, expected, (size_t)V, 1e-6, 0);
}

/* Logits whose probabilities are .1 .4 .2 .3. */
static const float tenths[] = {0.0f, 1.38629436f, 0.69314718f, 1.09861229f};

static void test_without_settings_it_is_softmax(void **state) {
    (void)state;
    check(tenths, 4, (Sampling){.temperature = 1}, (const float[]){.1f, .4f, .2f, .3f});
    check(tenths, 4, (Sampling){1, 4, 1}, (const float[]){.1f, .4f, .2f, .3f});
    check(tenths, 4, (Sampling){1, 99, 0}, (const float[]){.1f, .4f, .2f, .3f});
    check(tenths, 1, (Sampling){1, 1, 0.5f}, (const float[]){1});
}

/* Divided by 1/2: squares, 1 16 4 9 of 30; by 2: roots. */
static void test_temperature(void **state) {
    (void)state;
    check(tenths, 4, (Sampling){.temperature = 0.5f},
          (const float[]){1 / 30.0f, 16 / 30.0f, 4 / 30.0f, 9 / 30.0f});
    float sum = 1 + 2 + sqrtf(2) + sqrtf(3);
    check(tenths, 4, (Sampling){.temperature = 2},
          (const float[]){1 / sum, 2 / sum, sqrtf(2) / sum, sqrtf(3) / sum});
    check(tenths, 4, (Sampling){.temperature = FLT_MAX}, (const float[]){.25f, .25f, .25f, .25f});
}

static void test_temperature_zero_is_the_most_probable(void **state) {
    (void)state;
    check(tenths, 4, (Sampling){0}, (const float[]){0, 1, 0, 0});
    check(tenths, 4, (Sampling){0, 2, 0.9f}, (const float[]){0, 1, 0, 0});
    check((const float[]){1, 3, 3}, 3, (Sampling){0}, (const float[]){0, 1, 0});
}

static void test_top_k(void **state) {
    (void)state;
    check(tenths, 4, (Sampling){1, 1, 0}, (const float[]){0, 1, 0, 0});
    check(tenths, 4, (Sampling){1, 2, 0}, (const float[]){0, 4 / 7.0f, 0, 3 / 7.0f});
    check(tenths, 4, (Sampling){1, 3, 0}, (const float[]){0, 4 / 9.0f, 2 / 9.0f, 3 / 9.0f});
    check(tenths, 4, (Sampling){0.5f, 2, 0}, (const float[]){0, 16 / 25.0f, 0, 9 / 25.0f});
}

/* In order .4 .3 .2 .1: .7 needs two of them, a little more needs three. */
static void test_top_p(void **state) {
    (void)state;
    check(tenths, 4, (Sampling){1, 0, 1e-9f}, (const float[]){0, 1, 0, 0});
    check(tenths, 4, (Sampling){1, 0, 0.4f}, (const float[]){0, 1, 0, 0});
    check(tenths, 4, (Sampling){1, 0, 0.41f}, (const float[]){0, 4 / 7.0f, 0, 3 / 7.0f});
    check(tenths, 4, (Sampling){1, 0, 0.7f}, (const float[]){0, 4 / 7.0f, 0, 3 / 7.0f});
    check(tenths, 4, (Sampling){1, 0, 0.71f}, (const float[]){0, 4 / 9.0f, 2 / 9.0f, 3 / 9.0f});
    check(tenths, 4, (Sampling){1, 0, 0.95f}, (const float[]){.1f, .4f, .2f, .3f});
    /* after the temperature: 16 of 30 are enough for a half, .4 were not */
    check(tenths, 4, (Sampling){0.5f, 0, 0.5f}, (const float[]){0, 1, 0, 0});
    check(tenths, 4, (Sampling){1, 0, 0.5f}, (const float[]){0, 4 / 7.0f, 0, 3 / 7.0f});
}

/* Top-k leaves 4/9 3/9 2/9: the first two of them reach .75, of all four it takes three. */
static void test_top_p_counts_what_top_k_left(void **state) {
    (void)state;
    check(tenths, 4, (Sampling){1, 3, 0.75f}, (const float[]){0, 4 / 7.0f, 0, 3 / 7.0f});
    check(tenths, 4, (Sampling){1, 0, 0.75f}, (const float[]){0, 4 / 9.0f, 2 / 9.0f, 3 / 9.0f});
}

static void test_ties_go_to_the_lower_token(void **state) {
    (void)state;
    const float equal[] = {2, 2, 2, 2};
    check(equal, 4, (Sampling){1, 3, 0}, (const float[]){1 / 3.0f, 1 / 3.0f, 1 / 3.0f, 0});
    check(equal, 4, (Sampling){1, 0, 0.5f}, (const float[]){.5f, .5f, 0, 0});
    check((const float[]){1, 5, 1, 1}, 4, (Sampling){1e-3f, 2, 0}, (const float[]){0, 1, 0, 0});
    check((const float[]){0, 1, 0, 1}, 4, (Sampling){1, 1, 0}, (const float[]){0, 1, 0, 0});
}

static void test_large_numbers_do_not_overflow(void **state) {
    (void)state;
    check((const float[]){1e38f, -1e38f, 1e38f}, 3, (Sampling){1, 0, 0},
          (const float[]){.5f, 0, .5f});
    check((const float[]){FLT_MAX, -FLT_MAX}, 2, (Sampling){FLT_MIN, 1, 0.5f},
          (const float[]){1, 0});
    check((const float[]){-1000, -1001}, 2, (Sampling){1, 0, 0},
          (const float[]){0.731058579f, 0.268941421f});
    check((const float[]){1, 0.999f}, 2, (Sampling){1e-30f, 0, 0}, (const float[]){1, 0});
    /* never said, however high the temperature or p */
    check((const float[]){0, -INFINITY, 0}, 3, (Sampling){1e30f, 3, 0.999f},
          (const float[]){.5f, 0, .5f});
    check((const float[]){-INFINITY, -INFINITY, 7}, 3, (Sampling){1, 2, 0},
          (const float[]){0, 0, 1});
}

/* Settings over and over at random: sum 1, no more than k, in the order of the logits, and at least
 * p of what they had before but not without the last one. */
static void test_random_settings(void **state) {
    (void)state;
    enum { V = 12 };
    Rng rng = rng_seeded(3, 0);
    for (int trial = 0; trial < 300; trial++) {
        float logits[V], all[V], p[V];
        fill_random(logits, V, -3, 3, &rng);
        Sampling sampling = {rng_range(&rng, 0.1f, 3), 0, rng_range(&rng, 0.05f, 0.99f)};
        sampling_probabilities(logits, V, (Sampling){.temperature = sampling.temperature}, all);
        sampling_probabilities(logits, V, sampling, p);
        double sum = 0, before = 0, least = 1;
        float lowest = INFINITY, highest_out = -INFINITY;
        for (int v = 0; v < V; v++) {
            sum += (double)p[v];
            if (p[v] > 0) {
                before += (double)all[v];
                least = (double)all[v] < least ? (double)all[v] : least;
                lowest = logits[v] < lowest ? logits[v] : lowest;
            } else {
                highest_out = logits[v] > highest_out ? logits[v] : highest_out;
            }
        }
        assert_close(sum, 1.0, 1e-6, 0);
        assert_true(lowest > highest_out);
        assert_true(before >= (double)sampling.top_p - 1e-5);
        assert_true(before - least < (double)sampling.top_p + 1e-5);
    }
}

/* ---- drawing ---- */

enum { DRAWS = 40000 };

/* A share of n draws lies within 5 standard deviations, sqrt(p (1 - p) / n), of p. */
static void check_frequencies(Sampling sampling, uint64_t seed) {
    Rng rng = rng_seeded(seed, 0);
    float p[4];
    int count[4] = {0};
    sampling_probabilities(tenths, 4, sampling, p);
    for (int i = 0; i < DRAWS; i++) {
        int token = sampling_draw(tenths, 4, sampling, &rng);
        assert_in_range(token, 0, 3);
        count[token]++;
    }
    for (int v = 0; v < 4; v++) {
        double wanted = (double)p[v];
        assert_close((double)count[v] / DRAWS, wanted, 5 * sqrt(wanted * (1 - wanted) / DRAWS), 0);
    }
}

static void test_draws_are_as_frequent_as_probable(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        check_frequencies((Sampling){.temperature = 1}, seed);
        check_frequencies((Sampling){.temperature = 0.5f}, seed);
        check_frequencies((Sampling){1, 2, 0}, seed); /* the others: not once */
        check_frequencies((Sampling){1, 0, 0.8f}, seed);
        check_frequencies((Sampling){0}, seed);
    }
}

static void test_a_draw_takes_one_number(void **state) {
    (void)state;
    const Sampling settings[] = {{0}, {1, 0, 0}, {0.7f, 2, 0.9f}};
    for (int i = 0; i < 3; i++) {
        Rng drawn = rng_seeded(5, 0), counted = rng_seeded(5, 0), again = rng_seeded(5, 0);
        int token = sampling_draw(tenths, 4, settings[i], &drawn);
        assert_int_equal(token, sampling_draw(tenths, 4, settings[i], &again));
        rng_bits(&counted);
        assert_memory_equal(&drawn, &counted, sizeof drawn);
    }
}

/* ---- what cannot be ---- */

/* A check that stops leaves behind what was being worked on: that is no leak. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:test_bad_values_stop\n";
}

static void test_bad_values_stop(void **state) {
    (void)state;
    float p[4];
    Rng rng = rng_seeded(1, 0);
    expect_check_message("sampling: the temperature is -1; it must be a number from 0 on",
                         sampling_probabilities(tenths, 4, (Sampling){-1, 0, 0}, p));
    expect_check_message("the temperature is nan",
                         sampling_probabilities(tenths, 4, (Sampling){NAN, 0, 0}, p));
    expect_check_message("the temperature is inf",
                         sampling_draw(tenths, 4, (Sampling){INFINITY, 0, 0}, &rng));
    expect_check_message("sampling: top_k is -3; it must be at least 1, or 0 to keep all",
                         sampling_probabilities(tenths, 4, (Sampling){1, -3, 0}, p));
    expect_check_message("sampling: top_p is 1.5; it must lie between 0 and 1",
                         sampling_probabilities(tenths, 4, (Sampling){1, 0, 1.5f}, p));
    expect_check_message("top_p is nan",
                         sampling_probabilities(tenths, 4, (Sampling){1, 0, NAN}, p));
    expect_check_message("sampling: 0 tokens to choose from",
                         sampling_draw(tenths, 0, (Sampling){1, 0, 0}, &rng));
    expect_check_message("sampling: the logit of token 1 is nan",
                         sampling_draw((const float[]){0, NAN}, 2, (Sampling){1, 0, 0}, &rng));
    expect_check_message("sampling: the logit of token 0 is inf",
                         sampling_probabilities((const float[]){INFINITY}, 1, (Sampling){0}, p));
    const float never[] = {-INFINITY, -INFINITY};
    expect_check_message("sampling: the logits of all 2 tokens are -inf",
                         sampling_probabilities(never, 2, (Sampling){1, 0, 0}, p));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_settings_it_is_softmax),
        cmocka_unit_test(test_temperature),
        cmocka_unit_test(test_temperature_zero_is_the_most_probable),
        cmocka_unit_test(test_top_k),
        cmocka_unit_test(test_top_p),
        cmocka_unit_test(test_top_p_counts_what_top_k_left),
        cmocka_unit_test(test_ties_go_to_the_lower_token),
        cmocka_unit_test(test_large_numbers_do_not_overflow),
        cmocka_unit_test(test_random_settings),
        cmocka_unit_test(test_draws_are_as_frequent_as_probable),
        cmocka_unit_test(test_a_draw_takes_one_number),
        cmocka_unit_test(test_bad_values_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
