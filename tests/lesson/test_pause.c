#include "assert_close.h"

#include <stdlib.h>

#include "lesson/child.h"

static const char prompt[] = "-- Enter: go on   q Enter: end here --";

static int prompts_in(const char *text) {
    int count = 0;
    while ((text = strstr(text, prompt))) {
        count++;
        text++;
    }
    return count;
}

static void test_enter_goes_on(void **state) {
    (void)state;
    Child child =
        child_run((Call){.flags = "--step --no-plots", .columns = 80, .type = "\n\nwhatever\n\n"});
    assert_int_equal(child.code, 0);
    assert_int_equal(prompts_in(child.out), 4);
    assert_non_null(strstr(child.out, "6 of 6 claims hold."));
    assert_true(strstr(child.out, prompt) < strstr(child.out, "1.2  Training"));
    child_free(&child);
}

static void test_q_ends_the_run_in_good_order(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--step --no-plots", .columns = 80, .type = "\nq\n"});
    assert_int_equal(child.code, 0);
    assert_int_equal(prompts_in(child.out), 2);
    assert_null(strstr(child.out, "1.3  Looking"));
    assert_non_null(strstr(child.out, "ended early (q at a pause)"));
    char *claims = child_file(&child, "plots/01_tiny/claims.tsv");
    assert_non_null(strstr(claims, "1.2\ttrained\t"));
    free(claims);
    child_free(&child);
}

/* No more input: the rest of the lesson runs without pauses instead of waiting for ever. */
static void test_end_of_input_ends_the_pauses(void **state) {
    (void)state;
    Child terminal = child_run((Call){.flags = "--step --no-plots", .columns = 80, .type = "\n^"});
    assert_int_equal(terminal.code, 0);
    assert_int_equal(prompts_in(terminal.out), 2);
    assert_non_null(strstr(terminal.out, "6 of 6 claims hold."));
    child_free(&terminal);
    Child pipe = child_run((Call){.flags = "--step --no-plots", .input = NULL});
    assert_int_equal(pipe.code, 0);
    assert_int_equal(prompts_in(pipe.out), 1);
    assert_non_null(strstr(pipe.out, "6 of 6 claims hold."));
    child_free(&pipe);
}

static void test_enters_from_a_pipe(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--step --no-plots", .input = "\n\nquit\n\n\n"});
    assert_int_equal(child.code, 0);
    assert_int_equal(prompts_in(child.out), 3);
    assert_null(strstr(child.out, "1.4  Timing"));
    child_free(&child);
}

static void test_no_pause_in_a_silent_step(void **state) {
    (void)state;
    Child child =
        child_run((Call){.flags = "--step --no-plots --only 1.3", .columns = 80, .type = "\n\n"});
    assert_int_equal(child.code, 0);
    assert_int_equal(prompts_in(child.out), 1);
    child_free(&child);
}

/* Step 1.1 has more lines than a window of 12 holds. */
static void test_a_long_step_stops_page_by_page(void **state) {
    (void)state;
    const char more[] = "-- Enter: more   q Enter: skip to the end -- ";
    Child child = child_run((Call){
        .flags = "--step --no-plots --only 1.1", .columns = 80, .rows = 12, .type = "\n\n\n\n"});
    assert_int_equal(child.code, 0);
    char *first = strstr(child.out, more);
    assert_non_null(first);
    assert_true(first < strstr(child.out, prompt));
    child_free(&child);
    child =
        child_run((Call){/* the rest of the step in one go, and the pause behind it all the same */
                         .flags = "--step --no-plots --only 1.1",
                         .columns = 80,
                         .rows = 5,
                         .type = "q\n\n\n\n\n\n\n\n"});
    assert_int_equal(child.code, 0);
    first = strstr(child.out, more);
    char *pause = strstr(child.out, prompt), *second = strstr(first + 1, more);
    assert_true(first < pause && (second == NULL || second > pause));
    child_free(&child);
}

/* Each step begins a page of its own: none of them fills a window of 30 rows, all together do. */
static void test_a_pause_begins_a_new_page(void **state) {
    (void)state;
    Child child = child_run(
        (Call){.flags = "--step --no-plots", .columns = 80, .rows = 30, .type = "\n\n\n\n"});
    assert_int_equal(child.code, 0);
    assert_int_equal(prompts_in(child.out), 4);
    assert_null(strstr(child.out, "-- Enter: more"));
    child_free(&child);
    child = child_run((Call){/* "skip to the end" was about the first step */
                             .flags = "--step --no-plots",
                             .columns = 80,
                             .rows = 8,
                             .type = "q\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"});
    assert_int_equal(child.code, 0);
    assert_non_null(strstr(strstr(child.out, prompt), "-- Enter: more"));
    child_free(&child);
}

static void test_help_stops_page_by_page_on_a_terminal_alone(void **state) {
    (void)state;
    static const char *const flags[] = {"--help", "--list", "--help --no-color"};
    for (int i = 0; i < 3; i++) {
        Child child =
            child_run((Call){.flags = flags[i], .columns = 80, .rows = 5, .type = "\nq\n"});
        assert_int_equal(child.code, 0);
        assert_non_null(strstr(child.out, "-- Enter: more"));
        child_free(&child);
        child = child_run((Call){.flags = flags[i]});
        assert_int_equal(child.code, 0);
        assert_null(strstr(child.out, "-- Enter: more"));
        child_free(&child);
    }
}

/* A plain run does not wait for anybody; nor does one in a file, whose hints are for the screen. */
static void test_no_pages_without_step(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--no-plots", .columns = 80, .rows = 5});
    assert_int_equal(child.code, 0);
    assert_null(strstr(child.out, "-- Enter"));
    child_free(&child);
}

/* lesson --step >file: somebody sits there and would wait for ever. */
static void test_hints_are_seen_when_the_output_goes_to_a_file(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--step --no-plots",
                                   .columns = 80,
                                   .rows = 5,
                                   .output_file = "said.txt",
                                   .type = "\n\n\n\n"});
    assert_int_equal(child.code, 0);
    assert_int_equal(prompts_in(child.out), 4);
    assert_null(strstr(child.out, "-- Enter: more"));
    assert_null(strchr(child.out, '\033'));
    child_free(&child);
}

/* No terminal description is needed, and no size. */
static void test_a_terminal_that_can_do_nothing(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--step --no-plots",
                                   .environment = "TERM=dumb LC_ALL=C",
                                   .columns = 80,
                                   .rows = 24,
                                   .type = "\n\n\n\n\n\n"});
    assert_int_equal(child.code, 0);
    assert_int_equal(prompts_in(child.out), 4);
    assert_null(strchr(child.out, '\033'));
    child_free(&child);
}

/* ... but it may be narrow: words are not cut where it breaks lines. */
static void test_a_narrow_terminal_that_can_do_nothing(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--only 1.1 --break wrong_sum --no-plots",
                                   .environment = "TERM=dumb LC_ALL=C",
                                   .columns = 50,
                                   .rows = 24});
    int longest = 0;
    for (const char *line = child.out; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        int size = (int)strcspn(line, "\r\n");
        longest = size > longest ? size : longest;
    }
    assert_in_range(longest, 20, 50);
    child_free(&child);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enter_goes_on),
        cmocka_unit_test(test_q_ends_the_run_in_good_order),
        cmocka_unit_test(test_end_of_input_ends_the_pauses),
        cmocka_unit_test(test_enters_from_a_pipe),
        cmocka_unit_test(test_no_pause_in_a_silent_step),
        cmocka_unit_test(test_a_long_step_stops_page_by_page),
        cmocka_unit_test(test_a_pause_begins_a_new_page),
        cmocka_unit_test(test_help_stops_page_by_page_on_a_terminal_alone),
        cmocka_unit_test(test_no_pages_without_step),
        cmocka_unit_test(test_hints_are_seen_when_the_output_goes_to_a_file),
        cmocka_unit_test(test_a_terminal_that_can_do_nothing),
        cmocka_unit_test(test_a_narrow_terminal_that_can_do_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
