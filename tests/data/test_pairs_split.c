#include "assert_close.h"

#include <stdlib.h>

#include "data/pairs.h"
#include "support/scratch.h"

static bool load(const char *text, PairsOptions options, PairData *data, Error *error) {
    char *path = path_join(scratch_folder(), "pairs.tsv");
    assert_true(file_write(path, text, strlen(text), error));
    bool fine = pairs_load(path, &options, data, NULL, error);
    free(path);
    return fine;
}

/* 200 sources "w0 x", "w1 x", ...; every fifth has a second target. */
static char *many_pairs(void) {
    char *text = calloc(1, 200 * 64);
    char *at = text;
    for (int i = 0; i < 200; i++) {
        at += sprintf(at, "W%d x.\tm%d\n", i, i);
        if (i % 5 == 0) {
            at += sprintf(at, "W%d x.\tn%d\n", i, i);
        }
    }
    return text;
}

/* Splits sentences given as one list of sources; returns a string of T and H, one for each. */
static char *split_of(char **sources, int count, double share, uint64_t seed) {
    Pair *pair = calloc((size_t)count, sizeof *pair);
    bool *held_out = calloc((size_t)count, sizeof *held_out);
    char *sides = calloc((size_t)count + 1, 1);
    Error error;
    for (int i = 0; i < count; i++) {
        pair[i] = (Pair){sources[i], "t", i + 1};
    }
    assert_true(pairs_split(&(PairList){count, pair}, share, seed, held_out, &error));
    for (int i = 0; i < count; i++) {
        sides[i] = held_out[i] ? 'H' : 'T';
    }
    free(pair);
    free(held_out);
    return sides;
}

static int count_of(const char *text, char letter) {
    int count = 0;
    for (; *text != '\0'; text++) {
        count += *text == letter;
    }
    return count;
}

static void test_a_sentence_is_on_one_side_only(void **state) {
    (void)state;
    char *sources[] = {"go .", "go !", "run .", "go", "run ?", "go ...", "stop", "\" stop \""};
    for (uint64_t seed = 0; seed < 20; seed++) {
        char *sides = split_of(sources, 8, 0.34, seed);
        assert_true(sides[0] == sides[1] && sides[1] == sides[3] && sides[3] == sides[5]);
        assert_true(sides[2] == sides[4]);
        assert_true(sides[6] == sides[7]);
        assert_true(strchr(sides, 'T') != NULL && strchr(sides, 'H') != NULL);
        free(sides);
    }
}

static void test_punctuation_alone_is_a_sentence(void **state) {
    (void)state;
    char *sources[] = {"? !", "...", "? !"};
    char *sides = split_of(sources, 3, 0.5, 1);
    assert_true(sides[0] == sides[2]);
    assert_true(sides[0] != sides[1]);
    free(sides);
}

static void test_share_is_kept(void **state) {
    (void)state;
    char words[100][16];
    char *sources[100];
    for (int i = 0; i < 100; i++) {
        snprintf(words[i], sizeof words[i], "w%d", i);
        sources[i] = words[i];
    }
    char *sides = split_of(sources, 100, 0.25, 1);
    assert_int_equal(count_of(sides, 'H'), 25);
    char *other = split_of(sources, 100, 0.25, 2);
    assert_string_not_equal(sides, other); /* the seed matters */
    free(other);
    free(sides);
    sides = split_of(sources, 2, 0.01, 1); /* never an empty side */
    assert_int_equal(count_of(sides, 'H'), 1);
    free(sides);
    sides = split_of(sources, 2, 0.99, 1);
    assert_int_equal(count_of(sides, 'T'), 1);
    free(sides);
}

static void test_order_of_lines_does_not_matter(void **state) {
    (void)state;
    char *forward[] = {"a", "b", "c", "d", "e", "f"};
    char *backward[] = {"f", "e", "d", "c", "b", "a"};
    char *first = split_of(forward, 6, 0.5, 3);
    char *second = split_of(backward, 6, 0.5, 3);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(first[i], second[5 - i]);
    }
    free(first);
    free(second);
}

static void test_one_sentence_cannot_be_split(void **state) {
    (void)state;
    Pair pairs[] = {{"go .", "va", 1}, {"go !", "marche", 2}};
    bool held_out[2];
    Error error;
    assert_false(pairs_split(&(PairList){2, pairs}, 0.1, 1, held_out, &error));
    assert_non_null(strstr(error.text, "1 different source sentence"));
    PairData data;
    assert_false(load("Go.\tva\nGo!\tmarche\n", pairs_defaults(), &data, &error));
    assert_non_null(strstr(error.text, "pairs.tsv"));
    assert_non_null(strstr(error.text, "need two"));
    assert_null(data.train);
    expect_check_message("share 1 ", pairs_split(&(PairList){2, pairs}, 1, 1, held_out, &error));
}

static void test_load_leaks_no_source_sentence(void **state) {
    (void)state;
    Error error;
    PairData data;
    char *text = many_pairs();
    PairsOptions options = {.held_out = 0.2, .min_count = 1, .seed = 1};
    assert_true(load(text, options, &data, &error));
    free(text);
    assert_int_equal(data.train->count + data.held_out->count, 240);
    assert_int_equal(data.held_out_sources, 40);
    /* The vocabulary is that of the training part: held-out sources have an unknown word each. */
    assert_int_equal(data.source_vocab->size, VOCAB_SPECIALS + 160 + 2);
    for (int i = 0; i < data.held_out->count; i++) {
        assert_int_equal(corpus_source(data.held_out, i).id[0], VOCAB_UNK);
        assert_int_equal(corpus_target(data.held_out, i).id[0], VOCAB_UNK);
    }
    assert_close(data.source_unk, 1.0 / 3, 1e-12, 0);
    assert_close(data.target_unk, 1.0, 0, 0);
    for (int i = 0; i < data.train->count; i++) {
        assert_true(corpus_source(data.train, i).id[0] >= VOCAB_SPECIALS);
    }
    pairs_data_free(&data);
    assert_null(data.train);
}

static void test_references_stand_together(void **state) {
    (void)state;
    Error error;
    PairData data;
    PairsOptions options = {.held_out = 0.5, .min_count = 1, .seed = 4};
    /* One of the two is held out whole, and its targets keep the order of the file. */
    assert_true(load("a.\tp q\nb.\tp\na.\tq\nb.\tq p\na.\tp\nb.\tq\n", options, &data, &error));
    assert_int_equal(data.held_out_sources, 1);
    assert_int_equal(data.reference[0], 0);
    assert_int_equal(data.reference[1], 3);
    assert_int_equal(data.train->count, 3);
    int lengths = 0;
    for (int i = 0; i < 3; i++) {
        lengths = 10 * lengths + corpus_target(data.held_out, i).length;
    }
    assert_true(lengths == 211 || lengths == 121); /* a or b */
    pairs_data_free(&data);
}

static void test_every_reference_has_the_same_source(void **state) {
    (void)state;
    Error error;
    PairData data;
    char *text = many_pairs();
    PairsOptions options = {.held_out = 0.3, .min_count = 1, .seed = 2};
    assert_true(load(text, options, &data, &error));
    free(text);
    assert_int_equal(data.held_out_sources, 60);
    assert_int_equal(data.reference[0], 0);
    assert_int_equal(data.reference[60], data.held_out->count);
    for (int k = 0; k < 60; k++) {
        int size = data.reference[k + 1] - data.reference[k];
        assert_true(size == 1 || size == 2);
    }
    pairs_data_free(&data);
}

static void test_vocabulary_limits(void **state) {
    (void)state;
    Error error;
    PairData data;
    char *text = many_pairs();
    PairsOptions options = {.held_out = 0.2, .min_count = 2, .seed = 1};
    assert_true(load(text, options, &data, &error));
    assert_int_equal(data.target_vocab->size, VOCAB_SPECIALS); /* every target word is single */
    pairs_data_free(&data);
    options = (PairsOptions){.held_out = 0.2, .min_count = 1, .max_vocab = 10, .seed = 1};
    assert_true(load(text, options, &data, &error));
    assert_int_equal(data.source_vocab->size, 10);
    assert_int_equal(data.target_vocab->size, 10);
    pairs_data_free(&data);
    free(text);
}

static void test_the_same_file_gives_the_same_numbers(void **state) {
    (void)state;
    Error error;
    PairData a, b;
    char *text = many_pairs();
    assert_true(load(text, pairs_defaults(), &a, &error));
    assert_true(load(text, pairs_defaults(), &b, &error));
    free(text);
    assert_int_equal(a.train->count, b.train->count);
    for (int i = 0; i < a.train->count; i++) {
        assert_true(ids_equal(corpus_source(a.train, i), corpus_source(b.train, i)));
        assert_true(ids_equal(corpus_target(a.train, i), corpus_target(b.train, i)));
    }
    for (int i = 0; i < a.held_out->count; i++) {
        assert_true(ids_equal(corpus_source(a.held_out, i), corpus_source(b.held_out, i)));
    }
    pairs_data_free(&a);
    pairs_data_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sentence_is_on_one_side_only),
        cmocka_unit_test(test_punctuation_alone_is_a_sentence),
        cmocka_unit_test(test_share_is_kept),
        cmocka_unit_test(test_order_of_lines_does_not_matter),
        SCRATCH_TEST(test_one_sentence_cannot_be_split),
        SCRATCH_TEST(test_load_leaks_no_source_sentence),
        SCRATCH_TEST(test_references_stand_together),
        SCRATCH_TEST(test_every_reference_has_the_same_source),
        SCRATCH_TEST(test_vocabulary_limits),
        SCRATCH_TEST(test_the_same_file_gives_the_same_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
