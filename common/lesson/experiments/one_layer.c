#include "lesson/experiments/one_layer.h"

#include "core/check.h"

OneLayer one_layer_new(const OneLayerPlan *plan, Rng *rng) {
    CHECK(plan->heads <= ONE_LAYER_HEADS, "one_layer: %d heads; the most is %d", plan->heads,
          ONE_LAYER_HEADS);
    OneLayer model = {.plan = *plan, .params = params_new()};
    Params *params = &model.params;
    int d = plan->d_model;
    model.words = embedding_new(params, "words", plan->V, d);
    model.positions = params_add(params, "positions", "table", init_normal(1), SHAPE(plan->L, d));
    if (plan->segments > 0) {
        model.segments = embedding_new(params, "segments", plan->segments, d);
    }
    model.gain = params_add(params, "norm", "gain", init_constant(1), SHAPE(d));
    model.bias = params_add(params, "norm", "bias", init_zeros(), SHAPE(d));
    model.heads = multi_head_new(params, "attention", d, plan->heads, false);
    model.out = linear_new(params, "out", d, plan->outputs, true);
    params_allocate(params, rng);
    return model;
}

void one_layer_free(OneLayer *model) {
    params_free(&model->params);
}

Tensor *one_layer_forward(const OneLayer *model, Tape *tape, const int *ids, const int *segments,
                          int B, Tensor **weights) {
    const OneLayerPlan *plan = &model->plan;
    CHECK((segments != NULL) == (plan->segments > 0), "one_layer: %d segments, and ids of %s",
          plan->segments, segments != NULL ? "some" : "none");
    Tensor *x = embedding_forward(tape, &model->words, ids, B, plan->L);
    x = op_add(tape, x, model->positions);
    if (segments != NULL) {
        x = op_add(tape, x, embedding_forward(tape, &model->segments, segments, B, plan->L));
    }
    x = op_layernorm(tape, x, model->gain, model->bias, 1e-5f);
    return linear_forward(tape, &model->out,
                          plan->attend(plan->context, tape, &model->heads, x, weights));
}
