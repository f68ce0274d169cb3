/* Four targets, each of which wants a pattern of attention of its own. A row of random tokens is
 * cut into four segments at random; every position is to answer
 *
 *     a   the token before                                  wants a diagonal
 *     b   the first token of the row                        wants a vertical line
 *     c   how often each token occurs in its own segment    wants blocks
 *     d   how often each token occurs in the whole row      wants the same weight everywhere
 *
 * a and b as a choice among the tokens, c and d as a distribution. The loss is the weighted sum of
 * four cross-entropies, c and d less the entropy of the right distribution, so that a perfect model
 * has a loss of 0. The model is one bare layer (lesson/experiments/one_layer.h). */
#ifndef LESSON_HEAD_PATTERNS_H
#define LESSON_HEAD_PATTERNS_H

#include "lesson/experiments/head_class.h"
#include "lesson/experiments/one_layer.h"
#include "lesson/fit.h"

enum {
    PATTERN_TARGETS = 4,
    PATTERN_V = 12,
    PATTERN_L = 24,
    PATTERN_SEGMENTS = 4,
    PATTERN_ROW = PATTERN_TARGETS * PATTERN_V, /* outputs of a position */
};

typedef struct PatternPlan {
    int d_model, heads;
    int B, steps, test;            /* test: rows held out */
    float rate;                    /* of Adam; up for 50 steps, down to 0 over the last 30 % */
    float weight[PATTERN_TARGETS]; /* of a, b, c, d in the loss; 0: not asked */
    AttendFunction attend;
    void *context;
} PatternPlan;

/* d_model 32, 4 heads, B 32, rate 3e-3, loss a + b + 2 c + 2 d. */
PatternPlan pattern_plan(int steps, int test, AttendFunction attend, void *context);

/* Rows of tokens and what is to be answered. */
typedef struct PatternBatch {
    int B;
    int *ids, *segments; /* (B, L): tokens; number of the segment, 0 .. 3 from left to right */
    float *right;        /* (B, L, 4 V): the right distributions, one after another; all zero where
                            nothing is asked: a of the first position */
} PatternBatch;

PatternBatch pattern_batch_new(int B);
void pattern_batch_free(PatternBatch *batch);
void pattern_batch_draw(PatternBatch *batch, Rng *rng);

typedef struct PatternTrial {
    PatternPlan plan;
    OneLayer model;
    double loss;                  /* on the held-out rows, summed as in training */
    double each[PATTERN_TARGETS]; /* of a, b, c, d alone, in nats for a position */
    HeadMeasures measures[ONE_LAYER_HEADS];
    double rise[ONE_LAYER_HEADS]; /* of the loss when the head is taken away */
    HeadClass kind[ONE_LAYER_HEADS];
    int count[HEAD_CLASSES]; /* heads of each class */
    float *map;              /* (heads, L, L) on the first held-out row */
    Rng rng;
    PatternBatch batch, held_out;
} PatternTrial;

/* Trains and studies the heads; release with pattern_free(). `label` also names the weights. */
PatternTrial *pattern_train(Run *run, const PatternPlan *plan, const char *label);
void pattern_free(PatternTrial *trial);

/* Measures loss, heads, rises and classes of the model as it is now: for a look after something was
 * done to it. */
void pattern_study(PatternTrial *trial);

/* How far the rows of a head's map on the first held-out row are from summing to 1. */
double pattern_row_error(const PatternTrial *trial, int head);

/* The measures and their bounds (lesson/experiments/head_class.h), in the order they are asked for.
 */
void pattern_rules(Run *run);

/* A table: one line for each head, its measures, its rise and its class. */
void pattern_table(Run *run, const PatternTrial *trial);

/* The sheet of its heads on the first held-out row, `file`; tokens are letters. */
void pattern_sheet(Run *run, const PatternTrial *trial, const char *file, const char *title);

/* The claims about a model trained on all four targets: its kinds of heads, and that none is dead.
 */
void pattern_claims(Run *run, const PatternTrial *trial);

#endif
