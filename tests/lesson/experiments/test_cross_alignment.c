#include "support/stage.h"
#include "support/tensors.h"

#include "lesson/experiments/cross_alignment.h"

#include <math.h>
#include <stdlib.h>

enum { HEADS = 2, LAYERS = 2, PAIRS = 20 };

/* No model at all: maps made from the gold alignment. Head 0 of layer 1 points at a right word,
 * head 1 at the word after it, both heads of layer 0 at the first word. */
typedef struct Maps {
    const Phrase *phrases;
    AttentionTrace trace;
    Transformer net;
    Translator translator;
    Task task;
    bool blind; /* has no cross-attention */
} Maps;

static int right_word(const Phrase *phrase, int t) {
    for (int s = 0; t < phrase->T && s < phrase->S; s++) {
        if (phrase->gold[t][s] == LINK_SURE) {
            return s;
        }
    }
    return 0;
}

static Tensor *maps_logits(void *model, Tape *tape, const Batch *batch) {
    Maps *m = model;
    int B = batch->B, T = batch->T, S = batch->S;
    for (int i = 0; i < LAYERS; i++) {
        m->trace.encoder[i] = tape_constant(tape, "encoder", NULL, SHAPE(B, HEADS, S, S));
        m->trace.decoder[i] = tape_constant(tape, "decoder", NULL, SHAPE(B, HEADS, T, T));
        Tensor *cross = tape_constant(tape, "cross", NULL, SHAPE(B, HEADS, T, S));
        for (int row = 0; row < B * HEADS * T; row++) {
            const Phrase *phrase = &m->phrases[batch->pair[row / (HEADS * T)]];
            int head = row / T % HEADS, s = right_word(phrase, row % T);
            s = i == 0 ? 0 : head == 0 ? s : (s + 1) % phrase->S;
            cross->data[(long)row * S + s] = 1.0f;
        }
        m->trace.cross[i] = m->blind ? NULL : cross;
    }
    return tape_constant(tape, "logits", NULL, SHAPE(B, T, 1));
}

static void maps_new(Maps *m, bool blind) {
    *m = (Maps){.blind = blind};
    m->task = task_phrases(50, PAIRS, 1);
    m->phrases = m->task.phrases;
    m->net.config = (TransformerConfig){
        .layer = {.heads = HEADS}, .encoder_layers = LAYERS, .decoder_layers = LAYERS};
    m->translator = (Translator){.model = m, .V = 1};
}

static Traced maps_traced(const Maps *m) {
    return (Traced){.forced = {&m->translator, maps_logits, m->task.held_out},
                    .trace = &m->trace,
                    .net = &m->net};
}

static const Run nobody; /* no flags, nobody who stops it */

static void test_errors(void **state) {
    (void)state;
    Maps m;
    maps_new(&m, false);
    Traced traced = maps_traced(&m);
    HeadErrors errors = heads_alignment(&nobody, &traced, m.phrases, 0);
    HeadErrors late = heads_alignment(&nobody, &traced, m.phrases, 1);
    assert_int_equal(errors.layers * errors.heads, LAYERS * HEADS);
    assert_close(errors.rate[2], 0, 0.03, 0); /* words linked to two have one in the map */
    assert_true(errors.rate[3] > 0.7);
    assert_true(errors.rate[0] > 0.5 && errors.rate[0] == errors.rate[1]);
    assert_int_equal(errors.best, 2);
    assert_true(errors.rate[errors.worst] >= errors.rate[3]);
    assert_true(errors.mean >= errors.rate[2]);
    assert_true(late.rate[2] > 0.6); /* read one word off */
    task_free(&m.task);
}

static void test_without_cross_attention(void **state) {
    (void)state;
    Maps m;
    maps_new(&m, true);
    Traced traced = maps_traced(&m);
    HeadErrors errors = heads_alignment(&nobody, &traced, m.phrases, 0);
    assert_true(isnan(errors.rate[0]) && isnan(errors.mean));
    task_free(&m.task);
}

static void play(Run *run, void *context) {
    Maps *m = context;
    Traced traced = maps_traced(m);
    HeadErrors errors = heads_alignment(run, &traced, m->phrases, 0);
    heads_alignment_show(run, &errors);
    heads_draw(run, &traced, &m->task, 3, m->blind ? NULL : &errors, "all");
}

static void test_pictures(void **state) {
    (void)state;
    static const char *const names[] = {"all_encoder.png", "all_decoder.png", "all_cross.png"};
    for (int blind = 0; blind < 2; blind++) {
        Maps m;
        maps_new(&m, blind == 1);
        Stage stage = stage_play(play, &m, "");
        assert_int_equal(stage.status, 0);
        for (int i = 0; i < 3; i++) {
            char *picture = lesson_file(&stage, names[i], NULL);
            assert_int_equal(picture != NULL, i < 2 || !blind);
            free(picture);
        }
        char *weights = lesson_file(&stage, "attention.tsv", NULL);
        assert_non_null(strstr(weights, "<start>"));
        assert_non_null(strstr(weights, "\tall_encoder\n")); /* each says which map it is */
        assert_non_null(strstr(weights, "\tall_decoder\n"));
        assert_int_equal(strstr(weights, "\tall_cross\n") != NULL, !blind);
        free(weights);
        lesson_run_free(&stage);
        task_free(&m.task);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_without_cross_attention),
        cmocka_unit_test(test_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
