/* Multi-head attention: H attentions side by side, each on d_model / H columns of its own.
 *
 *   head_h = attention(x W_q[h], m W_k[h], m W_v[h])        y = [head_1 .. head_H] W_o
 *
 * Vaswani et al. 2017, section 3.2.2; m is x itself (self-attention) or a memory (cross-attention).
 * The three projections are one matrix of 3 d_model rows (packed), or three. */
#ifndef NN_MULTI_HEAD_H
#define NN_MULTI_HEAD_H

#include "nn/kv_cache.h"
#include "nn/linear.h"
#include "nn/position.h"

typedef struct MultiHead {
    int d_model, heads;
    bool packed;
    Linear qkv;     /* packed: d_model -> 3 d_model, rows of q, then k, then v */
    Linear q, k, v; /* otherwise: d_model -> d_model each */
    Linear out;     /* d_model -> d_model */
} MultiHead;

/* Declares "name.qkv" or "name.q", "name.k" and "name.v", and "name.out", all with biases of zero.
 * Weights from Glorot's uniform distribution for a d_model x d_model matrix, in the packed one,
 * too: taken as a whole, its rows count three times and would come out smaller by sqrt(2). Stops
 * when d_model is not divisible by heads. Only self-attention can be packed. */
MultiHead multi_head_new(Params *params, const char *name, int d_model, int heads, bool packed);

/* How to look; all may be zero: everywhere, without positions. */
typedef struct Look {
    bool causal;              /* query i looks at keys up to i + Lk - Lq */
    const int *key_length;    /* (B) or NULL: keys at or past it are padding */
    const Mask *mask;         /* any other mask, combined with the two above: computed from single
                                 operations */
    bool composed;            /* from single operations anyway */
    const Position *position; /* RoPE turns q and k, ALiBi lowers the scores; NULL or any other
                                 kind: nothing. For self-attention: across, it is refused */
    float dropout;            /* of the weights, while the tape records */
    uint64_t dropout_key;
    KvCache *cache;   /* self-attention: x are the next tokens of it; they are added, and the
                         keys are all that are in it. The tape must not record */
    Tensor **weights; /* unless NULL: set to the weights (B, H, Lq, Lk) */
} Look;

/* x (B, L, d_model) -> (B, L, d_model). */
Tensor *multi_head_self(Tape *tape, const MultiHead *layer, Tensor *x, Look look);

/* x (B, Lq, d_model), memory (B, Lk, d_model) -> (B, Lq, d_model). */
Tensor *multi_head_cross(Tape *tape, const MultiHead *layer, Tensor *x, Tensor *memory, Look look);

/* Keys and values of a memory, once per source: (B, Lk, d_model) each; then look as often as
 * needed. multi_head_cross() does both. */
typedef struct CrossMemory {
    Tensor *k, *v;
} CrossMemory;
CrossMemory multi_head_memory(Tape *tape, const MultiHead *layer, Tensor *memory);
Tensor *multi_head_cross_with(Tape *tape, const MultiHead *layer, Tensor *x, CrossMemory memory,
                              Look look);

#endif
