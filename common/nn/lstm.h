/* Long short-term memory (Hochreiter and Schmidhuber 1997, with the forget gate of Gers,
 * Schmidhuber and Cummins 2000), gates in the order i f g o:
 *
 *   i  = sigmoid(W_ii x + b_ii + W_hi h + b_hi)     input: how much of the proposal to take
 *   f  = sigmoid(W_if x + b_if + W_hf h + b_hf)     forget: how much of the cell to keep
 *   g  = tanh(W_ig x + b_ig + W_hg h + b_hg)        the proposal
 *   o  = sigmoid(W_io x + b_io + W_ho h + b_ho)     output: how much of the cell to show
 *   c' = f * c + i * g
 *   h' = o * tanh(c')  */
#ifndef NN_LSTM_H
#define NN_LSTM_H

#include "core/ops.h"
#include "core/params.h"
#include "nn/sequence.h"

typedef struct Lstm {
    Tensor *w_ih; /* (4 H, I), rows i f g o */
    Tensor *w_hh; /* (4 H, H) */
    Tensor *b_ih; /* (4 H) */
    Tensor *b_hh; /* (4 H) */
    int input, hidden;
} Lstm;

/* The two states, each (B, H). */
typedef struct LstmState {
    Tensor *h, *c;
} LstmState;

/* All weights from U(-1/sqrt(H), 1/sqrt(H)); `forget_bias` is added to the forget gate's b_ih. */
Lstm lstm_new(Params *params, const char *name, int I, int H, float forget_bias);

/* One step, composed of operations, line by line the equations above: x (B, I). */
LstmState lstm_step(Tape *tape, const Lstm *lstm, Tensor *x, LstmState state);

typedef struct LstmOutput {
    Tensor *y; /* (T, B, H): the states h */
    Tensor *c; /* (B, H): the cell after the last step taken */
} LstmOutput;

/* A whole sequence in one operation: x (T, B, I); either initial state may be NULL for zeros.
 * Equal to lstm_step() at every step; lengths and direction as in nn/sequence.h. */
LstmOutput lstm_forward(Tape *tape, const Lstm *lstm, Tensor *x, LstmState initial,
                        SequenceOptions options);

#endif
