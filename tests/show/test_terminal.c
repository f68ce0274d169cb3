#include "support/screen.h"

#include <stdlib.h>

/* A terminal that really is one: the far end of a pseudo terminal would do, but what matters here
 * is what the environment adds. tests/lesson/test_walkthrough.c runs on a real one. */
static void clear_environment(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG", "NO_COLOR", "COLUMNS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsetenv(names[i]);
    }
    setenv("TERM", "xterm", 1);
}

static bool unicode_with(const char *name, const char *value) {
    clear_environment();
    setenv(name, value, 1);
    return terminal_new(stdout, false).unicode;
}

static void test_locale_decides_about_unicode(void **state) {
    (void)state;
    clear_environment();
    assert_false(terminal_new(stdout, false).unicode);
    assert_true(unicode_with("LC_ALL", "C.UTF-8"));
    assert_true(unicode_with("LANG", "fr_FR.utf8"));
    assert_true(unicode_with("LC_CTYPE", "UTF-8"));
    assert_false(unicode_with("LC_ALL", "C"));
    assert_false(unicode_with("LANG", "de_DE.ISO-8859-1"));
    setenv("LANG", "en_US.UTF-8", 1);
    setenv("LC_ALL", "C", 1); /* stands above LANG */
    assert_false(terminal_new(stdout, false).unicode);
    setenv("LC_ALL", "", 1); /* set, but empty: as if it were not */
    assert_true(terminal_new(stdout, false).unicode);
}

static void test_a_file_gets_no_color(void **state) {
    (void)state;
    clear_environment();
    FILE *file = tmpfile();
    Terminal term = terminal_new(file, false);
    assert_false(term.is_tty);
    assert_false(term.color);
    assert_int_equal(terminal_width(&term), TERMINAL_PIPE_WIDTH);
    fclose(file);
}

static void test_width_is_kept_in_bounds(void **state) {
    (void)state;
    clear_environment();
    Screen screen = screen_new(SCREEN_PLAIN);
    setenv("COLUMNS", "40", 1);
    assert_int_equal(terminal_width(&screen.term), 40);
    setenv("COLUMNS", "300", 1);
    assert_int_equal(terminal_width(&screen.term), TERMINAL_MAX_WIDTH);
    setenv("COLUMNS", "1", 1);
    assert_in_range(terminal_width(&screen.term), 1, 20);
    setenv("COLUMNS", "many", 1);
    assert_int_equal(terminal_width(&screen.term), TERMINAL_PIPE_WIDTH);
    screen_free(&screen);
}

static void test_styles_only_with_color(void **state) {
    (void)state;
    Screen plain = screen_new(SCREEN_PLAIN), color = screen_new(SCREEN_COLOR);
    terminal_put(&plain.term, STYLE_RED, "\nfails\n");
    terminal_put(&color.term, STYLE_RED, "\nfails\n");
    terminal_put(&color.term, STYLE_RED, "\n");
    screen_check(&plain, "\nfails\n");
    screen_check(&color, "\n\033[1;31mfails\033[0m\n\n");
    screen_free(&plain);
    screen_free(&color);
}

/* A token of a data file may be anything. */
static void test_data_cannot_steer_the_terminal(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_COLOR);
    terminal_print(&screen.term, "%s",
                   "a\033[2Jb\a\177\xC2\x9B"
                   "c\td\r\xE2\x80\xAE"
                   "e\xFF\n");
    screen_check(&screen, "a?[2Jb???c d ?e\xEF\xBF\xBD\n");
    screen_free(&screen);
}

static void test_plain_ascii_in_the_c_locale(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE_ASCII);
    terminal_prose(&screen.term, "%s",
                   "L\xE2\x80\x99\xC5\x93uvre \xE2\x80\x94 caf\xC3\xA9 \xE4\xB8\xAD \xFF");
    screen_check(&screen, "L'oeuvre - cafe ? ?\n");
    assert_true(screen_is_ascii(screen.text));
    screen_free(&screen);
}

static void test_prose_is_wrapped_at_the_width(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE);
    for (int i = 0; i < 30; i++) {
        terminal_prose(&screen.term, "%*s%d words and \xC3\xA9l\xC3\xA8ves, %s", i, "", i,
                       "one after the other until the line is full and the next one must begin");
    }
    assert_in_range(screen_widest(screen_text(&screen)), 70, TERMINAL_PIPE_WIDTH);
    screen_free(&screen);
}

static void test_tagged_prose_is_indented_below_its_tag(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PLAIN);
    setenv("COLUMNS", "20", 1);
    terminal_prose_tagged(&screen.term, STYLE_GREEN, "[holds]", "one two three four");
    screen_check(&screen, "[holds] one two\n        three four\n");
    screen_free(&screen);
}

static void test_fit_cuts_and_pads(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE), ascii = screen_new(SCREEN_PIPE_ASCII);
    static const struct {
        bool ascii;
        const char *text;
        int columns;
        bool right;
        const char *fitted;
    } cases[] = {{false, "ab", 4, false, "ab  "},
                 {false, "ab", 4, true, "  ab"},
                 {false, "\xC3\xA9t\xC3\xA9", 3, false, "\xC3\xA9t\xC3\xA9"},
                 {false, "abcdef", 4, false, "abc\xE2\x80\xA6"},
                 {true, "abcdef", 4, false, "abc~"},
                 {true, "\xC5\x93", 3, true, " oe"},
                 {false, "abc", 0, false, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Terminal *term = cases[i].ascii ? &ascii.term : &screen.term;
        char *fitted = terminal_fit(term, cases[i].text, cases[i].columns, cases[i].right);
        assert_string_equal(fitted, cases[i].fitted);
        free(fitted);
    }
    screen_free(&screen);
    screen_free(&ascii);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locale_decides_about_unicode),
        cmocka_unit_test(test_a_file_gets_no_color),
        cmocka_unit_test(test_width_is_kept_in_bounds),
        cmocka_unit_test(test_styles_only_with_color),
        cmocka_unit_test(test_data_cannot_steer_the_terminal),
        cmocka_unit_test(test_plain_ascii_in_the_c_locale),
        cmocka_unit_test(test_prose_is_wrapped_at_the_width),
        cmocka_unit_test(test_tagged_prose_is_indented_below_its_tag),
        cmocka_unit_test(test_fit_cuts_and_pads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
