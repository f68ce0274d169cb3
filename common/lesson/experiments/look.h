/* How queries look at keys and take values: the hole in the experiments of lesson 04 into which the
 * lesson puts its own attention, right or broken on purpose. */
#ifndef LESSON_LOOK_H
#define LESSON_LOOK_H

#include "core/ops.h"

/* q (..., L, D), k (..., L, D), v (..., L, Dv) -> (..., L, Dv), with (B) or (B, H) in front. Who
 * may look where is part of `how`. Unless NULL, *weights becomes the weights (..., L, L). */
typedef Tensor *(*LookFunction)(const void *how, Tape *tape, Tensor *q, Tensor *k, Tensor *v,
                                Tensor **weights);

typedef struct Looker {
    LookFunction look;
    const void *how;
} Looker;

#endif
