#include "support/recurrent.h"

int recurrent_gates(CellKind kind) {
    return kind == CELL_RNN ? 1 : kind == CELL_LSTM ? 4 : 3;
}

Recurrent recurrent_of(CellKind kind, Tensor *w_ih, Tensor *w_hh, Tensor *b_ih, Tensor *b_hh) {
    int I = w_ih->dim[1], H = w_hh->dim[1];
    Recurrent cell = {.kind = kind, .input = I, .hidden = H};
    switch (kind) {
    case CELL_RNN:
        cell.rnn = (Rnn){w_ih, w_hh, b_ih, b_hh, I, H};
        break;
    case CELL_LSTM:
        cell.lstm = (Lstm){w_ih, w_hh, b_ih, b_hh, I, H};
        break;
    case CELL_GRU:
        cell.gru = (Gru){w_ih, w_hh, b_ih, b_hh, I, H};
        break;
    }
    return cell;
}

States states_fused(Tape *tape, const Recurrent *cell, Tensor *x, CellState initial,
                    SequenceOptions options) {
    CellState last;
    Tensor *y = recurrent_forward(tape, cell, x, initial, options, &last);
    return (States){y, last.c};
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

States states_composed(Tape *tape, const Recurrent *cell, Tensor *x, CellState initial,
                       SequenceOptions options) {
    int T = x->dim[0], B = x->dim[1], H = cell->hidden;
    CellState state = initial;
    Tensor **y = arena_alloc(&tape->arena, (size_t)T * sizeof *y);
    if (state.h == NULL) {
        state.h = tape_constant(tape, "h0", NULL, SHAPE(B, H));
    }
    if (state.c == NULL && cell->kind == CELL_LSTM) {
        state.c = tape_constant(tape, "c0", NULL, SHAPE(B, H));
    }
    for (int i = 0; i < T; i++) {
        int t = options.reverse ? T - 1 - i : i;
        CellState next = recurrent_step(tape, cell, op_index(tape, x, t), state);
        if (options.len != NULL) {
            next.h = keep_padding(tape, state.h, next.h, options.len, t);
            next.c = next.c != NULL ? keep_padding(tape, state.c, next.c, options.len, t) : NULL;
        }
        state = next;
        y[t] = state.h;
    }
    return (States){op_stack(tape, y, T), state.c};
}
