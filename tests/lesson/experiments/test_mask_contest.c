#include "lesson/experiments/plain_look.h"
#include "support/stage.h"

#include "lesson/experiments/mask_contest.h"

#include <stdlib.h>

static const PlainLook empty_is_nan = {SEES_BEFORE, MASK_INFINITY};

static CausalPlan small_plan(void) {
    CausalPlan plan = causal_plan();
    plan.d_model = 16;
    plan.steps = 16;
    plan.held = 50;
    plan.test = 50;
    return plan;
}

typedef struct Play {
    CausalResult digits[3], additions[2];
    double leaks[3];
    bool check_finite;
} Play;

static void play(Run *run, void *context) {
    Play *found = context;
    const MaskArm arms[] = {{"causal", LOOKER(looks_back), 0, false},
                            {"none", LOOKER(looks_everywhere), 24, false},
                            {"nan", LOOKER(empty_is_nan), 2, true}};
    random_digits_compare(run, arms, 3, small_plan(), found->digits, found->leaks);
    additions_compare(run, arms, 2, small_plan(), found->additions);
    found->check_finite = run->flags.check_finite;
}

static void play_stopped(Run *run, void *context) {
    run->failed = true; /* like Ctrl-C: run_stopped() from here on */
    play(run, context);
}

/* A run that was stopped neither trains nor tests what is left, and says so: nan everywhere. */
static void test_stopped(void **state) {
    (void)state;
    Play found;
    Stage stage = stage_play(play_stopped, &found, "--no-plots");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(found.digits[i].curve.n, 0);
        assert_true(isnan(found.digits[i].loss) && isnan(found.leaks[i]));
    }
    for (int i = 0; i < 2; i++) {
        assert_true(isnan(found.additions[i].loss) && isnan(found.additions[i].forced));
        assert_true(isnan(found.additions[i].exact));
    }
    assert_null(strstr(stage.out, "causal"));
    lesson_run_free(&stage);
}

/* An arm that is expected to give nan does not stop the run, not even with --check-finite. */
static void test_compared(void **state) {
    (void)state;
    Play found;
    Stage stage = stage_play(play, &found, "--no-plots --check-finite");
    assert_int_equal(stage.status, 0);
    assert_true(found.check_finite);
    assert_close(found.digits[0].curve.step[found.digits[0].curve.n - 1], 16, 0, 0);
    assert_close(found.digits[1].curve.step[found.digits[1].curve.n - 1], 24, 0, 0);
    assert_int_equal(finite_losses(&found.digits[0].curve), 16);
    assert_int_equal(finite_losses(&found.digits[2].curve), 0);
    assert_int_equal(found.digits[2].curve.n, 2);
    assert_true(isnan(found.digits[2].loss));
    assert_close(found.leaks[0], 0, 0, 0);
    assert_true(found.leaks[1] > 0);
    assert_true(isinf(found.leaks[2]));
    assert_true(isfinite(found.additions[0].loss) && isfinite(found.additions[1].loss));
    const char *files[] = {"random_digits.tsv", "additions.tsv"};
    for (int i = 0; i < 2; i++) {
        char *text = lesson_file(&stage, files[i], NULL);
        assert_non_null(text);
        assert_non_null(strstr(text, "causal"));
        free(text);
    }
    lesson_run_free(&stage);
}

static void test_early_loss(void **state) {
    (void)state;
    FitCurve curve = {.n = 16};
    for (int i = 0; i < 16; i++) {
        curve.loss[i] = 100 - i;
    }
    assert_close(early_loss(&curve), 98, 0, 0);
    curve.n = 1;
    assert_close(early_loss(&curve), 100, 0, 0);
    curve.n = 0;
    assert_true(isnan(early_loss(&curve)));
    assert_int_equal(finite_losses(&curve), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compared),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_early_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
