/* The plain recurrent network (Elman 1990): h' = tanh(W_ih x + b_ih + W_hh h + b_hh). */
#ifndef NN_RNN_H
#define NN_RNN_H

#include "core/ops.h"
#include "core/params.h"
#include "nn/sequence.h"

typedef struct Rnn {
    Tensor *w_ih; /* (H, I) */
    Tensor *w_hh; /* (H, H) */
    Tensor *b_ih; /* (H) */
    Tensor *b_hh; /* (H) */
    int input, hidden;
} Rnn;

/* All weights from U(-1/sqrt(H), 1/sqrt(H)). */
Rnn rnn_new(Params *params, const char *name, int I, int H);

/* One step, composed of operations: x (B, I), h (B, H) -> (B, H). */
Tensor *rnn_step(Tape *tape, const Rnn *rnn, Tensor *x, Tensor *h);

/* A whole sequence in one operation: x (T, B, I), h0 (B, H) or NULL for zeros -> states (T, B, H).
 * Equal to rnn_step() at every step; lengths and direction as in nn/sequence.h. */
Tensor *rnn_forward(Tape *tape, const Rnn *rnn, Tensor *x, Tensor *h0, SequenceOptions options);

#endif
