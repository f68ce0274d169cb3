#include "assert_close.h"

#include <signal.h>
#include <stdlib.h>

#include "lesson/child.h"
#include "lesson/tiny_lesson.h"
#include "lesson/walkthrough.h"

static void refuse(const char *flags, const char *line) {
    Child child = child_run((Call){.flags = flags});
    assert_int_equal(child.code, 2);
    assert_string_equal(child.err, line);
    assert_string_equal(child.out, "");
    char *files = child_list(&child, ".");
    assert_string_equal(files, "");
    free(files);
    child_free(&child);
}

static void test_refusals_are_one_line_and_leave_nothing(void **state) {
    (void)state;
    refuse("--quikc", "01_tiny: unknown flag --quikc; did you mean --quick? (--help lists all "
                      "flags)\n");
    refuse("--seed many", "01_tiny: --seed many: not a whole number; allowed: whole numbers from 0 "
                          "to 18446744073709551615\n");
    refuse("--steps 0", "01_tiny: --steps 0: out of range; allowed: whole numbers from 1 to "
                        "100000000\n");
    refuse("--threads 257", "01_tiny: --threads 257: out of range; allowed: whole numbers from 1 "
                            "to 256\n");
    refuse("--only 1.9", "01_tiny: --only 1.9: no such step; allowed: 1.1, 1.2, 1.3, 1.4\n");
    refuse("--only 1.1,7", "01_tiny: --only 7: no such step; allowed: 1.1, 1.2, 1.3, 1.4\n");
    refuse("--only 1.1, --quick", "01_tiny: --only : an empty name; allowed: 1.1, 1.2, 1.3, 1.4\n");
    refuse("--break wrong_sun", "01_tiny: --break wrong_sun: no such mistake; did you mean "
                                "wrong_sum? allowed: wrong_sum, nan_value, upside_down\n");
    refuse("--break nothing", "01_tiny: --break nothing: no such mistake; allowed: wrong_sum, "
                              "nan_value, upside_down\n");
    refuse("left over", "01_tiny: \"left\" is no flag; flags begin with -- (--help lists them)\n");
}

static void test_what_a_lesson_checks_by_itself(void **state) {
    (void)state;
    refuse("--units 3", "01_tiny: --units 3: must be even\n");
    refuse("--data no/such/file", "01_tiny: no/such/file: there is no such file\n");
    refuse("--data .", "01_tiny: .: a folder, where a file is needed\n");
    refuse("--out /dev/null/below", "01_tiny: /dev/null: a file is in the way of the folder\n");
}

/* What was typed is shown, but cannot do anything to the terminal. */
static void test_odd_bytes_in_messages(void **state) {
    (void)state;
    refuse("--break \033[2J\xFF", "01_tiny: --break  [2J\xEF\xBF\xBD: no such mistake; allowed: "
                                  "wrong_sum, nan_value, upside_down\n");
    Child child =
        child_run((Call){.flags = "--break \xC3\xA9t\xC3\xA9", .environment = "LC_ALL=C"});
    assert_int_equal(child.code, 2);
    assert_non_null(strstr(child.err, "--break ete: no such mistake"));
    child_free(&child);
}

static bool selects(const char *only, const char *step) {
    Flags flags = {.only = only};
    return flags_select(&flags, step);
}

static void test_only_names_steps_and_groups(void **state) {
    (void)state;
    assert_true(selects(NULL, "2.1"));
    assert_true(selects("2.3", "2.3"));
    assert_false(selects("2.3", "2.2"));
    assert_false(selects("2.1", "2.10"));
    assert_false(selects("2.10", "2.1"));
    assert_true(selects("2.1, 2.3", "2.3"));
    assert_true(selects("2", "2.10"));
    assert_false(selects("2", "22.1"));
    assert_false(selects("", "2.1"));
    assert_false(selects(",", "2.1"));
}

static int wrong_letter(int argc, char **argv) {
    (void)argc;
    (void)argv;
    return tiny_lesson_wrong("letter");
}

static void test_a_letter_taken_twice_stops(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "", .main = wrong_letter});
    assert_int_equal(child.code, 128 + SIGABRT);
    assert_non_null(strstr(child.err, "--quick and --odd are both called -q"));
    child_free(&child);
}

static void test_flags_reach_the_lesson(void **state) {
    (void)state;
    Child child =
        child_run((Call){.flags = "-q -u 6 --rate 0.25 --score concat --loud --only 1.1 -t 1"});
    assert_int_equal(child.code, 0);
    assert_non_null(strstr(child.out, "units 6, rate 0.25, score 2\n"));
    child_free(&child);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals_are_one_line_and_leave_nothing),
        cmocka_unit_test(test_what_a_lesson_checks_by_itself),
        cmocka_unit_test(test_odd_bytes_in_messages),
        cmocka_unit_test(test_only_names_steps_and_groups),
        cmocka_unit_test(test_a_letter_taken_twice_stops),
        cmocka_unit_test(test_flags_reach_the_lesson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
