/* The three recurrent layers behind one face, in their two forms, so that one set of tests serves
 * them all. */
#ifndef TESTS_SUPPORT_RECURRENT_H
#define TESTS_SUPPORT_RECURRENT_H

#include "nn/gru.h"
#include "nn/lstm.h"
#include "nn/rnn.h"
#include "support/tensors.h"

typedef enum Cell { CELL_RNN, CELL_LSTM, CELL_GRU } Cell;

/* A layer made of tensors the test has at hand, w_ih (gates H, I) and so on. */
typedef struct Recurrent {
    Cell cell;
    Tensor *w_ih, *w_hh, *b_ih, *b_hh;
} Recurrent;

int cell_gates(Cell cell);

/* The whole sequence in one operation. `c` is NULL but for the LSTM. */
LstmOutput recurrent_fused(Tape *tape, const Recurrent *layer, Tensor *x, LstmState initial,
                           SequenceOptions options);

/* The same composed of steps, with padding rows kept by a multiplication with 0 and 1. */
LstmOutput recurrent_composed(Tape *tape, const Recurrent *layer, Tensor *x, LstmState initial,
                              SequenceOptions options);

/* ---- checks that every one of the layers must pass; each fails the running test ---- */

/* Fused equals composed to 1e-5, forward and backward: several sizes, with and without lengths,
 * both directions, initial states given or not, variable or constant. */
void check_fused_equals_composed(Cell cell);

/* Sequences of lengths 1 and 5 in one batch give what each gives alone, whatever the padding holds
 * (fault 19). */
void check_padding_is_not_seen(Cell cell);

/* The fused form against numeric gradients. */
void check_sequence_gradients(Cell cell);

/* In reverse on a reversed sequence: the same states, reversed. */
void check_reverse(Cell cell);

#endif
