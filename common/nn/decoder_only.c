#include "nn/decoder_only.h"

DecoderOnly decoder_only_new(Params *params, const char *name, int V, TransformerConfig config) {
    stack_check_layers("decoder_only", config.decoder_layers);
    DecoderOnly model = {.config = config};
    model.words =
        embedding_new_small(params, param_prefix(name, "words").text, V, config.layer.d_model);
    model.position = stack_position(params, param_prefix(name, "position").text, &config);
    for (int i = 0; i < config.decoder_layers; i++) {
        ParamPrefix layer = stack_layer_name(name, "layer", i);
        model.layer[i] = encoder_layer_new(params, layer.text, config.layer);
    }
    model.norm = stack_norm(params, param_prefix(name, "norm").text, &config);
    model.out = stack_output(params, param_prefix(name, "out").text, &config, &model.words, V);
    return model;
}

Tensor *decoder_only_forward(Tape *tape, const DecoderOnly *model, const int *ids, int B, int L,
                             KvCache *caches, Dropout *dropout, AttentionTrace *trace) {
    const TransformerConfig *config = &model->config;
    int start = caches != NULL ? caches[0].length : 0;
    Tensor *x =
        stack_embed(tape, config, &model->words, &model->position, ids, B, L, start, dropout);
    for (int i = 0; i < config->decoder_layers; i++) {
        Look look = {.causal = true,
                     .position = &model->position,
                     .cache = caches != NULL ? &caches[i] : NULL,
                     .weights = trace != NULL ? &trace->decoder[i] : NULL};
        x = encoder_layer_forward(tape, &model->layer[i], x, look, dropout);
    }
    return linear_forward(tape, &model->out, stack_finish(tape, &model->norm, x));
}

KvCache *decoder_only_caches(Arena *arena, const DecoderOnly *model, int B, int capacity) {
    int layers = model->config.decoder_layers;
    KvCache *caches = arena_alloc(arena, (size_t)layers * sizeof *caches);
    for (int i = 0; i < layers; i++) {
        caches[i] = kv_cache_new(arena, B, capacity, model->config.layer.d_model);
    }
    return caches;
}
