#include "support/gradient_check.h"

#include <stdlib.h>

static const float abc[] = {1, 2, 3, 4, 5, 6}; /* (2, 3) or (3, 2) */
static const float def[] = {7, 8, 9, 10, 11, 12};

static void test_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *a = tape_variable(&tape, "a", abc, SHAPE(2, 3));
    Tensor *b = tape_variable(&tape, "b", def, SHAPE(3, 2));
    Tensor *y = op_matmul(&tape, a, b); /* 1 7 + 2 9 + 3 11 = 58 ... */
    assert_shape(y, 2, 2);
    assert_data(y, 1e-5, 58, 64, 139, 154);
    y->grad[0] = 1.0f; /* of y_00 alone: da_0 = the first column of b, db's first column = a_0 */
    tape_backward_from(&tape, y);
    assert_grad(a, 1e-6, 7, 9, 11, 0, 0, 0);
    assert_grad(b, 1e-6, 1, 0, 2, 0, 3, 0);
    tape_free(&tape);
}

static void test_transposed_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *a = tape_constant(&tape, "a", abc, SHAPE(2, 3));
    Tensor *b = tape_constant(&tape, "b", def, SHAPE(2, 3));
    assert_data(op_matmul_nt(&tape, a, b), 1e-5, 50, 68, 122, 167); /* 1 7 + 2 8 + 3 9 = 50 */
    Tensor *y = op_matmul_tn(&tape, a, b);                          /* 1 7 + 4 10 = 47 */
    assert_shape(y, 3, 3);
    assert_data(y, 1e-5, 47, 52, 57, 64, 71, 78, 81, 90, 99);
    tape_free(&tape);
}

static void test_linear_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", abc, SHAPE(2, 3));
    Tensor *w = tape_constant(&tape, "w", def, SHAPE(2, 3));
    Tensor *bias = tape_variable(&tape, "bias", (const float[]){100, 200}, SHAPE(2));
    assert_data(op_linear(&tape, x, w, NULL), 1e-5, 50, 68, 122, 167);
    Tensor *y = op_linear(&tape, x, w, bias);
    assert_data(y, 1e-4, 150, 268, 222, 367);
    backward_ones(&tape, y);
    assert_grad(bias, 0.0, 2, 2);
    Tensor *row = op_linear(&tape, op_index(&tape, x, 1), w, bias); /* (3) -> (2) */
    assert_shape(row, 2);
    assert_data(row, 1e-4, 222, 367);
    tape_free(&tape);
}

/* Element (r, c) of matrix number `i`, (rows, cols) or, transposed, (cols, rows). */
static double element(const Tensor *t, int i, int r, int c, bool transposed) {
    int rows = t->dim[t->ndim - 2], cols = tensor_cols(t);
    long place = transposed ? (long)c * cols + r : (long)r * cols + c;
    return (double)t->data[(long)i * rows * cols + place];
}

/* y against the three loops of the definition, in double. */
static void assert_is_product(const Tensor *y, const Tensor *a, const Tensor *b, bool trans_a,
                              bool trans_b, int K) {
    int M = y->dim[y->ndim - 2], N = tensor_cols(y);
    int batch = (int)tensor_size(y) / (M * N);
    for (int i = 0; i < batch; i++) {
        for (int m = 0; m < M; m++) {
            for (int n = 0; n < N; n++) {
                double sum = 0.0;
                for (int k = 0; k < K; k++) {
                    sum += element(a, i, m, k, trans_a) * element(b, i, k, n, trans_b);
                }
                assert_close(element(y, i, m, n, false), sum, 2e-6 * sqrt(K) + 1e-6, 1e-5);
            }
        }
    }
}

static void test_all_forms_follow_the_definition(void **state) {
    (void)state;
    static const int sizes[][3] = {{1, 1, 1},    {1, 7, 1},    {3, 1, 5},      {2, 3, 17},
                                   {5, 13, 11},  {16, 16, 16}, {31, 37, 29},   {1, 130, 67},
                                   {65, 64, 33}, {3, 600, 5},  {100, 300, 90}, {130, 70, 600}};
    Tape tape = tape_new();
    Rng rng = rng_seeded(1, 0);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int M = sizes[s][0], K = sizes[s][1], N = sizes[s][2];
        tape_reset(&tape);
        Tensor *a = random_constant(&tape, &rng, "a", SHAPE(M, K));
        Tensor *b = random_constant(&tape, &rng, "b", SHAPE(K, N));
        Tensor *a_t = op_transpose(&tape, a), *b_t = op_transpose(&tape, b);
        assert_is_product(op_matmul(&tape, a, b), a, b, false, false, K);
        assert_is_product(op_matmul_nt(&tape, a, b_t), a, b_t, false, true, K);
        assert_is_product(op_matmul_tn(&tape, a_t, b), a_t, b, true, false, K);
        assert_is_product(op_linear(&tape, a, b_t, NULL), a, b_t, false, true, K);
    }
    tape_free(&tape);
}

static void test_batches_are_products_of_their_own(void **state) {
    (void)state;
    Tape tape = tape_new();
    Rng rng = rng_seeded(2, 0);
    Tensor *a = random_constant(&tape, &rng, "a", SHAPE(2, 3, 5, 7));
    Tensor *b = random_constant(&tape, &rng, "b", SHAPE(2, 3, 7, 4));
    Tensor *y = op_matmul(&tape, a, b);
    assert_shape(y, 2, 3, 5, 4);
    assert_is_product(y, a, b, false, false, 7);
    Tensor *a_t = op_transpose(&tape, a), *b_t = op_transpose(&tape, b);
    assert_is_product(op_matmul_nt(&tape, a, b_t), a, b_t, false, true, 7);
    assert_is_product(op_matmul_tn(&tape, a_t, b), a_t, b, true, false, 7);
    tape_free(&tape);
}

static void test_one_matrix_serves_all_leading_dimensions(void **state) {
    (void)state;
    Tape tape = tape_new();
    Rng rng = rng_seeded(3, 0);
    Tensor *a = random_variable(&tape, &rng, "a", SHAPE(2, 3, 5, 7));
    Tensor *b = random_variable(&tape, &rng, "b", SHAPE(7, 4));
    Tensor *flat = op_reshape(&tape, a, SHAPE(30, 7));
    Tensor *y = op_matmul(&tape, a, b), *flat_y = op_matmul(&tape, flat, b);
    assert_shape(y, 2, 3, 5, 4);
    assert_same_bits(y->data, flat_y->data, 120);
    Tensor *b_t = op_transpose(&tape, b);
    Tensor *y_nt = op_matmul_nt(&tape, a, b_t), *y_linear = op_linear(&tape, a, b_t, NULL);
    assert_shape(y_nt, 2, 3, 5, 4);
    assert_shape(y_linear, 2, 3, 5, 4);
    assert_all_close(y_nt->data, y->data, 120, 1e-6, 1e-6);
    assert_all_close(y_linear->data, y->data, 120, 1e-6, 1e-6);
    tape_free(&tape);
}

static Tensor *matmul(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return op_matmul(tape, in[0], in[1]);
}

static Tensor *matmul_nt(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return op_matmul_nt(tape, in[0], in[1]);
}

static Tensor *matmul_tn(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return op_matmul_tn(tape, in[0], in[1]);
}

static Tensor *linear(Tape *tape, Tensor *const *in, const void *context) {
    bool with_bias = context != NULL;
    return op_linear(tape, in[0], in[1], with_bias ? in[2] : NULL);
}

static void test_gradients(void **state) {
    (void)state;
    static const int sizes[][3] = {{1, 1, 1},  {2, 3, 5},    {7, 1, 3},
                                   {1, 17, 9}, {19, 13, 11}, {33, 8, 17}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int M = sizes[s][0], K = sizes[s][1], N = sizes[s][2];
        gradient_check(matmul, NULL, INPUT("a", M, K), INPUT("b", K, N));
        gradient_check(matmul_nt, NULL, INPUT("a", M, K), INPUT("b", N, K));
        gradient_check(matmul_tn, NULL, INPUT("a", K, M), INPUT("b", K, N));
        gradient_check(linear, NULL, INPUT("x", M, K), INPUT("w", N, K));
        gradient_check(linear, "bias", INPUT("x", M, K), INPUT("w", N, K), INPUT("bias", N));
    }
}

static void test_gradients_with_leading_dimensions(void **state) {
    (void)state;
    gradient_check(matmul, NULL, INPUT("a", 2, 3, 5), INPUT("b", 5, 4));
    gradient_check(matmul, NULL, INPUT("a", 2, 3, 1, 5), INPUT("b", 2, 3, 5, 7));
    gradient_check(matmul, NULL, INPUT("a", 3, 4, 5), INPUT("b", 3, 5, 2));
    gradient_check(matmul_nt, NULL, INPUT("a", 3, 4, 5), INPUT("b", 3, 2, 5));
    gradient_check(matmul_nt, NULL, INPUT("a", 3, 4, 5), INPUT("b", 2, 5));
    gradient_check(matmul_tn, NULL, INPUT("a", 2, 2, 5, 4), INPUT("b", 2, 2, 5, 3));
    gradient_check(linear, "bias", INPUT("x", 2, 3, 5), INPUT("w", 7, 5), INPUT("bias", 7));
}

static void test_a_matrix_times_itself(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *a = tape_variable(&tape, "a", (const float[]){3}, SHAPE(1, 1));
    backward_ones(&tape, op_matmul(&tape, a, a));
    assert_grad(a, 0.0, 6);
    tape_free(&tape);
}

static void test_bad_shapes_stop(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(32, 64));
    Tensor *w = tape_constant(&tape, "rnn.w", NULL, SHAPE(128, 128));
    Tensor *v = tape_constant(&tape, "v", NULL, SHAPE(64));
    Tensor *x3 = tape_constant(&tape, "x3", NULL, SHAPE(2, 5, 128));
    Tensor *w3 = tape_constant(&tape, "w3", NULL, SHAPE(3, 128, 5));
    expect_exact_message("matmul: x (32, 64) times rnn.w (128, 128): 64 != 128",
                         op_matmul(&tape, x, w));
    expect_exact_message("matmul_nt: x (32, 64) times rnn.w (128, 128): 64 != 128",
                         op_matmul_nt(&tape, x, w));
    expect_exact_message("matmul_tn: x (32, 64) times rnn.w (128, 128): 32 != 128",
                         op_matmul_tn(&tape, x, w));
    expect_exact_message("matmul: x (32, 64) times v (64): both must be matrices",
                         op_matmul(&tape, x, v));
    expect_exact_message(
        "matmul: x3 (2, 5, 128) times w3 (3, 128, 5): the leading dimensions differ",
        op_matmul(&tape, x3, w3));
    expect_exact_message(
        "matmul: rnn.w (128, 128) times w3 (3, 128, 5): the number of dimensions differs",
        op_matmul(&tape, w, w3));
    expect_exact_message("linear: x (32, 64) times rnn.w (128, 128) transposed: 64 != 128",
                         op_linear(&tape, x, w, NULL));
    expect_exact_message("linear: bias v (64) does not match rnn.w (128, 128): one number per row "
                         "of the matrix is needed",
                         op_linear(&tape, x3, w, v));
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_transposed_by_hand),
        cmocka_unit_test(test_linear_by_hand),
        cmocka_unit_test(test_all_forms_follow_the_definition),
        cmocka_unit_test(test_batches_are_products_of_their_own),
        cmocka_unit_test(test_one_matrix_serves_all_leading_dimensions),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_gradients_with_leading_dimensions),
        cmocka_unit_test(test_a_matrix_times_itself),
        cmocka_unit_test(test_bad_shapes_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
