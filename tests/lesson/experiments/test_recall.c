#include "support/stage.h"

#include "core/measure.h"
#include "data/recall.h"
#include "lesson/experiments/recall.h"

#include <math.h>
#include <stdlib.h>

static const RecallPlan small = {
    .kind = CELL_RNN, .H = 16, .gap = 2, .B = 16, .steps = 400, .rate = 0.01f, .clip = 1.0};

static void test_gradient_of_a_batch(void **state) {
    (void)state;
    Rng rng = rng_seeded(1, 1);
    RecallModel *model = recall_model_new(&small, &rng);
    Rng again = rng;
    int right = -1;
    double loss = recall_gradient(model, &rng, &right);
    assert_in_range(right, 0, 16);
    assert_close(loss, log(RECALL_SYMBOLS), 0.5, 0); /* it knows nothing yet */
    for (int i = 0; i < 16; i++) {
        assert_int_equal(model->ids[i], model->answer[i]);
    }
    /* the same batch again: the same gradient, not twice as much */
    float *first = check_alloc(model->params.size * sizeof *first);
    memcpy(first, model->params.grad, model->params.size * sizeof *first);
    assert_true(params_grad_norm(&model->params) > 0.0);
    assert_close(recall_gradient(model, &again, NULL), loss, 0, 0);
    assert_memory_equal(first, model->params.grad, model->params.size * sizeof *first);
    free(first);
    recall_model_free(model);
}

static void test_gradient_is_a_slope(void **state) {
    (void)state;
    Rng rng = rng_seeded(2, 1);
    RecallModel *model = recall_model_new(&small, &rng);
    Rng batch = rng;
    recall_gradient(model, &rng, NULL);
    double norm = params_grad_norm(&model->params), step = 1e-2;
    for (size_t i = 0; i < model->params.size; i++) {
        model->params.data[i] += (float)(step / norm * (double)model->params.grad[i]);
    }
    Rng same = batch;
    double up = recall_gradient(model, &same, NULL);
    Rng twin = rng_seeded(2, 1);
    RecallModel *other = recall_model_new(&small, &twin);
    double here = recall_gradient(other, &batch, NULL);
    assert_close((up - here) / step, norm, 0, 0.1); /* uphill by |gradient| */
    recall_model_free(model);
    recall_model_free(other);
}

static void test_a_fresh_reader_guesses(void **state) {
    (void)state;
    Rng rng = rng_seeded(3, 1);
    RecallModel *model = recall_model_new(&small, &rng);
    double share = recall_test(model, &rng, 2000);
    assert_true(share > 0.0 && share < 0.35);
    assert_true(model->tape.recording);
    recall_model_free(model);
}

/* ---- trials ---- */

typedef struct Trials {
    RecallResult first, again, other, cut;
} Trials;

static void play_trials(Run *run, void *context) {
    Trials *trials = context;
    RecallPlan far = small;
    far.gap = 8;
    far.reach = 3;
    far.steps = 60;
    trials->first = recall_trial(run, &small, "one");
    trials->other = recall_trial(run, &small, "two");
    trials->again = recall_trial(run, &small, "one");
    trials->cut = recall_trial(run, &far, "cut");
}

static void test_trials(void **state) {
    (void)state;
    Trials t;
    Stage stage = stage_play(play_trials, &t, "--seed 4");
    assert_int_equal(stage.status, 0);
    assert_close(t.first.accuracy, 1.0, 0.02, 0); /* learnt, and stopped early */
    assert_in_range(t.first.steps, RECALL_PERFECT, small.steps - 1);
    assert_true(t.first.loss < 0.5);
    /* the name and the seed alone decide */
    assert_close(t.again.accuracy, t.first.accuracy, 0, 0);
    assert_close(t.again.loss, t.first.loss, 0, 0);
    assert_int_equal(t.again.steps, t.first.steps);
    assert_true(t.other.loss != t.first.loss);
    /* no gradient reaches the symbol: nothing to learn */
    assert_int_equal(t.cut.steps, 60);
    assert_true(t.cut.accuracy < 0.35);
    lesson_run_free(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient_of_a_batch),
        cmocka_unit_test(test_gradient_is_a_slope),
        cmocka_unit_test(test_a_fresh_reader_guesses),
        cmocka_unit_test(test_trials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
