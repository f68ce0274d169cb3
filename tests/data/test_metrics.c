#include "assert_close.h"

#include "data/metrics.h"
#include "data/phrases.h"

#define IDS(...) ((Ids){(const int[]){__VA_ARGS__}, sizeof((int[]){__VA_ARGS__}) / sizeof(int)})
#define NO_IDS ((Ids){NULL, 0})

static void test_shares(void **state) {
    (void)state;
    Tally tally = {0};
    assert_close(tally_share(tally), 0, 0, 0);
    tally_add(&tally, true);
    tally_add(&tally, false);
    tally_add(&tally, false);
    tally_add(&tally, true);
    assert_close(tally_share(tally), 0.5, 0, 0);
}

static void test_exact_match(void **state) {
    (void)state;
    Tally tally = {0};
    Ids references[] = {IDS(5, 6), IDS(5, 6, 7)};
    exact_match_add(&tally, IDS(5, 6, 7), references, 2);
    exact_match_add(&tally, IDS(5, 6, 7), references, 1);
    exact_match_add(&tally, IDS(6, 5), references, 2);
    exact_match_add(&tally, NO_IDS, references, 2);
    assert_int_equal(tally.right, 1);
    assert_int_equal(tally.total, 4);
}

static void test_unknown_words_are_never_right(void **state) {
    (void)state;
    Tally tally = {0};
    Ids reference = IDS(5, VOCAB_UNK);
    exact_match_add(&tally, IDS(5, VOCAB_UNK), &reference, 1);
    assert_int_equal(tally.right, 0);
    Bleu bleu = {0};
    bleu_add(&bleu, IDS(5, VOCAB_UNK, 6), IDS(5, VOCAB_UNK, 6));
    assert_int_equal(bleu.matched[0], 2);
    assert_int_equal(bleu.proposed[0], 3);
    assert_int_equal(bleu.matched[1], 0);
}

static void test_token_accuracy_ignores_padding(void **state) {
    (void)state;
    Tally tally = {0};
    const int predicted[] = {5, 6, VOCAB_END, VOCAB_PAD, 7, 7, VOCAB_PAD, VOCAB_PAD};
    const int target[] = {5, 9, VOCAB_END, VOCAB_PAD, 7, VOCAB_PAD, VOCAB_PAD, VOCAB_END};
    token_accuracy_add(&tally, predicted, target, 8);
    assert_int_equal(tally.total, 5);
    assert_int_equal(tally.right, 3);
    tally = (Tally){0};
    token_accuracy_add(&tally, predicted, (const int[]){VOCAB_PAD, VOCAB_PAD}, 2);
    assert_close(tally_share(tally), 0, 0, 0); /* all padding: 0, not NaN */
}

/* ---- BLEU ---- */

static double bleu_of(Ids candidate, Ids reference) {
    Bleu bleu = {0};
    bleu_add(&bleu, candidate, reference);
    return bleu_score(&bleu);
}

static void test_fault_23_brevity_penalty(void **state) {
    (void)state;
    Bleu bleu = {0};
    bleu_add(&bleu, IDS(4, 5, 6, 7, 8), IDS(4, 5, 6, 7, 8, 9, 10));
    for (int n = 1; n <= BLEU_ORDER; n++) {
        assert_close(bleu_precision(&bleu, n), 1, 0, 0);
    }
    assert_close(bleu_brevity_penalty(&bleu), 0.670320046, 1e-9, 0); /* exp(1 - 7/5) */
    assert_close(bleu_score(&bleu), 0.670320046, 1e-9, 0);
}

static void test_fault_23_empty_one_token_identical(void **state) {
    (void)state;
    assert_close(bleu_of(NO_IDS, IDS(4, 5)), 0, 0, 0);
    assert_close(bleu_of(NO_IDS, NO_IDS), 0, 0, 0);
    assert_close(bleu_of(IDS(4, 5), NO_IDS), 0, 0, 0);
    assert_close(bleu_of(IDS(4), IDS(4)), 1, 0, 0);
    assert_close(bleu_of(IDS(4), IDS(5)), 0, 0, 0);
    assert_close(bleu_of(IDS(4, 5), IDS(4, 5)), 1, 0, 0);
    assert_close(bleu_of(IDS(4, 5, 6, 7, 8), IDS(4, 5, 6, 7, 8)), 1, 1e-12, 0);
    Bleu nothing = {0};
    assert_close(bleu_score(&nothing), 0, 0, 0);
    assert_close(bleu_brevity_penalty(&nothing), 0, 0, 0);
    assert_close(bleu_precision(&nothing, 4), 0, 0, 0);
    expect_check_message("order 5", bleu_precision(&nothing, 5));
}

/* "the the the the the the the" against "the cat is on the mat" and "there is a cat on the mat",
 * from the paper: 2/7. */
static void test_clipping(void **state) {
    (void)state;
    enum { THE = 4, CAT, IS, ON, MAT, THERE, A };
    Bleu bleu = {0};
    Ids references[] = {IDS(THE, CAT, IS, ON, THE, MAT), IDS(THERE, IS, A, CAT, ON, THE, MAT)};
    bleu_add_references(&bleu, IDS(THE, THE, THE, THE, THE, THE, THE), references, 2);
    assert_int_equal(bleu.matched[0], 2);
    assert_int_equal(bleu.proposed[0], 7);
    assert_int_equal(bleu.matched[1], 0);
    assert_int_equal(bleu.proposed[1], 6);
    assert_close(bleu_score(&bleu), 0, 0, 0); /* no smoothing */
}

/* Clipping is by the one reference that has most, not by all of them together. */
static void test_clipping_does_not_add_references(void **state) {
    (void)state;
    Bleu bleu = {0};
    Ids references[] = {IDS(4, 5), IDS(4, 6)};
    bleu_add_references(&bleu, IDS(4, 4), references, 2);
    assert_int_equal(bleu.matched[0], 1);
}

/* Candidate 4 5 6 7 9 8 against 4 5 6 7 8: words 5/6, pairs 3/5, triples 2/4, fours 1/3. */
static void test_score_by_hand(void **state) {
    (void)state;
    Bleu bleu = {0};
    bleu_add(&bleu, IDS(4, 5, 6, 7, 9, 8), IDS(4, 5, 6, 7, 8));
    const long matched[] = {5, 3, 2, 1};
    const long proposed[] = {6, 5, 4, 3};
    for (int n = 0; n < BLEU_ORDER; n++) {
        assert_int_equal(bleu.matched[n], matched[n]);
        assert_int_equal(bleu.proposed[n], proposed[n]);
    }
    assert_close(bleu_brevity_penalty(&bleu), 1, 0, 0);
    /* (5/6 * 3/5 * 2/4 * 1/3)^(1/4) = (1/12)^(1/4) */
    assert_close(bleu_score(&bleu), 0.537284966, 1e-9, 0);
}

/* Sums over the corpus first, then the mean: not the mean of sentence scores. */
static void test_corpus_is_summed_first(void **state) {
    (void)state;
    Bleu bleu = {0};
    bleu_add(&bleu, IDS(4, 5, 6, 7), IDS(4, 5, 6, 7));
    bleu_add(&bleu, IDS(8, 9), IDS(9, 8, 10, 11));
    assert_int_equal(bleu.candidate_length, 6);
    assert_int_equal(bleu.reference_length, 8);
    /* p = 6/6, 3/4, 2/2, 1/1; BP = exp(1 - 8/6) */
    assert_close(bleu_score(&bleu), 0.716531311 * 0.930604859, 1e-8, 0);
}

static void test_closest_reference_length(void **state) {
    (void)state;
    Bleu bleu = {0};
    Ids references[] = {IDS(4, 5, 6, 7, 8, 9), IDS(4, 5), IDS(4, 5, 6, 7)};
    bleu_add_references(&bleu, IDS(4, 5, 6), references, 3); /* 2 and 4 are equally close */
    assert_int_equal(bleu.reference_length, 2);
    bleu_add_references(&bleu, IDS(4, 5, 6, 7, 8), references, 3); /* 4 and 6 */
    assert_int_equal(bleu.reference_length, 2 + 4);
    expect_check_message("needs a reference", bleu_add_references(&bleu, IDS(4), references, 0));
}

/* ---- alignment ---- */

static void test_argmax_of_strided_rows(void **state) {
    (void)state;
    /* (T, B, S) = (2, 2, 3): the rows of sequence 1 */
    const float weights[] = {.9f, .1f, 0, .2f, .2f, .6f, .1f, .2f, .7f, .4f, .4f, .2f};
    int link[2];
    alignment_argmax(weights + 3, 2, 3, 6, link);
    assert_int_equal(link[0], 2);
    assert_int_equal(link[1], 0); /* the first of equals */
    alignment_argmax(weights, 2, 3, 6, link);
    assert_int_equal(link[0], 0);
    assert_int_equal(link[1], 2);
}

/* Four target words, three source words. Row 0: sure 0. Row 1: sure 1, possible 2. Row 2: no gold.
 * Row 3: possible 0 alone. */
static const unsigned char gold[4][3] = {{2, 0, 0}, {0, 2, 1}, {0, 0, 0}, {1, 0, 0}};

static double aer_of(const int *link) {
    Aer aer = {0};
    aer_add(&aer, link, 4, gold[0], 3, 3);
    return aer_rate(&aer);
}

static void test_alignment_error_rate_by_hand(void **state) {
    (void)state;
    /* |A| = 3 (row 2 is left out), |S| = 2 */
    assert_close(aer_of((const int[]){0, 1, 2, 0}), 0, 1e-12, 0);   /* 1 - (2 + 3) / 5 */
    assert_close(aer_of((const int[]){0, 2, 2, 0}), 0.2, 1e-12, 0); /* 1 - (1 + 3) / 5 */
    assert_close(aer_of((const int[]){0, 0, 2, 1}), 0.6, 1e-12, 0); /* 1 - (1 + 1) / 5 */
    assert_close(aer_of((const int[]){1, 0, 0, 2}), 1, 1e-12, 0);
}

static void test_links_behind_the_source_are_wrong(void **state) {
    (void)state;
    assert_close(aer_of((const int[]){3, 1, 3, 0}), 1 - 3.0 / 5, 1e-12, 0);
    assert_close(aer_of((const int[]){-1, 1, 3, 0}), 1 - 3.0 / 5, 1e-12, 0);
}

static void test_several_sure_links_of_one_word(void **state) {
    (void)state;
    const unsigned char both[2] = {2, 2};
    Aer aer = {0};
    aer_add(&aer, (const int[]){1}, 1, both, 2, 2);
    assert_close(aer_rate(&aer), 1.0 / 3, 1e-12, 0); /* 1 - (1 + 1) / (1 + 2) */
    Aer nothing = {0};
    assert_close(aer_rate(&nothing), 0, 0, 0);
}

/* The gold of the phrases read as weights: no error. Read one row off: nearly all wrong. */
static void test_phrases_gold_against_itself(void **state) {
    (void)state;
    Rng rng = rng_seeded(1, 0);
    Aer right = {0}, off = {0};
    for (int i = 0; i < 500; i++) {
        Phrase phrase = phrase_sample(&rng);
        float weights[PHRASE_LIMIT][PHRASE_LIMIT];
        int link[PHRASE_LIMIT], shifted[PHRASE_LIMIT];
        for (int t = 0; t < phrase.T; t++) {
            for (int s = 0; s < phrase.S; s++) {
                weights[t][s] = phrase.gold[t][s];
            }
        }
        alignment_argmax(weights[0], phrase.T, phrase.S, PHRASE_LIMIT, link);
        for (int t = 0; t < phrase.T; t++) {
            shifted[t] = link[(t + 1) % phrase.T];
        }
        aer_add(&right, link, phrase.T, phrase.gold[0], phrase.S, PHRASE_LIMIT);
        aer_add(&off, shifted, phrase.T, phrase.gold[0], phrase.S, PHRASE_LIMIT);
    }
    assert_close(aer_rate(&right), 0, 1e-12, 0);
    assert_true(aer_rate(&off) > 0.85);
}

static void test_span_hits(void **state) {
    (void)state;
    Tally tally = {0};
    span_hits_add(&tally, (const int[]){9, 3, 5, 4, 9}, 1, 4, 3, 5);
    assert_int_equal(tally.total, 3);
    assert_int_equal(tally.right, 2); /* 3 and 4, not 5 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_exact_match),
        cmocka_unit_test(test_unknown_words_are_never_right),
        cmocka_unit_test(test_token_accuracy_ignores_padding),
        cmocka_unit_test(test_fault_23_brevity_penalty),
        cmocka_unit_test(test_fault_23_empty_one_token_identical),
        cmocka_unit_test(test_clipping),
        cmocka_unit_test(test_clipping_does_not_add_references),
        cmocka_unit_test(test_score_by_hand),
        cmocka_unit_test(test_corpus_is_summed_first),
        cmocka_unit_test(test_closest_reference_length),
        cmocka_unit_test(test_argmax_of_strided_rows),
        cmocka_unit_test(test_alignment_error_rate_by_hand),
        cmocka_unit_test(test_links_behind_the_source_are_wrong),
        cmocka_unit_test(test_several_sure_links_of_one_word),
        cmocka_unit_test(test_phrases_gold_against_itself),
        cmocka_unit_test(test_span_hits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
