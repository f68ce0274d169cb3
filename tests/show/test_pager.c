/* Where a page ends: counted as a terminal would show it. */
#include "support/screen.h"

#include <stdlib.h>

#include "show/pager.h"

typedef struct Reader {
    Screen screen;
    Pager *pager;
    int asked;
    int patience; /* so many pages are enough: then all the rest */
} Reader;

/* Leaves a mark where the reader was asked. */
static bool ask(void *context) {
    Reader *reader = context;
    reader->asked++;
    fputs("|", reader->screen.term.out);
    return reader->asked != reader->patience;
}

/* A window of 7 rows and 10 columns: pages of 5. */
static Reader reader_new(void) {
    setenv("LINES", "7", 1);
    setenv("COLUMNS", "10", 1);
    return (Reader){.screen = screen_new(SCREEN_PLAIN)};
}

static void reader_print(Reader *reader, const char *text) {
    if (reader->pager == NULL) { /* the reader stays where it is from now on */
        reader->pager = pager_new(&reader->screen.term, ask, reader);
        assert_non_null(reader->pager);
    }
    fputs(text, pager_stream(reader->pager));
    fflush(pager_stream(reader->pager));
}

static void reader_check(Reader *reader, const char *expected) {
    screen_check(&reader->screen, expected);
    pager_free(reader->pager);
    screen_free(&reader->screen);
}

static void test_a_page_is_two_rows_less_than_the_window(void **state) {
    (void)state;
    Reader reader = reader_new();
    reader_print(&reader, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n");
    reader_check(&reader, "1\n2\n3\n4\n5\n|6\n7\n8\n9\n10\n|11\n");
}

static void test_nobody_is_asked_at_the_very_end(void **state) {
    (void)state;
    Reader reader = reader_new();
    reader_print(&reader, "1\n2\n3\n4\n5\n");
    reader_check(&reader, "1\n2\n3\n4\n5\n");
}

static void test_byte_by_byte_is_the_same(void **state) {
    (void)state;
    Reader reader = reader_new();
    for (const char *at = "1\n2\n\n\n\n6\n"; *at; at++) {
        reader_print(&reader, (char[2]){*at, '\0'});
    }
    reader_check(&reader, "1\n2\n\n\n\n|6\n");
}

static void test_wide_lines_take_several_rows(void **state) {
    (void)state;
    Reader reader = reader_new();
    reader_print(&reader, "0123456789\n");            /* one row exactly */
    reader_print(&reader, "0123456789abcdefghijk\n"); /* three */
    reader_print(&reader, "5\n6\n");
    reader_check(&reader, "0123456789\n0123456789abcdefghijk\n5\n|6\n");
}

/* Ten letters of two bytes, or five of two columns, are one row; six of those are two. */
static void test_columns_are_not_bytes(void **state) {
    (void)state;
    Reader reader = reader_new();
    reader_print(&reader, "éééééééééé\n漢漢漢漢漢\n\033[1;31m0123456789\033[0m\n4\n5\n6\n");
    reader_print(&reader, "7\n漢漢漢漢漢漢\n10\n11\n");
    reader_check(&reader, "éééééééééé\n漢漢漢漢漢\n\033[1;31m0123456789\033[0m\n4\n5\n|6\n"
                          "7\n漢漢漢漢漢漢\n10\n|11\n");
}

/* A training draws its line a hundred times; and it starts although the page is full. */
static void test_progress_is_one_row_and_does_not_wait(void **state) {
    (void)state;
    Reader reader = reader_new();
    reader_print(&reader, "1\n2\n3\n4\n5\n");
    for (int i = 0; i < 100; i++) {
        reader_print(&reader, "\rstep");
    }
    assert_int_equal(reader.asked, 0);
    reader_print(&reader, "\rdone\n");
    assert_int_equal(reader.asked, 0);
    reader_print(&reader, "\rnext one");
    assert_int_equal(reader.asked, 1);
    reader_print(&reader, "\ragain\ragain\ragain\ragain\n2\n3\n4\n5\n");
    assert_int_equal(reader.asked, 1);
    reader_print(&reader, "6");
    assert_int_equal(reader.asked, 2);
    pager_free(reader.pager);
    screen_free(&reader.screen);
}

static void test_enough_is_enough_until_the_restart(void **state) {
    (void)state;
    Reader reader = reader_new();
    reader.patience = 1;
    reader_print(&reader, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
    assert_int_equal(reader.asked, 1);
    pager_restart(reader.pager);
    reader_print(&reader, "1\n2\n3\n4\n5\n6\n");
    assert_int_equal(reader.asked, 2);
    pager_restart(reader.pager);
    reader_print(&reader, "7\n8\n9\n10\n11\n");
    assert_int_equal(reader.asked, 2);
    pager_free(reader.pager);
    screen_free(&reader.screen);
}

static void test_the_window_is_measured_anew(void **state) {
    (void)state;
    Reader reader = reader_new();
    reader_print(&reader, "1\n2\n3\n");
    setenv("LINES", "5", 1);
    reader_print(&reader, "4\n");
    setenv("LINES", "1", 1); /* too small for anything: a line at a time */
    reader_print(&reader, "5\n6\n");
    reader_check(&reader, "1\n2\n3\n|4\n|5\n|6\n");
}

static void test_window_without_any_size(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PLAIN);
    unsetenv("LINES");
    unsetenv("COLUMNS");
    TerminalWindow window = terminal_window(&screen.term);
    assert_int_equal(window.rows, 24);
    assert_int_equal(window.columns, 80);
    screen_free(&screen);
    pager_restart(NULL);
    pager_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_page_is_two_rows_less_than_the_window),
        cmocka_unit_test(test_nobody_is_asked_at_the_very_end),
        cmocka_unit_test(test_byte_by_byte_is_the_same),
        cmocka_unit_test(test_wide_lines_take_several_rows),
        cmocka_unit_test(test_columns_are_not_bytes),
        cmocka_unit_test(test_progress_is_one_row_and_does_not_wait),
        cmocka_unit_test(test_enough_is_enough_until_the_restart),
        cmocka_unit_test(test_the_window_is_measured_anew),
        cmocka_unit_test(test_window_without_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
