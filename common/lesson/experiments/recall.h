/* Recall across a gap (data/recall.h) as an experiment: a reader (nn/classifier.h) is trained on
 * sequences that never repeat, until it makes no mistake any more or the steps are used up, and
 * then tested on new ones. */
#ifndef LESSON_RECALL_H
#define LESSON_RECALL_H

#include "core/measure.h"
#include "core/optim.h"
#include "core/tape.h"
#include "lesson/run.h"
#include "nn/classifier.h"

enum {
    RECALL_PERFECT = 20, /* batches in a row without a mistake: learnt */
    RECALL_MAX_GAPS = 8,
    RECALL_MAX_REPEATS = 9,
};

/* Reader, task and training, all that a trial needs. */
typedef struct RecallPlan {
    CellKind kind;
    float bias;     /* of the gate */
    bool attention; /* read all states, not the last alone */
    int H;          /* units */
    int gap;        /* distractors */
    int B;          /* sequences in a batch; test: 512, fewer under --quick */
    int steps;      /* of training at most */
    float rate;     /* Adam's, constant */
    double clip;    /* limit of the gradient's norm; 0: none */
    int reach;      /* steps the gradient goes back; 0: all */
    int repeats;    /* trainings of each reader in recall_compare(), 1 .. RECALL_MAX_REPEATS */
} RecallPlan;

typedef struct RecallResult {
    double accuracy; /* on new sequences */
    double loss;     /* of the last batch, in nats */
    int steps;       /* taken */
} RecallResult;

/* A reader of that plan with weights from `rng`; release with recall_model_free(). */
typedef struct RecallModel {
    Params params;
    Classifier classifier;
    RecallPlan plan;
    Tape tape;
    int *ids, *answer; /* (gap + 1, B), (B) of the batch in hand */
} RecallModel;

RecallModel *recall_model_new(const RecallPlan *plan, Rng *rng);
void recall_model_free(RecallModel *model);

/* Draws a batch and leaves the gradient of its mean cross-entropy in the parameters, which are
 * neither clipped nor changed. Returns the loss; *right becomes the number of right answers (may
 * be NULL). */
double recall_gradient(RecallModel *model, Rng *rng, int *right);

/* Share of right answers on `count` new sequences. */
double recall_test(RecallModel *model, Rng *rng, int count);

/* Trains with Adam until RECALL_PERFECT batches in a row had no mistake, at most plan->steps steps
 * (or until the run is stopped), and tests. `name` names the random numbers: the same name and seed
 * give the same result whatever ran before. */
RecallResult recall_trial(Run *run, const RecallPlan *plan, const char *name);

/* One kind of reader in a comparison. */
typedef struct RecallArm {
    const char *id, *label; /* "gru_2" for programs, "GRU, keep bias 2" for people */
    CellKind kind;
    float bias;
    bool attention;
    bool longest; /* also tried across the longest gap */
} RecallArm;

/* Trains plan->repeats readers of every arm (eight at most) across every gap, with steps[g] steps
 * at most for gap g; `plan` says the rest. Writes median, least and largest accuracy to
 * accuracy[arm * gap_count + g] (NaN where nothing was tried), prints the medians as a table and
 * draws them with their range to recall.png. */
void recall_compare(Run *run, const RecallPlan *plan, const RecallArm *arms, int arm_count,
                    const int *gaps, const int *steps, int gap_count, Spread *accuracy);

/* What the medians of a comparison should be. */
typedef struct RecallClaim {
    int arm, gap; /* their places in the comparison */
    const char *op;
    double bound;
} RecallClaim;

/* Makes each of the claims, as claim_trained(), with the id ARM_far for the longest gap and
 * ARM_near for another (one claim each for an arm). */
void recall_claims(Run *run, const RecallArm *arms, const int *gaps, int gap_count,
                   const Spread *accuracy, const RecallClaim *claims, int count);

#endif
