#include "support/recurrent.h"

int cell_gates(Cell cell) {
    return cell == CELL_RNN ? 1 : cell == CELL_LSTM ? 4 : 3;
}

static Rnn as_rnn(const Recurrent *l) {
    return (Rnn){l->w_ih, l->w_hh, l->b_ih, l->b_hh, l->w_ih->dim[1], l->w_hh->dim[1]};
}

static Lstm as_lstm(const Recurrent *l) {
    return (Lstm){l->w_ih, l->w_hh, l->b_ih, l->b_hh, l->w_ih->dim[1], l->w_hh->dim[1]};
}

static Gru as_gru(const Recurrent *l) {
    return (Gru){l->w_ih, l->w_hh, l->b_ih, l->b_hh, l->w_ih->dim[1], l->w_hh->dim[1]};
}

LstmOutput recurrent_fused(Tape *tape, const Recurrent *layer, Tensor *x, LstmState initial,
                           SequenceOptions options) {
    Rnn rnn = as_rnn(layer);
    Lstm lstm = as_lstm(layer);
    Gru gru = as_gru(layer);
    switch (layer->cell) {
    case CELL_RNN:
        return (LstmOutput){rnn_forward(tape, &rnn, x, initial.h, options), NULL};
    case CELL_GRU:
        return (LstmOutput){gru_forward(tape, &gru, x, initial.h, options), NULL};
    case CELL_LSTM:
    default:
        return lstm_forward(tape, &lstm, x, initial, options);
    }
}

static LstmState step(Tape *tape, const Recurrent *layer, Tensor *x, LstmState state) {
    Rnn rnn = as_rnn(layer);
    Lstm lstm = as_lstm(layer);
    Gru gru = as_gru(layer);
    switch (layer->cell) {
    case CELL_RNN:
        return (LstmState){rnn_step(tape, &rnn, x, state.h), NULL};
    case CELL_GRU:
        return (LstmState){gru_step(tape, &gru, x, state.h), NULL};
    case CELL_LSTM:
    default:
        return lstm_step(tape, &lstm, x, state);
    }
}

/* after where the step is real, before where it is padding: (B, H). */
static Tensor *keep_padding(Tape *tape, Tensor *before, Tensor *after, const int *len, int t) {
    int B = before->dim[0], H = before->dim[1];
    Tensor *real = tape_constant(tape, "real", NULL, SHAPE(B, H));
    Tensor *padding = tape_constant(tape, "padding", NULL, SHAPE(B, H));
    for (int i = 0; i < B * H; i++) {
        real->data[i] = t < len[i / H] ? 1.0f : 0.0f;
        padding->data[i] = 1.0f - real->data[i];
    }
    return op_add(tape, op_mul(tape, after, real), op_mul(tape, before, padding));
}

LstmOutput recurrent_composed(Tape *tape, const Recurrent *layer, Tensor *x, LstmState initial,
                              SequenceOptions options) {
    int T = x->dim[0], B = x->dim[1], H = layer->w_hh->dim[1];
    LstmState state = initial;
    Tensor **y = arena_alloc(&tape->arena, (size_t)T * sizeof *y);
    if (state.h == NULL) {
        state.h = tape_constant(tape, "h0", NULL, SHAPE(B, H));
    }
    if (state.c == NULL && layer->cell == CELL_LSTM) {
        state.c = tape_constant(tape, "c0", NULL, SHAPE(B, H));
    }
    for (int i = 0; i < T; i++) {
        int t = options.reverse ? T - 1 - i : i;
        LstmState next = step(tape, layer, op_index(tape, x, t), state);
        if (options.len != NULL) {
            next.h = keep_padding(tape, state.h, next.h, options.len, t);
            next.c = next.c != NULL ? keep_padding(tape, state.c, next.c, options.len, t) : NULL;
        }
        state = next;
        y[t] = state.h;
    }
    return (LstmOutput){op_stack(tape, y, T), state.c};
}
