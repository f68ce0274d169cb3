#include "support/screen.h"

#include <stdlib.h>

#include "show/wrap.h"

static const Terminal pipe_term = {.unicode = true};

/* The lines joined by '|'. */
static void expect(const Terminal *term, const char *text, int columns, const char *lines) {
    Wrapped wrapped = wrap_text(term, text, columns);
    char joined[512] = "";
    for (int i = 0; i < wrapped.count; i++) {
        size_t used = strlen(joined);
        snprintf(joined + used, sizeof joined - used, "%s%s", i > 0 ? "|" : "", wrapped.line[i]);
    }
    assert_string_equal(joined, lines);
    wrapped_free(&wrapped);
}

static void test_words_stay_whole(void **state) {
    (void)state;
    expect(&pipe_term, "one two three", 7, "one two|three");
    expect(&pipe_term, "one two three", 6, "one|two|three");
    expect(&pipe_term, "one two three", 13, "one two three");
    expect(&pipe_term, "", 5, "");
}

static void test_columns_are_counted_not_bytes(void **state) {
    (void)state;
    expect(&pipe_term, "\xC3\xA9t\xC3\xA9 \xC3\xA9t\xC3\xA9", 7,
           "\xC3\xA9t\xC3\xA9 \xC3\xA9t\xC3\xA9");
    const Terminal ascii = {0};
    expect(&ascii, "c\xC5\x93ur c\xC5\x93ur", 9, "coeur|coeur");
}

static void test_newlines_and_leading_spaces(void **state) {
    (void)state;
    expect(&pipe_term, "a\n\nb\n", 9, "a||b");
    expect(&pipe_term, "  one two three", 9, "  one two|  three");
    expect(&pipe_term, "a  b   c", 80, "a  b   c");
    expect(&pipe_term, "one two ", 4, "one|two");
}

static void test_percent_stays_with_its_number(void **state) {
    (void)state;
    expect(&pipe_term, "it is 41.2 % now", 10, "it is|41.2 % now");
    expect(&pipe_term, "below 60 %: yes", 9, "below|60 %: yes");
}

static void test_words_longer_than_a_line_are_cut(void **state) {
    (void)state;
    expect(&pipe_term, "abcdefgh", 3, "abc|def|gh");
    expect(&pipe_term, "x abcdefgh y", 4, "x|abcd|efgh|y");
    expect(&pipe_term, "\xC3\xA9\xC3\xA9\xC3\xA9", 2, "\xC3\xA9\xC3\xA9|\xC3\xA9");
    expect(&pipe_term, "abc", 0, "a|b|c");
    expect(&pipe_term, "     ab", 4, "  ab");
}

static char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *format_text(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = text_format(format, arguments);
    va_end(arguments);
    return text;
}

static void test_format_has_no_limit(void **state) {
    (void)state;
    char *text = format_text("%5000d|%s", 7, "end");
    assert_int_equal(strlen(text), 5004);
    assert_string_equal(text + 4999, "7|end");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_stay_whole),
        cmocka_unit_test(test_columns_are_counted_not_bytes),
        cmocka_unit_test(test_newlines_and_leading_spaces),
        cmocka_unit_test(test_percent_stays_with_its_number),
        cmocka_unit_test(test_words_longer_than_a_line_are_cut),
        cmocka_unit_test(test_format_has_no_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
