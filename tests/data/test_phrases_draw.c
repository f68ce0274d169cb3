#include "assert_close.h"

#include "data/phrases_grammar.h"

enum { DRAWS = 20000 };

static void check_phrase(const NounPhrase *phrase, int kinds) {
    assert_non_null(phrase->noun);
    assert_true((phrase->noun->kind & kinds) != 0);
    assert_true(phrase->determiner != A || phrase->number == SINGULAR);
    assert_true(phrase->noun->owned || (phrase->determiner != MY && phrase->determiner != HIS));
    assert_true(phrase->before == NULL || (phrase->before->suits & phrase->noun->kind) != 0);
    assert_true(phrase->after == NULL || (phrase->after->suits & phrase->noun->kind) != 0);
    assert_true(!phrase->very || phrase->before != NULL || phrase->after != NULL);
}

static void check_sentence(const Sentence *sentence) {
    int subject = sentence->verb != NULL ? sentence->verb->subject : ANYTHING;
    if (sentence->subject == SUBJECT_ONE || sentence->subject == SUBJECT_TWO) {
        check_phrase(&sentence->who[0], subject);
    }
    if (sentence->subject == SUBJECT_TWO) {
        check_phrase(&sentence->who[1], subject);
        assert_true(sentence->who[0].noun != sentence->who[1].noun);
    }
    assert_true(sentence->polarity != NEVER || sentence->adverb == NO_ADVERB);
    assert_int_equal(sentence->verb != NULL,
                     sentence->predicate == DOES || sentence->predicate == DOES_TO);
    assert_int_equal(sentence->adjective != NULL, sentence->predicate == IS);
    if (sentence->predicate == DOES_TO) {
        check_phrase(&sentence->object, sentence->verb->object);
    }
    if (sentence->preposition != NULL) {
        check_phrase(&sentence->place, sentence->preposition->object);
        assert_false(sentence->here);
    }
    assert_true(sentence->predicate != IS_SOMEWHERE || sentence->preposition != NULL ||
                sentence->here);
}

/* A plan the writer can trust: nothing missing, nothing that does not go together. */
static void test_plans_are_whole(void **state) {
    (void)state;
    Rng rng = rng_seeded(1, 1);
    for (int i = 0; i < DRAWS; i++) {
        Sentence sentence = sentence_draw(&rng);
        check_sentence(&sentence);
    }
}

/* Each of the constructions is seen often enough to be learnt. */
static void test_everything_is_said_now_and_then(void **state) {
    (void)state;
    Rng rng = rng_seeded(2, 1);
    int predicates[4] = {0}, subjects[4] = {0}, polarities[3] = {0}, adverbs[3] = {0};
    for (int i = 0; i < DRAWS; i++) {
        Sentence sentence = sentence_draw(&rng);
        predicates[sentence.predicate]++;
        subjects[sentence.subject]++;
        polarities[sentence.polarity]++;
        adverbs[sentence.adverb]++;
    }
    for (int i = 0; i < 4; i++) {
        assert_true(predicates[i] > DRAWS / 50);
        assert_true(subjects[i] > DRAWS / 50);
    }
    for (int i = 0; i < 3; i++) {
        assert_true(polarities[i] > DRAWS / 50);
        assert_true(adverbs[i] > DRAWS / 50);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans_are_whole),
        cmocka_unit_test(test_everything_is_said_now_and_then),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
