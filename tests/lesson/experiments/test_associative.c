#include "support/stage.h"

#include "lesson/experiments/associative.h"

#include <math.h>
#include <stdlib.h>

/* Small enough to be learnt at once: 2 pairs out of 4 keys. */
static AssociativePlan small_plan(int steps) {
    return (AssociativePlan){.label = "small",
                             .pairs = 2,
                             .keys = 4,
                             .values = 3,
                             .d_model = 16,
                             .d_k = 8,
                             .B = 32,
                             .steps = steps,
                             .check_every = 25,
                             .test = 200,
                             .rate = 1e-2f,
                             .factor = 0.35f};
}

typedef struct Play {
    AssociativeCurve once, again, other, untrained;
} Play;

static void play(Run *run, void *context) {
    Play *found = context;
    AssociativePlan plan = small_plan(200);
    plan.check_every = 10;
    found->once = associative_train(run, &plan, "one");
    found->again = associative_train(run, &plan, "one");
    found->other = associative_train(run, &plan, "other");
    plan.rate = 0.0f;
    found->untrained = associative_train(run, &plan, "one");
}

static void test_learns(void **state) {
    (void)state;
    Play found;
    Stage stage = stage_play(play, &found, "");
    assert_int_equal(found.once.n, 20); /* every 10th of 200 steps */
    assert_close(found.once.step[0], 10, 0, 0);
    assert_close(found.once.step[19], 200, 0, 0);
    assert_true(found.once.accuracy[19] > 0.98);
    /* A third of the answers are right by chance; one value of two by looking at either pair. */
    assert_true(found.untrained.accuracy[19] < 0.75);
    int different = 0;
    for (int i = 0; i < 20; i++) {
        assert_close(found.once.accuracy[i], found.again.accuracy[i], 0, 0);
        different += found.once.accuracy[i] != found.other.accuracy[i];
    }
    assert_true(different > 0);
    lesson_run_free(&stage);
}

static void test_reaching(void **state) {
    (void)state;
    AssociativeCurve curve = {.n = 3, .step = {5, 10, 15}, .accuracy = {0.2, 0.95, 0.9}};
    assert_close(associative_reaching(&curve, 0.95, -1), 10, 0, 0);
    assert_close(associative_reaching(&curve, 0.1, -1), 5, 0, 0);
    assert_close(associative_reaching(&curve, 0.96, -1), -1, 0, 0);
    curve.n = 0;
    assert_close(associative_reaching(&curve, 0.0, -1), -1, 0, 0);
}

/* The last step is always tested; the plan of the lessons fits into a curve at any length. */
static void test_plan(void **state) {
    (void)state;
    for (int steps = 1; steps < 3000; steps += 7) {
        AssociativePlan plan = associative_plan(steps, 10);
        assert_int_equal(plan.steps, steps);
        assert_true(plan.check_every >= 1);
        assert_true(steps / plan.check_every < ASSOCIATIVE_POINTS);
    }
}

static void play_compared(Run *run, void *context) {
    const int d_k[] = {8, 64};
    const char *const names[] = {"root", "none"};
    double(*reached)[2] = context;
    associative_compare(run, small_plan(200), d_k, 2, (const float[]){0.5f, 0.0f}, names, reached,
                        "compared");
    associative_compare(run, small_plan(1), d_k, 1, (const float[]){0.5f, 0.5f}, names, reached + 2,
                        "short");
}

static void test_compared(void **state) {
    (void)state;
    double reached[3][2];
    Stage stage = stage_play(play_compared, reached, "--no-plots");
    assert_int_equal(stage.status, 0);
    for (int i = 0; i < 2; i++) {
        assert_true(reached[i][0] >= 25 && reached[i][0] <= 200);
    }
    assert_true(reached[1][1] > reached[1][0] || isnan(reached[1][1])); /* long and not scaled */
    assert_true(isnan(reached[2][0]) && isnan(reached[2][1]));
    char *text = lesson_file(&stage, "compared.tsv", NULL);
    assert_non_null(strstr(text, "d_k = 64, none"));
    free(text);
    lesson_run_free(&stage);
}

static void test_too_much(void **state) {
    (void)state;
    Run silent = {.silent = true};
    AssociativePlan plan = small_plan(256);
    plan.check_every = 1;
    expect_check_message("more than 256 tests", associative_train(&silent, &plan, "x"));
    plan = small_plan(1);
    plan.pairs = 5;
    expect_check_message("5 pairs of only 4", associative_train(&silent, &plan, "x"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learns),   cmocka_unit_test(test_reaching),
        cmocka_unit_test(test_plan),     cmocka_unit_test(test_compared),
        cmocka_unit_test(test_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
