#include "support/stage.h"

#include "lesson/experiments/serial_cost.h"

#include <stdlib.h>

static void test_chains_and_products(void **state) {
    (void)state;
    for (int T = 1; T <= 50; T += 7) {
        SerialCost cost = serial_cost_measure(T, 6, 0.0, rng_seeded(1, 1));
        assert_int_equal(cost.rnn_chain, 3 * T); /* product, sum, tanh */
        assert_int_equal(cost.attention_chain, 5);
        assert_close(cost.rnn_products, 2.0 * T * 36, 0, 0);
        assert_close(cost.attention_products, 3.0 * T * 36 + 2.0 * T * T * 6, 0, 0);
        assert_true(cost.rnn_seconds > 0.0 && cost.attention_seconds > 0.0);
    }
}

static void play(Run *run, void *context) {
    const int T[] = {2, 8, 32};
    serial_cost_compare(run, T, 3, 4, context);
}

/* Seconds go to the files that may differ, counts to those that may not. */
static void test_compared(void **state) {
    (void)state;
    SerialCost cost[3];
    Stage stage = stage_play(play, cost, "--quick --no-plots");
    assert_int_equal(cost[2].rnn_chain, 96);
    char *chain = lesson_file(&stage, "serial_chain.tsv", NULL);
    char *times = lesson_file(&stage, "timing_serial_cost.tsv", NULL);
    assert_non_null(strstr(chain, "\t32\t96\t"));
    assert_non_null(strstr(chain, "\t32\t5\t"));
    assert_non_null(times);
    free(chain);
    free(times);
    lesson_run_free(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains_and_products),
        cmocka_unit_test(test_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
