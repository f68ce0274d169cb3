#include "assert_close.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lesson/child.h"
#include "support/picture.h"
#include "support/stage.h"

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
                 "attention.map.tsv\nattention.png\nattention.tsv\nclaims.tsv\ncurve.gp\ncurve."
                 "png\ncurve.tsv\n"
                 "loss.txt\nrun.tsv\ntiming_claims.tsv\nwords.txt\n");
    char *words = child_file(&child, "some/new/place/words.txt"),
         *log = child_file(&child, "some/new/place/attention.tsv");
    assert_string_equal(words, "le caf\xC3\xA9 noir\n");
    assert_int_equal(lines_in(log), 1 + 16);
    assert_non_null(strstr(log, "\n0\t1\t0\t1\tle\tcaf\xC3\xA9\t0.1\tattention\n"));
    free(words);
    free(log);
    child_free(&child);
}

static void test_no_plots_writes_numbers_only(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--no-plots"});
    assert_int_equal(child.code, 0);
    expect_files(
        &child, "plots/01_tiny",
        "attention.map.tsv\nattention.tsv\nclaims.tsv\ncurve.gp\ncurve.tsv\nloss.txt\nrun.tsv\n"
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

/* A shell script by the name of gnuplot in a folder. */
static void gnuplot_be(const char *folder, const char *script) {
    char path[2 * CHILD_PATH];
    snprintf(path, sizeof path, "%s/gnuplot", folder);
    FILE *program = fopen(path, "w");
    assert_non_null(program);
    fprintf(program, "#!/bin/sh\n%s\n", script);
    assert_int_equal(fclose(program), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static void test_gnuplot_that_fails(void **state) {
    (void)state;
    Child first = child_run((Call){.flags = "--only 1.1"}); /* makes a folder to work in */
    char environment[3 * CHILD_PATH];
    gnuplot_be(first.folder, "echo 'gnuplot has a bad day' >&2\nexit 3");
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

/* Three curves, one after the other. */
static void draw_three(Run *run, void *context) {
    static const char *const names[] = {"first", "second", "third"};
    bool *drawn = context;
    double x[] = {1, 2}, y[] = {3, 4};
    PlotSeries series = {.label = "y", .x = x, .y = y, .n = 2};
    for (int i = 0; i < 3; i++) {
        Plot plot = {.name = names[i],
                     .title = "A curve",
                     .x_label = "x",
                     .y_label = "y",
                     .series = &series,
                     .count = 1};
        drawn[i] = run_plot(run, &plot);
    }
}

/* In class, every wait counts: a gnuplot that failed once is not started again in that run, but the
 * numbers and the scripts of all curves are there; the next run asks it again. */
static void test_gnuplot_that_failed_is_not_asked_again(void **state) {
    (void)state;
    char folder[LESSON_PATH], script[4 * LESSON_PATH], starts[2 * LESSON_PATH];
    char *path_before = strdup(getenv("PATH"));
    folder_new(folder);
    snprintf(starts, sizeof starts, "%s/starts", folder);
    snprintf(script, sizeof script, "echo started >> %s\nexit 3", starts);
    gnuplot_be(folder, script);
    setenv("PATH", folder, 1);
    for (int run = 1; run <= 2; run++) {
        bool drawn[] = {true, true, true};
        Stage stage = stage_play(draw_three, drawn, "");
        char *names = lesson_file_names(&stage);
        assert_int_equal(stage.status, 0);
        assert_string_equal(names, "claims.tsv\nfirst.gp\nfirst.tsv\nrun.tsv\nsecond.gp\n"
                                   "second.tsv\nthird.gp\nthird.tsv\n");
        assert_false(drawn[0] || drawn[1] || drawn[2]);
        char *told = text_read(starts, NULL);
        assert_int_equal(lines_in(told), run);
        free(told);
        free(names);
        lesson_run_free(&stage);
    }
    setenv("PATH", path_before, 1);
    free(path_before);
    folder_remove(folder);
}

/* Ctrl-C while gnuplot hangs: the run ends at once, not when gnuplot's time is over, and in good
 * order. The script itself presses it. */
static void test_ctrl_c_while_gnuplot_hangs(void **state) {
    (void)state;
    Child first = child_run((Call){.flags = "--only 1.1"});
    char environment[3 * CHILD_PATH];
    gnuplot_be(first.folder, "echo $$ > pid\nkill -INT $PPID\nexec sleep 100");
    snprintf(environment, sizeof environment, "PATH=%s:/usr/bin:/bin", first.folder);
    double start = progress_clock();
    Child child =
        child_run((Call){.flags = "", .environment = environment, .folder = first.folder});
    assert_true(progress_clock() - start < 10.0); /* gnuplot may take 15 */
    assert_int_equal(child.code, 130);
    assert_false(child.by_signal);
    assert_string_equal(child.err, "");
    expect_files(&child, "plots/01_tiny",
                 "attention.map.tsv\nattention.png\nattention.tsv\nclaims.tsv\ncurve.gp\ncurve."
                 "tsv\nloss.txt\npid\n"
                 "run.tsv\n");
    char *pid = child_file(&child, "plots/01_tiny/pid");
    assert_non_null(pid);
    assert_int_equal(kill(atoi(pid), 0), -1); /* it was waited for: not even a zombie */
    free(pid);
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
    expect_files(
        &child, "plots/01_tiny", /* what is small enough, and whole */
        "attention.map.tsv\nattention.tsv\nclaims.tsv\ncurve.gp\ncurve.tsv\nloss.txt\nrun.tsv\n"
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
        cmocka_unit_test(test_gnuplot_that_failed_is_not_asked_again),
        cmocka_unit_test(test_ctrl_c_while_gnuplot_hangs),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_folder_that_disappears),
        cmocka_unit_test(test_unwritable_folder_is_found_before_any_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
