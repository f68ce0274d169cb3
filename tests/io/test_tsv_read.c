/* Tables read back: what was written, and what somebody else put there. */
#include "assert_close.h"

#include <stdlib.h>

#include "io/tsv.h"
#include "support/scratch.h"

static void put(const char *bytes, size_t size) {
    scratch_bytes("table.tsv", bytes, size);
}

static TsvTable table_of(const char *text) {
    TsvTable table;
    Error error = {""};
    put(text, strlen(text));
    if (!tsv_read(scratch_path("table.tsv"), 1 << 20, &table, &error)) {
        fail_msg("%s", error.text);
    }
    return table;
}

static void test_cells_are_what_was_written(void **state) {
    (void)state;
    static const char *const cells[] = {"", "a\tb", "\\t", "le caf\xC3\xA9\n", "\r", "\\"};
    enum { CELLS = sizeof cells / sizeof *cells };
    FILE *out = fopen(scratch_path("table.tsv"), "w");
    for (int i = 0; i < CELLS; i++) {
        fputs(i > 0 ? "\t" : "", out);
        tsv_put(out, cells[i]);
    }
    fputs("\n", out);
    assert_int_equal(fclose(out), 0);
    TsvTable table;
    assert_true(tsv_read(scratch_path("table.tsv"), 1 << 20, &table, NULL));
    assert_int_equal(table.rows, 1);
    assert_int_equal(tsv_width(&table, 0), CELLS);
    for (int i = 0; i < CELLS; i++) {
        assert_string_equal(tsv_cell(&table, 0, i), cells[i]);
    }
    tsv_free(&table);
}

/* faults 31: Windows line ends, a byte order mark, empty lines, no line end at the end. */
static void test_files_of_other_machines(void **state) {
    (void)state;
    TsvTable table = table_of("\xEF\xBB\xBFstep\tid\r\n\r\n\n2.1\t\r\nlast");
    assert_int_equal(table.rows, 3);
    assert_true(tsv_is(&table, 0, "step\tid"));
    assert_true(tsv_is(&table, 1, "2.1\t"));
    assert_true(tsv_is(&table, 2, "last"));
    assert_int_equal(table.line[2], 5);
    tsv_free(&table);
}

static void test_what_is_not_there_reads_empty(void **state) {
    (void)state;
    TsvTable table = table_of("one\ttwo\n");
    assert_string_equal(tsv_cell(&table, 0, 2), "");
    assert_string_equal(tsv_cell(&table, 0, -1), "");
    assert_string_equal(tsv_cell(&table, 1, 0), "");
    assert_string_equal(tsv_cell(&table, -1, 0), "");
    assert_int_equal(tsv_width(&table, 1), 0);
    assert_false(tsv_is(&table, 0, "one"));
    assert_false(tsv_is(&table, 0, "one\ttw"));
    assert_false(tsv_is(&table, 0, "one\ttwo\t"));
    tsv_free(&table);
}

static void test_a_backslash_that_means_nothing_stays(void **state) {
    (void)state;
    TsvTable table = table_of("a\\b\\\tend\\");
    assert_string_equal(tsv_cell(&table, 0, 0), "a\\b\\");
    assert_string_equal(tsv_cell(&table, 0, 1), "end\\");
    tsv_free(&table);
}

/* faults 31: a missing and an empty file, a folder, a zero byte, more than is allowed. */
static void test_refusals(void **state) {
    (void)state;
    TsvTable table;
    Error error = {""};
    put("a\0b", 3);
    assert_false(tsv_read(scratch_path("table.tsv"), 1 << 20, &table, &error));
    assert_non_null(strstr(error.text, "zero byte"));
    assert_null(table.text);
    put("12345", 5);
    assert_true(tsv_read(scratch_path("table.tsv"), 5, &table, &error));
    tsv_free(&table);
    assert_false(tsv_read(scratch_path("table.tsv"), 4, &table, &error));
    assert_false(tsv_read("/tmp", 1 << 20, &table, &error));
    put("", 0);
    assert_false(tsv_read(scratch_path("table.tsv"), 1 << 20, &table, &error));
    assert_false(tsv_read("/nonexistent.tsv", 1 << 20, &table, &error));
    assert_int_equal(table.rows, 0);
}

static void test_long_lines_and_many_cells(void **state) {
    (void)state;
    enum { MANY = 100000 };
    char *text = malloc(2 * MANY + 1);
    memset(text, '\t', MANY);
    memset(text + MANY, 'x', MANY);
    text[2 * MANY] = '\0';
    TsvTable table = table_of(text);
    assert_int_equal(tsv_width(&table, 0), MANY + 1);
    assert_int_equal(strlen(tsv_cell(&table, 0, MANY)), MANY);
    tsv_free(&table);
    free(text);
}

static void test_numbers(void **state) {
    (void)state;
    double value;
    assert_true(tsv_read_number("-0.25", &value));
    assert_true(value == -0.25);
    assert_true(tsv_read_number("nan", &value) && isnan(value));
    assert_true(tsv_read_number("NaN", &value) && isnan(value));
    assert_true(tsv_read_number("-inf", &value) && isinf(value));
    static const char *const none[] = {"", "-", " 1", "1 ", "1x", "1,5", "x"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_false(tsv_read_number(none[i], &value));
    }
    int whole;
    assert_true(tsv_read_whole("12", 0, 12, &whole));
    assert_int_equal(whole, 12);
    static const char *const not_whole[] = {"", "13", "-1", "1.5", " 1", "99999999999999999999"};
    for (size_t i = 0; i < sizeof not_whole / sizeof *not_whole; i++) {
        assert_false(tsv_read_whole(not_whole[i], 0, 12, &whole));
        assert_int_equal(whole, 0);
    }
}

static void test_a_table_is_asked_by_names(void **state) {
    (void)state;
    TsvTable table = table_of("id\tvalue\r\na\t1\r\n\r\nb\r\nc\t3\textra\r\nc\t4\n");
    assert_int_equal(table.rows, 5);
    assert_string_equal(tsv_named(&table, 1, "value"), "1");
    assert_string_equal(tsv_named(&table, 2, "value"), ""); /* the line is short */
    assert_string_equal(tsv_named(&table, 3, "value"), "3");
    assert_string_equal(tsv_named(&table, 3, "extra"), "");
    assert_string_equal(tsv_named(&table, 9, "value"), "");
    assert_string_equal(tsv_value(&table, "c"), "3"); /* the first of that key */
    assert_null(tsv_value(&table, "b"));
    assert_null(tsv_value(&table, "nobody"));
    tsv_free(&table);
    table = (TsvTable){0}; /* what a failed read leaves */
    assert_string_equal(tsv_named(&table, 0, "id"), "");
    assert_null(tsv_value(&table, "id"));
}

static void test_line_by_line(void **state) {
    (void)state;
    char text[] = "a\tb\\tc\\\\n\t\n\r\nx\\ny\\q\\\tlast", *at = text, *cells[4];
    assert_int_equal(tsv_next(&at, cells, 4), 3);
    assert_string_equal(cells[0], "a");
    assert_string_equal(cells[1], "b\tc\\n");
    assert_string_equal(cells[2], "");
    assert_int_equal(tsv_next(&at, cells, 4), 0); /* a Windows line with nothing in it */
    assert_int_equal(tsv_next(&at, cells, 4), 2);
    assert_string_equal(cells[0], "x\ny\\q\\");
    assert_string_equal(cells[1], "last");
    assert_int_equal(tsv_next(&at, cells, 4), -1);
    char more[] = "a\tb\tc\td\ne\n";
    at = more;
    assert_int_equal(tsv_next(&at, cells, 2), 2); /* what is beyond the room is dropped */
    assert_int_equal(tsv_next(&at, cells, 2), 1);
    assert_string_equal(cells[0], "e");
    assert_int_equal(tsv_next(&at, cells, 2), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(test_cells_are_what_was_written),
        SCRATCH_TEST(test_files_of_other_machines),
        SCRATCH_TEST(test_what_is_not_there_reads_empty),
        SCRATCH_TEST(test_a_backslash_that_means_nothing_stays),
        SCRATCH_TEST(test_refusals),
        SCRATCH_TEST(test_long_lines_and_many_cells),
        SCRATCH_TEST(test_numbers),
        SCRATCH_TEST(test_a_table_is_asked_by_names),
        cmocka_unit_test(test_line_by_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
