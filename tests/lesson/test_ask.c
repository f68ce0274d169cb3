/* A question and its answer through a pipe. (On a terminal: test_pause.c.) */
#include "support/screen.h"

#include <signal.h>
#include <unistd.h>

#include "lesson/ask.h"
#include "lesson/interrupt.h"

/* Puts a text into standard input, which ends behind it when `end`. */
static int type(const char *text, bool end) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    if (end) {
        close(ends[1]);
    }
    return ends[1];
}

static void test_a_line_at_a_time(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE);
    char line[6], rest[32] = "";
    type("one\nmuch too long\n\nthe rest", true);
    assert_int_equal(ask_line(&screen.term, "1? ", line, sizeof line), ASK_LINE);
    assert_string_equal(line, "one");
    assert_int_equal(ask_line(&screen.term, "2? ", line, sizeof line), ASK_LINE);
    assert_string_equal(line, "much ");
    assert_int_equal(ask_line(&screen.term, "3? ", line, sizeof line), ASK_LINE);
    assert_string_equal(line, "");
    assert_int_equal(read(STDIN_FILENO, rest, 4), 4); /* another program takes its turn */
    assert_string_equal(rest, "the ");
    assert_int_equal(ask_line(&screen.term, "4? ", line, sizeof line), ASK_END);
    assert_string_equal(line, "rest");
    assert_int_equal(ask_line(&screen.term, "5? ", line, sizeof line), ASK_END);
    assert_string_equal(line, "");
    screen_check(&screen, "1? \n2? \n3? \n4? \n5? \n");
    screen_free(&screen);
}

static void test_a_signal_ends_the_question(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE);
    char line[8];
    int writing = type("", false);
    interrupt_install(&screen.term);
    raise(SIGTERM);
    assert_int_equal(ask_line(&screen.term, "? ", line, sizeof line), ASK_SIGNAL);
    interrupt_remove();
    close(writing);
    screen_free(&screen);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_at_a_time),
        cmocka_unit_test(test_a_signal_ends_the_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
