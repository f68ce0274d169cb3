/* What lesson 07 writes out. */
#include "grade/calls/call.h"

#include "grade/calls/layers.h"

Tensor *way_in(Tape *tape, const LayerConfig *c, const LayerNorm *norm, Tensor *x);
Tensor *way_out(Tape *tape, const LayerConfig *c, const LayerNorm *norm, Tensor *x, Tensor *found,
                Dropout *dropout);
Tensor *encoder_layer(Tape *tape, const EncoderLayer *l, Tensor *x, Look look, Dropout *dropout);
Tensor *decoder_layer(Tape *tape, const DecoderLayer *l, Tensor *x, Look self,
                      const CrossMemory *memory, Look cross, Dropout *dropout);

void check_07_way(Call *c);
void check_07_way(Call *c) {
    LayerConfig config = {.d_model = call_int(c, "d"),
                          .post_ln = call_int(c, "post_ln") != 0,
                          .dropout = dropout_of(c)};
    Dropout dropout;
    LayerNorm norm = {call_tensor(c, "gain"), call_tensor(c, "bias"), 1e-5f};
    Tensor *x = call_tensor(c, "x"), *found = call_tensor(c, "found");
    answer_tensor(c, "in", way_in(call_tape(c), &config, &norm, x));
    answer_tensor(c, "out",
                  way_out(call_tape(c), &config, &norm, x, found, dropout_with(c, &dropout)));
}

void check_07_encoder(Call *c);
void check_07_encoder(Call *c) {
    Layers layers = layers_new(c);
    answer_tensor(c, "y",
                  encoder_layer(call_tape(c), &layers.encoder, call_tensor(c, "x"), (Look){0},
                                dropout_with(c, &layers.dropout)));
    params_free(&layers.params);
}

void check_07_decoder(Call *c);
void check_07_decoder(Call *c) {
    Layers layers = layers_new(c);
    Tape *tape = call_tape(c);
    CrossMemory memory = multi_head_memory(tape, &layers.decoder.cross, call_tensor(c, "memory"));
    answer_tensor(c, "y",
                  decoder_layer(tape, &layers.decoder, call_tensor(c, "x"), (Look){.causal = true},
                                &memory, (Look){0}, dropout_with(c, &layers.dropout)));
    params_free(&layers.params);
}
