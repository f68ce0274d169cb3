#include "support/gradient_check.h"

static void test_softmax_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", (const float[]){0, logf(3.0f), 5, 5}, SHAPE(2, 2));
    Tensor *y = op_softmax(&tape, x);
    assert_data(y, 1e-6, 0.25f, 0.75f, 0.5f, 0.5f);
    y->grad[0] = 1.0f; /* dx_0 = y_0 (1 - y_0), dx_1 = -y_0 y_1 */
    tape_backward_from(&tape, y);
    assert_grad(x, 1e-6, 0.1875f, -0.1875f, 0, 0);
    Tensor *log_y = op_log_softmax(&tape, x);
    assert_data(log_y, 1e-6, logf(0.25f), logf(0.75f), logf(0.5f), logf(0.5f));
    tape_free(&tape);
}

/* The wrong axis would give 1 and 1: one query, and so one number along the other axis. */
static void test_fault_02_softmax_over_the_keys(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *scores = tape_constant(&tape, "scores", (const float[]){1, 2}, SHAPE(1, 1, 2));
    const float *y = op_softmax(&tape, scores)->data;
    assert_close((double)y[0], 0.26894142, 1e-6, 0.0);
    assert_close((double)y[1], 0.73105858, 1e-6, 0.0);
    Mask all = mask_padding(&tape.arena, (const int[]){2}, 1, 2);
    assert_same_bits(op_masked_softmax(&tape, scores, &all)->data, y, 2);
    tape_free(&tape);
}

static void test_softmax_rows_sum_to_one_and_ignore_a_shift(void **state) {
    (void)state;
    Tape tape = tape_new();
    Rng rng = rng_seeded(1, 0);
    for (int D = 1; D <= 70; D++) {
        tape_reset(&tape);
        Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(3, D));
        fill_random(x->data, tensor_size(x), -8.0f, 8.0f, &rng);
        const Tensor *y = op_softmax(&tape, x), *log_y = op_log_softmax(&tape, x);
        const Tensor *shifted = op_softmax(&tape, op_shift(&tape, x, 512.0f));
        for (int r = 0; r < 3; r++) {
            double sum = 0.0, exact = 0.0;
            for (int i = 0; i < D; i++) {
                exact += exp((double)x->data[r * D + i]);
            }
            for (int i = 0; i < D; i++) {
                double p = exp((double)x->data[r * D + i]) / exact;
                assert_close((double)y->data[r * D + i], p, 1e-7, 2e-6);
                assert_close((double)log_y->data[r * D + i], log(p), 2e-6, 1e-6);
                assert_close((double)shifted->data[r * D + i], p, 1e-7, 1e-4);
                sum += (double)y->data[r * D + i];
            }
            assert_close(sum, 1.0, 2e-6, 0.0);
        }
    }
    tape_free(&tape);
}

static void test_softmax_of_extreme_scores(void **state) {
    (void)state;
    Tape tape = tape_new();
    const float values[] = {1e30f, -1e30f, 0, 1e4f, 1e4f, -1e4f, -1e30f, -1e30f, -1e30f};
    Tensor *x = tape_variable(&tape, "x", values, SHAPE(3, 3));
    Tensor *y = op_softmax(&tape, x), *log_y = op_log_softmax(&tape, x);
    assert_data(y, 1e-6, 1, 0, 0, 0.5f, 0.5f, 0, 1 / 3.0f, 1 / 3.0f, 1 / 3.0f);
    assert_int_equal(tensor_find_nonfinite(log_y->data, 9), -1);
    assert_close((double)log_y->data[4], log(0.5), 1e-3, 0.0);
    backward_ones(&tape, op_add(&tape, y, log_y));
    assert_int_equal(tensor_find_nonfinite(x->grad, 9), -1);
    tape_free(&tape);
}

static void test_fault_04_empty_row(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", (const float[]){1, 2, 3, 4, 5, 6}, SHAPE(2, 3));
    Mask mask = mask_padding(&tape.arena, (const int[]){0, 2}, 2, 3);
    Tensor *y = op_masked_softmax(&tape, x, &mask);
    assert_data(y, 1e-6, 0, 0, 0, 0.26894142f, 0.73105858f, 0);
    for (int i = 0; i < 6; i++) {
        y->grad[i] = (float)(i + 1);
    }
    tape_backward_from(&tape, y);
    float g = 0.26894142f * 0.73105858f; /* (4 - 5) y_0 y_1 and the opposite */
    assert_grad(x, 1e-6, 0, 0, 0, -g, g, 0);
    tape_free(&tape);
}

/* With a fill of -1e-9 instead of "not at all" it would be a third each. */
static void test_fault_06_masked_keys_get_nothing(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(1, 3));
    Mask mask = mask_padding(&tape.arena, (const int[]){2}, 1, 3);
    const Tensor *y = op_masked_softmax(&tape, x, &mask);
    assert_data(y, 1e-7, 0.5f, 0.5f, 0);
    assert_true(y->data[2] == 0.0f);
    tape_free(&tape);
}

static void test_fault_07_mask_sense(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(1, 3, 3));
    Mask causal = mask_causal(&tape.arena, 3, 3);
    float third = 1.0f / 3.0f; /* read the other way round: 0 .5 .5, 0 0 1, 0 0 0 */
    assert_data(op_masked_softmax(&tape, x, &causal), 1e-6, 1, 0, 0, 0.5f, 0.5f, 0, third, third,
                third);
    tape_free(&tape);
}

/* What a masked key holds must not matter: not its size, not even that it is no number. */
static void test_masked_scores_do_not_matter(void **state) {
    (void)state;
    Tape tape = tape_new();
    const float clean[] = {1, 2, 0, 0, 0}, wild[] = {1, 2, 1e30f, NAN, INFINITY};
    Mask mask = mask_padding(&tape.arena, (const int[]){2}, 1, 5);
    Tensor *a = tape_constant(&tape, "a", clean, SHAPE(1, 5));
    Tensor *b = tape_constant(&tape, "b", wild, SHAPE(1, 5));
    assert_same_bits(op_masked_softmax(&tape, b, &mask)->data,
                     op_masked_softmax(&tape, a, &mask)->data, 5);
    tape_free(&tape);
}

static void test_fault_09_heads_and_batch_keep_their_lengths(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(2, 2, 2, 3)); /* B H L S */
    Mask mask = mask_padding(&tape.arena, (const int[]){1, 3}, 2, 3);
    const Tensor *y = op_masked_softmax(&tape, x, &mask);
    for (int row = 0; row < 8; row++) { /* both heads and queries of a sequence look the same */
        for (int k = 0; k < 3; k++) {
            double expected = row < 4 ? (k == 0 ? 1.0 : 0.0) : 1.0 / 3.0;
            assert_close((double)y->data[row * 3 + k], expected, 1e-6, 0.0);
        }
    }
    tape_free(&tape);
}

static void test_a_mask_for_each_query_of_each_head(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(2, 2, 2, 2));
    Mask mask = mask_both(&tape.arena, mask_causal(&tape.arena, 2, 2),
                          mask_padding(&tape.arena, (const int[]){2, 0}, 2, 2));
    assert_data(op_masked_softmax(&tape, x, &mask), 1e-6, 1, 0, 0.5f, 0.5f, 1, 0, 0.5f, 0.5f, 0, 0,
                0, 0, 0, 0, 0, 0);
    tape_free(&tape);
}

static void test_without_mask_it_is_the_softmax(void **state) {
    (void)state;
    Tape tape = tape_new();
    Rng rng = rng_seeded(2, 0);
    Tensor *x = random_constant(&tape, &rng, "x", SHAPE(5, 37));
    Mask all = mask_padding(&tape.arena, (const int[]){37, 37, 37, 37, 37}, 5, 37);
    const Tensor *y = op_softmax(&tape, x);
    assert_same_bits(op_masked_softmax(&tape, x, NULL)->data, y->data, 5 * 37);
    assert_all_close(op_masked_softmax(&tape, x, &all)->data, y->data, 5 * 37, 1e-7, 1e-6);
    tape_free(&tape);
}

/* 1 0 0 0: mean 1/4, variance 3/16, so the first is (3/4) / sqrt(3/16) = sqrt 3. Divided by n - 1
 * it would be 1.5. */
static void test_fault_16_layernorm_divides_by_n(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", (const float[]){1, 0, 0, 0, 7, 7, 7, 7}, SHAPE(2, 4));
    Tensor *gain = tape_variable(&tape, "gain", (const float[]){1, 1, 1, 2}, SHAPE(4));
    Tensor *bias = tape_variable(&tape, "bias", (const float[]){0, 0, 0.5f, 0}, SHAPE(4));
    Tensor *y = op_layernorm(&tape, x, gain, bias, 1e-5f);
    float third = -0.57735027f;
    assert_data(y, 1e-4, 1.7320508f, third, third + 0.5f, 2 * third, 0, 0, 0.5f, 0);
    backward_ones(&tape, y); /* a constant row gives the bias, and no nan on the way back */
    assert_int_equal(tensor_find_nonfinite(x->grad, 8), -1);
    assert_grad(bias, 0.0, 2, 2, 2, 2);
    assert_grad(gain, 1e-4, 1.7320508f, third, third, third);
    tape_free(&tape);
}

static void test_layernorm_far_from_zero(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", (const float[]){10001, 10000, 10000, 10000}, SHAPE(1, 4));
    Tensor *gain = tape_constant(&tape, "gain", (const float[]){1, 1, 1, 1}, SHAPE(4));
    Tensor *bias = tape_constant(&tape, "bias", NULL, SHAPE(4));
    /* E[x^2] - E[x]^2 in float32 would be noise here */
    assert_data(op_layernorm(&tape, x, gain, bias, 1e-5f), 1e-3, 1.7320508f, -0.57735027f,
                -0.57735027f, -0.57735027f);
    tape_free(&tape);
}

static Tensor *softmax(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return op_softmax(tape, in[0]);
}

static Tensor *log_softmax(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return op_log_softmax(tape, in[0]);
}

static Tensor *masked_softmax(Tape *tape, Tensor *const *in, const void *context) {
    return op_masked_softmax(tape, in[0], context);
}

static Tensor *layernorm(Tape *tape, Tensor *const *in, const void *context) {
    const float *eps = context;
    return op_layernorm(tape, in[0], in[1], in[2], *eps);
}

static void test_gradients_softmax(void **state) {
    (void)state;
    static const int sizes[] = {1, 2, 3, 7, 16, 17, 33};
    for (int s = 0; s < 7; s++) {
        gradient_check(softmax, NULL, INPUT("x", 3, sizes[s]));
        gradient_check(log_softmax, NULL, INPUT("x", 3, sizes[s]));
    }
    gradient_check(softmax, NULL, INPUT("x", 5));
    gradient_check(log_softmax, NULL, INPUT("x", 2, 1, 3, 5));
}

static void test_gradients_masked_softmax(void **state) {
    (void)state;
    Arena arena = arena_new();
    Mask padding = mask_padding(&arena, (const int[]){3, 0, 1}, 3, 7);
    Mask causal = mask_causal(&arena, 5, 3);
    Mask both = mask_both(&arena, mask_padding(&arena, (const int[]){17, 2}, 2, 17),
                          mask_causal(&arena, 4, 17));
    gradient_check(masked_softmax, &padding, INPUT("x", 3, 7));
    gradient_check(masked_softmax, &padding, INPUT("x", 3, 2, 7));
    gradient_check(masked_softmax, &causal, INPUT("x", 2, 5, 3));
    gradient_check(masked_softmax, &both, INPUT("x", 2, 3, 4, 17));
    arena_free(&arena);
}

static void test_gradients_layernorm(void **state) {
    (void)state;
    static const int sizes[] = {1, 3, 7, 16, 17, 33};
    const float eps = 0.05f; /* so that short rows are not steeper than the check can follow */
    for (int s = 0; s < 6; s++) {
        gradient_check(layernorm, &eps, INPUT("x", 3, sizes[s]), INPUT("gain", sizes[s]),
                       INPUT("bias", sizes[s]));
    }
    gradient_check(layernorm, &eps, INPUT("x", 2, 1, 3, 5), INPUT("gain", 5), INPUT("bias", 5));
}

static void test_bad_shapes_stop(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(2, 3)), *v = op_index(&tape, x, 0);
    Tensor *w = tape_constant(&tape, "w", NULL, SHAPE(4));
    Tensor *x4 = tape_constant(&tape, "x4", NULL, SHAPE(2, 2, 5, 3));
    Mask keys = mask_padding(&tape.arena, (const int[]){1, 1}, 2, 4);
    Mask batch = mask_padding(&tape.arena, (const int[]){1, 1, 1}, 3, 3);
    Mask queries = mask_causal(&tape.arena, 4, 3);
    const char *rule = "needed is (batch, queries, keys), where the first two may be 1";
    char text[256];
    snprintf(text, sizeof text, "masked_softmax: x (2, 3) with a mask (2, 1, 4): %s", rule);
    expect_exact_message(text, op_masked_softmax(&tape, x, &keys));
    snprintf(text, sizeof text, "masked_softmax: x (2, 3) with a mask (3, 1, 3): %s", rule);
    expect_exact_message(text, op_masked_softmax(&tape, x, &batch));
    snprintf(text, sizeof text, "masked_softmax: x4 (2, 2, 5, 3) with a mask (1, 4, 3): %s", rule);
    expect_exact_message(text, op_masked_softmax(&tape, x4, &queries));
    snprintf(text, sizeof text, "masked_softmax: x (3) with a mask (3, 1, 3): %s", rule);
    expect_exact_message(text, op_masked_softmax(&tape, v, &batch));
    expect_exact_message(
        "layernorm: x (2, 3) with gain w (4) and bias w (4): one number per column "
        "is needed",
        op_layernorm(&tape, x, w, w, 1e-5f));
    expect_exact_message(
        "layernorm: x (2, 3) with gain x (3) and bias w (4): one number per column "
        "is needed",
        op_layernorm(&tape, x, v, w, 1e-5f));
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_softmax_by_hand),
        cmocka_unit_test(test_fault_02_softmax_over_the_keys),
        cmocka_unit_test(test_softmax_rows_sum_to_one_and_ignore_a_shift),
        cmocka_unit_test(test_softmax_of_extreme_scores),
        cmocka_unit_test(test_fault_04_empty_row),
        cmocka_unit_test(test_fault_06_masked_keys_get_nothing),
        cmocka_unit_test(test_fault_07_mask_sense),
        cmocka_unit_test(test_masked_scores_do_not_matter),
        cmocka_unit_test(test_fault_09_heads_and_batch_keep_their_lengths),
        cmocka_unit_test(test_a_mask_for_each_query_of_each_head),
        cmocka_unit_test(test_without_mask_it_is_the_softmax),
        cmocka_unit_test(test_fault_16_layernorm_divides_by_n),
        cmocka_unit_test(test_layernorm_far_from_zero),
        cmocka_unit_test(test_gradients_softmax),
        cmocka_unit_test(test_gradients_masked_softmax),
        cmocka_unit_test(test_gradients_layernorm),
        cmocka_unit_test(test_bad_shapes_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
