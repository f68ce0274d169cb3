#include "assert_close.h"

#include "data/letters.h"

/* Every code point is of exactly one kind. */
static void test_kinds_do_not_overlap(void **state) {
    (void)state;
    for (uint32_t code = 0; code < 0x11000; code++) {
        int kinds = letter_is_space(code) + letter_is_invisible(code) + letter_is_mark(code) +
                    letter_is_word(code);
        assert_int_equal(kinds, 1);
    }
}

static void test_kinds(void **state) {
    (void)state;
    const uint32_t words[] = {'a', 'Z', '0', 0xE9, 0x153, 0xAA, 0xB5, 0x301, 0x416, 0x4E2D};
    const uint32_t marks[] = {'!',    '/',    ':',    '@',    '[',    '`',    '{',
                              '~',    0xA1,   0xAB,   0xBB,   0xBF,   0xD7,   0xF7,
                              0x2013, 0x2019, 0x2026, 0x20AC, 0x3002, 0xFF01, 0xFFFD};
    const uint32_t spaces[] = {0, '\t', '\n', ' ', 0x7F, 0x85, 0xA0, 0x2009, 0x202F, 0x3000};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_true(letter_is_word(words[i]));
    }
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        assert_true(letter_is_mark(marks[i]));
    }
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        assert_true(letter_is_space(spaces[i]));
    }
    assert_true(letter_is_invisible(0xAD));
    assert_true(letter_is_invisible(0xFEFF));
    assert_true(letter_is_digit('7'));
    assert_false(letter_is_digit('a'));
    assert_false(letter_is_digit(':'));
}

static void test_lower(void **state) {
    (void)state;
    assert_int_equal(letter_lower(0xC9), 0xE9);   /* É */
    assert_int_equal(letter_lower(0x152), 0x153); /* Œ */
    assert_int_equal(letter_lower(0x178), 0xFF);  /* Ÿ */
    assert_int_equal(letter_lower(0xD7), 0xD7);   /* the times sign is no letter */
    assert_int_equal(letter_lower(0xDF), 0xDF);   /* ß */
    assert_int_equal(letter_lower(0x17D), 0x17E); /* Ž */
    assert_int_equal(letter_lower(0x141), 0x142); /* Ł */
    assert_int_equal(letter_lower(0x39B), 0x3BB); /* Greek lambda */
    assert_int_equal(letter_lower(0x416), 0x436); /* Cyrillic zhe */
    assert_int_equal(letter_lower(0x401), 0x451); /* Cyrillic io */
    assert_int_equal(letter_lower('['), '[');
    assert_int_equal(letter_lower('@'), '@');
}

static void test_compose(void **state) {
    (void)state;
    assert_int_equal(letter_compose('e', 0x301), 0xE9);
    assert_int_equal(letter_compose('u', 0x300), 0xF9);
    assert_int_equal(letter_compose('o', 0x302), 0xF4);
    assert_int_equal(letter_compose('n', 0x303), 0xF1);
    assert_int_equal(letter_compose('y', 0x308), 0xFF);
    assert_int_equal(letter_compose('c', 0x327), 0xE7);
    assert_int_equal(letter_compose('x', 0x301), 0);
    assert_int_equal(letter_compose('e', 'a'), 0);
}

static void test_plain_marks(void **state) {
    (void)state;
    assert_int_equal(letter_plain_mark(0x2019), '\'');
    assert_int_equal(letter_plain_mark(0xB4), '\'');
    assert_int_equal(letter_plain_mark(0x201C), '"');
    assert_int_equal(letter_plain_mark(0x2011), '-');
    assert_int_equal(letter_plain_mark(0xAB), 0xAB);
    assert_int_equal(letter_plain_mark('a'), 'a');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_do_not_overlap),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_lower),
        cmocka_unit_test(test_compose),
        cmocka_unit_test(test_plain_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
