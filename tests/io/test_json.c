#include "assert_close.h"

#include <stdlib.h>

#include "io/json.h"

/* The string that a text is, or what is said against it. */
static void check_string(const char *text, const char *meant) {
    Error error = {""};
    Json json = json_begin(text, strlen(text), &error);
    char *found = json_string(&json);
    assert_non_null(found);
    assert_string_equal(found, meant);
    assert_true(json_end(&json));
    free(found);
}

static void expect_no_string(const char *text, size_t size, const char *says) {
    Error error = {""};
    char *exact = malloc(size + 1); /* not a byte more, for the sanitizers to see */
    memcpy(exact, text, size);
    Json json = json_begin(exact, size, &error);
    assert_null(json_string(&json));
    if (strstr(error.text, says) == NULL) {
        fail_msg("%s: \"%s\", and not: %s", text, error.text, says);
    }
    free(exact);
}

static void test_strings(void **state) {
    (void)state;
    check_string("\"\"", "");
    check_string(" \t\r\n\"a b\" ", "a b");
    check_string("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
    check_string("\"\\u0041\\u00e9\\u20AC\"", "A\xC3\xA9\xE2\x82\xAC");
    check_string("\"\\uD834\\uDD1E\"", "\xF0\x9D\x84\x9E");
    check_string("\"\xC3\xA9\xEF\xBF\xBD\"", "\xC3\xA9\xEF\xBF\xBD"); /* U+FFFD itself is fine */
    check_string("\"\x7f\"", "\x7f");
}

static void test_what_is_no_string(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", "byte 1: a string is needed"},
        {"  x", "byte 3: a string is needed"},
        {"\"abc", "byte 5: the string does not end"},
        {"\"abc\\\"", "byte 7: the string does not end"},
        {"\"abc\\", "no such escape"},
        {"\"\\x41\"", "no such escape"},
        {"\"a\nb\"", "byte 3: a control character"},
        {"\"\xC3\"", "byte 2: not valid UTF-8"},
        {"\"\xC0\x80\"", "not valid UTF-8"},
        {"\"\xED\xA0\x80\"", "not valid UTF-8"},
        {"\"\\u12\"", "four hexadecimal digits"},
        {"\"\\u12G4\"", "four hexadecimal digits"},
        {"\"\\u", "four hexadecimal digits"},
        {"\"\\uD834\"", "half a surrogate pair"},
        {"\"\\uD834\\u0041\"", "half a surrogate pair"},
        {"\"\\uD834\\uDD1\"", "half a surrogate pair"},
        {"\"\\uDD1E\"", "without its first"},
        {"\"\\uD834\\uE000\"", "half a surrogate pair"},
        {"\"\\uD834\\uDBFF\"", "half a surrogate pair"},
        {"\"a\x1F\"", "a control character"},
        {"\"a\\u0000b\"", "U+0000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_no_string(cases[i][0], strlen(cases[i][0]), cases[i][1]);
    }
    expect_no_string("\"a\0b\"", 5, "a control character");
}

static void expect_number(const char *text, bool good, uint64_t meant, const char *says) {
    Error error = {""};
    Json json = json_begin(text, strlen(text), &error);
    uint64_t value = 1;
    bool ok = json_whole(&json, &value) && json_end(&json);
    assert_int_equal(ok, good);
    if (good) {
        assert_true(value == meant);
    } else {
        assert_non_null(strstr(error.text, says));
    }
}

static void test_numbers(void **state) {
    (void)state;
    expect_number("0", true, 0, "");
    expect_number(" 12 ", true, 12, "");
    expect_number("9223372036854775807", true, INT64_MAX, "");
    expect_number("9223372036854775808", false, 0, "too large");
    expect_number("99999999999999999999999999", false, 0, "too large");
    expect_number("-1", false, 0, "without a sign");
    expect_number("+1", false, 0, "without a sign");
    expect_number("", false, 0, "a whole number is needed");
    expect_number("01", false, 0, "a zero before it");
    expect_number("00", false, 0, "a zero before it");
    expect_number("1.0", false, 0, "a whole number is needed");
    expect_number("1e3", false, 0, "a whole number is needed");
    expect_number("1 2", false, 0, "nothing may follow");
    expect_number("NaN", false, 0, "a whole number is needed");
}

static void test_punctuation(void **state) {
    (void)state;
    Error error = {""};
    Json json = json_begin(" { ,}", 5, &error);
    assert_false(json_next(&json, '['));
    assert_true(json_next(&json, '{'));
    assert_true(json_expect(&json, ','));
    assert_false(json_end(&json));
    assert_string_equal(error.text, "JSON, byte 5: nothing may follow here");
    assert_true(json_expect(&json, '}'));
    assert_true(json_end(&json));
    assert_false(json_expect(&json, ']'));
    assert_string_equal(error.text, "JSON, byte 6: ']' is needed here, and the text ends");
    json = json_begin("\0", 1, &error); /* a NUL is no blank, and no end */
    assert_false(json_next(&json, '{'));
    assert_false(json_end(&json));
}

static void test_written_strings_come_back(void **state) {
    (void)state;
    static const char *const texts[] = {"", "a \"b\" \\ \n\t\x01\x7f", "l'\xC3\xA9l\xC3\xA8ve",
                                        "\xF0\x9D\x84\x9E"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *written = NULL;
        size_t size;
        FILE *out = open_memstream(&written, &size);
        json_put_string(out, texts[i]);
        fclose(out);
        check_string(written, texts[i]);
        free(written);
    }
    char *written = NULL;
    size_t size;
    FILE *out = open_memstream(&written, &size);
    json_put_string(out, "a\xFF\x62");
    fclose(out);
    check_string(written, "a\xEF\xBF\xBD\x62");
    free(written);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_what_is_no_string),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_punctuation),
        cmocka_unit_test(test_written_strings_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
