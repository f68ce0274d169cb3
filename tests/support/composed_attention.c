#include "support/composed_attention.h"

#include <math.h>
#include <stdlib.h>

/* Which keys may be looked at, straight from the definition. */
static Mask mask_of(Arena *arena, int B, int Lq, int Lk, const AttentionOptions *options) {
    bool *cell = arena_alloc(arena, (size_t)B * (size_t)Lq * (size_t)Lk * sizeof *cell);
    Mask mask = {B, Lq, Lk, cell};
    for (int b = 0; b < B; b++) {
        for (int i = 0; i < Lq; i++) {
            for (int j = 0; j < Lk; j++) {
                bool real = options->key_length == NULL || j < options->key_length[b];
                *cell++ = real && (!options->causal || j <= i + Lk - Lq);
            }
        }
    }
    return mask;
}

/* -slope |distance|, (H, Lq, Lk), the last query standing beside the last key. */
static Tensor *alibi(Tape *tape, int H, int Lq, int Lk, const float *slopes) {
    Tensor *bias = tape_constant(tape, "alibi", NULL, SHAPE(H, Lq, Lk));
    for (int n = 0; n < H * Lq * Lk; n++) {
        int i = n / Lk % Lq, j = n % Lk;
        bias->data[n] = -slopes[n / (Lq * Lk)] * (float)abs(i + Lk - Lq - j);
    }
    return bias;
}

ComposedAttention composed_attention(Tape *tape, Tensor *q, Tensor *k, Tensor *v,
                                     const AttentionOptions *options) {
    int B = q->dim[0], H = q->dim[1], Lq = q->dim[2], D = q->dim[3], Lk = k->dim[2];
    float scale = options->scale != 0.0f ? options->scale : 1.0f / sqrtf((float)D);
    Tensor *scores = op_scale(tape, op_matmul_nt(tape, q, k), scale);
    if (options->slopes != NULL) {
        scores = op_add(tape, scores, alibi(tape, H, Lq, Lk, options->slopes));
    }
    Mask mask = mask_of(&tape->arena, B, Lq, Lk, options);
    Tensor *weights = op_masked_softmax(tape, scores, &mask);
    Tensor *dropped = op_dropout(tape, weights, options->dropout, options->dropout_key);
    return (ComposedAttention){weights, op_matmul(tape, dropped, v)};
}
