/* The recurrent layers in their two forms, the whole sequence in one operation and composed of
 * steps, so that one set of tests serves all three cells. */
#ifndef TESTS_SUPPORT_RECURRENT_H
#define TESTS_SUPPORT_RECURRENT_H

#include "nn/recurrent.h"
#include "support/tensors.h"

/* A layer made of tensors the test has at hand: w_ih (gates H, I), w_hh (gates H, H), two biases
 * (gates H). */
Recurrent recurrent_of(CellKind kind, Tensor *w_ih, Tensor *w_hh, Tensor *b_ih, Tensor *b_hh);

int recurrent_gates(CellKind kind);

/* All states (T, B, H), and the LSTM's cell (B, H) after the last step; NULL for the others. */
typedef struct States {
    Tensor *y, *c;
} States;

/* In one operation. */
States states_fused(Tape *tape, const Recurrent *cell, Tensor *x, CellState initial,
                    SequenceOptions options);

/* Composed of steps, with padding rows kept by a multiplication with 0 and 1. */
States states_composed(Tape *tape, const Recurrent *cell, Tensor *x, CellState initial,
                       SequenceOptions options);

/* ---- checks that every one of the layers must pass; each fails the running test ---- */

/* Fused equals composed to 1e-5, forward and backward: several sizes, with and without lengths,
 * both directions, initial states given or not, variable or constant. */
void check_fused_equals_composed(CellKind kind);

/* Sequences of lengths 1 and 5 in one batch give what each gives alone, whatever the padding holds
 * (fault 19). */
void check_padding_is_not_seen(CellKind kind);

/* The fused form against numeric gradients. */
void check_sequence_gradients(CellKind kind);

/* In reverse on a reversed sequence: the same states, reversed. */
void check_reverse(CellKind kind);

#endif
