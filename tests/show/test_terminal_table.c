#include "support/screen.h"

#include <stdlib.h>

static void test_numbers_to_the_right_words_to_the_left(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE);
    Table table = table_new("length\twithout\twho");
    table_row(&table, "%d\t%.1f %%\t%s", 3, 99.0, "\xC3\xA9l\xC3\xA8ve");
    table_row(&table, "%d\t%.1f %%\t%s", 20, 1.5, "b");
    table_row(&table, "%s\t%s\t%s", "-", "<= 3", "c");
    terminal_table(&screen.term, &table);
    table_free(&table);
    screen_check(&screen, "  length  without  who\n"
                          "  ------  -------  -----\n"
                          "       3   99.0 %  \xC3\xA9l\xC3\xA8ve\n"
                          "      20    1.5 %  b\n"
                          "       -     <= 3  c\n");
    screen_free(&screen);
}

static void test_long_text_wraps_in_its_cell(void **state) {
    (void)state;
    setenv("COLUMNS", "30", 1);
    Screen screen = screen_new(SCREEN_PLAIN);
    Table table = table_new("id\tsays\tn");
    table_row(&table, "a\tone two three four five six\t7");
    terminal_table(&screen.term, &table);
    table_free(&table);
    screen_check(&screen, "  id  says                   n\n"
                          "  --  ---------------------  -\n"
                          "  a   one two three four     7\n"
                          "      five six\n");
    screen_free(&screen);
}

/* Where another column can wrap, a name is not cut in two, though its column be the widest. */
static void test_words_stay_whole_where_they_can(void **state) {
    (void)state;
    setenv("COLUMNS", "34", 1);
    Screen screen = screen_new(SCREEN_PLAIN);
    Table table = table_new("map\tsize");
    table_row(&table, "reversal_alignment\tof other words, 11 x 10");
    terminal_table(&screen.term, &table);
    table_free(&table);
    screen_check(&screen, "  map                 size\n"
                          "  ------------------  ------------\n"
                          "  reversal_alignment  of other\n"
                          "                      words, 11 x\n"
                          "                      10\n");
    screen_free(&screen);
    setenv("COLUMNS", "22", 1);
    screen = screen_new(SCREEN_PLAIN);
    table = table_new("map\tn"); /* no way around it */
    table_row(&table, "a_name_that_is_too_long\t1");
    terminal_table(&screen.term, &table);
    table_free(&table);
    screen_check(&screen, "  map                n\n"
                          "  -----------------  -\n"
                          "  a_name_that_is_to  1\n"
                          "  o_long\n");
    screen_free(&screen);
}

static void test_first_cell_takes_the_style(void **state) {
    (void)state;
    setenv("COLUMNS", "80", 1);
    Screen screen = screen_new(SCREEN_COLOR);
    Table table = table_new("a\tb");
    table_row_styled(&table, STYLE_GREEN, "[holds]\tyes");
    terminal_table(&screen.term, &table);
    table_free(&table);
    assert_non_null(strstr(screen_text(&screen), "\033[32m[holds]\033[0m  yes\n"));
    screen_free(&screen);
}

static void test_missing_cells_and_empty_tables(void **state) {
    (void)state;
    Screen screen = screen_new(SCREEN_PIPE);
    Table empty = {0}, table = table_new("a\tb\tc");
    terminal_table(&screen.term, &empty);
    screen_check(&screen, "");
    table_row(&table, "x");
    table_row(&table, "x\t\tz\tnobody asked");
    terminal_table(&screen.term, &table);
    table_free(&table);
    screen_check(&screen, "  a  b  c\n"
                          "  -  -  -\n"
                          "  x\n"
                          "  x     z\n");
    screen_free(&screen);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_to_the_right_words_to_the_left),
        cmocka_unit_test(test_long_text_wraps_in_its_cell),
        cmocka_unit_test(test_words_stay_whole_where_they_can),
        cmocka_unit_test(test_first_cell_takes_the_style),
        cmocka_unit_test(test_missing_cells_and_empty_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
