/* What a grading says: no line of the table is too wide, and no text breaks a file's format. */
#include "support/lesson_run.h"
#include "assert_close.h"
#include "grade/folders.h"
#include "grade/report.h"

#include <stdlib.h>

static char folder[LESSON_PATH];
static ExerciseTable table;
static Verdict verdict[3];
static Grading grading = {.table = &table, .verdict = verdict, .seed = 12, .seconds = 1.5};

static int make(void **state) {
    (void)state;
    table.exercises = 3;
    table.exercise[0] = (Exercise){.number = "1.1", .title = "a \"title\" & <more>"};
    table.exercise[1] = (Exercise){.number = "1.2", .title = "passed"};
    table.exercise[2] = (Exercise){.number = "1.3", .title = "not asked"};
    verdict[0].outcome = OUTCOME_FAILED;
    verdict[1].outcome = OUTCOME_PASSED;
    verdict[2].outcome = OUTCOME_NOT_ASKED;
    strcpy(verdict[0].text, "tab\t, new\nline, \x1b[31m, \"quoted\\\", <b>&amp;</b>, \xff\xc3");
    grading.student = "/class/Zo\xc3\xab <&\">\x01\xfe";
    folder_new(folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    folders_remove(folder);
    return 0;
}

static char *report(const char *name) {
    char *path = path_join(folder, name), *text = NULL;
    size_t size;
    Error error;
    if (!grading_write(&grading, folder, &error) ||
        !file_read(path, 1 << 20, &text, &size, &error)) {
        fail_msg("%s", error.text);
    }
    free(path);
    return text;
}

static void expect(const char *name, const char *const *lines) {
    char *text = report(name);
    for (; *lines != NULL; lines++) {
        if (strstr(text, *lines) == NULL) {
            fail_msg("%s has no \"%s\":\n%s", name, *lines, text);
        }
    }
    free(text);
}

static void test_tsv_has_a_line_for_each(void **state) {
    (void)state;
    static const char *const lines[] = {
        "exercise\ttitle\tverdict\tpoints\ttext\n1.1\ta \"title\" & <more>\tfailed\t0\ttab , new "
        "line, ",
        "\n1.2\tpassed\tpassed\t1\t\n", "\n1.3\tnot asked\tnot_asked\t0\t\n", NULL};
    expect("grade.tsv", lines);
}

static void test_json_escapes(void **state) {
    (void)state;
    static const char *const lines[] = {
        "\"student\": \"/class/Zo\xc3\xab <&\\\">\?\?\",\n", "\"seed\": \"12\"",
        "\"passed\": 1,\n  \"of\": 2,",
        "\"text\": \"tab?, new?line, ?[31m, \\\"quoted\\\\\\\", <b>&amp;</b>, \?\?\"}", NULL};
    expect("grade.json", lines);
}

static void test_xml_escapes(void **state) {
    (void)state;
    static const char *const lines[] = {
        "<testsuite name=\"/class/Zo\xc3\xab &lt;&amp;&quot;&gt;\?\?\" tests=\"2\" failures=\"1\"",
        "name=\"1.1 a &quot;title&quot; &amp; &lt;more&gt;\">\n    <failure type=\"failed\" "
        "message=\"tab?, new?line, ?[31m, &quot;quoted\\&quot;, &lt;b&gt;&amp;amp;&lt;/b&gt;, ",
        "name=\"1.2 passed\"/>\n</testsuite>\n", NULL};
    expect("grade.xml", lines);
}

static void test_nothing_steers_the_terminal(void **state) {
    (void)state;
    char *text = NULL, *tsv = report("grade.tsv");
    size_t size;
    FILE *out = open_memstream(&text, &size);
    grading_print(&grading, out);
    fclose(out);
    assert_non_null(strstr(text, ", ?[31m,"));
    assert_non_null(strstr(text, "passed: /class/Zo\xc3\xab <&\">\?\? (seed 12, 1.5 s)\n"));
    assert_non_null(strstr(tsv, "new line, ?[31m,"));
    assert_null(strpbrk(text, "\033\001\t\xff\xfe"));
    assert_null(strpbrk(tsv, "\033\001\xff\xfe"));
    free(text), free(tsv);
}

static void test_the_table_fits_80_columns(void **state) {
    (void)state;
    char *text = NULL;
    size_t size;
    for (int words = 1; words < 150; words++) { /* every way in which a line can end */
        verdict[0].text[0] = '\0';
        for (int i = 0; i < words; i++) {
            strcat(verdict[0].text, i % 3 == 0 ? "wide " : "a ");
        }
        FILE *out = open_memstream(&text, &size);
        grading_print(&grading, out);
        fclose(out);
        assert_null(strstr(text, "1.3"));
        assert_non_null(strstr(text, "1 of 2 exercises passed"));
        assert_null(strstr(text, "a      "));
        for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
            if (strcspn(line, "\n") > 80) {
                fail_msg("more than 80 columns: %s", line);
            }
        }
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tsv_has_a_line_for_each, make, remove_folder),
        cmocka_unit_test_setup_teardown(test_json_escapes, make, remove_folder),
        cmocka_unit_test_setup_teardown(test_xml_escapes, make, remove_folder),
        cmocka_unit_test_setup_teardown(test_nothing_steers_the_terminal, make, remove_folder),
        cmocka_unit_test_setup_teardown(test_the_table_fits_80_columns, make, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
