#include "show/plot_picture.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void test_table(void **state) {
    (void)state;
    Error error = {""};
    const double gaps[] = {1, NAN, -INFINITY, 1.0 / 3};
    const PlotSeries series[] = {{"with", steps, loss, low, high, 2, PLOT_LINES},
                                 {"with\tout\n\\", steps, gaps, NULL, NULL, 4, PLOT_LINES}};
    Plot plot = plot_simple(series, 2);
    assert_int_equal(plot_write(scratch_folder(), &plot, false, NULL, &error), PLOT_NOT_ASKED);
    char *table = text_read(scratch_path("curve.tsv"), NULL);
    assert_string_equal(table, "series\tx\ty\tlow\thigh\tlabel\n"
                               "1\t0\t4\t3\t5\twith\n"
                               "1\t100\t2\t1.5\t2.5\twith\n"
                               "2\t0\t1\tNaN\tNaN\twith\\tout\\n\\\\\n"
                               "2\t100\tNaN\tNaN\tNaN\twith\\tout\\n\\\\\n"
                               "2\t200\tNaN\tNaN\tNaN\twith\\tout\\n\\\\\n"
                               "2\t300\t0.333333333\tNaN\tNaN\twith\\tout\\n\\\\\n");
    free(table);
    assert_int_equal(folder_count(scratch_folder()), 2); /* .tsv and .gp, nothing half-done */
}

static void test_table_names_bars(void **state) {
    (void)state;
    Error error = {""};
    static const char *const names[] = {"short", "long\xFF"};
    const double places[] = {0, 1, 2};
    const PlotSeries series = {"a", places, loss, NULL, NULL, 3, PLOT_BARS};
    Plot plot = plot_simple(&series, 1);
    plot.x_names = names;
    plot.x_name_count = 2;
    assert_int_equal(plot_write(scratch_folder(), &plot, false, NULL, &error), PLOT_NOT_ASKED);
    char *table = text_read(scratch_path("curve.tsv"), NULL);
    assert_string_equal(table, "series\tx\ty\tlow\thigh\tlabel\tname\n"
                               "1\t0\t4\tNaN\tNaN\ta\tshort\n"
                               "1\t1\t2\tNaN\tNaN\ta\tlong\xEF\xBF\xBD\n"
                               "1\t2\t1\tNaN\tNaN\ta\t\n");
    free(table);
}

/* The script stands alone: relative names only, and it draws the same picture by hand as by us. */
static void test_script_draws_by_hand(void **state) {
    (void)state;
    Error error = {""};
    const PlotSeries series = {"loss", steps, loss, low, high, 4, PLOT_LINES_POINTS};
    Plot plot = plot_simple(&series, 1);
    assert_drawn(&plot);
    char *script = text_read(scratch_path("curve.gp"), NULL);
    assert_null(strstr(script, scratch_folder()));
    assert_non_null(strstr(script, "'curve.tsv'"));
    free(script);
    size_t ours, theirs;
    char *first = text_read(scratch_path("curve.png"), &ours), command[2 * LESSON_PATH];
    assert_int_equal(unlink(scratch_path("curve.png")), 0);
    snprintf(command, sizeof command, "cd '%s' && gnuplot curve.gp", scratch_folder());
    assert_int_equal(system(command), 0);
    char *second = text_read(scratch_path("curve.png"), &theirs);
    assert_int_equal(ours, theirs);
    assert_memory_equal(first, second, ours);
    free(first);
    free(second);
    assert_int_equal(plot_write(scratch_folder(), &plot, true, NULL, &error), PLOT_DRAWN);
    first = text_read(scratch_path("curve.png"), &ours); /* and the same bytes again */
    assert_int_equal(ours, theirs);
    free(first);
}

static void test_every_style_is_drawn(void **state) {
    (void)state;
    for (int style = PLOT_LINES; style <= PLOT_BARS; style++) {
        for (int log = 0; log < 4; log++) {
            const PlotSeries series[] = {{"a", steps, loss, low, high, 4, (PlotStyle)style},
                                         {"b", steps, high, NULL, NULL, 3, (PlotStyle)style}};
            Plot plot = plot_simple(series, 2);
            plot.x_log = log & 1; /* step 0 has no place there: a gap */
            plot.y_log = log & 2;
            assert_drawn(&plot);
        }
    }
}

/* Data that leave nothing to draw must not make gnuplot fail. */
static void test_odd_data_is_drawn(void **state) {
    (void)state;
    static const double nan4[] = {NAN, NAN, INFINITY, -INFINITY}, zero[] = {0, 0, 0, 0};
    static const double minus[] = {-1, -2, -3, -4}, big[] = {1.7e308, -1.7e308, 1e-320, 1};
    static const double same[] = {7, 7, 7, 7}, far[] = {1e9, 1e9 + 1e-7, 1e9, 1e9};
    static const double wide[] = {1e-250, 1, 1e250, 5}, *const ys[] = {nan4, zero, minus, big,
                                                                       same, far,  wide,  loss};
    enum { X_LOG = 1, Y_LOG = 2, ODD_X = 4, BAND = 8, LINE = 16 };
    static const int variants[] = {0, Y_LOG, X_LOG | Y_LOG | ODD_X, BAND | LINE | ODD_X,
                                   BAND | LINE | Y_LOG};
    for (size_t i = 0; i < sizeof ys / sizeof ys[0]; i++) {
        for (size_t j = 0; j < sizeof variants / sizeof variants[0]; j++) {
            int v = variants[j];
            const PlotSeries series = {"odd",
                                       v & ODD_X ? ys[i] : steps,
                                       ys[i],
                                       v & BAND ? ys[i] : NULL,
                                       v & BAND ? ys[i] : NULL,
                                       4,
                                       PLOT_LINES};
            const PlotLine line = {"line", ys[i][0], false};
            Plot plot = plot_simple(&series, 1);
            plot.x_log = v & X_LOG;
            plot.y_log = v & Y_LOG;
            plot.lines = &line;
            plot.line_count = v & LINE ? 1 : 0;
            assert_drawn(&plot);
        }
    }
}

static void test_empty_series_and_empty_plot(void **state) {
    (void)state;
    const PlotSeries series[] = {{"none", NULL, NULL, NULL, NULL, 0, PLOT_LINES},
                                 {NULL, steps, loss, NULL, NULL, 4, PLOT_LINES}};
    Plot plot = plot_simple(series, 2);
    plot.title = plot.x_label = plot.y_label = NULL;
    assert_drawn(&plot);
    plot.count = 1;
    assert_drawn(&plot);
    plot.count = 0;
    assert_drawn(&plot);
}

/* A curve that is drawn has its colour in the picture; one that is all gaps does not. */
static void test_curves_are_in_the_picture(void **state) {
    (void)state;
    static const Color blue = {0, 0x72, 0xB2}, orange = {0xD5, 0x5E, 0};
    const double nothing[] = {NAN, NAN, NAN, NAN};
    PlotSeries series[] = {{NULL, steps, loss, NULL, NULL, 4, PLOT_LINES},
                           {NULL, steps, nothing, NULL, NULL, 4, PLOT_LINES}};
    Plot plot = plot_simple(series, 2);
    assert_drawn(&plot);
    Picture picture = picture_read(scratch_path("curve.png"));
    assert_true(picture_count(&picture, blue) > 300);
    assert_int_equal(picture_count(&picture, orange), 0);
    picture_free(&picture);
}

/* A NaN interrupts its curve. The constant curve's row of pixels must be free in the middle. */
static void test_nan_leaves_a_gap(void **state) {
    (void)state;
    static const Color blue = {0, 0x72, 0xB2};
    long whole = 0;
    for (int gap = 0; gap < 2; gap++) {
        const double y[] = {1, 1, gap ? NAN : 1, 1};
        const double x[] = {0, 1, 5, 6};
        const PlotSeries series = {NULL, x, y, NULL, NULL, 4, PLOT_LINES};
        Plot plot = plot_simple(&series, 1);
        assert_drawn(&plot);
        Picture picture = picture_read(scratch_path("curve.png"));
        long seen = picture_count(&picture, blue);
        assert_true(gap ? seen > 0 && seen < whole / 3 : seen > 1000);
        whole = seen;
        picture_free(&picture);
    }
}

static void test_ranges_hold_the_data(void **state) {
    (void)state;
    const PlotSeries series = {"a", steps, loss, low, high, 4, PLOT_LINES};
    Plot plot = plot_simple(&series, 1);
    AxisRange x = plot_range_x(&plot), y = plot_range_y(&plot);
    assert_true(x.low < 0 && x.low > -20 && x.high > 300 && x.high < 320);
    assert_true(y.low == 0 && y.high > 5 && y.high < 6); /* close to zero: starts there */
    plot.y_log = true;
    y = plot_range_y(&plot);
    assert_true(y.low > 0.2 && y.low < 0.4 && y.high > 5 && y.high < 8);
    plot.y_min = 0.1, plot.y_max = 100;
    y = plot_range_y(&plot);
    assert_true(y.low == 0.1 && y.high == 100);
    plot.y_min = -1; /* impossible on this axis: chosen from the data instead */
    y = plot_range_y(&plot);
    assert_true(y.low > 0.2);
    const PlotLine chance = {"chance", 8, false};
    plot = plot_simple(&series, 1);
    plot.lines = &chance;
    plot.line_count = 1;
    assert_true(plot_range_y(&plot).high > 8); /* a line one asked for is seen */
}

static void test_bars_start_at_zero(void **state) {
    (void)state;
    const double y[] = {0.8, 0.9, 0.85, 0.95};
    const PlotSeries series = {"a", steps, y, NULL, NULL, 4, PLOT_BARS};
    Plot plot = plot_simple(&series, 1);
    assert_true(plot_range_y(&plot).low == 0);
}

/* faults.md 26: no gnuplot. Everything but the picture is there, and an older picture is gone. */
static void test_without_gnuplot(void **state) {
    (void)state;
    Error error = {""};
    const PlotSeries series = {"a", steps, loss, NULL, NULL, 4, PLOT_LINES};
    Plot plot = plot_simple(&series, 1);
    char *before = strdup(getenv("PATH"));
    assert_true(file_write(scratch_path("curve.png"), "old", 3, &error));
    setenv("PATH", scratch_folder(), 1);
    PlotResult result = plot_write(scratch_folder(), &plot, true, NULL, &error);
    setenv("PATH", before, 1);
    free(before);
    assert_int_equal(result, PLOT_NO_GNUPLOT);
    assert_non_null(strstr(error.text, "gnuplot is not installed"));
    assert_int_equal(access(scratch_path("curve.tsv"), R_OK), 0);
    assert_int_equal(access(scratch_path("curve.gp"), R_OK), 0);
    assert_int_equal(folder_count(scratch_folder()), 2);
}

/* A gnuplot that fails: data and script stay, one line passes its message on. */
static void test_failing_gnuplot(void **state) {
    (void)state;
    static const char script[] =
        "#!/bin/sh\necho '\"curve.gp\" line 1: broken on purpose'\nexit 1\n";
    char programs[LESSON_PATH];
    Error error = {""};
    const PlotSeries series = {"a", steps, loss, NULL, NULL, 4, PLOT_LINES};
    Plot plot = plot_simple(&series, 1);
    folder_new(programs);
    assert_true(file_write(path_in(programs, "gnuplot"), script, sizeof script - 1, &error));
    assert_int_equal(chmod(path_in(programs, "gnuplot"), 0755), 0);
    char *before = strdup(getenv("PATH"));
    setenv("PATH", programs, 1);
    PlotResult result = plot_write(scratch_folder(), &plot, true, NULL, &error);
    setenv("PATH", before, 1);
    free(before);
    folder_remove(programs);
    assert_int_equal(result, PLOT_GNUPLOT_FAILED);
    assert_non_null(strstr(error.text, "broken on purpose"));
    assert_null(strchr(error.text, '\n'));
    assert_int_equal(folder_count(scratch_folder()), 2);
}

static void test_missing_folder_and_full_disk(void **state) {
    (void)state;
    Error error = {""};
    const PlotSeries series = {"a", steps, loss, NULL, NULL, 4, PLOT_LINES};
    Plot plot = plot_simple(&series, 1);
    assert_int_equal(plot_write(scratch_path("no"), &plot, true, NULL, &error), PLOT_FAILED);
    assert_non_null(strstr(error.text, "no/curve.tsv"));
    struct rlimit before, full;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    full = before;
    full.rlim_cur = 300; /* room for the table, not for the script */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    PlotResult result = plot_write(scratch_folder(), &plot, true, NULL, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(result, PLOT_FAILED);
    assert_non_null(strstr(error.text, "curve.gp: cannot be written"));
    assert_int_equal(folder_count(scratch_folder()),
                     1); /* the table is whole, and nothing is half */
    if (gnuplot_here()) {
        full.rlim_cur = 6000; /* room for the script, not for the picture */
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
        result = plot_write(scratch_folder(), &plot, true, NULL, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(result, PLOT_GNUPLOT_FAILED);
        assert_int_equal(folder_count(scratch_folder()), 2);
    }
    signal(SIGXFSZ, SIG_DFL);
}

static void test_bad_plots_are_refused(void **state) {
    (void)state;
    static const char *const names[] = {"", NULL, "a/b", "../a", "a b", "a'b", "\xC3\xA9", "a.b"};
    const PlotSeries series = {"a", steps, loss, NULL, NULL, 4, PLOT_LINES};
    const PlotSeries bad[] = {{"a", NULL, loss, NULL, NULL, 4, PLOT_LINES},
                              {"a", steps, loss, low, NULL, 4, PLOT_LINES},
                              {"a", steps, loss, NULL, NULL, -1, PLOT_LINES}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        Error error = {""};
        Plot plot = plot_simple(&series, 1);
        plot.name = names[i];
        assert_int_equal(plot_write(scratch_folder(), &plot, false, NULL, &error), PLOT_FAILED);
        assert_non_null(strstr(error.text, "letters, digits"));
    }
    for (size_t i = 0; i < 3; i++) {
        Error error = {""};
        Plot plot = plot_simple(&bad[i], 1);
        assert_int_equal(plot_write(scratch_folder(), &plot, false, NULL, &error), PLOT_FAILED);
        assert_non_null(strstr(error.text, "series 1"));
    }
    assert_int_equal(folder_count(scratch_folder()), 0);
}

/* Twenty curves: the script gives no two of them the same colour and the same dashes. */
static void test_no_two_curves_look_alike(void **state) {
    (void)state;
    enum { MANY = 20 };
    PlotSeries series[MANY];
    char label[MANY][16], looks[MANY][64], *script = NULL;
    size_t size;
    Error error;
    for (int i = 0; i < MANY; i++) {
        snprintf(label[i], sizeof label[i], "s%02d", i);
        series[i] = (PlotSeries){label[i], steps, loss, NULL, NULL, 4, PLOT_LINES};
    }
    Plot plot = plot_simple(series, MANY);
    assert_int_equal(plot_write(scratch_folder(), &plot, false, NULL, &error), PLOT_NOT_ASKED);
    assert_true(file_read(scratch_path("curve.gp"), 1 << 20, &script, &size, &error));
    const char *at = script;
    for (int i = 0; i < MANY; i++) {
        at = strstr(at, " with lines lc rgb");
        assert_non_null(at);
        snprintf(looks[i], sizeof looks[i], "%.*s", (int)(strstr(at, " title") - at), at);
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(looks[i], looks[k]);
        }
        at += 10;
    }
    free(script);
}

/* A companion has the colour of its partner, is dashed and has the open mark of the same shape;
 * bars stand beside one another and keep their own colours. */
static void test_pairs(void **state) {
    (void)state;
    static const int pairs[] = {0, 0, 2, 4};
    PlotSeries series[4];
    char *script = NULL;
    size_t size;
    Error error;
    for (int i = 0; i < 4; i++) {
        series[i] = (PlotSeries){"s", steps, loss, NULL, NULL, 4, PLOT_LINES_POINTS};
    }
    Plot plot = plot_simple(series, 4);
    plot.pairs = pairs;
    assert_int_equal(plot_write(scratch_folder(), &plot, true, NULL, &error), PLOT_DRAWN);
    assert_true(file_read(scratch_path("curve.gp"), 1 << 20, &script, &size, &error));
    static const char *const looks[] = {"#0072B2' lw 3 dt 1 pt 7", "#D55E00' lw 3 dt 1 pt 5",
                                        "#D55E00' lw 3 dt (9,4) pt 4",
                                        "#CC79A7' lw 3 dt (9,4) pt 12"};
    const char *at = script;
    for (int i = 0; i < 4; i++) {
        at = strstr(at, looks[i]); /* in this order */
        assert_non_null(at);
    }
    free(script);
    series[2].style = PLOT_BARS;
    assert_int_equal(plot_write(scratch_folder(), &plot, false, NULL, &error), PLOT_NOT_ASKED);
    assert_true(file_read(scratch_path("curve.gp"), 1 << 20, &script, &size, &error));
    assert_non_null(strstr(script, "with boxes lc rgb '#009E73'"));
    free(script);
}

static void test_how_to_draw_later(void **state) {
    (void)state;
    char text[200];
    plot_later("plots/01_rnn", false, text, sizeof text);
    assert_string_equal(
        text, "to draw the curves: install gnuplot, then: cd plots/01_rnn && gnuplot *.gp");
    plot_later("my runs/of (1)", false, text, sizeof text); /* to be pasted into a shell */
    assert_string_equal(
        text, "to draw the curves: install gnuplot, then: cd 'my runs/of (1)' && gnuplot *.gp");
    plot_later(".", false, text, sizeof text);
    assert_string_equal(text, "to draw the curves: install gnuplot, then: gnuplot *.gp");
    plot_later("plots/01_rnn", true, text, sizeof text);
    assert_string_equal(text, "to draw the curves: cd plots/01_rnn && gnuplot *.gp");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(test_table),
        SCRATCH_TEST(test_table_names_bars),
        SCRATCH_TEST(test_script_draws_by_hand),
        SCRATCH_TEST(test_every_style_is_drawn),
        SCRATCH_TEST(test_odd_data_is_drawn),
        SCRATCH_TEST(test_empty_series_and_empty_plot),
        SCRATCH_TEST(test_curves_are_in_the_picture),
        SCRATCH_TEST(test_nan_leaves_a_gap),
        cmocka_unit_test(test_ranges_hold_the_data),
        cmocka_unit_test(test_bars_start_at_zero),
        SCRATCH_TEST(test_without_gnuplot),
        SCRATCH_TEST(test_failing_gnuplot),
        SCRATCH_TEST(test_missing_folder_and_full_disk),
        SCRATCH_TEST(test_bad_plots_are_refused),
        SCRATCH_TEST(test_no_two_curves_look_alike),
        SCRATCH_TEST(test_pairs),
        cmocka_unit_test(test_how_to_draw_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
