#include "support/gradient_check.h"

#include "nn/feed_forward.h"

static void test_declares_glorot_weights_and_zero_biases(void **state) {
    (void)state;
    Params params = params_new();
    FeedForward layer = feed_forward_new(&params, "ff", 16, 64, ACTIVATION_RELU);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    assert_shape(layer.in.w, 64, 16);
    assert_shape(layer.out.w, 16, 64);
    assert_string_equal(layer.in.w->name, "ff.in.w");
    assert_string_equal(layer.out.bias->name, "ff.out.bias");
    float bound = sqrtf(6.0f / 80.0f), most = 0.0f;
    for (int i = 0; i < 16 * 64; i++) {
        most = fmaxf(most, fmaxf(fabsf(layer.in.w->data[i]), fabsf(layer.out.w->data[i])));
    }
    assert_true(most <= bound && most > 0.98f * bound);
    for (int i = 0; i < 64; i++) {
        assert_true(layer.in.bias->data[i] == 0.0f && layer.out.bias->data[i % 16] == 0.0f);
    }
    params_free(&params);
}

static FeedForward layer_of(Tensor *const *in, Activation activation) {
    return (FeedForward){{in[1], in[2]}, {in[3], in[4]}, activation};
}

/* d_model = 2, d_ff = 3: hidden = max(0, (x0 + x1, x0 - x1, -x0) + (0, 1, 0)). */
static void test_forward_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *in[] = {
        tape_constant(&tape, "x", (const float[]){1, 2, -1, 1}, SHAPE(1, 2, 2)),
        tape_constant(&tape, "w1", (const float[]){1, 1, 1, -1, -1, 0}, SHAPE(3, 2)),
        tape_constant(&tape, "b1", (const float[]){0, 1, 0}, SHAPE(3)),
        tape_constant(&tape, "w2", (const float[]){1, 2, 3, 4, 5, 6}, SHAPE(2, 3)),
        tape_constant(&tape, "b2", (const float[]){10, 20}, SHAPE(2)),
    };
    FeedForward layer = layer_of(in, ACTIVATION_RELU);
    Tensor *y = feed_forward_forward(&tape, &layer, in[0], 0.0f, 0);
    assert_shape(y, 1, 2, 2); /* hidden (3, 0, 0), then (0, 0, 1) */
    assert_data(y, 1e-6, 13, 32, 13, 26);
    tape_free(&tape);
}

static void test_each_activation_by_its_word(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", (const float[]){-1, 0, 1}, SHAPE(3));
    assert_data(activation_forward(&tape, ACTIVATION_RELU, x), 0.0, 0, 0, 1);
    assert_data(activation_forward(&tape, ACTIVATION_GELU, x), 1e-5, -.158655f, 0, .841345f);
    assert_data(activation_forward(&tape, ACTIVATION_SILU, x), 1e-5, -.268941f, 0, .731059f);
    assert_string_equal(activation_names[ACTIVATION_RELU], "relu");
    assert_string_equal(activation_names[ACTIVATION_GELU], "gelu");
    assert_string_equal(activation_names[ACTIVATION_SILU], "silu");
    assert_null(activation_names[ACTIVATION_SILU + 1]);
    tape_free(&tape);
}

/* With a second layer that passes hidden units on, a dropped one is zero and a kept one doubled. */
static void test_dropout_takes_hidden_units(void **state) {
    (void)state;
    enum { D = 64 };
    Tape tape = tape_new();
    Tensor *identity = tape_constant(&tape, "w", NULL, SHAPE(D, D));
    Tensor *zeros = tape_constant(&tape, "bias", NULL, SHAPE(D));
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(1, D));
    for (int i = 0; i < D; i++) {
        identity->data[i * D + i] = x->data[i] = 1.0f;
    }
    FeedForward layer = {{identity, zeros}, {identity, zeros}, ACTIVATION_RELU};
    Tensor *y = feed_forward_forward(&tape, &layer, x, 0.5f, 7);
    int kept = 0;
    for (int i = 0; i < D; i++) {
        assert_true(y->data[i] == 0.0f || y->data[i] == 2.0f);
        kept += y->data[i] > 0.0f;
    }
    assert_in_range(kept, 16, 48);
    tape_free(&tape);
}

static Tensor *ff_graph(Tape *tape, Tensor *const *in, const void *context) {
    FeedForward layer = layer_of(in, *(const Activation *)context);
    return feed_forward_forward(tape, &layer, in[0], 0.0f, 0);
}

static void test_gradients(void **state) {
    (void)state;
    for (Activation a = ACTIVATION_GELU; a <= ACTIVATION_SILU; a++) { /* relu has a corner */
        gradient_check(ff_graph, &a, INPUT("x", 2, 3, 4), INPUT("w1", 5, 4), INPUT("b1", 5),
                       INPUT("w2", 4, 5), INPUT("b2", 4));
    }
}

static void test_a_bad_shape_stops(void **state) {
    (void)state;
    Params params = params_new();
    FeedForward layer = feed_forward_new(&params, "ff", 4, 8, ACTIVATION_RELU);
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(2, 5));
    expect_check_message("x (2, 5) times ff.in.w (8, 4) transposed: 5 != 4",
                         feed_forward_forward(&tape, &layer, x, 0.0f, 0));
    tape_free(&tape);
    params_free(&params);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_declares_glorot_weights_and_zero_biases),
        cmocka_unit_test(test_forward_by_hand),
        cmocka_unit_test(test_each_activation_by_its_word),
        cmocka_unit_test(test_dropout_takes_hidden_units),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_a_bad_shape_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
