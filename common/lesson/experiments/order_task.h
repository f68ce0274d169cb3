/* Does A come before B? The smallest question that needs order: T tokens, one of them A, one of
 * them B, the others anything else, all in any order; the answer is read from the mean of the
 * states, which by itself knows no order. Half of the answers are yes.
 *
 *     OrderTask task = order_task_new(&model, 8, 64, rng);      model: V >= 3 tokens, 2 outputs
 *     OrderResult result = order_learn(run, &task, "RoPE", 400);
 *     order_task_free(&task);
 */
#ifndef LESSON_ORDER_TASK_H
#define LESSON_ORDER_TASK_H

#include "lesson/experiments/position_model.h"
#include "lesson/fit.h"
#include "lesson/lines.h"

enum { ORDER_A, ORDER_B, ORDER_FIRST_OTHER };
enum { ORDER_RESULTS = LINES_MOST };

typedef struct OrderTask {
    PositionModel *model;
    int T, B; /* length, sequences in a batch */
    int test; /* pairs of sequences that order_accuracy() asks for: 200 unless changed */
    Rng rng;  /* of the batches */
    Rng test_rng;
    int *ids;    /* (B, T) */
    int *answer; /* (B): 1 when A comes first */
} OrderTask;

/* T and B at least 2. The tests draw from a stream of their own: always the same. */
OrderTask order_task_new(PositionModel *model, int T, int B, Rng rng);
void order_task_free(OrderTask *task);

/* B new sequences into ids and answer. */
void order_draw(OrderTask *task, Rng *rng);

/* For Fit: mean cross-entropy (1) of a fresh batch. */
Tensor *order_loss(void *task, Tape *tape);

/* For Fit: share of right answers, 0 .. 1, to `test` sequences and to the same read backwards. A
 * model that cannot tell the two from each other is right once for each: it gets exactly 1/2. */
double order_accuracy(void *task, Tape *tape);

/* By how much the logits of n sequences move, at most, when A and B change places. */
double order_swapped(const OrderTask *task, int n);

/* The same when the sequence is read backwards. */
double order_reversed(const OrderTask *task, int n);

/* A training and what came of it. */
typedef struct OrderResult {
    FitCurve curve; /* its metric is order_accuracy() */
    double right;   /* the last of them; NaN after no step at all */
    double swapped; /* order_swapped() and order_reversed(), of 200 sequences */
    double reversed;
} OrderResult;

/* Adam at 3e-3, gradients clipped to 1. */
OrderResult order_learn(Run *run, OrderTask *task, const char *label, int steps);

/* All arms (at most ORDER_RESULTS) on the same sequences: results (count), a table, and
 * order_learning.png. NaN for those that a stopped run did not get to. */
typedef struct OrderPlan {
    int T, B, steps;
    PositionPlan model;
} OrderPlan;
void order_compare(Run *run, const PositionArms *arms, OrderPlan plan, OrderResult *results);

#endif
