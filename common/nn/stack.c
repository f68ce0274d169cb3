#include "nn/stack.h"

#include "core/check.h"

#include <stdio.h>

ParamPrefix stack_layer_name(const char *name, const char *what, int index) {
    char numbered[32];
    snprintf(numbered, sizeof numbered, "%s%d", what, index);
    return param_prefix(name, numbered);
}

void stack_check_layers(const char *what, int layers) {
    CHECK(layers >= 1 && layers <= TRANSFORMER_MOST_LAYERS, "%s: %d layers: needed are 1 to %d",
          what, layers, TRANSFORMER_MOST_LAYERS);
}

Position stack_position(Params *params, const char *name, const TransformerConfig *config) {
    return position_new(params, name, config->position, config->layer.d_model, config->layer.heads,
                        config->max_length);
}

Tensor *stack_embed(Tape *tape, const TransformerConfig *config, const Embedding *words,
                    const Position *position, const int *ids, int B, int L, int start,
                    Dropout *dropout) {
    Tensor *x = embedding_scaled(tape, words, ids, B, L);
    x = position_add(tape, position, x, start);
    return dropout_forward(tape, x, config->layer.dropout, dropout);
}

LayerNorm stack_norm(Params *params, const char *name, const TransformerConfig *config) {
    LayerNorm none = {0};
    return config->layer.post_ln ? none : layernorm_new(params, name, config->layer.d_model);
}

Tensor *stack_finish(Tape *tape, const LayerNorm *norm, Tensor *x) {
    return norm->gain != NULL ? layernorm_forward(tape, norm, x) : x;
}

Linear stack_output(Params *params, const char *name, const TransformerConfig *config,
                    const Embedding *words, int V) {
    Linear table = {.w = words->table};
    return config->tied ? table : linear_new(params, name, config->layer.d_model, V, true);
}
