#include "grade/calls/layers.h"

float dropout_of(Call *call) {
    return call_int(call, "dropout") != 0 ? 0.3f : 0.0f;
}

Dropout *dropout_with(Call *call, Dropout *dropout) {
    *dropout = (Dropout){.key = 7};
    return dropout_of(call) > 0.0f ? dropout : NULL;
}

Layers layers_new(Call *call) {
    Layers layers = {.params = params_new()};
    int d = call_int(call, "d");
    LayerConfig config = {.d_model = d, .heads = 2, .d_ff = 3 * d};
    config.post_ln = call_int(call, "post_ln") != 0;
    config.dropout = config.attention_dropout = dropout_of(call);
    layers.encoder = encoder_layer_new(&layers.params, "encoder", config);
    layers.decoder = decoder_layer_new(&layers.params, "decoder", config);
    Rng rng = rng_seeded((uint64_t)call_int(call, "seed"), 7);
    params_allocate(&layers.params, &rng);
    for (size_t i = 0; i < layers.params.size; i++) {
        layers.params.data[i] += 0.1f * rng_normal(&rng);
    }
    return layers;
}
