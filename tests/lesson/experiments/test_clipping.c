#include "support/stage.h"

#include "lesson/experiments/clipping.h"

#include <math.h>
#include <stdlib.h>

typedef struct Play {
    double limit;
    int steps;
    ClippingArm arms[2];
} Play;

static void play(Run *run, void *context) {
    Play *p = context;
    clipping_compare(run, 4.0f, 1.0f, p->limit, p->steps, p->arms);
}

static void test_clipped_and_not(void **state) {
    (void)state;
    Play p = {.limit = 1.0, .steps = 30};
    Stage stage = stage_play(play, &p, "--no-plots");
    assert_close(p.arms[0].weights_norm, 4.0 * sqrt(32.0), 1e-3, 0); /* rho sqrt(H) */
    assert_close(p.arms[0].first_norm, p.arms[1].first_norm, 0, 0);  /* the same start */
    assert_true(p.arms[0].first_norm > 2.0);
    assert_true(p.arms[0].longest <= 1.0 + 1e-5);
    assert_true(p.arms[1].longest >= p.arms[1].first_norm - 1e-6);
    assert_true(p.arms[0].loss != p.arms[1].loss);
    char *numbers = lesson_file(&stage, "clipping.tsv", NULL);
    assert_non_null(strstr(numbers, "not clipped"));
    free(numbers);
    lesson_run_free(&stage);
}

static void test_limit_zero_does_not_clip(void **state) {
    (void)state;
    Play p = {.limit = 0.0, .steps = 5};
    Stage stage = stage_play(play, &p, "--no-plots");
    assert_memory_equal(&p.arms[0], &p.arms[1], sizeof p.arms[0]);
    lesson_run_free(&stage);
}

static void test_one_step_is_enough(void **state) {
    (void)state;
    Play p = {.limit = 1.0, .steps = 1};
    Stage stage = stage_play(play, &p, "--no-plots");
    assert_close(p.arms[0].loss, p.arms[1].loss, 0, 0); /* the loss before the first step */
    assert_close(p.arms[0].loss, log(8.0), 0.6, 0);
    lesson_run_free(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clipped_and_not),
        cmocka_unit_test(test_limit_zero_does_not_clip),
        cmocka_unit_test(test_one_step_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
