#include "support/screen.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/utf8.h"
#include "show/progress.h"

/* faults 29: in a pipe a line comes every fifth of the way, without seconds, and the last says how
 * it ended. */
static void test_lines_in_a_pipe(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE);
    Progress progress = progress_begin(&screen.term, "with attention", 1000, false);
    for (int step = 1; step <= 1000; step++) {
        progress_update(&progress, step, 1.0 / step, step % 100 == 0 ? "exact" : NULL, 0.5);
    }
    progress_end(&progress);
    screen_check(&screen, "  with attention   200/1000  loss 5.00e-03  exact 0.500\n"
                          "  with attention   400/1000  loss 2.50e-03  exact 0.500\n"
                          "  with attention   600/1000  loss 1.67e-03  exact 0.500\n"
                          "  with attention   800/1000  loss 1.25e-03  exact 0.500\n"
                          "  with attention  1000/1000  loss 1.00e-03  exact 0.500\n");
    screen_free(&screen);
}

static void test_short_trainings_and_early_ends(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE);
    Progress progress = progress_begin(&screen.term, "a", 1, false);
    progress_update(&progress, 1, (double)NAN, NULL, 0);
    progress_end(&progress);
    progress = progress_begin(&screen.term, "b", 10, false);
    progress_update(&progress, 1, 2.5, NULL, 0);
    progress_end(&progress);
    progress = progress_begin(&screen.term, "nothing", 10, false);
    progress_end(&progress);
    progress = progress_begin(&screen.term, "none to do", 0, false);
    progress_end(&progress);
    screen_check(&screen, "  a  1/1\n  b   1/10  loss 2.500  stopped early\n");
    screen_free(&screen);
}

static void test_fleeting_says_nothing_in_a_pipe(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE);
    Progress progress = progress_begin(&screen.term, "needed", 3, true);
    for (int step = 1; step <= 3; step++) {
        progress_update(&progress, step, 1, NULL, 0);
    }
    progress_end(&progress);
    screen_check(&screen, "");
    screen_free(&screen);
}

/* Every text between two returns to the start of the line. */
static int widest_drawing(char *text) {
    int widest = 0;
    for (char *part; (part = strsep(&text, "\r\n"));) {
        int width = utf8_width(part);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void test_bar_is_never_wider_than_the_window(void **state) {
    (void)state;
    static const int widths[] = {8, 12, 20, 33, 47, 60, 80, 100};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        char columns[16];
        snprintf(columns, sizeof columns, "%d", widths[i]);
        setenv("COLUMNS", columns, 1);
        Screen screen = screen_new(SCREEN_PLAIN);
        Progress progress = progress_begin(
            &screen.term, "\xC3\xA9l\xC3\xA8ve with a very long name indeed", 100000, false);
        progress.started -= 60; /* so that there is a time left */
        progress_update(&progress, 50000, 123.456, "exact match", 0.25);
        progress_end(&progress);
        char *copy = strdup(screen_text(&screen));
        assert_in_range(widest_drawing(copy), widths[i] / 2, widths[i] - 1);
        assert_null(strchr(copy, '\033'));
        free(copy);
        screen_free(&screen);
    }
}

static void test_bar_has_all_there_is_to_say(void **state) {
    (void)state;
    setenv("COLUMNS", "100", 1);
    Screen screen = screen_new(SCREEN_PLAIN), color = screen_new(SCREEN_COLOR);
    screen.term.unicode = false;
    Progress progress = progress_begin(&screen.term, "with", 100, false);
    progress.started -= 30;
    progress_update(&progress, 75, 0.213, "exact", 0.62);
    const char *text = screen_text(&screen);
    assert_non_null(strstr(text, "\r  with [##################------]   75/100  loss 0.213  exact "
                                 "0.620  10 s left"));
    progress_update(&progress, 100, 0.1, "exact", 1);
    progress_end(&progress);
    assert_non_null(strstr(screen_text(&screen), "\r  with  100/100  loss 0.100  exact 1.000  "));
    assert_int_equal(screen.text[strlen(screen.text) - 1], '\n');
    progress = progress_begin(&color.term, "with", 100, false);
    progress_update(&progress, 50, 0.2, NULL, 0);
    assert_null(strchr(screen_text(&color), '\033'));
    progress_end(&progress);
    screen_free(&screen);
    screen_free(&color);
}

static void test_bar_is_drawn_ten_times_a_second_at_most(void **state) {
    (void)state;
    setenv("COLUMNS", "80", 1);
    Screen screen = screen_new(SCREEN_PLAIN);
    Progress progress = progress_begin(&screen.term, "fast", 1 << 20, false);
    double started = progress_clock();
    int step = 0;
    while (progress_clock() - started < 0.35) {
        progress_update(&progress, ++step, 1, NULL, 0);
    }
    int drawings = 0;
    for (const char *at = screen_text(&screen); (at = strchr(at, '\r')); at++) {
        drawings++;
    }
    assert_in_range(drawings, 2, 4);
    progress_end(&progress);
    screen_free(&screen);
}

static void test_hidden_and_fleeting_leave_nothing(void **state) {
    (void)state;
    setenv("COLUMNS", "20", 1);
    Screen screen = screen_new(SCREEN_PLAIN);
    Progress progress = progress_begin(&screen.term, "x", 2, true);
    progress_update(&progress, 1, 1, NULL, 0);
    size_t drawn = strlen(screen_text(&screen));
    progress_hide(&progress);
    assert_string_equal(screen_text(&screen) + drawn, "\r                   \r");
    progress_update(&progress, 2, 1, NULL, 0); /* drawn again at once */
    assert_non_null(strstr(screen_text(&screen) + drawn, "2/2"));
    progress_end(&progress);
    const char *text = screen_text(&screen);
    assert_string_equal(text + strlen(text) - 21, "\r                   \r");
    screen_free(&screen);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_in_a_pipe),
        cmocka_unit_test(test_short_trainings_and_early_ends),
        cmocka_unit_test(test_fleeting_says_nothing_in_a_pipe),
        cmocka_unit_test(test_bar_is_never_wider_than_the_window),
        cmocka_unit_test(test_bar_has_all_there_is_to_say),
        cmocka_unit_test(test_bar_is_drawn_ten_times_a_second_at_most),
        cmocka_unit_test(test_hidden_and_fleeting_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
