/* Several seeds summed up, on a stage whose numbers follow from the seed. */
#include "support/stage.h"

#include <stdlib.h>
#include <unistd.h>

#include "lesson/spread.h"

static void test_median(void **state) {
    (void)state;
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, gaps[] = {NAN, 5, NAN, 1, 3};
    assert_true(spread_median(odd, 3) == 2);
    assert_true(spread_median(even, 4) == 2.5);
    assert_true(spread_median(gaps, 5) == 3);
    assert_true(isnan(spread_median(gaps + 3, 0)));
    double none[] = {NAN};
    assert_true(isnan(spread_median(none, 1)));
}

/* Claims and curves of seed s: a point of (s, 10 s), and one that only odd seeds have. */
static void play_seed(Run *run, void *context) {
    (void)context;
    double s = (double)run->flags.seed;
    claim_checked(run, "same", "the same with every seed", 0.5, "<", 1);
    claim_checked(run, "mostly", "holds with two of three", s, "<", 3);
    claim_checked(run, "rarely", "holds with one of three", s, "<", 2);
    claim_trained(run, "trained", "needs a training", s, "<", 2);
    claim_timing(run, "slow", "takes seconds", s, "<", 2);
    double x[] = {s, 10 * s, 99}, y[] = {s, s == 2 ? NAN : 10 * s, 1};
    PlotSeries series = {.label = "a \\ b", .x = x, .y = y, .n = s == 3 ? 2 : 3};
    Plot plot = {.name = "curve",
                 .title = "A curve",
                 .x_label = "x",
                 .y_label = "it's y",
                 .y_log = true,
                 .series = &series,
                 .count = 1};
    run_plot(run, &plot);
    plot.name = "timing_curve";
    run_plot(run, &plot);
    if (s != 2) {
        plot.name = "rare";
        run_plot(run, &plot);
    }
}

static void expect(const Stage *stage, const char *name, const char *text) {
    char *file = lesson_file(stage, name, NULL);
    if (!file || strcmp(file, text) != 0) {
        fail_msg("%s should hold\n%s\nnot\n%s", name, text, file ? file : "(missing)");
    }
    free(file);
}

static void test_claims_are_judged_by_their_median(void **state) {
    (void)state;
    Stage stage = stage_play(play_seed, NULL, "--quick --runs 3 --no-plots");
    assert_int_equal(stage.status, 1); /* the median of "rarely" is 2, and 2 < 2 is not so */
    expect(&stage, "spread.tsv",
           "step\tid\ttext\top\tbound\tseeds\tmade\tholds\tmin\tmedian\tmax\n"
           "9.1\tsame\tthe same with every seed\t<\t1\t3\t3\t3\t0.5\t0.5\t0.5\n"
           "9.1\tmostly\tholds with two of three\t<\t3\t3\t3\t2\t1\t2\t3\n"
           "9.1\trarely\tholds with one of three\t<\t2\t3\t3\t1\t1\t2\t3\n"
           "9.1\ttrained\tneeds a training\t<\t2\t3\t0\t0\t-\t-\t-\n");
    expect(&stage, "claims.tsv",
           "step\tid\ttext\tvalue\top\tbound\tstatus\n"
           "9.1\tsame\tthe same with every seed\t0.5\t<\t1\tholds\n"
           "9.1\tmostly\tholds with two of three\t2\t<\t3\tholds\n"
           "9.1\trarely\tholds with one of three\t2\t<\t2\tfails\n"
           "9.1\ttrained\tneeds a training\t-\t<\t2\tnot_made\n"
           "9.1\tslow\ttakes seconds\t-\t<\t2\ttiming\n");
    expect(&stage, "timing_claims.tsv",
           "step\tid\ttext\tvalue\top\tbound\tstatus\n"
           "9.1\tslow\ttakes seconds\t2\t<\t2\ttiming\n");
    expect(&stage, "seed_3/claims.tsv",
           "step\tid\ttext\tvalue\top\tbound\tstatus\n"
           "9.1\tsame\tthe same with every seed\t0.5\t<\t1\tholds\n"
           "9.1\tmostly\tholds with two of three\t3\t<\t3\tfails\n"
           "9.1\trarely\tholds with one of three\t3\t<\t2\tfails\n"
           "9.1\ttrained\tneeds a training\t-\t<\t2\tnot_made\n"
           "9.1\tslow\ttakes seconds\t-\t<\t2\ttiming\n");
    lesson_run_free(&stage);
}

/* As many points as all seeds have; a gap counts for nobody. */
static void test_the_bands_of_curves(void **state) {
    (void)state;
    Stage stage = stage_play(play_seed, NULL, "--quick --runs 3 --no-plots");
    expect(&stage, "curve.tsv",
           "series\tx\ty\tlow\thigh\tlabel\n"
           "1\t2\t2\t1\t3\ta \\\\ b\n"
           "1\t20\t20\t10\t30\ta \\\\ b\n");
    char *script = lesson_file(&stage, "curve.gp", NULL);
    assert_non_null(
        strstr(script, "'A curve'.\"\\n\".'(3 seeds: median, and from least to most)'"));
    assert_non_null(strstr(script, "set logscale y"));
    assert_non_null(strstr(script, "filledcurves"));
    free(script);
    char *names = lesson_file_names(&stage);
    assert_string_equal(names,
                        "claims.tsv\ncurve.gp\ncurve.tsv\nrun.tsv\nseed_1\nseed_2\nseed_3\n"
                        "spread.tsv\ntiming_claims.tsv\ntiming_curve.gp\ntiming_curve.tsv\n");
    free(names);
    lesson_run_free(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_claims_are_judged_by_their_median),
        cmocka_unit_test(test_the_bands_of_curves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
