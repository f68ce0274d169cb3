/* A small pre-LN Transformer decoder with a hole where attention belongs
 * (lesson/experiments/look.h):
 *
 *     x = embedding + learned position
 *     x = x + W_o look(W_q n, W_k n, W_v n), n = norm(x)        in every layer, heads side by side
 *     x = x + W_2 relu(W_1 norm(x))
 *     logits = W norm(x)
 *
 * Vaswani et al. 2017, section 3, with the norms in front (Xiong et al. 2020). The lessons that use
 * it before lesson 07 has opened it call it a black box; what they are about is the look. */
#ifndef LESSON_SMALL_DECODER_H
#define LESSON_SMALL_DECODER_H

#include "lesson/experiments/look.h"
#include "nn/feed_forward.h"
#include "nn/norm.h"

enum { SMALL_DECODER_LAYERS = 4 }; /* at most */

typedef struct DecoderSize {
    int V;       /* symbols */
    int L;       /* positions there are */
    int d_model; /* divisible by heads */
    int heads, layers, d_ff;
} DecoderSize;

typedef struct SmallLayer {
    LayerNorm norm1, norm2; /* before looking, before thinking */
    Linear q, k, v, out;    /* d_model -> d_model */
    FeedForward ff;         /* d_model -> d_ff -> d_model */
} SmallLayer;

typedef struct SmallDecoder {
    DecoderSize size;
    Looker looker;
    Params params;
    Tensor *words;  /* (V, d_model), N(0, 1) */
    Tensor *places; /* (L, d_model), N(0, 1) */
    SmallLayer layer[SMALL_DECODER_LAYERS];
    LayerNorm norm;
    Linear logits; /* d_model -> V */
} SmallDecoder;

/* Declares and fills all weights. Release with small_decoder_free(). */
SmallDecoder small_decoder_new(DecoderSize size, Looker looker, Rng *rng);

/* ids (B, L) -> logits (B, L, V); L up to size.L. */
Tensor *small_decoder_forward(Tape *tape, const SmallDecoder *model, const int *ids, int B, int L);

void small_decoder_free(SmallDecoder *model);

#endif
