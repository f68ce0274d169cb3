#include "nn/recurrent.h"

#include "core/check.h"

Recurrent recurrent_new(Params *params, const char *name, CellKind kind, int I, int H, float bias) {
    Recurrent cell = {.kind = kind, .input = I, .hidden = H};
    switch (kind) {
    case CELL_RNN:
        CHECK(bias == 0.0f, "recurrent_new: a plain RNN has no gate that could take a bias of %g",
              (double)bias);
        cell.rnn = rnn_new(params, name, I, H);
        break;
    case CELL_LSTM:
        cell.lstm = lstm_new(params, name, I, H, bias);
        break;
    case CELL_GRU:
        cell.gru = gru_new(params, name, I, H, bias);
        break;
    }
    return cell;
}

CellState recurrent_step(Tape *tape, const Recurrent *cell, Tensor *x, CellState state) {
    if (cell->kind == CELL_LSTM) {
        LstmState next = lstm_step(tape, &cell->lstm, x, (LstmState){state.h, state.c});
        return (CellState){next.h, next.c};
    }
    return (CellState){.h = cell->kind == CELL_RNN ? rnn_step(tape, &cell->rnn, x, state.h)
                                                   : gru_step(tape, &cell->gru, x, state.h)};
}

Tensor *recurrent_forward(Tape *tape, const Recurrent *cell, Tensor *x, CellState initial,
                          SequenceOptions options, CellState *last) {
    Tensor *y, *c = NULL;
    if (cell->kind == CELL_LSTM) {
        LstmOutput output =
            lstm_forward(tape, &cell->lstm, x, (LstmState){initial.h, initial.c}, options);
        y = output.y;
        c = output.c;
    } else {
        y = cell->kind == CELL_RNN ? rnn_forward(tape, &cell->rnn, x, initial.h, options)
                                   : gru_forward(tape, &cell->gru, x, initial.h, options);
    }
    if (last != NULL) {
        *last = (CellState){sequence_last(tape, y, options), c};
    }
    return y;
}
