#include "support/gradient_check.h"

#include "core/kernels/dropout.h"
#include "core/kernels/parallel.h"

static void test_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *a = tape_variable(&tape, "a", (const float[]){1, 2, 3, 4, 5, 6}, SHAPE(2, 3));
    Tensor *b = tape_variable(&tape, "b", (const float[]){6, 5, 4, 3, 2, 1}, SHAPE(2, 3));
    assert_data(op_add(&tape, a, b), 0.0, 7, 7, 7, 7, 7, 7);
    assert_data(op_sub(&tape, a, b), 0.0, -5, -3, -1, 1, 3, 5);
    assert_data(op_mul(&tape, a, b), 0.0, 6, 10, 12, 12, 10, 6);
    assert_data(op_scale(&tape, a, -0.5f), 0.0, -0.5f, -1, -1.5f, -2, -2.5f, -3);
    assert_data(op_shift(&tape, a, 10.0f), 0.0, 11, 12, 13, 14, 15, 16);
    tape_free(&tape);
}

static void test_gradients_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *a = tape_variable(&tape, "a", (const float[]){2, 3}, SHAPE(2));
    Tensor *b = tape_variable(&tape, "b", (const float[]){5, 7}, SHAPE(2));
    backward_ones(&tape, op_sub(&tape, op_mul(&tape, a, b), op_scale(&tape, b, 10.0f)));
    assert_grad(a, 0.0, 5, 7);   /* b */
    assert_grad(b, 0.0, -8, -7); /* a - 10 */
    tape_free(&tape);
}

static void test_a_bias_is_repeated_over_the_leading_dimensions(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *a = tape_variable(&tape, "a", NULL, SHAPE(2, 2, 3));
    Tensor *bias = tape_variable(&tape, "bias", (const float[]){1, 2, 3}, SHAPE(3));
    Tensor *rows = tape_variable(&tape, "rows", (const float[]){1, 2, 3, 4, 5, 6}, SHAPE(2, 3));
    Tensor *y = op_add(&tape, a, bias);
    assert_shape(y, 2, 2, 3);
    assert_data(y, 0.0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3);
    backward_ones(&tape, y);
    assert_grad(bias, 0.0, 4, 4, 4);
    y = op_sub(&tape, a, rows);
    assert_data(y, 0.0, -1, -2, -3, -4, -5, -6, -1, -2, -3, -4, -5, -6);
    tape_free(&tape);
}

static void test_add_middle_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *a = tape_variable(&tape, "a", (const float[]){1, 2, 3, 4, 5, 6, 7, 8}, SHAPE(2, 2, 2));
    Tensor *b = tape_variable(&tape, "b", (const float[]){10, 20, 30, 40}, SHAPE(2, 2));
    Tensor *y = op_add_middle(&tape, a, b);
    assert_data(y, 0.0, 11, 22, 13, 24, 35, 46, 37, 48);
    for (int i = 0; i < 8; i++) {
        y->grad[i] = (float)i;
    }
    tape_backward_from(&tape, y);
    assert_grad(b, 0.0, 0 + 2, 1 + 3, 4 + 6, 5 + 7);
    tape_free(&tape);
}

static Tensor *add(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return op_add(tape, in[0], in[1]);
}

static Tensor *sub(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return op_sub(tape, in[0], in[1]);
}

static Tensor *mul(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return op_mul(tape, in[0], in[1]);
}

static Tensor *add_middle(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return op_add_middle(tape, in[0], in[1]);
}

static void test_gradients_same_shape(void **state) {
    (void)state;
    static const int sizes[] = {1, 3, 7, 17, 33};
    for (int s = 0; s < 5; s++) {
        gradient_check(add, NULL, INPUT("a", 3, sizes[s]), INPUT("b", 3, sizes[s]));
        gradient_check(sub, NULL, INPUT("a", 3, sizes[s]), INPUT("b", 3, sizes[s]));
        gradient_check(mul, NULL, INPUT("a", 3, sizes[s]), INPUT("b", 3, sizes[s]));
    }
}

static void test_gradients_repeated(void **state) {
    (void)state;
    static const int sizes[] = {1, 3, 7, 17, 33};
    for (int s = 0; s < 5; s++) {
        int D = sizes[s];
        gradient_check(add, NULL, INPUT("a", 5, D), INPUT("b", D));
        gradient_check(sub, NULL, INPUT("a", 5, D), INPUT("b", D));
        gradient_check(mul, NULL, INPUT("a", 5, D), INPUT("b", D));
        gradient_check(add, NULL, INPUT("a", 2, 3, D), INPUT("b", 3, D));
        gradient_check(sub, NULL, INPUT("a", 2, 3, 1, D), INPUT("b", 3, 1, D));
        gradient_check(mul, NULL, INPUT("a", 2, 1, 3, D), INPUT("b", 3, D));
        gradient_check(add_middle, NULL, INPUT("a", 3, 5, D), INPUT("b", 3, D));
    }
}

static Tensor *scale_and_shift(Tape *tape, Tensor *const *in, const void *context) {
    const float *numbers = context;
    return op_shift(tape, op_scale(tape, in[0], numbers[0]), numbers[1]);
}

static void test_gradients_scale_and_shift(void **state) {
    (void)state;
    gradient_check(scale_and_shift, ((const float[]){-1.7f, 2.5f}), INPUT("x", 7, 5));
    gradient_check(scale_and_shift, ((const float[]){0.0f, 2.5f}), INPUT("x", 3));
}

static void test_one_tensor_in_both_places(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", (const float[]){3, -2}, SHAPE(2));
    backward_ones(&tape, op_mul(&tape, x, x));
    assert_grad(x, 0.0, 6, -4);
    backward_ones(&tape, op_sub(&tape, x, x)); /* walks the square once more, too */
    assert_grad(x, 0.0, 12, -8);
    tape_free(&tape);
}

static Tensor *dropout(Tape *tape, Tensor *const *in, const void *context) {
    const float *p = context;
    return op_dropout(tape, in[0], *p, 99);
}

static void test_dropout_keeps_the_expectation(void **state) {
    (void)state;
    enum { N = 40000 };
    static const float p[] = {0.1f, 0.5f, 0.9f};
    Tape tape = tape_new();
    for (int i = 0; i < 3; i++) {
        tape_reset(&tape);
        Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(N));
        for (int j = 0; j < N; j++) {
            x->data[j] = 1.0f;
        }
        Tensor *y = op_dropout(&tape, x, p[i], 5);
        int kept = 0;
        for (int j = 0; j < N; j++) {
            kept += y->data[j] != 0.0f;
            assert_true(y->data[j] == 0.0f || y->data[j] == 1.0f / (1.0f - p[i]));
        }
        double q = 1.0 - (double)p[i];
        assert_close(kept, N * q, 5.0 * sqrt(N * q * (1.0 - q)), 0.0);
    }
    tape_free(&tape);
}

static void test_dropout_depends_on_key_and_place_alone(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(8, 50));
    for (int i = 0; i < 400; i++) {
        x->data[i] = (float)(i + 1);
    }
    Tensor *y = op_dropout(&tape, x, 0.5f, 7), *again = op_dropout(&tape, x, 0.5f, 7);
    Tensor *other = op_dropout(&tape, x, 0.5f, 8);
    assert_same_bits(again->data, y->data, 400);
    Tensor *part = op_dropout(&tape, op_slice(&tape, x, 0, 3), 0.5f, 7);
    assert_same_bits(part->data, y->data, 150);
    int differ = 0;
    for (int i = 0; i < 400; i++) {
        differ += (y->data[i] == 0.0f) != (other->data[i] == 0.0f);
    }
    assert_close(differ, 200, 50, 0.0);
    tape_free(&tape);
}

static void test_dropout_of_nothing_is_the_tensor_itself(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(3));
    assert_ptr_equal(op_dropout(&tape, x, 0.0f, 1), x);
    tape_free(&tape);
}

static void test_dropout_drops_the_same_on_the_way_back(void **state) {
    (void)state;
    gradient_check(dropout, (&(const float){0.4f}), INPUT("x", 7, 5));
    gradient_check(dropout, (&(const float){0.9f}), INPUT("x", 23));
}

/* A long tensor is dropped chunk by chunk, each element by its own place in the whole; on the way
 * back the gradient is added to what is there. */
static void test_dropout_of_a_long_tensor(void **state) {
    (void)state;
    enum { N = PARALLEL_LEAST + PARALLEL_CHUNK + 3 };
    static float factor[N];
    dropout_factors((Dropout){0.5f, 7}, 0, N, factor);
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(N));
    for (int i = 0; i < N; i++) {
        x->data[i] = (float)(i % 100 + 1);
        x->grad[i] = 5.0f;
    }
    Tensor *y = op_dropout(&tape, x, 0.5f, 7);
    tape_backward(&tape, op_sum(&tape, y));
    for (int i = 0; i < N; i++) {
        assert_true(y->data[i] == x->data[i] * factor[i]);
        assert_true(x->grad[i] == 5.0f + factor[i]);
    }
    tape_free(&tape);
}

static void test_bad_shapes_stop(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *a = tape_constant(&tape, "a", NULL, SHAPE(2, 3));
    Tensor *b = tape_constant(&tape, "b", NULL, SHAPE(3, 2));
    Tensor *c = tape_constant(&tape, "c", NULL, SHAPE(2));
    Tensor *d = tape_constant(&tape, "d", NULL, SHAPE(1, 2, 3));
    const char *rule = "the second must have the shape of the first or of its last dimensions";
    char text[256];
    snprintf(text, sizeof text, "add: a (2, 3) and b (3, 2): %s", rule);
    expect_exact_message(text, op_add(&tape, a, b));
    snprintf(text, sizeof text, "sub: a (2, 3) and c (2): %s", rule);
    expect_exact_message(text, op_sub(&tape, a, c));
    snprintf(text, sizeof text, "mul: a (2, 3) and d (1, 2, 3): %s", rule);
    expect_exact_message(text, op_mul(&tape, a, d));
    expect_exact_message("add_middle: a (2, 3) and c (2): needed are (B, S, D) and (B, D)",
                         op_add_middle(&tape, a, c));
    expect_exact_message("add_middle: d (1, 2, 3) and a (2, 3): needed are (B, S, D) and (B, D)",
                         op_add_middle(&tape, d, a));
    expect_exact_message("dropout: the probability 1 is not in [0, 1)",
                         op_dropout(&tape, a, 1.0f, 0));
    expect_exact_message("dropout: the probability -0.5 is not in [0, 1)",
                         op_dropout(&tape, a, -0.5f, 0));
    expect_exact_message("dropout: the probability nan is not in [0, 1)",
                         op_dropout(&tape, a, NAN, 0));
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_gradients_by_hand),
        cmocka_unit_test(test_a_bias_is_repeated_over_the_leading_dimensions),
        cmocka_unit_test(test_add_middle_by_hand),
        cmocka_unit_test(test_gradients_same_shape),
        cmocka_unit_test(test_gradients_repeated),
        cmocka_unit_test(test_gradients_scale_and_shift),
        cmocka_unit_test(test_one_tensor_in_both_places),
        cmocka_unit_test(test_dropout_keeps_the_expectation),
        cmocka_unit_test(test_dropout_depends_on_key_and_place_alone),
        cmocka_unit_test(test_dropout_of_nothing_is_the_tensor_itself),
        cmocka_unit_test(test_dropout_drops_the_same_on_the_way_back),
        cmocka_unit_test(test_dropout_of_a_long_tensor),
        cmocka_unit_test(test_bad_shapes_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
