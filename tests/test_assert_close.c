#include "assert_close.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs one test alone in a process of its own, silently: how many failures does cmocka count? */
static int failures_of(CMUnitTestFunction function) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        const struct CMUnitTest tests[] = {{"inner", function, NULL, NULL, NULL}};
        _exit(cmocka_run_group_tests(tests, NULL, NULL));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void inner_close(void **state) {
    (void)state;
    assert_close(1.0, 1.0 + 1e-6, 1e-5, 0);
}

static void inner_apart(void **state) {
    (void)state;
    assert_close(1.0, 1.1, 1e-5, 1e-5);
}

static void inner_nan(void **state) {
    (void)state;
    assert_close(NAN, NAN, 1e30, 1e30);
}

static void inner_array_nan(void **state) {
    (void)state;
    const float actual[3] = {1, NAN, 3}, expected[3] = {1, 2, 3};
    assert_all_close(actual, expected, 3, 1e30, 1e30);
}

static void inner_no_message(void **state) {
    (void)state;
    expect_check_message("anything", (void)0);
}

static void inner_other_message(void **state) {
    (void)state;
    expect_check_message("one thing", check_fail("another thing"));
}

static void test_tolerances_are_absolute_plus_relative(void **state) {
    (void)state;
    assert_true(is_close(100.5, 100, 0, 0.006));
    assert_false(is_close(100.5, 100, 0, 0.004));
    assert_true(is_close(100.5, 100, 0.25, 0.0026));
    assert_true(is_close(0, 0, 0, 0));
    assert_false(is_close(0, 1e-30, 0, 0));
}

static void test_nan_and_infinity_are_never_close(void **state) {
    (void)state;
    assert_false(is_close(NAN, NAN, 1e30, 1e30));
    assert_false(is_close(NAN, 0, 1e30, 1e30));
    assert_false(is_close(0, NAN, 1e30, 1e30));
    assert_false(is_close(INFINITY, INFINITY, 1e30, 1e30));
    assert_false(is_close(1, INFINITY, 1e30, 1e30));
}

static void test_the_assertions_fail_where_they_should(void **state) {
    (void)state;
    assert_int_equal(failures_of(inner_close), 0);
    assert_int_equal(failures_of(inner_apart), 1);
    assert_int_equal(failures_of(inner_nan), 1);
    assert_int_equal(failures_of(inner_array_nan), 1);
}

static void test_messages_are_caught_and_compared(void **state) {
    (void)state;
    expect_check_message("(32, 64)", check_fail("x (%d, %d) is wrong", 32, 64));
    assert_string_equal(check_capture.message, "x (32, 64) is wrong");
    assert_int_equal(failures_of(inner_no_message), 1);
    assert_int_equal(failures_of(inner_other_message), 1);
}

static void unexpected(const char *message) {
    fprintf(stderr, "%s\n", message);
    exit(99);
}

static void test_the_handler_is_put_back(void **state) {
    (void)state;
    CheckHandler original = check_handler_set(unexpected);
    expect_check_message("stop", check_fail("stop"));
    assert_ptr_equal(check_handler_set(original), unexpected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tolerances_are_absolute_plus_relative),
        cmocka_unit_test(test_nan_and_infinity_are_never_close),
        cmocka_unit_test(test_the_assertions_fail_where_they_should),
        cmocka_unit_test(test_messages_are_caught_and_compared),
        cmocka_unit_test(test_the_handler_is_put_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
