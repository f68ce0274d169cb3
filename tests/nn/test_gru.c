#include "support/recurrent.h"

#include "core/params.h"

static double sigmoid(double x) {
    return 1.0 / (1.0 + exp(-x));
}

/* H = I = 1, every weight another number: x = 2, h = -0.5. */
static Gru gru_by_hand(Tape *tape) {
    return (Gru){
        .w_ih = tape_constant(tape, "w_ih", (const float[]){0.1f, -0.2f, 0.3f}, SHAPE(3, 1)),
        .w_hh = tape_constant(tape, "w_hh", (const float[]){0.4f, 0.5f, -0.6f}, SHAPE(3, 1)),
        .b_ih = tape_constant(tape, "b_ih", (const float[]){0.01f, 0.02f, 0.03f}, SHAPE(3)),
        .b_hh = tape_constant(tape, "b_hh", (const float[]){0.7f, -0.8f, 0.9f}, SHAPE(3)),
        .input = 1,
        .hidden = 1};
}

static void test_one_step_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Gru gru = gru_by_hand(&tape);
    Tensor *x = tape_constant(&tape, "x", (const float[]){2}, SHAPE(1, 1));
    Tensor *h = tape_constant(&tape, "h", (const float[]){-0.5f}, SHAPE(1, 1));
    double r = sigmoid(0.1 * 2 + 0.01 + 0.4 * -0.5 + 0.7);
    double z = sigmoid(-0.2 * 2 + 0.02 + 0.5 * -0.5 - 0.8);
    double n = tanh(0.3 * 2 + 0.03 + r * (-0.6 * -0.5 + 0.9)); /* reset after the product */
    double expected = (1 - z) * n + z * -0.5;
    assert_close((double)gru_step(&tape, &gru, x, h)->data[0], expected, 1e-6, 0.0);
    Tensor *sequence = op_reshape(&tape, x, SHAPE(1, 1, 1));
    const Tensor *y = gru_forward(&tape, &gru, sequence, h, (SequenceOptions){0});
    assert_shape(y, 1, 1, 1);
    assert_close((double)y->data[0], expected, 1e-6, 0.0);
    tape_free(&tape);
}

static void test_a_large_keep_bias_keeps_the_state(void **state) {
    (void)state;
    Tape tape = tape_new();
    Gru gru = gru_by_hand(&tape);
    gru.b_ih->data[1] = 40.0f;
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(9, 1, 1));
    Tensor *h = tape_constant(&tape, "h", (const float[]){-0.5f}, SHAPE(1, 1));
    const Tensor *y = gru_forward(&tape, &gru, x, h, (SequenceOptions){0});
    assert_close((double)y->data[8], -0.5, 1e-6, 0.0);
    tape_free(&tape);
}

static void test_declares_its_weights(void **state) {
    (void)state;
    enum { I = 5, H = 16 };
    Params params = params_new();
    Gru gru = gru_new(&params, "decoder", I, H, 3.0f);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    assert_shape(gru.w_ih, 3 * H, I);
    assert_shape(gru.w_hh, 3 * H, H);
    assert_shape(gru.b_ih, 3 * H);
    assert_shape(gru.b_hh, 3 * H);
    assert_int_equal(gru.input, I);
    assert_int_equal(gru.hidden, H);
    assert_string_equal(gru.w_hh->name, "decoder.w_hh");
    for (int i = 0; i < 3 * H; i++) { /* U(-1/4, 1/4), and 3 more for the keep gate's input bias */
        float shift = i / H == 1 ? 3.0f : 0.0f;
        assert_true(fabsf(gru.b_ih->data[i] - shift) <= 0.2500001f);
        assert_true(fabsf(gru.b_hh->data[i]) <= 0.25f);
        assert_true(fabsf(gru.w_hh->data[i]) <= 0.25f && gru.w_hh->data[i] != 0.0f);
        assert_true(fabsf(gru.w_ih->data[i]) <= 0.25f && gru.w_ih->data[i] != 0.0f);
    }
    params_free(&params);
}

static void test_fault_17_layers_start_different(void **state) {
    (void)state;
    Params params = params_new();
    BiGru gru = bigru_new(&params, "encoder", 3, 4, 0.0f);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    assert_string_equal(gru.forward.w_ih->name, "encoder.forward.w_ih");
    assert_string_equal(gru.backward.w_ih->name, "encoder.backward.w_ih");
    for (int i = 0; i < 36; i++) {
        assert_true(gru.forward.w_ih->data[i] != gru.backward.w_ih->data[i]);
        assert_true(gru.forward.w_hh->data[i] != gru.backward.w_hh->data[i]);
    }
    params_free(&params);
}

static void test_fused_equals_composed(void **state) {
    (void)state;
    check_fused_equals_composed(CELL_GRU);
}

static void test_fault_19_padding_is_not_seen(void **state) {
    (void)state;
    check_padding_is_not_seen(CELL_GRU);
}

static void test_gradients(void **state) {
    (void)state;
    check_sequence_gradients(CELL_GRU);
}

static void test_reverse(void **state) {
    (void)state;
    check_reverse(CELL_GRU);
}

/* Forward states left, backward states right; each direction is the layer by itself, and with
 * lengths the backward one begins at the last real step. */
static void test_both_directions_side_by_side(void **state) {
    (void)state;
    enum { T = 5, B = 2, I = 3, H = 4 };
    static const int len[] = {5, 2};
    Params params = params_new();
    BiGru gru = bigru_new(&params, "encoder", I, H, 0.0f);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    Tape tape = tape_new();
    Tensor *x = random_variable(&tape, &rng, "x", SHAPE(T, B, I));
    const Tensor *y = bigru_forward(&tape, &gru, x, len);
    assert_shape(y, T, B, 2 * H);
    const Tensor *right = gru_forward(&tape, &gru.forward, x, NULL, (SequenceOptions){len, false});
    const Tensor *left = gru_forward(&tape, &gru.backward, x, NULL, (SequenceOptions){len, true});
    for (int row = 0; row < T * B; row++) {
        assert_same_bits(y->data + row * 2 * H, right->data + row * H, H);
        assert_same_bits(y->data + row * 2 * H + H, left->data + row * H, H);
    }
    for (int i = 0; i < H; i++) { /* nothing has been seen yet behind the end of the second one */
        assert_true(left->data[(2 * B + 1) * H + i] == 0.0f);
        assert_true(left->data[(1 * B + 1) * H + i] != 0.0f);
    }
    tape_free(&tape);
    params_free(&params);
}

static void test_bad_shapes_stop(void **state) {
    (void)state;
    Tape tape = tape_new();
    Gru gru = gru_by_hand(&tape);
    SequenceOptions all = {0}, long_one = {.len = (const int[]){4, 5}};
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(4, 2, 1));
    Tensor *wide = tape_constant(&tape, "wide", NULL, SHAPE(4, 2, 3));
    Tensor *flat = tape_constant(&tape, "flat", NULL, SHAPE(4, 1));
    Tensor *h0 = tape_constant(&tape, "h0", NULL, SHAPE(3, 1));
    expect_exact_message("linear: wide (4, 2, 3) times w_ih (3, 1) transposed: 3 != 1",
                         gru_forward(&tape, &gru, wide, NULL, all));
    expect_exact_message("gru: linear (4, 3) must be (T, B, 3 H)",
                         gru_forward(&tape, &gru, flat, NULL, all));
    expect_exact_message("gru: the initial state h0 (3, 1) must be (2, 1)",
                         gru_forward(&tape, &gru, x, h0, all));
    expect_exact_message("gru: length 5 of sequence 1 is not in 0..4",
                         gru_forward(&tape, &gru, x, NULL, long_one));
    tape_free(&tape);
}

static void test_weights_that_do_not_go_together_stop(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(4, 2, 1));
    Tensor *long_bias = tape_constant(&tape, "long_bias", NULL, SHAPE(4));
    Tensor *wide = tape_constant(&tape, "wide", NULL, SHAPE(3, 2));
    Tensor *four = tape_constant(&tape, "four", NULL, SHAPE(4, 1));
    Gru gru = gru_by_hand(&tape);
    gru.b_hh = long_bias;
    expect_exact_message("recurrent bias long_bias (4) must be (3)",
                         gru_forward(&tape, &gru, x, NULL, (SequenceOptions){0}));
    gru = gru_by_hand(&tape);
    gru.w_hh = wide;
    expect_exact_message("recurrent weights wide (3, 2) must be (3, 1)",
                         gru_forward(&tape, &gru, x, NULL, (SequenceOptions){0}));
    gru = gru_by_hand(&tape);
    gru.w_ih = four;
    gru.b_ih = long_bias;
    expect_exact_message("gru: linear (4, 2, 4) must be (T, B, 3 H)",
                         gru_forward(&tape, &gru, x, NULL, (SequenceOptions){0}));
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_step_by_hand),
        cmocka_unit_test(test_a_large_keep_bias_keeps_the_state),
        cmocka_unit_test(test_declares_its_weights),
        cmocka_unit_test(test_fault_17_layers_start_different),
        cmocka_unit_test(test_fused_equals_composed),
        cmocka_unit_test(test_fault_19_padding_is_not_seen),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_reverse),
        cmocka_unit_test(test_both_directions_side_by_side),
        cmocka_unit_test(test_bad_shapes_stop),
        cmocka_unit_test(test_weights_that_do_not_go_together_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
