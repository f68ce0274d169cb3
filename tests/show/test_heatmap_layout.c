#include "show/heatmap_picture.h"

#include <stdlib.h>

static void test_ranges(void **state) {
    (void)state;
    const float values[] = {0.2f, 0.4f, NAN, 0.9f}, mixed[] = {-1, 4, INFINITY, 0};
    double low, high;
    Heatmap map = {.values = values, .rows = 2, .cols = 2};
    range_choose(&map, &low, &high);
    assert_close(low, 0, 0, 0);
    assert_close(high, 0.9, 1e-6, 0);
    map.values = mixed;
    range_choose(&map, &low, &high);
    assert_close(low, -1, 0, 0);
    assert_close(high, 4, 0, 0);
    map.map = COLOR_DIVERGING; /* white has to mean zero */
    range_choose(&map, &low, &high);
    assert_close(low, -4, 0, 0);
    assert_close(high, 4, 0, 0);
    map.min = -0.5f, map.max = 2;
    range_choose(&map, &low, &high);
    assert_close(low, -0.5, 0, 0);
    assert_close(high, 2, 0, 0);
}

/* A map with more cells than pixels keeps its shape and shows averages. */
static void test_huge_matrix_is_averaged(void **state) {
    (void)state;
    enum { ROWS = 4000, COLS = 3000 };
    float *values = calloc((size_t)ROWS * COLS, sizeof *values);
    assert_non_null(values);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLS; j++) { /* above left 1, below right a fine chequered pattern */
            bool corner = i < ROWS / 2 && j < COLS / 2, fine = i >= ROWS / 2 && j >= COLS / 2;
            values[(size_t)i * COLS + (size_t)j] = corner || (fine && (i + j) % 2) ? 1 : 0;
        }
    }
    Heatmap map = {.values = values, .rows = ROWS, .cols = COLS, .min = 0, .max = 1};
    Layout layout;
    Picture p = draw(&map, 1, 1, &layout);
    const Frame *f = &layout.frames[0];
    assert_true(f->width > 1000 && f->height > 1000);
    assert_cell(&p, f, ROWS / 4, COLS / 4, 1);
    assert_cell(&p, f, ROWS / 4, 3 * COLS / 4, 0);
    ColorTable table = color_table(COLOR_SEQUENTIAL);
    Lab seen = color_lab(cell_color(&p, f, 3 * ROWS / 4, 3 * COLS / 4));
    assert_close(seen.lightness, color_lab(color_of(&table, 0.5)).lightness, 0.12, 0);
    picture_free(&p);
    layout_free(&layout);
    free(values);
}

static void test_long_thin_matrices_fit(void **state) {
    (void)state;
    static const int shapes[][2] = {{512, 64}, {1, 1}, {1, 5000}, {5000, 1}, {1600, 3}, {40, 41}};
    static float values[40 * 1000];
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        Heatmap map = {.values = values, .rows = shapes[i][0], .cols = shapes[i][1]};
        Layout layout;
        Picture p = draw(&map, 1, 1, &layout);
        assert_true(layout.frames[0].width > 0 && layout.frames[0].height > 0);
        picture_free(&p);
        layout_free(&layout);
    }
}

/* Cells are large enough to see: at least 12 pixels for anything that is a sentence. */
static void test_cells_are_large_enough(void **state) {
    (void)state;
    enum { MOST = 80 };
    static float values[MOST * MOST];
    static const char *words[MOST];
    for (int i = 0; i < MOST; i++) {
        words[i] = i % 3 ? "mot" : "d\xC3\xA9j\xC3\xA0";
    }
    for (int n = 2; n <= MOST; n += 6) {
        Heatmap map = {.values = values,
                       .rows = n,
                       .cols = n,
                       .row_labels = words,
                       .col_labels = words,
                       .row_axis = "query",
                       .col_axis = "key"};
        Layout layout;
        Error error;
        assert_true(layout_make(&layout, &map, 1, 1, NULL, &error));
        assert_true(layout.cell_width >= 12 && layout.cell_width == layout.cell_height);
        assert_true(n > 40 || layout.cell_width >= 24);
        assert_int_equal(layout.frames[0].row_step, 1);
        assert_int_equal(layout.frames[0].col_step, 1);
        layout_free(&layout);
    }
}

static bool frames_overlap(const Frame *a, const Frame *b) {
    bool apart_x = a->x + a->width + a->right <= b->x - b->left ||
                   b->x + b->width + b->right <= a->x - a->left;
    bool apart_y = a->y + a->height <= b->y - b->top || b->y + b->height <= a->y - a->top;
    return !apart_x && !apart_y;
}

/* Map i has its one high value in cell i. */
static void assert_grid(const Picture *p, const Layout *layout) {
    for (int i = 0; i < layout->count; i++) {
        const Frame *f = &layout->frames[i];
        assert_true(f->x - f->left >= 0 && f->y - f->top >= 0);
        assert_true(f->x + f->width + f->right <= p->width);
        assert_true(f->y + f->height <= p->height);
        assert_cell(p, f, i / 6, i % 6, 1 / (f->high - f->low));
        for (int j = 0; j < i; j++) {
            assert_false(frames_overlap(f, &layout->frames[j]));
        }
    }
}

/* Grids of many sizes: everything inside the picture, nothing over anything else, and each map
 * shows its own values. */
static void test_grids_do_not_overlap(void **state) {
    (void)state;
    enum { MOST = 24 };
    static const char *const words[] = {"<s>", "le", "chat", "noir", "dort", "</s>"};
    static float values[MOST][36];
    static char titles[MOST][80];
    Heatmap maps[MOST];
    for (int i = 0; i < MOST; i++) {
        for (int j = 0; j < 36; j++) {
            values[i][j] = j == i ? 1 : 0;
        }
        snprintf(titles[i], sizeof titles[i], "head %d%s", i,
                 i % 5 ? "" : ": one with a much longer title than the others have");
        maps[i] = (Heatmap){.title = titles[i],
                            .values = values[i],
                            .rows = 6,
                            .cols = 6,
                            .row_labels = words,
                            .col_labels = words,
                            .row_axis = "query",
                            .col_axis = "key",
                            .max = i % 2 && i > 7 ? 2 : 1};
    }
    static const int grids[][2] = {{1, 1},  {2, 2},  {3, 2},  {8, 4},
                                   {12, 6}, {24, 8}, {24, 4}, {5, 0}};
    for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++) {
        Layout layout;
        Picture p = draw(maps, grids[g][0], grids[g][1], &layout);
        assert_grid(&p, &layout);
        assert_int_equal(layout.shared_bar, grids[g][0] <= 8);
        picture_free(&p);
        layout_free(&layout);
    }
}

/* A sheet of heads on one sentence would need small text if every map had its own labels: then the
 * first map of a row has them for all, but only if they are the same for all. */
static void test_common_labels_are_written_once(void **state) {
    (void)state;
    static const char *words[12], *others[12];
    static float values[144];
    Heatmap maps[8];
    for (int i = 0; i < 12; i++) {
        words[i] = others[i] = "professeur";
    }
    others[7] = "vieux";
    for (int i = 0; i < 8; i++) {
        maps[i] = (Heatmap){.values = values,
                            .rows = 12,
                            .cols = 12,
                            .row_labels = words,
                            .col_labels = words,
                            .max = 1};
    }
    for (int same = 0; same < 2; same++) {
        maps[6].row_labels = same ? words : others;
        Layout layout;
        Picture p = draw(maps, 8, 4, &layout);
        assert_int_equal(layout.scale, same ? 2 : 1);
        for (int i = 0; i < 8; i++) {
            assert_int_equal(layout.frames[i].row_named, !same || i % 4 == 0);
        }
        picture_free(&p);
        layout_free(&layout);
    }
}

enum { HEADS_MOST = 32, TOKENS_MOST = 24 };

/* The layout of a sheet of heads with `n` tokens, drawn once to see that it fits. */
static Layout sheet_layout(Heatmap maps[HEADS_MOST], int layers, int heads, int n,
                           const char *kind) {
    static const char *const words[] = {"she",   "does", "not",     "often",   "sing", "behind",
                                        "his",   "big",  "dogs",    "and",     "the",  "sad",
                                        "small", "men",  "strange", "letters", "in",   "my",
                                        "house", "she",  "has",     "with",    ".",    "<end>"};
    static const float values[TOKENS_MOST * TOKENS_MOST];
    static char titles[HEADS_MOST][80];
    for (int i = 0; i < layers * heads; i++) {
        snprintf(titles[i], sizeof titles[i], "layer %d, head %d: %s", i / heads, i % heads, kind);
        maps[i] = (Heatmap){.title = titles[i],
                            .values = values,
                            .rows = n,
                            .cols = n,
                            .row_labels = words,
                            .col_labels = words,
                            .row_axis = "query",
                            .col_axis = "key",
                            .max = 1};
    }
    Layout layout;
    Picture p = draw(maps, layers * heads, heads, &layout);
    picture_free(&p);
    return layout;
}

/* The title stands there whole, in at most so many lines. */
static void assert_title_whole(const Frame *f, int most) {
    char joined[3 * LINE_SIZE] = "";
    for (int i = 0; i < f->title.count; i++) {
        strcat(joined, i > 0 ? " " : "");
        strcat(joined, f->title.text[i]);
    }
    assert_string_equal(joined, f->map->title);
    assert_in_range(f->title.count, 1, most);
}

/* All heads of a model on one sheet: small labels, but all of them where they fit, once per row
 * where that leaves more room to the maps; titles twice as large. */
static void test_sheets_of_heads_are_readable(void **state) {
    (void)state;
    static const struct {
        int layers, heads, n, cell, step;
    } sheets[] = {{2, 4, 24, 15, 1}, {4, 8, 20, 8, 2}, {1, 8, 16, 10, 1}, {4, 8, 12, 13, 1}};
    Heatmap maps[HEADS_MOST];
    for (size_t k = 0; k < sizeof sheets / sizeof sheets[0]; k++) {
        Layout l = sheet_layout(maps, sheets[k].layers, sheets[k].heads, sheets[k].n, "vertical");
        assert_true(l.cell_width >= sheets[k].cell && l.cell_height == l.cell_width);
        assert_int_equal(l.name_scale, 2);
        assert_int_equal(l.title_scale, 3);
        for (int i = 0; i < l.count; i++) {
            const Frame *f = &l.frames[i];
            assert_int_equal(f->row_named, i % sheets[k].heads == 0);
            assert_int_equal(f->row_step, sheets[k].step);
            assert_int_equal(f->col_step, sheets[k].step);
            assert_title_whole(f, 2);
        }
        layout_free(&l);
    }
}

/* Titles that would be cut in large letters stay small. */
static void test_long_titles_stay_small(void **state) {
    (void)state;
    Heatmap maps[HEADS_MOST];
    Layout l = sheet_layout(maps, 4, 8, 20, "neither diagonal nor vertical, as it seems");
    assert_int_equal(l.name_scale, 1);
    for (int i = 0; i < l.count; i++) {
        assert_title_whole(&l.frames[i], LINES_MAX);
    }
    layout_free(&l);
}

/* Nothing is cut off: the outermost pixels of every kind of picture are white. */
static void test_nothing_touches_the_border(void **state) {
    (void)state;
    static const char *const words[] = {"Wolkenkratzer", "y", "gjpq\xC3\xA7"};
    static const float values[9] = {0, 0.5f, 1, 0, 0, 0, 1, 1, 123456};
    static const unsigned char marks[9] = {1, 0, 0, 0, 0, 0, 0, 0, 1};
    Heatmap map = {.title = "gy a title of this one map",
                   .values = values,
                   .rows = 3,
                   .cols = 3,
                   .row_labels = words,
                   .col_labels = words,
                   .marks = marks,
                   .row_axis = "query (decoder step), with a long name",
                   .col_axis = "key (source), with a long name",
                   .show_values = true};
    for (int variant = 0; variant < 8; variant++) {
        Heatmap maps[2] = {map, map};
        maps[0].marks = variant & 1 ? marks : NULL;
        maps[0].row_labels = variant & 2 ? words : NULL;
        maps[1].max = variant & 4 ? 5 : 0;
        Layout layout;
        Picture p = draw(maps, 2, 2, &layout);
        long outside = 0;
        for (int x = 0; x < p.width; x++) {
            outside +=
                picture_at(&p, x, 0).red != 255 || picture_at(&p, x, p.height - 1).red != 255;
        }
        for (int y = 0; y < p.height; y++) {
            outside += picture_at(&p, 0, y).red != 255 || picture_at(&p, p.width - 1, y).red != 255;
        }
        assert_int_equal(outside, 0);
        picture_free(&p);
        layout_free(&layout);
    }
}

static void test_lines_break_at_blanks(void **state) {
    (void)state;
    Lines lines;
    lines_break(&lines, "one two three", 1000, 3);
    assert_int_equal(lines.count, 1);
    lines_break(&lines, "one two three four", 45, 3);
    assert_int_equal(lines.count, 3);
    assert_string_equal(lines.text[0], "one two");
    assert_string_equal(lines.text[1], "three");
    assert_string_equal(lines.text[2], "four");
    lines_break(&lines, "one two three four five six", 45, 2);
    assert_int_equal(lines.count, 2);
    assert_non_null(strstr(lines.text[1], "\xE2\x80\xA6")); /* says that something is missing */
    lines_break(&lines, "a\nb", 1000, 3);
    assert_int_equal(lines.count, 2);
    assert_string_equal(lines.text[1], "b");
    lines_break(&lines, NULL, 100, 3);
    assert_int_equal(lines.count, 0);
    lines_break(&lines, "Donaudampfschifffahrtsgesellschaft", 40, 3);
    assert_int_equal(lines.count, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),
        SCRATCH_TEST(test_huge_matrix_is_averaged),
        SCRATCH_TEST(test_long_thin_matrices_fit),
        SCRATCH_TEST(test_cells_are_large_enough),
        SCRATCH_TEST(test_grids_do_not_overlap),
        SCRATCH_TEST(test_common_labels_are_written_once),
        SCRATCH_TEST(test_sheets_of_heads_are_readable),
        SCRATCH_TEST(test_long_titles_stay_small),
        SCRATCH_TEST(test_nothing_touches_the_border),
        cmocka_unit_test(test_lines_break_at_blanks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
