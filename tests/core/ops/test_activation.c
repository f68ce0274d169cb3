#include "support/gradient_check.h"

typedef Tensor *(*Activation)(Tape *tape, Tensor *x);

/* The functions in double, as their definitions have them. */
static double exact_tanh(double x) {
    return tanh(x);
}

static double exact_sigmoid(double x) {
    return 1.0 / (1.0 + exp(-x));
}

static double exact_relu(double x) {
    return x > 0.0 ? x : 0.0;
}

static double exact_gelu_erf(double x) {
    return 0.5 * x * erfc(-x / sqrt(2.0));
}

static double exact_gelu_tanh(double x) {
    return 0.5 * x * (1.0 + tanh(sqrt(2.0 / acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

static double exact_silu(double x) {
    return x / (1.0 + exp(-x));
}

typedef struct Case {
    const char *name;
    Activation op;
    double (*exact)(double x);
} Case;

static const Case cases[] = {
    {"tanh", op_tanh, exact_tanh},
    {"sigmoid", op_sigmoid, exact_sigmoid},
    {"relu", op_relu, exact_relu},
    {"gelu_erf", op_gelu_erf, exact_gelu_erf},
    {"gelu_tanh", op_gelu_tanh, exact_gelu_tanh},
    {"silu", op_silu, exact_silu},
    {"exp", op_exp, exp},
};
enum { CASES = sizeof cases / sizeof *cases };

static void test_values_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", (const float[]){0, 1, -1, 2}, SHAPE(4));
    assert_data(op_tanh(&tape, x), 1e-6, 0, 0.76159416f, -0.76159416f, 0.96402758f);
    assert_data(op_sigmoid(&tape, x), 1e-6, 0.5f, 0.73105858f, 0.26894142f, 0.88079708f);
    assert_data(op_relu(&tape, x), 0.0, 0, 1, 0, 2);
    assert_data(op_gelu_erf(&tape, x), 1e-6, 0, 0.84134475f, -0.15865525f, 1.95449974f);
    assert_data(op_gelu_tanh(&tape, x), 1e-6, 0, 0.84119199f, -0.15880801f, 1.95459769f);
    assert_data(op_silu(&tape, x), 1e-6, 0, 0.73105858f, -0.26894142f, 1.76159416f);
    assert_data(op_exp(&tape, x), 1e-6, 1, 2.71828183f, 0.36787944f, 7.38905610f);
    tape_free(&tape);
}

/* Every length, so that whole vectors and what remains behind them are both seen. */
static void test_values_follow_the_definition_at_every_length(void **state) {
    (void)state;
    Tape tape = tape_new();
    Rng rng = rng_seeded(1, 0);
    for (int i = 0; i < CASES; i++) {
        for (int n = 1; n <= 70; n++) {
            tape_reset(&tape);
            Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(n));
            fill_random(x->data, (size_t)n, -6.0f, 6.0f, &rng);
            const Tensor *y = cases[i].op(&tape, x);
            for (int j = 0; j < n; j++) {
                double expected = cases[i].exact((double)x->data[j]);
                if (!is_close((double)y->data[j], expected, 1e-6, 1e-6)) {
                    fail_msg("%s(%.9g) is %.9g, expected %.9g (n = %d)", cases[i].name,
                             (double)x->data[j], (double)y->data[j], expected, n);
                }
            }
        }
    }
    tape_free(&tape);
}

static void test_large_and_tiny_inputs(void **state) {
    (void)state;
    static const float values[] = {1e-30f,  -1e-30f, 1e-6f,    9.0f,   -9.0f,
                                   30.0f,   -30.0f,  88.0f,    -88.0f, 100.0f,
                                   -100.0f, 1000.0f, -1000.0f, 1e6f,   -1e6f};
    enum { N = sizeof values / sizeof *values };
    Tape tape = tape_new();
    for (int i = 0; i < CASES; i++) {
        Tensor *x = tape_variable(&tape, "x", values, SHAPE(N));
        Tensor *y = cases[i].op(&tape, x);
        backward_ones(&tape, y);
        for (int j = 0; j < N; j++) {
            double expected = cases[i].exact((double)values[j]);
            if (expected > 3.5e38) { /* only exp grows that fast: infinity in float32 */
                assert_true(y->data[j] == INFINITY);
                continue;
            }
            if (!is_close((double)y->data[j], expected, 1e-6, 1e-5) || !isfinite(x->grad[j])) {
                fail_msg("%s(%g) is %.9g with slope %g, expected %.9g", cases[i].name,
                         (double)values[j], (double)y->data[j], (double)x->grad[j], expected);
            }
        }
        assert_close((double)x->grad[N - 1], 0.0, 1e-6, 0.0); /* flat far to the left */
    }
    tape_free(&tape);
}

static void test_relu_has_no_slope_at_zero(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", (const float[]){-1, 0, 1}, SHAPE(3));
    backward_ones(&tape, op_relu(&tape, x));
    assert_grad(x, 0.0, 0, 0, 1);
    tape_free(&tape);
}

static Tensor *apply(Tape *tape, Tensor *const *in, const void *context) {
    const Case *what = context;
    return what->op(tape, in[0]);
}

static void check_gradient_of(const Case *what) {
    static const int sizes[] = {1, 2, 7, 16, 17, 67};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        gradient_check(apply, what,
                       {.name = "x", INPUT_SHAPE(3, sizes[s]), .reach = 4.0f, .gap = 0.1f});
    }
}

static void test_gradient_tanh(void **state) {
    (void)state;
    check_gradient_of(&cases[0]);
}

static void test_gradient_sigmoid(void **state) {
    (void)state;
    check_gradient_of(&cases[1]);
}

static void test_gradient_relu(void **state) {
    (void)state;
    check_gradient_of(&cases[2]);
}

static void test_gradient_gelu_erf(void **state) {
    (void)state;
    check_gradient_of(&cases[3]);
}

static void test_gradient_gelu_tanh(void **state) {
    (void)state;
    check_gradient_of(&cases[4]);
}

static void test_gradient_silu(void **state) {
    (void)state;
    check_gradient_of(&cases[5]);
}

static void test_gradient_exp(void **state) {
    (void)state;
    check_gradient_of(&cases[6]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_by_hand),
        cmocka_unit_test(test_values_follow_the_definition_at_every_length),
        cmocka_unit_test(test_large_and_tiny_inputs),
        cmocka_unit_test(test_relu_has_no_slope_at_zero),
        cmocka_unit_test(test_gradient_tanh),
        cmocka_unit_test(test_gradient_sigmoid),
        cmocka_unit_test(test_gradient_relu),
        cmocka_unit_test(test_gradient_gelu_erf),
        cmocka_unit_test(test_gradient_gelu_tanh),
        cmocka_unit_test(test_gradient_silu),
        cmocka_unit_test(test_gradient_exp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
