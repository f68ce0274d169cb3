#include "support/tensors.h"

#include <stdlib.h>
#include <sys/resource.h>

static void test_constants_copy_values_and_have_no_gradient(void **state) {
    (void)state;
    Tape tape = tape_new();
    float values[] = {1, 2, 3, 4, 5, 6};
    Tensor *x = tape_constant(&tape, "x", values, SHAPE(2, 3));
    values[0] = 99;
    assert_shape(x, 2, 3);
    assert_data(x, 0.0, 1, 2, 3, 4, 5, 6);
    assert_null(x->grad);
    assert_string_equal(x->name, "x");
    assert_data(tape_constant(&tape, "zeros", NULL, SHAPE(3)), 0.0, 0, 0, 0);
    tape_free(&tape);
}

static void test_variables_begin_with_a_gradient_of_zeros(void **state) {
    (void)state;
    Tape tape = tape_new();
    for (int round = 0; round < 2; round++) { /* the second time in memory that was used */
        Tensor *x = tape_variable(&tape, "x", (const float[]){1, 2}, SHAPE(2));
        assert_data(x, 0.0, 1, 2);
        assert_grad(x, 0.0, 0, 0);
        x->grad[0] = x->grad[1] = 5.0f;
        tape_reset(&tape);
    }
    tape_free(&tape);
}

static void test_bad_shapes_stop(void **state) {
    (void)state;
    Tape tape = tape_new();
    expect_exact_message("x: dimension 1 of the shape is 0; the least is 1",
                         tape_constant(&tape, "x", NULL, SHAPE(2, 0)));
    expect_exact_message("x: a tensor has 1 to 4 dimensions, not 5",
                         tape_variable(&tape, "x", NULL, SHAPE(1, 1, 1, 1, 1)));
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(2, 3));
    expect_exact_message("view: elements 2 to 8 of x (2, 3) do not exist",
                         tape_view(&tape, x, 2, SHAPE(6)));
    tape_free(&tape);
}

/* y = x x + 3 x with x used three times: dy/dx = 2 x + 3. */
static void test_gradients_of_a_tensor_used_more_than_once_add_up(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", (const float[]){2, -1}, SHAPE(2));
    Tensor *y = op_add(&tape, op_mul(&tape, x, x), op_scale(&tape, x, 3.0f));
    assert_data(y, 1e-6, 10, -2);
    backward_ones(&tape, y);
    assert_grad(x, 1e-6, 7, 1);
    tape_free(&tape);
}

static void test_gradients_of_inputs_add_up_over_backward_passes(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor w = {.ndim = 1, .dim = {2, 1, 1, 1}, .name = "w"}; /* like a parameter: off the tape */
    float data[] = {1, 2}, grad[] = {0, 0};
    w.data = data;
    w.grad = grad;
    for (int step = 1; step <= 3; step++) {
        tape_reset(&tape);
        tape_backward(&tape, op_sum(&tape, op_mul(&tape, &w, &w)));
        assert_grad(&w, 1e-6, 2.0f * (float)step, 4.0f * (float)step);
    }
    tape_free(&tape);
}

static void test_nothing_flows_into_constants(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", (const float[]){2, 3}, SHAPE(2));
    Tensor *c = tape_constant(&tape, "c", (const float[]){5, 7}, SHAPE(2));
    Tensor *of_constants = op_mul(&tape, c, c);
    assert_null(of_constants->grad);
    assert_int_equal(tape.node_count, 0); /* nothing to do on the way back: not recorded */
    Tensor *y = op_mul(&tape, x, of_constants);
    assert_int_equal(tape.node_count, 1);
    backward_ones(&tape, y);
    assert_grad(x, 1e-5, 25, 49);
    tape_free(&tape);
}

static void test_without_recording_no_gradient_and_no_node_is_made(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", (const float[]){2, 3}, SHAPE(2));
    Tensor *recorded = op_tanh(&tape, x);
    assert_non_null(recorded->grad);
    size_t with = tape.arena.used;
    recorded = op_tanh(&tape, x);
    with = tape.arena.used - with;
    tape.recording = false;
    size_t without = tape.arena.used;
    Tensor *y = op_tanh(&tape, x);
    without = tape.arena.used - without;
    assert_null(y->grad);
    assert_null(op_add(&tape, y, x)->grad);
    assert_int_equal(tape.node_count, 2);
    assert_true(without < with);
    assert_same_bits(y->data, recorded->data, 2);
    tape_free(&tape);
}

static void test_backward_refuses_what_it_cannot_do(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(2));
    Tensor *c = tape_constant(&tape, "c", NULL, SHAPE(1));
    expect_exact_message("tape_backward: the loss must be one number, not x (2)",
                         tape_backward(&tape, x));
    expect_exact_message("tape_backward: c (1) has no gradient: nothing it was made from has one",
                         tape_backward(&tape, c));
    expect_exact_message("tape_backward: c (1) has no gradient: nothing it was made from has one",
                         tape_backward_from(&tape, c));
    tape_free(&tape);
}

/* A walk back that called itself for each node would need megabytes of stack; it gets one. */
static void test_a_graph_may_be_100000_nodes_deep(void **state) {
    (void)state;
    enum { DEPTH = 100000 };
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_STACK, &before), 0);
    small = before;
    small.rlim_cur = 1 << 20;
    assert_int_equal(setrlimit(RLIMIT_STACK, &small), 0);
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", (const float[]){3}, SHAPE(1)), *y = x;
    for (int i = 0; i < DEPTH; i++) {
        y = op_shift(&tape, y, 1.0f);
    }
    y = op_scale(&tape, y, 2.0f);
    assert_data(y, 0.0, 2.0f * (DEPTH + 3));
    assert_int_equal(tape.node_count, DEPTH + 1);
    tape_backward(&tape, y);
    assert_grad(x, 0.0, 2);
    tape_free(&tape);
    assert_int_equal(setrlimit(RLIMIT_STACK, &before), 0);
}

static void test_check_finite_names_the_first_operation(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", (const float[]){1, 1e30f, 3}, SHAPE(3));
    Tensor *wild = op_mul(&tape, x, x);
    assert_true(isinf(wild->data[1])); /* unasked, nothing is said */
    tape.check_finite = true;
    expect_exact_message("mul: the result mul (3): element 1 is inf, the first that is not finite",
                         op_tanh(&tape, op_mul(&tape, op_scale(&tape, x, 2.0f), x)));
    tape_free(&tape);
}

static void test_check_finite_names_the_operation_on_the_way_back(void **state) {
    (void)state;
    Tape tape = tape_new();
    tape.check_finite = true;
    Tensor *x = tape_variable(&tape, "x", (const float[]){1, 2}, SHAPE(2));
    Tensor *y = op_scale(&tape, op_tanh(&tape, x), 1e30f);
    y->grad[0] = 1.0f;
    y->grad[1] = 1e30f; /* times 1e30 is too much */
    expect_exact_message(
        "scale: the gradient of tanh (2): element 1 is inf, the first that is not finite",
        tape_backward_from(&tape, y));
    tape_free(&tape);
}

static void test_views_share_data_and_gradient(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", (const float[]){1, 2, 3, 4, 5, 6}, SHAPE(2, 3));
    Tensor *view = tape_view(&tape, x, 3, SHAPE(3));
    assert_ptr_equal(view->data, x->data + 3);
    assert_ptr_equal(view->grad, x->grad + 3);
    assert_string_equal(view->name, "x");
    view->data[0] = 40.0f;
    assert_true(x->data[3] == 40.0f);
    Tensor *y = op_add(&tape, op_mul(&tape, view, view), op_index(&tape, x, 0));
    backward_ones(&tape, y);
    assert_grad(x, 1e-4, 1, 1, 1, 80, 10, 12);
    assert_null(tape_view(&tape, tape_constant(&tape, "c", NULL, SHAPE(2)), 0, SHAPE(2))->grad);
    tape_free(&tape);
}

/* A small step of training; returns the last tensor it made. */
static Tensor *some_step(Tape *tape) {
    Rng rng = rng_seeded(1, 0);
    Tensor *x = random_variable(tape, &rng, "x", SHAPE(64, 200));
    Tensor *y = x;
    for (int i = 0; i < 30; i++) { /* more than the first block holds */
        y = op_add(tape, op_tanh(tape, y), x);
    }
    Tensor *loss = op_mean(tape, y);
    tape_backward(tape, loss);
    return loss;
}

static void test_reset_uses_the_same_memory_again(void **state) {
    (void)state;
    Tape tape = tape_new();
    some_step(&tape);
    size_t peak = tape.arena.peak;
    assert_true(peak > (size_t)2 << 20);
    tape_reset(&tape);
    assert_int_equal(tape.node_count, 0);
    assert_null(tape.last);
    assert_int_equal(tape.arena.used, 0);
    const Tensor *loss = some_step(&tape);
    const ArenaBlock *block = tape.arena.block;
    float value = loss->data[0];
    for (int step = 0; step < 5; step++) {
        tape_reset(&tape);
        const Tensor *again = some_step(&tape);
        assert_ptr_equal(again, loss); /* at the same address, in the same block */
        assert_ptr_equal(tape.arena.block, block);
        assert_int_equal(tape.arena.peak, peak);
        assert_true(again->data[0] == value);
    }
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constants_copy_values_and_have_no_gradient),
        cmocka_unit_test(test_variables_begin_with_a_gradient_of_zeros),
        cmocka_unit_test(test_bad_shapes_stop),
        cmocka_unit_test(test_gradients_of_a_tensor_used_more_than_once_add_up),
        cmocka_unit_test(test_gradients_of_inputs_add_up_over_backward_passes),
        cmocka_unit_test(test_nothing_flows_into_constants),
        cmocka_unit_test(test_without_recording_no_gradient_and_no_node_is_made),
        cmocka_unit_test(test_backward_refuses_what_it_cannot_do),
        cmocka_unit_test(test_a_graph_may_be_100000_nodes_deep),
        cmocka_unit_test(test_check_finite_names_the_first_operation),
        cmocka_unit_test(test_check_finite_names_the_operation_on_the_way_back),
        cmocka_unit_test(test_views_share_data_and_gradient),
        cmocka_unit_test(test_reset_uses_the_same_memory_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
