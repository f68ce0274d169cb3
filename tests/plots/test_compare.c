/* `compare` as its users meet it: the program, on runs of a lesson and on folders that are none. */
#include "support/two_runs.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/picture.h"
#include "support/shell.h"

static char program[4096];
static char output[1 << 15];

/* Runs the program in the folder of the two runs; `environment` goes before it. */
static int compare(const TwoRuns *two, const char *environment, const char *arguments) {
    char command[8192];
    snprintf(command, sizeof command, "cd '%s' && %s '%s' %s", two->folder, environment, program,
             arguments);
    return shell_run(command, output, sizeof output);
}

static void expect_lines_of_80(void) {
    for (const char *line = output; *line; line += strcspn(line, "\n") + 1) {
        assert_true(strcspn(line, "\n") <= 80);
        assert_true(strcspn(line, "\033") >= strcspn(line, "\n"));
    }
}

/* One line on stderr, exit code 2, and nothing written. */
static void refused(const TwoRuns *two, const char *arguments, const char *says) {
    assert_int_equal(compare(two, "", arguments), 2);
    assert_part(output, says);
    assert_int_equal(strlen(output), strcspn(output, "\n") + 1);
    assert_int_not_equal(access(two_runs_path(two, 'O', "../plots"), F_OK), 0);
}

/* Runs a lesson into one of the folders. */
static void run_lesson(const TwoRuns *two, const char *arguments) {
    LessonRun run = lesson_run_in("02_bahdanau", arguments, (LessonSetting){.folder = two->folder});
    if (run.status > 1) {
        fail_msg("%s: %s", run.command, run.err);
    }
    lesson_run_free(&run);
}

static void test_two_runs_of_a_lesson(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    run_lesson(&two, "--quick --only 2.2 --out c");
    run_lesson(&two, "--quick --only 2.2 --out d --rate 0.01");
    assert_int_equal(compare(&two, "", "c d/ --out e"), 0);
    expect_lines_of_80();
    assert_part(output, "  rate  0.003  0.01\n");
    assert_part(output, "reversal_by_length  one vector");
    assert_part(output, "reversal_alignment  attention");
    assert_part(output, "2 pictures in e.");
    assert_part(output, "\nVerdict\n\n");
    static const char *const pictures[] = {"reversal_by_length.png", "reversal_alignment.png"};
    for (int i = 0; i < 2; i++) {
        char path[256];
        snprintf(path, sizeof path, "../e/%s", pictures[i]);
        Picture picture = picture_read(two_runs_path(&two, 'O', path));
        picture_free(&picture);
    }
    assert_int_equal(compare(&two, "", "c c --no-plots"), 0);
    assert_part(output, "The same to the bit: all tables and pictures (6) are equal");
    assert_int_equal(folder_count(two_runs_path(&two, 'O', "../plots/compare/c_c")), 2);
    assert_int_equal(compare(&two, "", "c/ ./d// --no-plots"), 0);
    assert_int_equal(access(two_runs_path(&two, 'O', "../plots/compare/c_d/"), F_OK), 0);
    two_runs_free(&two);
}

/* faults 26: the numbers and the scripts are there, one line says how to draw them. */
static void test_without_gnuplot(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    for (int run = 'A'; run <= 'B'; run++) {
        two_runs_put(&two, (char)run, "c.tsv", CURVE_HEADER "1\t1\t0.5\tNaN\tNaN\tone\n");
    }
    assert_int_equal(compare(&two, "PATH=/nonexistent", "a b --out out"), 0);
    assert_part(output, "install gnuplot, then: cd out && gnuplot *.gp");
    assert_int_equal(access(two_runs_path(&two, 'O', "c.gp"), F_OK), 0);
    two_runs_free(&two);
}

/* faults 31 and more: missing, empty, a file, half, malformed, huge. */
static void test_what_is_no_run(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    refused(&two, "a none", "compare: none: there is no such folder\n");
    refused(&two, "out b", "compare: out: no run: there is no file in it\n");
    refused(&two, "a/run.tsv b", "a file, where the folder of a run is needed\n");
    assert_int_equal(unlink(two_runs_path(&two, 'B', "claims.tsv")), 0);
    refused(&two, "a b", "compare: b: half a run: claims.tsv is missing\n");
    two_runs_put(&two, 'B', "claims.tsv", "\x89PNG\r\n\x1a\n");
    refused(&two, "a b", "b/claims.tsv, line 1: the first line is another; this is no run\n");
    assert_int_equal(truncate(two_runs_path(&two, 'B', "claims.tsv"), (off_t)1 << 29), 0);
    refused(&two, "a b", "claims.tsv");
    two_runs_free(&two);
}

static void test_wrong_use(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    refused(&two, "", "two folders of runs are needed; usage: compare");
    refused(&two, "a", "two folders of runs are needed");
    refused(&two, "a b c", "\"c\" is not understood");
    refused(&two, "a b --outt c", "\"--outt\" is not understood");
    refused(&two, "a --outt", "\"--outt\" is not understood");
    refused(&two, "a b --out", "\"--out\" is not understood");
    refused(&two, "a b --out ''", "\"--out\" is not understood");
    refused(&two, "'' b", "\"\" is not understood");
    refused(&two, "a b --out a", "--out a: the folder of a run that is compared");
    refused(&two, "a b --out ./b/", "--out ./b/: the folder of a run that is compared");
    refused(&two, "a b --out /dev/null/x", "/dev/null");
    assert_int_equal(compare(&two, "", "--help"), 0);
    assert_part(output, "usage: compare");
    two_runs_free(&two);
}

static void test_a_broken_curve_is_told_and_the_rest_goes_on(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'A', "c.tsv", CURVE_HEADER "1\t1\t0.5\tNaN\tNaN\tone\n");
    two_runs_put(&two, 'B', "c.tsv", CURVE_HEADER "1\t1\n");
    assert_int_equal(compare(&two, "", "a b --out out"), 2);
    assert_part(output, "compare: b/c.tsv, line 2: too few columns; this is no curve\n");
    assert_part(output, "\nVerdict\n");
    two_runs_free(&two);
}

/* A pipe into which nobody writes would be waited for, for ever. */
static void test_a_pipe_is_told_and_not_waited_for(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'A', "x.png", "picture");
    assert_int_equal(mkfifo(two_runs_path(&two, 'B', "x.png"), 0600), 0);
    assert_int_equal(mkfifo(two_runs_path(&two, 'A', "y.tsv"), 0600), 0);
    two_runs_put(&two, 'B', "y.tsv", "a table");
    two_runs_put(&two, 'A', "only_in_a.png", "picture");
    assert_int_equal(compare(&two, "timeout 20", "a b --out out"), 2);
    assert_part(output, "compare: b/x.png: a pipe or a device, where a file is needed\n");
    assert_part(output, "compare: a/y.tsv: a pipe or a device, where a file is needed\n");
    assert_no_part(output, "only_in_a.png: there is no such file");
    assert_part(output, "\nVerdict\n");
    two_runs_free(&two);
}

static void test_a_folder_that_cannot_be_written(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'A', "c.tsv", CURVE_HEADER "1\t1\t0.5\tNaN\tNaN\tone\n");
    two_runs_put(&two, 'B', "c.tsv", CURVE_HEADER "1\t1\t0.5\tNaN\tNaN\tone\n");
    assert_int_equal(compare(&two, "", "a b --out out/c/d >/dev/full"), 2);
    assert_int_equal(compare(&two, "", "a b --out a/c.tsv"), 2);
    assert_int_equal(strlen(output), strcspn(output, "\n") + 1);
    two_runs_free(&two);
}

/* What was made for pictures goes when there are none; what was there before stays. */
static void test_no_empty_folder_is_left(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    assert_int_equal(mkdir(two_runs_path(&two, 'O', "../there"), 0777), 0);
    assert_int_equal(compare(&two, "", "a b"), 0);
    assert_int_equal(compare(&two, "", "a b --out there/new/er/"), 0);
    assert_int_equal(compare(&two, "", "a b --out there"), 0);
    assert_int_not_equal(access(two_runs_path(&two, 'O', "../plots"), F_OK), 0);
    assert_int_equal(folder_count(two_runs_path(&two, 'O', "../there")), 0);
    two_runs_free(&two);
}

/* Ctrl-C while gnuplot draws: what was begun ends, nothing new is begun, no verdict on half. */
static void test_ctrl_c(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    static const char *const names[] = {"c.tsv", "d.tsv"};
    for (int i = 0; i < 2; i++) {
        two_runs_put(&two, 'A', names[i], CURVE_HEADER "1\t1\t0.5\tNaN\tNaN\tone\n");
        two_runs_put(&two, 'B', names[i], CURVE_HEADER "1\t1\t0.5\tNaN\tNaN\tone\n");
    }
    two_runs_put(&two, 'O', "gnuplot", "#!/bin/sh\nkill -INT $PPID\nexec sleep 5\n");
    assert_int_equal(chmod(two_runs_path(&two, 'O', "gnuplot"), 0755), 0);
    assert_int_equal(compare(&two, "PATH=\"$PWD/out:$PATH\"", "a b --out pictures"), 130);
    assert_part(output, "None: the comparison was ended early.");
    assert_int_equal(access(two_runs_path(&two, 'O', "../pictures/c.gp"), F_OK), 0);
    assert_int_not_equal(access(two_runs_path(&two, 'O', "../pictures/d.gp"), F_OK), 0);
    two_runs_free(&two);
}

int main(void) {
    if (realpath(BUILD_FOLDER "/plots/compare", program) == NULL) {
        perror(BUILD_FOLDER "/plots/compare");
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_runs_of_a_lesson),
        cmocka_unit_test(test_without_gnuplot),
        cmocka_unit_test(test_what_is_no_run),
        cmocka_unit_test(test_wrong_use),
        cmocka_unit_test(test_a_broken_curve_is_told_and_the_rest_goes_on),
        cmocka_unit_test(test_a_pipe_is_told_and_not_waited_for),
        cmocka_unit_test(test_a_folder_that_cannot_be_written),
        cmocka_unit_test(test_no_empty_folder_is_left),
        cmocka_unit_test(test_ctrl_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
