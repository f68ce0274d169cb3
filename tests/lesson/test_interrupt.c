#include "assert_close.h"

#include <signal.h>
#include <unistd.h>
#include <stdlib.h>

#include "lesson/child.h"
#include "lesson/interrupt.h"
#include "lesson/options.h"

static void expect_file_part(const Child *child, const char *path, const char *part) {
    char *text = child_file(child, path);
    if (!text || !strstr(text, part)) {
        fail_msg("\"%s\" is missing in %s:\n%s", part, path, text ? text : "(no such file)");
    }
    free(text);
}

/* Ctrl-C in a training: what was claimed is kept, what was not trained is not claimed, the
 * remaining steps are skipped. */
static void test_ctrl_c_in_a_training(void **state) {
    (void)state;
    Child child = child_run(
        (Call){.flags = "--delay 100 --no-plots", .wait_for = "training   8/40", .signal = SIGINT});
    assert_int_equal(child.code, 130);
    assert_false(child.by_signal);
    assert_string_equal(child.err, "");
    assert_non_null(strstr(child.out, "stopped early\n"));
    assert_null(strstr(child.out, "the last loss is")); /* of a model that is not trained */
    assert_non_null(strstr(child.out, "[not made] the loss falls"));
    assert_non_null(
        strstr(child.out, "ended early (Ctrl-C); what was written until then is kept."));
    assert_null(strstr(child.out, "1.3  Looking"));
    expect_file_part(&child, "plots/01_tiny/claims.tsv",
                     "1.1\tsum\tthe weights of a row add up to "
                     "100 %\t1\t==\t1\tholds\n");
    expect_file_part(&child, "plots/01_tiny/claims.tsv", "\t-\t<\t0.05\tnot_made\n");
    expect_file_part(&child, "plots/01_tiny/run.tsv", "steps_run\t1.1\n");
    expect_file_part(&child, "plots/01_tiny/run.tsv", "stopped_by\tCtrl-C\nexit_code\t130\n");
    char *files = child_list(&child, "plots/01_tiny");
    assert_string_equal(files, "claims.tsv\nrun.tsv\n"); /* nothing half-written */
    free(files);
    child_free(&child);
}

/* Pictures and curves of an earlier, whole run are not replaced by those of half a training. */
static void test_ctrl_c_keeps_what_was_written(void **state) {
    (void)state;
    Child whole = child_run((Call){.flags = "--seed 5"});
    assert_non_null(strstr(whole.out, "the last loss is"));
    static const char *const paths[] = {"plots/01_tiny/loss.txt", "plots/01_tiny/attention.png",
                                        "plots/01_tiny/attention.tsv", "plots/01_tiny/curve.tsv"};
    char *before[COUNT_OF(paths)];
    for (int i = 0; i < COUNT_OF(paths); i++) {
        before[i] = child_file(&whole, paths[i]);
        assert_non_null(before[i]);
    }
    Child child = child_run((Call){.flags = "--seed 6 --delay 200",
                                   .folder = whole.folder,
                                   .wait_for = "Training begins",
                                   .signal = SIGINT});
    assert_int_equal(child.code, 130);
    for (int i = 0; i < COUNT_OF(paths); i++) {
        char *after = child_file(&child, paths[i]);
        assert_string_equal(before[i], after);
        free(before[i]);
        free(after);
    }
    child_free(&child);
    child_free(&whole);
}

/* Nor are its claims and its record, when half a training was all there was. */
static void test_ctrl_c_before_any_file_leaves_an_earlier_run(void **state) {
    (void)state;
    Child whole = child_run((Call){.flags = "--seed 5"});
    Child child = child_run((Call){.flags = "--seed 6 --delay 200 --only 1.2",
                                   .folder = whole.folder,
                                   .wait_for = "Training begins",
                                   .signal = SIGINT});
    assert_int_equal(child.code, 130);
    assert_non_null(strstr(child.out, "ended early (Ctrl-C); nothing was written."));
    expect_file_part(&child, "plots/01_tiny/run.tsv", "stopped_by\t-\n");
    expect_file_part(&child, "plots/01_tiny/run.tsv", "seed\t5\n");
    child_free(&child);
    child_free(&whole);
}

static void test_sigterm_is_143(void **state) {
    (void)state;
    Child child = child_run((Call){
        .flags = "--delay 200 --no-plots", .wait_for = "Training begins", .signal = SIGTERM});
    assert_int_equal(child.code, 143);
    assert_false(child.by_signal);
    expect_file_part(&child, "plots/01_tiny/run.tsv", "stopped_by\tSIGTERM\n");
    child_free(&child);
}

static void test_ctrl_c_at_a_pause(void **state) {
    (void)state;
    Child child = child_run((Call){
        .flags = "--step --no-plots", .columns = 80, .wait_for = "end here --", .signal = SIGINT});
    assert_int_equal(child.code, 130);
    assert_null(strstr(child.out, "1.2  Training"));
    expect_file_part(&child, "plots/01_tiny/claims.tsv", "1.1\tsum\t");
    child_free(&child);
}

/* A second one, when the first is not heard: the end at once, with the terminal put right. */
static void test_ctrl_c_twice_ends_at_once(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--delay 10000 --deaf --no-plots",
                                   .columns = 80,
                                   .wait_for = "Training begins",
                                   .signal = SIGINT,
                                   .again = 1,
                                   .again_after = 500});
    assert_int_equal(child.code, 130);
    assert_false(child.by_signal);
    const char *end = "\033[0m\r\n";
    assert_string_equal(child.out + strlen(child.out) - strlen(end), end);
    char *files = child_list(&child, "plots/01_tiny");
    assert_string_equal(files, "");
    free(files);
    child_free(&child);
}

/* `timeout` signals the program and then its group: twice within a moment is once. */
static void test_the_same_press_arriving_twice(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--delay 200 --no-plots",
                                   .wait_for = "Training begins",
                                   .signal = SIGINT,
                                   .again = 1,
                                   .again_after = 0});
    assert_int_equal(child.code, 130);
    expect_file_part(&child, "plots/01_tiny/claims.tsv", "not_made");
    child_free(&child);
}

/* lesson | head -1 */
static void test_nobody_reads_any_more(void **state) {
    (void)state;
    Child child = child_run(
        (Call){.flags = "--delay 100 --no-plots", .wait_for = "1.1  Numbers", .close_early = true});
    assert_int_equal(child.code, 128 + SIGPIPE);
    assert_string_equal(child.err, "");
    expect_file_part(&child, "plots/01_tiny/claims.tsv", "1.1\tsum\t");
    child_free(&child);
}

static void test_flag_and_handlers_in_this_process(void **state) {
    (void)state;
    Terminal term = {.out = stdout};
    struct sigaction before, during, after;
    sigaction(SIGINT, NULL, &before);
    interrupt_install(&term);
    assert_int_equal(interrupt_signal(), 0);
    sigaction(SIGINT, NULL, &during);
    assert_true(during.sa_handler != before.sa_handler);
    raise(SIGPIPE); /* any number of those */
    raise(SIGPIPE);
    assert_int_equal(interrupt_signal(), SIGPIPE);
    raise(SIGINT); /* has more to say */
    assert_int_equal(interrupt_signal(), SIGINT);
    interrupt_remove();
    sigaction(SIGINT, NULL, &after);
    assert_true(after.sa_handler == before.sa_handler);
    interrupt_install(&term);
    assert_int_equal(interrupt_signal(), 0);
    interrupt_remove();
}

/* For the program that goes on: afterwards a Ctrl-C is a first one, which ends nothing. */
static void test_a_forgotten_ctrl_c(void **state) {
    (void)state;
    Terminal term = {.out = stdout};
    interrupt_install(&term);
    for (int i = 0; i < 2; i++) {
        raise(SIGINT);
        assert_int_equal(interrupt_signal(), SIGINT);
        interrupt_forget();
        assert_int_equal(interrupt_signal(), 0);
        usleep(350000); /* longer than one press can take */
    }
    interrupt_remove();
}

static void test_nohup_is_obeyed(void **state) {
    (void)state;
    Terminal term = {.out = stdout};
    struct sigaction now;
    signal(SIGHUP, SIG_IGN);
    interrupt_install(&term);
    sigaction(SIGHUP, NULL, &now);
    assert_true(now.sa_handler == SIG_IGN);
    interrupt_remove();
    signal(SIGHUP, SIG_DFL);
}

/* Beyond `ulimit -f` a write fails with one line, like on a full disk; the signal is no end. */
static void test_file_size_limit_is_no_end(void **state) {
    (void)state;
    struct sigaction before, during, after;
    sigaction(SIGXFSZ, NULL, &before);
    Terminal term = terminal_new(stdout, true);
    interrupt_install(&term);
    sigaction(SIGXFSZ, NULL, &during);
    interrupt_remove();
    sigaction(SIGXFSZ, NULL, &after);
    assert_true(during.sa_handler == SIG_IGN);
    assert_true(after.sa_handler == before.sa_handler);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ctrl_c_in_a_training),
        cmocka_unit_test(test_ctrl_c_keeps_what_was_written),
        cmocka_unit_test(test_ctrl_c_before_any_file_leaves_an_earlier_run),
        cmocka_unit_test(test_sigterm_is_143),
        cmocka_unit_test(test_ctrl_c_at_a_pause),
        cmocka_unit_test(test_ctrl_c_twice_ends_at_once),
        cmocka_unit_test(test_the_same_press_arriving_twice),
        cmocka_unit_test(test_nobody_reads_any_more),
        cmocka_unit_test(test_flag_and_handlers_in_this_process),
        cmocka_unit_test(test_a_forgotten_ctrl_c),
        cmocka_unit_test(test_nohup_is_obeyed),
        cmocka_unit_test(test_file_size_limit_is_no_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
