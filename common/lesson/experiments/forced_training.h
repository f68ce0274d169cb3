/* A training that is watched twice: how many tokens are right when all right ones before them are
 * given (teacher forcing, what the loss sees), and how many answers are right as a whole when the
 * model goes on from its own tokens (exact match, what a user sees). The two can be far apart. */
#ifndef LESSON_FORCED_TRAINING_H
#define LESSON_FORCED_TRAINING_H

#include "lesson/experiments/forcing.h"
#include "lesson/experiments/tasks.h"

typedef struct ForcedTraining {
    Forced forced; /* its corpus: the held-out pairs */
    const Task *task;
    const int *samples; /* held-out pairs, one of which is shown at each check, in turn; or NULL */
    int sample_count;

    FitCurve curve;           /* of the training; metric is exact match */
    double right[FIT_POINTS]; /* at the same checks: share of tokens right */
    double exact;             /* at the end, on all held-out pairs */
} ForcedTraining;

/* Trains by the plan, in which held_out, watch and context are filled in here. */
void forced_training_run(Run *run, ForcedTraining *training, TrainingPlan plan);

/* Both measures at the first check at or after that step; NaN where there is none. */
double forced_training_exact(const ForcedTraining *training, int step);
double forced_training_right(const ForcedTraining *training, int step);

/* The pair of curves of each training (at most 4) as NAME.png, and a table of both, "led / alone",
 * with a row for each check of the first of them and a column for each training. */
void forced_training_show(Run *run, const ForcedTraining *const *trainings,
                          const char *const *labels, int count, Plot plot);

/* A line "after 100 steps: SOURCE -> OUTPUT" for one held-out pair, translated now. Was it right?
 */
bool translation_sample(Run *run, const Translator *translator, const Task *task, int pair,
                        int step);

#endif
