#include "support/stage.h"

#include "lesson/experiments/decay_plot.h"

#include <math.h>
#include <stdlib.h>

static const DecayCase cases[] = {{"half", CELL_RNN, 0.5f, 0, 0, false},
                                  {"grows", CELL_RNN, 1.5f, 0, 0, false},
                                  {"attention", CELL_RNN, 1, 0, 1, true}};

static void play(Run *run, void *context) {
    double *slope = context;
    decay_plot(run, "short", cases, 3, 40, 2, 40, "decay", slope);
    decay_plot(run, "long", cases, 3, 200, 1, 200, "decay", NULL);
    decay_plot(run, "cut", cases, 3, 40, 2, 5, "decay", slope + 3);
}

static void test_slopes_and_files(void **state) {
    (void)state;
    double slope[6];
    Stage stage = stage_play(play, slope, "--no-plots");
    assert_int_equal(stage.status, 0);
    assert_close(slope[0], 10.0 * log10(0.5), 1e-3, 0);
    assert_close(slope[1], 10.0 * log10(1.5), 1e-3, 0);
    assert_close(slope[2], 0.0, 0.1, 0);
    assert_true(isnan(slope[3]) && isnan(slope[4])); /* nothing is left behind the cut */
    assert_close(slope[5], slope[2], 0, 0);          /* attention has no way back to cut */
    char *numbers = lesson_file(&stage, "short.tsv", NULL);
    const char *second = strstr(numbers, "\n1\t1\t"); /* series 1, distance 1: one half */
    assert_non_null(second);
    assert_close(strtod(second + 5, NULL), 0.5, 1e-5, 0);
    free(numbers);
    lesson_run_free(&stage);
}

/* The end of float32 is drawn when a curve gets there, and only then. */
static void test_end_of_float32(void **state) {
    (void)state;
    double slope[6];
    Stage stage = stage_play(play, slope, "--no-plots");
    char *near = lesson_file(&stage, "short.gp", NULL), *far = lesson_file(&stage, "long.gp", NULL);
    assert_null(strstr(near, "float32"));
    assert_non_null(strstr(far, "float32 ends here"));
    free(near);
    free(far);
    lesson_run_free(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slopes_and_files),
        cmocka_unit_test(test_end_of_float32),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
