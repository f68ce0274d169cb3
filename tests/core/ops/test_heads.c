#include "support/gradient_check.h"

/* Two heads, two tokens, two numbers: heads [[a b] [c d]] and [[e f] [g h]] merge to [a b e f] and
 * [c d g h]. Without the transpose they would become [a b c d] and [e f g h]. */
static void test_fault_11_heads_merge_token_by_token(void **state) {
    (void)state;
    Tape tape = tape_new();
    const float heads[] = {1, 2, 3, 4, 5, 6, 7, 8};
    Tensor *x = tape_variable(&tape, "x", heads, SHAPE(1, 2, 2, 2));
    Tensor *y = op_merge_heads(&tape, x);
    assert_shape(y, 1, 2, 4);
    assert_data(y, 0, 1, 2, 5, 6, 3, 4, 7, 8);
    memcpy(y->grad, heads, sizeof heads);
    tape_backward_from(&tape, y);
    assert_grad(x, 0, 1, 2, 5, 6, 3, 4, 7, 8);
    tape_free(&tape);
}

static void test_split_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    const float tokens[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}; /* two tokens of six columns */
    Tensor *x = tape_variable(&tape, "x", tokens, SHAPE(1, 2, 6));
    Tensor *y = op_split_heads(&tape, x, 3);
    assert_shape(y, 1, 3, 2, 2);
    assert_data(y, 0, 1, 2, 7, 8, 3, 4, 9, 10, 5, 6, 11, 12);
    memcpy(y->grad, tokens, sizeof tokens);
    tape_backward_from(&tape, y);
    assert_grad(x, 0, 1, 2, 5, 6, 9, 10, 3, 4, 7, 8, 11, 12);
    tape_free(&tape);
}

/* Every size differs from every other, so that no two of them can be mixed up. */
static void test_split_follows_the_definition_and_merge_undoes_it(void **state) {
    (void)state;
    enum { B = 2, L = 5, H = 3, D = 7 };
    Tape tape = tape_new();
    Rng rng = rng_seeded(1, 0);
    Tensor *x = random_variable(&tape, &rng, "x", SHAPE(B, L, H * D));
    Tensor *y = op_split_heads(&tape, x, H);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < H; h++) {
            for (int t = 0; t < L; t++) {
                assert_same_bits(y->data + ((b * H + h) * L + t) * D,
                                 x->data + (b * L + t) * H * D + h * D, D);
            }
        }
    }
    Tensor *again = op_merge_heads(&tape, y);
    assert_true(tensor_same_shape(again, x));
    assert_same_bits(again->data, x->data, tensor_size(x));
    backward_random(&tape, again, 1);
    assert_same_bits(x->grad, again->grad, tensor_size(x));
    tape_free(&tape);
}

static Tensor *split_graph(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return op_split_heads(tape, in[0], 3);
}

static Tensor *merge_graph(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return op_merge_heads(tape, in[0]);
}

static void test_gradients(void **state) {
    (void)state;
    gradient_check(split_graph, NULL, INPUT("x", 2, 4, 15));
    gradient_check(merge_graph, NULL, INPUT("x", 2, 3, 4, 5));
}

static void test_bad_shapes_stop(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(2, 3, 8));
    Tensor *y = tape_constant(&tape, "y", NULL, SHAPE(2, 3, 4, 5));
    expect_exact_message("split_heads: the 8 columns of x (2, 3, 8) cannot be cut into 3 heads",
                         op_split_heads(&tape, x, 3));
    expect_exact_message("split_heads: the 8 columns of x (2, 3, 8) cannot be cut into 0 heads",
                         op_split_heads(&tape, x, 0));
    expect_exact_message("split_heads: y (2, 3, 4, 5): needed is (B, L, H * D)",
                         op_split_heads(&tape, y, 5));
    expect_exact_message("merge_heads: x (2, 3, 8): needed is (B, H, L, D)",
                         op_merge_heads(&tape, x));
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fault_11_heads_merge_token_by_token),
        cmocka_unit_test(test_split_by_hand),
        cmocka_unit_test(test_split_follows_the_definition_and_merge_undoes_it),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_bad_shapes_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
