#include "lesson/experiments/plain_look.h"
#include "support/stage.h"
#include "support/tensors.h"

#include "lesson/experiments/layer_cost.h"

static LayerCost cost_of(LayerKind kind, int n, int d, bool with_path) {
    return layer_cost(kind, LOOKER(looks_everywhere), n, d, with_path);
}

/* What the tape says is what the shapes say. */
static void test_multiply_adds(void **state) {
    (void)state;
    for (int n = 3; n <= 33; n += 10) {
        for (int d = 4; d <= 16; d *= 2) {
            double each = (double)n * d * d;
            LayerCost attention = cost_of(LAYER_ATTENTION, n, d, false);
            assert_close(attention.projections, 3 * each, 0, 0);
            assert_close(attention.products, 2.0 * n * n * d, 0, 0);
            LayerCost recurrent = cost_of(LAYER_RECURRENT, n, d, false);
            assert_close(recurrent.projections, 2 * each, 0, 0);
            assert_close(recurrent.products, 0, 0, 0);
            assert_close(cost_of(LAYER_CONVOLUTION, n, d, false).projections, LAYER_WIDTH * each, 0,
                         0);
            assert_close(cost_of(LAYER_DILATED, n, d, false).projections, LAYER_WIDTH * each, 0, 0);
            LayerCost near = cost_of(LAYER_RESTRICTED, n, d, false);
            assert_close(near.projections, 3 * each, 0, 0);
            assert_close(near.products, 2.0 * LAYER_WINDOW * n * d, 0, 0);
        }
    }
}

/* The three matrix products and what is none. */
static void test_counting_on_a_tape(void **state) {
    (void)state;
    Tape tape = tape_new();
    Rng rng = rng_seeded(1, 1);
    Tensor *a = random_variable(&tape, &rng, "a", SHAPE(2, 3, 4));
    Tensor *b = random_variable(&tape, &rng, "b", SHAPE(2, 4, 5));
    Tensor *w = random_variable(&tape, &rng, "w", SHAPE(7, 4));
    double weights, each_other;
    tape_multiply_adds(&tape, &weights, &each_other);
    assert_close(weights + each_other, 0, 0, 0);
    op_matmul(&tape, a, b);
    op_matmul_nt(&tape, a, a);
    op_matmul_tn(&tape, a, a);
    op_linear(&tape, a, w, NULL);
    op_tanh(&tape, op_add(&tape, a, a));
    tape_multiply_adds(&tape, &weights, &each_other);
    assert_close(weights, 2 * 3 * 7 * 4, 0, 0);
    assert_close(each_other, 2 * (3 * 5 * 4 + 3 * 3 * 4 + 4 * 4 * 3), 0, 0);
    tape_free(&tape);
}

static void test_order(void **state) {
    (void)state;
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        int few = cost_of((LayerKind)kind, 8, 4, false).chain;
        int many = cost_of((LayerKind)kind, 40, 4, false).chain;
        assert_int_equal(many - few, kind == LAYER_RECURRENT ? 3 * 32 : 0);
    }
}

static void test_paths(void **state) {
    (void)state;
    static const int lengths[] = {2, 9, 27, 28, 40};
    for (int i = 0; i < 5; i++) {
        int n = lengths[i], hops = n - 1, side = LAYER_WINDOW / 2;
        int dilated = 1;
        for (int reach = LAYER_WIDTH; reach < n; reach *= LAYER_WIDTH) { /* ceil(log_3 n) */
            dilated++;
        }
        assert_int_equal(cost_of(LAYER_ATTENTION, n, 4, true).path, 1);
        assert_int_equal(cost_of(LAYER_RECURRENT, n, 4, true).path, n);
        assert_int_equal(cost_of(LAYER_CONVOLUTION, n, 4, true).path, (hops + 1) / 2);
        assert_int_equal(cost_of(LAYER_DILATED, n, 4, true).path, dilated);
        assert_int_equal(cost_of(LAYER_RESTRICTED, n, 4, true).path, (hops + side - 1) / side);
    }
    assert_int_equal(cost_of(LAYER_ATTENTION, 5, 4, false).path, 0); /* not asked for */
}

/* 12 L d^2, which scores and weighted sum, 2 L^2 d, reach at L = 6 d. */
static void test_crossing(void **state) {
    (void)state;
    assert_close(transformer_linear_cost(10, 8), 12.0 * 10 * 64, 0, 0);
    assert_close(cost_of(LAYER_ATTENTION, 48, 8, false).products, transformer_linear_cost(48, 8), 0,
                 0);
}

static void play(Run *run, void *context) {
    LayerCost(*cost)[2] = context;
    layer_costs_show(run, LOOKER(looks_everywhere), 8, 8, cost);
    layer_costs_claim(run, cost, 8);
    layer_crossing_show(run, LOOKER(looks_everywhere), 4);
}

static void test_shown(void **state) {
    (void)state;
    LayerCost cost[LAYER_KINDS][2];
    Stage stage = stage_play(play, cost, "--quick");
    static const char *const ids[] = {"square",         "recurrent_work", "scores_work",
                                      "attention_work", "in_order",       "recurrent_order",
                                      "path",           "recurrent_path", "crossing"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        assert_string_equal(lesson_claim(&stage, ids[i]), "holds");
    }
    assert_int_equal(cost[LAYER_RECURRENT][1].path, 16);
    lesson_run_free(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multiply_adds), cmocka_unit_test(test_counting_on_a_tape),
        cmocka_unit_test(test_order),         cmocka_unit_test(test_paths),
        cmocka_unit_test(test_crossing),      cmocka_unit_test(test_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
