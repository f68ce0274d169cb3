/* Where things stand in a plot: marks beside one another, the legend apart from the label. */
#include "show/plot_picture.h"

#include <math.h>

static const Color blue = {0, 0x72, 0xB2}, orange = {0xD5, 0x5E, 0};

/* Two series share .7 of the distance between two places: a quarter of that to either side. */
static void test_shifts_by_hand(void **state) {
    (void)state;
    const double powers[] = {10, 1, 100, NAN};
    PlotSeries series[] = {{"a", steps, loss, NULL, NULL, 4, PLOT_POINTS},
                           {"b", steps, loss, NULL, NULL, 4, PLOT_LINES_POINTS}};
    Plot plot = plot_simple(series, 2);
    assert_close(plot_beside(&plot, 1), 0, 0, 0);
    plot.beside = true;
    assert_close(plot_beside(&plot, 0), -17.5, 1e-9, 0);
    assert_close(plot_beside(&plot, 1), 17.5, 1e-9, 0);
    series[0].x = series[1].x = powers; /* not in order, and one is missing */
    plot.x_log = true;
    assert_close(plot_beside(&plot, 1), .175 * log(10), 1e-9, 0);
    series[0].n = series[1].n = 1; /* a single place */
    assert_close(plot_beside(&plot, 0), -.175, 1e-9, 0);
    plot.count = 1;
    assert_close(plot_beside(&plot, 0), 0, 0, 0);
}

/* The marks that stand furthest out have a place, too; on a logarithmic axis left of 0 there is
 * none. */
static void test_range_has_room_beside(void **state) {
    (void)state;
    const PlotSeries series[] = {{"a", steps, loss, NULL, NULL, 4, PLOT_POINTS},
                                 {"b", steps, loss, NULL, NULL, 4, PLOT_POINTS}};
    Plot plot = plot_simple(series, 2);
    plot.beside = true;
    AxisRange x = plot_range_x(&plot);
    assert_close(x.low, -50, 1e-9, 0);
    assert_close(x.high, 350, 1e-9, 0);
    plot.x_log = true; /* 100, 200, 300: the least distance is ln 1.5 */
    x = plot_range_x(&plot);
    assert_close(x.low, 100 / sqrt(1.5), 1e-9, 0);
    assert_close(x.high, 300 * sqrt(1.5), 1e-9, 0);
}

/* Equal values: the second series covers the first, unless they stand beside one another. */
static void test_equal_values_are_both_seen(void **state) {
    (void)state;
    const double one[] = {1, 1, 1, 1};
    const PlotSeries series[] = {{NULL, steps, one, NULL, NULL, 4, PLOT_POINTS},
                                 {NULL, steps, one, NULL, NULL, 4, PLOT_POINTS}};
    Plot plot = plot_simple(series, 2);
    for (int log = 0; log < 2; log++) {
        plot.x_log = log;
        plot.beside = false;
        assert_drawn(&plot);
        Picture over = picture_read(scratch_path("curve.png"));
        plot.beside = true;
        assert_drawn(&plot);
        Picture beside = picture_read(scratch_path("curve.png"));
        assert_int_equal(picture_count(&over, blue), 0);
        assert_true(picture_count(&beside, blue) > 100);
        assert_true(picture_count(&beside, orange) >= picture_count(&over, orange));
        picture_free(&over);
        picture_free(&beside);
    }
}

/* With low and high each mark carries a bar in its own colour, where curves would have a band. */
static void test_marks_beside_carry_whiskers(void **state) {
    (void)state;
    const PlotSeries series = {NULL, steps, loss, low, high, 4, PLOT_LINES_POINTS};
    Plot plot = plot_simple(&series, 1);
    assert_drawn(&plot);
    char *script = text_read(scratch_path("curve.gp"), NULL);
    assert_non_null(strstr(script, "filledcurves"));
    free(script);
    plot.beside = true;
    assert_drawn(&plot);
    script = text_read(scratch_path("curve.gp"), NULL);
    assert_null(strstr(script, "filledcurves"));
    const char *whiskers = strstr(script, "with vectors heads");
    assert_non_null(whiskers);
    assert_non_null(strstr(whiskers, "#0072B2"));
    assert_true(whiskers < strstr(script, "with linespoints")); /* the mark is on top */
    free(script);
}

/* Curves of many points that coincide: their marks take turns, so that the first one, over which
 * six others are drawn, is seen as well. */
static void test_marks_of_equal_curves_take_turns(void **state) {
    (void)state;
    enum { CURVES = 7, MOST = 120 };
    static double x[MOST], one[MOST];
    PlotSeries series[CURVES];
    for (int i = 0; i < MOST; i++) {
        x[i] = i;
        one[i] = 1;
    }
    static const int counts[] = {40, 42, 60, MOST};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (int k = 0; k < CURVES; k++) {
            series[k] = (PlotSeries){NULL, x, one, NULL, NULL, counts[c], PLOT_LINES_POINTS};
        }
        Plot plot = plot_simple(series, CURVES);
        assert_drawn(&plot);
        Picture picture = picture_read(scratch_path("curve.png"));
        long seen = picture_count(&picture, blue);
        picture_free(&picture);
        if (seen < 150) { /* two marks at least */
            fail_msg("%d points: %ld pixels of the first curve are seen", counts[c], seen);
        }
    }
}

/* Rows without any ink between the lowest line of text and the one above it. */
static int rows_above_lowest_text(const Picture *picture) {
    int free_rows = 0;
    bool text = false;
    for (int y = picture->height - 1; y >= 0; y--) {
        bool ink = false;
        for (int x = 0; x < picture->width && !ink; x++) {
            ink = !color_equal(picture_at(picture, x, y), (Color){255, 255, 255});
        }
        if (text && ink && free_rows > 0) {
            return free_rows;
        }
        text = text || ink;
        free_rows = text && !ink ? free_rows + 1 : 0;
    }
    return 0;
}

/* A legend below the plot keeps away from the label of the axis, and without one from the names. */
static void test_legend_below_keeps_its_distance(void **state) {
    (void)state;
    static const char *const labels[] = {"gap, place, query", "", "first\ngap\nquery"};
    static const char *const names[] = {"one\nand\nquery", "two", "three", "four"};
    const double places[] = {0, 1, 2, 3};
    const PlotSeries series = {"an entry that is too long to stand beside the plot",
                               places,
                               loss,
                               NULL,
                               NULL,
                               4,
                               PLOT_LINES};
    for (int i = 0; i < 6; i++) {
        Plot plot = plot_simple(&series, 1);
        plot.x_label = labels[i % 3];
        plot.x_names = i < 3 ? NULL : names;
        plot.x_name_count = i < 3 ? 0 : 4;
        assert_drawn(&plot);
        Picture picture = picture_read(scratch_path("curve.png"));
        int rows = rows_above_lowest_text(&picture);
        picture_free(&picture);
        if (rows < 15) {
            fail_msg("label %d: %d rows between the legend and the text above it", i, rows);
        }
    }
}

/* Series without a single point, drawn in every style, beside one another or not. */
static void test_series_without_points(void **state) {
    (void)state;
    for (int style = PLOT_LINES; style <= PLOT_BARS; style++) {
        const PlotSeries series[] = {{"a", NULL, NULL, NULL, NULL, 0, (PlotStyle)style},
                                     {"b", steps, loss, low, high, 4, (PlotStyle)style}};
        for (int i = 0; i < 4; i++) {
            Plot plot = plot_simple(series, i < 2 ? 2 : 1);
            plot.beside = i % 2;
            assert_drawn(&plot);
        }
    }
}

static bool column_has(const Picture *picture, int x, Color color) {
    for (int y = 0; y < picture->height; y++) {
        if (color_equal(picture_at(picture, x, y), color)) {
            return true;
        }
    }
    return false;
}

static bool column_free(const Picture *picture, int x) {
    for (int y = 0; y < picture->height; y++) {
        if (!color_equal(picture_at(picture, x, y), (Color){255, 255, 255})) {
            return false;
        }
    }
    return true;
}

/* Free columns right of the label of the y axis, whose ink is black; that of the numbers is not. */
static int columns_right_of_label(const Picture *picture) {
    int x = picture->width / 4, columns = 0;
    while (x > 0 && !column_has(picture, x, (Color){0, 0, 0})) {
        x--;
    }
    assert_true(x > 0);
    while (!column_free(picture, x)) {
        x++;
    }
    while (column_free(picture, x++)) {
        columns++;
    }
    return columns;
}

/* A label of several lines keeps away from the numbers of its axis. */
static void test_label_of_several_lines(void **state) {
    (void)state;
    static const char *const labels[] = {"one line", "two lines\nof a label gap",
                                         "three\nlines (long enough)\nof a label gap"};
    const PlotSeries series = {NULL, steps, loss, NULL, NULL, 4, PLOT_LINES};
    for (int i = 0; i < 3; i++) {
        Plot plot = plot_simple(&series, 1);
        plot.y_label = labels[i];
        assert_drawn(&plot);
        Picture picture = picture_read(scratch_path("curve.png"));
        int columns = columns_right_of_label(&picture);
        picture_free(&picture);
        if (columns < 10) {
            fail_msg("label %d: %d columns between it and the numbers", i, columns);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shifts_by_hand),
        cmocka_unit_test(test_range_has_room_beside),
        SCRATCH_TEST(test_equal_values_are_both_seen),
        SCRATCH_TEST(test_marks_beside_carry_whiskers),
        SCRATCH_TEST(test_marks_of_equal_curves_take_turns),
        SCRATCH_TEST(test_series_without_points),
        SCRATCH_TEST(test_legend_below_keeps_its_distance),
        SCRATCH_TEST(test_label_of_several_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
