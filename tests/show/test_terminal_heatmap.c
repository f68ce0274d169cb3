#include "support/screen.h"

#include <math.h>
#include <stdlib.h>

/* faults 27: an asymmetric map; queries must run down and keys across. */
static void test_queries_down_keys_across(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE);
    const float values[] = {1, 0.5f, 0, 0, 0, 0.25f};
    const char *const rows[] = {"le", "caf\xC3\xA9"}, *const cols[] = {"the", "the", "black"};
    terminal_heatmap(&screen.term, "attention", values, 2, 3, rows, cols);
    screen_check(&screen, "attention (2, 3)\n"
                          "          the    the  black \n"
                          "    le @@1.00 ++ .50      . \n"
                          "  caf\xC3\xA9      .      . :: .25 \n"
                          "       0 \" .:-=+*#%@\" 1\n");
    screen_free(&screen);
}

static void test_shades_grow_with_the_value(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE);
    float values[60];
    for (int i = 0; i < 60; i++) {
        values[i] = (float)(i / 6) / 9.0f;
    }
    terminal_heatmap(&screen.term, "ramp", values, 1, 60, NULL, NULL);
    screen_check(&screen, "ramp (1, 60)\n"
                          "    0         10        20        30        40        50        \n"
                          "  0       ......::::::------======++++++******######%%%%%%@@@@@@\n"
                          "    0 \" .:-=+*#%@\" 1\n");
    screen_free(&screen);
}

/* Row r of the map as text, without its margin. */
static const char *row_after(const char *text, const char *label) {
    const char *at = strstr(text, label);
    return at ? at + strlen(label) : "";
}

static void test_negative_values_put_zero_in_the_middle(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE);
    const float values[] = {-2, 0, 1, 2};
    terminal_heatmap(&screen.term, "grad", values, 1, 4, NULL, NULL);
    const char *text = screen_text(&screen);
    assert_non_null(strstr(text, "-2 \" .:-=+*#%@\" 2\n"));
    assert_non_null(strstr(row_after(text, "\n  0"), "-2.00"));
    assert_non_null(strstr(text, "@@2.00"));
    screen_free(&screen);
}

static void test_color_cells_and_nothing_else(void **state) {
    (void)state;
    setenv("COLUMNS", "80", 1);
    Screen color = screen_new(SCREEN_COLOR), plain = screen_new(SCREEN_PLAIN);
    const float values[] = {0, 1};
    terminal_heatmap(&color.term, "map", values, 1, 2, NULL, NULL);
    terminal_heatmap(&plain.term, "map", values, 1, 2, NULL, NULL);
    const char *text = screen_text(&color);
    assert_non_null(strstr(text, "\033[48;5;"));
    assert_non_null(strstr(text, "1.00 \033[0m"));
    assert_null(strchr(text, '@'));
    assert_null(strchr(screen_text(&plain), '\033'));
    screen_free(&color);
    screen_free(&plain);
}

/* Narrow cells: words run downwards, accents and all. */
static void test_long_sentences_have_words_running_down(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE), ascii = screen_new(SCREEN_PIPE_ASCII);
    const char *words[20];
    float values[20];
    for (int i = 0; i < 20; i++) {
        words[i] = i % 2 ? "\xC3\xA9t\xC3\xA9" : "a";
        values[i] = (float)i;
    }
    terminal_heatmap(&screen.term, "long", values, 1, 20, NULL, words);
    const char *text = screen_text(&screen);
    assert_non_null(strstr(text, "      \xC3\xA9   \xC3\xA9   "));
    assert_non_null(strstr(text, "      t   t   "));
    assert_non_null(strstr(text, "    a \xC3\xA9 a \xC3\xA9 a "));
    terminal_heatmap(&ascii.term, "long", values, 1, 20, NULL, words);
    assert_non_null(strstr(screen_text(&ascii), "    a e a e a "));
    assert_true(screen_is_ascii(ascii.text));
    screen_free(&screen);
    screen_free(&ascii);
}

static void test_too_many_cells_are_averaged(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE);
    int rows = 90, cols = 200;
    float *values = malloc(sizeof *values * (size_t)(rows * cols));
    for (int i = 0; i < rows * cols; i++) {
        values[i] = (float)(i % cols % 2); /* stripes that average to a half */
    }
    terminal_heatmap(&screen.term, "stripes", values, rows, cols, NULL, NULL);
    const char *text = screen_text(&screen);
    assert_non_null(strstr(text, "stripes (90, 200)\n  each cell is the mean of 3 x 4\n"));
    assert_non_null(strstr(text, " 0 \" .:-=+*#%@\" 0.5\n"));
    assert_in_range(screen_widest(text), 40, TERMINAL_PIPE_WIDTH);
    free(values);
    screen_free(&screen);
}

static void test_odd_values(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE);
    const float nans[] = {NAN, 0.5f}, zeros[] = {0, 0}, all_nan[] = {NAN, NAN},
                infinite[] = {INFINITY, -INFINITY}, large[] = {1e9f, 12};
    terminal_heatmap(&screen.term, "nans", nans, 1, 2, NULL, NULL);
    terminal_heatmap(&screen.term, "zeros", zeros, 1, 2, NULL, NULL);
    terminal_heatmap(&screen.term, "all nan", all_nan, 1, 2, NULL, NULL);
    terminal_heatmap(&screen.term, "infinite", infinite, 1, 2, NULL, NULL);
    terminal_heatmap(&screen.term, "large", large, 1, 2, NULL, NULL);
    const char *text = screen_text(&screen);
    assert_non_null(strstr(text, "  0 ?      @@ .50 \n"));
    assert_non_null(strstr(text, "  0      .      . \n"));
    assert_non_null(strstr(text, "  0 ?      ?      \n"));
    assert_non_null(strstr(text, "1e+09"));
    screen_free(&screen);
}

static void test_every_width_holds(void **state) {
    (void)state;
    const char *words[30];
    float values[900];
    for (int i = 0; i < 900; i++) {
        words[i % 30] = i % 7 ? "international" : "\xC3\xA0";
        values[i] = (float)(i % 11);
    }
    for (int columns = 24; columns <= 100; columns += 4) {
        char text[16];
        snprintf(text, sizeof text, "%d", columns);
        setenv("COLUMNS", text, 1);
        Screen screen = screen_new(SCREEN_PLAIN);
        for (int cols = 1; cols <= 30; cols += 7) {
            terminal_heatmap(&screen.term, "map", values, 30, cols, words, words);
            terminal_heatmap(&screen.term, "map", values, 30, cols, NULL, NULL);
        }
        assert_in_range(screen_widest(screen_text(&screen)), 8, columns);
        screen_free(&screen);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queries_down_keys_across),
        cmocka_unit_test(test_shades_grow_with_the_value),
        cmocka_unit_test(test_negative_values_put_zero_in_the_middle),
        cmocka_unit_test(test_color_cells_and_nothing_else),
        cmocka_unit_test(test_long_sentences_have_words_running_down),
        cmocka_unit_test(test_too_many_cells_are_averaged),
        cmocka_unit_test(test_odd_values),
        cmocka_unit_test(test_every_width_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
