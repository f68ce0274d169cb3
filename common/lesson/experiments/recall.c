#include "lesson/experiments/recall.h"

#include "core/check.h"
#include "data/recall.h"
#include "lesson/weights.h"

#include <limits.h>
#include <stdlib.h>

enum { EMBEDDING = 16 };

RecallModel *recall_model_new(const RecallPlan *plan, Rng *rng) {
    RecallModel *model = check_alloc(sizeof *model);
    *model = (RecallModel){.params = params_new(), .plan = *plan, .tape = tape_new()};
    ClassifierSizes sizes = {RECALL_VOCABULARY, EMBEDDING, plan->H, RECALL_SYMBOLS};
    model->classifier =
        classifier_new(&model->params, sizes, plan->kind, plan->bias, plan->attention);
    params_allocate(&model->params, rng);
    model->ids = check_alloc((size_t)(plan->gap + 1) * (size_t)plan->B * sizeof(int));
    model->answer = check_alloc((size_t)plan->B * sizeof(int));
    return model;
}

void recall_model_free(RecallModel *model) {
    params_free(&model->params);
    tape_free(&model->tape);
    free(model->ids);
    free(model->answer);
    free(model);
}

/* The logits (B, 8) of a new batch. */
static Tensor *read_batch(RecallModel *model, Rng *rng) {
    const RecallPlan *plan = &model->plan;
    recall_draw(rng, plan->gap, plan->B, model->ids, model->answer);
    tape_reset(&model->tape);
    return classifier_logits(&model->tape, &model->classifier, model->ids, plan->gap + 1, plan->B,
                             plan->reach > 0 ? plan->reach : INT_MAX);
}

static int count_right(const RecallModel *model, const Tensor *logits) {
    int right = 0;
    for (int b = 0; b < model->plan.B; b++) {
        const float *row = logits->data + b * RECALL_SYMBOLS;
        right += tensor_argmax(row, RECALL_SYMBOLS) == model->answer[b];
    }
    return right;
}

double recall_gradient(RecallModel *model, Rng *rng, int *right) {
    params_zero_grad(&model->params);
    Tensor *logits = read_batch(model, rng);
    CrossEntropy all = {.ignore = -1};
    Tensor *loss = op_cross_entropy(&model->tape, logits, model->answer, all);
    tape_backward(&model->tape, loss);
    if (right != NULL) {
        *right = count_right(model, logits);
    }
    return (double)loss->data[0];
}

double recall_test(RecallModel *model, Rng *rng, int count) {
    int right = 0, read = 0;
    model->tape.recording = false;
    for (; read < count; read += model->plan.B) {
        right += count_right(model, read_batch(model, rng));
    }
    model->tape.recording = true;
    return (double)right / read;
}

/* Until it is perfect, or the steps are used up. */
static void recall_train(Run *run, RecallModel *model, Rng *rng, RecallResult *result) {
    const RecallPlan *plan = &model->plan;
    Adam adam = adam_new(&model->params);
    int perfect = 0;
    while (result->steps < plan->steps && perfect < RECALL_PERFECT && !run_stopped(run)) {
        int right;
        result->loss = recall_gradient(model, rng, &right);
        if (plan->clip > 0.0) {
            params_clip_norm(&model->params, plan->clip);
        }
        adam_step(&adam, plan->rate);
        perfect = right == plan->B ? perfect + 1 : 0;
        result->steps++;
    }
    adam_free(&adam);
}

/* What a training leaves besides its weights, for --save and --load. Under --load the batches it
 * learnt from are drawn again, without learning, so that the test is the same. */
static void recall_keep(Run *run, RecallModel *model, Rng *rng, const char *name,
                        RecallResult *result, bool loaded) {
    double numbers[] = {result->steps, result->loss};
    training_numbers(run, name, "steps_and_loss", numbers, COUNT_OF(numbers), COUNT_OF(numbers));
    if (loaded && numbers[0] >= 0.0 && numbers[0] <= model->plan.steps) {
        *result = (RecallResult){.steps = (int)numbers[0], .loss = numbers[1]};
        for (int step = 0; step < result->steps && !run_stopped(run); step++) {
            recall_draw(rng, model->plan.gap, model->plan.B, model->ids, model->answer);
        }
    }
}

RecallResult recall_trial(Run *run, const RecallPlan *plan, const char *name) {
    Rng rng = run_rng(run, name);
    RecallModel *model = recall_model_new(plan, &rng);
    model->tape.check_finite = run->flags.check_finite;
    RecallResult result = {0};
    const Training training = {.label = name, .params = &model->params, .steps = plan->steps};
    bool loaded = training_loaded(run, &training);
    if (!loaded) {
        recall_train(run, model, &rng, &result);
        training_keep(run, &training);
    }
    recall_keep(run, model, &rng, name, &result, loaded);
    result.accuracy = recall_test(model, &rng, run_size(run, 512, 64));
    recall_model_free(model);
    return result;
}
