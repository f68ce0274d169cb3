#include "support/tensors.h"

#include "nn/linear.h"

static void test_declares_matrix_and_bias(void **state) {
    (void)state;
    Params params = params_new();
    Linear layer = linear_new(&params, "out", 64, 50, true);
    Linear bare = linear_new(&params, "bare", 64, 50, false);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    assert_shape(layer.w, 50, 64);
    assert_shape(layer.bias, 50);
    assert_string_equal(layer.w->name, "out.w");
    assert_string_equal(layer.bias->name, "out.bias");
    assert_null(bare.bias);
    assert_int_equal(params.count, 3);
    float most = 0.0f, most_bias = 0.0f;
    for (int i = 0; i < 50 * 64; i++) {
        most = fmaxf(most, fabsf(layer.w->data[i]));
        most_bias = fmaxf(most_bias, fabsf(layer.bias->data[i % 50]));
        assert_true(layer.w->data[i] != bare.w->data[i]); /* fault 17 */
    }
    assert_true(most <= 0.125f && most > 0.124f); /* U(-1/sqrt(in), 1/sqrt(in)) */
    assert_true(most_bias <= 0.125f && most_bias > 0.1f);
    params_free(&params);
}

static void test_filled_as_wanted(void **state) {
    (void)state;
    Params params = params_new();
    Linear layer = linear_new_from(&params, "out", 3, 2, init_constant(4.0f), init_constant(-1.0f));
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    assert_shape(layer.w, 2, 3);
    assert_data(layer.w, 0.0, 4, 4, 4, 4, 4, 4);
    assert_data(layer.bias, 0.0, -1, -1);
    assert_string_equal(layer.w->name, "out.w");
    assert_string_equal(layer.bias->name, "out.bias");
    params_free(&params);
}

static void test_forward_and_backward_by_hand(void **state) {
    (void)state;
    Params params = params_new();
    Linear layer = linear_new(&params, NULL, 2, 3, true);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    memcpy(layer.w->data, (const float[]){1, 2, 3, 4, 5, 6}, 6 * sizeof(float));
    memcpy(layer.bias->data, (const float[]){10, 20, 30}, 3 * sizeof(float));
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", (const float[]){1, -1, 0, 2}, SHAPE(2, 1, 2));
    Tensor *y = linear_forward(&tape, &layer, x);
    assert_shape(y, 2, 1, 3);
    assert_data(y, 1e-6, 9, 19, 29, 14, 28, 42);
    backward_ones(&tape, y);
    assert_grad(x, 1e-6, 9, 12, 9, 12);
    assert_grad(layer.w, 1e-6, 1, 1, 1, 1, 1, 1);
    assert_grad(layer.bias, 1e-6, 2, 2, 2);
    tape_free(&tape);
    params_free(&params);
}

static void test_a_bad_shape_stops(void **state) {
    (void)state;
    Params params = params_new();
    Linear layer = linear_new(&params, "out", 2, 3, true);
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(4, 5));
    expect_exact_message("linear: x (4, 5) times out.w (3, 2) transposed: 5 != 2",
                         linear_forward(&tape, &layer, x));
    tape_free(&tape);
    params_free(&params);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_declares_matrix_and_bias),
        cmocka_unit_test(test_filled_as_wanted),
        cmocka_unit_test(test_forward_and_backward_by_hand),
        cmocka_unit_test(test_a_bad_shape_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
