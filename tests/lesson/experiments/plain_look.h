/* A look (lesson/experiments/look.h) for tests: attention with one of the patterns of
 * lesson/experiments/masking.h. */
#ifndef TESTS_LESSON_PLAIN_LOOK_H
#define TESTS_LESSON_PLAIN_LOOK_H

#include "lesson/experiments/look.h"
#include "lesson/experiments/masking.h"

#include <math.h>

typedef struct PlainLook {
    Pattern pattern;
    Masking masking;
} PlainLook;

static inline Tensor *plain_look(const void *how, Tape *tape, Tensor *q, Tensor *k, Tensor *v,
                                 Tensor **weights) {
    const PlainLook *plain = how;
    Mask mask = mask_pattern(&tape->arena, plain->pattern, k->dim[k->ndim - 2]);
    Tensor *scores = op_matmul_nt(tape, q, k);
    scores = op_scale(tape, scores, 1.0f / sqrtf((float)tensor_cols(q)));
    Tensor *a =
        masked_weights(tape, scores, plain->pattern == SEES_ALL ? NULL : &mask, plain->masking);
    if (weights != NULL) {
        *weights = a;
    }
    return op_matmul(tape, a, v);
}

static const PlainLook looks_everywhere = {SEES_ALL, MASK_OUT};
static const PlainLook looks_back = {SEES_PAST, MASK_OUT};

#define LOOKER(way)                                                                                \
    (Looker) {                                                                                     \
        plain_look, &(way)                                                                         \
    }

#endif
