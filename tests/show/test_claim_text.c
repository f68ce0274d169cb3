#include "show/claim_text.h"

#include "assert_close.h"

static void assert_numbers(const char *sentence, double value, double bound, const char *value_text,
                           const char *bound_text) {
    char left[CLAIM_NUMBER_SIZE], right[CLAIM_NUMBER_SIZE];
    claim_numbers(sentence, value, bound, left, right);
    assert_string_equal(left, value_text);
    assert_string_equal(right, bound_text);
}

static void test_plain_numbers_and_percent(void **state) {
    (void)state;
    assert_numbers("matches", .4121, .6, "0.412", "0.6");
    assert_numbers("matches, %", .4121, .6, "41.2 %", "60 %");
    assert_numbers("counts", 3072, 4096, "3072", "4096");
    assert_numbers("small", 1.5e-7, 1e-6, "1.5e-07", "1e-06");
    assert_numbers("nothing", NAN, 1, "nan", "1");
}

static void test_more_digits_where_rounding_hides_the_difference(void **state) {
    (void)state;
    assert_numbers("below 60 %", .5998, .6, "59.98 %", "60 %");
    assert_numbers("equal", .6, .6, "0.6", "0.6");
}

/* The gallery reads them from files anybody may have written. */
static void test_absurd_numbers_fit_their_room(void **state) {
    (void)state;
    const double absurd[] = {1e308, -1e308, INFINITY, -INFINITY, NAN, 5e-324, 1e9, -123456789.123};
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            char value[CLAIM_NUMBER_SIZE + 8], bound[CLAIM_NUMBER_SIZE + 8];
            memset(value, '#', sizeof value);
            memset(bound, '#', sizeof bound);
            claim_numbers("percent, %", absurd[i], j == 7 ? .5 : absurd[j], value, bound);
            assert_true(strnlen(value, sizeof value) < CLAIM_NUMBER_SIZE);
            assert_true(strnlen(bound, sizeof bound) < CLAIM_NUMBER_SIZE);
            assert_int_equal(value[CLAIM_NUMBER_SIZE], '#');
            assert_int_equal(bound[CLAIM_NUMBER_SIZE], '#');
        }
    }
}

static void test_a_percent_sign_at_the_end_is_not_shown(void **state) {
    (void)state;
    assert_int_equal(claim_shown_length("matches, %"), 7);
    assert_int_equal(claim_shown_length("60 % of them"), 12);
    assert_int_equal(claim_shown_length(", %"), 3);
    assert_int_equal(claim_shown_length(""), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_numbers_and_percent),
        cmocka_unit_test(test_more_digits_where_rounding_hides_the_difference),
        cmocka_unit_test(test_absurd_numbers_fit_their_room),
        cmocka_unit_test(test_a_percent_sign_at_the_end_is_not_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
