#include "lesson/experiments/small_transformer.h"
#include "support/stage.h"
#include "support/tensors.h"

#include "lesson/experiments/phrase_run.h"

#include <stdlib.h>

static void play(Run *run, void *context) {
    PhraseRun *p = context;
    TrainingPlan plan = {.steps = 30, .B = 4, .rate = 1e-2f, .clip = 1.0};
    plan.rng = run_rng(run, "batches");
    p->beams.exact[PHRASES_EARLY][0] = -1.0;
    phrase_run_train(run, p, small_recipe((TransformerMistakes){0}), plan);
    phrase_run_beams(run, p);
}

/* The first comparison of beams is early, the second at the end; the phrase of the pictures is one
 * whose words change places. */
static void test_run(void **state) {
    (void)state;
    PhraseRun *p = calloc(1, sizeof *p);
    Stage stage = stage_play(play, p, "--quick --no-plots");
    assert_int_equal(stage.status, 0);
    assert_int_equal(p->curve.n, 15); /* every second step */
    assert_int_equal(p->early, 8);
    assert_true(phrase_is_reordered(&p->task.phrases[p->chosen]));
    for (int moment = 0; moment < BEAM_MOMENTS; moment++) {
        for (int k = 0; k < BEAM_SIZES; k++) {
            assert_true(p->beams.exact[moment][k] >= 0.0 && p->beams.bleu[moment][k] <= 1.0);
        }
    }
    lesson_run_free(&stage);
    phrase_run_free(p);
    free(p);
}

static void test_nothing_to_free(void **state) {
    (void)state;
    PhraseRun *none = calloc(1, sizeof *none);
    phrase_run_free(none);
    free(none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_nothing_to_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
