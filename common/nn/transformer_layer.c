#include "nn/transformer_layer.h"

#include "core/check.h"
#include "core/rng.h"

uint64_t dropout_next(Dropout *dropout) {
    Rng rng = rng_seeded(dropout->key, dropout->drawn++);
    return rng_bits(&rng);
}

/* p where there is dropout at all. */
static float active(const Tape *tape, float p, const Dropout *dropout) {
    return tape->recording && dropout != NULL ? p : 0.0f;
}

Tensor *dropout_forward(Tape *tape, Tensor *x, float p, Dropout *dropout) {
    p = active(tape, p, dropout);
    return p > 0.0f ? op_dropout(tape, x, p, dropout_next(dropout)) : x;
}

/* Exercise 7.2 */
/* What a sublayer gets to see. */
static Tensor *sublayer_in(Tape *tape, const LayerConfig *config, const LayerNorm *norm,
                           Tensor *x) {
    return config->post_ln ? x : layernorm_forward(tape, norm, x);
}

/* Exercise 7.2 */
/* What becomes of x when the sublayer has returned f. */
static Tensor *sublayer_out(Tape *tape, const LayerConfig *config, const LayerNorm *norm, Tensor *x,
                            Tensor *f, Dropout *dropout) {
    Tensor *sum = op_add(tape, x, dropout_forward(tape, f, config->dropout, dropout));
    return config->post_ln ? layernorm_forward(tape, norm, sum) : sum;
}

/* The look of a layer: dropout of the weights as configured. */
static Look with_dropout(const Tape *tape, Look look, const LayerConfig *config, Dropout *dropout) {
    look.dropout = active(tape, config->attention_dropout, dropout);
    look.dropout_key = look.dropout > 0.0f ? dropout_next(dropout) : 0;
    return look;
}

/* Exercise 7.3 */
static Tensor *self_sublayer(Tape *tape, const LayerConfig *config, const MultiHead *self,
                             const LayerNorm *norm, Tensor *x, Look look, Dropout *dropout) {
    Tensor *in = sublayer_in(tape, config, norm, x);
    Tensor *f = multi_head_self(tape, self, in, with_dropout(tape, look, config, dropout));
    return sublayer_out(tape, config, norm, x, f, dropout);
}

/* Exercise 7.3 */
static Tensor *feed_forward_sublayer(Tape *tape, const LayerConfig *config, const FeedForward *ff,
                                     const LayerNorm *norm, Tensor *x, Dropout *dropout) {
    float p = active(tape, config->dropout, dropout);
    Tensor *in = sublayer_in(tape, config, norm, x);
    Tensor *f = feed_forward_forward(tape, ff, in, p, p > 0.0f ? dropout_next(dropout) : 0);
    return sublayer_out(tape, config, norm, x, f, dropout);
}

EncoderLayer encoder_layer_new(Params *params, const char *name, LayerConfig config) {
    int d = config.d_model;
    return (EncoderLayer){.config = config,
                          .self = multi_head_new(params, param_prefix(name, "self").text, d,
                                                 config.heads, !config.separate),
                          .ff = feed_forward_new(params, param_prefix(name, "ff").text, d,
                                                 config.d_ff, config.activation),
                          .norm1 = layernorm_new(params, param_prefix(name, "norm1").text, d),
                          .norm2 = layernorm_new(params, param_prefix(name, "norm2").text, d)};
}

/* Exercise 7.3 */
Tensor *encoder_layer_forward(Tape *tape, const EncoderLayer *layer, Tensor *x, Look look,
                              Dropout *dropout) {
    const LayerConfig *config = &layer->config;
    x = self_sublayer(tape, config, &layer->self, &layer->norm1, x, look, dropout);
    return feed_forward_sublayer(tape, config, &layer->ff, &layer->norm2, x, dropout);
}

DecoderLayer decoder_layer_new(Params *params, const char *name, LayerConfig config) {
    int d = config.d_model;
    return (DecoderLayer){
        .config = config,
        .self = multi_head_new(params, param_prefix(name, "self").text, d, config.heads,
                               !config.separate),
        .cross = multi_head_new(params, param_prefix(name, "cross").text, d, config.heads, false),
        .ff = feed_forward_new(params, param_prefix(name, "ff").text, d, config.d_ff,
                               config.activation),
        .norm1 = layernorm_new(params, param_prefix(name, "norm1").text, d),
        .norm2 = layernorm_new(params, param_prefix(name, "norm2").text, d),
        .norm3 = layernorm_new(params, param_prefix(name, "norm3").text, d)};
}

/* Exercise 7.3 */
Tensor *decoder_layer_forward_with(Tape *tape, const DecoderLayer *layer, Tensor *x, Look self,
                                   CrossMemory memory, Look cross, Dropout *dropout) {
    const LayerConfig *config = &layer->config;
    x = self_sublayer(tape, config, &layer->self, &layer->norm1, x, self, dropout);
    Tensor *in = sublayer_in(tape, config, &layer->norm2, x);
    Tensor *f = multi_head_cross_with(tape, &layer->cross, in, memory,
                                      with_dropout(tape, cross, config, dropout));
    x = sublayer_out(tape, config, &layer->norm2, x, f, dropout);
    return feed_forward_sublayer(tape, config, &layer->ff, &layer->norm3, x, dropout);
}

Tensor *decoder_layer_forward(Tape *tape, const DecoderLayer *layer, Tensor *x, Look self,
                              Tensor *memory, Look cross, Dropout *dropout) {
    return decoder_layer_forward_with(
        tape, layer, x, self, multi_head_memory(tape, &layer->cross, memory), cross, dropout);
}
