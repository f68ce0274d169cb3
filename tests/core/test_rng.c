/* The known answers come from a second implementation, written in Python from the papers with
 * arbitrary-precision integers; that one reproduces the published vectors of xoshiro256++ (state
 * 1 2 3 4) and of splitmix64. */
#include "assert_close.h"

#include "core/rng.h"

#include <stdlib.h>

static void test_published_vector_of_xoshiro256pp(void **state) {
    (void)state;
    Rng rng = {{1, 2, 3, 4}};
    static const uint64_t expected[] = {
        41943041u,           58720359u, 3588806011781223u, 3591011842654386u, 9228616714210784205u,
        9973669472204895162u};
    for (int i = 0; i < 6; i++) {
        assert_true(rng_bits(&rng) == expected[i]);
    }
}

static void assert_bits(uint64_t seed, uint64_t stream, const uint64_t *expected) {
    Rng rng = rng_seeded(seed, stream);
    for (int i = 0; i < 4; i++) {
        uint64_t bits = rng_bits(&rng);
        if (bits != expected[i]) {
            fail_msg("seed %llu, stream %llu, number %d: %#llx", (unsigned long long)seed,
                     (unsigned long long)stream, i, (unsigned long long)bits);
        }
    }
}

static void test_known_bits_of_seed_and_stream(void **state) {
    (void)state;
    assert_bits(1, 0,
                (const uint64_t[]){0xd51e3b51456d6aeau, 0xeb694d05c0f3abd7u, 0xb38177864a733fabu,
                                   0x89845961485c092du});
    assert_bits(1, 1,
                (const uint64_t[]){0x53175d61490b23dfu, 0x61da6f3dc380d507u, 0x5c0fdf91ec9a7bfcu,
                                   0x02eebf8c3bbe5e1au});
    assert_bits(42, 7,
                (const uint64_t[]){0x0b1f3529a8d7ee2bu, 0x1dbe63565b4b635cu, 0x1093282d50749ad8u,
                                   0xb2629d4542c9e33bu});
    assert_bits(UINT64_MAX, 3,
                (const uint64_t[]){0x7bc08b30cfabea51u, 0x122d6ca698543db2u, 0x6833845b036954f7u,
                                   0x81dc482043197b36u});
}

static void test_known_uniform_and_normal_numbers(void **state) {
    (void)state;
    static const float uniform[] = {0.8324925303459167f, 0.9195755124092102f, 0.7011942267417908f,
                                    0.537175714969635f, 0.284720778465271f};
    static const double normal[] = {1.85908669, -0.883118542, -0.493206071, 1.070215, 1.88958069};
    Rng rng = rng_seeded(1, 0);
    for (int i = 0; i < 5; i++) {
        assert_true(rng_uniform(&rng) == uniform[i]);
    }
    rng = rng_seeded(1, 0);
    for (int i = 0; i < 5; i++) {
        assert_close((double)rng_normal(&rng), normal[i], 0.0, 1e-7);
    }
}

static void test_known_whole_numbers_and_permutation(void **state) {
    (void)state;
    static const uint32_t below_10[] = {8, 9, 7, 5, 2, 7, 3, 8, 6, 3, 9, 0};
    static const uint32_t below_big[] = {2497477647u, 2758726540u, 2103582773u,
                                         1611527212u, 854162396u,  1053274297u};
    static const int order[] = {0, 4, 6, 9, 5, 8, 7, 3, 1, 2};
    Rng rng = rng_seeded(1, 0);
    for (int i = 0; i < 12; i++) {
        assert_int_equal(rng_below(&rng, 10), below_10[i]);
    }
    rng = rng_seeded(1, 0);
    for (int i = 0; i < 6; i++) { /* near 2^32, where a third of the draws is refused */
        assert_int_equal(rng_below(&rng, 3000000000u), below_big[i]);
    }
    rng = rng_seeded(1, 0);
    int got[10];
    rng_permutation(&rng, 10, got);
    assert_memory_equal(got, order, sizeof order);
}

static void test_uniform_range_mean_and_variance(void **state) {
    (void)state;
    enum { N = 200000 };
    Rng rng = rng_seeded(3, 0);
    double sum = 0.0, squares = 0.0;
    int tenth[10] = {0};
    for (int i = 0; i < N; i++) {
        float x = rng_uniform(&rng);
        assert_true(x >= 0.0f && x < 1.0f);
        assert_true(x * 0x1p24f == floorf(x * 0x1p24f)); /* 24 bits, exact */
        sum += (double)x;
        squares += (double)x * (double)x;
        tenth[(int)(x * 10.0f)]++;
    }
    double mean = sum / N;
    assert_close(mean, 0.5, 0.003, 0.0); /* 4.6 standard errors */
    assert_close(squares / N - mean * mean, 1.0 / 12.0, 0.001, 0.0);
    for (int i = 0; i < 10; i++) {
        assert_close(tenth[i], N / 10.0, 5.0 * sqrt(N * 0.09), 0.0);
    }
}

static void test_range_stays_in_its_bounds(void **state) {
    (void)state;
    Rng rng = rng_seeded(4, 0);
    float least = 1.0f, most = -1.0f;
    for (int i = 0; i < 20000; i++) {
        float x = rng_range(&rng, -0.25f, 0.75f);
        least = fminf(least, x);
        most = fmaxf(most, x);
    }
    assert_true(least >= -0.25f && least < -0.249f);
    assert_true(most < 0.75f && most > 0.749f);
}

static void test_normal_moments(void **state) {
    (void)state;
    enum { N = 200000 };
    Rng rng = rng_seeded(5, 0);
    double power[5] = {0};
    int inside = 0;
    for (int i = 0; i < N; i++) {
        double x = (double)rng_normal(&rng), p = 1.0;
        for (int k = 1; k <= 4; k++) {
            power[k] += (p *= x) / N;
        }
        inside += fabs(x) < 1.0;
    }
    assert_close(power[1], 0.0, 0.011, 0.0); /* about five standard errors each */
    assert_close(power[2], 1.0, 0.016, 0.0);
    assert_close(power[3], 0.0, 0.045, 0.0);
    assert_close(power[4], 3.0, 0.11, 0.0);
    assert_close((double)inside / N, 0.682689, 0.0052, 0.0);
}

static void test_below_has_no_bias(void **state) {
    (void)state;
    enum { N = 70000 };
    static const uint32_t limits[] = {1, 2, 3, 7, 100};
    for (int i = 0; i < 5; i++) {
        int count[100] = {0};
        Rng rng = rng_seeded(6, (uint64_t)i);
        for (int j = 0; j < N; j++) {
            uint32_t x = rng_below(&rng, limits[i]);
            assert_true(x < limits[i]);
            count[x]++;
        }
        double p = 1.0 / limits[i];
        for (uint32_t k = 0; k < limits[i]; k++) {
            assert_close(count[k], N * p, 5.0 * sqrt(N * p * (1.0 - p)) + 1e-9, 0.0);
        }
    }
    /* With n = 3 * 2^30 a plain remainder or a plain multiplication hits some residues twice as
     * often: multiples of 3 (multiplication) or the lowest quarter (remainder). */
    Rng rng = rng_seeded(6, 9);
    int thirds = 0, low = 0;
    for (int j = 0; j < N; j++) {
        uint32_t x = rng_below(&rng, 3u << 30);
        thirds += x % 3 == 0;
        low += x < 1u << 30;
    }
    assert_close(thirds, N / 3.0, 5.0 * sqrt(N * 2.0 / 9.0), 0.0);
    assert_close(low, N / 3.0, 5.0 * sqrt(N * 2.0 / 9.0), 0.0);
    expect_check_message("rng_below: there is no whole number in [0, 0)", rng_below(&rng, 0));
}

static void test_a_permutation_has_every_number_once(void **state) {
    (void)state;
    Rng rng = rng_seeded(7, 0);
    int order[257];
    bool seen[257];
    for (int n = 0; n <= 257; n += n < 10 ? 1 : 13) {
        rng_permutation(&rng, n, order);
        memset(seen, 0, sizeof seen);
        for (int i = 0; i < n; i++) {
            assert_true(order[i] >= 0 && order[i] < n && !seen[order[i]]);
            seen[order[i]] = true;
        }
    }
}

static void test_all_permutations_are_equally_likely(void **state) {
    (void)state;
    enum { N = 24000 };
    int count[64] = {0};
    Rng rng = rng_seeded(8, 0);
    for (int i = 0; i < N; i++) {
        int order[4];
        rng_permutation(&rng, 4, order);
        count[order[0] * 16 + order[1] * 4 + order[2]]++;
    }
    int kinds = 0;
    for (int i = 0; i < 64; i++) {
        if (count[i] > 0) {
            kinds++;
            assert_close(count[i], N / 24.0, 5.0 * sqrt(N / 24.0), 0.0);
        }
    }
    assert_int_equal(kinds, 24);
}

static void test_streams_and_seeds_differ(void **state) {
    (void)state;
    uint64_t first[64];
    for (uint64_t i = 0; i < 64; i++) {
        Rng rng = rng_seeded(i / 8, i % 8);
        first[i] = rng_bits(&rng);
        for (uint64_t j = 0; j < i; j++) {
            assert_true(first[i] != first[j]);
        }
    }
    Rng a = rng_seeded(11, 0), b = rng_seeded(11, 1); /* and do not go along with each other */
    double product = 0.0;
    for (int i = 0; i < 50000; i++) {
        product += ((double)rng_uniform(&a) - 0.5) * ((double)rng_uniform(&b) - 0.5) / 50000;
    }
    assert_close(product, 0.0, 5.0 / 12.0 / sqrt(50000.0), 0.0);
}

/* The bits as a number in [0, 1). */
static float counter_uniform(uint64_t key, uint64_t counter) {
    return (float)(rng_counter_bits(key, counter) >> 40) * 0x1p-24f;
}

static void test_counter_numbers_are_known_and_need_no_order(void **state) {
    (void)state;
    static const double expected[] = {0.652448475, 0.701212108, 0.368189514, 0.223147452,
                                      0.266847134};
    static const uint64_t key[] = {0, 0, 1, 12345, UINT64_MAX};
    static const uint64_t counter[] = {0, 1, 0, 6789, UINT64_MAX};
    for (int round = 0; round < 2; round++) {
        for (int n = 0; n < 5; n++) {
            int i = round == 0 ? n : 4 - n;
            assert_close((double)counter_uniform(key[i], counter[i]), expected[i], 0.0, 1e-8);
        }
    }
}

static void test_counter_numbers_are_uniform_and_unrelated(void **state) {
    (void)state;
    enum { N = 100000 };
    double mean = 0.0, square = 0.0, neighbour = 0.0, other_key = 0.0;
    for (uint64_t i = 0; i < N; i++) {
        double x = (double)counter_uniform(9, i) - 0.5;
        assert_true(x >= -0.5 && x < 0.5);
        mean += x / N;
        square += x * x / N;
        neighbour += x * ((double)counter_uniform(9, i + 1) - 0.5) / N;
        other_key += x * ((double)counter_uniform(10, i) - 0.5) / N;
    }
    double error = 1.0 / 12.0 / sqrt((double)N);
    assert_close(mean, 0.0, 0.0046, 0.0);
    assert_close(square, 1.0 / 12.0, 0.0012, 0.0);
    assert_close(neighbour, 0.0, 5.0 * error, 0.0);
    assert_close(other_key, 0.0, 5.0 * error, 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_vector_of_xoshiro256pp),
        cmocka_unit_test(test_known_bits_of_seed_and_stream),
        cmocka_unit_test(test_known_uniform_and_normal_numbers),
        cmocka_unit_test(test_known_whole_numbers_and_permutation),
        cmocka_unit_test(test_uniform_range_mean_and_variance),
        cmocka_unit_test(test_range_stays_in_its_bounds),
        cmocka_unit_test(test_normal_moments),
        cmocka_unit_test(test_below_has_no_bias),
        cmocka_unit_test(test_a_permutation_has_every_number_once),
        cmocka_unit_test(test_all_permutations_are_equally_likely),
        cmocka_unit_test(test_streams_and_seeds_differ),
        cmocka_unit_test(test_counter_numbers_are_known_and_need_no_order),
        cmocka_unit_test(test_counter_numbers_are_uniform_and_unrelated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
