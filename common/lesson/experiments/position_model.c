#include "lesson/experiments/position_model.h"

#include "core/check.h"
#include "core/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The learned table is declared last, so that all kinds draw the same numbers for what they
 * share. */
void position_model_new(PositionModel *model, PositionPlan plan, Rng *rng) {
    CHECK(plan.layers >= 1 && plan.layers <= POSITION_MODEL_LAYERS,
          "position_model: %d layers; 1 .. %d are possible", plan.layers, POSITION_MODEL_LAYERS);
    plan.outputs = plan.outputs > 0 ? plan.outputs : plan.V;
    *model = (PositionModel){.plan = plan, .params = params_new()};
    Params *params = &model->params;
    LayerConfig config = {
        .d_model = plan.d, .heads = plan.heads, .d_ff = 4 * plan.d, .separate = true};
    Init init = init_normal(1.0f / sqrtf((float)plan.d));
    model->words.table = params_add(params, "words", "table", init, SHAPE(plan.V, plan.d));
    for (int i = 0; i < plan.layers; i++) {
        char name[24];
        snprintf(name, sizeof name, "layer%d", i);
        model->layer[i] = encoder_layer_new(params, name, config);
    }
    model->norm = layernorm_new(params, "norm", plan.d);
    model->out = linear_new(params, "out", plan.d, plan.outputs, true);
    model->position =
        position_new(params, "position", plan.kind, plan.d, plan.heads, plan.max_length);
    params_allocate(params, rng);
}

void position_model_free(PositionModel *model) {
    params_free(&model->params);
}

static Tensor *attend_to(const PositionModel *model, Tape *tape, const MultiHead *heads, Tensor *n,
                         Tensor **weights) {
    Tensor *q = linear_forward(tape, &heads->q, n);
    Tensor *k = linear_forward(tape, &heads->k, n);
    Tensor *v = linear_forward(tape, &heads->v, n);
    return linear_forward(tape, &heads->out, model->plan.look(model, tape, q, k, v, weights));
}

Tensor *position_model_states(const PositionModel *model, Tape *tape, const int *ids, int B, int L,
                              Tensor **weights) {
    Tensor *words = op_embedding(tape, model->words.table, ids, SHAPE(B, L));
    Tensor *x = model->plan.enter(model, tape, words);
    for (int i = 0; i < model->plan.layers; i++) {
        const EncoderLayer *layer = &model->layer[i];
        Tensor *n = layernorm_forward(tape, &layer->norm1, x);
        x = op_add(tape, x,
                   attend_to(model, tape, &layer->self, n, weights == NULL ? NULL : weights + i));
        n = layernorm_forward(tape, &layer->norm2, x);
        x = op_add(tape, x, feed_forward_forward(tape, &layer->ff, n, 0.0f, 0));
    }
    return layernorm_forward(tape, &model->norm, x);
}

Tensor *position_model_logits(const PositionModel *model, Tape *tape, const int *ids, int B,
                              int L) {
    return linear_forward(tape, &model->out, position_model_states(model, tape, ids, B, L, NULL));
}

Tensor *position_model_pooled(const PositionModel *model, Tape *tape, const int *ids, int B,
                              int L) {
    Tensor *states = position_model_states(model, tape, ids, B, L, NULL);
    return linear_forward(tape, &model->out, mean_pool(tape, states, NULL));
}

double position_model_moved(PositionModel *model, const int *ids, int B, int L, int start) {
    Tape tape = tape_new();
    tape.recording = false;
    int before = model->start;
    model->start = 0;
    Tensor *here = position_model_logits(model, &tape, ids, B, L);
    model->start = start;
    Tensor *there = position_model_logits(model, &tape, ids, B, L);
    model->start = before;
    double moved = largest_difference(here->data, there->data, tensor_size(here));
    tape_free(&tape);
    return moved;
}

typedef struct Reading {
    PositionModel model;
    Tape tape;
    int *ids; /* (L) */
    int L;
} Reading;

static void read_row(void *context) {
    Reading *row = context;
    position_model_logits(&row->model, &row->tape, row->ids, 1, row->L);
}

Refusal position_refusal(Run *run, const PositionArms *arms, int arm, PositionPlan plan, int L) {
    Reading row = {.tape = tape_new(), .L = L};
    arms->make(run, &row.model, arm, plan);
    row.ids = check_alloc((size_t)L * sizeof *row.ids);
    row.tape.recording = false;
    Refusal refusal = refusal_of(read_row, &row);
    position_model_free(&row.model);
    tape_free(&row.tape);
    free(row.ids);
    return refusal;
}
