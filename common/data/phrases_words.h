/* The words of the phrase grammar, English and French. */
#ifndef DATA_PHRASES_WORDS_H
#define DATA_PHRASES_WORDS_H

#include <stdbool.h>

typedef enum Gender { MASCULINE, FEMININE } Gender;
typedef enum Number { SINGULAR, PLURAL } Number;

/* What a noun stands for, so that sentences make sense: nobody reads a cat. Bits, to be joined. */
enum {
    HUMAN = 1,
    BEAST = 2,
    BIRD = 4,
    PLACE = 8,
    WRITING = 16,
    BEING = HUMAN | BEAST | BIRD,
    ANYTHING = BEING | PLACE | WRITING
};

typedef struct Noun {
    const char *english[2]; /* by Number */
    const char *french[2];
    Gender gender;
    int kind;   /* one of the bits above */
    bool owned; /* "my brother" yes, "my man" no */
} Noun;

typedef struct Adjective {
    const char *english;
    const char *french[2][2];        /* by Gender, Number */
    const char *french_before_vowel; /* masculine singular: vieil homme; NULL: nothing special */
    bool before_noun;                /* in French */
    bool graded;                     /* "very small" yes, "very red" no */
    int suits;                       /* kinds of nouns */
} Adjective;

typedef struct Verb {
    const char *english[2]; /* third person by Number; the plural is the form behind "does not" */
    const char *french[2];
    int subject, object; /* kinds that suit; object 0: intransitive */
} Verb;

typedef struct Preposition {
    const char *english, *french;
    int object;
} Preposition;

enum {
    NOUNS = 13,
    ADJECTIVES_BEFORE = 3,
    ADJECTIVES_AFTER = 4,
    TRANSITIVE_VERBS = 4,
    INTRANSITIVE_VERBS = 2,
    PREPOSITIONS = 3
};

extern const Noun nouns[NOUNS];
extern const Adjective adjectives_before[ADJECTIVES_BEFORE];
extern const Adjective adjectives_after[ADJECTIVES_AFTER];
extern const Verb transitive_verbs[TRANSITIVE_VERBS];
extern const Verb intransitive_verbs[INTRANSITIVE_VERBS]; /* the first is sleep, the second sing */
extern const Preposition prepositions[PREPOSITIONS];

/* Does a French word make le, la, de, ne, ma before it change? All words in h here have a
 * silent one (homme). */
bool french_begins_with_vowel(const char *word);

#endif
