#include "assert_close.h"

#include <stdlib.h>

#include "data/phrases.h"

enum { SAMPLES = 20000 };

/* Is the word in the list (words between spaces)? */
static bool in(const char *word, const char *list) {
    size_t size = strlen(word);
    for (const char *at = size > 0 ? strstr(list, word) : NULL; at != NULL;
         at = strstr(at + 1, word)) {
        if ((at == list || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0')) {
            return true;
        }
    }
    return false;
}

/* Small grammar of French, written down a second time and without the program's tables: which words
 * may follow a word. */
static const struct {
    const char *word, *next;
} follows[] = {
    {"le", "très petit grand vieux vieil frère chat chien jardin livre"},
    {"la", "très petite grande vieille femme sœur maison lettre"},
    {"l'", "homme oiseau école arbre"},
    {"les", "très petits grands vieux petites grandes vieilles hommes frères chats chiens oiseaux "
            "jardins livres arbres femmes sœurs maisons écoles lettres"},
    {"un", "très petit grand vieux vieil homme frère chat chien oiseau jardin livre arbre"},
    {"une", "très petite grande vieille femme sœur maison école lettre"},
    {"mon", "très petit grand vieux vieil frère chat chien oiseau jardin livre arbre école"},
    {"ma", "très petite grande vieille sœur maison lettre"},
    {"son", "très petit grand vieux vieil frère chat chien oiseau jardin livre arbre école"},
    {"sa", "très petite grande vieille sœur maison lettre"},
    {"mes", "très petits grands vieux petites grandes vieilles frères chats chiens oiseaux jardins "
            "livres arbres sœurs maisons écoles lettres"},
    {"ses", "très petits grands vieux petites grandes vieilles frères chats chiens oiseaux jardins "
            "livres arbres sœurs maisons écoles lettres"},
    {"ne", "voit voient trouve trouvent lit lisent dort dorment chante chantent sont"},
    {"n'", "aime aiment est"},
    {"de", "très petit grand vieux vieil frère chat chien jardin livre petite grande vieille femme "
           "sœur maison lettre"},
    {"d'", "homme oiseau école arbre"},
    {"vieil", "homme oiseau arbre"},
    {"il", "ne n' voit trouve lit aime dort chante est"},
    {"elle", "ne n' voit trouve lit aime dort chante est"},
};

/* Nouns, the adjectives that may stand before them and (behind them, before a space) after. */
static const struct {
    const char *nouns, *before, *after;
} agrees[] = {
    {"frère chat chien jardin livre", "petit grand vieux", "rouge noir triste étrange"},
    {"homme oiseau arbre", "petit grand vieil", "rouge noir triste étrange"},
    {"femme sœur maison école lettre", "petite grande vieille", "rouge noire triste étrange"},
    {"hommes frères chats chiens oiseaux jardins livres arbres", "petits grands vieux",
     "rouges noirs tristes étranges"},
    {"femmes sœurs maisons écoles lettres", "petites grandes vieilles",
     "rouges noires tristes étranges"},
};

static const char before_all[] = "petit grand vieux vieil petite grande vieille petits grands "
                                 "petites grandes vieilles";
static const char after_all[] = "rouge rouges noir noirs noire noires triste tristes étrange "
                                "étranges";

static bool is_article_right(const char *word, const char *next) {
    for (size_t i = 0; i < sizeof follows / sizeof *follows; i++) {
        if (strcmp(word, follows[i].word) == 0) {
            return in(next, follows[i].next);
        }
    }
    return true;
}

static bool is_agreement_right(const Phrase *phrase, int t) {
    for (size_t i = 0; i < sizeof agrees / sizeof *agrees; i++) {
        if (!in(phrase->target[t], agrees[i].nouns)) {
            continue;
        }
        const char *before = t > 0 ? phrase->target[t - 1] : "";
        int next = t + 1;
        next += next < phrase->T && strcmp(phrase->target[next], "très") == 0;
        const char *after = next < phrase->T ? phrase->target[next] : "";
        return (!in(before, before_all) || in(before, agrees[i].before)) &&
               (!in(after, after_all) || in(after, agrees[i].after));
    }
    return true;
}

static void test_the_french_is_right(void **state) {
    (void)state;
    Rng rng = rng_seeded(1, 0);
    for (int i = 0; i < SAMPLES; i++) {
        Phrase phrase = phrase_sample(&rng);
        for (int t = 0; t < phrase.T; t++) {
            const char *next = t + 1 < phrase.T ? phrase.target[t + 1] : "";
            if (!is_article_right(phrase.target[t], next) || !is_agreement_right(&phrase, t)) {
                char *text = phrase_target_text(&phrase);
                print_error("%s %s: %s\n", phrase.target[t], next, text);
                free(text);
                fail();
            }
        }
    }
}

static void test_lengths(void **state) {
    (void)state;
    Rng rng = rng_seeded(2, 0);
    double source = 0, target = 0;
    for (int i = 0; i < SAMPLES; i++) {
        Phrase phrase = phrase_sample(&rng);
        assert_true(phrase.S >= 4 && phrase.S <= 16);
        assert_true(phrase.T >= 2 && phrase.T <= PHRASE_LIMIT);
        source += phrase.S;
        target += phrase.T;
    }
    assert_close(source / SAMPLES, 10, 0.5, 0);
    assert_close(target / SAMPLES, 10, 0.5, 0);
}

static void test_four_in_five_change_their_order(void **state) {
    (void)state;
    Rng rng = rng_seeded(3, 0);
    int reordered = 0;
    for (int i = 0; i < SAMPLES; i++) {
        Phrase phrase = phrase_sample(&rng);
        reordered += phrase_is_reordered(&phrase);
    }
    assert_close((double)reordered / SAMPLES, 0.8, 0.03, 0);
}

static void test_every_word_is_linked(void **state) {
    (void)state;
    Rng rng = rng_seeded(4, 0);
    for (int i = 0; i < SAMPLES; i++) {
        Phrase phrase = phrase_sample(&rng);
        for (int t = 0; t < phrase.T; t++) {
            int sure = 0;
            for (int s = 0; s < PHRASE_LIMIT; s++) {
                sure += phrase.gold[t][s] == LINK_SURE;
                assert_true(s < phrase.S || phrase.gold[t][s] == LINK_NONE);
            }
            assert_int_equal(sure, 1); /* argmax alignment can be perfect */
        }
    }
}

static void test_reordered_means_crossing_links(void **state) {
    (void)state;
    Phrase phrase = {.S = 3, .T = 3};
    phrase.gold[0][0] = phrase.gold[1][1] = phrase.gold[2][2] = LINK_SURE;
    assert_false(phrase_is_reordered(&phrase));
    phrase.gold[2][0] = LINK_POSSIBLE;
    assert_false(phrase_is_reordered(&phrase));
    phrase.gold[2][0] = LINK_SURE;
    assert_true(phrase_is_reordered(&phrase));
    phrase = (Phrase){.S = 2, .T = 3}; /* two words of one, in order, and one of none */
    phrase.gold[0][0] = phrase.gold[1][0] = LINK_SURE;
    assert_false(phrase_is_reordered(&phrase));
}

/* ---- sets ---- */

/* The sentences of a corpus, joined by the language's vocabulary, in a counter. */
static void count_sentences(TokenCounts *counts, const Corpus *corpus, const Vocab *vocab) {
    for (int i = 0; i < corpus->count; i++) {
        Ids ids = corpus_source(corpus, i);
        char *text = vocab_decode(vocab, ids.id, ids.length);
        token_counts_add(counts, text, strlen(text), 1);
        free(text);
    }
}

static void test_training_and_held_out_share_nothing(void **state) {
    (void)state;
    PhraseData *data = phrases_new(20000, 500, 1);
    assert_int_equal(data->train->count, 20000);
    assert_int_equal(data->held_out->count, 500);
    TokenCounts *counts = token_counts_new();
    count_sentences(counts, data->train, data->source_vocab);
    count_sentences(counts, data->held_out, data->source_vocab);
    assert_int_equal(token_counts_distinct(counts), 20500);
    token_counts_free(counts);
    phrases_free(data);
    phrases_free(NULL);
}

static void test_vocabularies(void **state) {
    (void)state;
    PhraseData *data = phrases_new(20000, 500, 1);
    int english = data->source_vocab->size - VOCAB_SPECIALS;
    int french = data->target_vocab->size - VOCAB_SPECIALS;
    assert_true(english >= 60 && english <= 80);
    assert_true(french >= 80 && french <= 100);
    const IdTable *source = &data->held_out->source;
    const IdTable *target = &data->held_out->target;
    assert_close(vocab_unk_rate(source->id, source->begin[500]), 0, 0, 0);
    assert_close(vocab_unk_rate(target->id, target->begin[500]), 0, 0, 0);
    assert_true(vocab_id(data->target_vocab, "école") >= VOCAB_SPECIALS);
    phrases_free(data);
}

static void test_held_out_phrases_belong_to_their_pairs(void **state) {
    (void)state;
    PhraseData *data = phrases_new(1000, 100, 7);
    for (int i = 0; i < 100; i++) {
        const Phrase *phrase = &data->held_out_phrase[i];
        Ids source = corpus_source(data->held_out, i);
        Ids target = corpus_target(data->held_out, i);
        assert_int_equal(source.length, phrase->S);
        assert_int_equal(target.length, phrase->T);
        for (int s = 0; s < phrase->S; s++) {
            assert_int_equal(source.id[s], vocab_id(data->source_vocab, phrase->source[s]));
        }
        for (int t = 0; t < phrase->T; t++) {
            assert_int_equal(target.id[t], vocab_id(data->target_vocab, phrase->target[t]));
        }
    }
    phrases_free(data);
}

static void test_the_seed_fixes_everything(void **state) {
    (void)state;
    PhraseData *a = phrases_new(500, 20, 3);
    PhraseData *b = phrases_new(500, 20, 3);
    PhraseData *c = phrases_new(500, 20, 4);
    int same = 0;
    for (int i = 0; i < 500; i++) {
        assert_true(ids_equal(corpus_source(a->train, i), corpus_source(b->train, i)));
        assert_true(ids_equal(corpus_target(a->train, i), corpus_target(b->train, i)));
        same += ids_equal(corpus_source(a->train, i), corpus_source(c->train, i));
    }
    assert_true(same < 10);
    phrases_free(a);
    phrases_free(b);
    phrases_free(c);
}

/* One English sentence, one French one: what makes exact match a fair measure. */
static void test_one_right_answer(void **state) {
    (void)state;
    Rng rng = rng_seeded(5, 0);
    TokenCounts *sources = token_counts_new();
    TokenCounts *pairs = token_counts_new();
    for (int i = 0; i < 5 * SAMPLES; i++) {
        Phrase phrase = phrase_sample(&rng);
        char *source = phrase_source_text(&phrase);
        char *target = phrase_target_text(&phrase);
        char both[1024];
        int size = snprintf(both, sizeof both, "%s = %s", source, target);
        token_counts_add(sources, source, strlen(source), 1);
        token_counts_add(pairs, both, (size_t)size, 1);
        free(source);
        free(target);
    }
    assert_true(token_counts_distinct(sources) < 5 * SAMPLES); /* some come twice */
    assert_int_equal(token_counts_distinct(sources), token_counts_distinct(pairs));
    token_counts_free(sources);
    token_counts_free(pairs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_french_is_right),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_four_in_five_change_their_order),
        cmocka_unit_test(test_every_word_is_linked),
        cmocka_unit_test(test_reordered_means_crossing_links),
        cmocka_unit_test(test_training_and_held_out_share_nothing),
        cmocka_unit_test(test_vocabularies),
        cmocka_unit_test(test_held_out_phrases_belong_to_their_pairs),
        cmocka_unit_test(test_the_seed_fixes_everything),
        cmocka_unit_test(test_one_right_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
