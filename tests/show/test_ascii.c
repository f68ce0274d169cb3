#include "assert_close.h"
#include "show/ascii.h"

static void expect(uint32_t code, const char *text) {
    char own[2];
    assert_string_equal(ascii_of(code, own), text);
}

static void test_letters_lose_their_accents(void **state) {
    (void)state;
    expect(0xE9, "e");
    expect(0xC7, "C");
    expect(0xFF, "y");
    expect(0x153, "oe");
    expect(0x152, "OE");
    expect(0xE6, "ae");
    expect(0xDF, "ss");
    expect(0x17E, "z");
    expect(0x160, "S");
    expect(0x141, "L");
    expect(0x100, "A");
    expect(0x301, "");
}

static void test_signs_of_prose(void **state) {
    (void)state;
    expect(0x2019, "'");
    expect(0x201C, "\"");
    expect(0xAB, "<<");
    expect(0xA0, " ");
    expect(0x2014, "-");
    expect(0x2026, "...");
    expect(0x2192, "->");
    expect(0x2264, "<=");
    expect(0xD7, "x");
    expect(0x3C1, "rho");
}

static void test_ascii_stays_and_the_rest_is_a_question(void **state) {
    (void)state;
    expect('A', "A");
    expect('~', "~");
    expect(0x4E2D, "?");
    expect(0x1F600, "?");
    expect(0xFFFD, "?");
}

/* Whatever the code point, the answer is ASCII. */
static void test_all_answers_are_ascii(void **state) {
    (void)state;
    for (uint32_t code = 1; code < 0x11000; code++) {
        char own[2];
        for (const char *at = ascii_of(code, own); *at; at++) {
            assert_in_range((unsigned char)*at, 1, 127);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_letters_lose_their_accents),
        cmocka_unit_test(test_signs_of_prose),
        cmocka_unit_test(test_ascii_stays_and_the_rest_is_a_question),
        cmocka_unit_test(test_all_answers_are_ascii),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
