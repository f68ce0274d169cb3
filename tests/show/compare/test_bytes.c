/* The same to the bit, file by file. */
#include "support/two_runs.h"

#include <stdlib.h>

static FileTally tally;

static void count(Comparison *c) {
    tally = compare_bytes(c);
}

static void test_all_the_same(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    for (int run = 'A'; run <= 'B'; run++) {
        two_runs_put(&two, (char)run, "x.png", "picture");
        two_runs_put(&two, (char)run, "timing_x.tsv", run == 'A' ? "1" : "2");
        two_runs_put(&two, (char)run, "x.gp", run == 'A' ? "1" : "2");
        two_runs_put(&two, (char)run, run == 'A' ? "timing_a.png" : "timing_b.png", "x");
        two_runs_put(&two, (char)run, run == 'A' ? "a.gp" : "b.gp", "x");
    }
    two_runs_put(&two, 'B', "run.tsv", "lesson\t02_tiny\nseed\t1\nseconds\t3\n");
    two_runs_say(&two, count);
    assert_int_equal(tally.same, 2); /* claims.tsv and x.png */
    assert_int_equal(tally.tables_differ + tally.pictures_differ, 0);
    two_runs_free(&two);
}

static void test_one_byte_and_one_file(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    enum { LONG = 50000 };
    char *text = malloc(LONG + 1);
    memset(text, 'x', LONG);
    text[LONG] = '\0';
    two_runs_put(&two, 'A', "x.tsv", text);
    text[LONG - 1] = 'y';
    two_runs_put(&two, 'B', "x.tsv", text);
    two_runs_put(&two, 'A', "longer.tsv", "12");
    two_runs_put(&two, 'B', "longer.tsv", "123");
    two_runs_put(&two, 'B', "y.png", "only in B");
    free(text);
    two_runs_say(&two, count);
    assert_int_equal(tally.same, 1);
    assert_int_equal(tally.tables_differ, 2);
    assert_int_equal(tally.pictures_differ, 1);
    assert_string_equal(tally.first, "longer.tsv");
    two_runs_free(&two);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_the_same),
        cmocka_unit_test(test_one_byte_and_one_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
