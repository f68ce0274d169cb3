#include "assert_close.h"

#include <stdlib.h>
#include <unistd.h>

#include "lesson/child.h"
#include "lesson/lesson.h"
#include "support/lesson_run.h"
#include "support/screen.h"

/* A run that never started: enough for what only looks at it. */
typedef struct Stage {
    Lesson lesson;
    Step steps[3];
    Mistake mistakes[1];
    bool shortened[3];
    Screen screen;
    Run run;
} Stage;

static void stage_set(Stage *stage, ScreenKind kind) {
    *stage = (Stage){.steps = {{"1.1", "One", NULL, NULL},
                               {"1.2", "Two", NULL, "1.1"},
                               {"1.3", "Three", NULL, "1.2"}},
                     .mistakes = {{"no_scale", "scores grow"}}};
    stage->lesson = (Lesson){.number = "01",
                             .name = "stage",
                             .steps = stage->steps,
                             .step_count = 3,
                             .mistakes = stage->mistakes,
                             .mistake_count = 1};
    stage->screen = screen_new(kind);
    stage->run = (Run){.lesson = &stage->lesson,
                       .term = stage->screen.term,
                       .step = &stage->steps[0],
                       .shortened = stage->shortened,
                       .flags = {.seed = 1}};
}

static void stage_clear(Stage *stage) {
    screen_free(&stage->screen);
    claims_free(&stage->run.claims);
    table_free(&stage->run.table);
}

static void test_steps_of_a_training(void **state) {
    (void)state;
    Stage stage;
    stage_set(&stage, SCREEN_PIPE);
    assert_int_equal(run_steps(&stage.run, 100, 5), 100);
    assert_false(stage.shortened[0]);
    assert_int_equal(run_size(&stage.run, 100, 5), 100);
    stage.run.flags.steps = 200;
    assert_int_equal(run_steps(&stage.run, 100, 5), 200);
    assert_false(stage.shortened[0]);
    stage.run.flags.quick = true;
    assert_int_equal(run_steps(&stage.run, 300, 5), 200);
    assert_true(stage.shortened[0]);
    stage.run.flags.steps = 0;
    assert_int_equal(run_steps(&stage.run, 100, 5), 5);
    assert_int_equal(run_size(&stage.run, 100, 5), 5);
    stage_clear(&stage);
}

/* A training cut short in 1.1 is felt in 1.3, which rests on 1.2, which rests on 1.1. */
static void test_claims_of_steps_that_need_a_short_training(void **state) {
    (void)state;
    Stage stage;
    stage_set(&stage, SCREEN_PIPE);
    stage.shortened[0] = true;
    stage.run.step = &stage.steps[2];
    claim_trained(&stage.run, "a", "needs it", 1, "<", 2);
    claim_checked(&stage.run, "b", "does not", 1, "<", 2);
    assert_int_equal(stage.run.claims.list[0].status, CLAIM_NOT_MADE);
    assert_int_equal(stage.run.claims.list[1].status, CLAIM_HOLDS);
    stage.shortened[0] = false;
    claim_trained(&stage.run, "c", "now it can", 1, "<", 2);
    assert_int_equal(stage.run.claims.list[2].status, CLAIM_HOLDS);
    assert_string_equal(stage.run.claims.list[2].step, "1.3");
    stage_clear(&stage);
}

static void test_random_numbers_depend_on_seed_and_purpose_alone(void **state) {
    (void)state;
    Stage stage;
    stage_set(&stage, SCREEN_PIPE);
    Rng a = run_rng(&stage.run, "2.2 weights"), b = run_rng(&stage.run, "2.2 weights"),
        c = run_rng(&stage.run, "2.2 data");
    stage.run.step = &stage.steps[1];
    Rng later = run_rng(&stage.run, "2.2 weights");
    stage.run.flags.seed = 2;
    Rng other = run_rng(&stage.run, "2.2 weights");
    uint64_t first = rng_bits(&a);
    assert_true(first == rng_bits(&b));
    assert_true(first == rng_bits(&later));
    assert_true(first != rng_bits(&c));
    assert_true(first != rng_bits(&other));
    stage_clear(&stage);
}

static void test_mistakes_are_known_by_name(void **state) {
    (void)state;
    Stage stage;
    stage_set(&stage, SCREEN_PIPE);
    assert_false(run_broken(&stage.run, "no_scale"));
    stage.run.flags.break_name = "no_scale";
    assert_true(run_broken(&stage.run, "no_scale"));
    expect_check_message("lists no mistake called \"no_mask\"", run_broken(&stage.run, "no_mask"));
    stage_clear(&stage);
}

static void say_everything(Run *run) {
    const float values[] = {1, 2, 3, 4};
    run_say(run, "a paragraph of %d words", 5);
    run_print(run, "formula\n");
    run_gap(run);
    run_vector(run, "v", values, 2);
    run_matrix(run, "m", values, 2, 2);
    run_heatmap(run, "map", values, 2, 2, NULL, NULL);
    run_table(run, "a\tb");
    run_table_row(run, "%d\t%s", 1, "x");
    run_table_end(run);
    claim_checked(run, "id", "text", 1, "<", 2);
    Progress progress = run_progress(run, "training", 1);
    progress_update(&progress, 1, 1, NULL, 0);
    progress_end(&progress);
}

static void test_everything_is_said_or_nothing(void **state) {
    (void)state;
    Stage stage;
    stage_set(&stage, SCREEN_PIPE);
    stage.run.silent = true;
    say_everything(&stage.run);
    screen_check(&stage.screen, "");
    assert_int_equal(stage.run.claims.count, 0);
    stage.run.silent = false;
    say_everything(&stage.run);
    screen_check(&stage.screen, "a paragraph of 5 words\nformula\n\n"
                                "v (2)\n  1  2\n"
                                "m (2, 2)\n  1  2\n  3  4\n"
                                "map (2, 2)\n"
                                "         0      1 \n"
                                "  0 ::1.00 ++2.00 \n"
                                "  1 ##3.00 @@4.00 \n"
                                "    0 \" .:-=+*#%@\" 4\n"
                                "  a  b\n  -  -\n  1  x\n"
                                "[holds] text: 1 (bound < 2)\n"
                                "  training  1/1  loss 1.000\n");
    stage_clear(&stage);
}

static void test_tensors_of_every_rank(void **state) {
    (void)state;
    Stage stage;
    stage_set(&stage, SCREEN_PIPE);
    float data[] = {1, 2, 3, 4};
    Tensor one = {.data = data, .ndim = 1, .dim = {4, 1, 1, 1}, .name = "t"},
           two = {.data = data, .ndim = 2, .dim = {2, 2, 1, 1}, .name = "t"},
           three = {.data = data, .ndim = 3, .dim = {2, 1, 2, 1}, .name = "t"},
           four = {.data = data, .ndim = 4, .dim = {2, 2, 1, 1}, .name = "t"};
    run_tensor(&stage.run, "one", &one);
    run_tensor(&stage.run, "two", &two);
    run_tensor(&stage.run, "three", &three);
    run_tensor(&stage.run, "four", &four);
    screen_check(&stage.screen, "one (4)\n  1  2  3  4\n"
                                "two (2, 2)\n  1  2\n  3  4\n"
                                "three[0] (1, 2)\n  1  2\n"
                                "three[1] (1, 2)\n  3  4\n"
                                "four[0][0] (1, 1)\n  1\n"
                                "four[0][1] (1, 1)\n  2\n"
                                "four[1][0] (1, 1)\n  3\n"
                                "four[1][1] (1, 1)\n  4\n");
    stage_clear(&stage);
}

static void test_rows_without_a_table_stop(void **state) {
    (void)state;
    Stage stage;
    stage_set(&stage, SCREEN_PIPE);
    expect_check_message("no table was begun", run_table_row(&stage.run, "1"));
    expect_check_message("no table was begun", run_table_end(&stage.run));
    stage.run.step = NULL;
    expect_check_message("belongs into a step", run_steps(&stage.run, 1, 1));
    stage_clear(&stage);
}

/* ---- input that turns out to be unusable in the middle of the lesson ---- */

static void stumble(Run *run, void *context) {
    (void)context;
    Error error;
    error_set(&error, "pairs.tsv, line 3: no tab");
    run_input_error(run, &error);
    run_input_error(run, &error); /* once is enough */
    claim_checked(run, "a", "cannot be known", 1, "<", 2);
    assert_true(run_stopped(run));
}

static void never(Run *run, void *context) {
    (void)context;
    run_say(run, "This must not be reached.");
}

static int stumbling_lesson(int argc, char **argv) {
    const Step steps[] = {{"1.1", "Reading", stumble, NULL}, {"1.2", "Never", never, NULL}};
    const Lesson lesson = {.number = "01",
                           .name = "stumble",
                           .title = "T",
                           .question = "Q?",
                           .duration = "no time",
                           .steps = steps,
                           .step_count = 2};
    return walkthrough_run(&lesson, argc, argv);
}

static void test_input_error_in_a_step(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "", .main = stumbling_lesson});
    assert_int_equal(child.code, 2);
    assert_string_equal(child.err, "01_stumble: pairs.tsv, line 3: no tab\n");
    assert_non_null(strstr(child.out, "[not made] cannot be known"));
    assert_null(strstr(child.out, "must not be reached"));
    assert_non_null(strstr(child.out, "ended early (an input error); what was written until"));
    child_free(&child);
}

/* An earlier run in the same folder loses neither its claims nor its record. */
static void test_input_error_leaves_an_earlier_run(void **state) {
    (void)state;
    Child whole = child_run((Call){.flags = "--out here"});
    char *before = child_file(&whole, "here/run.tsv");
    assert_non_null(before);
    Child child =
        child_run((Call){.flags = "--out here", .main = stumbling_lesson, .folder = whole.folder});
    assert_int_equal(child.code, 2);
    assert_non_null(strstr(child.out, "ended early (an input error); nothing was written."));
    char *after = child_file(&whole, "here/run.tsv");
    assert_non_null(after);
    assert_string_equal(after, before);
    free(before);
    free(after);
    free(child.out);
    free(child.err);
    child_free(&whole);
}

static void test_a_lesson_without_mistakes(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--break anything", .main = stumbling_lesson});
    assert_int_equal(child.code, 2);
    assert_string_equal(child.err,
                        "01_stumble: --break anything: this lesson has no mistakes to make\n");
    child_free(&child);
}

/* A mask is printed as the rule says it: 1 = may look (faults 7: an asymmetric one). */
static void test_masks(void **state) {
    (void)state;
    Stage stage;
    stage_set(&stage, SCREEN_PIPE);
    Arena arena = arena_new();
    Mask padding = mask_padding(&arena, (const int[]){1, 3}, 2, 3);
    Mask causal = mask_causal(&arena, 2, 3);
    Mask both = mask_both(&arena, padding, causal);
    run_mask(&stage.run, "padding", &padding);
    run_mask(&stage.run, "causal", &causal);
    run_mask(&stage.run, "both", &both);
    stage.run.silent = true;
    run_mask(&stage.run, "nobody asked", &causal);
    screen_check(&stage.screen, "padding (2, 3)\n  1  0  0\n  1  1  1\n"
                                "causal (2, 3)\n  1  1  0\n  1  1  1\n"
                                "both[0] (2, 3)\n  1  0  0\n  1  0  0\n"
                                "both[1] (2, 3)\n  1  1  0\n  1  1  1\n");
    arena_free(&arena);
    stage_clear(&stage);
}

/* What only a whole and unbroken training shows is not said after half of one. */
static void test_conclusions(void **state) {
    (void)state;
    Stage stage;
    stage_set(&stage, SCREEN_PIPE);
    run_conclude(&stage.run, "It took %d steps.", 100);
    stage.run.flags.quick = true;
    run_conclude(&stage.run, "quick");
    stage.run.flags.quick = false;
    stage.run.flags.break_name = "no_scale";
    run_conclude(&stage.run, "broken");
    stage.run.flags.break_name = NULL;
    stage.run.silent = true;
    run_conclude(&stage.run, "silent");
    stage.run.silent = false;
    stage.shortened[0] = true;
    run_conclude(&stage.run, "short");
    stage.run.step = &stage.steps[2];
    run_conclude(&stage.run, "rests on a short one");
    screen_check(&stage.screen, "It took 100 steps.\n");
    stage_clear(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_conclusions),
        cmocka_unit_test(test_steps_of_a_training),
        cmocka_unit_test(test_claims_of_steps_that_need_a_short_training),
        cmocka_unit_test(test_random_numbers_depend_on_seed_and_purpose_alone),
        cmocka_unit_test(test_mistakes_are_known_by_name),
        cmocka_unit_test(test_everything_is_said_or_nothing),
        cmocka_unit_test(test_tensors_of_every_rank),
        cmocka_unit_test(test_rows_without_a_table_stop),
        cmocka_unit_test(test_input_error_in_a_step),
        cmocka_unit_test(test_input_error_leaves_an_earlier_run),
        cmocka_unit_test(test_a_lesson_without_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
