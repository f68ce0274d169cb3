/* Which token stood two places back? T random symbols; at place t the one at t - 2 is to be named.
 * Only a look at a fixed distance answers that, and whether a model that learnt it on short
 * sequences still can on longer ones is what its positions are good for.
 *
 *     CopyTask task = copy_task_new(&model, 16, 64, rng);     model: V tokens, causal
 *     copy_learn(run, &task, "RoPE", 500);
 *     double right[64];
 *     copy_by_place(&task, 64, 256, right);
 *     copy_task_free(&task);
 */
#ifndef LESSON_COPY_TASK_H
#define LESSON_COPY_TASK_H

#include "lesson/experiments/by_place.h"
#include "lesson/experiments/position_model.h"
#include "lesson/fit.h"

enum { COPY_BACK = 2 };

typedef struct CopyTask {
    PositionModel *model;
    int T, B; /* length in training, sequences in a batch */
    int test; /* sequences that copy_accuracy() looks at: 64 unless changed */
    Rng rng;  /* of the batches */
    Rng test_rng;
    int *ids, *target; /* (B, T) */
} CopyTask;

/* T more than COPY_BACK. The tests draw from a stream of their own: always the same. */
CopyTask copy_task_new(PositionModel *model, int T, int B, Rng rng);
void copy_task_free(CopyTask *task);

/* B new rows of length T: symbols 1 .. V - 1, and what was COPY_BACK places before each; 0 where
 * there was nothing. */
void copy_draw(const CopyTask *task, Rng *rng, int B, int T, int *ids, int *target);

/* For Fit: mean cross-entropy (1) over the places of a fresh batch that have something to copy. */
Tensor *copy_loss(void *task, Tape *tape);

/* For Fit: share of them that come out right, 0 .. 1, at the length of training. */
double copy_accuracy(void *task, Tape *tape);

/* Trains: Adam at 3e-3, gradients clipped to 1. */
FitCurve copy_learn(Run *run, CopyTask *task, const char *label, int steps);

/* Share of n sequences of length L that have the right symbol at place t: right (L); NaN for the
 * first COPY_BACK places, where nothing is to be copied. */
void copy_by_place(const CopyTask *task, int L, int n, double *right);

/* Where a model looks in one sequence of L tokens. */
typedef struct CopyMap {
    int L;
    int *ids;       /* (L) */
    float *weights; /* (L, L), row by row: of one head of the last layer */
    double back;    /* its mean weight at t - COPY_BACK, over the places t < T of training */
} CopyMap;

/* The head that looks most at t - COPY_BACK; L >= T. The sequence is the same for all tasks that
 * were made with the same rng. */
CopyMap copy_map_new(const CopyTask *task, int L);
void copy_map_free(CopyMap *map);

/* All arms on the same sequences, looked at in sequences longer than those of training. */
typedef struct CopyPlan {
    int T, B, steps;
    int test; /* sequences of the test, of right->n tokens */
    PositionPlan model;
} CopyPlan;

/* Fills in `right` (a row for each arm; NaN where a stopped run did not get to), shows it as a
 * table and as copy_by_place.png; and draws a map of 2 T tokens for each arm, what should be 1
 * outlined: copy_maps.png, and attention.tsv with its name, and its number for the layer. */
void copy_compare(Run *run, const PositionArms *arms, CopyPlan plan, ByPlace *right);

#endif
