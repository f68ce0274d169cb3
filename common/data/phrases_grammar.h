/* The grammar of the phrases: a sentence is first planned (what is said of whom), then written in
 * both languages at once. Lessons want phrases.h; this is for its insides and its tests. */
#ifndef DATA_PHRASES_GRAMMAR_H
#define DATA_PHRASES_GRAMMAR_H

#include "data/phrases.h"
#include "data/phrases_words.h"

typedef enum Determiner { THE, A, MY, HIS } Determiner; /* A with a singular noun only */

/* "the very old sad man" */
typedef struct NounPhrase {
    Determiner determiner;
    const Noun *noun;
    Number number;
    const Adjective *before, *after; /* in French; NULL: none */
    bool very;                       /* grades the first adjective */
} NounPhrase;

typedef enum SubjectKind { SUBJECT_ONE, SUBJECT_TWO, SUBJECT_HE, SUBJECT_SHE } SubjectKind;
typedef enum PredicateKind { DOES, DOES_TO, IS, IS_SOMEWHERE } PredicateKind;
typedef enum Polarity { PLAIN, NOT, NEVER } Polarity;
typedef enum Adverb { NO_ADVERB, OFTEN, ALWAYS } Adverb; /* not with NEVER */

typedef struct Sentence {
    SubjectKind subject;
    NounPhrase who[2]; /* the second for SUBJECT_TWO; none for a pronoun */
    PredicateKind predicate;
    Polarity polarity;
    Adverb adverb;
    const Verb *verb;           /* DOES, DOES_TO */
    NounPhrase object;          /* DOES_TO */
    const Adjective *adjective; /* IS */
    bool very;
    const Preposition *preposition; /* NULL: none */
    NounPhrase place;
    bool here; /* at the end, without a preposition; IS_SOMEWHERE has one of the two */
} Sentence;

/* A random plan. */
Sentence sentence_draw(Rng *rng);

/* Writes a plan in English and French with its alignment; false when either side has more than
 * PHRASE_LIMIT words. */
bool sentence_write(const Sentence *sentence, Phrase *phrase);

#endif
