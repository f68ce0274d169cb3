#include "support/recurrent.h"

enum { T = 4, B = 2, I = 3, H = 5 };
static const CellKind kinds[] = {CELL_RNN, CELL_LSTM, CELL_GRU};

/* A cell with weights of its own, on tensors of a tape. */
typedef struct Fixture {
    Params params;
    Tape tape;
    Recurrent cell;
    Tensor *x;
} Fixture;

static Fixture fixture_new(CellKind kind, float bias) {
    Fixture f = {.params = params_new(), .tape = tape_new()};
    f.cell = recurrent_new(&f.params, "cell", kind, I, H, bias);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&f.params, &rng);
    f.x = random_variable(&f.tape, &rng, "x", SHAPE(T, B, I));
    return f;
}

static void fixture_free(Fixture *f) {
    tape_free(&f->tape);
    params_free(&f->params);
}

static void test_the_handle_knows_its_sizes_and_weights(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        Fixture f = fixture_new(kinds[k], 0.0f);
        assert_int_equal(f.cell.kind, kinds[k]);
        assert_int_equal(f.cell.input, I);
        assert_int_equal(f.cell.hidden, H);
        assert_shape(params_find(&f.params, "cell.w_ih"), recurrent_gates(kinds[k]) * H, I);
        assert_shape(params_find(&f.params, "cell.w_hh"), recurrent_gates(kinds[k]) * H, H);
        assert_int_equal(f.params.count, 4);
        fixture_free(&f);
    }
}

static void test_the_bias_reaches_the_gate(void **state) {
    (void)state;
    for (int k = 1; k < 3; k++) {
        Fixture f = fixture_new(kinds[k], 5.0f);
        const Tensor *bias = params_find(&f.params, "cell.b_ih");
        for (int i = 0; i < H; i++) { /* the second gate is the one that holds on */
            assert_true(bias->data[H + i] > 4.0f);
            assert_true(bias->data[i] < 1.0f && bias->data[2 * H + i] < 1.0f);
        }
        fixture_free(&f);
    }
    Params params = params_new();
    expect_exact_message("recurrent_new: a plain RNN has no gate that could take a bias of 1",
                         recurrent_new(&params, "cell", CELL_RNN, I, H, 1.0f));
    params_free(&params);
}

/* Through the handle: the bits that the cell itself computes. */
static void test_the_handle_is_the_cell_itself(void **state) {
    (void)state;
    SequenceOptions options = {.len = (const int[]){4, 2}, .reverse = true};
    for (int k = 0; k < 3; k++) {
        Fixture f = fixture_new(kinds[k], 0.0f);
        const Tensor *y = recurrent_forward(&f.tape, &f.cell, f.x, (CellState){0}, options, NULL);
        const Tensor *expected =
            kinds[k] == CELL_RNN ? rnn_forward(&f.tape, &f.cell.rnn, f.x, NULL, options)
            : kinds[k] == CELL_GRU
                ? gru_forward(&f.tape, &f.cell.gru, f.x, NULL, options)
                : lstm_forward(&f.tape, &f.cell.lstm, f.x, (LstmState){0}, options).y;
        assert_same_bits(y->data, expected->data, T * B * H);
        fixture_free(&f);
    }
}

/* A sequence in two halves, the second going on where the first ended, is the sequence as a whole:
 * states and gradients. */
static void test_the_last_state_begins_what_follows(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        Fixture f = fixture_new(kinds[k], 0.0f), whole = fixture_new(kinds[k], 0.0f);
        CellState middle, end;
        Tensor *first = op_slice(&f.tape, f.x, 0, 3), *second = op_slice(&f.tape, f.x, 3, 4);
        recurrent_forward(&f.tape, &f.cell, first, (CellState){0}, (SequenceOptions){0}, &middle);
        Tensor *y = recurrent_forward(&f.tape, &f.cell, second, middle, (SequenceOptions){0}, &end);
        Tensor *all = recurrent_forward(&whole.tape, &whole.cell, whole.x, (CellState){0},
                                        (SequenceOptions){0}, NULL);
        assert_all_close(y->data, all->data + 3 * B * H, B * H, 1e-6, 1e-6);
        assert_shape(end.h, B, H);
        assert_same_bits(end.h->data, y->data, B * H);
        assert_true((end.c != NULL) == (kinds[k] == CELL_LSTM));
        backward_random(&f.tape, op_reshape(&f.tape, y, SHAPE(B, H)), 1);
        backward_random(&whole.tape, op_index(&whole.tape, all, 3), 1);
        assert_all_close(f.x->grad, whole.x->grad, T * B * I, 1e-6, 1e-5);
        assert_all_close(f.params.grad, whole.params.grad, f.params.size, 1e-6, 1e-5);
        fixture_free(&f);
        fixture_free(&whole);
    }
}

static void test_steps_are_those_of_the_cell(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        Fixture f = fixture_new(kinds[k], 0.0f);
        SequenceOptions options = {.len = (const int[]){1, 3}};
        States fused = states_fused(&f.tape, &f.cell, f.x, (CellState){0}, options);
        States composed = states_composed(&f.tape, &f.cell, f.x, (CellState){0}, options);
        assert_all_close(fused.y->data, composed.y->data, T * B * H, 1e-6, 1e-6);
        if (fused.c != NULL) {
            assert_all_close(fused.c->data, composed.c->data, B * H, 1e-6, 1e-6);
        }
        fixture_free(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_handle_knows_its_sizes_and_weights),
        cmocka_unit_test(test_the_bias_reaches_the_gate),
        cmocka_unit_test(test_the_handle_is_the_cell_itself),
        cmocka_unit_test(test_the_last_state_begins_what_follows),
        cmocka_unit_test(test_steps_are_those_of_the_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
