/* The table at the end of `make run`, on folders that we make up. */
#include "assert_close.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/shell.h"

static char folder[512];
static char program[4096];
static char output[1 << 14];

static const char header[] = "step\tid\ttext\tvalue\top\tbound\tstatus\n";

static void file_put(const char *name, const char *text, const char *more) {
    char path[1024];
    snprintf(path, sizeof path, "%.500s/plots/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s%s", text, more);
    assert_int_equal(fclose(file), 0);
}

static int shell(const char *format) {
    char command[2048];
    snprintf(command, sizeof command, format, folder);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs the program in the folder, keeps what it prints, gives its exit status. */
static int summary(const char *arguments) {
    char command[8192];
    snprintf(command, sizeof command, "cd '%s' && '%s' %s", folder, program, arguments);
    return shell_run(command, output, sizeof output);
}

static void assert_says(const char *text) {
    if (strstr(output, text) == NULL) {
        fail_msg("the summary does not say \"%s\" but:\n%s", text, output);
    }
}

static void lesson_put(const char *claims) {
    file_put("01_memory/claims.tsv", header, claims);
    file_put("01_memory/run.tsv", "lesson\t01\nseconds\t41.26\n", "");
    file_put("01_memory/gradient.png", "", "");
    file_put("01_memory/gaps.png", "", "");
}

static int folder_make(void **state) {
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.300s/attend-summary-XXXXXX", parent ? parent : "/tmp");
    return mkdtemp(folder) != NULL ? shell("mkdir -p '%s/plots/01_memory'") : -1;
}

static int folder_remove(void **state) {
    (void)state;
    return shell("rm -rf '%s'");
}

static void test_a_good_run_shows_seconds_claims_and_pictures(void **state) {
    (void)state;
    lesson_put("1.1\ta\tone\t1\t<\t2\tholds\n1.2\tb\ttwo\t1\t<\t2\tholds\n");
    assert_int_equal(summary("01_memory=0"), 0);
    assert_says("01_memory                  41.3        2 / 2  2 in plots/01_memory\n");
    assert_says("1 lesson, 2 of 2 claims held.\n");
}

static void test_a_failed_claim_is_named_and_fails_the_run(void **state) {
    (void)state;
    lesson_put("1.1\ta\tone\t1\t<\t2\tholds\n1.2\tb\tthe gradient lives\t0.1\t>\t0.5\tfails\n");
    assert_int_equal(summary("01_memory=1"), 1);
    assert_says("1 / 2");
    assert_says("01_memory: claim b fails at step 1.2: the gradient lives: 0.1 (bound > 0.5)\n");
    assert_int_equal(summary("01_memory=0"), 1); /* whatever its exit status says */
}

static void test_timing_and_claims_not_made_are_not_counted(void **state) {
    (void)state;
    lesson_put("1.1\ta\tone\t1\t<\t2\tholds\n1.2\tb\ttwo\t-\t<\t2\ttiming\n"
               "1.3\tc\tthree\t-\t<\t2\tnot_made\n");
    assert_int_equal(summary("01_memory=0"), 0);
    assert_says("1 / 1");
    assert_says("1 of 1 claims held, 1 not made");
}

static void test_lessons_that_died_are_told_apart(void **state) {
    (void)state;
    lesson_put("1.1\ta\tone\t1\t<\t2\tholds\n");
    assert_int_equal(summary("01_memory=0 02_a=139 03_b=127 04_c=2 05_d=9"), 1);
    assert_says("02_a: crashed: ");
    assert_says("03_b: did not build\n");
    assert_says("04_c: stopped at wrong use or input");
    assert_says("05_d: ended with exit status 9\n");
    assert_says("5 lessons, 1 of 1 claims held; 4 lessons failed.\n");
}

static void test_an_interrupted_run_says_so(void **state) {
    (void)state;
    lesson_put("1.1\ta\tone\t1\t<\t2\tholds\n");
    assert_int_equal(summary("01_memory=130"), 130);
    assert_says("01_memory: was interrupted");
}

static void test_missing_and_broken_records_are_survived(void **state) {
    (void)state;
    assert_int_equal(summary("01_memory=0"), 0);
    assert_says("01_memory                     -            -  -\n");
    assert_says("left no claims.tsv");
    lesson_put("no tabs here\n\t\t\n1.1\ta\tone\t1\t<\t2\tholds\r\n1.2\tcut");
    assert_int_equal(summary("01_memory=0"), 0);
    assert_says("1 / 1");
}

static void test_every_line_fits_80_columns(void **state) {
    (void)state;
    assert_int_equal(shell("mkdir '%s/plots/02_a_lesson_with_a_very_long_name_indeed'"), 0);
    file_put("02_a_lesson_with_a_very_long_name_indeed/x.png", "", "");
    file_put("02_a_lesson_with_a_very_long_name_indeed/claims.tsv", header,
             "2.1\tlong\tthe attention that looks at one word and at no other word, over and over "
             "again, keeps what the recurrent model forgets\t0.123456\t>\t0.5\tfails\n");
    assert_int_equal(summary("02_a_lesson_with_a_very_long_name_indeed=1 03_x=11"), 1);
    for (const char *line = output; *line != '\0'; line += strcspn(line, "\n") + 1) {
        assert_true(strcspn(line, "\n") <= 80);
    }
}

static void test_without_arguments_it_tells_about_all_there_is(void **state) {
    (void)state;
    lesson_put("1.1\ta\tone\t1\t<\t2\tholds\n");
    assert_int_equal(shell("mkdir '%s/plots/gallery'"), 0);
    assert_int_equal(summary(""), 0);
    assert_says("\n01_memory ");
    assert_null(strstr(output, "gallery"));
    assert_int_equal(shell("rm -r '%s/plots/01_memory'"), 0);
    assert_int_equal(summary(""), 0);
    assert_says("nothing to sum up");
}

int main(void) {
    if (realpath(BUILD_FOLDER "/plots/summary", program) == NULL) {
        perror(BUILD_FOLDER "/plots/summary");
        return 1;
    }
    const struct CMUnitTest tests[] = {
#define FOLDER_TEST(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)
        FOLDER_TEST(test_a_good_run_shows_seconds_claims_and_pictures),
        FOLDER_TEST(test_a_failed_claim_is_named_and_fails_the_run),
        FOLDER_TEST(test_timing_and_claims_not_made_are_not_counted),
        FOLDER_TEST(test_lessons_that_died_are_told_apart),
        FOLDER_TEST(test_an_interrupted_run_says_so),
        FOLDER_TEST(test_missing_and_broken_records_are_survived),
        FOLDER_TEST(test_every_line_fits_80_columns),
        FOLDER_TEST(test_without_arguments_it_tells_about_all_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
