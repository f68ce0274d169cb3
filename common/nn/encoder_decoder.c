#include "nn/encoder_decoder.h"

#include "core/check.h"

#include <string.h>

Transformer transformer_new(Params *params, const char *name, int V_source, int V_target,
                            TransformerConfig config) {
    stack_check_layers("transformer: encoder", config.encoder_layers);
    stack_check_layers("transformer: decoder", config.decoder_layers);
    int d = config.layer.d_model;
    Transformer model = {.config = config};
    model.source = embedding_new_small(params, param_prefix(name, "source").text, V_source, d);
    model.target = embedding_new_small(params, param_prefix(name, "target").text, V_target, d);
    model.source_position =
        stack_position(params, param_prefix(name, "source_position").text, &config);
    model.target_position =
        stack_position(params, param_prefix(name, "target_position").text, &config);
    for (int i = 0; i < config.encoder_layers; i++) {
        ParamPrefix layer = stack_layer_name(name, "encoder", i);
        model.encoder[i] = encoder_layer_new(params, layer.text, config.layer);
    }
    for (int i = 0; i < config.decoder_layers; i++) {
        ParamPrefix layer = stack_layer_name(name, "decoder", i);
        model.decoder[i] = decoder_layer_new(params, layer.text, config.layer);
    }
    model.encoder_norm = stack_norm(params, param_prefix(name, "encoder_norm").text, &config);
    model.decoder_norm = stack_norm(params, param_prefix(name, "decoder_norm").text, &config);
    model.out =
        stack_output(params, param_prefix(name, "out").text, &config, &model.target, V_target);
    return model;
}

Tensor *transformer_encode(Tape *tape, const Transformer *model, const int *source,
                           const int *length, int B, int S, Dropout *dropout,
                           AttentionTrace *trace) {
    const TransformerConfig *config = &model->config;
    Tensor *x = stack_embed(tape, config, &model->source, &model->source_position, source, B, S, 0,
                            dropout);
    for (int i = 0; i < config->encoder_layers; i++) {
        Look look = {.key_length = length,
                     .position = &model->source_position,
                     .weights = trace != NULL ? &trace->encoder[i] : NULL};
        x = encoder_layer_forward(tape, &model->encoder[i], x, look, dropout);
    }
    return stack_finish(tape, &model->encoder_norm, x);
}

/* Where layer i of the decoder looks in what has been written. */
static Look look_back(const Transformer *model, int i, AttentionTrace *trace) {
    return (Look){.causal = true,
                  .position = &model->target_position,
                  .weights = trace != NULL ? &trace->decoder[i] : NULL};
}

/* Where it looks in the source. */
static Look look_across(const int *source_length, int i, AttentionTrace *trace) {
    return (Look){.key_length = source_length, .weights = trace != NULL ? &trace->cross[i] : NULL};
}

static Tensor *logits_of(Tape *tape, const Transformer *model, Tensor *x) {
    return linear_forward(tape, &model->out, stack_finish(tape, &model->decoder_norm, x));
}

Tensor *transformer_decode(Tape *tape, const Transformer *model, const int *target, int B, int T,
                           Tensor *memory, const int *source_length, Dropout *dropout,
                           AttentionTrace *trace) {
    const TransformerConfig *config = &model->config;
    Tensor *x = stack_embed(tape, config, &model->target, &model->target_position, target, B, T, 0,
                            dropout);
    for (int i = 0; i < config->decoder_layers; i++) {
        x = decoder_layer_forward(tape, &model->decoder[i], x, look_back(model, i, trace), memory,
                                  look_across(source_length, i, trace), dropout);
    }
    return logits_of(tape, model, x);
}

TransformerState transformer_begin(Tape *tape, const Transformer *model, Tensor *memory,
                                   const int *source_length, int capacity) {
    CHECK(!tape->recording,
          "transformer_begin: word by word is for evaluation, but the tape records");
    CHECK(memory->ndim == 3, "transformer_begin: %s: needed is (B, S, d_model)",
          tensor_text(memory).text);
    int B = memory->dim[0], d = model->config.layer.d_model;
    TransformerState state = {.B = B, .S = memory->dim[1]};
    if (source_length != NULL) {
        int *copy = arena_alloc(&tape->arena, (size_t)B * sizeof *copy);
        state.source_length = memcpy(copy, source_length, (size_t)B * sizeof *copy);
    }
    for (int i = 0; i < model->config.decoder_layers; i++) {
        state.self[i] = kv_cache_new(&tape->arena, B, capacity, d);
        state.cross[i] = multi_head_memory(tape, &model->decoder[i].cross, memory);
    }
    return state;
}

Tensor *transformer_step(Tape *tape, const Transformer *model, TransformerState *state,
                         const int *token, AttentionTrace *trace) {
    const TransformerConfig *config = &model->config;
    Tensor *x = stack_embed(tape, config, &model->target, &model->target_position, token, state->B,
                            1, state->position, NULL);
    for (int i = 0; i < config->decoder_layers; i++) {
        Look self = look_back(model, i, trace);
        self.cache = &state->self[i];
        x = decoder_layer_forward_with(tape, &model->decoder[i], x, self, state->cross[i],
                                       look_across(state->source_length, i, trace), NULL);
    }
    state->position++;
    Tensor *logits = logits_of(tape, model, x);
    return op_reshape(tape, logits, SHAPE(state->B, tensor_cols(logits)));
}

void transformer_reorder(TransformerState *state, const int *parent) {
    for (int i = 0; i < TRANSFORMER_MOST_LAYERS && state->self[i].k != NULL; i++) {
        kv_cache_reorder(&state->self[i], parent);
    }
}
