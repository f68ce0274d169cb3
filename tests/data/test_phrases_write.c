/* Plans written by hand, sentences and links checked by hand. */
#include "assert_close.h"

#include <stdlib.h>

#include "data/phrases_grammar.h"

static const Noun *noun_of(const char *english) {
    for (int i = 0; i < NOUNS; i++) {
        if (strcmp(nouns[i].english[SINGULAR], english) == 0) {
            return &nouns[i];
        }
    }
    fail_msg("no noun %s", english);
    return NULL;
}

static const Adjective *adjective_of(const char *english) {
    for (int i = 0; i < ADJECTIVES_BEFORE; i++) {
        if (strcmp(adjectives_before[i].english, english) == 0) {
            return &adjectives_before[i];
        }
    }
    for (int i = 0; i < ADJECTIVES_AFTER; i++) {
        if (strcmp(adjectives_after[i].english, english) == 0) {
            return &adjectives_after[i];
        }
    }
    fail_msg("no adjective %s", english);
    return NULL;
}

static const Verb *verb_of(const char *english) {
    for (int i = 0; i < TRANSITIVE_VERBS; i++) {
        if (strcmp(transitive_verbs[i].english[SINGULAR], english) == 0) {
            return &transitive_verbs[i];
        }
    }
    for (int i = 0; i < INTRANSITIVE_VERBS; i++) {
        if (strcmp(intransitive_verbs[i].english[SINGULAR], english) == 0) {
            return &intransitive_verbs[i];
        }
    }
    fail_msg("no verb %s", english);
    return NULL;
}

static NounPhrase phrase_of(Determiner determiner, const char *noun, Number number) {
    return (NounPhrase){.determiner = determiner, .noun = noun_of(noun), .number = number};
}

static NounPhrase with(NounPhrase phrase, const char *before, const char *after) {
    phrase.before = before != NULL ? adjective_of(before) : NULL;
    phrase.after = after != NULL ? adjective_of(after) : NULL;
    return phrase;
}

/* "subject sleeps" */
static Sentence sleeps(NounPhrase subject) {
    return (Sentence){.who = {subject}, .predicate = DOES, .verb = verb_of("sleeps")};
}

static Sentence does_to(NounPhrase subject, const char *verb, NounPhrase object) {
    return (Sentence){
        .who = {subject}, .predicate = DOES_TO, .verb = verb_of(verb), .object = object};
}

static Sentence is(NounPhrase subject, const char *adjective) {
    return (Sentence){.who = {subject}, .predicate = IS, .adjective = adjective_of(adjective)};
}

static Phrase write(Sentence sentence) {
    Phrase phrase;
    assert_true(sentence_write(&sentence, &phrase));
    return phrase;
}

static void assert_phrase(const Phrase *phrase, const char *english, const char *french) {
    char *source = phrase_source_text(phrase);
    char *target = phrase_target_text(phrase);
    assert_string_equal(source, english);
    assert_string_equal(target, french);
    free(source);
    free(target);
}

static void assert_written(Sentence sentence, const char *english, const char *french) {
    Phrase phrase = write(sentence);
    assert_phrase(&phrase, english, french);
}

/* The links of every French word, as "1 0 2": sure ones alone, several joined by +, none as -. */
static void assert_sure(const Phrase *phrase, const char *expected) {
    char text[256] = "";
    for (int t = 0; t < phrase->T; t++) {
        size_t begin = strlen(text);
        for (int s = 0; s < phrase->S; s++) {
            if (phrase->gold[t][s] == LINK_SURE) {
                sprintf(text + strlen(text), "%s%d", text[begin] == '\0' ? "" : "+", s);
            }
        }
        strcat(text, text[begin] == '\0' ? "- " : " ");
    }
    text[strlen(text) - 1] = '\0';
    assert_string_equal(text, expected);
}

static void test_articles(void **state) {
    (void)state;
    assert_written(sleeps(phrase_of(THE, "cat", SINGULAR)), "the cat sleeps", "le chat dort");
    assert_written(sleeps(phrase_of(THE, "sister", SINGULAR)), "the sister sleeps", "la sœur dort");
    assert_written(sleeps(phrase_of(THE, "man", SINGULAR)), "the man sleeps", "l' homme dort");
    assert_written(sleeps(phrase_of(THE, "woman", PLURAL)), "the women sleep",
                   "les femmes dorment");
    assert_written(sleeps(phrase_of(A, "bird", SINGULAR)), "a bird sleeps", "un oiseau dort");
    assert_written(sleeps(phrase_of(A, "woman", SINGULAR)), "a woman sleeps", "une femme dort");
}

static void test_possessives_meet_no_vowel(void **state) {
    (void)state;
    assert_written(is(phrase_of(MY, "school", SINGULAR), "big"), "my school is big",
                   "mon école est grande");
    assert_written(is(with(phrase_of(MY, "school", SINGULAR), "old", NULL), "big"),
                   "my old school is big", "ma vieille école est grande");
    assert_written(is(phrase_of(HIS, "letter", SINGULAR), "red"), "his letter is red",
                   "sa lettre est rouge");
    assert_written(is(phrase_of(HIS, "bird", PLURAL), "black"), "his birds are black",
                   "ses oiseaux sont noirs");
}

static void test_adjectives_agree_and_find_their_place(void **state) {
    (void)state;
    assert_written(sleeps(with(phrase_of(THE, "dog", SINGULAR), "small", "black")),
                   "the small black dog sleeps", "le petit chien noir dort");
    assert_written(is(with(phrase_of(THE, "house", PLURAL), "big", "black"), "old"),
                   "the big black houses are old", "les grandes maisons noires sont vieilles");
    assert_written(sleeps(with(phrase_of(A, "man", SINGULAR), "old", NULL)), "an old man sleeps",
                   "un vieil homme dort");
    assert_written(sleeps(with(phrase_of(THE, "man", PLURAL), "old", NULL)), "the old men sleep",
                   "les vieux hommes dorment");
    assert_written(sleeps(with(phrase_of(THE, "bird", SINGULAR), "big", NULL)),
                   "the big bird sleeps", "le grand oiseau dort");
    NounPhrase very = with(phrase_of(A, "cat", SINGULAR), "old", "black");
    very.very = true;
    assert_written(sleeps(very), "a very old black cat sleeps", "un très vieux chat noir dort");
    very = with(phrase_of(THE, "man", SINGULAR), NULL, "sad");
    very.very = true;
    assert_written(sleeps(very), "the very sad man sleeps", "l' homme très triste dort");
}

static void test_negation(void **state) {
    (void)state;
    NounPhrase man = phrase_of(THE, "man", SINGULAR);
    NounPhrase women = phrase_of(THE, "woman", PLURAL);
    Sentence sentence = does_to(man, "sees", phrase_of(THE, "dog", SINGULAR));
    sentence.polarity = NOT;
    assert_written(sentence, "the man does not see the dog", "l' homme ne voit pas le chien");
    sentence.verb = verb_of("loves");
    assert_written(sentence, "the man does not love the dog", "l' homme n' aime pas le chien");
    sentence.adverb = OFTEN;
    assert_written(sentence, "the man does not often love the dog",
                   "l' homme n' aime pas souvent le chien");
    sentence = does_to(women, "reads", phrase_of(A, "letter", SINGULAR));
    sentence.polarity = NEVER;
    assert_written(sentence, "the women never read a letter",
                   "les femmes ne lisent jamais de lettre");
    sentence.polarity = NOT;
    sentence.object = phrase_of(A, "bird", SINGULAR);
    sentence.verb = verb_of("finds");
    assert_written(sentence, "the women do not find a bird",
                   "les femmes ne trouvent pas d' oiseau");
    sentence = is(man, "sad");
    sentence.polarity = NOT;
    sentence.very = true;
    assert_written(sentence, "the man is not very sad", "l' homme n' est pas très triste");
    sentence.polarity = NEVER;
    assert_written(sentence, "the man is never very sad", "l' homme n' est jamais très triste");
}

static void test_a_place_keeps_its_article_under_negation(void **state) {
    (void)state;
    Sentence sentence = sleeps(phrase_of(THE, "cat", SINGULAR));
    sentence.polarity = NOT;
    sentence.preposition = &prepositions[0];
    sentence.place = phrase_of(A, "house", SINGULAR);
    assert_written(sentence, "the cat does not sleep in a house",
                   "le chat ne dort pas dans une maison");
}

static void test_adverbs_and_places(void **state) {
    (void)state;
    Sentence sentence = sleeps(phrase_of(THE, "cat", SINGULAR));
    sentence.adverb = ALWAYS;
    sentence.preposition = &prepositions[2];
    sentence.place = phrase_of(MY, "house", SINGULAR);
    assert_written(sentence, "the cat always sleeps behind my house",
                   "le chat dort toujours derrière ma maison");
    sentence = (Sentence){.who = {phrase_of(THE, "book", SINGULAR)},
                          .predicate = IS_SOMEWHERE,
                          .polarity = NOT,
                          .here = true};
    assert_written(sentence, "the book is not here", "le livre n' est pas ici");
}

static void test_two_subjects(void **state) {
    (void)state;
    Sentence sentence = is(phrase_of(THE, "woman", SINGULAR), "small");
    sentence.subject = SUBJECT_TWO;
    sentence.who[1] = phrase_of(MY, "brother", SINGULAR);
    assert_written(sentence, "the woman and my brother are small",
                   "la femme et mon frère sont petits");
    sentence.who[1] = phrase_of(MY, "sister", SINGULAR);
    assert_written(sentence, "the woman and my sister are small",
                   "la femme et ma sœur sont petites");
}

static void test_pronouns(void **state) {
    (void)state;
    Sentence sentence = {.subject = SUBJECT_SHE, .predicate = IS, .adjective = adjective_of("old")};
    assert_written(sentence, "she is old", "elle est vieille");
    sentence.subject = SUBJECT_HE;
    sentence.polarity = NEVER;
    assert_written(sentence, "he is never old", "il n' est jamais vieux");
    sentence = does_to(phrase_of(THE, "man", SINGULAR), "loves", phrase_of(HIS, "cat", PLURAL));
    sentence.subject = SUBJECT_SHE;
    assert_written(sentence, "she loves his cats", "elle aime ses chats");
}

static void test_links_of_adjectives(void **state) {
    (void)state;
    Phrase phrase = write(sleeps(with(phrase_of(THE, "dog", SINGULAR), "small", "black")));
    /* the small black dog sleeps -> le petit chien noir dort */
    assert_sure(&phrase, "0 1 3 2 4");
    assert_true(phrase_is_reordered(&phrase));
    phrase = write(sleeps(with(phrase_of(THE, "dog", SINGULAR), "small", NULL)));
    assert_sure(&phrase, "0 1 2 3");
    assert_false(phrase_is_reordered(&phrase));
}

static void test_links_of_negation(void **state) {
    (void)state;
    Sentence sentence =
        does_to(phrase_of(THE, "man", SINGULAR), "sees", phrase_of(A, "dog", SINGULAR));
    sentence.polarity = NOT;
    Phrase phrase = write(sentence);
    /* the man does not see a dog -> l' homme ne voit pas de chien */
    assert_sure(&phrase, "0 1 3 4 3 5 6");
    assert_int_equal(phrase.gold[2][2], LINK_POSSIBLE); /* ne leans on does */
    assert_int_equal(phrase.gold[4][2], LINK_NONE);
    assert_true(phrase_is_reordered(&phrase));
}

static void test_too_long_is_refused(void **state) {
    (void)state;
    NounPhrase long_phrase = with(phrase_of(THE, "man", SINGULAR), "old", "sad");
    long_phrase.very = true;
    Sentence sentence = does_to(long_phrase, "sees", long_phrase); /* 5 + 1 + 5 words */
    sentence.preposition = &prepositions[1];
    sentence.place = long_phrase; /* 6 more */
    Phrase phrase;
    assert_true(sentence_write(&sentence, &phrase));
    assert_int_equal(phrase.S, 17);
    sentence.subject = SUBJECT_TWO; /* 6 more */
    sentence.who[1] = long_phrase;
    assert_true(sentence_write(&sentence, &phrase));
    assert_int_equal(phrase.S, 23);
    sentence.polarity = NOT; /* 2 more */
    assert_false(sentence_write(&sentence, &phrase));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_articles),
        cmocka_unit_test(test_possessives_meet_no_vowel),
        cmocka_unit_test(test_adjectives_agree_and_find_their_place),
        cmocka_unit_test(test_negation),
        cmocka_unit_test(test_a_place_keeps_its_article_under_negation),
        cmocka_unit_test(test_adverbs_and_places),
        cmocka_unit_test(test_two_subjects),
        cmocka_unit_test(test_pronouns),
        cmocka_unit_test(test_links_of_adjectives),
        cmocka_unit_test(test_links_of_negation),
        cmocka_unit_test(test_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
