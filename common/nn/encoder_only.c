#include "nn/encoder_only.h"

#include "core/check.h"

EncoderOnly encoder_only_new(Params *params, const char *name, int V, TransformerConfig config) {
    stack_check_layers("encoder_only", config.encoder_layers);
    EncoderOnly model = {.config = config};
    model.words =
        embedding_new_small(params, param_prefix(name, "words").text, V, config.layer.d_model);
    model.position = stack_position(params, param_prefix(name, "position").text, &config);
    for (int i = 0; i < config.encoder_layers; i++) {
        ParamPrefix layer = stack_layer_name(name, "layer", i);
        model.layer[i] = encoder_layer_new(params, layer.text, config.layer);
    }
    model.norm = stack_norm(params, param_prefix(name, "norm").text, &config);
    return model;
}

Tensor *encoder_only_forward(Tape *tape, const EncoderOnly *model, const int *ids,
                             const int *length, int B, int L, Dropout *dropout,
                             AttentionTrace *trace) {
    const TransformerConfig *config = &model->config;
    Tensor *x = stack_embed(tape, config, &model->words, &model->position, ids, B, L, 0, dropout);
    for (int i = 0; i < config->encoder_layers; i++) {
        Look look = {.key_length = length,
                     .position = &model->position,
                     .weights = trace != NULL ? &trace->encoder[i] : NULL};
        x = encoder_layer_forward(tape, &model->layer[i], x, look, dropout);
    }
    return stack_finish(tape, &model->norm, x);
}

Tensor *mean_pool(Tape *tape, Tensor *x, const int *length) {
    CHECK(x->ndim == 3, "mean_pool: %s: needed is (B, L, D)", tensor_text(x).text);
    int B = x->dim[0], L = x->dim[1], D = x->dim[2];
    Tensor *share = tape_constant(tape, "share", NULL, SHAPE(B, 1, L)); /* of each token */
    for (int b = 0; b < B; b++) {
        int n = length != NULL ? length[b] : L;
        CHECK(n >= 0 && n <= L, "mean_pool: length %d in %s", n, tensor_text(x).text);
        for (int t = 0; t < n; t++) {
            share->data[b * L + t] = 1.0f / (float)n;
        }
    }
    return op_reshape(tape, op_matmul(tape, share, x), SHAPE(B, D));
}
