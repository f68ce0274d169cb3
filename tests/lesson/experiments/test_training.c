#include "support/stage.h"

#include "core/optim.h"
#include "lesson/experiments/echo.h"

#include <stdlib.h>

enum { A = VOCAB_SPECIALS, V = VOCAB_SPECIALS + 3 };

/* A plan of `steps` for an echo; w goes from 1 towards 0 by about 1/16 a step. */
static TrainingPlan plan_of(int steps, const Corpus *held_out) {
    return (TrainingPlan){.label = "echo",
                          .steps = steps,
                          .B = 2,
                          .rate = 0.0625f,
                          .clip = 1.0f,
                          .rng = rng_seeded(1, 1),
                          .held_out = held_out};
}

static Corpus *some_corpus(void) {
    Rng rng = rng_seeded(3, 3);
    return reversal_corpus(10, 1, 1, 4, &rng); /* one symbol: backwards is forwards */
}

/* What a training leaves behind, for the test to look at. */
typedef struct Lesson9 {
    TrainingPlan plan;
    Echo *echo;
    Corpus *corpus;
    FitCurve curve;
    Trial trial;
    int watched[64], watched_count;
    bool stop, plotted;
} Lesson9;

static Lesson9 lesson9_new(int steps, int check_every) {
    Lesson9 nine = {.echo = echo_new(V), .corpus = some_corpus()};
    nine.plan = plan_of(steps, nine.corpus);
    nine.plan.check_every = check_every;
    return nine;
}

static void lesson9_free(Lesson9 *nine) {
    trial_free(&nine->trial);
    echo_free(nine->echo);
    corpus_free(nine->corpus);
}

static void watch(Run *run, void *context, int step) {
    Lesson9 *nine = context;
    nine->watched[nine->watched_count++] = step;
    if (nine->stop) {
        run_input_error(run, &(Error){"that is enough"});
    }
}

static void play_training(Run *run, void *context) {
    Lesson9 *nine = context;
    Translator translator = echo_translator(nine->echo);
    nine->curve = translator_train(run, &translator, nine->corpus, &nine->plan);
}

static void test_checks_and_their_losses(void **state) {
    (void)state;
    Lesson9 nine = lesson9_new(10, 4);
    nine.plan.watch = watch;
    nine.plan.context = &nine;
    Stage stage = stage_play(play_training, &nine, "--quick");
    assert_int_equal(stage.status, 0);
    assert_int_equal(nine.curve.n, 3); /* after steps 4 and 8, and after the last */
    const int steps[] = {4, 8, 10};
    for (int i = 0; i < 3; i++) {
        assert_close(nine.curve.step[i], steps[i], 0, 0);
        assert_int_equal(nine.watched[i], steps[i]);
    }
    assert_int_equal(nine.watched_count, 3);
    /* Adam's first steps are of the size of the rate: w = 1, 15/16, 14/16, 13/16 ... */
    double mean = (1.0 + 225.0 / 256 + 196.0 / 256 + 169.0 / 256) / 4;
    assert_close(nine.curve.loss[0], mean, 0.01, 0);
    assert_true(nine.curve.loss[1] < nine.curve.loss[0]);
    assert_close(nine.curve.metric[0], 0.0, 0, 0); /* w > .5: says nothing */
    assert_close(nine.curve.metric[2], 1.0, 0, 0);
    assert_close(fit_step_reaching(&nine.curve, 0.9), nine.curve.metric[1] > 0 ? 8 : 10, 0, 0);
    lesson_run_free(&stage);
    lesson9_free(&nine);
}

static void test_without_checks(void **state) {
    (void)state;
    Lesson9 nine = lesson9_new(5, 0);
    Stage stage = stage_play(play_training, &nine, "--quick");
    assert_int_equal(nine.curve.n, 0);
    assert_true(isnan(fit_step_reaching(&nine.curve, 0.5)));
    assert_true(nine.echo->w->data[0] < 0.75f);
    lesson_run_free(&stage);
    lesson9_free(&nine);
    nine = lesson9_new(6, 3);
    nine.plan.held_out = NULL; /* the loss alone is noted */
    stage = stage_play(play_training, &nine, "--quick");
    assert_int_equal(nine.curve.n, 2);
    assert_true(isnan(nine.curve.metric[0]) && isfinite(nine.curve.loss[0]));
    assert_int_equal(nine.echo->begun, 0);
    lesson_run_free(&stage);
    lesson9_free(&nine);
}

static double schedule_seen_last;

static double schedule_of_halves(long step, long total) {
    schedule_seen_last = (double)total;
    return step <= 2 ? 1.0 : 0.0;
}

static void test_schedule_scales_the_rate(void **state) {
    (void)state;
    Lesson9 nine = lesson9_new(8, 0);
    nine.plan.schedule = schedule_of_halves;
    Stage stage = stage_play(play_training, &nine, "--quick");
    assert_close(nine.echo->w->data[0], 1.0 - 2 * 0.0625, 1e-3, 0);
    assert_close(schedule_seen_last, 8, 0, 0);
    lesson_run_free(&stage);
    lesson9_free(&nine);
}

/* Gradients of a step do not leak into the next: with steps of pure gradient size they would. */
static void test_gradients_start_from_zero(void **state) {
    (void)state;
    Lesson9 nine = lesson9_new(3, 0);
    nine.plan.clip = 0.0f;
    nine.plan.rate = 0.0f;
    Stage stage = stage_play(play_training, &nine, "--quick");
    assert_close(nine.echo->w->grad[0], 2.0, 1e-6, 0); /* d w^2 / dw at 1, once */
    lesson_run_free(&stage);
    lesson9_free(&nine);
}

/* How far one step of a given rate moves the weight from 1. */
static double one_step(float clip) {
    Lesson9 nine = lesson9_new(1, 0);
    nine.plan.clip = clip;
    nine.plan.rate = 0.0625f;
    Stage stage = stage_play(play_training, &nine, "--quick");
    double moved = 1.0 - (double)nine.echo->w->data[0];
    lesson_run_free(&stage);
    lesson9_free(&nine);
    return moved;
}

/* Adam's first step has the size of the rate, whatever that of the gradient, as long as that is
 * large beside eps = 1e-8; a gradient of 2 that is clipped to 1e-9 no longer is. */
static void test_gradients_are_clipped(void **state) {
    (void)state;
    assert_close(one_step(0.0f), 0.0625, 1e-6, 0.0);
    assert_close(one_step(0.5f), 0.0625, 1e-6, 0.0);
    assert_close(one_step(1e-9f), 0.0625 * 1e-9 / (1e-9 + 1e-8), 1e-6, 0.0);
}

static void test_stops_when_the_run_does(void **state) {
    (void)state;
    Lesson9 nine = lesson9_new(50, 5);
    nine.stop = true;
    nine.plan.watch = watch;
    nine.plan.context = &nine;
    Stage stage = stage_play(play_training, &nine, "--quick");
    assert_int_equal(stage.status, 2);
    assert_int_equal(nine.watched_count, 1);
    assert_int_equal(nine.curve.n, 1);
    lesson_run_free(&stage);
    lesson9_free(&nine);
}

static void play_trial(Run *run, void *context) {
    Lesson9 *nine = context;
    Translator translator = echo_translator(nine->echo);
    nine->trial = translator_trial(run, &translator, nine->corpus, &nine->plan);
    const FitCurve *curves[] = {&nine->trial.curve, &nine->trial.curve};
    const char *labels[] = {"one", "the same"};
    nine->plotted = curves_plot(run, "learning", "Learning", labels, curves, 2);
}

static void test_trial_and_its_curves(void **state) {
    (void)state;
    Lesson9 nine = lesson9_new(12, 3);
    Stage stage = stage_play(play_trial, &nine, "--quick --no-plots");
    assert_int_equal(nine.trial.curve.n, 4);
    assert_int_equal(nine.trial.done.count, 10);
    assert_int_equal(nine.trial.forced.count, 10);
    assert_int_equal(translations_exact(&nine.trial.done, 0, 0).right, 10);
    char *tsv = lesson_file(&stage, "learning.tsv", NULL);
    assert_non_null(tsv);
    int lines = 0;
    for (const char *c = tsv; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    assert_in_range(lines, 1 + 2 * 4, 2 + 2 * 4);
    assert_non_null(strstr(tsv, "the same"));
    free(tsv);
    lesson_run_free(&stage);
    lesson9_free(&nine);
}

static void test_too_many_checks(void **state) {
    (void)state;
    Lesson9 nine = lesson9_new(FIT_POINTS + 1, 1);
    nine.plan.held_out = NULL;
    Run nobody = {.silent = true, .term = terminal_new(stdout, true)};
    Translator translator = echo_translator(nine.echo);
    expect_check_message("more than 256 checks",
                         translator_train(&nobody, &translator, nine.corpus, &nine.plan));
    lesson9_free(&nine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checks_and_their_losses),
        cmocka_unit_test(test_without_checks),
        cmocka_unit_test(test_schedule_scales_the_rate),
        cmocka_unit_test(test_gradients_start_from_zero),
        cmocka_unit_test(test_gradients_are_clipped),
        cmocka_unit_test(test_stops_when_the_run_does),
        cmocka_unit_test(test_trial_and_its_curves),
        cmocka_unit_test(test_too_many_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
