#include "support/stage.h"

#include "lesson/experiments/head_cost.h"

#include <math.h>
#include <stdlib.h>

static Tensor *attend(void *context, Tape *tape, const MultiHead *layer, Tensor *x,
                      Tensor **weights) {
    (void)context;
    return multi_head_self(tape, layer, x, (Look){.weights = weights, .composed = true});
}

typedef struct Costs {
    HeadCost by[HEAD_COST_SIZES];
    double ratio;
    bool shapes;
} Costs;

static void play(Run *run, void *context) {
    Costs *costs = context;
    head_costs_show(run, attend, NULL, 3, 10, 32, costs->by);
    costs->ratio = glorot_packed_ratio(run, 200);
    HeadSample sample = head_sample_new(run, 4, 5, 8);
    costs->shapes = sample.layer.heads == 4 && !sample.layer.packed && sample.x->dim[1] == 5 &&
                    sample.x->dim[2] == 8 && sample.x->data[0] != sample.x->data[8];
    head_sample_free(&sample);
}

/* d = 32, L = 10: four projections of L d d; scores and sums L L d each; whatever the heads. */
static void test_counts_by_hand(void **state) {
    (void)state;
    Costs costs;
    Stage stage = stage_play(play, &costs, "--quick");
    assert_int_equal(stage.status, 0);
    for (int k = 0; k < HEAD_COST_SIZES; k++) {
        const HeadCost *cost = &costs.by[k];
        assert_int_equal(cost->heads, 1 << k);
        assert_int_equal(cost->parameters, 4 * (32 * 32 + 32));
        assert_close(cost->with_weights, 4 * 10 * 32 * 32, 0, 0);
        assert_close(cost->with_each_other, 2 * 10 * 10 * 32, 0, 0);
        assert_close(cost->exponentials, (1 << k) * 100, 0, 0);
        assert_true(cost->seconds > 0.0 && cost->fused_seconds > 0.0);
    }
    assert_true(costs.shapes);
    char *timing = lesson_file(&stage, "timing_head_cost.tsv", NULL);
    assert_non_null(timing);
    free(timing);
    lesson_run_free(&stage);
}

/* sqrt(6 / 2d) over sqrt(6 / 4d) */
static void test_glorot(void **state) {
    (void)state;
    Costs costs;
    Stage stage = stage_play(play, &costs, "--quick --no-plots");
    assert_close(costs.ratio, sqrt(2.0), 0.02, 0);
    lesson_run_free(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_by_hand),
        cmocka_unit_test(test_glorot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
