#include "lesson/experiments/small_decoder.h"

#include "core/check.h"

#include <stdio.h>

static SmallLayer layer_new(Params *params, const char *name, DecoderSize size) {
    int d = size.d_model;
    return (SmallLayer){
        .norm1 = layernorm_new(params, param_prefix(name, "norm1").text, d),
        .norm2 = layernorm_new(params, param_prefix(name, "norm2").text, d),
        .q = linear_new(params, param_prefix(name, "q").text, d, d, true),
        .k = linear_new(params, param_prefix(name, "k").text, d, d, true),
        .v = linear_new(params, param_prefix(name, "v").text, d, d, true),
        .out = linear_new(params, param_prefix(name, "out").text, d, d, true),
        .ff =
            feed_forward_new(params, param_prefix(name, "ff").text, d, size.d_ff, ACTIVATION_RELU),
    };
}

SmallDecoder small_decoder_new(DecoderSize size, Looker looker, Rng *rng) {
    CHECK(size.layers >= 1 && size.layers <= SMALL_DECODER_LAYERS,
          "small_decoder: %d layers; the most is %d", size.layers, SMALL_DECODER_LAYERS);
    CHECK(size.heads >= 1 && size.d_model % size.heads == 0,
          "small_decoder: d_model %d cannot be divided among %d heads", size.d_model, size.heads);
    SmallDecoder model = {.size = size, .looker = looker, .params = params_new()};
    Params *params = &model.params;
    Init normal = init_normal(1.0f);
    model.words = params_add(params, "", "words", normal, SHAPE(size.V, size.d_model));
    model.places = params_add(params, "", "places", normal, SHAPE(size.L, size.d_model));
    for (int i = 0; i < size.layers; i++) {
        char name[24];
        snprintf(name, sizeof name, "layer%d", i);
        model.layer[i] = layer_new(params, name, size);
    }
    model.norm = layernorm_new(params, "norm", size.d_model);
    model.logits = linear_new(params, "logits", size.d_model, size.V, true);
    params_allocate(params, rng);
    return model;
}

/* x (B, L, d) + W_o of what the heads found. */
static Tensor *look_around(Tape *tape, const SmallDecoder *model, const SmallLayer *layer,
                           Tensor *x) {
    int H = model->size.heads;
    Tensor *n = layernorm_forward(tape, &layer->norm1, x);
    Tensor *q = op_split_heads(tape, linear_forward(tape, &layer->q, n), H); /* (B, H, L, D) */
    Tensor *k = op_split_heads(tape, linear_forward(tape, &layer->k, n), H);
    Tensor *v = op_split_heads(tape, linear_forward(tape, &layer->v, n), H);
    Tensor *found = model->looker.look(model->looker.how, tape, q, k, v, NULL);
    found = op_merge_heads(tape, found);
    return op_add(tape, x, linear_forward(tape, &layer->out, found));
}

static Tensor *think(Tape *tape, const SmallLayer *layer, Tensor *x) {
    Tensor *n = layernorm_forward(tape, &layer->norm2, x);
    return op_add(tape, x, feed_forward_forward(tape, &layer->ff, n, 0.0f, 0));
}

Tensor *small_decoder_forward(Tape *tape, const SmallDecoder *model, const int *ids, int B, int L) {
    CHECK(L >= 1 && L <= model->size.L, "small_decoder: %d positions; there are %d", L,
          model->size.L);
    Tensor *x = op_embedding(tape, model->words, ids, SHAPE(B, L));
    x = op_add(tape, x, op_slice(tape, model->places, 0, L));
    for (int i = 0; i < model->size.layers; i++) {
        x = look_around(tape, model, &model->layer[i], x);
        x = think(tape, &model->layer[i], x);
    }
    return linear_forward(tape, &model->logits, layernorm_forward(tape, &model->norm, x));
}

void small_decoder_free(SmallDecoder *model) {
    params_free(&model->params);
}
