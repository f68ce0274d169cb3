#include "support/screen.h"

#include <stdlib.h>

#include "lesson/child.h"

static void test_help_has_every_flag_and_default(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--help --seed 7 --units 8"});
    static const char *const parts[] = {
        "Lesson 01: The smallest lesson\n",
        "usage: lessons/01_tiny [flags]\n",
        "  -u, --units N         size of the model, an even number (2 to 64; default 4)\n",
        "      --rate X          learning rate (1e-06 to 1; default 0.1)\n",
        "(dot, general, concat;\n                        default general)\n",
        "  -d, --data FILE       sentence pairs, one pair a line\n",
        "as many as each\n                        needs (1 to 100000000)\n",
        "  -s, --seed N          seed of all random numbers (default 1)\n",
        "  -o, --out DIR         folder for pictures and tables (default plots/01_tiny)\n",
        "--help",
        "--list",
        "--steps N",
        "--quick",
        "--step ",
        "--only STEP",
        "--threads N",
        "--break NAME",
        "--check-finite",
        "--no-plots",
        "--no-color",
        "  lessons/01_tiny --score dot --only 1.3\n",
        "  lessons/01_tiny --break wrong_sum --out plots/broken\n",
        "130 after Ctrl-C",
    };
    assert_int_equal(child.code, 0);
    assert_string_equal(child.err, "");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!strstr(child.out, parts[i])) {
            fail_msg("--help does not have \"%s\":\n%s", parts[i], child.out);
        }
    }
    assert_in_range(screen_widest(child.out), 60, 80);
    child_free(&child);
}

static void test_help_in_plain_ascii_and_narrow_windows(void **state) {
    (void)state;
    Child ascii = child_run((Call){.flags = "-h", .environment = "LC_ALL=C"});
    assert_true(screen_is_ascii(ascii.out));
    child_free(&ascii);
    Child color = child_run((Call){.flags = "-h", .columns = 100});
    assert_non_null(strstr(color.out, "\033[1m"));
    child_free(&color);
}

static void test_list_is_for_people_and_programs(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--list"});
    assert_int_equal(child.code, 0);
    assert_string_equal(child.out, "1.1  Numbers\n"
                                   "1.2  Training\n"
                                   "1.3  Looking\n"
                                   "1.4  Timing\n"
                                   "--break wrong_sum    the weights of a row no longer add up\n"
                                   "--break nan_value    a claim is about no number at all\n"
                                   "--break upside_down  a claim of the full training turns red\n");
    char *files = child_list(&child, ".");
    assert_string_equal(files, "");
    free(files);
    child_free(&child);
}

/* On a terminal no line is wider than the window. */
static void test_list_fits_the_window(void **state) {
    (void)state;
    Child wide = child_run((Call){.flags = "--list", .columns = 50});
    assert_non_null(strstr(wide.out, "1.4  Timing\r\n"
                                     "--break wrong_sum    the weights of a row no\r\n"
                                     "                     longer add up\r\n"
                                     "--break nan_value    a claim is about no number at\r\n"
                                     "                     all\r\n"
                                     "--break upside_down  a claim of the full training\r\n"
                                     "                     turns red\r\n"));
    Child narrow = child_run((Call){.flags = "--list", .columns = 30});
    assert_non_null(strstr(narrow.out, "1.4  Timing\r\n"
                                       "--break wrong_sum\r\n"
                                       "    the weights of a row no\r\n"
                                       "    longer add up\r\n"));
    Child broad = child_run((Call){.flags = "--list", .columns = 100});
    assert_non_null(
        strstr(broad.out, "\n--break upside_down  a claim of the full training turns red\r\n"));
    child_free(&wide);
    child_free(&narrow);
    child_free(&broad);
}

static void test_a_lesson_without_notes(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--notes"});
    assert_int_equal(child.code, 0);
    assert_string_equal(child.out, "There are no notes on this lesson.\n");
    assert_string_equal(child.err, "");
    child_free(&child);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_lesson_without_notes),
        cmocka_unit_test(test_help_has_every_flag_and_default),
        cmocka_unit_test(test_help_in_plain_ascii_and_narrow_windows),
        cmocka_unit_test(test_list_is_for_people_and_programs),
        cmocka_unit_test(test_list_fits_the_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
