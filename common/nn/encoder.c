#include "nn/encoder.h"

#include "core/check.h"
#include "nn/attention.h"

Encoder encoder_new(Params *params, const char *name, int V, int E, int H, bool both_ways) {
    CHECK(!both_ways || H % 2 == 0, "encoder_new: both ways share H = %d: it must be even", H);
    Encoder encoder = {.both_ways = both_ways, .hidden = H};
    encoder.words = embedding_new(params, name, V, E);
    if (both_ways) {
        encoder.both = bigru_new(params, name, E, H / 2, 0.0f);
    } else {
        encoder.right = gru_new(params, name, E, H, 0.0f);
    }
    return encoder;
}

Encoded encoder_forward(Tape *tape, const Encoder *encoder, const int *ids, const int *length,
                        int S, int B) {
    Tensor *x = embedding_forward(tape, &encoder->words, ids, S, B); /* (S, B, E) */
    SequenceOptions options = {.len = length};
    Tensor *states = encoder->both_ways
                         ? bigru_forward(tape, &encoder->both, x, length)
                         : gru_forward(tape, &encoder->right, x, NULL, options); /* (S, B, H) */
    Tensor *last = op_index(tape, states, S - 1); /* padding carries the last real state to here */
    if (encoder->both_ways) { /* who reads from right to left finishes at the first word */
        int half = encoder->hidden / 2;
        Tensor *right = op_slice_last(tape, last, 0, half);
        Tensor *left = op_slice_last(tape, op_index(tape, states, 0), half, 2 * half);
        last = op_concat(tape, 1, (Tensor *const[]){right, left}, 2);
    }
    return (Encoded){attention_batch_first(tape, states), last};
}
