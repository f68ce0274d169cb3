/* What clipping is for: a network whose gradients explode, trained by plain gradient descent with
 * clipping and without. */
#ifndef LESSON_CLIPPING_H
#define LESSON_CLIPPING_H

#include "lesson/run.h"

enum { CLIPPING_STEPS = 200, CLIPPING_GAP = 8, CLIPPING_LAST = 20 };

typedef struct ClippingArm {
    double first_norm;   /* of the first gradient, before clipping */
    double weights_norm; /* of W before the first step */
    double loss;         /* mean over the last CLIPPING_LAST steps, in nats */
    double longest;      /* norm of the longest gradient that was used, after clipping */
} ClippingArm;

/* Trains an RNN (32 units, W = rho times a random orthogonal matrix) to recall a symbol across
 * CLIPPING_GAP distractors (lesson/experiments/recall.h), twice from the same weights and with the
 * same data: arms[0] with gradients clipped to the norm `limit` (0: not at all), arms[1] never
 * clipped. CLIPPING_STEPS are enough to see it; `rate` is the size of a step. Draws both losses to
 * clipping.png. */
void clipping_compare(Run *run, float rho, float rate, double limit, int steps,
                      ClippingArm arms[2]);

#endif
