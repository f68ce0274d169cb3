#include "support/stage.h"
#include "support/tensors.h"

#include "core/optim.h"
#include "lesson/fit.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* One number w, from 1 towards 0: its loss is 1/2 w^2, so the gradient is w. */
typedef struct Bowl {
    Params params;
    Tensor *w;
    Fit fit;
    FitCurve curve;
    int losses, checks, watched; /* calls */
    bool recorded_in_check, stop;
} Bowl;

static Tensor *bowl_loss(void *model, Tape *tape) {
    Bowl *bowl = model;
    bowl->losses++;
    return op_scale(tape, op_sum(tape, op_mul(tape, bowl->w, bowl->w)), 0.5f);
}

static double bowl_check(void *model, Tape *tape) {
    Bowl *bowl = model;
    bowl->checks++;
    bowl->recorded_in_check = bowl->recorded_in_check || tape->recording || tape->node_count > 0;
    return 1.0 - (double)bowl->w->data[0];
}

static void bowl_watch(Run *run, void *model, int step) {
    Bowl *bowl = model;
    (void)step;
    bowl->watched++;
    if (bowl->stop) {
        run_input_error(run, &(Error){"that is enough"});
    }
}

static Bowl *bowl_new(int steps, int check_every) {
    Bowl *bowl = calloc(1, sizeof *bowl);
    Rng rng = rng_seeded(1, 1);
    bowl->params = params_new();
    bowl->w = params_add(&bowl->params, "bowl", "w", init_constant(1.0f), SHAPE(1));
    params_allocate(&bowl->params, &rng);
    bowl->fit = (Fit){.label = "bowl",
                      .params = &bowl->params,
                      .loss = bowl_loss,
                      .model = bowl,
                      .steps = steps,
                      .rate = 0.0625f,
                      .check_every = check_every,
                      .check = bowl_check,
                      .metric = "depth",
                      .watch = bowl_watch};
    return bowl;
}

static void bowl_free(Bowl *bowl) {
    params_free(&bowl->params);
    free(bowl);
}

static void play(Run *run, void *context) {
    Bowl *bowl = context;
    bowl->curve = fit_train(run, &bowl->fit);
}

static void bowl_play(Bowl *bowl) {
    Stage stage = stage_play(play, bowl, "--quick");
    lesson_run_free(&stage);
}

static void test_checks(void **state) {
    (void)state;
    Bowl *bowl = bowl_new(10, 4);
    bowl_play(bowl);
    assert_int_equal(bowl->losses, 10);
    assert_int_equal(bowl->checks, 3); /* after steps 4 and 8, and after the last */
    assert_int_equal(bowl->watched, 3);
    assert_false(bowl->recorded_in_check);
    assert_int_equal(bowl->curve.n, 3);
    const double steps[] = {4, 8, 10};
    for (int i = 0; i < 3; i++) {
        assert_close(bowl->curve.step[i], steps[i], 0, 0);
        assert_true(i == 0 || bowl->curve.metric[i] > bowl->curve.metric[i - 1]);
    }
    assert_close(bowl->curve.metric[2], 1.0 - (double)bowl->w->data[0], 0, 0);
    assert_close(bowl->curve.metric[0], 4 * 0.0625, 0.01, 0); /* Adam's first steps */
    /* w = 1, 15/16, 14/16, 13/16 in the first four */
    assert_close(bowl->curve.loss[0], (256 + 225 + 196 + 169) / 256.0 / 8, 0.01, 0);
    assert_close(fit_step_reaching(&bowl->curve, 0.4), 8, 0, 0);
    assert_true(isnan(fit_step_reaching(&bowl->curve, 0.9)));
    bowl_free(bowl);
}

static void test_without_checks(void **state) {
    (void)state;
    Bowl *bowl = bowl_new(5, 0);
    bowl_play(bowl);
    assert_int_equal(bowl->checks, 0);
    assert_int_equal(bowl->curve.n, 0);
    assert_true(bowl->w->data[0] < 0.75f);
    bowl_free(bowl);
    bowl = bowl_new(4, 2);
    bowl->fit.check = NULL;
    bowl_play(bowl);
    assert_int_equal(bowl->curve.n, 2);
    assert_true(isnan(bowl->curve.metric[1]) && isfinite(bowl->curve.loss[1]));
    bowl_free(bowl);
}

/* The same steps by hand, with the optimiser set in the same way. */
static void test_settings_reach_the_optimiser(void **state) {
    (void)state;
    Bowl *bowl = bowl_new(6, 0), *other = bowl_new(6, 0);
    bowl->fit.beta2 = 0.5f;
    bowl->fit.eps = 0.25f;
    bowl->fit.weight_decay = 0.125f;
    bowl->fit.clip = 0.5;
    bowl->fit.schedule = fit_warm_cool;
    bowl_play(bowl);
    Adam adam = adam_new(&other->params);
    adam.beta2 = 0.5f;
    adam.eps = 0.25f;
    adam.weight_decay = 0.125f;
    for (int step = 1; step <= 6; step++) {
        other->w->grad[0] = other->w->data[0];
        params_clip_norm(&other->params, 0.5);
        adam_step(&adam, (float)(0.0625f * fit_warm_cool(step, 6)));
    }
    assert_same_bits(bowl->w->data, other->w->data, 1);
    adam_free(&adam);
    bowl_free(bowl);
    bowl_free(other);
}

static void test_stops_with_the_run(void **state) {
    (void)state;
    Bowl *bowl = bowl_new(100, 3);
    bowl->stop = true;
    bowl_play(bowl);
    assert_int_equal(bowl->losses, 3);
    assert_int_equal(bowl->curve.n, 1);
    bowl_free(bowl);
}

static void test_too_many_checks(void **state) {
    (void)state;
    Bowl *bowl = bowl_new(FIT_POINTS + 1, 1);
    Run nobody = {.silent = true, .term = terminal_new(stdout, true)};
    expect_check_message("fit_train: bowl: more than 256 checks", fit_train(&nobody, &bowl->fit));
    bowl_free(bowl);
}

/* Whatever --steps asks for, fit_train takes it. */
static void test_any_number_of_steps_can_be_checked(void **state) {
    (void)state;
    assert_int_equal(fit_check_every(1000, 25), 25);
    assert_int_equal(fit_check_every(25 * FIT_POINTS, 25), 25);
    assert_int_equal(fit_check_every(25 * FIT_POINTS + 1, 25), 26);
    const int steps[] = {1, 3, FIT_POINTS, FIT_POINTS + 1, 99999, 100000000, INT_MAX};
    for (int i = 0; i < COUNT_OF(steps); i++) {
        int every = fit_check_every(steps[i], 10);
        assert_true(every >= 10 && (steps[i] - 1) / every < FIT_POINTS);
    }
}

static void test_warm_cool(void **state) {
    (void)state;
    assert_close(fit_warm_cool(1, 1000), 0.02, 1e-12, 0);
    assert_close(fit_warm_cool(50, 1000), 1.0, 1e-12, 0);
    assert_close(fit_warm_cool(700, 1000), 1.0, 1e-12, 0);
    assert_close(fit_warm_cool(850, 1000), 0.5, 1e-12, 0);
    assert_close(fit_warm_cool(1000, 1000), 0.0, 1e-12, 0);
}

static void play_plot(Run *run, void *context) {
    Bowl *bowl = context;
    bowl->curve = fit_train(run, &bowl->fit);
    FitCurve blind = bowl->curve;
    for (int i = 0; i < blind.n; i++) {
        blind.metric[i] = NAN;
    }
    const FitCurve *curves[] = {&bowl->curve, &blind};
    const char *labels[] = {"depth", "loss alone"};
    Plot plot = {.name = "bowl", .title = "A bowl", .x_label = "steps", .y_label = "depth"};
    fit_plot(run, plot, labels, curves, 2);
}

/* Where nothing was measured, the loss is drawn. */
static void test_plot(void **state) {
    (void)state;
    Bowl *bowl = bowl_new(4, 4);
    Stage stage = stage_play(play_plot, bowl, "--quick --no-plots");
    char *tsv = lesson_file(&stage, "bowl.tsv", NULL), number[2][32];
    assert_non_null(tsv);
    snprintf(number[0], sizeof number[0], "4\t%.4g", bowl->curve.metric[0]);
    snprintf(number[1], sizeof number[1], "4\t%.4g", bowl->curve.loss[0]);
    assert_non_null(strstr(tsv, "loss alone"));
    assert_non_null(strstr(tsv, number[0]));
    assert_non_null(strstr(tsv, number[1]));
    free(tsv);
    lesson_run_free(&stage);
    bowl_free(bowl);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checks),
        cmocka_unit_test(test_without_checks),
        cmocka_unit_test(test_settings_reach_the_optimiser),
        cmocka_unit_test(test_stops_with_the_run),
        cmocka_unit_test(test_too_many_checks),
        cmocka_unit_test(test_any_number_of_steps_can_be_checked),
        cmocka_unit_test(test_warm_cool),
        cmocka_unit_test(test_plot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
