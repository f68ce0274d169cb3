#include "assert_close.h"

#include <stdlib.h>

#include "data/chars.h"
#include "data/story.h"

static void test_plain_text_in_short_lines(void **state) {
    (void)state;
    const char *text = story_text();
    size_t size = strlen(text);
    assert_in_range(size, 24 * 1024, 28 * 1024);
    assert_int_equal(text[size - 1], '\n');
    size_t line = 0;
    for (size_t i = 0; i < size; i++) {
        assert_true(text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~'));
        if (text[i] == '\n') {
            assert_true(line <= 80);
            assert_true(i == 0 || text[i - 1] != ' '); /* no space at the end of a line */
            line = 0;
        } else {
            line++;
        }
    }
    assert_null(strstr(text, "\n\n\n"));
    assert_null(strstr(text, "  "));
    assert_ptr_equal(text, story_text());
}

static void test_quotes_are_closed_in_each_paragraph(void **state) {
    (void)state;
    int open = 0;
    for (const char *at = story_text(); *at != '\0'; at++) {
        open ^= *at == '"';
        if (at[0] == '\n' && (at[1] == '\n' || at[1] == '\0')) {
            assert_int_equal(open, 0);
        }
    }
}

enum { PASSAGE = 40 };

static int compare_passages(const void *left, const void *right) {
    return strncmp(*(char *const *)left, *(char *const *)right, PASSAGE);
}

/* No 40 characters stand in it twice: what a model gets right in the held-out part was not read in
 * the other one. */
static void test_no_passage_comes_twice(void **state) {
    (void)state;
    const char *text = story_text();
    size_t count = strlen(text) - PASSAGE;
    const char **passage = check_alloc(count * sizeof *passage);
    for (size_t i = 0; i < count; i++) {
        passage[i] = text + i;
    }
    qsort(passage, count, sizeof *passage, compare_passages);
    for (size_t i = 1; i < count; i++) {
        if (compare_passages(&passage[i - 1], &passage[i]) == 0) {
            print_error("twice: %.*s\n", PASSAGE, passage[i]);
            fail();
        }
    }
    free(passage);
}

/* As a text for a character model: enough of it for windows of 256, and nothing in the held-out
 * part that training does not show. */
static void test_as_characters(void **state) {
    (void)state;
    CharText text;
    Error error;
    assert_true(chars_make(&text, "story", story_text(), CHARS_HELD_OUT_SHARE, 256, &error));
    assert_int_equal(text.length, strlen(story_text()));
    assert_in_range(text.V, 40, 64);
    assert_int_equal(text.unseen, 0);
    double train = chars_unigram_nats(&text, CHARS_TRAIN);
    double held_out = chars_unigram_nats(&text, CHARS_HELD_OUT);
    assert_true(train > 2.9 && train < 3.2); /* English with capitals and marks */
    assert_close(held_out, train, .05, 0);   /* both parts are alike */
    chars_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_text_in_short_lines),
        cmocka_unit_test(test_quotes_are_closed_in_each_paragraph),
        cmocka_unit_test(test_no_passage_comes_twice),
        cmocka_unit_test(test_as_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
