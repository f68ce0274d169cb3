#include "assert_close.h"

#include "data/corpus.h"

static void test_pairs_come_back(void **state) {
    (void)state;
    Corpus *corpus = corpus_new();
    corpus_add(corpus, (Ids){(int[]){4, 5, 6}, 3}, (Ids){(int[]){7}, 1});
    corpus_add(corpus, (Ids){NULL, 0}, (Ids){(int[]){8, 9}, 2});
    assert_int_equal(corpus->count, 2);
    assert_int_equal(corpus->longest_source, 3);
    assert_int_equal(corpus->longest_target, 2);
    assert_true(ids_equal(corpus_source(corpus, 0), (Ids){(int[]){4, 5, 6}, 3}));
    assert_true(ids_equal(corpus_target(corpus, 0), (Ids){(int[]){7}, 1}));
    assert_int_equal(corpus_source(corpus, 1).length, 0);
    assert_true(ids_equal(corpus_target(corpus, 1), (Ids){(int[]){8, 9}, 2}));
    corpus_free(corpus);
    corpus_free(NULL);
}

static void test_growing_keeps_everything(void **state) {
    (void)state;
    Corpus *corpus = corpus_new();
    for (int i = 0; i < 3000; i++) {
        int ids[7] = {i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6};
        corpus_add(corpus, (Ids){ids, i % 8}, (Ids){ids, (i + 3) % 8});
    }
    for (int i = 0; i < 3000; i++) {
        Ids source = corpus_source(corpus, i);
        Ids target = corpus_target(corpus, i);
        assert_int_equal(source.length, i % 8);
        assert_int_equal(target.length, (i + 3) % 8);
        for (int t = 0; t < source.length; t++) {
            assert_int_equal(source.id[t], i + t);
        }
    }
    corpus_free(corpus);
}

static void test_index_is_checked(void **state) {
    (void)state;
    Corpus *corpus = corpus_new();
    corpus_add(corpus, (Ids){(int[]){4}, 1}, (Ids){(int[]){5}, 1});
    expect_check_message("pair 1 of 1", corpus_source(corpus, 1));
    expect_check_message("pair -1 of 1", corpus_target(corpus, -1));
    corpus_free(corpus);
}

static void test_ids_equal(void **state) {
    (void)state;
    Ids ab = {(int[]){1, 2}, 2};
    assert_true(ids_equal(ab, (Ids){(int[]){1, 2, 3}, 2}));
    assert_false(ids_equal(ab, (Ids){(int[]){1, 3}, 2}));
    assert_false(ids_equal(ab, (Ids){(int[]){1, 2, 3}, 3}));
    assert_true(ids_equal((Ids){NULL, 0}, (Ids){NULL, 0}));
}

static void test_column_of_time_major_steps(void **state) {
    (void)state;
    /* three steps of two sequences */
    const int steps[] = {5, 6, VOCAB_END, 7, VOCAB_PAD, 8};
    int room[3];
    assert_true(ids_equal(ids_column(steps, 2, 0, 3, room), (Ids){(int[]){5}, 1}));
    assert_true(ids_equal(ids_column(steps, 2, 1, 3, room), (Ids){(int[]){6, 7, 8}, 3}));
    assert_true(ids_equal(ids_column(steps, 2, 1, 2, room), (Ids){(int[]){6, 7}, 2}));
}

static void test_reversal(void **state) {
    (void)state;
    Rng rng = rng_seeded(3, 0);
    Corpus *corpus = reversal_corpus(2000, 20, 3, 20, &rng);
    int seen_length[21] = {0};
    int seen_symbol[VOCAB_SPECIALS + 20] = {0};
    for (int i = 0; i < corpus->count; i++) {
        Ids source = corpus_source(corpus, i);
        Ids target = corpus_target(corpus, i);
        assert_true(source.length >= 3 && source.length <= 20);
        assert_int_equal(source.length, target.length);
        seen_length[source.length]++;
        for (int t = 0; t < source.length; t++) {
            assert_true(source.id[t] >= VOCAB_SPECIALS && source.id[t] < VOCAB_SPECIALS + 20);
            assert_int_equal(source.id[t], target.id[source.length - 1 - t]);
            seen_symbol[source.id[t]]++;
        }
    }
    for (int length = 3; length <= 20; length++) {
        assert_true(seen_length[length] > 60); /* 111 expected */
    }
    for (int k = 0; k < 20; k++) {
        assert_true(seen_symbol[VOCAB_SPECIALS + k] > 800); /* 1150 expected */
    }
    corpus_free(corpus);
}

static void test_reversal_by_length(void **state) {
    (void)state;
    const int lengths[] = {3, 0, 7};
    Rng rng = rng_seeded(3, 0);
    Corpus *corpus = reversal_corpus_by_length(4, 20, lengths, 3, &rng);
    assert_int_equal(corpus->count, 12);
    for (int i = 0; i < 12; i++) {
        Ids source = corpus_source(corpus, i);
        Ids target = corpus_target(corpus, i);
        assert_int_equal(source.length, lengths[i % 3]);
        assert_int_equal(target.length, lengths[i % 3]);
        for (int t = 0; t < source.length; t++) {
            assert_int_equal(source.id[t], target.id[source.length - 1 - t]);
        }
    }
    corpus_free(corpus);
}

static void test_reversal_is_fixed_by_the_seed(void **state) {
    (void)state;
    Rng first = rng_seeded(7, 1);
    Rng second = rng_seeded(7, 1);
    Corpus *a = reversal_corpus(50, 5, 1, 9, &first);
    Corpus *b = reversal_corpus(50, 5, 1, 9, &second);
    for (int i = 0; i < 50; i++) {
        assert_true(ids_equal(corpus_source(a, i), corpus_source(b, i)));
    }
    corpus_free(a);
    corpus_free(b);
}

static void test_reversal_names(void **state) {
    (void)state;
    Vocab *vocab = reversal_vocab(20);
    assert_int_equal(vocab->size, VOCAB_SPECIALS + 20);
    assert_string_equal(vocab_token(vocab, VOCAB_SPECIALS), "a");
    assert_string_equal(vocab_token(vocab, VOCAB_SPECIALS + 19), "t");
    vocab_free(vocab);
    expect_check_message("27 symbols", reversal_vocab(27));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_come_back),
        cmocka_unit_test(test_growing_keeps_everything),
        cmocka_unit_test(test_index_is_checked),
        cmocka_unit_test(test_ids_equal),
        cmocka_unit_test(test_column_of_time_major_steps),
        cmocka_unit_test(test_reversal),
        cmocka_unit_test(test_reversal_by_length),
        cmocka_unit_test(test_reversal_is_fixed_by_the_seed),
        cmocka_unit_test(test_reversal_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
