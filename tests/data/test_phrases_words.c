#include "assert_close.h"

#include "data/phrases_words.h"

static void test_vowels(void **state) {
    (void)state;
    const char *const vowel[] = {"homme", "école", "étrange", "oiseau", "aime", "un", "il", "est"};
    const char *const consonant[] = {"chat", "très", "livre", "vieux", "sœur", "maison", "le"};
    for (size_t i = 0; i < sizeof vowel / sizeof *vowel; i++) {
        assert_true(french_begins_with_vowel(vowel[i]));
    }
    for (size_t i = 0; i < sizeof consonant / sizeof *consonant; i++) {
        assert_false(french_begins_with_vowel(consonant[i]));
    }
}

/* Regular plurals add an s; the others are spelt out here. */
static void test_plurals(void **state) {
    (void)state;
    for (int i = 0; i < NOUNS; i++) {
        const char *singular = nouns[i].french[SINGULAR];
        char expected[32];
        snprintf(expected, sizeof expected, "%s%s", singular,
                 strcmp(singular, "oiseau") == 0 ? "x" : "s");
        assert_string_equal(nouns[i].french[PLURAL], expected);
        snprintf(expected, sizeof expected, "%ss", nouns[i].english[SINGULAR]);
        if (strstr(nouns[i].english[SINGULAR], "man") != NULL) { /* man, woman */
            strcpy(expected, nouns[i].english[SINGULAR]);
            expected[strlen(expected) - 2] = 'e';
        }
        assert_string_equal(nouns[i].english[PLURAL], expected);
    }
}

static void test_verbs(void **state) {
    (void)state;
    for (int i = 0; i < TRANSITIVE_VERBS; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, "%ss", transitive_verbs[i].english[PLURAL]);
        assert_string_equal(transitive_verbs[i].english[SINGULAR], expected);
        assert_true(transitive_verbs[i].object != 0);
    }
    for (int i = 0; i < INTRANSITIVE_VERBS; i++) {
        assert_int_equal(intransitive_verbs[i].object, 0);
    }
}

/* A sentence may join any two beings as subjects and give them one adjective. */
static void test_every_kind_has_its_words(void **state) {
    (void)state;
    const int kinds[] = {HUMAN, BEAST, BIRD, PLACE, WRITING};
    for (int k = 0; k < 5; k++) {
        int named = 0, owned = 0, before = 0, after = 0;
        for (int i = 0; i < NOUNS; i++) {
            named += nouns[i].kind == kinds[k];
            owned += nouns[i].kind == kinds[k] && nouns[i].owned;
        }
        for (int i = 0; i < ADJECTIVES_BEFORE; i++) {
            assert_true(adjectives_before[i].before_noun);
            before += (adjectives_before[i].suits & kinds[k]) != 0;
        }
        for (int i = 0; i < ADJECTIVES_AFTER; i++) {
            assert_false(adjectives_after[i].before_noun);
            after += (adjectives_after[i].suits & kinds[k]) != 0;
        }
        assert_true(named > 0 && owned > 0 && before > 0 && after > 0);
    }
}

/* Two words of one language that are spelt alike mean the same here: else a sentence could have two
 * translations. */
static void test_english_words_are_different(void **state) {
    (void)state;
    for (int i = 0; i < NOUNS; i++) {
        for (int j = 0; j < NOUNS; j++) {
            assert_true(i == j || strcmp(nouns[i].english[0], nouns[j].english[0]) != 0);
            assert_true(strcmp(nouns[i].english[0], nouns[j].english[1]) != 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vowels),
        cmocka_unit_test(test_plurals),
        cmocka_unit_test(test_verbs),
        cmocka_unit_test(test_every_kind_has_its_words),
        cmocka_unit_test(test_english_words_are_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
