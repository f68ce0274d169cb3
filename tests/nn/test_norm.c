#include "support/gradient_check.h"

#include "nn/norm.h"

static LayerNorm norm_on(Params *params, int D) {
    LayerNorm norm = layernorm_new(params, "norm", D);
    Rng rng = rng_seeded(1, 0);
    params_allocate(params, &rng);
    return norm;
}

static void test_begins_as_the_identity_after_normalising(void **state) {
    (void)state;
    Params params = params_new();
    LayerNorm norm = norm_on(&params, 5);
    assert_int_equal(params.count, 2);
    assert_string_equal(norm.gain->name, "norm.gain");
    assert_string_equal(norm.bias->name, "norm.bias");
    assert_data(norm.gain, 0.0, 1, 1, 1, 1, 1);
    assert_data(norm.bias, 0.0, 0, 0, 0, 0, 0);
    assert_close(norm.eps, 1e-5, 1e-12, 0.0);
    params_free(&params);
}

/* Fault 16: the variance is divided by n, not n - 1; a constant row is no division by zero. */
static void test_divides_by_n(void **state) {
    (void)state;
    Params params = params_new();
    LayerNorm norm = norm_on(&params, 4);
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", (const float[]){1, 0, 0, 0, 7, 7, 7, 7}, SHAPE(2, 1, 4));
    Tensor *y = layernorm_forward(&tape, &norm, x);
    assert_shape(y, 2, 1, 4);
    assert_data(y, 2e-4, 1.732, -.5773f, -.5773f, -.5773f, 0, 0, 0, 0);
    memcpy(norm.gain->data, (const float[]){2, 1, 0, -1}, 4 * sizeof(float));
    memcpy(norm.bias->data, (const float[]){0, 3, 5, 0}, 4 * sizeof(float));
    y = layernorm_forward(&tape, &norm, x);
    assert_data(y, 4e-4, 3.4641f, 2.4226f, 5, .5773f, 0, 3, 5, 0);
    tape_free(&tape);
    params_free(&params);
}

static Tensor *norm_graph(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return layernorm_forward(tape, &(LayerNorm){in[1], in[2], 1e-5f}, in[0]);
}

static void test_gradients(void **state) {
    (void)state;
    gradient_check(norm_graph, NULL, INPUT("x", 2, 3, 6), INPUT("gain", 6), INPUT("bias", 6));
}

static void test_a_bad_shape_stops(void **state) {
    (void)state;
    Params params = params_new();
    LayerNorm norm = norm_on(&params, 4);
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(2, 3));
    expect_check_message("layernorm: x (2, 3) with gain norm.gain (4)",
                         layernorm_forward(&tape, &norm, x));
    tape_free(&tape);
    params_free(&params);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begins_as_the_identity_after_normalising),
        cmocka_unit_test(test_divides_by_n),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_a_bad_shape_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
