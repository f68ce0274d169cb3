/* What a program may take while it runs: time, computing, words, answers, memory, files. The
 * commands here are no student's, so they may be those of a shell; test_attacks.c has what is
 * sealed. */
#include "support/lesson_run.h"
#include "assert_close.h"
#include "grade/sandbox.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const SandboxLimits usual = {
    .seconds = 60, .cpu = 20, .memory = 1024, .file = 1, .said = 4 << 10, .answer = 1 << 10};

static SandboxRun run(const char *command, const char *input, SandboxLimits limits) {
    SandboxRun result;
    Error error;
    const char *const argv[] = {"sh", "-c", command, NULL};
    if (!sandbox_run(argv, "/", input, strlen(input), &limits, &result, &error)) {
        fail_msg("%s", error.text);
    }
    return result;
}

static void test_what_it_says_and_answers_is_kept_apart(void **state) {
    (void)state;
    SandboxRun result = run("echo said; echo answered >&3; cat; exit 3", "given", usual);
    assert_null(result.ended);
    assert_true(WIFEXITED(result.status));
    assert_int_equal(WEXITSTATUS(result.status), 3);
    assert_string_equal(result.said, "said\ngiven");
    assert_int_equal(result.answer_size, 9);
    assert_memory_equal(result.answer, "answered\n", 9);
    sandbox_free(&result);
}

static void test_long_input_and_output_do_not_wait_for_each_other(void **state) {
    (void)state;
    SandboxLimits roomy = usual;
    char *input = malloc(300001);
    memset(input, 'x', 300000);
    input[300000] = '\0';
    roomy.said = 400000;
    SandboxRun result = run("cat", input, roomy);
    assert_null(result.ended);
    assert_int_equal(result.said_size, 300000);
    assert_memory_equal(result.said, input, 300000);
    sandbox_free(&result);
    free(input);
}

static void test_time_is_over_for_who_waits(void **state) {
    (void)state;
    static const char *const waiting[] = {"sleep 1000", "exec >&- 2>&- 3>&-; sleep 1000",
                                          "trap '' TERM INT; sleep 1000; sleep 1000",
                                          "sleep 1000 & sleep 1000 & wait"};
    SandboxLimits hasty = usual;
    hasty.seconds = 0.5;
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++) {
        SandboxRun result = run(waiting[i], "", hasty);
        assert_non_null(result.ended);
        assert_string_equal(result.ended, "out of time");
        assert_true(WIFSIGNALED(result.status));
        sandbox_free(&result);
    }
}

static void test_computing_is_over_for_who_computes(void **state) {
    (void)state;
    SandboxLimits hasty = usual;
    hasty.cpu = 1;
    SandboxRun result = run("while :; do :; done", "", hasty);
    assert_non_null(result.ended);
    assert_string_equal(result.ended, "out of time");
    sandbox_free(&result);
}

static void test_too_much_is_cut_off(void **state) {
    (void)state;
    SandboxRun result = run("while :; do echo more; done", "", usual);
    assert_non_null(result.ended);
    assert_string_equal(result.ended, "said too much");
    assert_int_equal(result.said_size, usual.said);
    sandbox_free(&result);
    result = run("while :; do echo more >&3; done", "", usual);
    assert_non_null(result.ended);
    assert_string_equal(result.ended, "answered too much");
    assert_int_equal(result.answer_size, usual.answer);
    sandbox_free(&result);
}

/* Its children do not live on: what they hold open would keep us waiting otherwise. */
static void test_children_go_with_it(void **state) {
    (void)state;
    char *end;
    SandboxRun result = run("sleep 1000 >/dev/null 2>&1 3>&1 & echo $!", "", usual);
    assert_null(result.ended);
    pid_t child = (pid_t)strtol(result.said, &end, 10);
    assert_true(child > 0);
    int tries = 0;
    while (kill(child, 0) == 0 && tries++ < 500) {
        usleep(10000); /* until somebody has noticed that it is dead */
    }
    assert_true(tries < 500);
    sandbox_free(&result);
}

static void test_files_are_small_and_root_stays_outside(void **state) {
    (void)state;
    char folder[LESSON_PATH], command[4 * LESSON_PATH];
    folder_new(folder);
    assert_int_equal(chmod(folder, 0777), 0);
    snprintf(command, sizeof command,
             "head -c 3000000 /dev/zero >%s/large; echo $?; stat -c %%s %s/large; id -u; echo "
             "\"[$HOME$USER]\"; ls /proc/$$/fd | tr '\\n' ' '",
             folder, folder);
    SandboxRun result = run(command, "", usual);
    assert_null(strstr(result.said, "\n0\n1048577"));
    assert_non_null(strstr(result.said, "\n1048576\n"));
    assert_non_null(strstr(result.said, "[]"));
    assert_true((geteuid() == 0) == (strstr(result.said, "\n65534\n") != NULL));
    assert_null(strstr(result.said, "4 5")); /* nothing of ours is open */
    sandbox_free(&result);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void test_a_program_that_is_not_there(void **state) {
    (void)state;
    SandboxRun result;
    Error error;
    const char *const argv[] = {"/nowhere/program", NULL};
    SandboxLimits sealed = usual;
    assert_true(sandbox_run(argv, "/", "", 0, &usual, &result, &error));
    assert_int_equal(WEXITSTATUS(result.status), 127);
    sandbox_free(&result);
    sealed.sealed = true;
    assert_false(sandbox_run(argv, "/", "", 0, &sealed, &result, &error));
    assert_non_null(strstr(error.text, "/nowhere/program"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_it_says_and_answers_is_kept_apart),
        cmocka_unit_test(test_long_input_and_output_do_not_wait_for_each_other),
        cmocka_unit_test(test_time_is_over_for_who_waits),
        cmocka_unit_test(test_computing_is_over_for_who_computes),
        cmocka_unit_test(test_too_much_is_cut_off),
        cmocka_unit_test(test_children_go_with_it),
        cmocka_unit_test(test_files_are_small_and_root_stays_outside),
        cmocka_unit_test(test_a_program_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
