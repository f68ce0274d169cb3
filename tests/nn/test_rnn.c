#include "support/recurrent.h"

#include "core/params.h"

/* H = I = 1. */
static Rnn rnn_by_hand(Tape *tape) {
    return (Rnn){.w_ih = tape_variable(tape, "w_ih", (const float[]){0.5f}, SHAPE(1, 1)),
                 .w_hh = tape_variable(tape, "w_hh", (const float[]){-0.25f}, SHAPE(1, 1)),
                 .b_ih = tape_constant(tape, "b_ih", (const float[]){0.1f}, SHAPE(1)),
                 .b_hh = tape_constant(tape, "b_hh", (const float[]){0.2f}, SHAPE(1)),
                 .input = 1,
                 .hidden = 1};
}

static void test_two_steps_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Rnn rnn = rnn_by_hand(&tape);
    Tensor *x = tape_constant(&tape, "x", (const float[]){2, -1}, SHAPE(2, 1, 1));
    Tensor *h0 = tape_constant(&tape, "h0", (const float[]){0.8f}, SHAPE(1, 1));
    double h1 = tanh(0.5 * 2 + 0.1 - 0.25 * 0.8 + 0.2);
    double h2 = tanh(0.5 * -1 + 0.1 - 0.25 * h1 + 0.2);
    Tensor *step = rnn_step(&tape, &rnn, op_index(&tape, x, 0), h0);
    assert_close((double)step->data[0], h1, 1e-6, 0.0);
    Tensor *y = rnn_forward(&tape, &rnn, x, h0, (SequenceOptions){0});
    assert_shape(y, 2, 1, 1);
    assert_close((double)y->data[0], h1, 1e-6, 0.0);
    assert_close((double)y->data[1], h2, 1e-6, 0.0);
    y->grad[1] = 1.0f; /* of the last state alone: both steps met w_hh */
    tape_backward_from(&tape, y);
    double d2 = 1 - h2 * h2, d1 = d2 * -0.25 * (1 - h1 * h1);
    assert_close((double)rnn.w_hh->grad[0], d2 * h1 + d1 * 0.8, 1e-6, 0.0);
    assert_close((double)rnn.w_ih->grad[0], d2 * -1 + d1 * 2, 1e-6, 0.0);
    tape_free(&tape);
}

static void test_declares_its_weights(void **state) {
    (void)state;
    enum { I = 5, H = 16 };
    Params params = params_new();
    Rnn rnn = rnn_new(&params, "cell", I, H);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    assert_shape(rnn.w_ih, H, I);
    assert_shape(rnn.w_hh, H, H);
    assert_shape(rnn.b_ih, H);
    assert_shape(rnn.b_hh, H);
    assert_int_equal(rnn.input, I);
    assert_int_equal(rnn.hidden, H);
    assert_string_equal(rnn.w_ih->name, "cell.w_ih");
    float most = 0.0f;
    for (int i = 0; i < H * H; i++) {
        most = fmaxf(most, fabsf(rnn.w_hh->data[i]));
    }
    assert_true(most <= 0.25f && most > 0.24f); /* U(-1/sqrt(H), 1/sqrt(H)) */
    params_free(&params);
}

static void test_fused_equals_composed(void **state) {
    (void)state;
    check_fused_equals_composed(CELL_RNN);
}

static void test_fault_19_padding_is_not_seen(void **state) {
    (void)state;
    check_padding_is_not_seen(CELL_RNN);
}

static void test_gradients(void **state) {
    (void)state;
    check_sequence_gradients(CELL_RNN);
}

static void test_reverse(void **state) {
    (void)state;
    check_reverse(CELL_RNN);
}

static void test_bad_shapes_stop(void **state) {
    (void)state;
    Tape tape = tape_new();
    Rnn rnn = rnn_by_hand(&tape);
    SequenceOptions all = {0}, long_one = {.len = (const int[]){4, 5}};
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(4, 2, 1));
    Tensor *wide = tape_constant(&tape, "wide", NULL, SHAPE(4, 2, 3));
    Tensor *flat = tape_constant(&tape, "flat", NULL, SHAPE(4, 1));
    Tensor *h0 = tape_constant(&tape, "h0", NULL, SHAPE(2, 2));
    expect_exact_message("linear: wide (4, 2, 3) times w_ih (1, 1) transposed: 3 != 1",
                         rnn_forward(&tape, &rnn, wide, NULL, all));
    expect_exact_message("rnn: linear (4, 1) must be (T, B, 1 H)",
                         rnn_forward(&tape, &rnn, flat, NULL, all));
    expect_exact_message("rnn: the initial state h0 (2, 2) must be (2, 1)",
                         rnn_forward(&tape, &rnn, x, h0, all));
    expect_exact_message("rnn: length 5 of sequence 1 is not in 0..4",
                         rnn_forward(&tape, &rnn, x, NULL, long_one));
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_steps_by_hand),
        cmocka_unit_test(test_declares_its_weights),
        cmocka_unit_test(test_fused_equals_composed),
        cmocka_unit_test(test_fault_19_padding_is_not_seen),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_reverse),
        cmocka_unit_test(test_bad_shapes_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
