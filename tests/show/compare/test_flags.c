/* What differs in flags and seed. */
#include "support/two_runs.h"

static void test_the_same_flags(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    const char *text = two_runs_say(&two, compare_flags);
    assert_part(text, "/a: lesson 02_tiny, no flags");
    assert_part(text, "Nothing: the same flags, the same seed.");
    two_runs_free(&two);
}

static void test_what_differs_is_listed_and_nothing_else(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'A', "run.tsv",
                 "lesson\t02_tiny\nflags\t--rate 1\nseed\t1\nrate\t1\nheads\t4\nout\tx\n"
                 "seconds\t1\nfiles\ta.tsv\nprogram\t00\nold\tyes\nstopped_by\tCtrl-C\n");
    two_runs_put(&two, 'B', "run.tsv",
                 "lesson\t02_tiny\nflags\t-\nseed\t2\nrate\t3\nheads\t4\nout\ty\nseconds\t2\n"
                 "files\tb.tsv\nprogram\t01\nstopped_by\t-\nnew\tno\n");
    const char *text = two_runs_say(&two, compare_flags);
    assert_part(text, "/a: lesson 02_tiny, --rate 1; it ended early");
    assert_part(text, "/b: lesson 02_tiny, no flags\n"); /* "-": at its end */
    assert_part(text, "  seed     1       2\n  rate     1       3\n  program  00      01\n"
                      "  old      yes     (none)\n  new      (none)  no\n");
    assert_no_part(text, "heads");
    assert_no_part(text, "seconds");
    assert_no_part(text, "files"); /* the parts below tell what became of them */
    two_runs_put(&two, 'B', "run.tsv", "lesson\t03_other\nseed\t1\nprogram\t01\n");
    assert_no_part(two_runs_say(&two, compare_flags), "program"); /* how could it be the same? */
    two_runs_free(&two);
}

/* Text from anybody: no escape sequence reaches the terminal, no format is obeyed. */
static void test_hostile_text(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'B', "run.tsv",
                 "lesson\t02%n%s\nseed\t1\nflags\t\033[2Jx\nname\ta\\tb\\nc\033]0;x\a\n");
    const char *text = two_runs_say(&two, compare_flags);
    assert_null(strchr(text, '\033'));
    assert_null(strchr(text, '\a'));
    assert_part(text, "02%n%s");
    two_runs_free(&two);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_flags),
        cmocka_unit_test(test_what_differs_is_listed_and_nothing_else),
        cmocka_unit_test(test_hostile_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
