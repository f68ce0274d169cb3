#include "assert_close.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void returns(const char *message) {
    (void)message;
}

static void test_a_message_is_formatted_and_handed_over(void **state) {
    (void)state;
    expect_check_message("matmul: ",
                         check_fail("matmul: %s (%d, %d): %d != %d", "x", 32, 64, 64, 3));
    assert_string_equal(check_capture.message, "matmul: x (32, 64): 64 != 3");
}

static void test_a_message_too_long_is_cut(void **state) {
    (void)state;
    expect_check_message("x: 000", check_fail("x: %0*d", 3000, 7)); /* a number of 3000 digits */
    assert_int_equal(strlen(check_capture.message), 1023);
}

static void test_check_stops_only_when_it_does_not_hold(void **state) {
    (void)state;
    int evaluated = 0;
    CHECK(++evaluated == 1, "this must not be printed");
    assert_int_equal(evaluated, 1);
    expect_check_message("2 is not 3", CHECK(2 == 3, "%d is not %d", 2, 3));
}

static void test_the_handler_that_was_there_is_returned(void **state) {
    (void)state;
    CheckHandler original = check_handler_set(returns);
    assert_ptr_equal(check_handler_set(NULL), returns);
    CheckHandler standard = check_handler_set(original);
    assert_non_null(standard);
    assert_ptr_not_equal(standard, returns);
}

/* Runs `function` in a child process; what it wrote to stderr ends up in `text`. Returns the wait
 * status. */
static int in_child(void (*function)(void), char *text, size_t size) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        signal(SIGABRT, SIG_DFL);
        function();
        _exit(0);
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t n; got < size - 1 && (n = read(ends[0], text + got, size - 1 - got)) > 0;) {
        got += (size_t)n;
    }
    text[got] = '\0';
    close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void fail_plainly(void) {
    check_handler_set(NULL);
    check_fail("x has %d rows", 3);
}

static void fail_with_a_handler_that_returns(void) {
    check_handler_set(returns);
    check_fail("x has %d rows", 3);
}

static void test_by_default_one_line_is_printed_and_the_program_aborts(void **state) {
    (void)state;
    char text[4096];
    int status = in_child(fail_plainly, text, sizeof text);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_string_equal(text, "error: x has 3 rows\n");
}

static void test_a_handler_that_returns_aborts_the_program(void **state) {
    (void)state;
    char text[4096];
    int status = in_child(fail_with_a_handler_that_returns, text, sizeof text);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_string_equal(text, "error: an error handler returned\n");
}

static void test_check_alloc_gives_zeroed_memory(void **state) {
    (void)state;
    for (size_t bytes = 0; bytes < 5000; bytes += 499) {
        unsigned char *memory = check_alloc(bytes);
        assert_non_null(memory);
        for (size_t i = 0; i < bytes; i++) {
            assert_int_equal(memory[i], 0);
            memory[i] = 0xff; /* so that memory given out again would show */
        }
        free(memory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_message_is_formatted_and_handed_over),
        cmocka_unit_test(test_a_message_too_long_is_cut),
        cmocka_unit_test(test_check_stops_only_when_it_does_not_hold),
        cmocka_unit_test(test_the_handler_that_was_there_is_returned),
        cmocka_unit_test(test_by_default_one_line_is_printed_and_the_program_aborts),
        cmocka_unit_test(test_a_handler_that_returns_aborts_the_program),
        cmocka_unit_test(test_check_alloc_gives_zeroed_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
