#include "support/screen.h"
#include "support/stage.h"

#include "lesson/experiments/contest.h"
#include "lesson/experiments/echo.h"

#include <stdlib.h>

/* Two echoes of rows of one symbol, of which one learns and one is blind and has learnt. */
typedef struct Match {
    Echo *learner, *blind;
    Contest contest;
    double at_2, at_9;
} Match;

static const int lengths[] = {2, 3, 5};

static Match match_new(void) {
    Match match = {.learner = echo_new(VOCAB_SPECIALS + 1), .blind = echo_new(VOCAB_SPECIALS + 1)};
    match.blind->blind = true;
    match.contest = contest_new(task_reversal(20, 1, 1, 3, 4, lengths, 3, rng_seeded(1, 1)));
    contest_add(&match.contest, "learner", echo_translator(match.learner));
    contest_add(&match.contest, "blind", echo_translator(match.blind));
    return match;
}

static void match_free(Match *match) {
    contest_free(&match->contest); /* the weights, too */
    free(match->learner);
    free(match->blind);
}

static TrainingPlan plan_of(int steps, float rate) {
    return (TrainingPlan){.steps = steps, .B = 4, .rate = rate, .rng = rng_seeded(2, 2)};
}

static void play_match(Run *run, void *context) {
    Match *match = context;
    contest_train(run, &match->contest, plan_of(40, 0.0625f));
    contest_plot(run, &match->contest, "learning", "Learning");
    contest_by_length(run, &match->contest, lengths, 3, 3, "by_length", "By length");
    contest_sheet(run, &match->contest, (const int[]){0, 2, 999}, 3, "sheet.png", "Sheet");
    contest_sentences(run, &match->contest, (const int[]){1}, 1);
    match->at_2 = contest_exact_at(&match->contest.by[0], 2);
    match->at_9 = contest_exact_at(&match->contest.by[0], 9);
}

static void test_training_and_files(void **state) {
    (void)state;
    Match match = match_new();
    Stage stage = stage_play(play_match, &match, "--quick");
    assert_int_equal(stage.status, 0);
    const Contender *one = &match.contest.by[0];
    assert_close(one->exact, 1.0, 0, 0);
    assert_int_equal(one->trial.curve.n, 20); /* twenty checks */
    assert_int_equal(one->trial.done.count, 12);
    assert_close(match.at_2, 1.0, 0, 0);
    assert_close(match.at_9, 0.0, 0, 0);
    char *log = lesson_file(&stage, "attention.tsv", NULL); /* two maps, of 2 and 5 symbols */
    int lines = 0;
    for (const char *c = log; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    assert_int_equal(lines, 1 + 3 * 2 + 6 * 5);
    free(log);
    char *map = lesson_file(&stage, "sheet.map.tsv", NULL);
    assert_non_null(map);
    assert_non_null(strstr(map, "axes\tquery: symbol being written\tkey: symbol looked at\n"));
    free(map);
    const char *files[] = {"learning.tsv", "by_length.tsv", "by_length.gp", "sheet.png"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *bytes = lesson_file(&stage, files[i], NULL);
        assert_non_null(bytes);
        free(bytes);
    }
    lesson_run_free(&stage);
    match_free(&match);
}

static double tenth_of_the_way;

static double own_schedule(long step, long total) {
    tenth_of_the_way = (double)step / (double)total;
    return 0.0;
}

/* The rate cools down over the last tenth, or as the plan says. */
static void test_schedule(void **state) {
    (void)state;
    Match match = match_new();
    Run silent = {.silent = true, .term = terminal_new(stdout, true)};
    TrainingPlan plan = plan_of(10, 0.01f);
    plan.schedule = own_schedule;
    contest_train(&silent, &match.contest, plan);
    assert_close(tenth_of_the_way, 1.0, 0, 0);
    assert_close(match.learner->w->data[0], 1.0, 0, 0);
    match_free(&match);
    match = match_new();
    contest_train(&silent, &match.contest, plan_of(10, 0.01f)); /* the tenth step has rate 0 */
    assert_close(match.learner->w->data[0], 1.0 - 9 * 0.01, 2e-3, 0);
    match_free(&match);
}

/* What is printed, on a screen of our own; the echoes know all from the start. */
static void test_tables(void **state) {
    (void)state;
    Match match = match_new();
    Screen screen = screen_new(SCREEN_PIPE);
    Run run = {.term = screen.term};
    echo_teach(match.learner);
    run.silent = true;
    contest_train(&run, &match.contest, plan_of(1, 0.0f));
    run.silent = false;
    contest_table(&run, &match.contest, "measure", (const double[]){0.125, (double)NAN});
    const int groups[] = {2, 5, 7}; /* 2 and 3; 5; nothing */
    Run drawing = run;
    drawing.silent = true; /* the picture is not wanted */
    contest_by_length(&drawing, &match.contest, groups, 3, 0, "none", "None");
    contest_sentences(&run, &match.contest, (const int[]){0}, 1);
    const char *text = screen_text(&screen);
    assert_non_null(strstr(text, "learner      100.0 %             1    0.125"));
    assert_non_null(strstr(text, "blind          0.0 %             -        -"));
    assert_non_null(strstr(text, "  source: a a\n"));
    assert_non_null(strstr(text, "  right answer: a a\n"));
    assert_non_null(strstr(text, "  learner: a a\n"));
    assert_non_null(strstr(text, "  blind:"));
    screen_free(&screen);
    table_free(&run.table);
    match_free(&match);
}

static void play_by_length(Run *run, void *context) {
    Match *match = context;
    echo_teach(match->learner);
    contest_train(run, &match->contest, plan_of(1, 0.0f));
    const int groups[] = {2, 5, 7}; /* 2 and 3; 5; nothing */
    contest_by_length(run, &match->contest, groups, 3, 0, "by_length", "By length");
}

static void test_groups_of_lengths(void **state) {
    (void)state;
    Match match = match_new();
    Stage stage = stage_play(play_by_length, &match, "--quick --no-plots");
    char *tsv = lesson_file(&stage, "by_length.tsv", NULL);
    assert_non_null(strstr(tsv, "1\t2.5\t1\t")); /* the mean of 2 and 3 */
    assert_non_null(strstr(tsv, "1\t5\t1\t"));
    assert_non_null(strstr(tsv, "2\t2.5\t0\t"));
    int lines = 0;
    for (const char *c = tsv; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    assert_int_equal(lines, 1 + 2 * 2); /* the empty group is left out */
    free(tsv);
    lesson_run_free(&stage);
    match_free(&match);
}

/* faults 20: what the decoder is given and what it must answer are one step apart. */
static void test_example(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE);
    Run run = {.term = screen.term};
    Task task = task_reversal(1, 3, 2, 2, 1, (const int[]){3}, 1, rng_seeded(6, 6));
    contest_show_example(&run, &task);
    const char *name[3];
    for (int t = 0; t < 3; t++) {
        name[t] = vocab_token(task.target, corpus_target(task.held_out, 0).id[t]);
    }
    char expected[256];
    snprintf(expected, sizeof expected,
             "For \"%s %s %s\" the decoder is given, and must answer:\n"
             "step  input    output\n   0  <start>  %s\n   1  %s        %s\n"
             "   2  %s        %s\n   3  %s        <end>\n\n",
             name[2], name[1], name[0], name[0], name[0], name[1], name[1], name[2], name[2]);
    screen_check(&screen, expected);
    screen_free(&screen);
    task_free(&task);
}

static void test_limits(void **state) {
    (void)state;
    Match match = match_new();
    Translator translator = echo_translator(match.learner);
    match.contest.count = CONTENDERS;
    expect_check_message("more than 8 contenders",
                         contest_add(&match.contest, "one more", translator));
    match.contest.count = 2;
    Run silent = {.silent = true};
    expect_check_message(
        "33 groups", contest_by_length(&silent, &match.contest, lengths, 33, 0, "none", "None"));
    match_free(&match);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_training_and_files),
        cmocka_unit_test(test_schedule),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_groups_of_lengths),
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
