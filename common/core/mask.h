/* Masks for attention. One convention everywhere: true = may look.
 *
 * A query that may look at nothing gets weights of zero and a gradient of zero, never nan: see
 * op_masked_softmax(). */
#ifndef CORE_MASK_H
#define CORE_MASK_H

#include "core/arena.h"

#include <stdbool.h>

/* may_look[b][q][k], row-major. `batch` or `queries` may be 1: the same for all of them. */
typedef struct Mask {
    int batch, queries, keys;
    const bool *may_look;
} Mask;

/* Padding: sequence b has len[b] real keys (0 .. keys), every query may look at those and at no
 * other. Shape (batch, 1, keys). */
Mask mask_padding(Arena *arena, const int *len, int batch, int keys);

/* Causality: query i of `queries` may look at keys up to i + keys - queries (aligned at the end, so
 * that the last query sees every key). Shape (1, queries, keys). */
Mask mask_causal(Arena *arena, int queries, int keys);

/* May look only where both masks allow it; `keys` must agree, the other sizes agree or are 1. */
Mask mask_both(Arena *arena, Mask a, Mask b);

/* The row of query q in sequence b. */
const bool *mask_row(const Mask *mask, int b, int q);

#endif
