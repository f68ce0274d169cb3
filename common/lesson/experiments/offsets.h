/* Four offsets: a task that asks four questions at every position. A row of random tokens is given;
 * position t is to name the tokens at t - 1, t - 2, t - 3 and t - 4, through four softmaxes. A
 * model of one bare layer (lesson/experiments/one_layer.h) can do so only by looking at four places
 * at once. */
#ifndef LESSON_OFFSETS_H
#define LESSON_OFFSETS_H

#include "lesson/experiments/head_class.h"
#include "lesson/experiments/one_layer.h"
#include "lesson/fit.h"

enum {
    OFFSETS = 4,     /* questions */
    OFFSETS_V = 16,  /* tokens; guessing is right in 1 of 16 */
    OFFSETS_L = 16,  /* positions; the first four are not asked */
    OFFSETS_MOST = 8 /* models in a sweep */
};

typedef struct OffsetsPlan {
    int d_model, heads;
    int B, steps;
    int test;        /* rows held out, never drawn again */
    int check_every; /* steps between two looks at them */
    float rate;      /* of Adam; up for 50 steps, down to 0 over the last 30 % */
    AttendFunction attend;
    void *context;
} OffsetsPlan;

/* d_model 32, B 32, rate 3e-3. */
OffsetsPlan offsets_plan(int steps, int test, AttendFunction attend, void *context);

/* One trained model: release with offsets_free(). */
typedef struct OffsetsTrial {
    OffsetsPlan plan;
    OneLayer model;
    FitCurve curve;       /* metric: accuracy on the held-out rows */
    double accuracy;      /* in the end, mean over the four questions */
    double each[OFFSETS]; /* of the question t - 1, t - 2 .. */
    HeadMeasures measures[ONE_LAYER_HEADS];
    double alike;       /* mean cosine between the maps of two heads, over the held-out rows */
    float *map;         /* (heads, L, L) on the first held-out row */
    int ids[OFFSETS_L]; /* that row */

    /* while it is trained */
    Rng rng;
    int *batch, *targets; /* (B, L), (B, L, OFFSETS) */
    int *test_batch, *test_targets;
} OffsetsTrial;

/* Trains a model whose weights and batches depend on the run's seed alone, not on the plan. */
OffsetsTrial *offsets_train(Run *run, const OffsetsPlan *plan, const char *label);
void offsets_free(OffsetsTrial *trial);

/* Accuracy at the last check at or before a step; NaN when there was none. */
double offsets_accuracy_at(const OffsetsTrial *trial, int step);

/* B new rows and what is to be answered: ids (B, L), targets (B, L, OFFSETS), OFFSETS_V where
 * nothing is asked. */
void offsets_draw(Rng *rng, int B, int *ids, int *targets);

/* Trains `count` models (at most OFFSETS_MOST), those of plan with heads[i] heads, and draws their
 * learning curves as NAME.png. A training that is stopped leaves NULLs. */
void offsets_sweep(Run *run, OffsetsPlan plan, const int *heads, int count, OffsetsTrial **trials,
                   const char *name, const char *title);

/* ---- showing a sweep; trials that are NULL are left out ---- */

/* A line for each model: right answers at step `early` and in the end, for each question, and how
 * alike its heads are. */
void offsets_table(Run *run, OffsetsTrial *const *trials, int count, int early);

/* The sheet of heads of a model on one held-out row, its first head in the terminal, too. NULL:
 * nothing. */
void offsets_sheet(Run *run, const OffsetsTrial *trial, const char *file, const char *title);

/* The one with that many heads, or NULL. */
const OffsetsTrial *offsets_find(OffsetsTrial *const *trials, int count, int heads);

/* claim_trained() about the right answers of that one, after `step` steps or (0) in the end. Its
 * text is the same when there is none: after Ctrl-C, too, a claim is called as in a whole run. */
void offsets_claim(Run *run, const char *id, int d_model, OffsetsTrial *const *trials, int count,
                   int heads, int step, const char *op, double bound);

/* The claims about a sweep of 1, 2, 4, 8 and 16 heads. */
void offsets_claims(Run *run, int d_model, OffsetsTrial *const *trials, int count, int early);

#endif
