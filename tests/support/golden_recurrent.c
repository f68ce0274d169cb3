#include "support/golden_case.h"
#include "support/golden_kinds.h"
#include "support/recurrent.h"

/* What a form makes of a layer, an input and initial states: y (T, B, H) and, for the LSTM, c. */
typedef States (*Form)(Tape *tape, const Recurrent *layer, Tensor *x, CellState initial);

static States fused(Tape *tape, const Recurrent *layer, Tensor *x, CellState initial) {
    return states_fused(tape, layer, x, initial, (SequenceOptions){0});
}

static States step_by_step(Tape *tape, const Recurrent *layer, Tensor *x, CellState initial) {
    return states_composed(tape, layer, x, initial, (SequenceOptions){0});
}

/* (T, ...) with its first dimension the other way round. */
static Tensor *turn_round(Tape *tape, Tensor *x) {
    int T = x->dim[0];
    Tensor **rows = arena_alloc(&tape->arena, (size_t)T * sizeof *rows);
    for (int t = 0; t < T; t++) {
        rows[t] = op_index(tape, x, T - 1 - t);
    }
    return op_stack(tape, rows, T);
}

static States in_reverse(Tape *tape, const Recurrent *layer, Tensor *x, CellState initial) {
    States out =
        states_fused(tape, layer, turn_round(tape, x), initial, (SequenceOptions){.reverse = true});
    out.y = turn_round(tape, out.y);
    return out;
}

/* With padding behind the end, which holds large numbers. */
static States with_padding(Tape *tape, const Recurrent *layer, Tensor *x, CellState initial) {
    int T = x->dim[0], B = x->dim[1], I = x->dim[2];
    int *len = arena_alloc(&tape->arena, (size_t)B * sizeof *len);
    for (int b = 0; b < B; b++) {
        len[b] = T;
    }
    Tensor *rubbish = tape_constant(tape, "rubbish", NULL, SHAPE(3, B, I));
    for (int i = 0; i < 3 * B * I; i++) {
        rubbish->data[i] = 100.0f;
    }
    Tensor *longer = op_concat(tape, 0, (Tensor *const[]){x, rubbish}, 2);
    States out = states_fused(tape, layer, longer, initial, (SequenceOptions){.len = len});
    out.y = op_concat(tape, 0, /* the last state has been carried to the end of the padding */
                      (Tensor *const[]){op_slice(tape, out.y, 0, T - 1 > 0 ? T - 1 : 1),
                                        op_slice(tape, out.y, T + 2, T + 3)},
                      T > 1 ? 2 : 1);
    return out;
}

static void run_form(const Golden *golden, CellKind kind, const char *name, Form form) {
    GoldenCase *c = golden_begin(golden, name);
    Tensor *x = golden_input(c, "x"), *w_ih = golden_input(c, "w_ih");
    Tensor *w_hh = golden_input(c, "w_hh"), *b_ih = golden_input(c, "b_ih");
    Recurrent layer = recurrent_of(kind, w_ih, w_hh, b_ih, golden_input(c, "b_hh"));
    CellState initial = {golden_input_or_null(c, "h0"),
                         kind == CELL_LSTM ? golden_input_or_null(c, "c0") : NULL};
    States out = form(&c->tape, &layer, x, initial);
    if (out.c != NULL && golden_find(golden, "out.c") != NULL) {
        golden_output(c, "c", out.c);
    }
    golden_output(c, "y", out.y);
    golden_end(c);
}

static void run_all(const Golden *golden, CellKind kind) {
    run_form(golden, kind, "fused", fused);
    run_form(golden, kind, "step by step", step_by_step);
    run_form(golden, kind, "in reverse", in_reverse);
    run_form(golden, kind, "with padding", with_padding);
}

static void run_rnn(const Golden *golden) {
    run_all(golden, CELL_RNN);
}

static void run_lstm(const Golden *golden) {
    run_all(golden, CELL_LSTM);
}

static void run_gru(const Golden *golden) {
    run_all(golden, CELL_GRU);
}

const GoldenKind golden_recurrent_kinds[] = {
    {"rnn", run_rnn},
    {"lstm", run_lstm},
    {"gru", run_gru},
    {NULL, NULL},
};
