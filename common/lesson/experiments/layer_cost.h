/* Table 1 of Vaswani et al. 2017, counted: what does a layer that maps n tokens of size d to n
 * tokens of size d cost, how much of it has to happen in order, and how far apart are its ends?
 *
 * The layers are built from operations, without biases, and run; multiply-adds and chains are read
 * off the tape, and a path is as long as the number of hops after which a gradient arrives. */
#ifndef LESSON_LAYER_COST_H
#define LESSON_LAYER_COST_H

#include "lesson/experiments/look.h"
#include "lesson/run.h"

typedef enum LayerKind {
    LAYER_ATTENTION,   /* every token looks at every token */
    LAYER_RECURRENT,   /* h_t = tanh(W h_{t-1} + U x_t) */
    LAYER_CONVOLUTION, /* tanh of W times a token and those before it, LAYER_WIDTH together */
    LAYER_DILATED,     /* the same; in layer i, from 0, they are LAYER_WIDTH^i apart */
    LAYER_RESTRICTED,  /* attention to LAYER_WINDOW tokens, oneself in the middle */
    LAYER_KINDS,
} LayerKind;

enum { LAYER_WIDTH = 3, LAYER_WINDOW = 9 }; /* k and r of the table; odd */

extern const char *const layer_names[LAYER_KINDS];

typedef struct LayerCost {
    double projections; /* multiply-adds with weights, for one sequence */
    double products;    /* multiply-adds of tokens with tokens: scores and weighted sums */
    int chain;          /* operations that wait for each other */
    int path;           /* hops from the first token to the last: layers, or steps in time */
} LayerCost;

/* Everything above for one layer of that kind; only attention uses the looker, and it must be one
 * that looks everywhere. path is 0, not measured, unless `with_path`. */
LayerCost layer_cost(LayerKind kind, Looker looker, int n, int d, bool with_path);

/* Multiply-adds of the matrix products on a tape, with weights ("linear") and of activations with
 * each other ("matmul" ...). */
void tape_multiply_adds(const Tape *tape, double *with_weights, double *with_each_other);

/* Counts all kinds for n and 2 n tokens, cost[kind][0] and [1], and shows them beside what the
 * paper says: three tables, complexity, sequential operations and path. */
void layer_costs_show(Run *run, Looker looker, int n, int d, LayerCost cost[LAYER_KINDS][2]);

/* The claims that go with them, for n = d. */
void layer_costs_claim(Run *run, LayerCost cost[LAYER_KINDS][2], int n);

/* The multiply-adds of one layer of a Transformer without its scores and weighted sums: four
 * projections of d x d and a feed-forward network d -> 4 d -> d, for L tokens, counted on a tape.
 */
double transformer_linear_cost(int L, int d);

/* Where attention's L^2 d overtakes everything in such a layer that has weights: says it, counted
 * at L = 6 d, with the claim "crossing". */
void layer_crossing_show(Run *run, Looker looker, int d);

#endif
