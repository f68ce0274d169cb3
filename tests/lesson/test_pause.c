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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enter_goes_on),
        cmocka_unit_test(test_q_ends_the_run_in_good_order),
        cmocka_unit_test(test_end_of_input_ends_the_pauses),
        cmocka_unit_test(test_enters_from_a_pipe),
        cmocka_unit_test(test_no_pause_in_a_silent_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
