/* Scaled dot-product attention of all heads of all sequences, block by block.
 *
 * For one head, query i and key j: s_ij = scale q_i . k_j - slope |distance|, then a softmax over
 * the keys that i may look at, p_i, and y_i = sum_j p_ij v_j. The matrix of all s_ij is never held:
 * QUERY_BLOCK queries meet KEY_BLOCK keys at a time. What has been added up so far is rescaled when
 * a larger score turns up (the online softmax: Milakov and Gimelshein 2018; its use in blocks, and
 * the way back that computes the p_ij again: Dao et al. 2022, "FlashAttention").
 *
 * Plain pointers, no allocation. Sums are taken in an order that the sizes alone decide: the same
 * numbers give the same bits on any number of threads. */
#ifndef CORE_KERNELS_ATTENTION_H
#define CORE_KERNELS_ATTENTION_H

#include "core/kernels/dropout.h"

#include <stdbool.h>

/* The row of token t in head h of sequence b begins at b * batch + h * head + t * row: heads side
 * by side in a token or one behind the other, alone or between other columns. */
typedef struct HeadSteps {
    long batch, head;
    int row;
} HeadSteps;

typedef struct AttentionPlan {
    int B, H, Lq, Lk; /* sequences, heads, queries, keys */
    int D, Dv;        /* numbers in a row of q and k; of v and y */
    HeadSteps q, k, v, y;
    float scale;
    bool causal;           /* query i sees keys up to i + Lk - Lq */
    const int *key_length; /* (B) or NULL: keys at or past it are not there */
    const float *slopes;   /* (H) or NULL: ALiBi */
    Dropout dropout;       /* of p (B, H, Lq, Lk), whose elements are numbered in that order */
} AttentionPlan;

/* What the forward pass keeps of each softmax, both (B, H, Lq): p = exp(s - largest) * inverse. For
 * a query without keys they are 0, and so is p. */
typedef struct AttentionStats {
    float *largest; /* of the scores */
    float *inverse; /* 1 / sum_j exp(s_j - largest) */
} AttentionStats;

/* Writes y and the stats. */
void attention_forward(const AttentionPlan *plan, const float *q, const float *k, const float *v,
                       float *y, AttentionStats stats);

/* p itself, (B, H, Lq, Lk), before dropout, from the stats of the forward pass. */
void attention_weights(const AttentionPlan *plan, const float *q, const float *k,
                       AttentionStats stats, float *weights);

/* What the gradients lie beside: dq has the steps of q, and so on; dy those of y. */
typedef struct AttentionGrads {
    const float *dy;
    float *dq, *dk, *dv; /* added to; each may be NULL */
} AttentionGrads;

void attention_backward(const AttentionPlan *plan, const float *q, const float *k, const float *v,
                        const float *y, AttentionStats stats, AttentionGrads grads);

#endif
