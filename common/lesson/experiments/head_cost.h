/* What do heads cost? A layer of self-attention of size d with 1, 2, 4 .. heads: its parameters,
 * its multiply-adds (read off the tape), the exponentials of its softmax, and its seconds. And what
 * a lesson needs to look at a single pass. */
#ifndef LESSON_HEAD_COST_H
#define LESSON_HEAD_COST_H

#include "lesson/experiments/one_layer.h"
#include "lesson/run.h"

enum { HEAD_COST_SIZES = 5 }; /* 1, 2, 4, 8, 16 heads */

typedef struct HeadCost {
    int heads;
    size_t parameters;
    double with_weights;           /* multiply-adds of the projections, for one sequence */
    double with_each_other;        /* of scores and weighted sums */
    double exponentials;           /* heads * L * L */
    double seconds, fused_seconds; /* of a batch forward: attend(), and the fused nn/multi_head.h */
} HeadCost;

/* For L tokens of size d and B sequences; times within about `budget` seconds each. */
HeadCost head_cost(AttendFunction attend, void *context, int heads, int B, int L, int d,
                   double budget, Rng *rng);

/* All sizes: a table of what is counted, and the times in timing_head_cost.png. */
void head_costs_show(Run *run, AttendFunction attend, void *context, int B, int L, int d,
                     HeadCost costs[HEAD_COST_SIZES]);

/* Glorot's rule (init_xavier) for three d x d matrices and for the packed 3 d x d one: how many
 * times larger are the weights of the three? sqrt(2), because the fan-out counts three times. */
double glorot_packed_ratio(Run *run, int d);

/* A layer with random weights (three projections, no packing) and a sequence of random tokens. */
typedef struct HeadSample {
    Tape tape;
    Params params;
    MultiHead layer;
    Tensor *x; /* (1, L, d) */
} HeadSample;

HeadSample head_sample_new(Run *run, int H, int L, int d);
void head_sample_free(HeadSample *sample);

#endif
