#include "show/heatmap_picture.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

/* The box around all places where the colour fills a square of 9 pixels; nothing but the cells
 * (neither the thin steps of the colour bar nor letters) does. */
static void color_box(const Picture *p, Color color, int *left, int *top, int *right, int *bottom) {
    *left = p->width, *top = p->height, *right = *bottom = -1;
    for (int y = 4; y < p->height - 4; y++) {
        for (int x = 4; x < p->width - 4; x++) {
            bool all = true;
            for (int i = 0; all && i < 81; i++) {
                all = color_equal(picture_at(p, x - 4 + i % 9, y - 4 + i / 9), color);
            }
            if (all) {
                *left = x - 4 < *left ? x - 4 : *left;
                *right = x + 4 > *right ? x + 4 : *right;
                *top = y - 4 < *top ? y - 4 : *top;
                *bottom = y + 4 > *bottom ? y + 4 : *bottom;
            }
        }
    }
}

/* faults.md 27: query and key axes mixed up. Found in the picture alone, without the layout: rows
 * go down, columns go right. */
static void test_axes_of_two_queries_and_three_keys(void **state) {
    (void)state;
    static const float weights[] = {1, 0, 0, 0, 0, 1};
    Heatmap map = {.values = weights, .rows = 2, .cols = 3};
    Layout layout;
    Picture p = draw(&map, 1, 1, &layout);
    ColorTable table = color_table(COLOR_SEQUENTIAL);
    Color one = table.colors[COLOR_STEPS - 1], zero = table.colors[0];
    int left, top, right, bottom;
    color_box(&p, one, &left, &top, &right, &bottom);
    int cell = (right - left + 1) / 3;
    assert_true(cell >= 40);
    assert_close((bottom - top + 1) / 2, cell, 2, 0);
    static const int dark[2][3] = {{1, 0, 0}, {0, 0, 1}};
    for (int row = 0; row < 2; row++) {
        for (int col = 0; col < 3; col++) {
            Color seen = picture_at(&p, left + cell * col + cell / 2, top + cell * row + cell / 2);
            assert_true(color_equal(seen, dark[row][col] ? one : zero));
        }
    }
    picture_free(&p);
    layout_free(&layout);
}

static void test_every_cell_has_the_color_of_its_value(void **state) {
    (void)state;
    float values[5 * 9];
    for (int i = 0; i < 45; i++) {
        values[i] = (float)((i * 17) % 45) / 44;
    }
    Heatmap map = {.values = values, .rows = 5, .cols = 9, .min = 0, .max = 1};
    Layout layout;
    Picture p = draw(&map, 1, 1, &layout);
    for (int i = 0; i < 45; i++) {
        assert_cell(&p, &layout.frames[0], i / 9, i % 9, values[i]);
    }
    picture_free(&p);
    layout_free(&layout);
}

/* The field left of a row, where its label stands. */
static bool row_label_same(const Picture *p, const Frame *f, int row, int other) {
    int cell = f->height / f->map->rows;
    return picture_same(p, f->x - f->left, f->y + row * cell, p, f->x - f->left,
                        f->y + other * cell, f->left - 2, cell - 1);
}

/* faults.md 27: repeated words stay separate ticks. */
static void test_repeated_words_keep_their_ticks(void **state) {
    (void)state;
    static const char *const words[] = {"the", "cat", "the", "tac", "the"};
    static const float values[25] = {0};
    Heatmap map = {
        .values = values, .rows = 5, .cols = 5, .row_labels = words, .col_labels = words};
    Layout layout;
    Picture p = draw(&map, 1, 1, &layout);
    const Frame *f = &layout.frames[0];
    assert_int_equal(f->row_step, 1);
    assert_int_equal(f->col_step, 1);
    assert_true(row_label_same(&p, f, 0, 2));
    assert_true(row_label_same(&p, f, 2, 4));
    assert_false(row_label_same(&p, f, 0, 1));
    assert_false(row_label_same(&p, f, 1, 3));
    int cell = f->width / 5, above = f->top - 4;
    assert_true(picture_same(&p, f->x, f->y - above, &p, f->x + 2 * cell, f->y - above, cell - 1,
                             above - 1));
    assert_false(
        picture_same(&p, f->x, f->y - above, &p, f->x + cell, f->y - above, cell - 1, above - 1));
    picture_free(&p);
    layout_free(&layout);
}

/* The field above a column, where its label stands, in two pictures of one layout. */
static bool col_labels_same(const Picture *a, int col, const Picture *b, int other,
                            const Frame *f) {
    int cell = f->width / f->map->cols, above = f->top - 4;
    return picture_same(a, f->x + col * cell, f->y - above, b, f->x + other * cell, f->y - above,
                        cell - 1, above - 1);
}

static bool row_labels_same(const Picture *a, int row, const Picture *b, int other,
                            const Frame *f) {
    int cell = f->height / f->map->rows;
    return picture_same(a, f->x - f->left, f->y + row * cell, b, f->x - f->left,
                        f->y + other * cell, f->left - 2, cell - 1);
}

/* faults.md 27: the tokens of the queries stand at the rows, those of the keys above the columns,
 * in their order. Seen where labels that change places move in the picture, and where nothing
 * does. */
static void test_each_axis_has_its_own_tokens(void **state) {
    (void)state;
    static const char *const queries[] = {"cat", "dog"}, *const queries_turned[] = {"dog", "cat"};
    static const char *const keys[] = {"les", "ami", "zut"}, *const keys_turned[] = {"ami", "les",
                                                                                     "zut"};
    static const float values[6] = {0};
    Heatmap map = {
        .values = values, .rows = 2, .cols = 3, .row_labels = queries, .col_labels = keys};
    Heatmap other_rows = map, other_cols = map;
    other_rows.row_labels = queries_turned;
    other_cols.col_labels = keys_turned;
    Layout layout, rows_layout, cols_layout;
    Picture p = draw(&map, 1, 1, &layout);
    Picture rows = draw(&other_rows, 1, 1, &rows_layout);
    Picture cols = draw(&other_cols, 1, 1, &cols_layout);
    const Frame *f = &layout.frames[0];
    for (int row = 0; row < 2; row++) {
        assert_true(row_labels_same(&p, row, &rows, 1 - row, f));
        assert_false(row_labels_same(&p, row, &rows, row, f));
        assert_true(row_labels_same(&p, row, &cols, row, f));
    }
    for (int col = 0; col < 3; col++) {
        int turned = col == 2 ? 2 : 1 - col;
        assert_true(col_labels_same(&p, col, &cols, turned, f));
        assert_int_equal(col_labels_same(&p, col, &cols, col, f), col == 2);
        assert_true(col_labels_same(&p, col, &rows, col, f));
    }
    picture_free(&p);
    picture_free(&rows);
    picture_free(&cols);
    layout_free(&layout);
    layout_free(&rows_layout);
    layout_free(&cols_layout);
}

static Picture draw_labelled(const char *const *labels, int count) {
    static const float values[64] = {0};
    Heatmap map = {.values = values, .rows = 1, .cols = count, .col_labels = labels};
    Layout layout;
    Picture p = draw(&map, 1, 1, &layout);
    layout_free(&layout);
    return p;
}

static bool labels_look_alike(const char *a, const char *b) {
    Picture p = draw_labelled(&a, 1), q = draw_labelled(&b, 1);
    bool same = p.width == q.width && p.height == q.height &&
                picture_same(&p, 0, 0, &q, 0, 0, p.width, p.height);
    picture_free(&p);
    picture_free(&q);
    return same;
}

/* French accents survive to the picture: neither lost nor turned into the box of unknown signs. */
static void test_accents_reach_the_picture(void **state) {
    (void)state;
    static const char *const accents[] = {"\xC3\xA9", "\xC3\xA8", "\xC3\xAA", "\xC3\xA7",
                                          "\xC3\xB9", "\xC5\x93", "\xC5\xB8", "\xE2\x80\x99"};
    for (size_t i = 0; i < sizeof accents / sizeof accents[0]; i++) {
        assert_false(labels_look_alike(accents[i], "\xE4\xB8\xAD"));
        assert_false(labels_look_alike(accents[i], "e"));
        assert_false(labels_look_alike(accents[i], accents[(i + 1) % 8]));
    }
    assert_true(labels_look_alike("\xE4\xB8\xAD", "\xE6\x96\x87")); /* two unknown ones do */
}

static void test_unusual_labels(void **state) {
    (void)state;
    assert_false(labels_look_alike(" ", ""));  /* a space is a token one must see */
    assert_false(labels_look_alike("\n", "")); /* and so is a line break */
    assert_true(labels_look_alike("\n", "\\n"));
    assert_true(labels_look_alike("\t", "\\t"));
    assert_true(labels_look_alike("\xC3", "\xFF")); /* bad UTF-8: a box each */
    assert_false(labels_look_alike("\xC3", ""));
    assert_true(labels_look_alike(NULL, ""));
}

/* Long labels are shortened, so that they leave the cells their room. */
static void test_long_labels_are_shortened(void **state) {
    (void)state;
    char endless[2000];
    memset(endless, 'w', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    const char *labels[] = {endless, "short", "anticonstitutionnellement"};
    static const float values[9] = {0};
    Heatmap map = {
        .values = values, .rows = 3, .cols = 3, .row_labels = labels, .col_labels = labels};
    Layout layout;
    Picture p = draw(&map, 1, 1, &layout);
    assert_true(layout.frames[0].left < 300 && layout.frames[0].top < 320);
    assert_true(layout.frames[0].turned);
    assert_true(layout.frames[0].width >= 3 * 60);
    picture_free(&p);
    layout_free(&layout);
}

/* NaN is no value: its cell has stripes of grey that no colour of the map looks like. */
static void test_nan_cells_are_hatched(void **state) {
    (void)state;
    const float values[] = {0.5f, NAN, 1, INFINITY, 0, -INFINITY};
    Heatmap map = {.values = values, .rows = 2, .cols = 3};
    Layout layout;
    Picture p = draw(&map, 1, 1, &layout);
    const Frame *f = &layout.frames[0];
    assert_cell(&p, f, 0, 0, 0.5);
    assert_cell(&p, f, 0, 2, 1);
    assert_cell(&p, f, 1, 1, 0);
    ColorTable table = color_table(COLOR_SEQUENTIAL);
    int cell = f->width / 3;
    static const int empty[][2] = {{0, 1}, {1, 0}, {1, 2}};
    for (int i = 0; i < 3; i++) {
        int x0 = f->x + empty[i][1] * cell, y0 = f->y + empty[i][0] * cell, kinds = 0;
        Color last = {0, 0, 0};
        for (int d = 4; d < cell - 4; d++) {
            Color seen = picture_at(&p, x0 + d, y0 + cell / 2);
            kinds += d > 4 && !color_equal(seen, last);
            last = seen;
            assert_true(seen.red == seen.green && seen.green == seen.blue);
            for (int k = 0; k < COLOR_STEPS; k++) {
                assert_false(color_equal(seen, table.colors[k]));
            }
        }
        assert_true(kinds > 5);
    }
    picture_free(&p);
    layout_free(&layout);
}

static void test_all_nan_and_constant_maps(void **state) {
    (void)state;
    const float nothing[] = {NAN, NAN}, zeros[] = {0, 0}, same[] = {3, 3}, below[] = {-2, -2};
    const float *cases[] = {nothing, zeros, same, below};
    for (int i = 0; i < 4; i++) {
        for (int map = COLOR_SEQUENTIAL; map <= COLOR_DIVERGING; map++) {
            Heatmap one = {.values = cases[i], .rows = 1, .cols = 2, .map = (ColorMap)map};
            Layout layout;
            Picture p = draw(&one, 1, 1, &layout);
            assert_true(layout.frames[0].low < layout.frames[0].high);
            picture_free(&p);
            layout_free(&layout);
        }
    }
}

static void test_diverging_zero_is_white(void **state) {
    (void)state;
    const float values[] = {-2, 0, 1};
    Heatmap map = {.values = values, .rows = 1, .cols = 3, .map = COLOR_DIVERGING};
    Layout layout;
    Picture p = draw(&map, 1, 1, &layout);
    Color zero = cell_color(&p, &layout.frames[0], 0, 1);
    assert_true(zero.red == 255 && zero.green == 255 && zero.blue == 255);
    assert_cell(&p, &layout.frames[0], 0, 0, 0);
    assert_cell(&p, &layout.frames[0], 0, 2, 0.75);
    picture_free(&p);
    layout_free(&layout);
}

/* Outlined cells have the outline's colour at their edges and their own in the middle; the legend
 * shows one more such box. */
static void test_marks_outline_their_cells(void **state) {
    (void)state;
    static const float values[6] = {0, 1, 0.5f, 0.25f, 0, 1};
    static const unsigned char marks[6] = {0, 1, 0, 1, 0, 0};
    static const Color orange = {230, 85, 0};
    Heatmap map = {.values = values, .rows = 2, .cols = 3, .marks = marks};
    Layout layout;
    Picture p = draw(&map, 1, 1, &layout);
    const Frame *f = &layout.frames[0];
    int cell = f->width / 3;
    for (int i = 0; i < 6; i++) {
        int x = f->x + i % 3 * cell + 3, y = f->y + i / 3 * cell + cell / 2;
        assert_int_equal(color_equal(picture_at(&p, x, y), orange), marks[i]);
        assert_cell(&p, f, i / 3, i % 3, values[i]);
    }
    Picture legend = {p.width, p.height - layout.legend_y,
                      p.pixels + 3 * (size_t)p.width * (size_t)layout.legend_y};
    assert_true(picture_count(&legend, orange) > 50);
    picture_free(&p);
    layout_free(&layout);
}

static void test_same_values_same_bytes(void **state) {
    (void)state;
    static const float values[] = {0.1f, 0.9f, 0.5f, NAN};
    Heatmap map = {.values = values, .rows = 2, .cols = 2, .title = "twice"};
    Error error;
    size_t sizes[2];
    char *bytes[2];
    for (int i = 0; i < 2; i++) {
        const char *path = scratch_path(i ? "b.png" : "a.png");
        assert_true(heatmap_write_png(path, &map, 1, 1, "title", &error));
        bytes[i] = text_read(path, &sizes[i]);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
}

static void assert_refused(const char *path, const Heatmap *maps, int count, const char *what) {
    Error error = {""};
    assert_false(heatmap_write_png(path, maps, count, 1, NULL, &error));
    assert_non_null(strstr(error.text, what));
    assert_null(strchr(error.text, '\n'));
}

static void test_errors(void **state) {
    (void)state;
    static const float values[4] = {0};
    const char *path = scratch_path("x.png");
    Heatmap good = {.values = values, .rows = 2, .cols = 2}, bad = good;
    assert_refused(path, &good, 0, "no map");
    bad.rows = 0;
    assert_refused(path, &bad, 1, "(0, 2)");
    bad = good;
    bad.min = 2, bad.max = 1;
    assert_refused(path, &bad, 1, "from 2 to 1");
    bad.max = NAN;
    assert_refused(path, &bad, 1, "nan");
    assert_refused(scratch_path("no/x.png"), &good, 1, "no/x.png");
    static Heatmap many[200];
    for (int i = 0; i < 200; i++) {
        many[i] = good;
    }
    assert_refused(path, many, 200, "200 maps in 1 columns do not fit");
    assert_int_equal(folder_count(scratch_folder()), 0);
}

/* faults.md 26: the disk is full: one line, no file. */
static void test_full_disk(void **state) {
    (void)state;
    static const float values[4] = {0};
    Heatmap map = {.values = values, .rows = 2, .cols = 2};
    struct rlimit before, full;
    Error error = {""};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    full = before;
    full.rlim_cur = 500;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    bool written = heatmap_write_png(scratch_path("x.png"), &map, 1, 1, NULL, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_false(written);
    assert_non_null(strstr(error.text, "x.png: cannot be written"));
    assert_int_equal(folder_count(scratch_folder()), 0);
}

/* Is there such a text chunk? They are not compressed. */
static bool noted(const char *bytes, size_t size, const char *key, const char *text) {
    char chunk[256] = {0};
    size_t length = strlen(key) + 5; /* the key and five zero bytes: kind, language, its own word */
    memcpy(chunk, key, strlen(key));
    memcpy(chunk + length, text, strlen(text));
    length += strlen(text);
    for (size_t i = 0; i + length <= size; i++) {
        if (memcmp(bytes + i, chunk, length) == 0) {
            return true;
        }
    }
    return false;
}

/* For captions, and for who cannot see the picture. */
static void test_titles_and_axes_are_stored_in_words(void **state) {
    (void)state;
    static const float values[4] = {0};
    static const unsigned char marks[4] = {1};
    const Heatmap maps[] = {
        {.values = values, .rows = 2, .cols = 2, .title = "a", .row_axis = "query", .marks = marks},
        {.values = values, .rows = 2, .cols = 2, .title = "b", .row_axis = "query"},
        {.values = values, .rows = 2, .cols = 2, .row_axis = "position", .col_axis = "key"}};
    Layout layout;
    size_t size;
    Picture p = draw(maps, 3, 3, &layout);
    char *bytes = text_read(scratch_path("map.png"), &size);
    assert_true(noted(bytes, size, "Title", "A title"));
    assert_true(noted(bytes, size, "Maps", "a; b"));
    assert_true(noted(bytes, size, "Rows", "query or position"));
    assert_true(noted(bytes, size, "Columns", "key"));
    assert_true(noted(bytes, size, "Outlines", "gold alignment"));
    free(bytes);
    picture_free(&p);
    layout_free(&layout);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(test_axes_of_two_queries_and_three_keys),
        SCRATCH_TEST(test_every_cell_has_the_color_of_its_value),
        SCRATCH_TEST(test_repeated_words_keep_their_ticks),
        SCRATCH_TEST(test_each_axis_has_its_own_tokens),
        SCRATCH_TEST(test_accents_reach_the_picture),
        SCRATCH_TEST(test_unusual_labels),
        SCRATCH_TEST(test_long_labels_are_shortened),
        SCRATCH_TEST(test_nan_cells_are_hatched),
        SCRATCH_TEST(test_all_nan_and_constant_maps),
        SCRATCH_TEST(test_diverging_zero_is_white),
        SCRATCH_TEST(test_marks_outline_their_cells),
        SCRATCH_TEST(test_same_values_same_bytes),
        SCRATCH_TEST(test_errors),
        SCRATCH_TEST(test_full_disk),
        SCRATCH_TEST(test_titles_and_axes_are_stored_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
