#include "support/stage.h"

#include "lesson/experiments/score_cost.h"

#include <stdlib.h>

/* One sentence of 3 words, vectors of size 2, counted with a pencil. */
static void test_multiply_adds_by_hand(void **state) {
    (void)state;
    assert_close(score_multiply_adds(WAY_DOT, 1, 3, 2), 6, 0, 0); /* 2 for each word */
    assert_close(score_multiply_adds(WAY_GENERAL, 1, 3, 2), 4 + 6, 0, 0);
    assert_close(score_multiply_adds(WAY_ADDITIVE, 1, 3, 2), 4 + 3 * 6, 0, 0);
    assert_close(score_multiply_adds(WAY_ADDITIVE_EVERY, 1, 3, 2), 4 + 3 * 4 + 3 * 6, 0, 0);
}

/* Twice the sentences, twice the work; keys made at every step cost S d^2 more for each. */
static void test_multiply_adds_grow(void **state) {
    (void)state;
    for (int d = 1; d <= 100; d += 11) {
        for (int way = 0; way < SCORE_WAYS; way++) {
            double one = score_multiply_adds((ScoreWay)way, 1, 30, d);
            assert_close(score_multiply_adds((ScoreWay)way, 8, 30, d), 8 * one, 0, 0);
        }
        assert_close(score_multiply_adds(WAY_ADDITIVE_EVERY, 1, 30, d) -
                         score_multiply_adds(WAY_ADDITIVE, 1, 30, d),
                     30.0 * d * d, 0, 0);
    }
}

static void test_seconds(void **state) {
    (void)state;
    for (int way = 0; way < SCORE_WAYS; way++) {
        Rng rng = rng_seeded(1, 1);
        double seconds = score_seconds((ScoreWay)way, 2, 3, 5, 0.0, &rng);
        assert_true(seconds > 0.0 && seconds < 1.0);
    }
}

typedef struct Play {
    ScoreCosts costs;
    int same, different;
} Play;

static void play(Run *run, void *context) {
    Play *found = context;
    found->costs = score_costs_show(run, 2, 3);
    found->same = scores_that_cope(run, 4, 4);
    found->different = scores_that_cope(run, 4, 6);
}

/* Counts go to files that must be the same for every run, seconds to one that need not. */
static void test_shown(void **state) {
    (void)state;
    Play found;
    Stage stage = stage_play(play, &found, "--quick --no-plots");
    assert_int_equal(stage.status, 0);
    assert_close(found.costs.d[0], 16, 0, 0);
    assert_close(found.costs.d[SCORE_COST_SIZES - 1], 1024, 0, 0);
    assert_close(found.costs.adds[WAY_DOT][0], 2 * 3 * 16, 0, 0);
    char *counts = lesson_file(&stage, "score_cost.tsv", NULL);
    char *times = lesson_file(&stage, "timing_score_cost.tsv", NULL);
    assert_non_null(strstr(counts, "\n1\t16\t96\t"));
    assert_non_null(times);
    free(counts);
    free(times);
    lesson_run_free(&stage);
    assert_int_equal(found.same, 3);
    assert_int_equal(found.different, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multiply_adds_by_hand),
        cmocka_unit_test(test_multiply_adds_grow),
        cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
