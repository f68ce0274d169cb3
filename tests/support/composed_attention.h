/* Scaled dot-product attention from single operations: the oracle of op_attention(). */
#ifndef TESTS_SUPPORT_COMPOSED_ATTENTION_H
#define TESTS_SUPPORT_COMPOSED_ATTENTION_H

#include "core/ops.h"

typedef struct ComposedAttention {
    Tensor *weights; /* (B, H, Lq, Lk), before dropout */
    Tensor *y;       /* (B, H, Lq, Dv) */
} ComposedAttention;

/* q (B, H, Lq, D), k (B, H, Lk, D), v (B, H, Lk, Dv); heads and weights of the options are not
 * looked at. */
ComposedAttention composed_attention(Tape *tape, Tensor *q, Tensor *k, Tensor *v,
                                     const AttentionOptions *options);

#endif
