/* The test runner, tried on programs that misbehave. The programs are this one under other names:
 * a symbolic link called "crash" makes main() act the part of a test program that crashes. */
#include "assert_close.h"
#include "support/runner_parts.h"
#include "support/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- Running the runner --- */

static char self[4096];   /* this program */
static char folder[4096]; /* where the links are */
static char output[1 << 16];

static void path_of(char *path, size_t size, const char *name, const char *ending) {
    snprintf(path, size, "%.400s/%s%s", folder, name, ending);
}

/* Runs the runner on the named parts and keeps what it says in `output`; gives its status. */
static int run(const char *flags, const char *names) {
    char command[8192], list[512], path[512];
    int used = snprintf(command, sizeof command, "'%s/tests/run_tests' %s", BUILD_FOLDER, flags);
    snprintf(list, sizeof list, "%s", names);
    for (char *rest = list, *name; (name = strtok_r(rest, " ", &rest)) != NULL;) {
        path_of(path, sizeof path, name, "");
        if (strcmp(name, "not_there") != 0 && symlink(self, path) != 0) {
            assert_int_equal(errno, EEXIST);
        }
        used += snprintf(command + used, sizeof command - (size_t)used, " '%s'", path);
    }
    return shell_run(command, output, sizeof output);
}

static void assert_says(const char *text) {
    if (strstr(output, text) == NULL) {
        char quoted[3000]; /* indented, so that nobody takes it for the summary of this program */
        size_t n = 0;
        for (const char *c = output; *c != '\0' && n < sizeof quoted - 4; c++) {
            quoted[n++] = *c == '[' ? '(' : *c;
        }
        quoted[n] = '\0';
        fail_msg("the runner does not say \"%s\" but:\n%s", text, quoted);
    }
}

static void assert_last_line(const char *line) {
    char *end = strrchr(output, '\n');
    assert_non_null(end);
    *end = '\0';
    const char *start = strrchr(output, '\n');
    assert_string_equal(start != NULL ? start + 1 : output, line);
    *end = '\n';
}

/* No process of this part lives any more. */
static void assert_gone(const char *name) {
    char path[512];
    path_of(path, sizeof path, name, ".lock");
    int file = open(path, O_RDWR);
    assert_true(file >= 0);
    int locked = -1;
    for (int tries = 0; tries < 100 && locked != 0; tries++) {
        locked = flock(file, LOCK_EX | LOCK_NB);
        usleep(locked != 0 ? 20000 : 0);
    }
    close(file);
    assert_int_equal(locked, 0);
}

static void test_passing_programs_are_counted_by_tests(void **state) {
    (void)state;
    assert_int_equal(run("", "pass environment"), 0);
    assert_says("/pass: 3 passed");
    assert_last_line("6 passed, 0 failed");
}

static void test_a_failing_test_is_named_with_its_message(void **state) {
    (void)state;
    assert_int_equal(run("", "pass fail"), 1);
    assert_says("/fail: the_second\n");
    assert_says("0x36 != 0x2a");
    assert_says("runner_parts.c:");
    assert_last_line("5 passed, 1 failed");
}

static void test_failures_count_even_with_exit_status_0(void **state) {
    (void)state;
    assert_int_equal(run("", "fail_quietly"), 1);
    assert_last_line("2 passed, 1 failed");
}

static void test_a_bad_exit_status_counts_even_when_all_passed(void **state) {
    (void)state;
    assert_int_equal(run("", "pass_status_7"), 1);
    assert_says("exit status 7 after its tests passed");
    assert_last_line("3 passed, 1 failed");
}

static void test_a_crash_is_one_failure_and_stops_nobody_else(void **state) {
    (void)state;
    assert_int_equal(run("--jobs 1", "crash abort pass"), 1);
    assert_says("/crash: crashed SIGSEGV in the_second\n");
    assert_says("/abort: crashed SIGABRT in the_second\n");
    assert_says("matmul: x (2, 3) times w (4, 5): 3 != 4");
    assert_last_line("3 passed, 2 failed");
}

static void test_an_endless_program_is_stopped(void **state) {
    (void)state;
    assert_int_equal(run("--seconds 1", "loop pass"), 1);
    assert_says("/loop: timed out after 1 s in the_second\n");
    assert_last_line("3 passed, 1 failed");
    assert_gone("loop");
}

/* Computing is counted apart: on a busy machine the clock runs on while nothing is done. */
static void test_an_endless_computation_is_stopped_earlier(void **state) {
    (void)state;
    assert_int_equal(run("--cpu 1", "spin pass"), 1);
    assert_says("/spin: timed out after 1 s of computing in the_second\n");
    assert_last_line("3 passed, 1 failed");
    assert_gone("spin");
}

static void test_leaving_early_is_no_pass(void **state) {
    (void)state;
    assert_int_equal(run("", "exit_0 exit_3 empty claims_to_pass setup_fails"), 1);
    assert_says("/exit_0: ended before its tests did in the_second\n");
    assert_says("/exit_3: ended with exit status 3 before its tests did in the_second\n");
    assert_says("/empty: ended before its tests did\n");
    assert_says("/claims_to_pass: ended before its tests did\n");
    assert_says("/setup_fails: ended with exit status");
    assert_last_line("0 passed, 5 failed");
}

static void test_a_flood_of_output_is_stopped_and_kept_short(void **state) {
    (void)state;
    assert_int_equal(run("--output 64", "flood"), 1);
    assert_says("/flood: printed more than 64 KB in the_second\n");
    assert_last_line("0 passed, 1 failed");
    assert_true(strlen(output) < 4096);
    char path[512];
    struct stat info;
    path_of(path, sizeof path, "flood", ".log");
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, 64 << 10);
    assert_gone("flood");
}

static void test_processes_left_behind_are_ended(void **state) {
    (void)state;
    double before = (double)time(NULL);
    assert_int_equal(run("--seconds 60", "leave"), 0);
    assert_true((double)time(NULL) - before < 30);
    assert_last_line("3 passed, 0 failed");
    assert_gone("leave");
}

static void test_a_fork_that_runs_the_tests_twice_is_no_pass(void **state) {
    (void)state;
    assert_int_equal(run("", "double"), 1);
    assert_last_line("0 passed, 1 failed");
    assert_gone("double");
}

static void test_a_program_that_is_not_there_did_not_build(void **state) {
    (void)state;
    assert_int_equal(run("", "not_there pass"), 1);
    assert_says("/not_there: did not build\n");
    assert_last_line("3 passed, 1 failed");
}

static void test_skipped_tests_are_told_apart(void **state) {
    (void)state;
    assert_int_equal(run("", "skip"), 0);
    assert_says("\n    skipped: there is no moon tonight\n");
    assert_says("\n1 skipped\n");
    assert_last_line("2 passed, 0 failed");
}

/* A program that checks its addresses needs more of them than any limit allows. */
static void test_space_is_limited_but_for_browsers(void **state) {
    (void)state;
    if (strstr(BUILD_FOLDER, "sanitize") != NULL) {
        print_message("skipped: nothing is limited here\n");
        skip();
    }
    assert_int_equal(run("--memory 3000", "space the_browser"), 0);
}

static void test_the_environment_does_not_change_the_verdict(void **state) {
    (void)state;
    setenv("CMOCKA_MESSAGE_OUTPUT", "XML", 1);
    int status = run("", "environment fail");
    unsetenv("CMOCKA_MESSAGE_OUTPUT");
    assert_int_equal(status, 1);
    assert_last_line("5 passed, 1 failed");
}

static void test_nothing_to_run_is_no_success(void **state) {
    (void)state;
    assert_int_equal(run("", ""), 2);
    assert_says("no test programs were given");
    assert_int_equal(run("--jobs zero", "pass"), 2);
    assert_says("--jobs zero: a number from 1 to");
}

static void test_an_interrupt_ends_the_programs_too(void **state) {
    (void)state;
    char path[512], lock[512];
    path_of(path, sizeof path, "loop", "");
    path_of(lock, sizeof lock, "loop", ".lock");
    assert_true(symlink(self, path) == 0 || errno == EEXIST);
    unlink(lock);
    pid_t runner = fork();
    if (runner == 0) {
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        execl(BUILD_FOLDER "/tests/run_tests", "run_tests", path, (char *)NULL);
        _exit(99);
    }
    for (int tries = 0; tries < 500 && access(lock, F_OK) != 0; tries++) {
        usleep(10000);
    }
    assert_int_equal(access(lock, F_OK), 0);
    usleep(100000); /* from making the lock file to holding it */
    kill(runner, SIGINT);
    int status;
    assert_int_equal(waitpid(runner, &status, 0), runner);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    assert_gone("loop");
}

static int folder_make(void **state) {
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.300s/attend-runner-XXXXXX", parent ? parent : "/tmp");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int folder_remove(void **state) {
    (void)state;
    char command[4200];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(int argc, char **argv) {
    (void)argc;
    int played = play_by_name(argv[0]);
    if (played >= 0) {
        return played;
    }
    if (realpath(argv[0], self) == NULL) {
        perror(argv[0]);
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passing_programs_are_counted_by_tests),
        cmocka_unit_test(test_a_failing_test_is_named_with_its_message),
        cmocka_unit_test(test_failures_count_even_with_exit_status_0),
        cmocka_unit_test(test_a_bad_exit_status_counts_even_when_all_passed),
        cmocka_unit_test(test_a_crash_is_one_failure_and_stops_nobody_else),
        cmocka_unit_test(test_an_endless_program_is_stopped),
        cmocka_unit_test(test_an_endless_computation_is_stopped_earlier),
        cmocka_unit_test(test_leaving_early_is_no_pass),
        cmocka_unit_test(test_a_flood_of_output_is_stopped_and_kept_short),
        cmocka_unit_test(test_processes_left_behind_are_ended),
        cmocka_unit_test(test_a_fork_that_runs_the_tests_twice_is_no_pass),
        cmocka_unit_test(test_a_program_that_is_not_there_did_not_build),
        cmocka_unit_test(test_skipped_tests_are_told_apart),
        cmocka_unit_test(test_space_is_limited_but_for_browsers),
        cmocka_unit_test(test_the_environment_does_not_change_the_verdict),
        cmocka_unit_test(test_nothing_to_run_is_no_success),
        cmocka_unit_test(test_an_interrupt_ends_the_programs_too),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
