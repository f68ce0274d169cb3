#include "lesson/experiments/plain_look.h"
#include "support/stage.h"

#include "lesson/experiments/causal_tasks.h"

static const PlainLook looks_ahead = {SEES_FUTURE, MASK_OUT};
static const PlainLook looks_before = {SEES_BEFORE, MASK_OUT};
static const PlainLook empty_looks_everywhere = {SEES_BEFORE, MASK_BILLION};
static const PlainLook empty_is_nan = {SEES_BEFORE, MASK_INFINITY};

static CausalPlan small_plan(int steps) {
    CausalPlan plan = causal_plan();
    plan.d_model = 32;
    plan.steps = steps;
    plan.rate = 5e-3f;
    plan.held = 100;
    plan.test = 100;
    return plan;
}

typedef struct Digits {
    CausalResult past, all, ahead, again;
} Digits;

static void play_digits(Run *run, void *context) {
    Digits *found = context;
    found->past = random_digits_train(run, "past", LOOKER(looks_back), small_plan(80));
    found->all = random_digits_train(run, "all", LOOKER(looks_everywhere), small_plan(80));
    found->ahead = random_digits_train(run, "ahead", LOOKER(looks_ahead), small_plan(80));
    found->again = random_digits_train(run, "past", LOOKER(looks_back), small_plan(80));
}

/* The mask is all that differs: ln 10 for those who cannot look, ln 10 / 12 for the others. */
static void test_random_digits(void **state) {
    (void)state;
    Digits found;
    Stage stage = stage_play(play_digits, &found, "--no-plots");
    assert_true(found.past.loss > 2.29 && found.past.loss < 2.4);
    assert_true(found.all.loss < 1.0);
    assert_true(found.ahead.loss < 1.0);
    assert_close(found.again.loss, found.past.loss, 0, 0);
    assert_int_equal(found.past.curve.n, 80);
    assert_close(found.past.curve.loss[0], found.again.curve.loss[0], 0, 0);
    lesson_run_free(&stage);
}

static void play_leaks(Run *run, void *context) {
    double *leak = context;
    CausalPlan plan = small_plan(1);
    leak[0] = random_digits_leak(run, LOOKER(looks_back), plan);
    leak[1] = random_digits_leak(run, LOOKER(looks_before), plan);
    leak[2] = random_digits_leak(run, LOOKER(looks_everywhere), plan);
    leak[3] = random_digits_leak(run, LOOKER(looks_ahead), plan);
    leak[4] = random_digits_leak(run, LOOKER(empty_looks_everywhere), plan);
    leak[5] = random_digits_leak(run, LOOKER(empty_is_nan), plan);
}

/* faults 8 */
static void test_leaks(void **state) {
    (void)state;
    double leak[6];
    Stage stage = stage_play(play_leaks, leak, "");
    assert_close(leak[0], 0, 0, 0);
    assert_close(leak[1], 0, 0, 0);
    assert_true(leak[2] > 1e-3 && isfinite(leak[2]));
    assert_true(leak[3] > 1e-3 && isfinite(leak[3]));
    assert_true(leak[4] > 1e-3 && isfinite(leak[4]));
    assert_true(isinf(leak[5]));
    lesson_run_free(&stage);
}

typedef struct Additions {
    CausalResult causal, all, short_one;
} Additions;

static void play_additions(Run *run, void *context) {
    Additions *found = context;
    found->causal = addition_train(run, "causal", LOOKER(looks_back), small_plan(500));
    found->all = addition_train(run, "all", LOOKER(looks_everywhere), small_plan(150));
    found->short_one = addition_train(run, "short", LOOKER(looks_back), small_plan(1));
}

/* Who sees the answer has the lowest loss and cannot add. */
static void test_additions(void **state) {
    (void)state;
    Additions found;
    Stage stage = stage_play(play_additions, &found, "--no-plots");
    const CausalResult *causal = &found.causal, *all = &found.all;
    assert_true(causal->loss < 1.5); /* learns: 2.3 is guessing digits, 1.6 knows only */
    assert_true(causal->exact <= causal->forced); /* how they are spread */
    assert_true(all->loss < 0.1 && all->forced > 0.95);
    assert_true(all->exact < 0.2);
    assert_int_equal(strlen(causal->question), ADDITION_QUESTION);
    int a, b, c = 0;
    assert_int_equal(sscanf(causal->question, "%2d+%2d=", &a, &b), 2);
    for (int i = ADDITION_ANSWER - 1; i >= 0; i--) {
        c = 10 * c + (causal->answer[i] - '0');
    }
    assert_int_equal(c, a + b);
    assert_int_equal(strlen(causal->free), ADDITION_ANSWER);
    assert_string_equal(all->question, causal->question); /* the same are held out */
    assert_true(found.short_one.loss > 1.5);
    assert_true(found.short_one.exact < 0.2);
    lesson_run_free(&stage);
}

static void test_plan(void **state) {
    (void)state;
    Run silent = {.silent = true};
    CausalPlan plan = small_plan(1);
    plan.test = 101;
    expect_check_message("100 additions held out of 10000, 101 tested",
                         addition_train(&silent, "x", LOOKER(looks_back), plan));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_digits),
        cmocka_unit_test(test_leaks),
        cmocka_unit_test(test_additions),
        cmocka_unit_test(test_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
