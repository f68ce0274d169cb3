#include "assert_close.h"

#include <stdlib.h>
#include <unistd.h>

#include "lesson/child.h"

/* Without a standard output the first file of the run must not become one. */
static void test_closed_output(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--quick", .close_output = true});
    assert_int_equal(child.code, 0);
    assert_string_equal(child.err, "");
    char *claims = child_file(&child, "plots/01_tiny/claims.tsv"),
         *words = child_file(&child, "plots/01_tiny/words.txt");
    assert_ptr_equal(strstr(claims, "step\tid\t"), claims);
    assert_null(strstr(claims, "Lesson"));
    assert_string_equal(words, "le caf\xC3\xA9 noir\n");
    free(claims);
    free(words);
    child_free(&child);
}

static void test_full_disk_behind_standard_output(void **state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        skip();
    }
    Child child = child_run((Call){.flags = "--quick --no-plots", .output_file = "/dev/full"});
    assert_int_equal(child.code, 2);
    assert_non_null(strstr(child.err, "01_tiny: standard output could not be written"));
    assert_ptr_equal(strchr(child.err, '\n'), child.err + strlen(child.err) - 1);
    child_free(&child);
    child = child_run((Call){.flags = "--help", .output_file = "/dev/full"});
    assert_int_equal(child.code, 2);
    child_free(&child);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_output),
        cmocka_unit_test(test_full_disk_behind_standard_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
