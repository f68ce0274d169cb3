#include "support/stage.h"

#include "lesson/experiments/echo.h"
#include "lesson/experiments/own_pairs.h"

#include <stdlib.h>

/* Twelve pairs in which the target repeats the source, one of them with two answers, and a line
 * without a tab. */
static const char some_pairs[] = "red cat\tred cat\n"
                                 "old cat\told cat\n"
                                 "red dog\tred dog\n"
                                 "old dog\told dog\n"
                                 "the red cat sleeps\tthe red cat sleeps\n"
                                 "the old cat sleeps\tthe old cat sleeps\n"
                                 "the red dog sleeps\tthe red dog sleeps\n"
                                 "the old dog sleeps\tthe old dog sleeps\n"
                                 "no tab here\n"
                                 "the red cat\tthe red cat\n"
                                 "the red cat\tthe old dog\n"
                                 "the old dog sees the red cat\tthe old dog sees the red cat\n"
                                 "the red cat sees the old dog\tthe red cat sees the old dog\n";

typedef struct Story {
    OwnPairs own;
    char file[LESSON_PATH], folder[LESSON_PATH];
    Echo *echo;
    FitCurve curve;
    Error error;
    bool loaded, given;
} Story;

static void story_begin(Story *story, const char *text) {
    *story = (Story){.own = own_pairs_new()};
    folder_new(story->folder);
    snprintf(story->file, sizeof story->file, "%.400s/pairs.tsv", story->folder);
    Error error;
    assert_true(file_write(story->file, text, strlen(text), &error));
    story->own.file = story->file;
    story->own.held_out = 0.3f;
}

static void story_end(Story *story) {
    own_pairs_free(&story->own);
    folder_remove(story->folder);
    if (story->echo != NULL) {
        echo_free(story->echo);
    }
}

static void test_defaults(void **state) {
    (void)state;
    OwnPairs own = own_pairs_new();
    PairsOptions usual = pairs_defaults();
    assert_int_equal(own.max_words, usual.max_words);
    assert_int_equal(own.max_vocab, usual.max_vocab);
    assert_int_equal(own.min_count, 1);
    assert_null(own.file);
    assert_false(own.loaded);
    own_pairs_free(&own); /* nothing to free yet */
}

static void test_loading(void **state) {
    (void)state;
    Story story;
    story_begin(&story, some_pairs);
    Run run = {.flags = {.seed = 4}};
    Error error = {""};
    assert_true(own_pairs_load(&story.own, &run, &error));
    assert_true(story.own.loaded);
    assert_int_equal(story.own.report.pairs, 12);
    assert_int_equal(story.own.data.train->count + story.own.data.held_out->count, 12);
    own_pairs_free(&story.own);
    assert_false(story.own.loaded);
    story.own.max_words = 3; /* the limits arrive */
    assert_true(own_pairs_load(&story.own, &run, &error));
    assert_int_equal(story.own.report.pairs, 6);
    story_end(&story);
}

static void test_refusals(void **state) {
    (void)state;
    Run run = {.flags = {.seed = 1}};
    OwnPairs own = own_pairs_new();
    Error error = {""};
    assert_true(own_pairs_load(&own, &run, &error)); /* nothing asked for, nothing to do */
    assert_false(own.loaded);
    own.sentence = "the cat";
    assert_false(own_pairs_load(&own, &run, &error));
    assert_non_null(strstr(error.text, "--data"));
    own.file = "no/such/file.tsv";
    assert_false(own_pairs_load(&own, &run, &error));
    assert_non_null(strstr(error.text, "no/such/file.tsv"));
    assert_null(strchr(error.text, '\n'));
    Story story;
    story_begin(&story, "nothing with a tab\n");
    assert_false(own_pairs_load(&story.own, &run, &error));
    assert_non_null(strstr(error.text, "pairs.tsv"));
    assert_false(story.own.loaded);
    story_end(&story);
}

static void play_story(Run *run, void *context) {
    Story *story = context;
    story->loaded = own_pairs_load(&story->own, run, &story->error);
    story->given = own_pairs_given(run, &story->own);
    if (story->given) {
        story->echo = echo_new(story->own.data.target_vocab->size);
        Translator translator = echo_translator(story->echo);
        own_pairs_study(run, &story->own, &translator, 0.0625f, run_rng(run, "batches"), "own.png");
    }
}

static void test_a_whole_step(void **state) {
    (void)state;
    Story story;
    story_begin(&story, some_pairs);
    story.own.sentence = "The old CAT sees no UNICORN!";
    Stage stage = stage_play(play_story, &story, "--quick --steps 12");
    assert_int_equal(stage.status, 0);
    assert_true(story.loaded && story.given);
    assert_true(story.echo->w->data[0] < 0.5f); /* twelve steps were enough for an echo */
    char *png = lesson_file(&stage, "own.png", NULL),
         *log = lesson_file(&stage, "attention.tsv", NULL);
    assert_non_null(png);
    assert_non_null(strstr(log, "\t<unk>\t")); /* the unicorn */
    assert_non_null(strstr(log, "old\told\t1"));
    free(png);
    free(log);
    lesson_run_free(&stage);
    story_end(&story);
}

/* Nothing but "..." or symbols unknown: no crash, no picture of it. */
static void test_an_empty_sentence(void **state) {
    (void)state;
    Story story;
    story_begin(&story, some_pairs);
    story.own.sentence = "   ";
    Stage stage = stage_play(play_story, &story, "--quick --steps 2");
    assert_int_equal(stage.status, 0);
    lesson_run_free(&stage);
    story_end(&story);
}

static void test_without_a_file(void **state) {
    (void)state;
    Story story = {.own = own_pairs_new()};
    Stage stage = stage_play(play_story, &story, "--quick");
    assert_int_equal(stage.status, 0);
    assert_true(story.loaded);
    assert_false(story.given);
    char *names = lesson_file_names(&stage);
    assert_null(strstr(names, "png"));
    free(names);
    lesson_run_free(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),          cmocka_unit_test(test_loading),
        cmocka_unit_test(test_refusals),          cmocka_unit_test(test_a_whole_step),
        cmocka_unit_test(test_an_empty_sentence), cmocka_unit_test(test_without_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
