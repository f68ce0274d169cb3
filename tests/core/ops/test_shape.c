#include "support/gradient_check.h"

/* 0 1 2 ... in the given shape. */
static Tensor *counting(Tape *tape, const char *name, int ndim, const int *dim) {
    Tensor *x = tape_variable(tape, name, NULL, ndim, dim);
    for (size_t i = 0; i < tensor_size(x); i++) {
        x->data[i] = (float)i;
    }
    return x;
}

static void test_reshape_is_a_view(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = counting(&tape, "x", SHAPE(2, 6));
    Tensor *y = op_reshape(&tape, x, SHAPE(3, 2, 2));
    assert_shape(y, 3, 2, 2);
    assert_ptr_equal(y->data, x->data);
    assert_ptr_equal(y->grad, x->grad);
    assert_int_equal(tape.node_count, 0);
    tape_free(&tape);
}

static void test_slice_and_index_are_views(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = counting(&tape, "x", SHAPE(4, 3, 2));
    Tensor *slice = op_slice(&tape, x, 1, 3), *row = op_index(&tape, x, 3);
    assert_shape(slice, 2, 3, 2);
    assert_ptr_equal(slice->data, x->data + 6);
    assert_ptr_equal(slice->grad, x->grad + 6);
    assert_shape(row, 3, 2);
    assert_ptr_equal(row->data, x->data + 18);
    assert_ptr_equal(row->grad, x->grad + 18);
    backward_ones(&tape, op_add(&tape, op_scale(&tape, op_index(&tape, x, 1), 10.0f),
                                op_index(&tape, slice, 0))); /* the same row twice */
    for (int i = 0; i < 24; i++) {
        assert_true(x->grad[i] == (i / 6 == 1 ? 11.0f : 0.0f));
    }
    tape_free(&tape);
}

static void test_detach_stops_the_gradient(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", (const float[]){3, 4}, SHAPE(2));
    Tensor *fixed = op_detach(&tape, x);
    assert_ptr_equal(fixed->data, x->data);
    assert_null(fixed->grad);
    assert_non_null(x->grad);
    backward_ones(&tape, op_mul(&tape, x, fixed));
    assert_grad(x, 0.0, 3, 4); /* of x * constant: not 2 x */
    tape_free(&tape);
}

static void test_slice_last_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = counting(&tape, "x", SHAPE(2, 1, 4));
    Tensor *y = op_slice_last(&tape, x, 1, 3);
    assert_shape(y, 2, 1, 2);
    assert_data(y, 0.0, 1, 2, 5, 6);
    y->data[0] = 50.0f; /* a copy */
    assert_true(x->data[1] == 1.0f);
    for (int i = 0; i < 4; i++) {
        y->grad[i] = (float)(i + 1);
    }
    tape_backward_from(&tape, y);
    assert_grad(x, 0.0, 0, 1, 2, 0, 0, 3, 4, 0);
    tape_free(&tape);
}

static void test_concat_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *a = tape_variable(&tape, "a", (const float[]){1, 2, 3, 4}, SHAPE(2, 2));
    Tensor *b = tape_constant(&tape, "b", (const float[]){5, 6}, SHAPE(2, 1));
    Tensor *c = tape_variable(&tape, "c", (const float[]){7, 8}, SHAPE(1, 2));
    Tensor *wide = op_concat(&tape, 1, (Tensor *const[]){a, b, a}, 3);
    assert_shape(wide, 2, 5);
    assert_data(wide, 0.0, 1, 2, 5, 1, 2, 3, 4, 6, 3, 4);
    Tensor *tall = op_concat(&tape, 0, (Tensor *const[]){c, a}, 2);
    assert_shape(tall, 3, 2);
    assert_data(tall, 0.0, 7, 8, 1, 2, 3, 4);
    for (int i = 0; i < 10; i++) {
        wide->grad[i] = (float)i;
    }
    tape_backward_from(&tape, wide);
    assert_grad(a, 0.0, 0 + 3, 1 + 4, 5 + 8, 6 + 9);
    tape_free(&tape);
}

static void test_stack_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *a = tape_variable(&tape, "a", (const float[]){1, 2}, SHAPE(2));
    Tensor *b = tape_constant(&tape, "b", (const float[]){3, 4}, SHAPE(2));
    Tensor *y = op_stack(&tape, (Tensor *const[]){a, b, a}, 3);
    assert_shape(y, 3, 2);
    assert_data(y, 0.0, 1, 2, 3, 4, 1, 2);
    for (int i = 0; i < 6; i++) {
        y->grad[i] = (float)(i + 1);
    }
    tape_backward_from(&tape, y);
    assert_grad(a, 0.0, 1 + 5, 2 + 6);
    tape_free(&tape);
}

/* Every order of four dimensions, element by element against the definition: place (i, j, k, l) of
 * the result is the element of x whose index along dimension order[0] is i, and so on. */
static void test_permute_follows_the_definition(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = counting(&tape, "x", SHAPE(2, 3, 5, 7));
    const int step[] = {105, 35, 7, 1};
    int orders = 0;
    for (int code = 0; code < 256; code++) {
        const int order[] = {code / 64, code / 16 % 4, code / 4 % 4, code % 4};
        if ((1 << order[0] | 1 << order[1] | 1 << order[2] | 1 << order[3]) != 15) {
            continue; /* not a permutation */
        }
        orders++;
        const Tensor *y = op_permute(&tape, x, order);
        int n = 0, index[4];
        for (index[0] = 0; index[0] < y->dim[0]; index[0]++) {
            for (index[1] = 0; index[1] < y->dim[1]; index[1]++) {
                for (index[2] = 0; index[2] < y->dim[2]; index[2]++) {
                    for (index[3] = 0; index[3] < y->dim[3]; index[3]++, n++) {
                        int place = 0;
                        for (int d = 0; d < 4; d++) {
                            place += index[d] * step[order[d]];
                        }
                        assert_true(y->data[n] == (float)place);
                    }
                }
            }
        }
        assert_int_equal(n, 210);
    }
    assert_int_equal(orders, 24);
    tape_free(&tape);
}

static void test_transpose_exchanges_the_last_two(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = counting(&tape, "x", SHAPE(2, 3));
    assert_shape(op_transpose(&tape, x), 3, 2);
    assert_data(op_transpose(&tape, x), 0.0, 0, 3, 1, 4, 2, 5);
    Tensor *y = op_transpose(&tape, counting(&tape, "y", SHAPE(1, 2, 2, 2)));
    assert_shape(y, 1, 2, 2, 2);
    assert_data(y, 0.0, 0, 2, 1, 3, 4, 6, 5, 7);
    tape_free(&tape);
}

static Tensor *parts(Tape *tape, Tensor *const *in, const void *context) {
    const int *bounds = context;
    return op_mul(tape, op_slice_last(tape, in[0], bounds[0], bounds[1]),
                  op_slice_last(tape, in[0], bounds[2], bounds[3])); /* parts that overlap */
}

static Tensor *concat(Tape *tape, Tensor *const *in, const void *context) {
    const int *axis = context;
    return op_concat(tape, *axis, in, 3);
}

static Tensor *stack(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return op_stack(tape, in, 3);
}

static Tensor *permute(Tape *tape, Tensor *const *in, const void *context) {
    return op_permute(tape, in[0], context);
}

/* Views upon views, used side by side: their gradients meet in x. */
static Tensor *views(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    Tensor *middle = op_slice(tape, in[0], 1, 4); /* (5, 6) -> (3, 6) */
    Tensor *pairs = op_reshape(tape, middle, SHAPE(3, 2, 3));
    Tensor *one = op_index(tape, pairs, 1);                                /* (2, 3) */
    Tensor *row = op_reshape(tape, op_index(tape, in[0], 2), SHAPE(2, 3)); /* the same numbers */
    return op_mul(tape, op_tanh(tape, one), row);
}

static void test_gradients(void **state) {
    (void)state;
    gradient_check(parts, ((const int[]){0, 1, 0, 1}), INPUT("x", 1));
    gradient_check(parts, ((const int[]){0, 5, 2, 7}), INPUT("x", 3, 7));
    gradient_check(parts, ((const int[]){1, 18, 16, 33}), INPUT("x", 2, 2, 33));
    gradient_check(concat, (&(const int){0}), INPUT("a", 2, 3), INPUT("b", 1, 3), INPUT("c", 5, 3));
    gradient_check(concat, (&(const int){1}), INPUT("a", 2, 3), INPUT("b", 2, 17),
                   INPUT("c", 2, 1));
    gradient_check(concat, (&(const int){1}), INPUT("a", 2, 3, 5), INPUT("b", 2, 1, 5),
                   INPUT("c", 2, 2, 5));
    gradient_check(concat, (&(const int){3}), INPUT("a", 2, 1, 2, 3), INPUT("b", 2, 1, 2, 1),
                   INPUT("c", 2, 1, 2, 4));
    gradient_check(concat, (&(const int){0}), INPUT("a", 1), INPUT("b", 7), INPUT("c", 3));
    gradient_check(stack, NULL, INPUT("a", 2, 5), INPUT("b", 2, 5), INPUT("c", 2, 5));
    gradient_check(stack, NULL, INPUT("a", 3, 1, 7), INPUT("b", 3, 1, 7), INPUT("c", 3, 1, 7));
    gradient_check(permute, ((const int[]){2, 0, 3, 1}), INPUT("x", 2, 3, 5, 7));
    gradient_check(permute, ((const int[]){1, 2, 0}), INPUT("x", 3, 1, 5));
    gradient_check(permute, ((const int[]){1, 0}), INPUT("x", 7, 17));
    gradient_check(permute, ((const int[]){0}), INPUT("x", 7));
    gradient_check(views, NULL, INPUT("x", 5, 6));
}

static void test_bad_views_stop(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = counting(&tape, "x", SHAPE(4, 3)), *v = counting(&tape, "v", SHAPE(4));
    expect_exact_message("reshape: x (4, 3) has 12 elements, the new shape 10",
                         op_reshape(&tape, x, SHAPE(2, 5)));
    expect_exact_message("slice: x (4, 3) has no rows 2 to 5", op_slice(&tape, x, 2, 5));
    expect_exact_message("slice: x (4, 3) has no rows 2 to 2", op_slice(&tape, x, 2, 2));
    expect_exact_message("slice: x (4, 3) has no rows -1 to 2", op_slice(&tape, x, -1, 2));
    expect_exact_message("index: x (4, 3) has no row 4", op_index(&tape, x, 4));
    expect_exact_message("index: x (4, 3) has no row -1", op_index(&tape, x, -1));
    expect_exact_message("index: v (4) has one dimension only", op_index(&tape, v, 0));
    expect_exact_message("slice_last: x (4, 3) has no columns 1 to 4",
                         op_slice_last(&tape, x, 1, 4));
    tape_free(&tape);
}

static void test_bad_joins_and_orders_stop(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = counting(&tape, "x", SHAPE(4, 3)), *y = counting(&tape, "y", SHAPE(4, 2));
    Tensor *v = counting(&tape, "v", SHAPE(4)), *z = counting(&tape, "z", SHAPE(1, 1, 1, 2));
    Tensor *const both[] = {x, y}, *const mixed[] = {x, v}, *const full[] = {z};
    expect_exact_message("concat: x (4, 3) and y (4, 2) differ in more than dimension 0",
                         op_concat(&tape, 0, both, 2));
    expect_exact_message("concat: x (4, 3) and v (4) differ in more than dimension 1",
                         op_concat(&tape, 1, mixed, 2));
    expect_exact_message("concat: x (4, 3) has no dimension 2", op_concat(&tape, 2, both, 2));
    expect_exact_message("concat: nothing to join", op_concat(&tape, 0, both, 0));
    expect_exact_message("stack: x (4, 3) and y (4, 2) differ", op_stack(&tape, both, 2));
    expect_exact_message("stack: nothing to stack", op_stack(&tape, both, 0));
    expect_exact_message("stack: z (1, 1, 1, 2) already has 4 dimensions",
                         op_stack(&tape, full, 1));
    const char *order = "permute: the order of the 2 dimensions of x (4, 3) must name each of them "
                        "once";
    expect_exact_message(order, op_permute(&tape, x, (const int[]){1, 1}));
    expect_exact_message(order, op_permute(&tape, x, (const int[]){0, 2}));
    expect_exact_message("transpose: v (4) is no matrix", op_transpose(&tape, v));
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reshape_is_a_view),
        cmocka_unit_test(test_slice_and_index_are_views),
        cmocka_unit_test(test_detach_stops_the_gradient),
        cmocka_unit_test(test_slice_last_by_hand),
        cmocka_unit_test(test_concat_by_hand),
        cmocka_unit_test(test_stack_by_hand),
        cmocka_unit_test(test_permute_follows_the_definition),
        cmocka_unit_test(test_transpose_exchanges_the_last_two),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_bad_views_stop),
        cmocka_unit_test(test_bad_joins_and_orders_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
