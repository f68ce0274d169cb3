/* Keys and values of the tokens a decoder has read so far, for generating one token after another:
 * what does not change is not computed again. Only for evaluation: no gradient goes through. */
#ifndef NN_KV_CACHE_H
#define NN_KV_CACHE_H

#include "core/tape.h"

typedef struct KvCache {
    int B, capacity, d_model;
    int length;   /* tokens in it so far */
    float *k;     /* (B, capacity, d_model) */
    float *v;     /* the same */
    float *spare; /* room for one of them, to put rows in another order; NULL when B is 1 */
} KvCache;

/* On the arena; empty. */
KvCache kv_cache_new(Arena *arena, int B, int capacity, int d_model);

/* Empty again, for the next text. */
void kv_cache_reset(KvCache *cache);

/* Row b continues what was row parent[b], 0 .. B-1: for beam search. */
void kv_cache_reorder(KvCache *cache, const int *parent);

/* Adds keys and values (B, L, d_model) of the next L tokens. A cache that has no room for them
 * stops: "kv_cache: 3 tokens more do not fit behind the 6 in it: it holds 8". */
void kv_cache_append(KvCache *cache, const Tensor *k, const Tensor *v);

/* All keys, or all values, so far: (B, length, d_model), without gradient. With B = 1 a view of the
 * cache, to be used before the next append; otherwise a copy, since the rows of a batch lie
 * `capacity` apart. */
Tensor *kv_cache_keys(Tape *tape, const KvCache *cache);
Tensor *kv_cache_values(Tape *tape, const KvCache *cache);

#endif
