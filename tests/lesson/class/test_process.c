/* Programs that are started, and how they end. (On a terminal: tests/plots/test_class.c.) */
#include "assert_close.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "lesson/class/process.h"

static Ending shell(const char *line) {
    char *words[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, strdup(line), NULL};
    Foreground foreground = {.taken = false};
    Ending ending = process_run(&foreground, words);
    free(words[2]);
    return ending;
}

static void test_endings(void **state) {
    (void)state;
    assert_int_equal(shell("exit 0").code, 0);
    assert_int_equal(shell("exit 7").code, 7);
    Ending ending = shell("kill -TERM $$");
    assert_int_equal(ending.signal, SIGTERM);
    assert_int_equal(ending.error, 0);
    char *nobody[] = {(char[]){"nowhere/at_all"}, NULL};
    ending = process_run(&(Foreground){.taken = false}, nobody);
    assert_int_equal(ending.error, ENOENT);
}

static char *output_of(const char *line) {
    char *words[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, strdup(line), NULL};
    char *text = process_output(words);
    free(words[2]);
    return text;
}

static void test_output(void **state) {
    (void)state;
    char *text = output_of("echo one; echo error >&2; read x; echo \"<$x>\"; exit 3");
    assert_string_equal(text, "one\n<>\n");
    free(text);
    text = output_of("yes"); /* never ends by itself */
    assert_int_equal(strlen(text), 1 << 16);
    free(text);
    char *nobody[] = {(char[]){"nowhere/at_all"}, NULL};
    text = process_output(nobody);
    assert_string_equal(text, "");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endings),
        cmocka_unit_test(test_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
