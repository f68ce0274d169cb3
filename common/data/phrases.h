/* Phrases: English sentences with their one right French translation, from a small grammar.
 *
 *     my sister does not often see a small black dog in the old garden
 *     ma sœur ne voit pas souvent de petit chien noir dans le vieux jardin
 *
 * Noun phrases with adjectives (petit, grand and vieux before the noun, the others behind it) that
 * agree in gender and number, possessives (my, his), subjects joined by and, verbs, adverbs behind
 * the verb, negation (ne .. pas, ne .. jamais; a direct object with "a" then takes de), the copula,
 * prepositional phrases. Elisions are words of their own: l' homme, n' aime, d' oiseau. There is no
 * end mark.
 *
 * Because a sentence is built with its translation, it is known which English words each French
 * word comes from: the gold alignment. */
#ifndef DATA_PHRASES_H
#define DATA_PHRASES_H

#include "core/rng.h"
#include "data/corpus.h"

enum { PHRASE_LIMIT = 24 }; /* tokens of the longest sentence, either language */

/* How a French word is linked to an English one. Sure: it is its translation. Possible: it helps
 * (the "does" of ne .. pas). After Och and Ney 2003. */
typedef enum Link { LINK_NONE = 0, LINK_POSSIBLE = 1, LINK_SURE = 2 } Link;

typedef struct Phrase {
    int S, T;                         /* English and French words */
    const char *source[PHRASE_LIMIT]; /* words; the strings are static */
    const char *target[PHRASE_LIMIT];
    unsigned char gold[PHRASE_LIMIT]
                      [PHRASE_LIMIT]; /* Link of French t with English s: gold[t][s] */
} Phrase;

/* A random sentence. The same English sentence always has the same French one. */
Phrase phrase_sample(Rng *rng);

/* The words joined by spaces; free() it. */
char *phrase_source_text(const Phrase *phrase);
char *phrase_target_text(const Phrase *phrase);

/* Does the order of the words change? True when two sure links cross. */
bool phrase_is_reordered(const Phrase *phrase);

/* A training and a held-out set, all sentences of both different from each other. */
typedef struct PhraseData {
    Vocab *source_vocab, *target_vocab; /* words, from the training part only */
    Corpus *train, *held_out;
    Phrase *held_out_phrase; /* (held_out->count): the same sentences with their gold alignments */
    long repeated;           /* samples thrown away because the sentence was there already */
} PhraseData;

PhraseData *phrases_new(int train, int held_out, uint64_t seed);
void phrases_free(PhraseData *data); /* NULL is fine */

#endif
