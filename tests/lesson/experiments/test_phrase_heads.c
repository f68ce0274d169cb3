#include "support/stage.h"
#include "support/tensors.h"

#include "lesson/experiments/phrase_heads.h"

#include <stdlib.h>

typedef struct Trials {
    int steps, heads;
    PhraseTrial *trial;
} Trials;

static void play(Run *run, void *context) {
    Trials *t = context;
    PhraseHeadsPlan plan = phrase_heads_plan(run, 32, t->heads);
    plan.steps = t->steps;
    plan.B = 32;
    plan.train = 2000;
    plan.held_out = 30;
    t->trial = phrase_train(run, &plan);
    phrase_table(run, t->trial);
    phrase_sheet(run, t->trial, SITE_ENCODER, 1, "encoder.png", "Encoder");
    phrase_sheet(run, t->trial, SITE_DECODER, 1, "decoder.png", "Decoder");
    phrase_sheet(run, t->trial, SITE_CROSS, 1, "across.png", "Across");
    phrase_claims(run, t->trial);
}

static int lines_of(const char *text) {
    int lines = 0;
    for (; *text != '\0'; text++) {
        lines += *text == '\n';
    }
    return lines;
}

static void test_untrained(void **state) {
    (void)state;
    Trials t = {.steps = 1, .heads = 2};
    Stage stage = stage_play(play, &t, "--quick --no-plots");
    assert_int_equal(stage.status, 0);
    const PhraseTrial *trial = t.trial;
    int all = 0;
    for (int c = 0; c < HEAD_CLASSES; c++) {
        int sum = 0;
        for (int s = 0; s < PHRASE_SITES; s++) {
            sum += phrase_count(trial, (PhraseSite)s, (HeadClass)c);
        }
        assert_int_equal(sum, phrase_count(trial, PHRASE_SITES, (HeadClass)c));
        all += sum;
    }
    assert_int_equal(all, PHRASE_SITES * PHRASE_LAYERS * 2);
    assert_close(trial->loss, log(trial->task.target->size), 1.5, 0);
    for (int s = 0; s < PHRASE_SITES; s++) {
        for (int i = 0; i < PHRASE_LAYERS * 2; i++) { /* no segments are known */
            assert_true(isnan(trial->head[s][i / 2][i % 2].measures.block));
        }
    }
    int S = corpus_source(trial->task.held_out, 1).length;
    int T = corpus_target(trial->task.held_out, 1).length + 1; /* the start token */
    char *log_file = lesson_file(&stage, "attention.tsv", NULL);
    assert_non_null(log_file);
    assert_int_equal(lines_of(log_file), 1 + PHRASE_LAYERS * 2 * (S * S + T * T + T * S));
    assert_non_null(strstr(log_file, "<start>"));
    assert_null(strstr(log_file, "<pad>"));
    free(log_file);
    phrase_free(t.trial);
    lesson_run_free(&stage);
}

/* A short training, long enough for the look across to matter. */
static void test_trained(void **state) {
    (void)state;
    Trials t = {.steps = 250, .heads = 4};
    Stage stage = stage_play(play, &t, "--no-plots");
    assert_true(t.trial->accuracy > 0.6);
    assert_true(t.trial->loss < 1.3);
    assert_true(t.trial->rise[SITE_CROSS] > 0.3);
    assert_true(t.trial->rise[SITE_CROSS] > t.trial->rise[SITE_ENCODER]);
    for (int i = 0; i < PHRASE_SITES * PHRASE_LAYERS * t.trial->plan.heads; i++) {
        int heads = t.trial->plan.heads;
        const PhraseHead *one =
            &t.trial->head[i / heads / PHRASE_LAYERS][i / heads % PHRASE_LAYERS][i % heads];
        assert_true(one->rise < t.trial->rise[SITE_CROSS]);
    }
    phrase_free(t.trial);
    lesson_run_free(&stage);
}

static void test_too_many_heads(void **state) {
    (void)state;
    Run silent = {.silent = true};
    PhraseHeadsPlan plan = {.heads = 17};
    expect_check_message("17 heads", phrase_train(&silent, &plan));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_untrained),
        cmocka_unit_test(test_trained),
        cmocka_unit_test(test_too_many_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
