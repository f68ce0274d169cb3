#include "support/screen.h"

#include <math.h>
#include <stdlib.h>

static void test_name_shape_and_aligned_numbers(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE);
    const float values[] = {0.12f, -0.5f, 10, -0.33f, 0.01f, -0.0001f};
    terminal_matrix(&screen.term, "q", values, 2, 3, NULL, NULL);
    screen_check(&screen, "q (2, 3)\n"
                          "   0.120  -0.500  10.000\n"
                          "  -0.330   0.010   0.000\n");
    screen_free(&screen);
}

static void test_notation_fits_the_numbers(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE);
    const float whole[] = {1, -2, 300}, tiny[] = {0, 2e-5f, -3e-9f}, huge[] = {12345.5f, 1, 0},
                odd[] = {NAN, INFINITY, -INFINITY};
    terminal_vector(&screen.term, "whole", whole, 3);
    terminal_vector(&screen.term, "tiny", tiny, 3);
    terminal_vector(&screen.term, "huge", huge, 3);
    terminal_vector(&screen.term, "odd", odd, 3);
    screen_check(&screen, "whole (3)\n    1   -2  300\n"
                          "tiny (3)\n          0   2.00e-05  -3.00e-09\n"
                          "huge (3)\n  12345.5      1.0      0.0\n"
                          "odd (3)\n   nan   inf  -inf\n");
    screen_free(&screen);
}

static void test_labels_with_accents(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE), ascii = screen_new(SCREEN_PIPE_ASCII);
    const float values[] = {1, 2, 3, 4};
    const char *const rows[] = {"c\xC5\x93ur", "a"}, *const cols[] = {"\xC3\xA9t\xC3\xA9", "b"};
    terminal_matrix(&screen.term, "x", values, 2, 2, rows, cols);
    terminal_matrix(&ascii.term, "x", values, 2, 2, rows, cols);
    screen_check(&screen, "x (2, 2)\n"
                          "        \xC3\xA9t\xC3\xA9    b\n"
                          "  c\xC5\x93ur    1    2\n"
                          "  a       3    4\n");
    screen_check(&ascii, "x (2, 2)\n"
                         "         ete    b\n"
                         "  coeur    1    2\n"
                         "  a        3    4\n");
    screen_free(&screen);
    screen_free(&ascii);
}

static void test_large_ones_are_cut_and_say_so(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE);
    float *values = calloc(100 * 50, sizeof *values);
    for (int i = 0; i < 5000; i++) {
        values[i] = (float)i + 0.5f;
    }
    terminal_matrix(&screen.term, "big", values, 100, 50, NULL, NULL);
    terminal_vector(&screen.term, "long", values, 5000);
    const char *text = screen_text(&screen);
    assert_non_null(strstr(text, "big (100, 50)"));
    assert_non_null(strstr(text, "  ...\n"));
    assert_non_null(strstr(text, "... (77 more rows)\n"));
    assert_non_null(strstr(text, " more)\n"));
    assert_in_range(screen_widest(text), 60, TERMINAL_PIPE_WIDTH);
    free(values);
    screen_free(&screen);
}

static void test_very_narrow_windows(void **state) {
    (void)state;
    setenv("COLUMNS", "8", 1);
    Screen screen = screen_new(SCREEN_PLAIN);
    const float values[] = {1.5f, 2.5f, 3.5f, 4.5f};
    terminal_matrix(&screen.term, "x", values, 1, 4, NULL, NULL);
    terminal_vector(&screen.term, "v", values, 4);
    assert_non_null(strstr(screen_text(&screen), "1.500"));
    assert_non_null(strstr(screen.text, "4.500"));
    screen_free(&screen);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_name_shape_and_aligned_numbers),
        cmocka_unit_test(test_notation_fits_the_numbers),
        cmocka_unit_test(test_labels_with_accents),
        cmocka_unit_test(test_large_ones_are_cut_and_say_so),
        cmocka_unit_test(test_very_narrow_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
