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

static void expect_number_at(const char *text, int line, const char *expected) {
    char number[8] = "";
    bool inside = marks_number_at(text, line, number);
    if (inside != (expected != NULL) || (inside && strcmp(number, expected) != 0)) {
        fail_msg("line %d: \"%s\" instead of %s", line, inside ? number : "none",
                 expected != NULL ? expected : "none");
    }
}

/* Also in a file that is no edition any more: whatever stands there, it is a number or nothing. */
static void test_a_line_stands_in_an_exercise(void **state) {
    (void)state;
    static const char changed[] =
        "int zero;\n"
        "/* Exercise 1.1. Adds. */\nint add(int a) {\n    return a +;\n}\n"
        "int two;\n"
        "int f(void) {\n    /* Exercise 1.2 */\n    x\n"
        "    /* End of exercise 1.2 */\n    y\n"
        "    /* Exercise 1.3 */\n    z\n}\r\nint g;\n"
        "/* Exercise $(reboot) */\nint h(void) {\n"
        "    /* Exercise 123456789.1 */\n    w\n";
    static const char *const expected[] = {NULL,  "1.1", "1.1", "1.1", NULL,  NULL, NULL,
                                           "1.2", "1.2", NULL,  NULL,  "1.3", "1.3"};
    for (int line = -1; line < 30; line++) {
        bool known = line >= 1 && line <= (int)(sizeof expected / sizeof *expected);
        expect_number_at(changed, line, known ? expected[line - 1] : NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regions_are_found_and_replaced),
        cmocka_unit_test(test_a_bad_mark_is_named_with_its_line),
        cmocka_unit_test(test_a_line_stands_in_an_exercise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
