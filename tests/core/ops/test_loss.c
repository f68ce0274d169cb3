#include "support/gradient_check.h"

static const CrossEntropy plain = {.ignore = -1};

/* The definition in double: mean over the counted rows of -sum_k q_k log p_k. `q` receives the
 * target distribution of each row. */
static double definition(const float *logits, const int *targets, int rows, int K,
                         CrossEntropy options, double *q) {
    double total = 0.0;
    int counted = 0;
    for (int r = 0; r < rows; r++) {
        double sum = 0.0, eps = (double)options.smoothing;
        for (int k = 0; k < K; k++) {
            sum += exp((double)logits[r * K + k]);
        }
        for (int k = 0; k < K; k++) {
            bool right = k == targets[r], pad = k == options.ignore;
            double share = options.spread == SMOOTHING_ALL ? eps / K
                           : options.spread == SMOOTHING_OTHERS
                               ? (right ? 0.0 : eps / (K - 1))
                               : (right || pad ? 0.0 : eps / (K - 2));
            q[r * K + k] = (right ? 1.0 - eps : 0.0) + share;
        }
        if (targets[r] == options.ignore) {
            continue;
        }
        counted++;
        for (int k = 0; k < K; k++) {
            total -= q[r * K + k] * ((double)logits[r * K + k] - log(sum));
        }
    }
    return counted > 0 ? total / counted : 0.0;
}

static void test_uniform_scores_cost_log_k(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(2, 8));
    Tensor *loss = op_cross_entropy(&tape, x, (const int[]){3, 0}, plain);
    assert_shape(loss, 1);
    assert_data(loss, 1e-6, logf(8.0f));
    tape_backward(&tape, loss); /* (1/8 - q) / 2 */
    assert_close((double)x->grad[3], (0.125 - 1.0) / 2.0, 1e-7, 0.0);
    assert_close((double)x->grad[4], 0.125 / 2.0, 1e-7, 0.0);
    tape_free(&tape);
}

static void test_two_classes_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", (const float[]){0, logf(3.0f)}, SHAPE(1, 2));
    Tensor *loss = op_cross_entropy(&tape, x, (const int[]){0}, plain);
    assert_data(loss, 1e-6, logf(4.0f));
    tape_backward(&tape, loss);
    assert_grad(x, 1e-6, -0.75f, 0.75f);
    tape_free(&tape);
}

static void assert_follows_definition(int rows, int K, CrossEntropy options) {
    Tape tape = tape_new();
    Rng rng = rng_seeded(1, (uint64_t)K);
    double q[400];
    int targets[40];
    Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(rows, K));
    fill_random(x->data, tensor_size(x), -4.0f, 4.0f, &rng);
    for (int r = 0; r < rows; r++) {
        targets[r] = (int)rng_below(&rng, (uint32_t)K);
    }
    const Tensor *loss = op_cross_entropy(&tape, x, targets, options);
    double expected = definition(x->data, targets, rows, K, options, q);
    assert_close((double)loss->data[0], expected, 1e-6, 2e-6);
    tape_free(&tape);
}

static void test_all_spreads_follow_the_definition(void **state) {
    (void)state;
    static const int sizes[] = {3, 4, 7, 10};
    static const Smoothing spreads[] = {SMOOTHING_ALL, SMOOTHING_OTHERS, SMOOTHING_OTHERS_NONPAD};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 3; i++) {
            assert_follows_definition(13, sizes[s], (CrossEntropy){0, 0.0f, spreads[i]});
            assert_follows_definition(13, sizes[s], (CrossEntropy){0, 0.1f, spreads[i]});
            assert_follows_definition(40, sizes[s], (CrossEntropy){2, 0.4f, spreads[i]});
        }
    }
}

/* The target distribution from the gradient: dlogits = (softmax - q) / count, softmax = 1/V. */
static void test_fault_18_smoothing_skips_padding(void **state) {
    (void)state;
    Tape tape = tape_new();
    CrossEntropy options = {.ignore = 0, .smoothing = 0.4f, .spread = SMOOTHING_OTHERS_NONPAD};
    Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(1, 5));
    tape_backward(&tape, op_cross_entropy(&tape, x, (const int[]){2}, options));
    float q[5];
    for (int k = 0; k < 5; k++) {
        q[k] = 0.2f - x->grad[k];
    }
    assert_all_close(q, ((const float[]){0, 0.4f / 3, 0.6f, 0.4f / 3, 0.4f / 3}), 5, 1e-6, 0.0);
    tape_free(&tape);
}

static void test_fault_18_no_smoothing_is_cross_entropy(void **state) {
    (void)state;
    Tape tape = tape_new();
    Rng rng = rng_seeded(2, 0);
    Tensor *x = random_constant(&tape, &rng, "x", SHAPE(4, 6));
    const int targets[] = {1, 5, 0, 2};
    const float *expected = op_cross_entropy(&tape, x, targets, (CrossEntropy){.ignore = 0})->data;
    for (int spread = SMOOTHING_ALL; spread <= SMOOTHING_OTHERS_NONPAD; spread++) {
        CrossEntropy options = {.ignore = 0, .smoothing = 0.0f, .spread = (Smoothing)spread};
        assert_same_bits(op_cross_entropy(&tape, x, targets, options)->data, expected, 1);
    }
    tape_free(&tape);
}

static void test_fault_18_a_batch_without_padding(void **state) {
    (void)state;
    assert_follows_definition(5, 7, (CrossEntropy){.ignore = -1});
    assert_follows_definition(5, 7, (CrossEntropy){-1, 0.1f, SMOOTHING_ALL});
    assert_follows_definition(5, 7, (CrossEntropy){-1, 0.1f, SMOOTHING_OTHERS});
}

static void test_fault_18_nothing_but_padding_costs_nothing(void **state) {
    (void)state;
    Tape tape = tape_new();
    for (int spread = SMOOTHING_ALL; spread <= SMOOTHING_OTHERS_NONPAD; spread++) {
        CrossEntropy options = {.ignore = 3, .smoothing = 0.1f, .spread = (Smoothing)spread};
        Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(2, 4));
        Tensor *loss = op_cross_entropy(&tape, x, (const int[]){3, 3}, options);
        assert_data(loss, 0.0, 0);
        tape_backward(&tape, loss);
        assert_grad(x, 0.0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    tape_free(&tape);
}

/* Where there is no padding class, or no wrong class to take a share, what remains is still a
 * distribution: q sums to 1, so the gradient of each row sums to 0. */
static void test_smoothing_always_leaves_a_distribution(void **state) {
    (void)state;
    Tape tape = tape_new();
    static const CrossEntropy options[] = {
        {-1, 0.3f, SMOOTHING_OTHERS_NONPAD}, {9, 0.3f, SMOOTHING_OTHERS_NONPAD},
        {0, 0.3f, SMOOTHING_OTHERS_NONPAD},  {-1, 0.3f, SMOOTHING_OTHERS},
        {-1, 0.3f, SMOOTHING_ALL},
    };
    for (int i = 0; i < 5; i++) {
        for (int K = options[i].ignore == 0 ? 2 : 1; K <= 4; K++) {
            Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(1, K));
            tape_backward(&tape, op_cross_entropy(&tape, x, (const int[]){K - 1}, options[i]));
            double sum = 0.0;
            for (int k = 0; k < K; k++) {
                sum += (double)x->grad[k];
            }
            assert_close(sum, 0.0, 1e-6, 0.0);
        }
    }
    tape_free(&tape);
}

static void test_ignored_rows_have_no_part_in_it(void **state) {
    (void)state;
    Tape tape = tape_new();
    Rng rng = rng_seeded(3, 0);
    Tensor *x = random_variable(&tape, &rng, "x", SHAPE(3, 4));
    x->data[5] = 1e6f; /* in the ignored row */
    int targets[] = {1, 0, 2};
    Tensor *loss = op_cross_entropy(&tape, x, targets, (CrossEntropy){.ignore = 0});
    targets[0] = 3; /* they were copied */
    tape_backward(&tape, loss);
    Tape other = tape_new();
    const float expected[] = {x->data[0], x->data[1], x->data[2],  x->data[3],
                              x->data[8], x->data[9], x->data[10], x->data[11]};
    Tensor *two = tape_variable(&other, "two", expected, SHAPE(2, 4));
    Tensor *alone = op_cross_entropy(&other, two, (const int[]){1, 2}, plain);
    tape_backward(&other, alone);
    assert_close((double)loss->data[0], (double)alone->data[0], 1e-7, 0.0);
    for (int k = 0; k < 4; k++) {
        assert_true(x->grad[4 + k] == 0.0f);
        assert_close((double)x->grad[k], (double)two->grad[k], 1e-7, 0.0);
        assert_close((double)x->grad[8 + k], (double)two->grad[4 + k], 1e-7, 0.0);
    }
    tape_free(&tape);
    tape_free(&other);
}

static void test_extreme_scores_stay_finite(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", (const float[]){1e4f, 0, -1e4f, -1e4f}, SHAPE(2, 2));
    Tensor *loss = op_cross_entropy(&tape, x, (const int[]){1, 0}, plain);
    assert_close((double)loss->data[0], (1e4 + log(2.0)) / 2.0, 1e-2, 0.0);
    tape_backward(&tape, loss);
    assert_grad(x, 1e-6, 0.5f, -0.5f, -0.25f, 0.25f);
    tape_free(&tape);
}

typedef struct LossCase {
    const int *targets;
    CrossEntropy options;
} LossCase;

static Tensor *cross_entropy(Tape *tape, Tensor *const *in, const void *context) {
    const LossCase *what = context;
    return op_cross_entropy(tape, in[0], what->targets, what->options);
}

static void test_gradients(void **state) {
    (void)state;
    static const int sizes[] = {3, 7, 17, 33};
    static const int targets[] = {1, 0, 2, 2, 0, 1};
    for (int s = 0; s < 4; s++) {
        for (int spread = SMOOTHING_ALL; spread <= SMOOTHING_OTHERS_NONPAD; spread++) {
            LossCase sharp = {targets, {0, 0.0f, (Smoothing)spread}};
            LossCase soft = {targets, {0, 0.3f, (Smoothing)spread}};
            gradient_check(cross_entropy, &sharp, INPUT("logits", 6, sizes[s]));
            gradient_check(cross_entropy, &soft, INPUT("logits", 2, 3, sizes[s]));
        }
    }
    LossCase single = {(const int[]){0}, plain};
    gradient_check(cross_entropy, &single, INPUT("logits", 1, 1));
    LossCase vector = {(const int[]){2}, {-1, 0.2f, SMOOTHING_ALL}};
    gradient_check(cross_entropy, &vector, INPUT("logits", 5));
}

static Tensor *scaled_loss(Tape *tape, Tensor *const *in, const void *context) {
    return op_scale(tape, cross_entropy(tape, in, context), -2.5f);
}

static void test_the_gradient_that_comes_in_counts(void **state) {
    (void)state;
    LossCase soft = {(const int[]){1, 0, 2}, {0, 0.3f, SMOOTHING_OTHERS}};
    gradient_check(scaled_loss, &soft, INPUT("logits", 3, 5));
}

static void test_bad_targets_and_options_stop(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "logits", NULL, SHAPE(2, 3));
    expect_exact_message("cross_entropy: target 3 of row 1 is not a class of logits (2, 3)",
                         op_cross_entropy(&tape, x, (const int[]){2, 3}, plain));
    expect_exact_message("cross_entropy: target -2 of row 0 is not a class of logits (2, 3)",
                         op_cross_entropy(&tape, x, (const int[]){-2, 1}, plain));
    expect_exact_message(
        "cross_entropy: target -1 of row 1 is not a class of logits (2, 3)",
        op_cross_entropy(&tape, x, (const int[]){1, -1}, (CrossEntropy){.ignore = -1}));
    CrossEntropy options = {.ignore = 0, .smoothing = 1.0f};
    expect_exact_message("cross_entropy: the smoothing 1 is not in [0, 1)",
                         op_cross_entropy(&tape, x, (const int[]){1, 1}, options));
    options.smoothing = -0.1f;
    expect_exact_message("cross_entropy: the smoothing -0.1 is not in [0, 1)",
                         op_cross_entropy(&tape, x, (const int[]){1, 1}, options));
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniform_scores_cost_log_k),
        cmocka_unit_test(test_two_classes_by_hand),
        cmocka_unit_test(test_all_spreads_follow_the_definition),
        cmocka_unit_test(test_fault_18_smoothing_skips_padding),
        cmocka_unit_test(test_fault_18_no_smoothing_is_cross_entropy),
        cmocka_unit_test(test_fault_18_a_batch_without_padding),
        cmocka_unit_test(test_fault_18_nothing_but_padding_costs_nothing),
        cmocka_unit_test(test_smoothing_always_leaves_a_distribution),
        cmocka_unit_test(test_ignored_rows_have_no_part_in_it),
        cmocka_unit_test(test_extreme_scores_stay_finite),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_the_gradient_that_comes_in_counts),
        cmocka_unit_test(test_bad_targets_and_options_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
