/* --repeat, as a user meets it. */
#include "assert_close.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/file.h"
#include "lesson/child.h"

/* The tiny lesson, run with these flags in the folder of another child, or in one of its own. */
static Child play(const Child *there, const char *flags) {
    return child_run((Call){
        .flags = flags, .folder = there != NULL ? there->folder : NULL, .environment = "TMPDIR=."});
}

static void expect_end(const Child *child, int code, const char *says) {
    if (child->code != code ||
        (strstr(child->out, says) == NULL && strstr(child->err, says) == NULL)) {
        size_t size = strlen(child->out);
        print_error("...%s\n%s\n", child->out + (size > 600 ? size - 600 : 0), child->err);
        fail_msg("exit code %d, not %d, or not \"%s\"", child->code, code, says);
    }
}

/* Another run there; what it must say and return. */
static void expect_again(const Child *there, const char *flags, int code, const char *says) {
    Child again = play(there, flags);
    expect_end(&again, code, says);
    free(again.out);
    free(again.err);
}

static void put_file(const Child *there, const char *name, const char *text) {
    char path[CHILD_PATH + 64];
    snprintf(path, sizeof path, "%s/%s", there->folder, name);
    assert_true(file_write(path, text, strlen(text), NULL));
}

/* Puts `is` for `was` in a file of the run. */
static void change_file(const Child *there, const char *name, const char *was, const char *is) {
    char *text = child_file(there, name), *at = text != NULL ? strstr(text, was) : NULL;
    assert_non_null(at);
    size_t size = strlen(text) + strlen(is) + 1;
    char *other = calloc(1, size);
    snprintf(other, size, "%.*s%s%s", (int)(at - text), text, is, at + strlen(was));
    put_file(there, name, other);
    free(other);
    free(text);
}

static void test_the_bits_agree(void **state) {
    (void)state;
    Child first = play(NULL, "--seed 3 --step --rate 0.12345678 --out runs/first");
    expect_end(&first, 0, "");
    expect_again(&first, "--repeat runs/first", 0, "files agree with the first run");
    char *names = child_list(&first, "."); /* the temporary folder is gone */
    assert_string_equal(names, "runs\n");
    free(names);
    expect_again(&first, "--repeat runs/first --out runs/second --threads 2", 0,
                 "are in runs/second");
    char *a = child_file(&first, "runs/first/loss.txt"),
         *b = child_file(&first, "runs/second/loss.txt");
    assert_string_equal(a, b); /* all digits of --rate are on record */
    free(a);
    free(b);
    /* a repetition is a run like any other */
    expect_again(&first, "--repeat runs/second", 0, "files agree with the first run");
    child_free(&first);
}

static void test_quoted_flags(void **state) {
    (void)state;
    Child first = play(NULL, "--quick --out it's%20a%20'run'%20\\t");
    expect_end(&first, 0, "");
    expect_again(&first, "--repeat it's%20a%20'run'%20\\t", 0, "files agree");
    child_free(&first);
}

static void test_a_changed_file_is_named(void **state) {
    (void)state;
    Child first = play(NULL, "--quick");
    change_file(&first, "plots/01_tiny/claims.tsv", "\t", "  ");
    change_file(&first, "plots/01_tiny/run.tsv", "compiler\t", "compiler\told ");
    change_file(&first, "plots/01_tiny/run.tsv", "rate\t", "rate\t9");
    change_file(&first, "plots/01_tiny/run.tsv", "program\t", "program\t0");
    expect_again(&first, "--repeat plots/01_tiny --out other", 1, "claims.tsv: differs");
    expect_again(&first, "--repeat plots/01_tiny --out other", 1, "compiler: then old ");
    expect_again(&first, "--repeat plots/01_tiny --out other", 1, "rate: then 9");
    expect_again(&first, "--repeat plots/01_tiny --out other", 1, "program: another one");
    char path[CHILD_PATH + 64];
    snprintf(path, sizeof path, "%s/plots/01_tiny/attention.png", first.folder);
    assert_int_equal(unlink(path), 0);
    expect_again(&first, "--repeat plots/01_tiny --out other", 1, "there is no such file");
    change_file(&first, "plots/01_tiny/run.tsv", " attention.png", "");
    expect_again(&first, "--repeat plots/01_tiny --out other", 1, "attention.png: is new");
    change_file(&first, "plots/01_tiny/run.tsv", "files\t", "files\t../x.tsv gone.tsv ");
    expect_again(&first, "--repeat plots/01_tiny --out other", 1, "gone.tsv: was not made again");
    child_free(&first);
}

/* Ctrl-C leaves neither the temporary folder behind nor a mark on the run; a folder that the user
 * has named keeps what was written. */
static void test_a_repetition_that_is_broken_off(void **state) {
    (void)state;
    Child first = play(NULL, "--delay 20 --no-plots");
    char *before = child_list(&first, "plots/01_tiny");
    for (int named = 0; named < 2; named++) {
        Child again = child_run(
            (Call){.flags = named ? "--repeat plots/01_tiny --out mine" : "--repeat plots/01_tiny",
                   .folder = first.folder,
                   .environment = "TMPDIR=.",
                   .wait_for = "training   8/40",
                   .signal = SIGINT});
        expect_end(&again, 130, named ? "until then is kept" : "nothing is kept; plots/01_tiny");
        char *names = child_list(&first, "."), *after = child_list(&first, "plots/01_tiny");
        assert_string_equal(names, named ? "mine\nplots\n" : "plots\n");
        assert_string_equal(before, after);
        free(names);
        free(after);
        free(again.out);
        free(again.err);
    }
    free(before);
    expect_again(&first, "--repeat plots/01_tiny", 0, "files agree");
    child_free(&first);
}

/* An error in the code that the run before did not have: half a repetition is of no use. */
static void test_a_repetition_that_meets_an_error(void **state) {
    (void)state;
    Child first = play(NULL, "--die --quick");
    expect_end(&first, 0, "");
    change_file(&first, "plots/01_tiny/run.tsv", "\t--die", "\t--check-finite --die");
    expect_again(&first, "--repeat plots/01_tiny", 3, "error: scale");
    char *names = child_list(&first, ".");
    assert_string_equal(names, "plots\n");
    free(names);
    child_free(&first);
}

static void test_one_of_several_seeds_is_repeated(void **state) {
    (void)state;
    Child first = play(NULL, "--quick --no-plots --seed 4 --runs 2");
    expect_again(&first, "--repeat plots/01_tiny", 2,
                 "holds 2 runs, one for each seed: repeat one of those in it, such as seed_4");
    expect_again(&first, "--repeat plots/01_tiny/seed_5", 0, "files agree");
    char *names = child_list(&first, ".");
    assert_string_equal(names, "plots\n");
    free(names);
    child_free(&first);
}

/* Files of an earlier run that lie in the same folder are not of this one. */
static void test_other_files_do_not_matter(void **state) {
    (void)state;
    Child first = play(NULL, "--quick --only 1.3");
    put_file(&first, "plots/01_tiny/older.tsv", "1\n");
    expect_again(&first, "--repeat plots/01_tiny", 0, "files agree");
    child_free(&first);
}

static void test_curves_that_are_not_drawn(void **state) {
    (void)state;
    Child first = child_run((Call){.flags = "--quick", .environment = "PATH=/nowhere"});
    change_file(&first, "plots/01_tiny/run.tsv", "curve.gp", "curve.gp curve.png");
    Child again = child_run((Call){.flags = "--repeat plots/01_tiny",
                                   .folder = first.folder,
                                   .environment = "PATH=/nowhere TMPDIR=."});
    expect_end(&again, 0, "1 picture that gnuplot draws is in one of the two");
    free(again.out);
    free(again.err);
    child_free(&first);
}

static void test_data_that_has_changed(void **state) {
    (void)state;
    Child first = play(NULL, "--list");
    put_file(&first, "my data", "one\n");
    expect_again(&first, "--quick --data my%20data", 0, "");
    expect_again(&first, "--repeat plots/01_tiny", 0, "files agree");
    put_file(&first, "my data", "two\n");
    expect_again(&first, "--repeat plots/01_tiny", 2, "my data: has changed since plots/01_tiny");
    char path[CHILD_PATH + 64];
    snprintf(path, sizeof path, "%s/my data", first.folder);
    assert_int_equal(unlink(path), 0);
    expect_again(&first, "--repeat plots/01_tiny", 2, "my data: there is no such file");
    child_free(&first);
}

static void test_what_cannot_be_repeated(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"lesson\t01_tiny", "lesson\t02_other", "a run of lesson 02_other, and this is 01_tiny"},
        {"stopped_by\t-", "stopped_by\tCtrl-C", "this run ended early (Ctrl-C)"},
        {"exit_code\t0", "exit_code\t2", "not all files of this run could be written"},
        {"\nfiles\t", "\nfilms\t", "an older version"},
        {"lesson\t", "lessons\t", "not that of a lesson"},
        {"flags\t", "flags\t'", "the flags in its run.tsv cannot be read"},
        {"flags\t", "flags\t--nonsense ", "unknown flag --nonsense"},
        {"flags\t", "flags\t--repeat x ", "a repetition cannot be repeated"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Child first = play(NULL, "--quick");
        change_file(&first, "plots/01_tiny/run.tsv", cases[i][0], cases[i][1]);
        expect_again(&first, "--repeat plots/01_tiny", 2, cases[i][2]);
        char *names = child_list(&first, ".");
        assert_string_equal(names, "plots\n");
        free(names);
        child_free(&first);
    }
    Child first = play(NULL, "--quick");
    expect_again(&first, "--repeat plots", 2, "plots: no folder of a run");
    expect_again(&first, "--repeat nowhere", 2, "nowhere: no folder of a run");
    expect_again(&first, "--repeat plots/01_tiny --seed 4", 2, "--seed does not go with it");
    expect_again(&first, "--repeat plots/01_tiny --data x", 2, "--data does not go with it");
    expect_again(&first, "--repeat plots/01_tiny --out ./plots/01_tiny", 2, "to be repeated");
    child_free(&first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_bits_agree),
        cmocka_unit_test(test_quoted_flags),
        cmocka_unit_test(test_a_changed_file_is_named),
        cmocka_unit_test(test_a_repetition_that_is_broken_off),
        cmocka_unit_test(test_a_repetition_that_meets_an_error),
        cmocka_unit_test(test_one_of_several_seeds_is_repeated),
        cmocka_unit_test(test_other_files_do_not_matter),
        cmocka_unit_test(test_curves_that_are_not_drawn),
        cmocka_unit_test(test_data_that_has_changed),
        cmocka_unit_test(test_what_cannot_be_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
