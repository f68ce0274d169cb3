/* Curves read back: what plot_write() left, and what somebody else may have put there. */
#include "assert_close.h"

#include <stdlib.h>
#include <unistd.h>

#include "show/plot_file.h"
#include "support/lesson_run.h"

static char folder[LESSON_PATH];

static int folder_begin(void **state) {
    (void)state;
    folder_new(folder);
    return 0;
}

static int folder_end(void **state) {
    (void)state;
    folder_remove(folder);
    return 0;
}

static void put(const char *name, const char *text) {
    char *path = path_join(folder, name);
    assert_true(file_write(path, text, strlen(text), NULL));
    free(path);
}

static char *text_of(const char *name) {
    char *path = path_join(folder, name), *text;
    size_t size;
    assert_true(file_read(path, 1 << 20, &text, &size, NULL));
    free(path);
    return text;
}

static void assert_same(const double *got, const double *wanted, int n) {
    for (int i = 0; i < n; i++) {
        assert_true(got[i] == wanted[i] || (isnan(got[i]) && isnan(wanted[i])));
    }
}

static const double x[] = {0, 1, 2}, y[] = {0.5, NAN, 3}, low[] = {0.25, 1, 2}, high[] = {1, 2, 4};

/* Written, read and written again: the same bytes, so nothing that the script says was missed (the
 * ends of a logarithmic axis get a hair more each time). */
static void write_and_read(const Plot *plot, PlotFile *file) {
    Error error = {""};
    assert_int_equal(plot_write(folder, plot, false, NULL, &error), PLOT_NOT_ASKED);
    char *table = text_of("curve.tsv"), *script = text_of("curve.gp");
    assert_true(plot_file_is(folder, "curve"));
    if (!plot_file_read(folder, "curve", file, &error)) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(plot_write(folder, &file->plot, false, NULL, &error), PLOT_NOT_ASKED);
    char *table_again = text_of("curve.tsv"), *script_again = text_of("curve.gp");
    assert_string_equal(table, table_again);
    if (!plot->x_log && !plot->y_log) {
        assert_string_equal(script, script_again);
    }
    free(table);
    free(script);
    free(table_again);
    free(script_again);
}

static void test_a_curve_is_read_back(void **state) {
    (void)state;
    const PlotSeries series[] = {
        {.label = "one vector", .x = x, .y = y, .n = 3, .style = PLOT_LINES_POINTS},
        {.label = "it's 50 %\ta\\b", .x = x, .y = low, .low = low, .high = high, .n = 2},
        {.label = "marks", .x = x, .y = y, .n = 1, .style = PLOT_POINTS},
        {.label = "stairs", .x = x, .y = y, .n = 3, .style = PLOT_STEPS}};
    const PlotLine lines[] = {{.label = "guessing", .at = 2.0794},
                              {.label = "trained 'length'", .at = 1, .vertical = true}};
    const Plot plot = {.name = "curve",
                       .title = "A title that is so long that it has to be broken, which must not "
                                "show where it is read back",
                       .x_label = "step",
                       .y_label = "it's a loss",
                       .series = series,
                       .count = 4,
                       .lines = lines,
                       .line_count = 2};
    PlotFile file;
    write_and_read(&plot, &file);
    assert_int_equal(file.plot.count, 4);
    assert_string_equal(file.plot.title, plot.title);
    assert_string_equal(file.plot.y_label, plot.y_label);
    for (int k = 0; k < 4; k++) {
        assert_string_equal(file.series[k].label, series[k].label);
        assert_int_equal(file.series[k].style, series[k].style);
        assert_int_equal(file.series[k].n, series[k].n);
        assert_same(file.series[k].x, x, series[k].n);
        assert_same(file.series[k].y, series[k].y, series[k].n);
    }
    assert_null(file.series[0].low);
    assert_same(file.series[1].low, low, 2);
    assert_same(file.series[1].high, high, 2);
    assert_int_equal(file.plot.line_count, 2);
    assert_string_equal(file.lines[1].label, "trained 'length'");
    assert_true(file.lines[1].vertical && file.lines[1].at == 1);
    assert_true(!file.lines[0].vertical && file.lines[0].at == 2.0794);
    plot_file_free(&file);
}

static void test_bars_with_names_are_read_back(void **state) {
    (void)state;
    static const char *const names[] = {"it's", "", "50 %"};
    const PlotSeries series[] = {
        {.label = "a", .x = x, .y = low, .low = low, .high = high, .n = 3, .style = PLOT_BARS},
        {.label = "b", .x = x, .y = high, .n = 3, .style = PLOT_BARS}};
    const Plot plot = {.name = "curve",
                       .series = series,
                       .count = 2,
                       .x_names = names,
                       .x_name_count = 3,
                       .title = "t",
                       .x_label = "x",
                       .y_label = "y"};
    PlotFile file;
    write_and_read(&plot, &file);
    assert_int_equal(file.plot.x_name_count, 3);
    assert_string_equal(file.plot.x_names[2], "50 %");
    assert_int_equal(file.series[1].style, PLOT_BARS);
    plot_file_free(&file);
}

static void test_logarithms_and_marks_beside_each_other(void **state) {
    (void)state;
    const double places[] = {1, 10, 100};
    const PlotSeries series[] = {
        {.label = "a", .x = places, .y = high, .n = 3, .style = PLOT_POINTS},
        {.label = "b", .x = places, .y = high, .n = 3, .style = PLOT_POINTS}};
    Plot plot = {.name = "curve",
                 .title = "t",
                 .x_label = "x",
                 .y_label = "y",
                 .series = series,
                 .count = 2,
                 .x_log = true,
                 .y_log = true,
                 .beside = true};
    PlotFile file;
    write_and_read(&plot, &file);
    assert_true(file.plot.x_log && file.plot.y_log && file.plot.beside);
    plot_file_free(&file);
    plot.x_log = false;
    write_and_read(&plot, &file);
    assert_true(!file.plot.x_log && file.plot.beside);
    plot_file_free(&file);
}

static void test_without_a_script_there_are_lines(void **state) {
    (void)state;
    put("curve.tsv", "series\tx\ty\tlow\thigh\tlabel\n1\t0\t1\tNaN\tNaN\ta\n");
    PlotFile file;
    assert_true(plot_file_read(folder, "curve", &file, NULL));
    assert_string_equal(file.plot.title, "curve");
    assert_int_equal(file.series[0].style, PLOT_LINES);
    plot_file_free(&file);
    put("curve.gp", "set title 'no end\nset xrange [1:\nset yrange [2:1]\nset logscale\n"
                    "plot (column(1) == x with lines , '+' using ($0 < 1 ? 1\nset ylabel \"\\");
    assert_true(plot_file_read(folder, "curve", &file, NULL));
    assert_string_equal(file.plot.title, "no end");
    assert_true(file.plot.x_min == file.plot.x_max && file.plot.y_min == file.plot.y_max);
    assert_int_equal(file.plot.line_count, 0);
    plot_file_free(&file);
}

static void refused(const char *lines, const char *says) {
    char text[512];
    PlotFile file;
    Error error = {""};
    snprintf(text, sizeof text, "series\tx\ty\tlow\thigh\tlabel\n%s", lines);
    put("curve.tsv", text);
    if (plot_file_read(folder, "curve", &file, &error) || !strstr(error.text, says)) {
        fail_msg("for %s the error should say \"%s\", not \"%s\"", lines, says, error.text);
    }
    assert_null(file.numbers);
}

static void test_what_is_no_curve_is_refused(void **state) {
    (void)state;
    refused("1\t0\t1\tNaN\tNaN\n", "curve.tsv, line 2: too few columns");
    refused("1\t0\t1\tNaN\tNaN\ta\nx\t0\t1\tNaN\tNaN\ta\n", "line 3: a series that is no number");
    refused("1\tzero\t1\tNaN\tNaN\ta\n", "no number where one belongs");
    refused("2\t0\t1\tNaN\tNaN\ta\n1\t0\t1\tNaN\tNaN\ta\n", "series out of order");
    put("curve.tsv", "step\tid\ttext\n");
    assert_false(plot_file_is(folder, "curve"));
    assert_false(plot_file_is(folder, "missing"));
    PlotFile file;
    Error error = {""};
    assert_false(plot_file_read(folder, "curve", &file, &error));
    assert_non_null(strstr(error.text, "line 1: the first line is another"));
    assert_false(plot_file_read(folder, "missing", &file, &error));
}

static void test_too_many_curves_are_refused(void **state) {
    (void)state;
    char text[8192] = "series\tx\ty\tlow\thigh\tlabel\n";
    for (int i = 1; i <= PLOT_FILE_SERIES + 1; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%d\t0\t1\tNaN\tNaN\ta\n", i);
    }
    put("curve.tsv", text);
    PlotFile file;
    Error error = {""};
    assert_false(plot_file_read(folder, "curve", &file, &error));
    assert_non_null(strstr(error.text, "line 66: too many curves"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define FOLDER_TEST(test) cmocka_unit_test_setup_teardown(test, folder_begin, folder_end)
        FOLDER_TEST(test_a_curve_is_read_back),
        FOLDER_TEST(test_bars_with_names_are_read_back),
        FOLDER_TEST(test_logarithms_and_marks_beside_each_other),
        FOLDER_TEST(test_without_a_script_there_are_lines),
        FOLDER_TEST(test_what_is_no_curve_is_refused),
        FOLDER_TEST(test_too_many_curves_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
