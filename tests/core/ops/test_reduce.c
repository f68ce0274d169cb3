#include "support/gradient_check.h"

static void test_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", (const float[]){1, 2, 3, 4, 5, 9}, SHAPE(2, 3));
    Tensor *sum = op_sum(&tape, x), *mean = op_mean(&tape, x), *rows = op_sum_last(&tape, x);
    assert_shape(sum, 1);
    assert_shape(mean, 1);
    assert_shape(rows, 2);
    assert_data(sum, 0.0, 24);
    assert_data(mean, 1e-6, 4);
    assert_data(rows, 0.0, 6, 18);
    tape_free(&tape);
}

static void test_sum_last_drops_the_last_dimension(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", (const float[]){1, 2, 3}, SHAPE(3));
    assert_shape(op_sum_last(&tape, x), 1);
    assert_data(op_sum_last(&tape, x), 0.0, 6);
    assert_shape(op_sum_last(&tape, op_reshape(&tape, x, SHAPE(1, 1, 3, 1))), 1, 1, 3);
    assert_data(op_sum_last(&tape, op_reshape(&tape, x, SHAPE(3, 1))), 0.0, 1, 2, 3);
    tape_free(&tape);
}

static void test_gradients_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", (const float[]){1, 2, 3, 4}, SHAPE(2, 2));
    tape_backward(&tape, op_sum(&tape, x));
    assert_grad(x, 0.0, 1, 1, 1, 1);
    tape_reset(&tape);
    x = tape_variable(&tape, "x", (const float[]){1, 2, 3, 4}, SHAPE(2, 2));
    tape_backward(&tape, op_mean(&tape, x));
    assert_grad(x, 0.0, 0.25f, 0.25f, 0.25f, 0.25f);
    tape_reset(&tape);
    x = tape_variable(&tape, "x", (const float[]){1, 2, 3, 4}, SHAPE(2, 2));
    Tensor *rows = op_sum_last(&tape, x);
    rows->grad[0] = 3.0f;
    rows->grad[1] = -1.0f;
    tape_backward_from(&tape, rows);
    assert_grad(x, 0.0, 3, 3, -1, -1);
    tape_free(&tape);
}

static Tensor *reduce_sum(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return op_sum(tape, in[0]);
}

static Tensor *reduce_mean(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return op_mean(tape, op_mul(tape, in[0], in[0]));
}

static Tensor *reduce_last(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return op_sum_last(tape, in[0]);
}

static void test_gradients(void **state) {
    (void)state;
    static const int sizes[] = {1, 3, 7, 17, 33};
    for (int s = 0; s < 5; s++) {
        gradient_check(reduce_sum, NULL, INPUT("x", 5, sizes[s]));
        gradient_check(reduce_mean, NULL, INPUT("x", 5, sizes[s]));
        gradient_check(reduce_last, NULL, INPUT("x", sizes[s]));
        gradient_check(reduce_last, NULL, INPUT("x", 2, 3, 1, sizes[s]));
    }
}

static void test_long_sums_stay_accurate(void **state) {
    (void)state;
    enum { N = 2000003 };
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(N));
    for (int i = 0; i < N; i++) {
        x->data[i] = 0.1f; /* added up one by one in float32 this would be 1.5 % off */
    }
    assert_close((double)op_sum(&tape, x)->data[0], N * (double)0.1f, 0.0, 1e-5);
    assert_close((double)op_mean(&tape, x)->data[0], 0.1, 0.0, 1e-5);
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_sum_last_drops_the_last_dimension),
        cmocka_unit_test(test_gradients_by_hand),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_long_sums_stay_accurate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
