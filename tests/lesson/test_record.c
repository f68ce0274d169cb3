#include "assert_close.h"

#include <stdlib.h>

#include "io/file.h"
#include "lesson/child.h"
#include "lesson/record.h"

static void expect_line(const char *text, const char *line) {
    char wanted[256];
    snprintf(wanted, sizeof wanted, "\n%s\n", line);
    if (!strstr(text, wanted)) {
        fail_msg("run.tsv has no line \"%s\":\n%s", line, text);
    }
}

static void test_every_flag_is_on_record(void **state) {
    (void)state;
    Child child = child_run((Call){
        .flags = "--seed 12345678901234 -n 7 --quick --no-plots -t 1 --only 1.1,1.3 --score dot "
                 "--rate 0.25 --out a%20b --break wrong_sum"});
    assert_int_equal(child.code, 1);
    char *text = child_file(&child, "a b/run.tsv");
    assert_non_null(text);
    assert_ptr_equal(strstr(text, "lesson\t01_tiny\n"), text);
    static const char *const lines[] = {
        "seed\t12345678901234",
        "steps\t7",
        "quick\tyes",
        "out\ta b",
        "step\tno",
        "only\t1.1,1.3",
        "threads\t1",
        "break\twrong_sum",
        "check-finite\tno",
        "no-plots\tyes",
        "no-color\tno",
        "units\t4",
        "rate\t0.25",
        "score\tdot",
        "data\t-",
        ("flags\t--seed 12345678901234 -n 7 --quick --no-plots -t 1 --only 1.1,1.3 --score dot "
         "--rate 0.25 --out 'a b' --break wrong_sum"),
        "steps_run\t1.1 1.2 1.3",
        "claims_hold\t1",
        "claims_fail\t1",
        "claims_not_made\t1",
        "stopped_by\t-",
        "exit_code\t1"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        expect_line(text, lines[i]);
    }
    const char *seconds = strstr(text, "\nseconds\t");
    assert_non_null(seconds);
    assert_true(atof(seconds + 9) > 0 && atof(seconds + 9) < 60);
    assert_non_null(strstr(text, "\ncompiler\t"));
    assert_non_null(strstr(text, "\ncpu\t"));
    assert_null(strstr(text, "\t\n")); /* no value is empty */
    free(text);
    child_free(&child);
}

static void test_defaults_of_what_was_not_given(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--only 1.4"});
    char *text = child_file(&child, "plots/01_tiny/run.tsv");
    expect_line(text, "steps\t-");
    expect_line(text, "threads\t1"); /* a busy machine must not slow a lesson down tenfold */
    expect_line(text, "break\t-");
    expect_line(text, "seed\t1");
    expect_line(text, "claims_timing\t1");
    free(text);
    child_free(&child);
}

/* What a repetition needs: flags that can be typed again, what was read, what was written. */
static void test_enough_to_repeat_it(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--list"});
    char path[CHILD_PATH + 16];
    snprintf(path, sizeof path, "%s/it's", child.folder);
    assert_true(file_write(path, "foobar", 6, NULL));
    Child again = child_run((Call){.flags = "--quick --data it's --out a;b --only 1.3",
                                   .folder = child.folder,
                                   .environment = "PATH=/nowhere"});
    char *text = child_file(&child, "a;b/run.tsv");
    assert_non_null(text);
    expect_line(text, "flags\t--quick --data 'it'\\\\''s' --out 'a;b' --only 1.3");
    expect_line(text, "checksum_data\t85944171f73967e8");
    expect_line(text, "files\tattention.map.tsv attention.png curve.tsv curve.gp words.txt "
                      "attention.tsv claims.tsv");
    const char *program = strstr(text, "\nprogram\t");
    assert_non_null(program);
    assert_int_equal(strspn(program + 9, "0123456789abcdef"), 16);
    free(text);
    free(again.out);
    free(again.err);
    child_free(&child);
}

static void test_the_processor_has_a_name(void **state) {
    (void)state;
    char name[256] = "", cut[4] = "";
    record_cpu(name, sizeof name);
    assert_true(strlen(name) > 2);
    assert_null(strchr(name, '\n'));
    record_cpu(cut, sizeof cut);
    assert_int_equal(strlen(cut), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_flag_is_on_record),
        cmocka_unit_test(test_defaults_of_what_was_not_given),
        cmocka_unit_test(test_the_processor_has_a_name),
        cmocka_unit_test(test_enough_to_repeat_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
