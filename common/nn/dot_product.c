#include "nn/dot_product.h"

#include "core/check.h"

#include <math.h>
#include <stdlib.h>

/* Exercise 6.4 */
/* ALiBi: (H, Lq, Lk), -slope times the distance between query and key, where the last query stands
 * at the last key. */
static Tensor *distance_penalty(Tape *tape, const float *slopes, int H, int Lq, int Lk) {
    Tensor *penalty = tape_constant(tape, "penalty", NULL, SHAPE(H, Lq, Lk));
    float *p = penalty->data;
    for (int h = 0; h < H; h++) {
        for (int i = 0; i < Lq; i++) {
            for (int j = 0; j < Lk; j++) {
                *p++ = -slopes[h] * (float)abs(i + Lk - Lq - j);
            }
        }
    }
    return penalty;
}

static void check_shapes(const Tensor *q, const Tensor *k, const Tensor *v) {
    bool fits = q->ndim == 4 && k->ndim == 4 && v->ndim == 4 && k->dim[2] == v->dim[2] &&
                q->dim[3] == k->dim[3];
    for (int i = 0; i < 2; i++) { /* B and H */
        fits = fits && q->dim[i] == k->dim[i] && q->dim[i] == v->dim[i];
    }
    CHECK(fits,
          "dot_product_attention: q %s, k %s, v %s: needed are (B, H, Lq, D), (B, H, Lk, D) and "
          "(B, H, Lk, Dv)",
          tensor_text(q).text, tensor_text(k).text, tensor_text(v).text);
}

DotProduct dot_product_attention(Tape *tape, Tensor *q, Tensor *k, Tensor *v,
                                 DotProductOptions options) {
    check_shapes(q, k, v);
    DotProduct a = {NULL, NULL, NULL};
    /* Exercise 4.1 */
    float scale = options.scale != 0.0f ? options.scale : 1.0f / sqrtf((float)tensor_cols(q));
    a.scores = op_scale(tape, op_matmul_nt(tape, q, k), scale);
    /* End of exercise 4.1 */
    if (options.slopes != NULL) {
        Tensor *penalty = distance_penalty(tape, options.slopes, q->dim[1], q->dim[2], k->dim[2]);
        a.scores = op_add(tape, a.scores, penalty);
    }
    a.weights = op_masked_softmax(tape, a.scores, options.mask);
    Tensor *kept = op_dropout(tape, a.weights, options.dropout, options.dropout_key);
    /* Exercise 4.1 */
    a.y = op_matmul(tape, kept, v);
    /* End of exercise 4.1 */
    return a;
}

Mask dot_product_mask(Arena *arena, int B, int Lq, int Lk, bool causal, const int *key_length) {
    if (causal && key_length != NULL) {
        return mask_both(arena, mask_causal(arena, Lq, Lk), mask_padding(arena, key_length, B, Lk));
    }
    if (causal) {
        return mask_causal(arena, Lq, Lk);
    }
    return key_length != NULL ? mask_padding(arena, key_length, B, Lk)
                              : mask_padding(arena, &Lk, 1, Lk); /* everything is real */
}
