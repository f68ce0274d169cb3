/* One block of scores: some queries of a head against some of its keys. What the forward pass, the
 * backward pass and the weights have in common.
 *
 * A query sees a run of keys from the first on: up to its own position when looking is causal, up
 * to the end of the sequence otherwise. So the mask of a row is one number, how many keys it sees,
 * and a block is cut off behind the last key that any of its rows sees. */
#ifndef CORE_KERNELS_ATTENTION_BLOCK_H
#define CORE_KERNELS_ATTENTION_BLOCK_H

#include "core/kernels/attention.h"
#include "core/kernels/vec.h"

#include <stddef.h>

/* Both blocks of the backward pass, scores and their gradients, fit into the second cache and next
 * to each other on the stack of a thread. */
enum { QUERY_BLOCK = 64, KEY_BLOCK = 128, BLOCK_FLOATS = QUERY_BLOCK * KEY_BLOCK };

#define BLOCK_ALIGNED __attribute__((aligned(64)))

/* One head of one sequence. */
typedef struct Head {
    const AttentionPlan *plan;
    int keys;        /* that are there */
    float slope;     /* 0 without ALiBi */
    long stats;      /* where its Lq numbers begin */
    uint64_t first;  /* number of its first weight, for dropout */
    long q, k, v, y; /* where its rows begin */
} Head;

/* Head number `index` of B * H. */
Head attention_head(const AttentionPlan *plan, long index);

/* How many keys query i sees: keys 0 .. this - 1. */
int keys_seen(const Head *head, int i);

typedef struct Block {
    int i, rows; /* queries */
    int j, cols; /* keys; those behind j + cols nobody sees */
    int width;   /* cols in whole vectors: from one row of the block to the next */
} Block;

/* Queries i .. against keys j ..; cols is 0 where no query sees any of them. */
Block attention_block(const Head *head, int i, int j);

/* How many of the block's keys query i + r sees. */
static inline int cols_seen(const Head *head, const Block *block, int r) {
    int seen = keys_seen(head, block->i + r) - block->j;
    return seen < 0 ? 0 : seen < block->cols ? seen : block->cols;
}

/* Whole vectors that hold n numbers. */
static inline int whole_vectors(int n) {
    return (n + (int)VEC_LANES - 1) / (int)VEC_LANES * (int)VEC_LANES;
}

/* The scores of a block, (rows, width): scaled, lowered by ALiBi, and -infinity where the query
 * does not see the key, up to the end of the last vector it needs; behind that, anything. */
void block_scores(const Head *head, const Block *block, const float *q, const float *k,
                  float *scores);

/* The weights p of a block, (rows, width), from the stats of a finished forward pass; 0 where the
 * query does not see the key. */
void block_weights(const Head *head, const Block *block, const float *q, const float *k,
                   AttentionStats stats, float *p);

/* x = exp(x - shift) * factor over n numbers, a multiple of VEC_LANES; returns the sum. */
float exp_shifted_scaled(float *x, int n, float shift, float factor);

/* x[from .. to) = 0 */
static inline void clear(float *x, int from, int to) {
    for (int c = from; c < to; c++) {
        x[c] = 0.0f;
    }
}

/* What dropout multiplies the first n weights of row r of the block by. */
void block_dropout(const Head *head, const Block *block, int r, int n, float *factor);

/* Multiply-adds of the forward pass, an exp counted as 16 of them, and how many are worth waking
 * another thread for. */
double attention_work(const AttentionPlan *plan);

enum { ATTENTION_LEAST = 1 << 18 };

#endif
