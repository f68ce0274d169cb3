/* Drawing a plan: who does what to whom, by chance, with the chances that make sentences of about
 * ten words, four in five of which change their order in French. */
#include "data/phrases_grammar.h"

#include <stddef.h>

/* In per cent. */
enum {
    CHANCE_PLURAL = 25,
    CHANCE_INDEFINITE = 25,
    CHANCE_MINE = 15,
    CHANCE_HIS = 15,
    CHANCE_BEFORE = 45,
    CHANCE_AFTER = 40,
    CHANCE_VERY = 20,
    CHANCE_TWO_SUBJECTS = 25,
    CHANCE_PRONOUN = 10,
    CHANCE_NOT = 25,
    CHANCE_NEVER = 12,
    CHANCE_ADVERB = 20,
    CHANCE_PLACE = 85,
    CHANCE_HERE = 30
};

static bool chance(Rng *rng, int percent) {
    return (int)rng_below(rng, 100) < percent;
}

static int below(Rng *rng, int n) {
    return (int)rng_below(rng, (uint32_t)n);
}

static const Noun *draw_noun(Rng *rng, int kinds) {
    const Noun *noun;
    do {
        noun = &nouns[below(rng, NOUNS)];
    } while ((noun->kind & kinds) == 0);
    return noun;
}

static const Adjective *draw_adjective(Rng *rng, const Adjective *from, int count, int kind) {
    const Adjective *adjective;
    do {
        adjective = &from[below(rng, count)];
    } while ((adjective->suits & kind) == 0);
    return adjective;
}

static Determiner draw_determiner(Rng *rng, const NounPhrase *phrase) {
    int percent = below(rng, 100);
    if (phrase->number == SINGULAR && percent < CHANCE_INDEFINITE) {
        return A;
    }
    if (phrase->noun->owned && percent >= 100 - CHANCE_MINE - CHANCE_HIS) {
        return percent >= 100 - CHANCE_HIS ? HIS : MY;
    }
    return THE;
}

static NounPhrase draw_phrase(Rng *rng, int kinds) {
    NounPhrase phrase = {.noun = draw_noun(rng, kinds)};
    phrase.number = chance(rng, CHANCE_PLURAL) ? PLURAL : SINGULAR;
    phrase.determiner = draw_determiner(rng, &phrase);
    int kind = phrase.noun->kind;
    if (chance(rng, CHANCE_BEFORE)) {
        phrase.before = draw_adjective(rng, adjectives_before, ADJECTIVES_BEFORE, kind);
    }
    if (chance(rng, CHANCE_AFTER)) {
        phrase.after = draw_adjective(rng, adjectives_after, ADJECTIVES_AFTER, kind);
    }
    const Adjective *first = phrase.before != NULL ? phrase.before : phrase.after;
    phrase.very = first != NULL && first->graded && chance(rng, CHANCE_VERY);
    return phrase;
}

static void draw_subject(Rng *rng, Sentence *sentence, int kinds) {
    if (chance(rng, CHANCE_PRONOUN)) {
        sentence->subject = chance(rng, 50) ? SUBJECT_HE : SUBJECT_SHE;
        return;
    }
    /* The adjective behind a copula has one subject to agree with: two would make the feminine
     * plural so rare that it could not be learnt. */
    bool two = sentence->predicate != IS && chance(rng, CHANCE_TWO_SUBJECTS);
    sentence->subject = two ? SUBJECT_TWO : SUBJECT_ONE;
    sentence->who[0] = draw_phrase(rng, kinds);
    if (sentence->subject == SUBJECT_TWO) {
        /* Beings go with beings, houses with houses, books with letters. */
        int kind = sentence->who[0].noun->kind;
        do {
            sentence->who[1] = draw_phrase(rng, (kind & BEING) != 0 ? kinds & BEING : kind);
        } while (sentence->who[1].noun == sentence->who[0].noun);
    }
}

static void draw_place(Rng *rng, Sentence *sentence) {
    bool somewhere = sentence->predicate == IS_SOMEWHERE;
    int likely = sentence->predicate == DOES ? 100 : CHANCE_PLACE; /* short: there is room */
    if (!chance(rng, likely)) {
        sentence->here = somewhere || chance(rng, CHANCE_HERE);
        return;
    }
    do {
        sentence->preposition = &prepositions[below(rng, PREPOSITIONS)];
    } while (somewhere && sentence->preposition->object == BEING);
    sentence->place = draw_phrase(rng, sentence->preposition->object);
}

static void draw_verb(Rng *rng, Sentence *sentence) {
    static const PredicateKind kind[] = {DOES,    DOES,    DOES_TO, DOES_TO, DOES_TO,
                                         DOES_TO, DOES_TO, IS,      IS,      IS_SOMEWHERE};
    sentence->predicate = kind[below(rng, (int)(sizeof kind / sizeof *kind))];
    if (sentence->predicate == DOES) {
        sentence->verb = &intransitive_verbs[below(rng, INTRANSITIVE_VERBS)];
    } else if (sentence->predicate == DOES_TO) {
        sentence->verb = &transitive_verbs[below(rng, TRANSITIVE_VERBS)];
    }
    int percent = below(rng, 100);
    sentence->polarity = percent < CHANCE_NOT                  ? NOT
                         : percent < CHANCE_NOT + CHANCE_NEVER ? NEVER
                                                               : PLAIN;
    if (sentence->polarity != NEVER && chance(rng, CHANCE_ADVERB)) {
        sentence->adverb = chance(rng, 50) ? OFTEN : ALWAYS;
    }
}

static void draw_copula_adjective(Rng *rng, Sentence *sentence) {
    int kind = sentence->subject == SUBJECT_ONE ? sentence->who[0].noun->kind : HUMAN;
    sentence->adjective = chance(rng, 50)
                              ? draw_adjective(rng, adjectives_before, ADJECTIVES_BEFORE, kind)
                              : draw_adjective(rng, adjectives_after, ADJECTIVES_AFTER, kind);
    sentence->very = sentence->adjective->graded && chance(rng, 2 * CHANCE_VERY);
}

Sentence sentence_draw(Rng *rng) {
    Sentence sentence = {.subject = SUBJECT_ONE};
    draw_verb(rng, &sentence);
    draw_subject(rng, &sentence, sentence.verb != NULL ? sentence.verb->subject : ANYTHING);
    if (sentence.predicate == IS) {
        draw_copula_adjective(rng, &sentence);
        return sentence;
    }
    if (sentence.predicate == DOES_TO) {
        sentence.object = draw_phrase(rng, sentence.verb->object);
    }
    draw_place(rng, &sentence);
    return sentence;
}
