#include "support/picture.h"
#include "support/stage.h"
#include "support/tensors.h"

#include "lesson/experiments/head_sheet.h"

#include <stdlib.h>

/* ---- what is copied ---- */

/* Weights (2, 3, 4, 5) whose value tells where it came from: b h q k. */
static Tensor *telling(Tape *tape) {
    Tensor *weights = tape_constant(tape, "weights", NULL, SHAPE(2, 3, 4, 5));
    for (int i = 0; i < 120; i++) {
        weights->data[i] = (float)(1000 * (i / 60) + 100 * (i / 20 % 3) + 10 * (i / 5 % 4) + i % 5);
    }
    return weights;
}

/* A repeated word is a label of its own. */
static void test_labels_of_an_axis(void **state) {
    (void)state;
    TokenCounts *counts = token_counts_new();
    token_counts_add_text(counts, VOCAB_WORDS, "a");
    Vocab *vocab = vocab_new(VOCAB_WORDS, counts, 0, 1);
    Arena arena = arena_new();
    const char **axis = axis_tokens(&arena, vocab, (const int[]){VOCAB_START, 4, 4, VOCAB_END}, 4);
    const char *const expected[] = {"<start>", "a", "a", "<end>"};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(axis[i], expected[i]);
    }
    arena_free(&arena);
    vocab_free(vocab);
    token_counts_free(counts);
}

static void test_maps_are_cut_out(void **state) {
    (void)state;
    Tape tape = tape_new();
    HeadSheet sheet = head_sheet_new(2, 3, 3, 2);
    head_sheet_layer(&sheet, 1, telling(&tape), 1);
    tape_free(&tape); /* they are copies */
    for (int h = 0; h < 3; h++) {
        const float *map = head_sheet_map(&sheet, 1, h), *other = head_sheet_map(&sheet, 0, h);
        for (int i = 0; i < 6; i++) {
            assert_close(map[i], 1000 + 100 * h + 10 * (i / 2) + i % 2, 0, 0);
            assert_close(other[i], 0, 0, 0);
        }
    }
    head_sheet_free(&sheet);
}

static void test_titles_and_labels(void **state) {
    (void)state;
    HeadSheet sheet = head_sheet_new(2, 3, 3, 2), one = head_sheet_new(1, 2, 1, 1);
    head_sheet_title(&sheet, 1, 2, "diagonal -1");
    assert_string_equal(sheet.titles[5], "layer 1, head 2: diagonal -1");
    assert_string_equal(sheet.titles[0], "layer 0, head 0");
    assert_string_equal(one.titles[1], "head 1");
    assert_string_equal(sheet.row_labels[2], "2");
    assert_string_equal(sheet.col_labels[1], "1");
    head_sheet_title(&sheet, 0, 0, "a kind that is far too long for any title of any picture ever");
    assert_int_equal(strlen(sheet.titles[0]), sizeof sheet.titles[0] - 1);
    head_sheet_free(&sheet);
    head_sheet_free(&one);
}

static void test_refusals(void **state) {
    (void)state;
    Tape tape = tape_new();
    HeadSheet sheet = head_sheet_new(2, 3, 3, 2), large = head_sheet_new(2, 3, 3, 6);
    HeadSheet four = head_sheet_new(2, 4, 3, 2);
    Tensor *weights = telling(&tape);
    expect_check_message("layer 2, head 0 of a sheet of 2 x 3",
                         head_sheet_layer(&sheet, 2, weights, 0));
    expect_check_message("layer 0, head 3", head_sheet_title(&sheet, 0, 3, "x"));
    expect_check_message("sequence 2", head_sheet_layer(&sheet, 0, weights, 2));
    expect_check_message("maps of 3 x 6", head_sheet_layer(&large, 0, weights, 0));
    expect_check_message("a sheet of 4 heads", head_sheet_layer(&four, 0, weights, 0));
    expect_check_message("0 layers", head_sheet_new(0, 3, 3, 3));
    head_sheet_free(&sheet);
    head_sheet_free(&large);
    head_sheet_free(&four);
    tape_free(&tape);
}

/* ---- the picture ---- */

typedef struct Page {
    int layers, heads, rows, cols;
    const float *maps;
    const char *const *row_labels, *const *col_labels;
    int columns;
    bool written;
    Picture picture;
} Page;

static void play(Run *run, void *context) {
    Page *page = context;
    HeadSheet sheet = head_sheet_new(page->layers, page->heads, page->rows, page->cols);
    size_t count = (size_t)(page->layers * page->heads * page->rows * page->cols);
    memcpy(sheet.maps, page->maps, count * sizeof(float));
    sheet.row_labels = page->row_labels != NULL ? page->row_labels : sheet.row_labels;
    sheet.col_labels = page->col_labels != NULL ? page->col_labels : sheet.col_labels;
    head_sheet_show(run, &sheet, 0, 0);
    page->written = head_sheet_write(run, "heads.png", &sheet, page->columns, "Heads");
    if (page->written) {
        page->picture = picture_read(run_file(run, "heads.png"));
    }
    head_sheet_free(&sheet);
}

/* Places of the cells with the colour of 1: the first and the last pixel, and how many there are.
 */
typedef struct Field {
    int left, top, right, bottom;
    long count;
} Field;

/* In the columns of pixels from..end: one map without the colour bar beside it. */
static Field dark_field(const Picture *picture, int from, int end) {
    ColorTable table = color_table(COLOR_SEQUENTIAL);
    Color dark = color_of(&table, 1.0);
    Field field = {.left = picture->width, .top = picture->height, .right = -1, .bottom = -1};
    for (int y = 0; y < picture->height; y++) {
        for (int x = from; x < end; x++) {
            if (color_equal(picture_at(picture, x, y), dark)) {
                field.left = x < field.left ? x : field.left;
                field.right = x > field.right ? x : field.right;
                field.top = y < field.top ? y : field.top;
                field.bottom = y > field.bottom ? y : field.bottom;
                field.count++;
            }
        }
    }
    return field;
}

/* faults 27: 2 x 3 weights [[1 0 0] [0 0 1]] by pixel. Query 0 looks at key 0, query 1 at key 2:
 * the dark cells run from the top left to the bottom right, two columns and one row apart. */
static void test_queries_down_keys_across(void **state) {
    (void)state;
    const float maps[] = {1, 0, 0, 0, 0, 1};
    const char *const rows[] = {"le", "chat"}, *const cols[] = {"the", "the", "cat"};
    Page page = {1, 1, 2, 3, maps, rows, cols, 1, false, {0}};
    Stage stage = stage_play(play, &page, "--quick");
    assert_int_equal(stage.status, 0);
    assert_true(page.written);
    int width = page.picture.width;
    Field all = dark_field(&page.picture, 0, width * 3 / 4);
    int middle = (all.left + all.right) / 2;
    Field left = dark_field(&page.picture, 0, middle);
    Field right = dark_field(&page.picture, middle, width * 3 / 4);
    assert_true(left.count > 100 && right.count > 100);
    assert_true(left.bottom < right.top); /* the left one is the row above */
    int cell = left.right - left.left + 1;
    assert_true(right.left - left.right > cell / 2); /* one column lies in between */
    picture_free(&page.picture);
    lesson_run_free(&stage);
}

/* Layers are rows of the picture, heads its columns; and each map's numbers go to attention.tsv,
 * with repeated tokens kept apart. */
static void test_attention_file(void **state) {
    (void)state;
    float maps[2 * 2 * 2 * 2];
    for (int i = 0; i < 16; i++) {
        maps[i] = (float)i / 16.0f;
    }
    const char *const words[] = {"the", "the"};
    Page page = {2, 2, 2, 2, maps, words, words, 0, false, {0}};
    Stage stage = stage_play(play, &page, "--quick");
    assert_int_equal(stage.status, 0);
    char *log = lesson_file(&stage, "attention.tsv", NULL);
    assert_non_null(log);
    assert_non_null(strstr(log, "\n0\t0\t0\t1\tthe\tthe\t0.0625\theads\n"));
    assert_non_null(strstr(log, "\n0\t1\t1\t0\tthe\tthe\t0.375\theads\n"));
    assert_non_null(strstr(log, "\n1\t1\t1\t1\tthe\tthe\t0.9375\theads\n"));
    int lines = 0;
    for (const char *c = log; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    assert_int_equal(lines, 1 + 16);
    free(log);
    picture_free(&page.picture);
    lesson_run_free(&stage);
}

/* Any size one is likely to ask for fits and is no wider than 1600 pixels. */
static void test_sizes(void **state) {
    (void)state;
    static float maps[6 * 16 * 24 * 24];
    const int sizes[][4] = {
        {1, 1, 1, 1}, {2, 4, 12, 10}, {6, 8, 14, 14}, {2, 16, 12, 12}, {1, 8, 24, 24}};
    for (int i = 0; i < 5; i++) {
        const int *n = sizes[i];
        Page page = {n[0], n[1], n[2], n[3], maps, NULL, NULL, 0, false, {0}};
        Stage stage = stage_play(play, &page, "--quick");
        assert_int_equal(stage.status, 0);
        assert_true(page.written);
        assert_in_range(page.picture.width, 1, HEATMAP_MAX_SIDE);
        assert_in_range(page.picture.height, 1, HEATMAP_MAX_SIDE);
        picture_free(&page.picture);
        lesson_run_free(&stage);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels_of_an_axis),
        cmocka_unit_test(test_maps_are_cut_out),
        cmocka_unit_test(test_titles_and_labels),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_queries_down_keys_across),
        cmocka_unit_test(test_attention_file),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
