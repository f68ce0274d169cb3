#include "support/tensors.h"

#include "lesson/experiments/echo.h"

#include <stdlib.h>

static const Run nobody; /* no flags, nobody who stops it */

enum { A = VOCAB_SPECIALS, B, C, D, V };

#define IDS(...)                                                                                   \
    (Ids) {                                                                                        \
        (const int[]){__VA_ARGS__}, (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int))              \
    }

/* Four pairs whose right answer is the source, but for the third. */
static Corpus *echo_corpus(void) {
    Corpus *corpus = corpus_new();
    corpus_add(corpus, IDS(A, B, C), IDS(A, B, C));
    corpus_add(corpus, IDS(D), IDS(D));
    corpus_add(corpus, IDS(A, B, C, D, A), IDS(A, B, C, D, B));
    corpus_add(corpus, IDS(C, C), IDS(C, C));
    return corpus;
}

static Echo *learned_echo(void) {
    Echo *echo = echo_new(V);
    echo_teach(echo);
    return echo;
}

static void assert_ids(Ids actual, Ids expected) {
    assert_int_equal(actual.length, expected.length);
    for (int i = 0; i < expected.length; i++) {
        assert_int_equal(actual.id[i], expected.id[i]);
    }
}

/* In batches of any size, the last one smaller: the same translations in the same order. */
static void test_greedy_in_batches(void **state) {
    (void)state;
    for (int size = 1; size <= 5; size++) {
        Corpus *corpus = echo_corpus();
        Echo *echo = learned_echo();
        Translator translator = echo_translator(echo);
        Translations done =
            translator_translate(&nobody, &translator, corpus, (TranslateOptions){.B = size});
        assert_int_equal(done.count, 4);
        assert_int_equal(echo->begun, (4 + size - 1) / size);
        for (int i = 0; i < 4; i++) {
            assert_int_equal(done.item[i].pair, i);
            assert_ids(done.item[i].source, corpus_source(corpus, i));
            assert_ids(done.item[i].reference, corpus_target(corpus, i));
            assert_ids(done.item[i].output, corpus_source(corpus, i));
        }
        translations_free(&done);
        echo_free(echo);
        corpus_free(corpus);
    }
}

/* A row of weights for each word of the output and one for its end; no column of padding. */
static void test_weights_are_cut_to_the_sentence(void **state) {
    (void)state;
    Corpus *corpus = echo_corpus();
    Echo *echo = learned_echo();
    Translator translator = echo_translator(echo);
    Translations done =
        translator_translate(&nobody, &translator, corpus, (TranslateOptions){.B = 4});
    const Translation *three = &done.item[0], *one = &done.item[1];
    assert_int_equal(three->rows, 4);
    assert_int_equal(three->columns, 3);
    assert_all_close(three->weights, ((const float[]){1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1}), 12, 0,
                     0);
    assert_int_equal(one->rows, 2);
    assert_int_equal(one->columns, 1);
    assert_all_close(one->weights, ((const float[]){1, 1}), 2, 0, 0);
    translations_free(&done);
    echo_free(echo);
    corpus_free(corpus);
}

/* Forced: led through the reference, one row for each of its words and its end, whatever the model
 * would have said. */
static void test_forced(void **state) {
    (void)state;
    Corpus *corpus = echo_corpus();
    Echo *echo = echo_new(V); /* by itself it would say nothing */
    Translator translator = echo_translator(echo);
    Translations forced = translator_translate(&nobody, &translator, corpus,
                                               (TranslateOptions){.B = 3, .forced = true});
    assert_int_equal(forced.count, 4);
    for (int i = 0; i < 4; i++) {
        assert_ids(forced.item[i].output, corpus_target(corpus, i));
        assert_int_equal(forced.item[i].rows, corpus_target(corpus, i).length + 1);
    }
    assert_int_equal(tensor_argmax(forced.item[2].weights + 5 * 4, 5), 4);
    translations_free(&forced);
    echo_free(echo);
    corpus_free(corpus);
}

static void test_chosen_pairs(void **state) {
    (void)state;
    Corpus *corpus = echo_corpus();
    Echo *echo = learned_echo();
    Translator translator = echo_translator(echo);
    int pairs[] = {3, 0, 3};
    TranslateOptions options = {.B = 2, .pairs = pairs, .count = 3};
    Translations chosen = translator_translate(&nobody, &translator, corpus, options);
    assert_int_equal(chosen.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(chosen.item[i].pair, pairs[i]);
        assert_ids(chosen.item[i].output, corpus_source(corpus, pairs[i]));
    }
    options = (TranslateOptions){.B = 2, .count = 3};
    Translations first = translator_translate(&nobody, &translator, corpus, options);
    assert_int_equal(first.count, 3);
    assert_int_equal(first.item[2].pair, 2);
    options.count = 99; /* no more than there are */
    Translations all = translator_translate(&nobody, &translator, corpus, options);
    assert_int_equal(all.count, 4);
    translations_free(&chosen);
    translations_free(&first);
    translations_free(&all);
    echo_free(echo);
    corpus_free(corpus);
}

/* Without an end there is no row for it; the length is the limit, or the corpus's longest + 4. */
static void test_outputs_end(void **state) {
    (void)state;
    Corpus *corpus = echo_corpus();
    Echo *echo = learned_echo();
    echo->endless = true;
    Translator translator = echo_translator(echo);
    Translations limited = translator_translate(&nobody, &translator, corpus,
                                                (TranslateOptions){.B = 4, .max_steps = 3});
    assert_ids(limited.item[1].output, IDS(A, A, A));
    assert_int_equal(limited.item[1].rows, 3);
    Translations usual =
        translator_translate(&nobody, &translator, corpus, (TranslateOptions){.B = 4});
    assert_int_equal(usual.item[0].output.length, 5 + 4);
    translations_free(&limited);
    translations_free(&usual);
    echo_free(echo);
    corpus_free(corpus);
}

static void test_without_attention(void **state) {
    (void)state;
    Corpus *corpus = echo_corpus();
    Echo *echo = learned_echo();
    echo->blind = true;
    Translator translator = echo_translator(echo);
    Translations done =
        translator_translate(&nobody, &translator, corpus, (TranslateOptions){.B = 4});
    assert_null(done.item[0].weights);
    assert_ids(done.item[0].output, IDS(A, B, C));
    translations_free(&done);
    echo_free(echo);
    corpus_free(corpus);
}

static void test_stopped_run(void **state) {
    (void)state;
    Corpus *corpus = echo_corpus();
    Echo *echo = learned_echo();
    Translator translator = echo_translator(echo);
    Run stopped = {.failed = true};
    Translations done =
        translator_translate(&stopped, &translator, corpus, (TranslateOptions){.B = 4});
    assert_int_equal(done.count, 0);
    assert_int_equal(translations_exact(&done, 0, 0).total, 0);
    translations_free(&done);
    echo_free(echo);
    corpus_free(corpus);
}

/* A check that stops leaves behind what was being worked on: that is no leak. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:test_wrong_shapes\n";
}

static void test_wrong_shapes(void **state) {
    (void)state;
    Corpus *corpus = echo_corpus();
    Echo *echo = learned_echo();
    Translator translator = echo_translator(echo);
    TranslateOptions options = {.B = 2};
    echo->wrong = 1;
    expect_check_message("scores scores (2, 9), needed are (2, 8)",
                         translator_translate(&nobody, &translator, corpus, options));
    echo->wrong = 2;
    expect_check_message("weights weights (2, 4), needed are (2, 3)",
                         translator_translate(&nobody, &translator, corpus, options));
    options.B = 0;
    expect_check_message("B is 0", translator_translate(&nobody, &translator, corpus, options));
    echo_free(echo);
    corpus_free(corpus);
}

static void test_exact_match_by_length(void **state) {
    (void)state;
    Corpus *corpus = echo_corpus();
    Echo *echo = learned_echo();
    Translator translator = echo_translator(echo);
    Translations done =
        translator_translate(&nobody, &translator, corpus, (TranslateOptions){.B = 4});
    Tally all = translations_exact(&done, 0, 0), some = translations_exact(&done, 2, 3),
          longer = translations_exact(&done, 3, 0), five = translations_exact(&done, 5, 5);
    assert_int_equal(all.right, 3);
    assert_int_equal(all.total, 4);
    assert_int_equal(some.right, 2);
    assert_int_equal(some.total, 2);
    assert_int_equal(longer.right, 1);
    assert_int_equal(longer.total, 2);
    assert_int_equal(five.right, 0);
    assert_int_equal(five.total, 1);
    translations_free(&done);
    echo_free(echo);
    corpus_free(corpus);
}

/* ---- alignments ---- */

/* "the red house" -> "la maison rouge": the adjective goes behind the noun. */
static Phrase red_house(void) {
    Phrase phrase = {
        .S = 3, .T = 3, .source = {"the", "red", "house"}, .target = {"la", "maison", "rouge"}};
    phrase.gold[0][0] = LINK_SURE;
    phrase.gold[1][2] = LINK_SURE;
    phrase.gold[2][1] = LINK_SURE;
    phrase.gold[0][2] = LINK_POSSIBLE;
    return phrase;
}

/* One pair for it, and where an echo that looks `ahead` looks. */
static Translations look_at_house(Echo *echo, Corpus *corpus, int ahead) {
    echo->ahead = ahead;
    Translator translator = echo_translator(echo);
    return translator_translate(&nobody, &translator, corpus,
                                (TranslateOptions){.B = 1, .forced = true});
}

static void test_alignment_error(void **state) {
    (void)state;
    Phrase phrase = red_house();
    Corpus *corpus = corpus_new();
    corpus_add(corpus, IDS(A, B, C), IDS(A, C, B));
    Echo *echo = learned_echo();
    Translations straight = look_at_house(echo, corpus, 0); /* links 0 1 2, then 2 */
    Aer aer = translations_alignment_error(&straight, &phrase, 0);
    assert_int_equal(aer.proposed, 3);
    assert_int_equal(aer.sure, 3);
    assert_int_equal(aer.proposed_sure, 1);
    assert_int_equal(aer.proposed_possible, 1);
    assert_close(translations_alignment_rate(&straight, &phrase, 0), 1.0 - 2.0 / 6.0, 1e-9, 0);
    Aer off = translations_alignment_error(&straight, &phrase, 1); /* rows 1 2 3: links 1 2 2 */
    assert_int_equal(off.proposed_sure, 1);
    expect_check_message("3 words, shift 2", translations_alignment_error(&straight, &phrase, 2));
    expect_check_message("shift -1", translations_alignment_error(&straight, &phrase, -1));
    Translations far = look_at_house(echo, corpus, 2); /* links 2 2 2 */
    Aer possible = translations_alignment_error(&far, &phrase, 0);
    assert_int_equal(possible.proposed_sure, 1);
    assert_int_equal(possible.proposed_possible, 2);
    translations_free(&straight);
    translations_free(&far);
    echo_free(echo);
    corpus_free(corpus);
}

static void test_links_of_some_words(void **state) {
    (void)state;
    Phrase phrase = red_house();
    Corpus *corpus = corpus_new();
    corpus_add(corpus, IDS(A, B, C), IDS(A, C, B));
    Echo *echo = learned_echo();
    Translations straight = look_at_house(echo, corpus, 0);
    Tally articles = translations_links_right(&straight, &phrase, "le la les l'", false);
    Tally others = translations_links_right(&straight, &phrase, "le la les l'", true);
    assert_int_equal(articles.right, 1);
    assert_int_equal(articles.total, 1);
    assert_int_equal(others.right, 0);
    assert_int_equal(others.total, 2);
    /* whole words only: "la" is neither in "las" nor in "ola" */
    assert_int_equal(translations_links_right(&straight, &phrase, "las ola", false).total, 0);
    assert_int_equal(translations_links_right(&straight, &phrase, "ola la", false).total, 1);
    assert_int_equal(translations_links_right(&straight, &phrase, "", true).total, 3);
    memset(phrase.gold[1], 0, sizeof phrase.gold[1]); /* words without gold do not count */
    assert_int_equal(translations_links_right(&straight, &phrase, "", true).total, 2);
    translations_free(&straight);
    echo_free(echo);
    corpus_free(corpus);
}

static void test_month(void **state) {
    (void)state;
    Corpus *corpus = corpus_new();
    Date dates[2] = {date_write(date_number(1988, 3, 5), 8),  /* 1988/03/05 */
                     date_write(date_number(1988, 3, 5), 2)}; /* 5 MAR 1988 */
    Vocab *source = dates_source_vocab(), *target = dates_target_vocab();
    for (int i = 0; i < 2; i++) {
        int from[DATE_SOURCE_LIMIT], to[DATE_TARGET_LENGTH];
        int n = vocab_encode(source, dates[i].source, from, DATE_SOURCE_LIMIT);
        vocab_encode(target, dates[i].target, to, DATE_TARGET_LENGTH);
        corpus_add(corpus, (Ids){from, n}, (Ids){to, DATE_TARGET_LENGTH});
    }
    Echo *echo = echo_new(target->size);
    Translations straight = look_at_house(echo, corpus, 0);
    Tally both = translations_month_right(&straight, dates);
    assert_int_equal(both.total, 4);
    assert_int_equal(both.right,
                     2); /* the digits 5 and 6 look at 03, but at the year of the other */
    Translations back = look_at_house(echo, corpus, -2); /* 3 and 4 are A and R of MAR */
    assert_int_equal(translations_month_right(&back, dates).right, 2);
    translations_free(&straight);
    translations_free(&back);
    echo_free(echo);
    vocab_free(source);
    vocab_free(target);
    corpus_free(corpus);
}

/* ---- several right answers ---- */

/* Sources A (three answers) and B (one). */
static PairData several_answers(void) {
    PairData data = {.held_out = corpus_new(), .held_out_sources = 2};
    corpus_add(data.held_out, IDS(A), IDS(B));
    corpus_add(data.held_out, IDS(A), IDS(A));
    corpus_add(data.held_out, IDS(A), IDS(C, D));
    corpus_add(data.held_out, IDS(B), IDS(C));
    static int reference[] = {0, 3, 4};
    data.reference = reference;
    return data;
}

static void test_several_right_answers(void **state) {
    (void)state;
    PairData data = several_answers();
    Echo *echo = learned_echo();
    Translator translator = echo_translator(echo);
    int pairs[8];
    assert_int_equal(pair_sources(&data, 8, pairs), 2);
    assert_int_equal(pairs[0], 0);
    assert_int_equal(pairs[1], 3);
    assert_int_equal(pair_sources(&data, 1, pairs), 1);
    for (int order = 0; order < 2; order++) { /* in whichever order they come */
        TranslateOptions options = {
            .B = 2, .pairs = (const int[]){order ? 3 : 0, order ? 0 : 3}, .count = 2};
        Translations done = translator_translate(&nobody, &translator, data.held_out, options);
        PairScores scores = translations_score(&done, &data);
        assert_int_equal(scores.exact.total, 2);
        assert_int_equal(scores.exact.right, 1); /* A is the second of A's answers, B is wrong */
        assert_int_equal(scores.bleu.matched[0], 1);
        assert_int_equal(scores.bleu.proposed[0], 2);
        assert_int_equal(scores.bleu.reference_length, 2);
        translations_free(&done);
    }
    echo_free(echo);
    corpus_free(data.held_out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_greedy_in_batches),
        cmocka_unit_test(test_weights_are_cut_to_the_sentence),
        cmocka_unit_test(test_forced),
        cmocka_unit_test(test_chosen_pairs),
        cmocka_unit_test(test_outputs_end),
        cmocka_unit_test(test_without_attention),
        cmocka_unit_test(test_stopped_run),
        cmocka_unit_test(test_wrong_shapes),
        cmocka_unit_test(test_exact_match_by_length),
        cmocka_unit_test(test_alignment_error),
        cmocka_unit_test(test_links_of_some_words),
        cmocka_unit_test(test_month),
        cmocka_unit_test(test_several_right_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
