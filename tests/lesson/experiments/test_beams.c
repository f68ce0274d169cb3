#include "lesson/experiments/small_transformer.h"
#include "support/stage.h"
#include "support/tensors.h"

#include "lesson/experiments/beams.h"

static void play(Run *run, void *context) {
    BeamComparison *beams = context;
    beams_compare(run, beams, 0);
    beams_compare(run, beams, 1);
    beams_show(run, beams, (const char *const[]){"early", "late"});
}

/* Both moments are noted, in the order of the sizes, and the first is greedy. */
static void test_compare(void **state) {
    (void)state;
    SmallTransformer small;
    small_transformer_new(&small, (TransformerMistakes){0});
    BeamComparison beams = {&small.translator, small.task.held_out, .pairs = 5, .normalise = 0.6f};
    for (int k = 0; k < BEAM_SIZES; k++) {
        beams.exact[0][k] = beams.bleu[1][k] = -1.0;
    }
    Stage stage = stage_play(play, &beams, "--no-plots");
    Run nobody = {0};
    Translations greedy = translator_translate(&nobody, &small.translator, small.task.held_out,
                                               (TranslateOptions){.B = 5, .count = 5});
    assert_close(beams.exact[0][0], translations_right(&greedy), 1e-12, 0);
    assert_close(beams.bleu[1][0], translations_bleu(&greedy), 1e-12, 0);
    for (int k = 0; k < BEAM_SIZES; k++) {
        assert_true(beams.exact[0][k] >= 0.0 && beams.bleu[1][k] >= 0.0);
        assert_close(beams.bleu[0][k], beams.bleu[1][k], 0, 0); /* nothing was learnt in between */
    }
    translations_free(&greedy);
    lesson_run_free(&stage);
    small_transformer_free(&small);
}

/* Two sentences, one right: a half; BLEU as data/metrics.h counts it. */
static void test_scores(void **state) {
    (void)state;
    const int a[] = {4, 5, 6, 7, 8}, b[] = {4, 5, 6, 7, 9};
    Translation item[] = {{.reference = {a, 5}, .output = {a, 5}},
                          {.reference = {a, 5}, .output = {b, 5}}};
    Translations list = {.count = 2, .item = item};
    Bleu bleu = {0};
    bleu_add(&bleu, (Ids){a, 5}, (Ids){a, 5});
    bleu_add(&bleu, (Ids){b, 5}, (Ids){a, 5});
    assert_close(translations_right(&list), 0.5, 0, 0);
    assert_close(translations_bleu(&list), bleu_score(&bleu), 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
