#include "assert_close.h"

#include "data/digits.h"

static void assert_addition(int number, const char *expected) {
    int ids[ADDITION_LENGTH];
    char text[ADDITION_LENGTH + 1];
    addition_write(number, ids);
    digits_text(ids, ADDITION_LENGTH, text);
    assert_string_equal(text, expected);
}

static void test_additions_by_hand(void **state) {
    (void)state;
    assert_addition(2758, "27+58=580");
    assert_addition(0, "00+00=000");
    assert_addition(9999, "99+99=891");
    assert_addition(105, "01+05=600");
    assert_addition(6040, "60+40=001");
}

/* All of them, against the sum itself. */
static void test_every_answer_is_the_sum(void **state) {
    (void)state;
    for (int number = 0; number < ADDITION_COUNT; number++) {
        int x[ADDITION_LENGTH];
        addition_write(number, x);
        int a = 10 * x[0] + x[1], b = 10 * x[3] + x[4];
        assert_int_equal(100 * a + b, number);
        assert_int_equal(x[2], DIGITS_PLUS);
        assert_int_equal(x[5], DIGITS_EQUALS);
        assert_int_equal(x[6] + 10 * x[7] + 100 * x[8], a + b);
    }
}

static void test_random_digits(void **state) {
    (void)state;
    enum { B = 5000, N = 3 };
    static int ids[B * (N + 1)];
    int count[N][10] = {{0}}, pair[10][10] = {{0}};
    Rng rng = rng_seeded(1, 1);
    digits_draw(&rng, B, N, ids);
    for (int b = 0; b < B; b++) {
        const int *row = ids + b * (N + 1);
        assert_int_equal(row[0], DIGITS_START);
        for (int i = 0; i < N; i++) {
            assert_in_range(row[i + 1], 0, 9);
            count[i][row[i + 1]]++;
        }
        pair[row[1]][row[2]]++;
    }
    for (int i = 0; i < 10; i++) {
        for (int place = 0; place < N; place++) {
            assert_in_range(count[place][i], 390, 610); /* 500 +- 5 deviations */
        }
        for (int j = 0; j < 10; j++) {           /* the first says nothing about the second */
            assert_in_range(pair[i][j], 15, 85); /* 50 +- 5 deviations */
        }
    }
}

static void test_same_seed_same_digits(void **state) {
    (void)state;
    int ids[2][4 * 6];
    for (int i = 0; i < 2; i++) {
        Rng rng = rng_seeded(3, 1);
        digits_draw(&rng, 4, 5, ids[i]);
    }
    assert_memory_equal(ids[0], ids[1], sizeof ids[0]);
}

static void test_nonsense(void **state) {
    (void)state;
    int ids[ADDITION_LENGTH] = {DIGITS_VOCABULARY};
    char text[4];
    Rng rng = rng_seeded(1, 1);
    expect_check_message("no addition 10000 of 10000", addition_write(ADDITION_COUNT, ids));
    expect_check_message("no addition -1", addition_write(-1, ids));
    expect_check_message("0 sequences of 3 digits", digits_draw(&rng, 0, 3, ids));
    expect_check_message("no symbol 13", digits_text((const int[]){13}, 1, text));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_additions_by_hand), cmocka_unit_test(test_every_answer_is_the_sum),
        cmocka_unit_test(test_random_digits),     cmocka_unit_test(test_same_seed_same_digits),
        cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
