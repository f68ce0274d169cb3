/* Curves of the same name over each other. */
#include "support/two_runs.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "show/plot_file.h"

static void draw(Comparison *c) {
    c->draw = true;
    compare_curves(c);
}

static char *out_text(const TwoRuns *two, const char *name) {
    char *text;
    size_t size;
    if (!file_read(two_runs_path(two, 'O', name), 1 << 20, &text, &size, NULL)) {
        fail_msg("%s is missing", name);
    }
    return text;
}

static void put_curves(const TwoRuns *two) {
    two_runs_put(two, 'A', "curve.tsv",
                 CURVE_HEADER "1\t1\t0.5\tNaN\tNaN\tone\n1\t2\t0.75\tNaN\tNaN\tone\n"
                              "2\t1\t0\tNaN\tNaN\tgone\n");
    two_runs_put(two, 'B', "curve.tsv",
                 CURVE_HEADER "1\t1\t0.25\t0\t1\tone\n1\t3\t1\t0\t1\tone\n1\t4\tNaN\t0\t1\tone\n"
                              "2\t1\t2\tNaN\tNaN\tnew\n");
    two_runs_put(
        two, 'A', "curve.gp",
        "set title 'A title' font ',22'\nset ylabel 'right' font\nset yrange [0:1]\n"
        "plot data skip 1 using (column(1) == 1 ? column(2) : NaN):(x) with linespoints lc");
    two_runs_put(two, 'B', "curve.gp", "set title 'Other'\nset yrange [0:2]\n");
}

static void test_an_overlay(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    put_curves(&two);
    const char *text = two_runs_say(&two, compare_curves);
    assert_part(text, "  curve  one   0.75  1  +0.25\n         gone     0  -      -\n"
                      "         new      -  2      -\n");
    assert_int_equal(two.c.curves, 1);
    char *table = out_text(&two, "curve.tsv"), *script = out_text(&two, "curve.gp");
    assert_string_equal(table, CURVE_HEADER "1\t1\t0.5\tNaN\tNaN\tA: one\n"
                                            "1\t2\t0.75\tNaN\tNaN\tA: one\n"
                                            "2\t1\t0\tNaN\tNaN\tA: gone\n"
                                            "3\t1\t0.25\t0\t1\tB: one\n3\t3\t1\t0\t1\tB: one\n"
                                            "3\t4\tNaN\t0\t1\tB: one\n4\t1\t2\tNaN\tNaN\tB: new\n");
    assert_part(script, "set title 'A title'");
    assert_part(script, "set ylabel 'A: right'.\"\\n\".'B: '");
    assert_part(script, "set yrange [0:2]");
    /* the same colour for the same label: solid in A, dashed and with open marks in B */
    assert_part(script, "with linespoints lc rgb '#0072B2' lw 3 dt 1 pt 7");
    assert_part(script, "with lines lc rgb '#0072B2' lw 3 dt (9,4)");
    assert_part(script, "with lines lc rgb '#CC79A7' lw 3 dt (9,4)"); /* new: a colour of its own */
    assert_part(script, "filledcurves fs transparent solid 0.2 noborder lc rgb '#0072B2'");
    free(table);
    free(script);
    two_runs_free(&two);
}

/* The script of a run is read and never run: it may come from anybody. */
static void test_a_hostile_script_is_not_run(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    char script[4096];
    put_curves(&two);
    snprintf(script, sizeof script,
             "system('touch %s')\nset title 'x'; system('touch %s')\n"
             "set ylabel 'a'.\"`touch %s`\".'b'\n",
             two_runs_path(&two, 'O', "hit"), two_runs_path(&two, 'O', "hit"),
             two_runs_path(&two, 'O', "hit"));
    two_runs_put(&two, 'A', "curve.gp", script);
    two_runs_put(&two, 'B', "curve.gp", script);
    two_runs_say(&two, draw);
    assert_null(fopen(two_runs_path(&two, 'O', "hit"), "r"));
    two_runs_free(&two);
}

static void test_broken_curves_are_told_and_left_out(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    put_curves(&two);
    two_runs_put(&two, 'A', "good.tsv", CURVE_HEADER "1\t1\t0.5\tNaN\tNaN\tone\n");
    two_runs_put(&two, 'B', "good.tsv", CURVE_HEADER "1\t1\t0.5\tNaN\tNaN\tone\n");
    two_runs_put(&two, 'B', "curve.tsv", CURVE_HEADER "1\t1\tx\tNaN\tNaN\tone\n");
    two_runs_put(&two, 'B', "alone.tsv", CURVE_HEADER "1\t1\tx\tNaN\tNaN\tone\n");
    const char *text = two_runs_say(&two, compare_curves);
    assert_part(text, "  good   one   0.5  0.5      0\n");
    assert_int_equal(two.c.problems, 1);
    assert_int_equal(two.c.curves, 1);
    two_runs_free(&two);
}

static void test_no_curve_in_common(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    assert_part(two_runs_say(&two, compare_curves), "None.");
    two_runs_free(&two);
}

/* Two curves alone have two colours. */
static void test_two_curves_alone(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'A', "c.tsv", CURVE_HEADER "1\t1\t0.5\tNaN\tNaN\tone\n");
    two_runs_put(&two, 'B', "c.tsv", CURVE_HEADER "1\t1\t0.5\tNaN\tNaN\tone\n");
    two_runs_say(&two, compare_curves);
    char *script = out_text(&two, "c.gp");
    assert_part(script, "with lines lc rgb '#0072B2' lw 3 dt 1 title 'A: one'");
    assert_part(script, "with lines lc rgb '#D55E00'");
    free(script);
    two_runs_free(&two);
}

static void test_other_names_at_x_are_not_drawn(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'A', "c.tsv",
                 "series\tx\ty\tlow\thigh\tlabel\tname\n1\t0\t0.5\tNaN\tNaN\tone\tdog\n");
    two_runs_put(&two, 'B', "c.tsv",
                 "series\tx\ty\tlow\thigh\tlabel\tname\n1\t0\t0.5\tNaN\tNaN\tone\tcat\n");
    assert_part(two_runs_say(&two, compare_curves), "(other places at x: not drawn)");
    assert_null(fopen(two_runs_path(&two, 'O', "c.tsv"), "r"));
    two_runs_free(&two);
}

/* Two plots in the folders of the runs, and what became of both: release it. */
static PlotFile *overlay_of(TwoRuns *two, Plot a, Plot b) {
    static const double x[] = {1, 2}, y[] = {0.5, 0.75};
    const PlotSeries series = {.label = "one", .x = x, .y = y, .n = 2};
    Error error = {""};
    a.name = b.name = "c";
    a.title = b.title = a.x_label = b.x_label = a.y_label = b.y_label = "t";
    a.series = b.series = &series;
    a.count = b.count = 1;
    assert_int_equal(plot_write(two->a, &a, false, NULL, &error), PLOT_NOT_ASKED);
    assert_int_equal(plot_write(two->b, &b, false, NULL, &error), PLOT_NOT_ASKED);
    two_runs_say(two, compare_curves);
    assert_int_equal(two->c.problems, 0);
    PlotFile *overlay = calloc(1, sizeof *overlay);
    if (!plot_file_read(two->out, "c", overlay, &error)) {
        fail_msg("%s", error.text);
    }
    return overlay;
}

static void overlay_free(PlotFile *overlay) {
    plot_file_free(overlay);
    free(overlay);
}

/* The ranges hold both; where one says none, or the axes are of another kind, the data choose. */
static void test_ranges(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    PlotFile *both = overlay_of(&two, (Plot){.x_min = 1, .x_max = 3, .y_min = -1, .y_max = 0.5},
                                (Plot){.x_min = 0.5, .x_max = 2, .y_min = 0, .y_max = 1});
    assert_true(both->plot.x_min == 0.5 && both->plot.x_max == 3);
    assert_true(both->plot.y_min == -1 && both->plot.y_max == 1);
    overlay_free(both);
    both = overlay_of(&two, (Plot){.x_min = 0.5, .x_max = 2, .y_min = 0, .y_max = 1},
                      (Plot){.x_min = 1, .x_max = 3, .y_min = -1, .y_max = 0.5});
    assert_true(both->plot.x_min == 0.5 && both->plot.x_max == 3);
    assert_true(both->plot.y_min == -1 && both->plot.y_max == 1);
    overlay_free(both);
    both = overlay_of(&two, (Plot){.y_min = -1, .y_max = 9}, (Plot){.y_log = true});
    assert_false(both->plot.y_log);
    assert_true(both->plot.y_max < 9);
    overlay_free(both);
    both = overlay_of(&two, (Plot){.y_log = true, .y_min = 0.001, .y_max = 9},
                      (Plot){.y_min = 0.001, .y_max = 9});
    assert_true(both->plot.y_max < 9);
    overlay_free(both);
    two_runs_free(&two);
}

/* A line that both have is drawn once; one across is not one upwards. */
static void test_lines(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    const PlotLine of_a[] = {{"chance", 0.5, false}, {"chance", 0.5, true}};
    const PlotLine of_b[] = {
        {"chance", 0.5, false}, {"chance", 0.25, false}, {"other", 0.5, false}};
    PlotFile *both = overlay_of(&two, (Plot){.lines = of_a, .line_count = 2},
                                (Plot){.lines = of_b, .line_count = 3});
    assert_int_equal(both->plot.line_count, 4);
    assert_true(both->plot.lines[1].vertical && both->plot.lines[2].at == 0.25);
    overlay_free(both);
    two_runs_free(&two);
}

/* Where one run has more places than the other, all have their names. */
static void test_names_at_x(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    static const char *const few = "series\tx\ty\tlow\thigh\tlabel\tname\n"
                                   "1\t0\t0.5\tNaN\tNaN\tone\tdog\n";
    static const char *const more = "series\tx\ty\tlow\thigh\tlabel\tname\n"
                                    "1\t0\t0.5\tNaN\tNaN\tone\tdog\n"
                                    "1\t1\t0.5\tNaN\tNaN\tone\tcat\n";
    for (int i = 0; i < 2; i++) {
        two_runs_put(&two, 'A', "c.tsv", i == 0 ? few : more);
        two_runs_put(&two, 'B', "c.tsv", i == 0 ? more : few);
        two_runs_say(&two, compare_curves);
        char *table = out_text(&two, "c.tsv");
        assert_part(table, "\tcat\n");
        free(table);
    }
    two_runs_put(&two, 'A', "c.tsv", CURVE_HEADER "1\t0\t0.5\tNaN\tNaN\tone\n");
    assert_part(two_runs_say(&two, compare_curves), "(other places at x: not drawn)");
    two_runs_free(&two);
}

/* A table of that name that is no curve in one of them is passed over. */
static void test_no_curve_in_the_other(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    put_curves(&two);
    two_runs_put(&two, 'B', "curve.tsv", "step\tvalue\n1\t2\n");
    assert_part(two_runs_say(&two, compare_curves), "None.");
    assert_int_equal(two.c.problems, 0);
    two_runs_free(&two);
}

/* A gnuplot that fails is told once, and not asked again. */
static void test_a_gnuplot_that_fails(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    put_curves(&two);
    for (int run = 'A'; run <= 'B'; run++) {
        two_runs_put(&two, (char)run, "d.tsv", CURVE_HEADER "1\t1\t0.5\tNaN\tNaN\tone\n");
    }
    two_runs_put(&two, 'O', "gnuplot", "#!/bin/sh\necho no terminal >&2\nexit 1\n");
    assert_int_equal(chmod(two_runs_path(&two, 'O', "gnuplot"), 0755), 0);
    char *path = strdup(getenv("PATH")), ours[4096];
    snprintf(ours, sizeof ours, "%s:%.2000s", two.out, path);
    setenv("PATH", ours, 1);
    two_runs_say(&two, draw);
    setenv("PATH", path, 1);
    free(path);
    assert_int_equal(two.c.curves, 2);
    assert_int_equal(two.c.problems, 1);
    assert_true(two.c.undrawn && !two.c.no_gnuplot);
    two_runs_free(&two);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_overlay),
        cmocka_unit_test(test_a_hostile_script_is_not_run),
        cmocka_unit_test(test_broken_curves_are_told_and_left_out),
        cmocka_unit_test(test_no_curve_in_common),
        cmocka_unit_test(test_two_curves_alone),
        cmocka_unit_test(test_other_names_at_x_are_not_drawn),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_names_at_x),
        cmocka_unit_test(test_no_curve_in_the_other),
        cmocka_unit_test(test_a_gnuplot_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
