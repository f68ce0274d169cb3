/* Marks: where an exercise begins and ends, and what is wrong with a mark. */
#include "assert_close.h"
#include "grade/marks.h"

#include <stdlib.h>

static const char file[] = "/* Exercise 1.1. Adds\n * two. */\n"
                           "int add(int a,\n        int b) {\n    return a + b;\n}\n"
                           "\n/* Exercise 1.2 */\n/* More. */\nint two(void) {\n    return 2;\n}\n"
                           "int three(void) {\n    int n;\n    /* Exercise 1.2 */\n    n = 3;\n"
                           "    /* End of exercise 1.2 */\n    return n;\n}\n";

static char *gone(void *context, const Region *region) {
    return strcmp(region->number, context) == 0 ? strdup("    gone();\n") : NULL;
}

static void test_regions_are_found_and_replaced(void **state) {
    (void)state;
    Marks marks;
    Error error;
    assert_true(marks_read(&marks, "x.c", file, &error));
    assert_int_equal(marks.count, 3);
    char *text = marks_replace(&marks, file, gone, "1.2");
    assert_string_equal(text, "/* Exercise 1.1. Adds\n * two. */\n"
                              "int add(int a,\n        int b) {\n    return a + b;\n}\n"
                              "\n/* Exercise 1.2 */\n/* More. */\nint two(void) {\n    gone();\n}\n"
                              "int three(void) {\n    int n;\n    /* Exercise 1.2 */\n    gone();\n"
                              "    return n;\n}\n");
    free(text);
    text = marks_replace(&marks, file, gone, "9.9");
    assert_string_equal(text, file);
    free(text);
}

static void test_a_bad_mark_is_named_with_its_line(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"\n/* Exercise one */\nint f(void) {\n}\n", "x.c:2: an exercise without a number"},
        {"/* Exercise 1.1 */\nint x;\n", "x.c:1: no function follows"},
        {"/* Exercise 1.1 */\nint f(void) {\n",
         "x.c:1: the function behind this mark does not end"},
        {"int f(void) {\n    /* Exercise 1.1 */\n    g();\n}\n",
         "x.c:2: this exercise is not ended"},
        {"int f(void) {\n    /* Exercise 1.1 */\n    /* End of exercise 1.2 */\n}\n",
         "x.c:3: ends another exercise"},
        {"int f(void) {\n    /* End of exercise 1.2 */\n}\n",
         "x.c:2: ends an exercise that was not"},
        {"/* Exercise 1.1 */\nint f(void) {\n    /* Exercise 1.2 */\n}\n",
         "x.c:3: an exercise within"},
        {"/* Exercise 1.1\n", "x.c:1: a comment without end"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Marks marks;
        Error error = {""};
        assert_false(marks_read(&marks, "x.c", bad[i][0], &error));
        if (strstr(error.text, bad[i][1]) == NULL) {
            fail_msg("\"%s\" instead of \"%s\"", error.text, bad[i][1]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regions_are_found_and_replaced),
        cmocka_unit_test(test_a_bad_mark_is_named_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
