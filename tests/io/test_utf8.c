#include "assert_close.h"

#include <stdlib.h>

#include "io/utf8.h"

static void test_every_code_point_comes_back(void **state) {
    (void)state;
    for (uint32_t code = 1; code <= 0x10FFFF; code++) {
        char bytes[UTF8_MAX];
        size_t size = utf8_encode(code, bytes);
        bool surrogate = code >= 0xD800 && code <= 0xDFFF;
        uint32_t expected = surrogate ? UTF8_REPLACEMENT : code, read = 0;
        size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        if (size != length || strlen(bytes) != size || utf8_decode(bytes, size, &read) != size ||
            read != expected) {
            fail_msg("U+%04X: %zu bytes, read as U+%04X", (unsigned)code, size, (unsigned)read);
        }
    }
    char bytes[UTF8_MAX];
    utf8_encode(0x110000, bytes);
    assert_string_equal(bytes, "\xEF\xBF\xBD");
}

static void test_known_bytes(void **state) {
    (void)state;
    const char *text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
    assert_int_equal(utf8_next(&text), 'a');
    assert_int_equal(utf8_next(&text), 0xE9);
    assert_int_equal(utf8_next(&text), 0x20AC);
    assert_int_equal(utf8_next(&text), 0x1F600);
    assert_int_equal(utf8_next(&text), 0);
    assert_int_equal(utf8_next(&text), 0); /* stays at the end */
    uint32_t code = 5;
    assert_int_equal(utf8_decode("", 0, &code), 0);
    assert_int_equal(utf8_decode("\0x", 2, &code), 1);
    assert_int_equal(code, 0);
}

/* faults.md 31: invalid UTF-8. Every bad byte reads as one U+FFFD, and what follows is still read.
 */
static void test_bad_bytes(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t bad_at, length;
    } cases[] = {
        {"\x80", 0, 1},             /* a continuation byte without a start */
        {"ab\xC3", 2, 3},           /* cut off at the end */
        {"\xE2\x82", 0, 2},         /* the same with three */
        {"\xF0\x9F\x98", 0, 3},     /* and with four */
        {"\xC3(", 0, 2},            /* a start without its continuation */
        {"\xC0\x80", 0, 2},         /* overlong NUL */
        {"\xC1\xBF", 0, 2},         /* overlong ASCII */
        {"\xE0\x80\xAF", 0, 3},     /* overlong slash in three */
        {"\xF0\x80\x80\xAF", 0, 4}, /* and in four */
        {"x\xED\xA0\x80", 1, 4},    /* a surrogate */
        {"\xF4\x90\x80\x80", 0, 4}, /* above U+10FFFF */
        {"\xF5\x80\x80\x80", 0, 4}, /* far above */
        {"\xFF\xFE", 0, 2},         /* never used */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t bad_at = 99;
        const char *text = cases[i].bytes;
        assert_false(utf8_valid(text, strlen(text), &bad_at));
        assert_int_equal(bad_at, cases[i].bad_at);
        assert_int_equal(utf8_length(text), cases[i].length);
        uint32_t code;
        assert_int_equal(utf8_decode(text + bad_at, strlen(text + bad_at), &code), 1);
        assert_int_equal(code, UTF8_REPLACEMENT);
    }
    const char *text = "\xE2\x82z";
    assert_int_equal(utf8_next(&text), UTF8_REPLACEMENT);
    assert_int_equal(utf8_next(&text), UTF8_REPLACEMENT);
    assert_int_equal(utf8_next(&text), 'z');
}

static void test_valid_text(void **state) {
    (void)state;
    const char *text = "\xC5\x92uvre \xEF\xBF\xBD"; /* a real U+FFFD is no error */
    size_t bad_at = 77;
    assert_true(utf8_valid(text, strlen(text), &bad_at));
    assert_int_equal(bad_at, 77);
    assert_true(utf8_valid("a\0b", 3, NULL));
    assert_true(utf8_valid("", 0, NULL));
    assert_false(utf8_valid("\xC3\xA9", 1, NULL)); /* size counts, not the byte behind it */
}

/* Does not read behind the end, even where the bytes would go on: a sanitizer would stop here. */
static void test_no_byte_behind_the_end(void **state) {
    (void)state;
    static const char whole[] = "\xF0\x9F\x98\x80";
    for (size_t size = 1; size < 4; size++) {
        char *part = malloc(size + 1);
        assert_non_null(part);
        memcpy(part, whole, size);
        part[size] = '\0';
        uint32_t code;
        assert_int_equal(utf8_decode(part, size, &code), 1);
        assert_int_equal(utf8_length(part), size);
        char *bare = malloc(size);
        assert_non_null(bare);
        memcpy(bare, whole, size);
        assert_false(utf8_valid(bare, size, NULL));
        free(bare);
        free(part);
    }
}

static void test_cuts_between_characters(void **state) {
    (void)state;
    const char *text = "a\xC3\xA9\xE2\x82\xACz"; /* 1 + 2 + 3 + 1 bytes */
    static const size_t truncated[] = {0, 1, 1, 3, 3, 3, 6, 7, 7};
    for (size_t limit = 0; limit < 9; limit++) {
        assert_int_equal(utf8_truncate(text, limit), truncated[limit]);
    }
    static const size_t prefix[] = {0, 1, 3, 6, 7, 7};
    for (size_t count = 0; count < 6; count++) {
        assert_int_equal(utf8_prefix(text, count), prefix[count]);
    }
    assert_int_equal(utf8_length(text), 4);
}

static void test_widths(void **state) {
    (void)state;
    assert_int_equal(utf8_width(""), 0);
    assert_int_equal(utf8_width("\xC3\xA9t\xC3\xA9"), 3);
    assert_int_equal(utf8_width("e\xCC\x81"), 1);                /* a letter and its accent */
    assert_int_equal(utf8_width("\xE4\xB8\xAD\xE6\x96\x87"), 4); /* two wide characters */
    assert_int_equal(utf8_code_width(0x1F600), 2);
    assert_int_equal(utf8_code_width(0x200B), 0);
    assert_int_equal(utf8_code_width(0x2026), 1);
}

static void test_shortening(void **state) {
    (void)state;
    char out[16];
    assert_int_equal(utf8_shorten(out, sizeof out, "\xC3\xA9l\xC3\xA8ve", 5, false), 5);
    assert_string_equal(out, "\xC3\xA9l\xC3\xA8ve");
    assert_int_equal(utf8_shorten(out, sizeof out, "\xC3\xA9l\xC3\xA8ves", 5, false), 5);
    assert_string_equal(out, "\xC3\xA9l\xC3\xA8v\xE2\x80\xA6");
    assert_int_equal(utf8_shorten(out, sizeof out, "abcdef", 4, true), 4);
    assert_string_equal(out, "abc~");
    assert_int_equal(utf8_shorten(out, sizeof out, "\xE4\xB8\xAD\xE6\x96\x87", 3, true), 3);
    assert_string_equal(out, "\xE4\xB8\xAD~"); /* the second would need two columns */
    assert_int_equal(utf8_shorten(out, sizeof out, "abc", 0, false), 0);
    assert_string_equal(out, "");
    assert_int_equal(utf8_shorten(out, 6, "abcdefgh", 8, true), 5); /* the buffer is the limit */
    assert_string_equal(out, "abcd~");
    assert_int_equal(utf8_shorten(out, 0, "abc", 3, true), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code_point_comes_back),
        cmocka_unit_test(test_known_bytes),
        cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_valid_text),
        cmocka_unit_test(test_no_byte_behind_the_end),
        cmocka_unit_test(test_cuts_between_characters),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_shortening),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
