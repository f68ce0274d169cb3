/* The numbers beside a heatmap: written, read back, and what somebody else may have put there. */
#include "assert_close.h"

#include <stdlib.h>

#include "show/heatmap_numbers.h"
#include "support/scratch.h"

/* faults 27: repeated words stay rows and columns of their own, queries down and keys across. */
static void test_what_is_written_is_read_back(void **state) {
    (void)state;
    static const char *const rows[] = {"le", "le"};
    static const char *const columns[] = {"the\tthe", "caf\xC3\xA9", ""};
    const float values[] = {1, 0.1f, 0, 1.0f / 3, NAN, -2.5e-9f};
    const unsigned char marks[] = {0, 1, 0, 0, 0, 1};
    const Heatmap maps[] = {
        {.title = "first", .values = values, .rows = 3, .cols = 2, .map = COLOR_DIVERGING},
        {.title = "second\n",
         .values = values,
         .rows = 2,
         .cols = 3,
         .row_labels = rows,
         .col_labels = columns,
         .row_axis = "query",
         .col_axis = "key",
         .max = 0.5f,
         .marks = marks}};
    assert_true(heatmap_write_numbers(scratch_path("a.map.tsv"), maps, 2, "Both", NULL));
    HeatmapFile file;
    Error error = {""};
    if (!heatmap_read_numbers(scratch_path("a.map.tsv"), &file, &error)) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(file.count, 2);
    assert_string_equal(file.title, "Both");
    for (int i = 0; i < 2; i++) {
        const Heatmap *map = &file.maps[i];
        assert_string_equal(map->title, maps[i].title);
        assert_int_equal(map->rows, maps[i].rows);
        assert_int_equal(map->cols, maps[i].cols);
        assert_int_equal(map->map, maps[i].map);
        assert_true(map->max == maps[i].max && map->min == 0);
        for (int j = 0; j < 6; j++) { /* to the bit */
            assert_true(map->values[j] == values[j] || (isnan(values[j]) && isnan(map->values[j])));
        }
    }
    assert_null(file.maps[0].row_labels);
    assert_null(file.maps[0].col_labels);
    assert_null(file.maps[0].marks);
    assert_string_equal(file.maps[1].row_labels[1], "le");
    for (int c = 0; c < 3; c++) {
        assert_string_equal(file.maps[1].col_labels[c], columns[c]);
    }
    assert_string_equal(file.maps[1].row_axis, "query");
    assert_string_equal(file.maps[1].col_axis, "key");
    assert_memory_equal(file.maps[1].marks, marks, 6);
    heatmap_file_free(&file);
}

static void test_the_file_is_as_described(void **state) {
    (void)state;
    static const char *const rows[] = {"the", "cat"}, *const columns[] = {"le", "chat"};
    const float values[] = {0.9f, 0.1f, 0.25f, 0.75f};
    const unsigned char marks[] = {1, 0, 0, 1};
    const Heatmap map = {.title = "one",
                         .values = values,
                         .rows = 2,
                         .cols = 2,
                         .row_labels = rows,
                         .col_labels = columns,
                         .row_axis = "query",
                         .col_axis = "key",
                         .max = 1,
                         .marks = marks};
    assert_true(heatmap_write_numbers(scratch_path("a.map.tsv"), &map, 1, NULL, NULL));
    char *text;
    size_t size;
    assert_true(file_read(scratch_path("a.map.tsv"), 1 << 20, &text, &size, NULL));
    assert_string_equal(text, "map\tpart\tname\n0\ttitle\tone\n0\taxes\tquery\tkey\n"
                              "0\tscale\tsequential\t0\t1\n0\tcolumns\t\tle\tchat\n"
                              "0\trow\tthe\t0.9\t0.1\n0\trow\tcat\t0.25\t0.75\n"
                              "0\tmark\tthe\t1\t0\n0\tmark\tcat\t0\t1\n");
    free(text);
}

static void refused(const char *lines, const char *says) {
    char text[512];
    HeatmapFile file;
    Error error = {""};
    snprintf(text, sizeof text, "map\tpart\tname\n%s", lines);
    scratch_text("a.map.tsv", text);
    if (heatmap_read_numbers(scratch_path("a.map.tsv"), &file, &error)) {
        fail_msg("it should be refused: %s", lines);
    }
    if (!strstr(error.text, says)) {
        fail_msg("for\n%s\nthe error should say \"%s\", not \"%s\"", lines, says, error.text);
    }
    assert_int_equal(file.count, 0);
    assert_null(file.maps);
}

static void test_what_is_no_heatmap_is_refused(void **state) {
    (void)state;
    refused("", "there is no map");
    refused("0\ttitle\tx\n", "line 2: a map without values");
    refused("0\trow\tx\n", "a map without values");
    refused("0\trow\tx\t1\t2\n0\trow\ty\t1\n", "line 3: not as many columns");
    refused("0\trow\tx\t1\n0\trow\ty\tone\n", "line 3: a value that is no number");
    refused("1\trow\tx\t1\n", "numbered");
    refused("0\trow\tx\t1\n0\tcell\tx\t1\n", "line 3: a part that nobody knows");
    refused("0\trow\tx\t1\nzero\trow\tx\t1\n", "line 3: the maps are not numbered");
    refused("0\tscale\tsequential\t1\t0\n0\trow\tx\t1\n", "a scale that is none");
    refused("0\tscale\tsequential\tnan\t1\n0\trow\tx\t1\n", "a scale that is none");
    refused("0\tcolumns\t\ta\tb\n0\trow\tx\t1\n", "not a label for each column");
    refused("0\trow\tx\t1\n0\trow\tx\t1\n0\tmark\tx\t1\n", "marks for some");
    scratch_text("a.map.tsv", "0\t1\n");
    HeatmapFile file;
    Error error = {""};
    assert_false(heatmap_read_numbers(scratch_path("a.map.tsv"), &file, &error));
    assert_non_null(strstr(error.text, "line 1: the first line is another"));
    scratch_text("a.map.tsv", "\n\n");
    assert_false(heatmap_read_numbers(scratch_path("a.map.tsv"), &file, &error));
    assert_non_null(strstr(error.text, "nothing in it"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(test_what_is_written_is_read_back),
        SCRATCH_TEST(test_the_file_is_as_described),
        SCRATCH_TEST(test_what_is_no_heatmap_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
