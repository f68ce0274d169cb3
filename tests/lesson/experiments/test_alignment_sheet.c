#include "support/stage.h"

#include "data/dates.h"
#include "lesson/experiments/alignment_sheet.h"

#include <stdlib.h>

/* Words a b c .. of a vocabulary, and a translation of "a b" into "b a b" that looks about. */
typedef struct Page {
    Vocab *vocab;
    Translation translation, without;
    AlignmentSheet sheet;
    bool written, empty_written;
    int shown;
} Page;

static const int source_ids[] = {VOCAB_SPECIALS, VOCAB_SPECIALS + 1};
static const int output_ids[] = {VOCAB_SPECIALS + 1, VOCAB_SPECIALS, VOCAB_SPECIALS + 1};
static const float page_weights[] = {0, 1, 1, 0, 0.25f, 0.75f, 0.5f, 0.5f}; /* (4, 2) */

static Page page_new(void) {
    Page page = {.vocab = reversal_vocab(3)};
    page.translation = (Translation){.source = {source_ids, 2},
                                     .output = {output_ids, 3},
                                     .weights = page_weights,
                                     .rows = 4,
                                     .columns = 2};
    page.without = page.translation;
    page.without.weights = NULL;
    page.sheet = sheet_new(page.vocab, page.vocab);
    return page;
}

static void page_free(Page *page) {
    sheet_free(&page->sheet);
    vocab_free(page->vocab);
}

static void test_labels_and_values(void **state) {
    (void)state;
    Page page = page_new();
    sheet_add(&page.sheet, "both ways", &page.translation, NULL);
    const Heatmap *map = &page.sheet.map[0];
    assert_int_equal(page.sheet.count, 1);
    assert_int_equal(map->rows, 4);
    assert_int_equal(map->cols, 2);
    const char *rows[] = {"b", "a", "b", "<end>"}, *cols[] = {"a", "b"};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(map->row_labels[i], rows[i]);
    }
    for (int i = 0; i < 2; i++) {
        assert_string_equal(map->col_labels[i], cols[i]);
    }
    assert_all_close(map->values, page_weights, 8, 0, 0);
    assert_ptr_not_equal(map->values, page_weights); /* a copy: the translations may go */
    assert_null(map->marks);
    assert_string_equal(map->title, "both ways");
    assert_string_equal(map->col_axis, "key: word looked at");
    assert_true(map->min < map->max); /* one colour scale for all */
    page_free(&page);
}

static void test_gold_is_outlined(void **state) {
    (void)state;
    Page page = page_new();
    Phrase phrase = {.S = 2, .T = 3};
    phrase.gold[0][1] = LINK_SURE;
    phrase.gold[1][0] = LINK_SURE;
    phrase.gold[2][0] = LINK_POSSIBLE;
    sheet_add(&page.sheet, "gold", &page.translation, &phrase);
    const unsigned char expected[] = {0, 1, 1, 0, 0, 0, 0, 0}; /* the end has no gold */
    assert_memory_equal(page.sheet.map[0].marks, expected, sizeof expected);
    page_free(&page);
}

static void test_characters_are_called_so(void **state) {
    (void)state;
    Page page = page_new();
    Vocab *dates = dates_target_vocab();
    AlignmentSheet sheet = sheet_new(dates, dates);
    sheet_add(&sheet, "date", &page.translation, NULL);
    assert_string_equal(sheet.map[0].row_axis, "query: character being written");
    assert_string_equal(sheet.map[0].col_axis, "key: character looked at");
    sheet_free(&sheet);
    vocab_free(dates);
    page_free(&page);
}

static void test_without_weights_and_too_many(void **state) {
    (void)state;
    Page page = page_new();
    sheet_add(&page.sheet, "none", &page.without, NULL);
    assert_int_equal(page.sheet.count, 0);
    for (int i = 0; i < SHEET_MAPS; i++) {
        sheet_add(&page.sheet, "many", &page.translation, NULL);
    }
    expect_check_message("more than 16 maps",
                         sheet_add(&page.sheet, "one more", &page.translation, NULL));
    page_free(&page);
}

static void play_page(Run *run, void *context) {
    Page *page = context;
    page->empty_written = sheet_write(run, &page->sheet, "empty.png", 1, "Nothing");
    sheet_add(&page->sheet, "one", &page->translation, NULL);
    sheet_add(&page->sheet, "two", &page->translation, NULL);
    sheet_show(run, &page->sheet, 0);
    sheet_show(run, &page->sheet, 2); /* there is none: nothing happens */
    sheet_show(run, &page->sheet, -1);
    page->written = sheet_write(run, &page->sheet, "page.png", 2, "A page");
}

static void test_picture_and_attention_log(void **state) {
    (void)state;
    Page page = page_new();
    Stage stage = stage_play(play_page, &page, "--quick");
    assert_int_equal(stage.status, 0);
    assert_true(page.written);
    assert_false(page.empty_written);
    assert_null(lesson_file(&stage, "empty.png", NULL));
    char *png = lesson_file(&stage, "page.png", NULL);
    assert_non_null(png);
    assert_memory_equal(png, "\x89PNG", 4);
    char *log = lesson_file(&stage, "attention.tsv", NULL);
    assert_non_null(log);
    int lines = 0;
    for (const char *c = log; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    assert_int_equal(lines, 1 + 2 * 8);
    assert_non_null(strstr(log, "0\t0\t2\t1\tb\tb\t0.75\tpage: one\n"));
    assert_non_null(strstr(log, "0\t0\t2\t1\tb\tb\t0.75\tpage: two\n"));
    free(png);
    free(log);
    lesson_run_free(&stage);
    page_free(&page);
}

/* ---- choosing ---- */

static void test_choosing_phrases(void **state) {
    (void)state;
    PhraseData *data = phrases_new(100, 200, 3);
    int chosen[5];
    int found = sheet_choose_phrases(data->held_out_phrase, 200, 5, chosen);
    assert_int_equal(found, 5);
    for (int i = 0; i < 5; i++) {
        const Phrase *phrase = &data->held_out_phrase[chosen[i]];
        assert_true(phrase_is_reordered(phrase));
        assert_in_range(phrase->S, i % 2 == 0 ? 6 : 12, i % 2 == 0 ? 9 : 14);
        char *text = phrase_target_text(phrase);
        bool accent = false;
        for (const char *c = text; *c != '\0'; c++) {
            accent = accent || (unsigned char)*c > 127;
        }
        assert_true(accent);
        free(text);
        for (int j = 0; j < i; j++) {
            assert_int_not_equal(chosen[i], chosen[j]);
        }
    }
    assert_int_equal(sheet_choose_phrases(data->held_out_phrase, 0, 2, chosen), 0);
    phrases_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels_and_values),
        cmocka_unit_test(test_gold_is_outlined),
        cmocka_unit_test(test_characters_are_called_so),
        cmocka_unit_test(test_without_weights_and_too_many),
        cmocka_unit_test(test_picture_and_attention_log),
        cmocka_unit_test(test_choosing_phrases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
