/* A vector for each token of a vocabulary. */
#ifndef NN_EMBEDDING_H
#define NN_EMBEDDING_H

#include "core/ops.h"
#include "core/params.h"

typedef struct Embedding {
    Tensor *table; /* (V, D) */
} Embedding;

/* Declares "name.table" (V, D), from N(0, 1). */
Embedding embedding_new(Params *params, const char *name, int V, int D);

/* The same from N(0, 1 / D), for embedding_scaled(): the table can then serve as the weights of the
 * output layer, too, and still its vectors are as large as positions are. */
Embedding embedding_new_small(Params *params, const char *name, int V, int D);

/* ids of shape (B, L), batch-first -> (B, L, D), times sqrt(D): Vaswani et al. 2017, section 3.4.
 */
Tensor *embedding_scaled(Tape *tape, const Embedding *layer, const int *ids, int B, int L);

/* ids of shape (T, B), time-major -> (T, B, D); every id in 0 .. V-1. */
Tensor *embedding_forward(Tape *tape, const Embedding *layer, const int *ids, int T, int B);

/* ids of shape (B) -> (B, D): one time step. */
Tensor *embedding_step(Tape *tape, const Embedding *layer, const int *ids, int B);

#endif
