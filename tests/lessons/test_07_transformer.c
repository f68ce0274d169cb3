#include "lessons/transformer_forms.h"
#include "support/lesson_checks.h"

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

static const char lesson[] = "07_transformer";
static const char trained[] =
    "led_100 alone_100 dates_800 dates paper_700 unmasked_led unmasked unmasked_loss norms phrases "
    "beam_early beam_end head_aligns heads_differ race_vector race_looking sentences";

static void test_quick(void **state) {
    (void)state;
    check_lesson_quick(lesson, trained,
                       "dates_learning.tsv dates_learning.gp dates_norm.tsv heads_encoder.png "
                       "heads_decoder.png heads_cross.png attention.tsv race_sentences.tsv "
                       "timing_race.tsv");
}

static void test_quick_checks_what_is_cheap(void **state) {
    (void)state;
    LessonRun run = lesson_run(lesson, "--quick --no-plots");
    const char *cheap[] = {"parts", "norm_by_hand", "layers_by_hand", "future",  "source",
                           "order", "padding",      "word_by_word",   "in_a_row"};
    for (size_t i = 0; i < sizeof cheap / sizeof *cheap; i++) {
        assert_string_equal(lesson_claim(&run, cheap[i]), "holds");
    }
    assert_int_equal(lesson_claim_count(&run, "holds"), sizeof cheap / sizeof *cheap);
    assert_int_equal(lesson_claim_count(&run, "timing"), 1);
    assert_null(strstr(run.out, "Warm-up must fit the run"));
    assert_null(strstr(run.out, "learns fastest"));
    lesson_run_free(&run);
}

/* The parts list of the paper's base model. */
static void test_parts_list(void **state) {
    (void)state;
    LessonRun run = lesson_run(lesson, "--quick --only 7.1");
    check_lesson_exit(&run, 0);
    assert_non_null(strstr(run.out, "93,324,544")); /* 3 x 32000 x 512 and 44,140,544 in layers */
    assert_non_null(strstr(run.out, "6 x 1,050,624"));
    assert_non_null(strstr(run.out, "<start>"));
    lesson_run_free(&run);
}

static void test_list(void **state) {
    (void)state;
    check_lesson_list(lesson, "7.1 7.2 7.3 7.4 7.5",
                      "no_causal_mask reversed_mask no_cross_attention no_pad_mask no_positions "
                      "shift_target");
}

static void test_break_no_causal_mask(void **state) {
    (void)state;
    check_lesson_break(lesson, "no_causal_mask", "future word_by_word");
}

static void test_break_reversed_mask(void **state) {
    (void)state;
    check_lesson_break(lesson, "reversed_mask", "future word_by_word");
}

static void test_break_no_cross_attention(void **state) {
    (void)state;
    check_lesson_break(lesson, "no_cross_attention", "source");
}

static void test_break_no_pad_mask(void **state) {
    (void)state;
    check_lesson_break(lesson, "no_pad_mask", "padding");
}

static void test_break_no_positions(void **state) {
    (void)state;
    check_lesson_break(lesson, "no_positions", "order");
}

static void test_break_shift_target(void **state) {
    (void)state;
    check_lesson_break(lesson, "shift_target", "future");
}

static void test_same_bits(void **state) {
    (void)state;
    check_lesson_bits(lesson);
}

static void test_a_step_alone(void **state) {
    (void)state;
    check_lesson_only(lesson, "7.2");
    check_lesson_only(lesson, "7.4"); /* needs 7.3 */
}

static void test_flags_of_every_lesson(void **state) {
    (void)state;
    check_lesson_flags(lesson);
}

static void test_own_flags(void **state) {
    (void)state;
    check_lesson_refused(lesson, "--quick --heads 3", "64");
    check_lesson_refused(lesson, "--quick --d-model 66", "divisible");
    check_lesson_refused(lesson, "--quick --d-model 513", "512");
    check_lesson_refused(lesson, "--quick --layers 0", "layers");
    check_lesson_refused(lesson, "--quick --d-ff 0", "d-ff");
    check_lesson_refused(lesson, "--quick --dropout 1", "dropout");
    check_lesson_refused(lesson, "--quick --sentence Hello", "--data");
    const char *ends[] = {"--quick --d-model 5 --heads 5 --layers 1 --d-ff 1 --post-ln",
                          "--quick --d-model 32 --heads 8 --layers 4"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        LessonRun run = lesson_run(lesson, ends[i]);
        check_lesson_exit(&run, 0);
        lesson_run_free(&run);
    }
}

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* The last point of a series of a plot's .tsv. */
static double last_point(const LessonRun *run, const char *file, int series) {
    char *text = lesson_file(run, file, NULL), *rest = text;
    double last = NAN;
    assert_non_null(text);
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        int number;
        double x, y;
        if (sscanf(line, "%d\t%lf\t%lf", &number, &x, &y) == 3 && number == series) {
            last = y;
        }
    }
    free(text);
    return last;
}

/* A short training, long enough to see that the honest model learns, and that the one without a
 * mask knows every letter when led and none alone. */
static void test_learns(void **state) {
    (void)state;
    if (SANITIZED) {
        skip();
    }
    LessonRun run = lesson_run(lesson, "--only 7.2 --steps 150 --no-plots");
    check_lesson_exit(&run, 0);
    assert_string_equal(lesson_claim(&run, "dates"), "not_made");
    assert_true(last_point(&run, "dates_learning.tsv", 1) > 0.7);  /* led */
    assert_true(last_point(&run, "dates_learning.tsv", 2) > 0.05); /* alone */
    assert_true(last_point(&run, "dates_learning.tsv", 5) > 0.98); /* no mask, led */
    assert_true(last_point(&run, "dates_learning.tsv", 6) < 0.02); /* no mask, alone */
    lesson_run_free(&run);
}

/* What every terminal can show: plain ASCII under LC_ALL=C, no escape sequences in a pipe. */
static void test_plain_text(void **state) {
    (void)state;
    const char *const c_locale[] = {"LC_ALL=C", "NO_COLOR=1", "TERM=dumb", NULL};
    LessonRun run = lesson_run_in(lesson, "--quick", (LessonSetting){.environment = c_locale});
    check_lesson_exit(&run, 0);
    check_lesson_text(&run, 100);
    for (const char *c = run.out; *c != '\0'; c++) {
        assert_in_range(*c, 0, 126);
    }
    lesson_run_free(&run);
}

/* faults 26: without gnuplot the numbers and the maps are there, and all is well. */
static void test_without_gnuplot(void **state) {
    (void)state;
    const char *const no_path[] = {"PATH=/nonexistent", NULL};
    LessonRun run = lesson_run_in(lesson, "--quick", (LessonSetting){.environment = no_path});
    check_lesson_exit(&run, 0);
    assert_null(lesson_file(&run, "dates_learning.png", NULL));
    char *map = lesson_file(&run, "heads_cross.png", NULL);
    assert_non_null(map);
    free(map);
    assert_non_null(strstr(run.out, "gnuplot"));
    lesson_run_free(&run);
}

/* Ctrl-C in a training: exit 130, what was measured before is kept. */
static void test_interrupt(void **state) {
    (void)state;
    LessonRun run = lesson_run_in(lesson, "--only 7.1,7.3,7.4 --d-model 256",
                                  (LessonSetting){.interrupt_after = 1.0});
    check_lesson_exit(&run, 130);
    assert_string_equal(lesson_claim(&run, "layers_by_hand"), "holds");
    assert_string_equal(lesson_claim(&run, "phrases"), "not_made");
    lesson_run_free(&run);
}

/* ---- one's own data; what a file may look like is tested with lesson 02 and data/pairs ---- */

static LessonRun run_on(const char *text, const char *arguments) {
    char folder[LESSON_PATH], path[LESSON_PATH + 16], all[LESSON_PATH];
    folder_new(folder);
    snprintf(path, sizeof path, "%s/own.tsv", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    snprintf(all, sizeof all, "--quick --only 7.5 --data own.tsv %s", arguments);
    LessonRun run = lesson_run_in(lesson, all, (LessonSetting){.folder = folder});
    folder_remove(folder);
    return run;
}

static void test_data_that_cannot_be_used(void **state) {
    (void)state;
    check_lesson_refused(lesson, "--quick --data no/such/file.tsv", "no/such/file.tsv");
    check_lesson_refused(lesson, "--quick --data .", "folder");
    LessonRun run = run_on("one column\nonly\n", "");
    check_lesson_exit(&run, 2);
    assert_non_null(strstr(run.err, "own.tsv"));
    lesson_run_free(&run);
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
        LessonRun run = run_on(text, ways[i]);
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
        cmocka_unit_test(test_quick),
        cmocka_unit_test(test_quick_checks_what_is_cheap),
        cmocka_unit_test(test_parts_list),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_break_no_causal_mask),
        cmocka_unit_test(test_break_reversed_mask),
        cmocka_unit_test(test_break_no_cross_attention),
        cmocka_unit_test(test_break_no_pad_mask),
        cmocka_unit_test(test_break_no_positions),
        cmocka_unit_test(test_break_shift_target),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_a_step_alone),
        cmocka_unit_test(test_flags_of_every_lesson),
        cmocka_unit_test(test_own_flags),
        cmocka_unit_test(test_learns),
        cmocka_unit_test(test_plain_text),
        cmocka_unit_test(test_without_gnuplot),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_data_that_cannot_be_used),
        cmocka_unit_test(test_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
