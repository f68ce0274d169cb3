#include "data/phrases.h"

#include "core/check.h"
#include "data/phrases_grammar.h"
#include "data/text.h"

#include <stdlib.h>
#include <string.h>

/* English words of the shortest and the longest sentence: below four there is not enough to tell
 * the sentences apart, beyond sixteen a picture of the alignment is no longer readable. */
enum { SHORTEST = 4, LONGEST = 16 };

Phrase phrase_sample(Rng *rng) {
    Phrase phrase = {0};
    for (;;) {
        Sentence sentence = sentence_draw(rng);
        if (sentence_write(&sentence, &phrase) && phrase.S >= SHORTEST && phrase.S <= LONGEST) {
            return phrase;
        }
    }
}

static char *join(const char *const *words, int count) {
    size_t size = 1;
    for (int i = 0; i < count; i++) {
        size += strlen(words[i]) + 1;
    }
    char *text = check_alloc(size);
    char *at = text;
    for (int i = 0; i < count; i++) {
        size_t bytes = strlen(words[i]);
        if (i > 0) {
            *at++ = ' ';
        }
        memcpy(at, words[i], bytes);
        at += bytes;
    }
    return text;
}

char *phrase_source_text(const Phrase *phrase) {
    return join(phrase->source, phrase->S);
}

char *phrase_target_text(const Phrase *phrase) {
    return join(phrase->target, phrase->T);
}

bool phrase_is_reordered(const Phrase *phrase) {
    int furthest = -1; /* the last English word that an earlier French word came from */
    for (int t = 0; t < phrase->T; t++) {
        int last = furthest;
        for (int s = 0; s < phrase->S; s++) {
            if (phrase->gold[t][s] == LINK_SURE) {
                if (s < furthest) {
                    return true;
                }
                last = s > last ? s : last;
            }
        }
        furthest = last;
    }
    return false;
}

/* ---- the sets ---- */

static void count_words(TokenCounts *counts, const char *const *words, int count) {
    for (int i = 0; i < count; i++) {
        token_counts_add(counts, words[i], strlen(words[i]), 1);
    }
}

static void add_phrase(const PhraseData *data, Corpus *corpus, const Phrase *phrase) {
    int source[PHRASE_LIMIT], target[PHRASE_LIMIT];
    for (int s = 0; s < phrase->S; s++) {
        source[s] = vocab_id(data->source_vocab, phrase->source[s]);
    }
    for (int t = 0; t < phrase->T; t++) {
        target[t] = vocab_id(data->target_vocab, phrase->target[t]);
    }
    corpus_add(corpus, (Ids){source, phrase->S}, (Ids){target, phrase->T});
}

/* `count` samples without repetition; returns how many had to be thrown away. */
static long sample_different(Rng *rng, int count, Phrase *phrase) {
    TokenCounts *seen = token_counts_new();
    long repeated = 0;
    for (int i = 0; i < count;) {
        phrase[i] = phrase_sample(rng);
        char *text = phrase_source_text(&phrase[i]);
        if (token_counts_of(seen, text) > 0) {
            repeated++;
        } else {
            token_counts_add(seen, text, strlen(text), 1);
            i++;
        }
        free(text);
    }
    token_counts_free(seen);
    return repeated;
}

static void build_vocabs(PhraseData *data, const Phrase *phrase, int count) {
    TokenCounts *source = token_counts_new();
    TokenCounts *target = token_counts_new();
    for (int i = 0; i < count; i++) {
        count_words(source, phrase[i].source, phrase[i].S);
        count_words(target, phrase[i].target, phrase[i].T);
    }
    data->source_vocab = vocab_new(VOCAB_WORDS, source, 0, 1);
    data->target_vocab = vocab_new(VOCAB_WORDS, target, 0, 1);
    token_counts_free(source);
    token_counts_free(target);
}

PhraseData *phrases_new(int train, int held_out, uint64_t seed) {
    CHECK(train > 0 && held_out >= 0, "phrases_new: %d training and %d held-out sentences", train,
          held_out);
    PhraseData *data = check_alloc(sizeof *data);
    Rng rng = rng_seeded(seed, text_hash("phrases", strlen("phrases"), 0));
    Phrase *phrase = check_alloc((size_t)(train + held_out) * sizeof *phrase);
    data->repeated = sample_different(&rng, train + held_out, phrase);
    build_vocabs(data, phrase, train);
    data->train = corpus_new();
    data->held_out = corpus_new();
    data->held_out_phrase = check_alloc((size_t)held_out * sizeof *phrase);
    for (int i = 0; i < train + held_out; i++) {
        add_phrase(data, i < train ? data->train : data->held_out, &phrase[i]);
        if (i >= train) {
            data->held_out_phrase[i - train] = phrase[i];
        }
    }
    free(phrase);
    return data;
}

void phrases_free(PhraseData *data) {
    if (data == NULL) {
        return;
    }
    vocab_free(data->source_vocab);
    vocab_free(data->target_vocab);
    corpus_free(data->train);
    corpus_free(data->held_out);
    free(data->held_out_phrase);
    free(data);
}
