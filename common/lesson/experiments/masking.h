/* Masks for lesson 04: who may look where, and what becomes of the scores of those who may not be
 * looked at, done right and in the ways it has been done wrong. */
#ifndef LESSON_MASKING_H
#define LESSON_MASKING_H

#include "lesson/run.h"

#include "core/ops.h"

typedef enum Pattern {
    SEES_ALL,
    SEES_PAST,   /* itself and what came before: the causal mask */
    SEES_FUTURE, /* itself and what comes: the causal mask the wrong way round */
    SEES_BEFORE, /* what came before, but not itself: the first has nothing to look at */
    PATTERNS,
} Pattern;

/* (1, L, L), true = may look. */
Mask mask_pattern(Arena *arena, Pattern pattern, int L);

typedef enum Masking {
    MASK_OUT,      /* hidden scores stay out of the softmax; a row with nothing left is zero */
    MASK_INFINITY, /* -infinity is added to them: the same, but an empty row is nan */
    MASK_BILLION,  /* -1e9 is added: the same, but an empty row looks everywhere */
    MASK_LATE,     /* softmax over all, zero afterwards: the rows no longer sum to 1 */
    MASK_AXIS,     /* softmax down the queries, not along the keys */
} Masking;

/* scores (..., L, L) -> weights of the same shape. The mask is (1, L, L) or (1, 1, L); NULL: look
 * everywhere, by plain softmax whatever `how` is, but for MASK_AXIS. */
Tensor *masked_weights(Tape *tape, Tensor *scores, const Mask *mask, Masking how);

/* MASK_OUT, unless one of the mistakes of that lesson was asked for: --break empty_row_inf,
 * empty_row_1e9, mask_after_softmax or softmax_axis. */
Masking masking_asked(const Run *run);

/* SEES_PAST, unless --break no_mask or reversed_mask was given. */
Pattern causal_asked(const Run *run);

/* How far the sums of the L rows of L weights are from 1, at most; NaN when one is no number. */
double rows_off_from_one(const float *weights, int L);

/* Three words with SEES_BEFORE, so that the first row is empty: its weights go to row. Returns the
 * largest number in its output and in the gradients that come from it: 0 is right; infinite when
 * one of them is no number. */
double empty_row(Masking how, float row[3]);

/* Says what an empty row is and shows it three ways, `ours` first, with the claims "empty_zero",
 * "empty_inf" and "empty_1e9". */
void empty_rows_show(Run *run, Masking ours);

/* The weights (L, L) of L words without a mask and with one, side by side, as a picture; both also
 * go to attention.tsv. */
void mask_effect_show(Run *run, const char *file, const float *all, const float *masked, int L,
                      const char *const *words);

/* The four patterns for L symbols, named, as masks.png. */
void mask_patterns_show(Run *run, int L);

#endif
