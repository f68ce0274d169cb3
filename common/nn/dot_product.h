/* Scaled dot-product attention from single operations, so that every matrix in between can be
 * looked at: the readable twin of op_attention().
 *
 *   weights = softmax(scale q k^T + bias, over the keys one may look at)       y = weights v
 *
 * Vaswani et al. 2017, equation 1. */
#ifndef NN_DOT_PRODUCT_H
#define NN_DOT_PRODUCT_H

#include "core/ops.h"

typedef struct DotProductOptions {
    float scale;         /* 0: 1 / sqrt(D) */
    const Mask *mask;    /* true = may look; (B or 1, Lq or 1, Lk); NULL: everywhere */
    const float *slopes; /* (H) or NULL: ALiBi, as in op_attention() */
    float dropout;       /* of the weights */
    uint64_t dropout_key;
} DotProductOptions;

typedef struct DotProduct {
    Tensor *scores;  /* (B, H, Lq, Lk): scaled, with ALiBi's penalty, before the mask */
    Tensor *weights; /* (B, H, Lq, Lk): before dropout */
    Tensor *y;       /* (B, H, Lq, Dv) */
} DotProduct;

/* q (B, H, Lq, D), k (B, H, Lk, D), v (B, H, Lk, Dv). A query that may look at nothing gets
 * zeros. */
DotProduct dot_product_attention(Tape *tape, Tensor *q, Tensor *k, Tensor *v,
                                 DotProductOptions options);

/* The mask op_attention() applies for these options, as a Mask: causal, key lengths or both; for a
 * picture, or for the function above. key_length (B) or NULL. */
Mask dot_product_mask(Arena *arena, int B, int Lq, int Lk, bool causal, const int *key_length);

#endif
