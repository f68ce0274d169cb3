#include "lesson/experiments/plain_look.h"
#include "support/stage.h"

#include "lesson/experiments/projections.h"

#include <stdlib.h>

enum { N = PROJECTION_TOKENS };

static DiagonalShare measure(ProjectionCase one, int trials) {
    return projections_measure(LOOKER(looks_everywhere), &one, trials, rng_seeded(1, 1), NULL);
}

/* x . x / 8 is about 8, other products about N(0, 1): e^8 against 15 e^.5 is .992 of the weight. */
static void test_x_itself(void **state) {
    (void)state;
    DiagonalShare share = measure((ProjectionCase){.size = 1}, 50);
    assert_close(share.weight, 0.985, 0.012, 0);
    assert_close(share.largest, 1, 1e-6, 0);
    assert_close(share.asymmetry, 0, 1e-5, 0);
}

/* Of length 1: score 1 with itself, N(0, 1/64) with the others. */
static void test_short_tokens(void **state) {
    (void)state;
    double e = exp(1.0);
    DiagonalShare share = measure((ProjectionCase){.size = 1, .unit = true, .unscaled = true}, 50);
    assert_close(share.weight, e / (e + 15 * exp(0.5 / 64)), 0.003, 0);
    assert_close(share.largest, 1, 1e-6, 0);
    double scaled = exp(1.0 / 8);
    share = measure((ProjectionCase){.size = 1, .unit = true}, 50);
    assert_close(share.weight, scaled / (scaled + 15), 0.001, 0);
}

static void test_two_matrices(void **state) {
    (void)state;
    DiagonalShare shared = measure((ProjectionCase){.way = PROJECT_SHARED, .size = 1}, 50);
    DiagonalShare apart = measure((ProjectionCase){.way = PROJECT_APART, .size = 1}, 50);
    assert_true(shared.weight > 0.9);
    assert_close(shared.asymmetry, 0, 1e-4, 0);
    assert_close(apart.weight, 1.0 / N, 0.02, 0);
    assert_true(apart.largest < 0.2);
    assert_close(apart.asymmetry, 1, 0.2, 0);
}

static void test_map(void **state) {
    (void)state;
    float map[N * N];
    ProjectionCase one = {.way = PROJECT_APART, .size = 1};
    projections_measure(LOOKER(looks_back), &one, 2, rng_seeded(1, 1), map);
    assert_close(rows_off_from_one(map, N), 0, 1e-5, 0);
    assert_close(map[1], 0, 0, 0); /* query 0 does not see key 1 */
    assert_true(map[N] > 0);
}

static void play(Run *run, void *context) {
    DiagonalShare *shares = context;
    const ProjectionCase cases[] = {{.name = "none", .size = 1},
                                    {.name = "two", .way = PROJECT_APART, .size = 1}};
    projections_compare(run, LOOKER(looks_everywhere), cases, 2, 4, shares);
    projections_plot(run, LOOKER(looks_everywhere), PROJECT_APART, 4);
}

static void test_shown(void **state) {
    (void)state;
    DiagonalShare shares[2];
    Stage stage = stage_play(play, shares, "");
    assert_true(shares[0].weight > 0.9 && shares[1].weight < 0.2);
    char *text = lesson_file(&stage, "projection_sizes.tsv", NULL);
    char *picture = lesson_file(&stage, "projections.png", NULL);
    assert_non_null(text);
    assert_non_null(picture);
    char *weights = lesson_file(&stage, "attention.tsv", NULL);
    assert_non_null(weights);
    assert_non_null(strstr(weights, "\t15\t15\tx_15\tx_15\t"));
    assert_non_null(strstr(weights, "\tprojections: none\n"));
    assert_non_null(strstr(weights, "\tprojections: two\n"));
    free(weights);
    free(text);
    free(picture);
    lesson_run_free(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_x_itself),     cmocka_unit_test(test_short_tokens),
        cmocka_unit_test(test_two_matrices), cmocka_unit_test(test_map),
        cmocka_unit_test(test_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
