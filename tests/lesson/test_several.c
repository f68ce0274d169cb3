/* --runs N: each seed in a process of its own, and what becomes of it when one of them does not
 * end well. */
#include "assert_close.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "lesson/child.h"
#include "support/lesson_run.h"

#define FOLDER "plots/01_tiny"

static void expect_part(const char *text, const char *part) {
    if (!text || !strstr(text, part)) {
        fail_msg("there should be \"%s\" in:\n%s", part, text ? text : "(nothing)");
    }
}

static void expect_same(const Child *a, const char *path_a, const Child *b, const char *path_b) {
    char *mine = child_file(a, path_a), *theirs = child_file(b, path_b);
    assert_non_null(mine);
    assert_non_null(theirs);
    assert_string_equal(mine, theirs);
    free(mine);
    free(theirs);
}

static void test_each_seed_leaves_a_whole_run(void **state) {
    (void)state;
    Child three = child_run((Call){.flags = "--seed 7 --runs 3 --units 6"});
    Child alone = child_run((Call){.flags = "--seed 8 --units 6"});
    assert_int_equal(three.code, 0);
    assert_string_equal(three.err, "");
    char *files = child_list(&three, FOLDER), *of_seed = child_list(&three, FOLDER "/seed_8"),
         *of_alone = child_list(&alone, FOLDER);
    assert_string_equal(files, "claims.tsv\ncurve.gp\ncurve.png\ncurve.tsv\nrun.tsv\nseed_7\n"
                               "seed_8\nseed_9\nspread.tsv\ntiming_claims.tsv\n");
    assert_string_equal(of_seed, of_alone);
    static const char *const same[] = {"claims.tsv", "curve.tsv", "attention.tsv",
                                       "loss.txt",   "curve.gp",  "attention.map.tsv"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char paths[2][64];
        snprintf(paths[0], sizeof paths[0], FOLDER "/seed_8/%s", same[i]);
        snprintf(paths[1], sizeof paths[1], FOLDER "/%s", same[i]);
        expect_same(&three, paths[0], &alone, paths[1]);
    }
    free(files);
    free(of_seed);
    free(of_alone);
    child_free(&three);
    child_free(&alone);
}

static void test_what_it_says_and_records(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--runs 2 --quick --no-plots"});
    assert_int_equal(child.code, 0);
    expect_part(child.out, "run 1 of 2: seed 1\n  [holds] 3 of 3 claims\n"
                           "run 2 of 2: seed 2\n  [holds] 3 of 3 claims\n");
    expect_part(child.out, "2 of 2     1.1  the weights of a row ");
    assert_null(strstr(child.out, "Training begins")); /* the prose of the seeds */
    assert_null(strchr(child.out, '\033'));
    char *main = child_file(&child, FOLDER "/run.tsv"),
         *seed = child_file(&child, FOLDER "/seed_2/run.tsv");
    expect_part(main, "\nruns\t2\n");
    expect_part(main, "\nprogram\t"); /* its checksum, as for one run */
    expect_part(main, "\nsteps_run\t1.1 1.2 1.3 1.4\n");
    expect_part(seed, "\nseed\t2\nruns\t1\n");
    expect_part(seed, "--runs 2 --quick --no-plots --runs 1 --seed 2 --out plots/01_tiny/seed_2\n");
    free(main);
    free(seed);
    child_free(&child);
}

static void test_the_same_bytes_twice(void **state) {
    (void)state;
    Child first = child_run((Call){.flags = "--runs 3"});
    Child second = child_run((Call){.flags = "--runs 3 --threads 2"});
    static const char *const same[] = {"spread.tsv", "claims.tsv", "curve.tsv", "curve.gp"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char path[64];
        snprintf(path, sizeof path, FOLDER "/%s", same[i]);
        expect_same(&first, path, &second, path);
    }
    child_free(&first);
    child_free(&second);
}

static void test_a_mistake_turns_claims_red(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--runs 2 --quick --break wrong_sum --no-plots"});
    assert_int_equal(child.code, 1);
    expect_part(child.out, "[fails] 2 of 3 claims");
    expect_part(child.out, "0 of 2 ");
    child_free(&child);
}

/* One run later, with one seed, nobody shall take the old spread for that of the new run. */
static void test_a_later_run_forgets_the_spread(void **state) {
    (void)state;
    Child several = child_run((Call){.flags = "--runs 2 --quick --no-plots"});
    Child one = child_run((Call){.flags = "--quick --no-plots", .folder = several.folder});
    assert_int_equal(one.code, 0);
    assert_null(child_file(&one, FOLDER "/spread.tsv"));
    child_free(&one);
    child_free(&several);
}

static void refuse(const char *flags, const char *says) {
    Child child = child_run((Call){.flags = flags});
    assert_int_equal(child.code, 2);
    assert_string_equal(child.out, "");
    expect_part(child.err, says);
    assert_int_equal(strlen(child.err), strcspn(child.err, "\n") + 1);
    char *files = child_list(&child, ".");
    assert_string_equal(files, "");
    free(files);
    child_free(&child);
}

static void test_refusals_are_one_line_and_leave_nothing(void **state) {
    (void)state;
    refuse("--runs 0", "--runs 0: out of range; allowed: whole numbers from 1 to 100");
    refuse("--runs 101", "out of range");
    refuse("--runs 2 --step", "--runs 2: not together with --step");
    refuse("--runs 2 --seed 18446744073709551615", "there are not so many seeds");
    refuse("--runs 2 --save a.st", "models of its own, and a file holds those of one; save that of "
                                   "a seed: --seed 1 --save a.st");
    refuse("--runs 2 --load a.st", "models of one seed, so nothing would differ; leave --runs out");
    refuse("--runs 2 --repeat a --seed 7", "name the folder of one: --repeat DIR/seed_7");
    refuse("--runs 2 --units 3", "--units 3: must be even"); /* what no flag alone can know */
    refuse("--runs 2 --data none.tsv", "none.tsv");
}

/* The program alone gets the signal and passes it on; the seed that runs ends in good order. */
static void test_ctrl_c_ends_all(void **state) {
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        Child child = child_run((Call){.flags = "--runs 3 --delay 50 --no-plots",
                                       .columns = 80,
                                       .wait_for = "2 of 3: 1.2 training [",
                                       .signal = signals[i]});
        assert_int_equal(child.code, 128 + signals[i]);
        assert_false(child.by_signal);
        expect_part(child.out, "1 of 3 runs are whole.");
        char *files = child_list(&child, FOLDER),
             *seed = child_file(&child, FOLDER "/seed_2/run.tsv");
        assert_string_equal(files, "seed_1\nseed_2\n");
        expect_part(seed, i == 0 ? "stopped_by\tCtrl-C\n" : "stopped_by\tSIGTERM\n");
        free(files);
        free(seed);
        child_free(&child);
    }
}

/* Just as a seed begins: nothing of it needs to be there, but the signal is not lost. */
static void test_ctrl_c_between_two_seeds(void **state) {
    (void)state;
    Child child = child_run((Call){
        .flags = "--runs 3 --delay 50 --no-plots", .wait_for = "run 2 of 3", .signal = SIGINT});
    assert_int_equal(child.code, 130);
    expect_part(child.out, "1 of 3 runs are whole. Nothing was written to\n"
                           "plots/01_tiny itself.");
    assert_null(strstr(child.out, "run 3 of 3"));
    char *files = child_list(&child, FOLDER);
    assert_int_equal(strncmp(files, "seed_1\n", 7), 0);
    assert_null(strstr(files, ".tsv"));
    free(files);
    child_free(&child);
}

static void test_progress_on_a_terminal(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--runs 2 --delay 10 --no-plots", .columns = 80});
    assert_int_equal(child.code, 0);
    expect_part(child.out, "1 of 2: 1.2 training [");
    expect_part(child.out, "2 of 2: 1.2 training [");
    child_free(&child);
}

/* A seed that dies ends it: its folder is no whole run, whatever an earlier one had left there. */
static void test_a_seed_that_dies(void **state) {
    (void)state;
    Child before = child_run((Call){.flags = "--runs 2 --quick --no-plots"});
    Child child = child_run((Call){.flags = "--runs 2 --quick --no-plots --check-finite --die",
                                   .folder = before.folder});
    assert_int_equal(child.code, 3);
    expect_part(child.err, "element 0 is inf");
    expect_part(child.out, "Ended early (an error of the program)");
    expect_part(child.out, "0 of 2 runs are whole.");
    char *record = child_file(&child, "plots/01_tiny/seed_1/run.tsv");
    expect_part(record, "stopped_by\tan error of the program\n");
    free(record);
    child_free(&child);
    child_free(&before);
}

static void test_a_folder_that_cannot_be_written(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--runs 2 --quick --out /dev/null/below"});
    assert_int_equal(child.code, 2);
    expect_part(child.err, "/dev/null");
    assert_int_equal(strlen(child.err), strcspn(child.err, "\n") + 1);
    expect_part(child.out, "0 of 2 runs are whole.");
    child_free(&child);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_seed_leaves_a_whole_run),
        cmocka_unit_test(test_what_it_says_and_records),
        cmocka_unit_test(test_the_same_bytes_twice),
        cmocka_unit_test(test_a_mistake_turns_claims_red),
        cmocka_unit_test(test_a_later_run_forgets_the_spread),
        cmocka_unit_test(test_refusals_are_one_line_and_leave_nothing),
        cmocka_unit_test(test_ctrl_c_ends_all),
        cmocka_unit_test(test_ctrl_c_between_two_seeds),
        cmocka_unit_test(test_progress_on_a_terminal),
        cmocka_unit_test(test_a_seed_that_dies),
        cmocka_unit_test(test_a_folder_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
