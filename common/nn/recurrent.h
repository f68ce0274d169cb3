/* One handle for the three recurrent cells, for whoever compares them: the same calls, whichever it
 * is. The cells themselves, with their equations, are nn/rnn.h, nn/lstm.h and nn/gru.h. */
#ifndef NN_RECURRENT_H
#define NN_RECURRENT_H

#include "nn/gru.h"
#include "nn/lstm.h"
#include "nn/rnn.h"

typedef enum CellKind { CELL_RNN, CELL_LSTM, CELL_GRU } CellKind;

typedef struct Recurrent {
    CellKind kind;
    union {
        Rnn rnn;
        Lstm lstm;
        Gru gru;
    };
    int input, hidden;
} Recurrent;

/* What a cell hands on from step to step. */
typedef struct CellState {
    Tensor *h; /* (B, H), or NULL for zeros */
    Tensor *c; /* (B, H): the LSTM's cell; NULL for the others, or for zeros */
} CellState;

/* `bias` is the LSTM's forget bias or the GRU's keep bias; a plain RNN has no gate and must get 0.
 */
Recurrent recurrent_new(Params *params, const char *name, CellKind kind, int I, int H, float bias);

/* One step: x (B, I). No NULL in the state here, but for the c of a cell that has none. */
CellState recurrent_step(Tape *tape, const Recurrent *cell, Tensor *x, CellState state);

/* A whole sequence: x (T, B, I) -> all states (T, B, H). *last, unless NULL, becomes the state
 * after the last step in walking order, ready to be the initial one of what follows. */
Tensor *recurrent_forward(Tape *tape, const Recurrent *cell, Tensor *x, CellState initial,
                          SequenceOptions options, CellState *last);

#endif
