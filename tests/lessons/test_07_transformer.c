#include "lessons/transformer_forms.h"
#include "support/lesson_profile.h"

#include <stdlib.h>

/* ---- the functions of lessons/07_transformer.c ---- */

Tensor *encoder_layer(Tape *tape, const EncoderLayer *l, Tensor *x, Look look, Dropout *dropout);
Tensor *decoder_layer(Tape *tape, const DecoderLayer *l, Tensor *x, Look self,
                      const CrossMemory *memory, Look cross, Dropout *dropout);
Tensor *encode(Tape *tape, const Transformer *net, const int *source, const int *length, int B,
               int S, Dropout *dropout, AttentionTrace *trace);
Tensor *decode(Tape *tape, const Transformer *net, DecoderInput in, Dropout *dropout,
               AttentionTrace *trace);

static const TransformerForms forms = {encoder_layer, decoder_layer, encode, decode};

/* ---- what is written out in the lesson is what common/nn does ---- */

static void test_stacks_are_those_of_nn(void **state) {
    (void)state;
    check_forms_stacks_are_those_of_nn(&forms);
}

static void test_weights_are_those_of_nn(void **state) {
    (void)state;
    check_forms_weights_are_those_of_nn(&forms);
}

static void test_layers_are_those_of_nn(void **state) {
    (void)state;
    check_forms_layers_are_those_of_nn(&forms);
}

/* faults 15 */
static void test_pre_and_post(void **state) {
    (void)state;
    check_forms_pre_and_post(&forms);
}

/* faults 8 */
static void test_no_future(void **state) {
    (void)state;
    check_forms_no_future(&forms);
}

static void test_padding(void **state) {
    (void)state;
    check_forms_padding(&forms);
}

static void test_word_by_word(void **state) {
    (void)state;
    check_forms_word_by_word(&forms);
}

/* faults 17 */
static void test_layers_begin_differently(void **state) {
    (void)state;
    check_layers_begin_differently();
}

static void test_dropout(void **state) {
    (void)state;
    check_forms_dropout(&forms);
}

/* ---- the program ---- */

static const LessonProfile profile = {
    .lesson = "07_transformer",
    .steps = "7.1 7.2 7.3 7.4 7.5",
    .mistakes = {{"no_causal_mask", "future word_by_word"},
                 {"reversed_mask", "future word_by_word"},
                 {"no_cross_attention", "source"},
                 {"no_pad_mask", "padding"},
                 {"no_positions", "order"},
                 {"shift_target", "future"}},
    .trained = "led_100 alone_100 dates_800 dates paper_700 unmasked_led unmasked unmasked_loss "
               "norms phrases beam_early beam_end head_aligns heads_differ race_vector "
               "race_looking sentences",
    .cheap = "parts norm_by_hand layers_by_hand future source order padding word_by_word in_a_row",
    .timing = 1,
    .files = "dates_learning.tsv dates_learning.gp dates_norm.tsv heads_encoder.png "
             "heads_decoder.png heads_cross.png attention.tsv race_sentences.tsv timing_race.tsv",
    .unsaid = {"Warm-up must fit the run", "learns fastest"},
    .alone = "7.2 7.4", /* the latter needs 7.3 */
    .refused = {{"--heads 3", "64"},
                {"--d-model 66", "divisible"},
                {"--d-model 513", "512"},
                {"--layers 0", "layers"},
                {"--d-ff 0", "d-ff"},
                {"--dropout 1", "dropout"},
                {"--sentence Hello", "--data"},
                {"--data no/such/file.tsv", "no/such/file.tsv"},
                {"--data .", "folder"}},
    .accepted = {"--d-model 5 --heads 5 --layers 1 --d-ff 1 --post-ln",
                 "--d-model 32 --heads 8 --layers 4"},
    .undrawn = {"", "dates_learning", "heads_cross.png"},
    .interrupted = {"--only 7.1,7.3,7.4 --d-model 256", "7.3", "layers_by_hand", "phrases"},
};

/* The parts list of the paper's base model. */
static void test_parts_list(void **state) {
    (void)state;
    LessonRun run = lesson_run(profile.lesson, "--quick --only 7.1");
    check_lesson_exit(&run, 0);
    assert_non_null(strstr(run.out, "93,324,544")); /* 3 x 32000 x 512 and 44,140,544 in layers */
    assert_non_null(strstr(run.out, "6 x 1,050,624"));
    assert_non_null(strstr(run.out, "<start>"));
    lesson_run_free(&run);
}

/* The model that is taken apart in 7.1 is the one that takes part in the race. */
static void test_one_size(void **state) {
    (void)state;
    LessonRun run = lesson_run(profile.lesson, "--quick --only 7.1,7.4 --no-plots");
    check_lesson_exit(&run, 0);
    assert_non_null(strstr(run.out, "250,334"));
    assert_non_null(strstr(run.out, " 250334 "));
    lesson_run_free(&run);
}

/* A short training, long enough to see that the honest model learns, and that the one without a
 * mask knows every letter when led and none alone. */
static void test_learns(void **state) {
    (void)state;
    if (lesson_is_sanitized()) {
        skip();
    }
    LessonRun run = lesson_run(profile.lesson, "--only 7.2 --steps 150 --no-plots");
    check_lesson_exit(&run, 0);
    assert_string_equal(lesson_claim(&run, "dates"), "not_made");
    assert_true(lesson_curve_end(&run, "dates_learning.tsv", "warm-up 100: led") > 0.7);
    assert_true(lesson_curve_end(&run, "dates_learning.tsv", "warm-up 100: alone") > 0.05);
    assert_true(lesson_curve_end(&run, "dates_learning.tsv", "no mask: led") > 0.98);
    assert_true(lesson_curve_end(&run, "dates_learning.tsv", "no mask: alone") < 0.02);
    lesson_run_free(&run);
}

/* ---- one's own data; what a file may look like is tested with lesson 02 and data/pairs ---- */

static void test_data_that_cannot_be_used(void **state) {
    (void)state;
    check_lesson_refused_on(profile.lesson, LESSON_TEXT("one column\nonly\n"),
                            "--quick --only 7.5 --data own.tsv", "tab");
}

static void test_data(void **state) {
    (void)state;
    const char *ways[] = {"", "--dropout 0 --post-ln", "--sentence go"};
    char text[2048] = "";
    for (int i = 0; i < 40; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "go %c%c now\tva %c%c \xc3\xa9t\xc3\xa9\n",
                 'a' + i % 7, 'a' + i % 5, 'a' + i % 7, 'a' + i % 5);
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "--quick --only 7.5 --data own.tsv %s", ways[i]);
        LessonRun run = lesson_run_on(profile.lesson, text, strlen(text), arguments);
        check_lesson_exit(&run, 0);
        assert_non_null(strstr(run.out, "BLEU"));
        assert_string_equal(run.err, "");
        lesson_run_free(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stacks_are_those_of_nn),
        cmocka_unit_test(test_weights_are_those_of_nn),
        cmocka_unit_test(test_layers_are_those_of_nn),
        cmocka_unit_test(test_pre_and_post),
        cmocka_unit_test(test_no_future),
        cmocka_unit_test(test_padding),
        cmocka_unit_test(test_word_by_word),
        cmocka_unit_test(test_layers_begin_differently),
        cmocka_unit_test(test_dropout),
        cmocka_unit_test(test_parts_list),
        cmocka_unit_test(test_one_size),
        cmocka_unit_test(test_learns),
        cmocka_unit_test(test_data_that_cannot_be_used),
        cmocka_unit_test(test_data),
        LESSON_TESTS(profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
