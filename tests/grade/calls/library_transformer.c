/* Norm, layers, loss and beams of common/. */
#include "grade/calls/call.h"

#include "core/ops.h"
#include "grade/calls/layers.h"
#include "nn/beam.h"

void check_layernorm(Call *c);
void check_layernorm(Call *c) {
    Tensor *x = call_tensor(c, "x"), *gain = call_tensor(c, "gain");
    Tensor *y = op_layernorm(call_tape(c), x, gain, call_tensor(c, "bias"), call_float(c, "eps"));
    answer_tensor(c, "y", y);
    call_backward(c, y);
    answer_gradient(c, "dx", x);
    answer_gradient(c, "dgain", gain);
}

void check_encoder(Call *c);
void check_encoder(Call *c) {
    Layers layers = layers_new(c);
    answer_tensor(c, "y",
                  encoder_layer_forward(call_tape(c), &layers.encoder, call_tensor(c, "x"),
                                        (Look){0}, dropout_with(c, &layers.dropout)));
    params_free(&layers.params);
}

void check_decoder(Call *c);
void check_decoder(Call *c) {
    Layers layers = layers_new(c);
    Look causal = {.causal = true};
    answer_tensor(c, "y",
                  decoder_layer_forward(call_tape(c), &layers.decoder, call_tensor(c, "x"), causal,
                                        call_tensor(c, "memory"), (Look){0},
                                        dropout_with(c, &layers.dropout)));
    params_free(&layers.params);
}

void check_smoothing(Call *c);
void check_smoothing(Call *c) {
    Tensor *logits = call_tensor(c, "logits");
    CrossEntropy options = {.ignore = call_int(c, "ignore"),
                            .smoothing = call_float(c, "eps"),
                            .spread = (Smoothing)call_int(c, "spread")};
    Tensor *loss = op_cross_entropy(call_tape(c), logits, call_ints(c, "target"), options);
    answer_tensor(c, "loss", loss);
    call_backward(c, loss);
    answer_gradient(c, "dlogits", logits);
}

/* A decoder whose scores depend on the word before and on nothing else. */
typedef struct Chain {
    const float *scores; /* (V, V) */
    int V;
    float *rows;
} Chain;

static const float *chain_step(void *decoder, const int *parent, const int *previous, int rows) {
    Chain *chain = decoder;
    (void)parent;
    for (int r = 0; r < rows; r++) {
        for (int v = 0; v < chain->V; v++) {
            chain->rows[r * chain->V + v] = chain->scores[previous[r] * chain->V + v];
        }
    }
    return chain->rows;
}

void check_beam(Call *c);
void check_beam(Call *c) {
    int V = call_int(c, "V"), T = call_int(c, "T");
    BeamOptions options = {.beams = call_int(c, "K"),
                           .normalise = call_float(c, "normalise"),
                           .start = 0,
                           .end = 1,
                           .max_steps = T};
    Chain chain = {call_floats(c, "scores"), V, NULL};
    chain.rows = arena_alloc(&call_tape(c)->arena, (size_t)(options.beams * V) * sizeof(float));
    BeamResult best = beam_search(chain_step, &chain, 1, V, options);
    Tensor *words = tape_constant(call_tape(c), "words", NULL, SHAPE(T));
    for (int t = 0; t < best.length[0]; t++) {
        words->data[t] = (float)best.tokens[t];
    }
    answer_tensor(c, "words", words);
    answer_number(c, "length", best.length[0]);
    answer_number(c, "log probability", best.log_probability[0]);
    answer_number(c, "score", best.score[0]);
    beam_free(&best);
}
