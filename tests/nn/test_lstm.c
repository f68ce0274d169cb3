#include "support/recurrent.h"

#include "core/params.h"

static double sigmoid(double x) {
    return 1.0 / (1.0 + exp(-x));
}

/* H = I = 1, every weight another number; gates i f g o. */
static Lstm lstm_by_hand(Tape *tape) {
    static const float w_ih[] = {0.1f, -0.2f, 0.3f, 0.4f}, w_hh[] = {0.5f, 0.6f, -0.7f, 0.8f};
    static const float b_ih[] = {0.01f, 0.02f, 0.03f, 0.04f}, b_hh[] = {0.9f, -1.0f, 1.1f, -1.2f};
    return (Lstm){.w_ih = tape_constant(tape, "w_ih", w_ih, SHAPE(4, 1)),
                  .w_hh = tape_constant(tape, "w_hh", w_hh, SHAPE(4, 1)),
                  .b_ih = tape_constant(tape, "b_ih", b_ih, SHAPE(4)),
                  .b_hh = tape_constant(tape, "b_hh", b_hh, SHAPE(4)),
                  .input = 1,
                  .hidden = 1};
}

static void test_one_step_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Lstm lstm = lstm_by_hand(&tape);
    Tensor *x = tape_constant(&tape, "x", (const float[]){2}, SHAPE(1, 1));
    LstmState old = {tape_constant(&tape, "h", (const float[]){-0.5f}, SHAPE(1, 1)),
                     tape_constant(&tape, "c", (const float[]){1.5f}, SHAPE(1, 1))};
    double i = sigmoid(0.1 * 2 + 0.01 + 0.5 * -0.5 + 0.9);
    double f = sigmoid(-0.2 * 2 + 0.02 + 0.6 * -0.5 - 1.0);
    double g = tanh(0.3 * 2 + 0.03 - 0.7 * -0.5 + 1.1);
    double o = sigmoid(0.4 * 2 + 0.04 + 0.8 * -0.5 - 1.2);
    double c = f * 1.5 + i * g, h = o * tanh(c);
    LstmState new = lstm_step(&tape, &lstm, x, old);
    assert_close((double)new.c->data[0], c, 1e-6, 0.0);
    assert_close((double)new.h->data[0], h, 1e-6, 0.0);
    LstmOutput out =
        lstm_forward(&tape, &lstm, op_reshape(&tape, x, SHAPE(1, 1, 1)), old, (SequenceOptions){0});
    assert_shape(out.y, 1, 1, 1);
    assert_shape(out.c, 1, 1);
    assert_close((double)out.c->data[0], c, 1e-6, 0.0);
    assert_close((double)out.y->data[0], h, 1e-6, 0.0);
    tape_free(&tape);
}

/* With the forget gate open and the input gate shut the cell is carried on, error-free: the
 * "constant error carousel". */
static void test_open_forget_gate_carries_cell_and_gradient(void **state) {
    (void)state;
    Tape tape = tape_new();
    Lstm lstm = lstm_by_hand(&tape);
    lstm.b_ih->data[0] = -40.0f;
    lstm.b_ih->data[1] = 40.0f;
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(50, 1, 1));
    LstmState old = {NULL, tape_variable(&tape, "c", (const float[]){1.5f}, SHAPE(1, 1))};
    LstmOutput out = lstm_forward(&tape, &lstm, x, old, (SequenceOptions){0});
    assert_close((double)out.c->data[0], 1.5, 1e-5, 0.0);
    out.c->grad[0] = 1.0f;
    tape_backward_from(&tape, out.y);
    assert_close((double)old.c->grad[0], 1.0, 1e-5, 0.0);
    tape_free(&tape);
}

static void test_declares_its_weights(void **state) {
    (void)state;
    enum { I = 5, H = 16 };
    Params params = params_new();
    Lstm lstm = lstm_new(&params, "cell", I, H, 1.0f);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    assert_shape(lstm.w_ih, 4 * H, I);
    assert_shape(lstm.w_hh, 4 * H, H);
    assert_shape(lstm.b_ih, 4 * H);
    assert_shape(lstm.b_hh, 4 * H);
    assert_int_equal(lstm.input, I);
    assert_int_equal(lstm.hidden, H);
    assert_string_equal(lstm.b_ih->name, "cell.b_ih");
    for (int i = 0; i < 4 * H;
         i++) { /* U(-1/4, 1/4), and 1 more for the forget gate's input bias */
        float shift = i / H == 1 ? 1.0f : 0.0f;
        assert_true(fabsf(lstm.b_ih->data[i] - shift) <= 0.2500001f);
        assert_true(fabsf(lstm.b_hh->data[i]) <= 0.25f);
        assert_true(fabsf(lstm.w_hh->data[i]) <= 0.25f && lstm.w_hh->data[i] != 0.0f);
        assert_true(fabsf(lstm.w_ih->data[i]) <= 0.25f && lstm.w_ih->data[i] != 0.0f);
    }
    params_free(&params);
}

static void test_fault_17_layers_start_different(void **state) {
    (void)state;
    Params params = params_new();
    Lstm first = lstm_new(&params, "layer0", 4, 4, 1.0f);
    Lstm second = lstm_new(&params, "layer1", 4, 4, 1.0f);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    for (int i = 0; i < 64; i++) {
        assert_true(first.w_ih->data[i] != second.w_ih->data[i]);
        assert_true(first.w_hh->data[i] != second.w_hh->data[i]);
    }
    params_free(&params);
}

static void test_fused_equals_composed(void **state) {
    (void)state;
    check_fused_equals_composed(CELL_LSTM);
}

static void test_fault_19_padding_is_not_seen(void **state) {
    (void)state;
    check_padding_is_not_seen(CELL_LSTM);
}

static void test_gradients(void **state) {
    (void)state;
    check_sequence_gradients(CELL_LSTM);
}

static void test_reverse(void **state) {
    (void)state;
    check_reverse(CELL_LSTM);
}

static void test_the_cell_is_that_of_the_last_real_step(void **state) {
    (void)state;
    Tape tape = tape_new();
    Lstm lstm = lstm_by_hand(&tape);
    Rng rng = rng_seeded(1, 0);
    Tensor *x = random_constant(&tape, &rng, "x", SHAPE(4, 2, 1));
    SequenceOptions lengths = {.len = (const int[]){2, 0}};
    LstmOutput padded = lstm_forward(&tape, &lstm, x, (LstmState){0}, lengths);
    LstmOutput two =
        lstm_forward(&tape, &lstm, op_slice(&tape, x, 0, 2), (LstmState){0}, (SequenceOptions){0});
    assert_same_bits(padded.c->data, two.c->data, 1);
    assert_true(padded.c->data[1] == 0.0f); /* of length 0: the initial cell */
    tape_free(&tape);
}

static void test_bad_shapes_stop(void **state) {
    (void)state;
    Tape tape = tape_new();
    Lstm lstm = lstm_by_hand(&tape);
    SequenceOptions all = {0}, long_one = {.len = (const int[]){-1, 4}};
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(4, 2, 1));
    Tensor *wide = tape_constant(&tape, "wide", NULL, SHAPE(4, 2, 3));
    Tensor *flat = tape_constant(&tape, "flat", NULL, SHAPE(4, 1));
    Tensor *bad = tape_constant(&tape, "bad", NULL, SHAPE(3, 1));
    expect_exact_message("linear: wide (4, 2, 3) times w_ih (4, 1) transposed: 3 != 1",
                         lstm_forward(&tape, &lstm, wide, (LstmState){0}, all));
    expect_exact_message("lstm: linear (4, 4) must be (T, B, 4 H)",
                         lstm_forward(&tape, &lstm, flat, (LstmState){0}, all));
    expect_exact_message("lstm: the initial state bad (3, 1) must be (2, 1)",
                         lstm_forward(&tape, &lstm, x, (LstmState){bad, NULL}, all));
    expect_exact_message("lstm: the initial cell bad (3, 1) must be (2, 1)",
                         lstm_forward(&tape, &lstm, x, (LstmState){NULL, bad}, all));
    expect_exact_message("lstm: length -1 of sequence 0 is not in 0..4",
                         lstm_forward(&tape, &lstm, x, (LstmState){0}, long_one));
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_step_by_hand),
        cmocka_unit_test(test_open_forget_gate_carries_cell_and_gradient),
        cmocka_unit_test(test_declares_its_weights),
        cmocka_unit_test(test_fault_17_layers_start_different),
        cmocka_unit_test(test_fused_equals_composed),
        cmocka_unit_test(test_fault_19_padding_is_not_seen),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_reverse),
        cmocka_unit_test(test_the_cell_is_that_of_the_last_real_step),
        cmocka_unit_test(test_bad_shapes_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
