#include "assert_close.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lesson/child.h"
#include "support/lesson_run.h"

static int lines_in(const char *text) {
    int lines = 0;
    for (; (text = strchr(text, '\n')); text++) {
        lines++;
    }
    return lines;
}

static void expect_files(const Child *child, const char *folder, const char *names) {
    char *files = child_list(child, folder);
    assert_string_equal(files, names);
    free(files);
}

static void test_every_file_of_a_run(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--out some/new/place"});
    assert_int_equal(child.code, 0);
    expect_files(&child, ".", "some\n");
    expect_files(&child, "some/new/place",
                 "attention.png\nattention.tsv\nclaims.tsv\ncurve.gp\ncurve.png\ncurve.tsv\n"
                 "loss.txt\nrun.tsv\ntiming_claims.tsv\nwords.txt\n");
    char *words = child_file(&child, "some/new/place/words.txt"),
         *log = child_file(&child, "some/new/place/attention.tsv");
    assert_string_equal(words, "le caf\xC3\xA9 noir\n");
    assert_int_equal(lines_in(log), 1 + 16);
    assert_non_null(strstr(log, "\n0\t1\t0\t1\tle\tcaf\xC3\xA9\t0.1\n"));
    free(words);
    free(log);
    child_free(&child);
}

static void test_no_plots_writes_numbers_only(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--no-plots"});
    assert_int_equal(child.code, 0);
    expect_files(&child, "plots/01_tiny",
                 "attention.tsv\nclaims.tsv\ncurve.gp\ncurve.tsv\nloss.txt\nrun.tsv\n"
                 "timing_claims.tsv\n"
                 "words.txt\n");
    assert_null(strstr(child.out, "Pictures in"));
    child_free(&child);
}

/* faults 26: the numbers are there, one line says how to draw them, all is well. */
static void test_without_gnuplot(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "", .environment = "PATH=/nonexistent"});
    assert_int_equal(child.code, 0);
    assert_string_equal(child.err, "");
    char *curve = child_file(&child, "plots/01_tiny/curve.tsv"),
         *script = child_file(&child, "plots/01_tiny/curve.gp");
    assert_non_null(curve);
    assert_non_null(script);
    assert_null(child_file(&child, "plots/01_tiny/curve.png"));
    assert_non_null(strstr(child.out, "cd plots/01_tiny && gnuplot"));
    free(curve);
    free(script);
    child_free(&child);
}

static void test_gnuplot_that_fails(void **state) {
    (void)state;
    Child first = child_run((Call){.flags = "--only 1.1"}); /* makes a folder to work in */
    char path[2 * CHILD_PATH], environment[3 * CHILD_PATH];
    snprintf(path, sizeof path, "%s/gnuplot", first.folder);
    FILE *program = fopen(path, "w");
    fputs("#!/bin/sh\necho 'gnuplot has a bad day' >&2\nexit 3\n", program);
    fclose(program);
    chmod(path, 0755);
    snprintf(environment, sizeof environment, "PATH=%s:/usr/bin:/bin", first.folder);
    Child child =
        child_run((Call){.flags = "", .environment = environment, .folder = first.folder});
    assert_int_equal(child.code, 0);
    assert_int_equal(lines_in(child.err), 1);
    assert_non_null(strstr(child.err, "gnuplot"));
    assert_non_null(strstr(child.out, "cd plots/01_tiny && gnuplot"));
    child_free(&child);
    child_free(&first);
}

/* faults 26: a limit on the size of files stands in for a full disk. */
static void test_full_disk(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "", .file_limit = 2000});
    assert_int_equal(child.code, 2);
    assert_int_equal(lines_in(child.err), 1);
    assert_non_null(strstr(child.err, "01_tiny: plots/01_tiny/"));
    assert_non_null(strstr(child.err, "cannot be written"));
    assert_non_null(strstr(child.out, "1 file could not be written.\n"));
    expect_files(&child, "plots/01_tiny", /* what is small enough, and whole */
                 "attention.tsv\nclaims.tsv\ncurve.gp\ncurve.tsv\nloss.txt\nrun.tsv\n"
                 "timing_claims.tsv\n"
                 "words.txt\n");
    child_free(&child);
}

static void test_folder_that_disappears(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--only 1.1 --out gone"});
    char path[2 * CHILD_PATH];
    snprintf(path, sizeof path, "%s/gone/claims.tsv", child.folder);
    unlink(path);
    mkdir(path, 0755); /* a folder of that name is in the way */
    Child again = child_run((Call){.flags = "--only 1.1 --out gone", .folder = child.folder});
    assert_int_equal(again.code, 2);
    assert_string_equal(again.err, "01_tiny: gone/claims.tsv: cannot be written: a folder of that "
                                   "name is in the way\n");
    assert_non_null(strstr(again.out, "1 file could not be written.\n"));
    child_free(&again);
    child_free(&child);
}

static void test_unwritable_folder_is_found_before_any_training(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--out /proc/self/fdinfo/x"});
    assert_int_equal(child.code, 2);
    assert_string_equal(child.out, "");
    assert_int_equal(lines_in(child.err), 1);
    assert_non_null(strstr(child.err, "/proc/self/fdinfo/x"));
    child_free(&child);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_file_of_a_run),
        cmocka_unit_test(test_no_plots_writes_numbers_only),
        cmocka_unit_test(test_without_gnuplot),
        cmocka_unit_test(test_gnuplot_that_fails),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_folder_that_disappears),
        cmocka_unit_test(test_unwritable_folder_is_found_before_any_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
