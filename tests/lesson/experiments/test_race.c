#include "lesson/experiments/small_transformer.h"
#include "support/stage.h"
#include "support/tensors.h"

#include "lesson/experiments/beams.h"
#include "lesson/experiments/race.h"

#include <stdlib.h>

static const Run nobody; /* no flags, nobody who stops it */

/* With a pencil, for sentences of 9 words. */
static void test_paths(void **state) {
    (void)state;
    assert_int_equal(racer_path(RACER_VECTOR, 9, true), 6); /* the fifth word: 5 steps, and 1 */
    assert_int_equal(racer_path(RACER_BAHDANAU, 9, true), 3);
    assert_int_equal(racer_path(RACER_LUONG, 9, true), 2);
    for (int kind = 0; kind < RACER_TRANSFORMER; kind++) {
        assert_int_equal(racer_path((RacerKind)kind, 9, false), 8);
    }
    assert_int_equal(racer_path(RACER_TRANSFORMER, 9, true), 1);
    assert_int_equal(racer_path(RACER_TRANSFORMER, 9, false), 1);
}

/* The chain of a recurrent one grows by the same with every two words, a Transformer's not at all.
 */
static void test_chains(void **state) {
    (void)state;
    for (int kind = 0; kind < RACER_TRANSFORMER; kind++) {
        RecurrentRacer racer;
        Translator t = recurrent_racer(&racer, (RacerKind)kind, 9, 9, 4, rng_seeded(1, 1));
        int four = racer_chain(&t, (RacerKind)kind, 4), six = racer_chain(&t, (RacerKind)kind, 6);
        assert_true(six >= four + 4); /* a step of the encoder and one of the decoder for each */
        assert_int_equal(racer_chain(&t, (RacerKind)kind, 8), six + (six - four));
        params_free(t.params);
    }
    SmallTransformer small;
    small_transformer_new(&small, (TransformerMistakes){0});
    assert_int_equal(racer_chain(&small.translator, RACER_TRANSFORMER, 4),
                     racer_chain(&small.translator, RACER_TRANSFORMER, 9));
    small_transformer_free(&small);
}

/* Which of them looks, and at what: another middle word in the source reaches what is written. */
static void test_the_recurrent_ones(void **state) {
    (void)state;
    const int lengths[] = {5};
    Task task = task_reversal(20, 5, 3, 5, 4, lengths, 1, rng_seeded(1, 1));
    for (int kind = 0; kind < RACER_TRANSFORMER; kind++) {
        RecurrentRacer racer;
        Translator t = recurrent_racer(&racer, (RacerKind)kind, task.source->size,
                                       task.target->size, 4, rng_seeded(1, 1));
        Translations done =
            translator_translate(&nobody, &t, task.held_out, (TranslateOptions){.B = 4});
        assert_int_equal(done.count, 4);
        assert_int_equal(done.item[0].weights != NULL, kind != RACER_VECTOR);
        translations_free(&done);
        Batcher *batcher = batcher_new(task.held_out, (BatchOptions){.B = 1}, rng_seeded(0, 0));
        const Batch *batch = batcher_range(batcher, 0, 1);
        Tape tape = tape_new();
        float before = t.loss(t.model, &tape, batch)->data[0];
        batch->source[2] = batch->source[2] == VOCAB_SPECIALS ? VOCAB_SPECIALS + 1 : VOCAB_SPECIALS;
        assert_true(t.loss(t.model, &tape, batch)->data[0] != before);
        tape_free(&tape);
        batcher_free(batcher);
        params_free(t.params);
    }
    task_free(&task);
}

typedef struct Play {
    SmallTransformer small;
    FitCurve curve;
    Race race;
    double reached, exact;
    bool still; /* no weight moved while the steps were timed */
} Play;

static void play(Run *run, void *context) {
    Play *p = context;
    const Params *params = &p->small.model.params;
    float *before = copy_of(params->data, params->size);
    p->curve = (FitCurve){.n = 2, .step = {10, 20}, .metric = {0.5, 0.95}};
    p->race = race_new(&p->small.task, 4);
    for (int kind = 0; kind < RACER_TRANSFORMER; kind++) {
        race_recurrent(run, &p->race, (RacerKind)kind, 3, 4);
    }
    race_add(&p->race, RACER_TRANSFORMER, p->small.translator, &p->curve);
    race_judge(run, &p->race);
    race_show(run, &p->race);
    race_show_paths(run, &p->race, 3, 5);
    race_claims(run, &p->race, 3, 5);
    p->reached = racer_sentences(&p->race, RACER_TRANSFORMER, 0.9);
    p->exact = race_of(&p->race, RACER_TRANSFORMER)->exact;
    p->still = memcmp(before, params->data, params->size * sizeof(float)) == 0;
    free(before);
    race_free(&p->race);
}

static void test_race(void **state) {
    (void)state;
    Play *p = calloc(1, sizeof *p);
    small_transformer_new(&p->small, (TransformerMistakes){0});
    Stage stage = stage_play(play, p, "--quick --no-plots");
    assert_close(p->reached, 4 * 20, 0, 0);
    Translations done = translator_translate(&nobody, &p->small.translator, p->small.task.held_out,
                                             (TranslateOptions){.B = 7});
    assert_close(p->exact, translations_right(&done), 0, 0);
    assert_true(p->still);
    assert_string_equal(lesson_claim(&stage, "in_a_row"), "holds");
    char *sentences = lesson_file(&stage, "race_sentences.tsv", NULL);
    char *seconds = lesson_file(&stage, "timing_race.tsv", NULL);
    assert_non_null(strstr(sentences, "\n4\t80\t0.95\t"));
    assert_non_null(strstr(seconds, "Transformer"));
    free(sentences);
    free(seconds);
    translations_free(&done);
    lesson_run_free(&stage);
    small_transformer_free(&p->small);
    free(p);
}

/* 3 checks of 10 steps at half a second each, 2 at a quarter: the second is done after 5 s. */
static void test_the_same_seconds(void **state) {
    (void)state;
    FitCurve slow = {.n = 3, .step = {10, 20, 30}, .metric = {0.1, 0.5, 0.9}};
    FitCurve fast = {.n = 2, .step = {10, 20}, .metric = {0.2, 0.3}};
    Race race = {.count = 2,
                 .by = {{.curve = &slow, .seconds = 0.5}, {.curve = &fast, .seconds = 0.25}}};
    assert_close(race_common_seconds(&race), 5.0, 1e-12, 0);
    assert_close(racer_exact_within(&race.by[0], 4.9), 0.0, 0, 0);
    assert_close(racer_exact_within(&race.by[0], 5.0), 0.1, 0, 0);
    assert_close(racer_exact_within(&race.by[0], 14.9), 0.5, 0, 0);
    assert_close(racer_exact_within(&race.by[1], 5.0), 0.3, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_the_recurrent_ones),
        cmocka_unit_test(test_race),
        cmocka_unit_test(test_the_same_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
