/* Tables read back: what was written, and what somebody else put there. */
#include "assert_close.h"

#include <stdlib.h>
#include <unistd.h>

#include "io/tsv.h"

static char path[256];

static int file_new(void **state) {
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.200s/attend-tsv-XXXXXX", parent ? parent : "/tmp");
    int handle = mkstemp(path);
    return handle >= 0 ? close(handle) : -1;
}

static int file_end(void **state) {
    (void)state;
    return unlink(path);
}

static void put(const char *bytes, size_t size) {
    assert_true(file_write(path, bytes, size, NULL));
}

static TsvTable table_of(const char *text) {
    TsvTable table;
    Error error = {""};
    put(text, strlen(text));
    if (!tsv_read(path, 1 << 20, &table, &error)) {
        fail_msg("%s", error.text);
    }
    return table;
}

static void test_cells_are_what_was_written(void **state) {
    (void)state;
    static const char *const cells[] = {"", "a\tb", "\\t", "le caf\xC3\xA9\n", "\r", "\\"};
    enum { CELLS = sizeof cells / sizeof *cells };
    FILE *out = fopen(path, "w");
    for (int i = 0; i < CELLS; i++) {
        fputs(i > 0 ? "\t" : "", out);
        tsv_put(out, cells[i]);
    }
    fputs("\n", out);
    assert_int_equal(fclose(out), 0);
    TsvTable table;
    assert_true(tsv_read(path, 1 << 20, &table, NULL));
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
    assert_false(tsv_read(path, 1 << 20, &table, &error));
    assert_non_null(strstr(error.text, "zero byte"));
    assert_null(table.text);
    put("12345", 5);
    assert_true(tsv_read(path, 5, &table, &error));
    tsv_free(&table);
    assert_false(tsv_read(path, 4, &table, &error));
    assert_false(tsv_read("/tmp", 1 << 20, &table, &error));
    put("", 0);
    assert_false(tsv_read(path, 1 << 20, &table, &error));
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

int main(void) {
    const struct CMUnitTest tests[] = {
#define FILE_TEST(test) cmocka_unit_test_setup_teardown(test, file_new, file_end)
        FILE_TEST(test_cells_are_what_was_written),
        FILE_TEST(test_files_of_other_machines),
        FILE_TEST(test_what_is_not_there_reads_empty),
        FILE_TEST(test_a_backslash_that_means_nothing_stays),
        FILE_TEST(test_refusals),
        FILE_TEST(test_long_lines_and_many_cells),
        FILE_TEST(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
