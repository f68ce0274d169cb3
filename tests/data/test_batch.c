#include "assert_close.h"

#include <stdlib.h>

#include "data/batch.h"

/* "le chat dort" and friends: ids 4.. in sources, 14.. in targets. */
static Corpus *three_pairs(void) {
    Corpus *corpus = corpus_new();
    corpus_add(corpus, (Ids){(int[]){4, 5, 6}, 3}, (Ids){(int[]){14, 15}, 2});
    corpus_add(corpus, (Ids){(int[]){7}, 1}, (Ids){(int[]){16, 17, 18}, 3});
    corpus_add(corpus, (Ids){(int[]){8, 9}, 2}, (Ids){(int[]){19}, 1});
    return corpus;
}

static void assert_ids(const int *actual, int n, const int *expected) {
    for (int i = 0; i < n; i++) {
        if (actual[i] != expected[i]) {
            print_error("id %d is %d, expected %d\n", i, actual[i], expected[i]);
            fail();
        }
    }
}

static void test_time_comes_first(void **state) {
    (void)state;
    Corpus *corpus = three_pairs();
    Batcher *batcher = batcher_new(corpus, (BatchOptions){.B = 3}, rng_seeded(1, 0));
    const Batch *batch = batcher_range(batcher, 0, 3);
    assert_int_equal(batch->B, 3);
    assert_int_equal(batch->S, 3);
    assert_int_equal(batch->T, 4);
    assert_ids(batch->source, 9, (const int[]){4, 7, 8, 5, VOCAB_PAD, 9, 6, VOCAB_PAD, VOCAB_PAD});
    assert_ids(batch->source_length, 3, (const int[]){3, 1, 2});
    assert_ids(batch->target_length, 3, (const int[]){3, 4, 2});
    assert_ids(batch->pair, 3, (const int[]){0, 1, 2});
    assert_int_equal(batch->tokens, 9);
    assert_close(batch_padding(batch), 0.25, 1e-12, 0);
    batcher_free(batcher);
    corpus_free(corpus);
}

/* (3, 2) and (2, 3): B and T differ, so that one cannot pass for the other. */
static void test_sequence_by_sequence(void **state) {
    (void)state;
    const int time_major[] = {1, 4, 2, 5, 3, 6};
    int rows[6];
    batch_rows(time_major, 3, 2, rows);
    assert_ids(rows, 6, (const int[]){1, 2, 3, 4, 5, 6});
    batch_rows(time_major, 2, 3, rows);
    assert_ids(rows, 6, (const int[]){1, 5, 4, 3, 2, 6});
    Corpus *corpus = three_pairs();
    Batcher *batcher = batcher_new(corpus, (BatchOptions){.B = 3}, rng_seeded(1, 0));
    const Batch *batch = batcher_range(batcher, 0, 3);
    int source[9];
    batch_rows(batch->source, batch->S, batch->B, source);
    assert_ids(source, 9, (const int[]){4, 5, 6, 7, VOCAB_PAD, VOCAB_PAD, 8, 9, VOCAB_PAD});
    batcher_free(batcher);
    corpus_free(corpus);
}

static void test_source_end(void **state) {
    (void)state;
    Corpus *corpus = three_pairs();
    Batcher *batcher =
        batcher_new(corpus, (BatchOptions){.B = 2, .source_end = true}, rng_seeded(1, 0));
    const Batch *batch = batcher_range(batcher, 1, 3);
    assert_int_equal(batch->S, 3);
    assert_ids(batch->source, 6, (const int[]){7, 8, VOCAB_END, 9, VOCAB_PAD, VOCAB_END});
    assert_ids(batch->source_length, 2, (const int[]){2, 3});
    batcher_free(batcher);
    corpus_free(corpus);
}

/* Fault 20: what goes in at a step is what had to come out at the step before, never the answer. */
static void test_fault_20_target_is_shifted_by_one(void **state) {
    (void)state;
    Corpus *corpus = three_pairs();
    Batcher *batcher = batcher_new(corpus, (BatchOptions){.B = 3}, rng_seeded(1, 0));
    const Batch *batch = batcher_range(batcher, 0, 3);
    assert_ids(batch->target_input, 12,
               (const int[]){VOCAB_START, VOCAB_START, VOCAB_START, 14, 16, 19, 15, 17, VOCAB_PAD,
                             VOCAB_PAD, 18, VOCAB_PAD});
    assert_ids(batch->target_output, 12,
               (const int[]){14, 16, 19, 15, 17, VOCAB_END, VOCAB_END, 18, VOCAB_PAD, VOCAB_PAD,
                             VOCAB_END, VOCAB_PAD});
    for (int b = 0; b < 3; b++) {
        for (int t = 1; t < batch->target_length[b]; t++) {
            assert_int_equal(batch->target_input[t * 3 + b], batch->target_output[(t - 1) * 3 + b]);
        }
    }
    batcher_free(batcher);
    corpus_free(corpus);
}

static void test_fault_20_side_by_side(void **state) {
    (void)state;
    TokenCounts *counts = token_counts_new();
    token_counts_add_text(counts, VOCAB_WORDS, "l' élève dort");
    Vocab *vocab = vocab_new(VOCAB_WORDS, counts, 0, 1);
    Corpus *corpus = corpus_new();
    corpus_add(corpus, (Ids){(int[]){4}, 1}, (Ids){(int[]){4, 5, 6}, 3});
    corpus_add(corpus, (Ids){(int[]){4}, 1}, (Ids){(int[]){6}, 1});
    Batcher *batcher = batcher_new(corpus, (BatchOptions){.B = 2}, rng_seeded(1, 0));
    const Batch *batch = batcher_range(batcher, 0, 2);
    char *text = batch_side_by_side(batch, 0, vocab);
    assert_string_equal(text, "step  input    output\n"
                              "   0  <start>  l'\n"
                              "   1  l'       élève\n"
                              "   2  élève    dort\n"
                              "   3  dort     <end>\n");
    free(text);
    text = batch_side_by_side(batch, 1, vocab);
    assert_string_equal(text, "step  input    output\n"
                              "   0  <start>  dort\n"
                              "   1  dort     <end>\n"
                              "   2  <pad>    <pad>\n"
                              "   3  <pad>    <pad>\n");
    free(text);
    expect_check_message("sequence 2 of 2", batch_side_by_side(batch, 2, vocab));
    batcher_free(batcher);
    corpus_free(corpus);
    token_counts_free(counts);
    vocab_free(vocab);
}

/* Fault 3 and 19 begin here: a sequence is the same alone and padded, and its length is known. */
static void test_fault_3_lengths_are_kept(void **state) {
    (void)state;
    Corpus *corpus = three_pairs();
    Batcher *batcher = batcher_new(corpus, (BatchOptions){.B = 3}, rng_seeded(1, 0));
    for (int i = 0; i < 3; i++) {
        const Batch *alone = batcher_range(batcher, i, i + 1);
        assert_int_equal(alone->S, alone->source_length[0]);
        assert_int_equal(alone->T, alone->target_length[0]);
        assert_ids(alone->source, alone->S, corpus_source(corpus, i).id);
        assert_close(batch_padding(alone), 0, 0, 0);
    }
    const Batch *together = batcher_range(batcher, 0, 3);
    for (int b = 0; b < 3; b++) {
        for (int s = 0; s < together->S; s++) {
            int id = together->source[s * 3 + b];
            assert_int_equal(id == VOCAB_PAD, s >= together->source_length[b]);
        }
    }
    batcher_free(batcher);
    corpus_free(corpus);
}

static void test_every_pair_once_in_each_epoch(void **state) {
    (void)state;
    Rng rng = rng_seeded(2, 0);
    Corpus *corpus = reversal_corpus(103, 5, 1, 20, &rng);
    for (int pool = 0; pool <= 4; pool += 2) {
        Batcher *batcher =
            batcher_new(corpus, (BatchOptions){.B = 10, .pool = pool}, rng_seeded(3, 0));
        for (int epoch = 1; epoch <= 3; epoch++) {
            int seen[103] = {0};
            int small = 0;
            for (int i = 0; i < 11; i++) {
                const Batch *batch = batcher_next(batcher);
                assert_int_equal(batcher->epoch, epoch);
                small += batch->B == 3;
                assert_true(batch->B == 3 || batch->B == 10);
                for (int b = 0; b < batch->B; b++) {
                    seen[batch->pair[b]]++;
                }
            }
            assert_int_equal(small, 1);
            for (int i = 0; i < 103; i++) {
                assert_int_equal(seen[i], 1);
            }
        }
        batcher_free(batcher);
    }
    corpus_free(corpus);
}

static void test_every_epoch_has_its_own_order(void **state) {
    (void)state;
    Rng rng = rng_seeded(9, 0);
    Corpus *corpus = reversal_corpus(64, 5, 3, 3, &rng);
    Batcher *batcher = batcher_new(corpus, (BatchOptions){.B = 64}, rng_seeded(1, 0));
    int before[64] = {0};
    for (int epoch = 0; epoch < 3; epoch++) {
        const Batch *batch = batcher_next(batcher);
        int same = 0;
        for (int b = 0; b < 64; b++) {
            same += batch->pair[b] == before[b];
            before[b] = batch->pair[b];
        }
        assert_true(same < 10);
    }
    batcher_free(batcher);
    corpus_free(corpus);
}

/* The pair numbers of 40 batches as one text. */
static void trace(const Corpus *corpus, uint64_t seed, char *text, size_t room) {
    Batcher *batcher = batcher_new(corpus, (BatchOptions){.B = 8, .pool = 4}, rng_seeded(seed, 0));
    size_t used = 0;
    for (int i = 0; i < 40; i++) {
        const Batch *batch = batcher_next(batcher);
        for (int b = 0; b < batch->B; b++) {
            used += (size_t)snprintf(text + used, room - used, "%d ", batch->pair[b]);
        }
    }
    batcher_free(batcher);
}

static void test_the_seed_fixes_the_batches(void **state) {
    (void)state;
    Rng rng = rng_seeded(4, 0);
    Corpus *corpus = reversal_corpus(100, 5, 1, 20, &rng);
    char first[4096], second[4096], other[4096];
    trace(corpus, 1, first, sizeof first);
    trace(corpus, 1, second, sizeof second);
    trace(corpus, 2, other, sizeof other);
    assert_string_equal(first, second);
    assert_string_not_equal(first, other);
    corpus_free(corpus);
}

static double mean_padding(const Corpus *corpus, int pool) {
    Batcher *batcher = batcher_new(corpus, (BatchOptions){.B = 16, .pool = pool}, rng_seeded(5, 0));
    double sum = 0;
    for (int i = 0; i < 64; i++) {
        const Batch *batch = batcher_next(batcher);
        int longest = 0;
        for (int b = 0; b < batch->B; b++) {
            longest = batch->source_length[b] > longest ? batch->source_length[b] : longest;
        }
        assert_int_equal(longest, batch->S); /* no step that is padding for all */
        sum += batch_padding(batch);
    }
    batcher_free(batcher);
    return sum / 64;
}

static void test_buckets_save_padding(void **state) {
    (void)state;
    Rng rng = rng_seeded(6, 0);
    Corpus *corpus = reversal_corpus(1024, 5, 3, 20, &rng);
    double plain = mean_padding(corpus, 1);
    double bucketed = mean_padding(corpus, 16);
    assert_true(plain > 0.25);
    assert_true(bucketed < 0.08);
    corpus_free(corpus);
}

static void test_ranges_cover_the_corpus(void **state) {
    (void)state;
    Corpus *corpus = three_pairs();
    Batcher *batcher = batcher_new(corpus, (BatchOptions){.B = 2}, rng_seeded(1, 0));
    batcher_next(batcher);
    int next = batcher->next;
    int pairs = 0;
    for (int i = 0; i < corpus->count; i += 2) {
        const Batch *batch = batcher_range(batcher, i, i + 2);
        for (int b = 0; b < batch->B; b++) {
            assert_int_equal(batch->pair[b], pairs++);
        }
    }
    assert_int_equal(pairs, 3);
    assert_int_equal(batcher->next, next); /* the epoch goes on where it was */
    const Batch *batch = batcher_pick(batcher, (const int[]){2, 0}, 2);
    assert_int_equal(batch->pair[0], 2);
    assert_int_equal(batch->source[1], 4);
    expect_check_message("at most 2", batcher_range(batcher, 0, 3));
    expect_check_message("pairs 3..3 of 3", batcher_range(batcher, 3, 5));
    expect_check_message("3 pairs", batcher_pick(batcher, (const int[]){0, 1, 2}, 3));
    batcher_free(batcher);
    batcher_free(NULL);
    corpus_free(corpus);
}

static void test_a_batch_larger_than_the_corpus(void **state) {
    (void)state;
    Corpus *corpus = three_pairs();
    Batcher *batcher = batcher_new(corpus, (BatchOptions){.B = 8, .pool = 4}, rng_seeded(1, 0));
    assert_int_equal(batcher_next(batcher)->B, 3);
    assert_int_equal(batcher_next(batcher)->B, 3);
    assert_int_equal(batcher->epoch, 2);
    batcher_free(batcher);
    corpus_free(corpus);
}

static void test_nothing_is_allocated_on_the_way(void **state) {
    (void)state;
    Corpus *corpus = three_pairs();
    Batcher *batcher = batcher_new(corpus, (BatchOptions){.B = 2, .pool = 2}, rng_seeded(1, 0));
    const int *source = batcher_next(batcher)->source;
    for (int i = 0; i < 20; i++) {
        assert_ptr_equal(batcher_next(batcher)->source, source);
    }
    batcher_free(batcher);
    corpus_free(corpus);
}

static void test_empty_corpus_is_refused(void **state) {
    (void)state;
    Corpus *corpus = corpus_new();
    expect_check_message("corpus is empty",
                         batcher_new(corpus, (BatchOptions){.B = 2}, rng_seeded(1, 0)));
    corpus_free(corpus);
    corpus = three_pairs();
    expect_check_message("batches of 0",
                         batcher_new(corpus, (BatchOptions){.B = 0}, rng_seeded(1, 0)));
    corpus_free(corpus);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_comes_first),
        cmocka_unit_test(test_sequence_by_sequence),
        cmocka_unit_test(test_source_end),
        cmocka_unit_test(test_fault_20_target_is_shifted_by_one),
        cmocka_unit_test(test_fault_20_side_by_side),
        cmocka_unit_test(test_fault_3_lengths_are_kept),
        cmocka_unit_test(test_every_pair_once_in_each_epoch),
        cmocka_unit_test(test_every_epoch_has_its_own_order),
        cmocka_unit_test(test_the_seed_fixes_the_batches),
        cmocka_unit_test(test_buckets_save_padding),
        cmocka_unit_test(test_ranges_cover_the_corpus),
        cmocka_unit_test(test_a_batch_larger_than_the_corpus),
        cmocka_unit_test(test_nothing_is_allocated_on_the_way),
        cmocka_unit_test(test_empty_corpus_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
