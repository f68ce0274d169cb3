#include "show/escape.h"

#include "gallery_folder.h"

static void assert_html(const char *text, const char *expected) {
    WRITTEN(html, html_put(out, text));
    assert_string_equal(html, expected);
    free(html);
}

static void assert_url(const char *path, const char *expected) {
    WRITTEN(url, url_put(out, path));
    assert_string_equal(url, expected);
    free(url);
}

static void assert_json(const char *text, const char *expected) {
    WRITTEN(json, json_put(out, text));
    assert_string_equal(json, expected);
    free(json);
}

static void test_html_of_markup(void **state) {
    (void)state;
    assert_html("", "");
    assert_html(NULL, "");
    assert_html("a < b && c > \"d\" 'e'", "a &lt; b &amp;&amp; c &gt; &quot;d&quot; &#39;e&#39;");
    assert_html("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;");
    assert_html("&amp;", "&amp;amp;");
    assert_html("\xC3\xA9t\xC3\xA9", "\xC3\xA9t\xC3\xA9");
}

/* faults.md 31: bytes that are no UTF-8. Control characters, and those that turn the direction of
 * writing so that "gpj.exe" reads as "exe.jpg". */
static void test_what_nobody_should_meet_becomes_one_mark(void **state) {
    (void)state;
    assert_html("a\tb\nc\r", "a b c ");
    assert_html("a\x01\x1B[31m\x7F", "a\xEF\xBF\xBD\xEF\xBF\xBD[31m\xEF\xBF\xBD");
    assert_html("\xFF\xC3", "\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_html("\xC2\x9B", "\xEF\xBF\xBD"); /* U+009B, a control */
    assert_html("a\xE2\x80\xAE"
                "b\xE2\x81\xA6\xEF\xBB\xBF",
                "a\xEF\xBF\xBD"
                "b\xEF\xBF\xBD\xEF\xBF\xBD"); /* U+202E, U+2066, U+FEFF */
    assert_html("\xC0\xBCscript>", "\xEF\xBF\xBD\xEF\xBF\xBDscript&gt;"); /* an overlong '<' */
}

static void test_html_is_cut_between_characters(void **state) {
    (void)state;
    WRITTEN(html, html_put_cut(out, "\xC3\xA9\xC3\xA9<b>", 3));
    assert_string_equal(html, "\xC3\xA9\xC3\xA9&lt;\xE2\x80\xA6");
    free(html);
    WRITTEN(whole, html_put_cut(out, "abc", 3));
    assert_string_equal(whole, "abc");
    free(whole);
}

static void test_urls_have_no_other_meaning(void **state) {
    (void)state;
    assert_url("mine/seed_2/a-b.c~1.png", "mine/seed_2/a-b.c~1.png");
    assert_url("javascript:alert(1)", "javascript%3Aalert%281%29");
    assert_url("a b?c#d&e%f", "a%20b%3Fc%23d%26e%25f");
    assert_url("\"'<>\\", "%22%27%3C%3E%5C");
    assert_url("\xC3\xA9\xFF\n", "%C3%A9%FF%0A");
    assert_url(NULL, "");
}

static void test_json_may_stand_in_a_script(void **state) {
    (void)state;
    assert_json("plain", "\"plain\"");
    assert_json("a\"b\\c", "\"a\\\"b\\\\c\"");
    assert_json("</script><!--", "\"\\u003c/script\\u003e\\u003c!--\"");
    assert_json("&lt;", "\"\\u0026lt;\"");
    assert_json("\xE2\x80\xA8\xE2\x80\xA9", "\"\\u2028\\u2029\"");
    assert_json("\t\n\r", "\"\\t\\n\\r\"");
    assert_json("\x01\x7F\xFF", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
    assert_json(NULL, "\"\"");
}

/* Whatever comes in, none of the characters that end or open something comes out. */
static void test_no_byte_gets_through(void **state) {
    (void)state;
    for (int byte = 1; byte < 256; byte++) {
        char text[3] = {(char)byte, (char)byte, '\0'};
        WRITTEN(html, html_put(out, text));
        WRITTEN(url, url_put(out, text));
        WRITTEN(json, json_put(out, text));
        assert_null(strpbrk(html, "<>\"'"));
        assert_null(strpbrk(url, "<>\"' &?#:\\"));
        assert_null(strpbrk(json, "<>&'") != NULL && byte != '\'' ? json : NULL);
        for (const char *at = json + 1; at[1] != '\0'; at++) {
            assert_true((unsigned char)*at >= ' ');
            assert_true(*at != '"' || at[-1] == '\\');
        }
        free(html);
        free(url);
        free(json);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_html_of_markup),
        cmocka_unit_test(test_what_nobody_should_meet_becomes_one_mark),
        cmocka_unit_test(test_html_is_cut_between_characters),
        cmocka_unit_test(test_urls_have_no_other_meaning),
        cmocka_unit_test(test_json_may_stand_in_a_script),
        cmocka_unit_test(test_no_byte_gets_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
