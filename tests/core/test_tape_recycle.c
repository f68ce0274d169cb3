/* A tape that recycles gradients gives inputs and parameters the same ones as a tape that keeps
 * them all. Each graph below is run on both; what is recycled is filled with what was there before,
 * so a gradient that is added to where it should have been stored comes out wrong. */
#include "support/tensors.h"

#include "core/optim.h"

typedef Tensor *(*Graph)(Tape *tape, Tensor *x, Tensor *w); /* x (4, 6, 8), w (8, 8) */

static Tensor *of_products(Tape *tape, Tensor *x, Tensor *w) {
    Tensor *rows = op_reshape(tape, x, SHAPE(24, 8));
    Tensor *twice = op_matmul(tape, op_matmul(tape, rows, w), w); /* w is used again */
    Tensor *scores = op_matmul_nt(tape, twice, rows);             /* (24, 24) */
    Tensor *back = op_matmul_tn(tape, scores, twice);             /* (24, 8) */
    Tensor *square = op_matmul_nt(tape, back, back);              /* both inputs are one tensor */
    return op_matmul(tape, square, op_linear(tape, back, w, op_index(tape, w, 3)));
}

static Tensor *of_sums(Tape *tape, Tensor *x, Tensor *w) {
    Tensor *y = op_tanh(tape, op_add(tape, x, op_index(tape, w, 0))); /* a row, repeated */
    y = op_add(tape, y, y);                                           /* one tensor twice */
    y = op_sub(tape, op_scale(tape, y, 0.5f), op_mul(tape, y, y));
    Tensor *z = op_sub(tape, y, op_reshape(tape, op_sigmoid(tape, y), SHAPE(4, 6, 8)));
    z = op_add(tape, op_dropout(tape, y, 0.3f, 5), z); /* y is used before and after */
    z = op_sub(tape, z, y);
    z = op_sub(tape, z, op_index(tape, w, 1));
    return op_add_middle(tape, op_dropout(tape, z, 0.2f, 6), op_slice(tape, w, 2, 6));
}

static Tensor *of_views(Tape *tape, Tensor *x, Tensor *w) {
    Tensor *y = op_relu(tape, op_matmul(tape, x, w));
    Tensor *first = op_slice(tape, y, 0, 2), *third = op_index(tape, y, 2); /* the last: unused */
    Tensor *inner = op_index(tape, op_reshape(tape, first, SHAPE(4, 3, 8)), 1); /* of a view */
    Tensor *rows = op_concat(tape, 0, (Tensor *const[]){inner, third, op_detach(tape, inner)}, 3);
    Tensor *parts[] = {rows, op_scale(tape, rows, 2.0f), rows};
    return op_transpose(tape, op_stack(tape, parts, 3));
}

static Tensor *of_rows(Tape *tape, Tensor *x, Tensor *w) {
    Tensor *gain = op_index(tape, w, 0), *bias = op_index(tape, w, 7);
    Tensor *y = op_layernorm(tape, op_gelu_erf(tape, x), gain, bias, 1e-5f);
    Mask mask = {
        .batch = 1, .queries = 1, .keys = 8, .may_look = (const bool[8]){true, true, false, true}};
    y = op_add(tape, op_masked_softmax(tape, y, &mask), op_softmax(tape, op_silu(tape, y)));
    y = op_add(tape, y, op_log_softmax(tape, op_gelu_tanh(tape, y)));
    Tensor *unused = op_exp(tape, y);
    (void)unused;
    return op_mul(tape, y,
                  op_slice_last(tape, op_concat(tape, 2, (Tensor *const[]){y, x}, 2), 4, 12));
}

static Tensor *of_heads(Tape *tape, Tensor *x, Tensor *w) {
    Tensor *q = op_rope(tape, op_matmul(tape, x, w), 2, 0, ROPE_HALF);
    Tensor *qkv = op_concat(tape, 2, (Tensor *const[]){q, x, op_matmul(tape, x, w)}, 3);
    Tensor *packed = op_attention_packed(tape, qkv, (AttentionOptions){.heads = 2, .causal = true});
    Tensor *split = op_split_heads(tape, packed, 2);
    Tensor *y = op_attention(tape, split, split, split, (AttentionOptions){.dropout = 0.1f});
    return op_merge_heads(tape, y);
}

static Tensor *of_words(Tape *tape, Tensor *x, Tensor *w) {
    static const int ids[] = {1, 7, 7, 0}, targets[] = {0, 3, 3, 5};
    Tensor *words = op_embedding(tape, w, ids, SHAPE(4)); /* w is the table, and the output too */
    Tensor *logits = op_matmul_nt(
        tape, op_add(tape, words, op_index(tape, op_reshape(tape, x, SHAPE(6, 4, 8)), 2)), w);
    CrossEntropy smooth = {.ignore = 5, .smoothing = 0.1f};
    return op_add(tape, op_cross_entropy(tape, logits, targets, smooth), op_mean(tape, logits));
}

static const Graph graphs[] = {of_products, of_sums, of_views, of_rows, of_heads, of_words};
enum { GRAPHS = sizeof graphs / sizeof *graphs, OF_X = 4 * 6 * 8, OF_W = 8 * 8 };

/* Two steps of a graph with parameters x and w; their gradients, x's first, go to `grad`. */
static void run_graph(Graph graph, bool recycle, bool begin_end, float *grad) {
    Params params = params_new();
    Tensor *x = params_add(&params, NULL, "x", init_uniform(1.0f), SHAPE(4, 6, 8));
    Tensor *w = params_add(&params, NULL, "w", init_uniform(1.0f), SHAPE(8, 8));
    Tensor *idle = params_add(&params, NULL, "idle", init_zeros(), SHAPE(3));
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    Tape tape = tape_new();
    tape.recycle = recycle;
    for (int step = 0; step < 2; step++) {
        tape_reset(&tape);
        if (begin_end) {
            for (size_t i = 0; i < params.size; i++) {
                params.grad[i] = 1e9f; /* must not be seen again */
            }
            params_begin_grad(&params);
            assert_null(w->grad);
            assert_true(tensor_wants_grad(w));
        } else {
            params_zero_grad(&params);
        }
        Tensor *y = graph(&tape, x, w);
        assert_true((y->grad == NULL) == recycle);
        Tensor *weights = random_constant(&tape, &rng, "weights", y->ndim, y->dim);
        rng = rng_seeded(2, 0);
        tape_backward(&tape, op_sum(&tape, op_mul(&tape, y, weights)));
        assert_true((y->grad == NULL) == recycle);
        params_end_grad(&params);
    }
    assert_grad(idle, 0.0, 0, 0, 0);
    memcpy(grad, x->grad, OF_X * sizeof *grad);
    memcpy(grad + OF_X, w->grad, OF_W * sizeof *grad);
    tape_free(&tape);
    params_free(&params);
}

static void test_inputs_get_the_same_gradients(void **state) {
    (void)state;
    for (int g = 0; g < GRAPHS; g++) {
        float kept[OF_X + OF_W], other[OF_X + OF_W];
        run_graph(graphs[g], false, false, kept);
        double largest = 0.0;
        for (int form = 1; form < 4; form++) {
            run_graph(graphs[g], form & 1, form & 2, other);
            for (int i = 0; i < OF_X + OF_W; i++) {
                assert_true(other[i] == kept[i]); /* to the bit, but for the sign of a zero */
                largest = fmax(largest, fabs((double)kept[i]));
            }
        }
        assert_true(largest > 1e-3);
    }
}

/* A chain of n results: with recycling, no more than two gradients exist at a time. */
static size_t chain_bytes(bool recycle, int n) {
    Tape tape = tape_new();
    tape.recycle = recycle;
    Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(1000)), *y = x;
    for (int i = 0; i < n; i++) {
        y = op_tanh(&tape, y);
    }
    tape_backward(&tape, op_sum(&tape, y));
    assert_grad(op_slice(&tape, x, 0, 2), 0.0, 1, 1);
    size_t bytes = tape.arena.peak;
    tape_free(&tape);
    return bytes;
}

static void test_few_gradients_exist_at_a_time(void **state) {
    (void)state;
    const double gradient = 1000 * sizeof(float);
    double more = (double)(chain_bytes(true, 120) - chain_bytes(true, 20)) / 100;
    double more_kept = (double)(chain_bytes(false, 120) - chain_bytes(false, 20)) / 100;
    assert_true(more_kept > 2 * gradient);                 /* values and gradients */
    assert_true(more > gradient && more < 1.2 * gradient); /* values */
}

/* The gradient of a result cannot be filled in beforehand, and that is said. */
static void test_nothing_to_begin_from(void **state) {
    (void)state;
    Tape tape = tape_new();
    tape.recycle = true;
    Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(2));
    Tensor *y = op_tanh(&tape, x);
    expect_check_message("tape_backward: tanh (2) has no gradient", tape_backward_from(&tape, y));
    tape_free(&tape);
}

/* Evaluation on the same tape records nothing and promises nothing. */
static void test_evaluation_has_no_gradients(void **state) {
    (void)state;
    Tape tape = tape_new();
    tape.recycle = true;
    tape.recording = false;
    Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(2));
    assert_false(tensor_wants_grad(op_tanh(&tape, x)));
    assert_int_equal(tape.node_count, 0);
    tape_free(&tape);
}

/* A buffer far larger than what is asked for stays free for those that need it. */
static void test_a_small_gradient_takes_no_large_buffer(void **state) {
    (void)state;
    Tape tape = tape_new();
    tape.recycle = true;
    Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(100, 1000));
    Tensor *small = op_tanh(&tape, op_index(&tape, x, 0));
    Tensor *large = op_tanh(&tape, op_tanh(&tape, x)); /* goes back first */
    Tensor *loss = op_add(&tape, op_sum(&tape, large), op_sum(&tape, small));
    size_t before = tape.arena.used;
    tape_backward(&tape, loss);
    assert_true(tape.arena.used - before > (200 + 1) * 1000 * sizeof(float));
    tape_free(&tape);
}

/* Views let go of their gradient, too: what is in its memory may soon be another's. */
static void test_no_view_keeps_a_gradient(void **state) {
    (void)state;
    Tape tape = tape_new();
    tape.recycle = true;
    Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(3, 2)), *y = op_tanh(&tape, x);
    Tensor *view = op_index(&tape, y, 1), *inner = op_reshape(&tape, view, SHAPE(1, 2));
    Tensor *product = op_mul(&tape, op_exp(&tape, inner), view);
    tape_backward(&tape, op_sum(&tape, product));
    assert_true(y->grad == NULL && view->grad == NULL && inner->grad == NULL);
    tape_free(&tape);
}

/* --check-finite looks at the same gradients. */
static void test_a_gradient_that_is_not_finite_is_named(void **state) {
    (void)state;
    Tape tape = tape_new();
    tape.recycle = tape.check_finite = true;
    Tensor *x = tape_variable(&tape, "x", (const float[]){1e30f, 1}, SHAPE(2));
    Tensor *y = op_mul(&tape, op_scale(&tape, x, 1e-38f), x); /* 1e22: large, but there */
    expect_check_message("mul: the gradient of scale (2)",    /* 1e15 times 1e30 */
                         tape_backward(&tape, op_sum(&tape, op_scale(&tape, y, 1e15f))));
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs_get_the_same_gradients),
        cmocka_unit_test(test_few_gradients_exist_at_a_time),
        cmocka_unit_test(test_nothing_to_begin_from),
        cmocka_unit_test(test_no_view_keeps_a_gradient),
        cmocka_unit_test(test_evaluation_has_no_gradients),
        cmocka_unit_test(test_a_small_gradient_takes_no_large_buffer),
        cmocka_unit_test(test_a_gradient_that_is_not_finite_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
