#include "nn/local_attention.h"

#include "core/check.h"

#include <math.h>

LocalAttention local_attention_new(Params *params, const char *name, int H, int D) {
    CHECK(D >= 1, "local_attention_new: a window of %d words to either side; at least 1", D);
    Init init = init_uniform(1.0f / sqrtf((float)H));
    return (LocalAttention){D, params_add(params, name, "w", init, SHAPE(H, H)),
                            params_add(params, name, "v", init, SHAPE(1, H))};
}

Tensor *local_attention_place(Tape *tape, const LocalAttention *local, Tensor *s) {
    Tensor *hidden = op_tanh(tape, op_linear(tape, s, local->w, NULL));
    return op_sigmoid(tape, op_linear(tape, hidden, local->v, NULL));
}

Tensor *local_attention_weights(Tape *tape, int D, Tensor *scores, Tensor *place,
                                const int *length) {
    CHECK(scores->ndim == 2 && place->ndim == 2 && place->dim[0] == scores->dim[0] &&
              place->dim[1] == 1,
          "local_attention_weights: scores %s and places %s: needed are (B, S) and (B, 1)",
          tensor_text(scores).text, tensor_text(place).text);
    int B = scores->dim[0], S = scores->dim[1];
    Tensor *last = tape_constant(tape, "last", NULL, SHAPE(B, 1));
    Tensor *i = tape_constant(tape, "i", NULL, SHAPE(B, S, 1));
    bool *seen = arena_alloc(&tape->arena, (size_t)B * (size_t)S * sizeof *seen);
    for (int b = 0; b < B; b++) {
        last->data[b] = length[b] > 0 ? (float)(length[b] - 1) : 0.0f;
        for (int s = 0; s < S; s++) {
            float off = (float)s - place->data[b] * last->data[b];
            i->data[b * S + s] = (float)s;
            seen[b * S + s] = s < length[b] && fabsf(off) <= (float)D;
        }
    }
    /* Exercise 3.4 */
    Tensor *p = op_mul(tape, place, last);                          /* (B, 1) */
    Tensor *off = op_add_middle(tape, i, op_scale(tape, p, -1.0f)); /* i - p, (B, S, 1) */
    Tensor *bell = op_exp(tape, op_scale(tape, op_mul(tape, off, off), -2.0f / (float)(D * D)));
    return op_mul(tape, op_masked_softmax(tape, scores, &(Mask){B, 1, S, seen}),
                  op_reshape(tape, bell, SHAPE(B, S)));
    /* End of exercise 3.4 */
}
