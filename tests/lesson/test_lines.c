#include "support/stage.h"

#include "lesson/lines.h"

#include <stdlib.h>

static void play(Run *run, void *context) {
    const char *const labels[] = {"first", "second"};
    const double x[] = {1, 2, 4}, y[] = {0.5, 0.25, 0.125, 10, 20, 30};
    Plot plot = {.name = "two", .title = "Two", .x_label = "x", .y_label = "y", .x_log = true};
    *(bool *)context = run_lines(run, plot, labels, 2, x, y, 3);
}

/* Row i of y belongs to label i. */
static void test_rows_are_lines(void **state) {
    (void)state;
    bool drawn = true;
    Stage stage = stage_play(play, &drawn, "--no-plots");
    assert_int_equal(stage.status, 0);
    assert_false(drawn); /* no picture was asked for */
    char *numbers = lesson_file(&stage, "two.tsv", NULL),
         *script = lesson_file(&stage, "two.gp", NULL);
    assert_non_null(strstr(numbers, "\n1\t4\t0.125\t"));
    assert_non_null(strstr(numbers, "\n2\t1\t10\t"));
    assert_non_null(strstr(numbers, "\n2\t4\t30\t"));
    assert_non_null(strstr(numbers, "second"));
    assert_non_null(strstr(script, "logscale x"));
    free(numbers);
    free(script);
    lesson_run_free(&stage);
}

static void test_too_many(void **state) {
    (void)state;
    Run silent = {.silent = true};
    expect_check_message("9", run_lines(&silent, (Plot){.name = "many"}, NULL, 9, NULL, NULL, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_lines),
        cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
