#include "assert_close.h"

#include <stdlib.h>

#include "data/vocab.h"

static Vocab *vocab_of(VocabKind kind, const char *text, int max_size, int min_count) {
    TokenCounts *counts = token_counts_new();
    token_counts_add_text(counts, kind, text);
    Vocab *vocab = vocab_new(kind, counts, max_size, min_count);
    token_counts_free(counts);
    return vocab;
}

static void test_counts(void **state) {
    (void)state;
    TokenCounts *counts = token_counts_new();
    token_counts_add_text(counts, VOCAB_WORDS, "le chat et  le chien");
    token_counts_add(counts, "chat noir", 4, 10); /* the first four bytes */
    assert_int_equal(token_counts_distinct(counts), 4);
    assert_int_equal(token_counts_total(counts), 15);
    assert_int_equal(token_counts_of(counts, "chat"), 11);
    assert_int_equal(token_counts_of(counts, "le"), 2);
    assert_int_equal(token_counts_of(counts, "l"), 0);
    assert_int_equal(token_counts_of(counts, ""), 0);
    token_counts_free(counts);
    token_counts_free(NULL);
}

static void test_many_tokens_survive_growing(void **state) {
    (void)state;
    TokenCounts *counts = token_counts_new();
    char token[16];
    for (int i = 0; i < 5000; i++) {
        int bytes = snprintf(token, sizeof token, "t%d", i);
        token_counts_add(counts, token, (size_t)bytes, 1 + i % 3);
    }
    assert_int_equal(token_counts_distinct(counts), 5000);
    Vocab *vocab = vocab_new(VOCAB_WORDS, counts, 0, 1);
    assert_int_equal(vocab->size, 5004);
    for (int i = 0; i < 5000; i++) {
        snprintf(token, sizeof token, "t%d", i);
        assert_int_equal(token_counts_of(counts, token), 1 + i % 3);
        assert_string_equal(vocab_token(vocab, vocab_id(vocab, token)), token);
    }
    token_counts_free(counts);
    vocab_free(vocab);
}

static void test_special_tokens(void **state) {
    (void)state;
    Vocab *vocab = vocab_of(VOCAB_WORDS, "a", 0, 1);
    assert_int_equal(vocab->size, 5);
    assert_string_equal(vocab_token(vocab, VOCAB_PAD), "<pad>");
    assert_string_equal(vocab_token(vocab, VOCAB_START), "<start>");
    assert_string_equal(vocab_token(vocab, VOCAB_END), "<end>");
    assert_string_equal(vocab_token(vocab, VOCAB_UNK), "<unk>");
    assert_string_equal(vocab_token(vocab, 4), "a");
    vocab_free(vocab);
    vocab_free(NULL);
}

/* Fault 19: a model that cannot tell padding from the start. */
static void test_fault_19_pad_is_not_start(void **state) {
    (void)state;
    assert_int_equal(VOCAB_PAD, 0);
    assert_int_not_equal(VOCAB_PAD, VOCAB_START);
    assert_int_not_equal(VOCAB_PAD, VOCAB_END);
    assert_int_not_equal(VOCAB_START, VOCAB_END);
    assert_int_not_equal(VOCAB_UNK, VOCAB_PAD);
}

static void test_text_cannot_speak_as_a_special_token(void **state) {
    (void)state;
    Vocab *vocab = vocab_of(VOCAB_WORDS, "<pad> x", 0, 1);
    assert_int_equal(vocab_id(vocab, "<pad>"), 4);
    assert_int_equal(vocab_id(vocab, "<end>"), VOCAB_UNK);
    assert_int_equal(vocab_id(vocab, "<start>"), VOCAB_UNK);
    vocab_free(vocab);
}

static void test_frequent_first_ties_by_first_appearance(void **state) {
    (void)state;
    Vocab *vocab = vocab_of(VOCAB_WORDS, "d c b a c d e c", 0, 1);
    const char *const expected[] = {"c", "d", "b", "a", "e"};
    assert_int_equal(vocab->size, VOCAB_SPECIALS + 5);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(vocab_token(vocab, VOCAB_SPECIALS + i), expected[i]);
        assert_int_equal(vocab_id(vocab, expected[i]), VOCAB_SPECIALS + i);
    }
    vocab_free(vocab);
}

static void test_limits(void **state) {
    (void)state;
    Vocab *vocab = vocab_of(VOCAB_WORDS, "a a a b b c", 6, 1); /* four special, two words */
    assert_int_equal(vocab->size, 6);
    assert_int_equal(vocab_id(vocab, "b"), 5);
    assert_int_equal(vocab_id(vocab, "c"), VOCAB_UNK);
    vocab_free(vocab);
    vocab = vocab_of(VOCAB_WORDS, "a a a b b c", 0, 3);
    assert_int_equal(vocab->size, 5);
    assert_int_equal(vocab_id(vocab, "b"), VOCAB_UNK);
    vocab_free(vocab);
    vocab = vocab_of(VOCAB_WORDS, "", 0, 1);
    assert_int_equal(vocab->size, 4);
    assert_int_equal(vocab_id(vocab, "a"), VOCAB_UNK);
    vocab_free(vocab);
    TokenCounts *counts = token_counts_new();
    expect_check_message("max_size 3", vocab_new(VOCAB_WORDS, counts, 3, 1));
    token_counts_free(counts);
}

static void test_words_there_and_back(void **state) {
    (void)state;
    Vocab *vocab = vocab_of(VOCAB_WORDS, "l' élève et sœur", 0, 1);
    int ids[8];
    assert_int_equal(vocab_encode(vocab, "et l' élève chante", ids, 8), 4);
    assert_int_equal(ids[0], 6);
    assert_int_equal(ids[1], 4);
    assert_int_equal(ids[2], 5);
    assert_int_equal(ids[3], VOCAB_UNK);
    char *text = vocab_decode(vocab, ids, 4);
    assert_string_equal(text, "et l' élève <unk>");
    free(text);
    vocab_free(vocab);
}

static void test_encode_says_what_did_not_fit(void **state) {
    (void)state;
    Vocab *vocab = vocab_of(VOCAB_WORDS, "a b c", 0, 1);
    int ids[3] = {-1, -1, -1};
    assert_int_equal(vocab_encode(vocab, "c b a", ids, 2), 3);
    assert_int_equal(ids[0], 6);
    assert_int_equal(ids[1], 5);
    assert_int_equal(ids[2], -1);
    assert_int_equal(vocab_encode(vocab, "", ids, 2), 0);
    vocab_free(vocab);
}

static void test_characters_are_code_points(void **state) {
    (void)state;
    Vocab *vocab = vocab_of(VOCAB_CHARACTERS, "été à 5 €", 0, 1);
    int ids[16];
    assert_int_equal(vocab_count(VOCAB_CHARACTERS, "été à"), 5);
    assert_int_equal(vocab_encode(vocab, "été €à", ids, 16), 6);
    assert_int_equal(ids[0], ids[2]);
    assert_string_equal(vocab_token(vocab, ids[0]), "é");
    assert_string_equal(vocab_token(vocab, ids[4]), "€");
    assert_string_equal(vocab_token(vocab, ids[3]), " ");
    char *text = vocab_decode(vocab, ids, 6);
    assert_string_equal(text, "été €à");
    free(text);
    vocab_free(vocab);
}

static void test_decode_stops_at_the_end(void **state) {
    (void)state;
    Vocab *vocab = vocab_of(VOCAB_WORDS, "a b", 0, 1);
    char *text = vocab_decode(vocab, (int[]){VOCAB_START, 5, VOCAB_PAD, 4, VOCAB_END, 5}, 6);
    assert_string_equal(text, "b a");
    free(text);
    text = vocab_decode(vocab, (int[]){VOCAB_END}, 1);
    assert_string_equal(text, "");
    free(text);
    expect_check_message("id 6 is not in 0..5", vocab_decode(vocab, (int[]){6}, 1));
    expect_check_message("id -1", vocab_token(vocab, -1));
    vocab_free(vocab);
}

static void test_unk_rate(void **state) {
    (void)state;
    const int ids[] = {VOCAB_START, 7, VOCAB_UNK, 8, 9, VOCAB_END, VOCAB_PAD, VOCAB_PAD};
    assert_close(vocab_unk_rate(ids, 8), 0.25, 0, 0);
    assert_close(vocab_unk_rate(ids, 1), 0, 0, 0);
    assert_close(vocab_unk_rate(ids, 0), 0, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_many_tokens_survive_growing),
        cmocka_unit_test(test_special_tokens),
        cmocka_unit_test(test_fault_19_pad_is_not_start),
        cmocka_unit_test(test_text_cannot_speak_as_a_special_token),
        cmocka_unit_test(test_frequent_first_ties_by_first_appearance),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_words_there_and_back),
        cmocka_unit_test(test_encode_says_what_did_not_fit),
        cmocka_unit_test(test_characters_are_code_points),
        cmocka_unit_test(test_decode_stops_at_the_end),
        cmocka_unit_test(test_unk_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
