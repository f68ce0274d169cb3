/* Decoders that differ in nothing but where they look, trained side by side on the tasks of
 * lesson/experiments/causal_tasks.h. */
#ifndef LESSON_MASK_CONTEST_H
#define LESSON_MASK_CONTEST_H

#include "lesson/experiments/causal_tasks.h"

typedef struct MaskArm {
    const char *name;
    Looker looker;
    int steps;    /* of training; 0: those of the plan */
    bool spoiled; /* is expected to give nan: --check-finite does not stop it */
} MaskArm;

enum { MASK_ARMS = 8 }; /* at most */

/* Additions: a table with an example, and the losses as additions.png. */
void additions_compare(Run *run, const MaskArm *arms, int count, CausalPlan plan,
                       CausalResult *results);

/* Random digits: a table with the loss and the leak (random_digits_leak(), before any training),
 * and the losses as random_digits.png. */
void random_digits_compare(Run *run, const MaskArm *arms, int count, CausalPlan plan,
                           CausalResult *results, double *leaks);

/* The loss at an eighth of the way; NaN when there is none. */
double early_loss(const FitCurve *curve);

/* Checks of a training at which the loss was a number. */
int finite_losses(const FitCurve *curve);

#endif
