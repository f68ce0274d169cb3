/* Local attention: the decoder says where to look and sees only what lies around that place,
 * however long the source is. Luong, Pham and Manning 2015, section 3.2, "local-p":
 *
 *     p = (length - 1) sigmoid(v . tanh(W s))          a place between the first and last word
 *     a_i = softmax(score_i) exp(-(i - p)^2 / (2 sigma^2)),  sigma = D / 2
 *
 * The softmax is over the words with |i - p| <= D; all others have the weight 0. The weights of a
 * row add up to less than 1. Words are counted from 0 (the paper counts from 1 and has S there). */
#ifndef NN_LOCAL_ATTENTION_H
#define NN_LOCAL_ATTENTION_H

#include "core/ops.h"
#include "core/params.h"

typedef struct LocalAttention {
    int D;     /* words to either side */
    Tensor *w; /* (H, H) */
    Tensor *v; /* (1, H) */
} LocalAttention;

/* D >= 1; W and v from U(-1/sqrt H, 1/sqrt H). */
LocalAttention local_attention_new(Params *params, const char *name, int H, int D);

/* p / (length - 1) of decoder states s (B, H): (B, 1), 0 .. 1. */
Tensor *local_attention_place(Tape *tape, const LocalAttention *local, Tensor *s);

/* The weights (B, S) for scores (B, S) and places (B, 1); length[b] of the S words are real. A
 * sequence of length 0 has weights of 0. */
Tensor *local_attention_weights(Tape *tape, int D, Tensor *scores, Tensor *place,
                                const int *length);

#endif
