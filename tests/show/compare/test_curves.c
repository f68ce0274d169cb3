/* Curves of the same name over each other. */
#include "support/two_runs.h"

#include <stdlib.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_overlay),
        cmocka_unit_test(test_a_hostile_script_is_not_run),
        cmocka_unit_test(test_broken_curves_are_told_and_left_out),
        cmocka_unit_test(test_no_curve_in_common),
        cmocka_unit_test(test_two_curves_alone),
        cmocka_unit_test(test_other_names_at_x_are_not_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
