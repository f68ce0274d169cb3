#include "support/stage.h"

#include "lesson/experiments/recall.h"

#include <math.h>
#include <stdlib.h>

enum { RNN, ATTENTION, ARMS, GAPS = 2 };

static const RecallArm arms[ARMS] = {{"rnn", "RNN", CELL_RNN, 0, false, false},
                                     {"look", "GRU + attention", CELL_GRU, 0, true, true}};
static const int gaps[GAPS] = {1, 4};
static const RecallClaim claims[] = {
    {RNN, 0, ">", .9}, {ATTENTION, 0, ">", .9}, {ATTENTION, 1, "<", .9}};

static void play(Run *run, void *context) {
    Spread *accuracy = context;
    RecallPlan plan = {.H = 16, .B = 16, .rate = 0.01f, .clip = 1.0, .repeats = 3};
    int steps[GAPS] = {run_steps(run, 400, 2), run_steps(run, 400, 2)};
    recall_compare(run, &plan, arms, ARMS, gaps, steps, GAPS, accuracy);
    recall_claims(run, arms, gaps, GAPS, accuracy, claims, 3);
}

static void test_whole(void **state) {
    (void)state;
    Spread accuracy[ARMS * GAPS];
    Stage stage = stage_play(play, accuracy, "--seed 1 --no-plots");
    for (int i = 0; i < ARMS * GAPS; i++) {
        if (i == RNN * GAPS + 1) { /* not across the longest gap */
            assert_true(isnan(accuracy[i].median));
            continue;
        }
        assert_close(accuracy[i].median, 1.0, 0.02, 0);
        assert_true(accuracy[i].min <= accuracy[i].median);
        assert_true(accuracy[i].median <= accuracy[i].max);
    }
    assert_string_equal(lesson_claim(&stage, "rnn_near"), "holds");
    assert_string_equal(lesson_claim(&stage, "look_near"), "holds");
    assert_string_equal(lesson_claim(&stage, "look_far"), "fails"); /* it is not below .9 */
    assert_int_equal(stage.status, 1);
    char *numbers = lesson_file(&stage, "recall.tsv", NULL);
    assert_non_null(numbers);
    char row[128]; /* of the plot: the median, between the least and the best training */
    Spread far = accuracy[ATTENTION * GAPS + 1];
    snprintf(row, sizeof row, "\n2\t4\t%.9g\t%.9g\t%.9g\tGRU + attention\n", far.median, far.min,
             far.max);
    assert_non_null(strstr(numbers, row));
    free(numbers);
    lesson_run_free(&stage);
}

static void test_short_trainings_claim_nothing(void **state) {
    (void)state;
    Spread accuracy[ARMS * GAPS];
    Stage stage = stage_play(play, accuracy, "--seed 1 --no-plots --quick");
    assert_int_equal(stage.status, 0);
    assert_int_equal(lesson_claim_count(&stage, "not_made"), 3);
    lesson_run_free(&stage);
}

static void test_nonsense(void **state) {
    (void)state;
    RecallPlan plan = {.repeats = RECALL_MAX_REPEATS + 1};
    Run run = {0};
    expect_check_message("recall_compare: 10 repeats",
                         recall_compare(&run, &plan, arms, ARMS, gaps, gaps, GAPS, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_short_trainings_claim_nothing),
        cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
