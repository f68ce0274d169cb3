/* A reader: takes a sequence of tokens, answers with one of K classes.
 *
 *   x_t = embedding of token t      h_1 .. h_T = the recurrent cell over x      logits = readout(r)
 *
 * What the answer is read from, r, is either the last state h_T or, with attention, a weighted sum
 * of all states: weights = softmax over t of (query . h_t), with one learned query that is the same
 * for every sequence. */
#ifndef NN_CLASSIFIER_H
#define NN_CLASSIFIER_H

#include "nn/embedding.h"
#include "nn/linear.h"
#include "nn/recurrent.h"

typedef struct ClassifierSizes {
    int V; /* tokens of the vocabulary */
    int E; /* width of the embedding */
    int H; /* units of the cell */
    int K; /* classes */
} ClassifierSizes;

typedef struct Classifier {
    Embedding embedding; /* (V, E) */
    Recurrent cell;      /* E -> H */
    Tensor *query;       /* (1, H), or NULL: the last state alone is read */
    Linear readout;      /* (K, H) */
} Classifier;

/* Declares its weights; `bias` is that of the gate, as in nn/recurrent.h. The query starts from
 * U(-1/sqrt(H), 1/sqrt(H)). */
Classifier classifier_new(Params *params, ClassifierSizes sizes, CellKind kind, float bias,
                          bool attention);

/* ids (T, B), time-major -> logits (B, K). The gradient of the states is cut before the last
 * `reach` steps (truncated backpropagation through time); T or more: never. */
Tensor *classifier_logits(Tape *tape, const Classifier *classifier, const int *ids, int T, int B,
                          int reach);

#endif
