/* Gated recurrent unit (Cho et al. 2014), in the form with the reset gate applied after the
 * recurrent product, gates in the order r z n:
 *
 *   r  = sigmoid(W_ir x + b_ir + W_hr h + b_hr)         reset: how much of the past to consult
 *   z  = sigmoid(W_iz x + b_iz + W_hz h + b_hz)         keep: how much of the past to keep
 *   n  = tanh(W_in x + b_in + r * (W_hn h + b_hn))      the new proposal
 *   h' = (1 - z) * n + z * h
 *
 * (Cho et al. write z for the other share and reset before the product.) */
#ifndef NN_GRU_H
#define NN_GRU_H

#include "core/ops.h"
#include "core/params.h"
#include "nn/sequence.h"

typedef struct Gru {
    Tensor *w_ih; /* (3 H, I), rows r z n */
    Tensor *w_hh; /* (3 H, H) */
    Tensor *b_ih; /* (3 H) */
    Tensor *b_hh; /* (3 H) */
    int input, hidden;
} Gru;

/* All weights from U(-1/sqrt(H), 1/sqrt(H)); `keep_bias` is added to the keep gate's b_ih: with
 * 2 or more, a fresh cell already holds on to what it has. */
Gru gru_new(Params *params, const char *name, int I, int H, float keep_bias);

/* One step, composed of operations, line by line the equations above: x (B, I), h (B, H) -> (B, H)
 */
Tensor *gru_step(Tape *tape, const Gru *gru, Tensor *x, Tensor *h);

/* A whole sequence in one operation: x (T, B, I), h0 (B, H) or NULL for zeros -> states (T, B, H).
 * Equal to gru_step() at every step; lengths and direction as in nn/sequence.h. */
Tensor *gru_forward(Tape *tape, const Gru *gru, Tensor *x, Tensor *h0, SequenceOptions options);

/* One step through the same code as gru_forward(): what a decoder uses, which cannot know its next
 * input before its last output. Equal to gru_step(), in one node of the tape instead of a dozen. */
Tensor *gru_step_fused(Tape *tape, const Gru *gru, Tensor *x, Tensor *h);

/* Both directions side by side: (T, B, 2 H), forward states first; Schuster and Paliwal 1997. */
typedef struct BiGru {
    Gru forward, backward;
} BiGru;

BiGru bigru_new(Params *params, const char *name, int I, int H, float keep_bias);
Tensor *bigru_forward(Tape *tape, const BiGru *gru, Tensor *x, const int *len);

#endif
