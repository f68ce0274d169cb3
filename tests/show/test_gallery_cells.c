#include "show/gallery_cells.h"

#include "gallery_folder.h"

static void test_lines_are_cut_at_tabs(void **state) {
    (void)state;
    char text[] = "a\tb\\tc\\\\n\t\n\r\nx\\ny\\q\\\tlast", *at = text, *cells[4];
    assert_int_equal(cells_next(&at, cells, 4), 3);
    assert_string_equal(cells[0], "a");
    assert_string_equal(cells[1], "b\tc\\n");
    assert_string_equal(cells[2], "");
    assert_int_equal(cells_next(&at, cells, 4), 0); /* a Windows line with nothing in it */
    assert_int_equal(cells_next(&at, cells, 4), 2);
    assert_string_equal(cells[0], "x\ny\\q\\");
    assert_string_equal(cells[1], "last");
    assert_int_equal(cells_next(&at, cells, 4), -1);
}

static void test_cells_beyond_the_room_are_dropped(void **state) {
    (void)state;
    char text[] = "a\tb\tc\td\ne\n", *at = text, *cells[2];
    assert_int_equal(cells_next(&at, cells, 2), 2);
    assert_int_equal(cells_next(&at, cells, 2), 1);
    assert_string_equal(cells[0], "e");
}

static void test_a_table_is_asked_by_names(void **state) {
    (void)state;
    Cells cells;
    Error error;
    text_put("t.tsv", "id\tvalue\r\na\t1\r\n\r\nb\r\nc\t3\textra\r\n");
    assert_true(cells_read(&cells, place("t.tsv"), 1000, 10, &error));
    assert_int_equal(cells.rows, 4);
    assert_string_equal(cells_named(&cells, 1, "value"), "1");
    assert_string_equal(cells_named(&cells, 2, "value"), ""); /* the line is short */
    assert_string_equal(cells_named(&cells, 3, "value"), "3");
    assert_string_equal(cells_named(&cells, 3, "extra"), "");
    assert_string_equal(cells_value(&cells, "c"), "3");
    assert_null(cells_value(&cells, "b"));
    assert_null(cells_value(&cells, "nobody"));
    cells_free(&cells);
}

static void test_bounds_on_lines_and_bytes(void **state) {
    (void)state;
    Cells cells;
    Error error;
    text_put("t.tsv", "a\nb\n\nc\nd\n");
    assert_true(cells_read(&cells, place("t.tsv"), 1000, 2, &error));
    assert_int_equal(cells.rows, 2);
    assert_int_equal(cells.left_out, 2);
    cells_free(&cells);
    assert_false(cells_read(&cells, place("t.tsv"), 4, 2, &error));
    assert_has(error.text, "larger than the limit of 4 bytes");
    assert_int_equal(cells.rows, 0);
    cells_free(&cells); /* harmless */
}

/* A zero byte must not hide the lines behind it; faults.md 31: a line of 100,000 characters. */
static void test_odd_bytes(void **state) {
    (void)state;
    Cells cells;
    Error error;
    bytes_put("t.tsv", "a\0b\tc\nd\0\0\te\n", 12);
    assert_true(cells_read(&cells, place("t.tsv"), 1000, 9, &error));
    assert_int_equal(cells.rows, 2);
    assert_string_equal(cells.row[0][0], "a?b");
    assert_string_equal(cells_value(&cells, "d??"), "e");
    cells_free(&cells);
    char *line = malloc(100001);
    memset(line, 'x', 100000);
    line[100000] = '\0';
    text_put("long.tsv", line);
    assert_true(cells_read(&cells, place("long.tsv"), 200000, 9, &error));
    assert_int_equal(strlen(cells.row[0][0]), 100000);
    cells_free(&cells);
    memset(line, '\t', 100000);
    text_put("tabs.tsv", line);
    assert_true(cells_read(&cells, place("tabs.tsv"), 200000, 9, &error));
    assert_int_equal(cells.width[0], CELLS_MOST_COLUMNS);
    cells_free(&cells);
    free(line);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_are_cut_at_tabs),
        cmocka_unit_test(test_cells_beyond_the_room_are_dropped),
        IN_FOLDER(test_a_table_is_asked_by_names),
        IN_FOLDER(test_bounds_on_lines_and_bytes),
        IN_FOLDER(test_odd_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
