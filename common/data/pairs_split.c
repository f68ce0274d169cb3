/* Pairs, second half: which sentences are held out, and the numbers a model trains on. */
#include "data/pairs.h"

#include "core/check.h"
#include "data/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pair with a sentence to sort it by. Sorting by hash is a shuffle that every machine repeats and
 * that does not depend on the order of the file. */
typedef struct Key {
    uint64_t hash;
    const char *text;
    int pair;
} Key;

static bool same_text(const Key *a, const Key *b) {
    return a->hash == b->hash && strcmp(a->text, b->text) == 0;
}

static int compare_keys(const void *left, const void *right) {
    const Key *a = left;
    const Key *b = right;
    if (a->hash != b->hash) {
        return a->hash < b->hash ? -1 : 1;
    }
    int order = strcmp(a->text, b->text);
    return order != 0 ? order : (a->pair > b->pair) - (a->pair < b->pair);
}

static Key key_of(const char *text, int pair, uint64_t seed) {
    return (Key){text_hash(text, strlen(text), seed), text, pair};
}

/* The tokens of a sentence without punctuation; a sentence of nothing else stays as it is. */
static char *words_alone(const char *tokens) {
    char *words = check_alloc(strlen(tokens) + 1);
    char *to = words;
    for (const char *token = tokens; *token != '\0';) {
        size_t bytes = strcspn(token, " ");
        if (!text_is_punctuation(token, bytes)) {
            memcpy(to, token, bytes);
            to += bytes;
            *to++ = ' ';
        }
        token += bytes + strspn(token + bytes, " ");
    }
    if (to == words) {
        strcpy(words, tokens);
    } else {
        to[-1] = '\0';
    }
    return words;
}

/* How many of `different` sentences to hold out: the share, rounded, but some on either side. */
static int held_out_number(double share, int different) {
    int number = (int)lround(share * different);
    if (number < 1) {
        return 1;
    }
    return number < different ? number : different - 1;
}

bool pairs_split(const PairList *list, double share, uint64_t seed, bool *held_out, Error *error) {
    CHECK(share > 0 && share < 1, "pairs_split: held-out share %g is not between 0 and 1", share);
    size_t count = (size_t)list->count;
    char **words = check_alloc(count * sizeof *words);
    Key *key = check_alloc(count * sizeof *key);
    for (int i = 0; i < list->count; i++) {
        words[i] = words_alone(list->pair[i].source);
        key[i] = key_of(words[i], i, seed);
    }
    qsort(key, count, sizeof *key, compare_keys);
    int different = 0;
    for (int i = 0; i < list->count; i++) {
        different += i == 0 || !same_text(&key[i - 1], &key[i]);
    }
    int limit = held_out_number(share, different);
    int group = 0; /* sentences met so far */
    for (int i = 0; i < list->count; i++) {
        group += i == 0 || !same_text(&key[i - 1], &key[i]);
        held_out[key[i].pair] = group <= limit;
    }
    for (int i = 0; i < list->count; i++) {
        free(words[i]);
    }
    free(words);
    free(key);
    return different >= 2 ||
           error_set(error,
                     "%d different source sentence%s: a training and a held-out part need two",
                     different, different == 1 ? "" : "s");
}

/* ---- ids ---- */

static void count_training(const PairList *list, const bool *held_out, const PairsOptions *options,
                           PairData *data) {
    TokenCounts *source = token_counts_new();
    TokenCounts *target = token_counts_new();
    for (int i = 0; i < list->count; i++) {
        if (!held_out[i]) {
            token_counts_add_text(source, VOCAB_WORDS, list->pair[i].source);
            token_counts_add_text(target, VOCAB_WORDS, list->pair[i].target);
        }
    }
    data->source_vocab = vocab_new(VOCAB_WORDS, source, options->max_vocab, options->min_count);
    data->target_vocab = vocab_new(VOCAB_WORDS, target, options->max_vocab, options->min_count);
    token_counts_free(source);
    token_counts_free(target);
}

/* The ids of a text, in memory of its own. */
static Ids encode(const Vocab *vocab, const char *text, int **room) {
    int length = vocab_count(vocab->kind, text);
    *room = check_alloc((size_t)length * sizeof **room);
    vocab_encode(vocab, text, *room, length);
    return (Ids){*room, length};
}

static void add_pair(const PairData *data, Corpus *corpus, const Pair *pair) {
    int *source, *target;
    Ids source_ids = encode(data->source_vocab, pair->source, &source);
    Ids target_ids = encode(data->target_vocab, pair->target, &target);
    corpus_add(corpus, source_ids, target_ids);
    free(source);
    free(target);
}

/* Fills the held-out corpus, pairs of the same source next to each other. */
static void add_held_out(PairData *data, const PairList *list, const bool *held_out,
                         uint64_t seed) {
    Key *key = check_alloc((size_t)list->count * sizeof *key);
    size_t count = 0;
    for (int i = 0; i < list->count; i++) {
        if (held_out[i]) {
            key[count++] = key_of(list->pair[i].source, i, seed);
        }
    }
    qsort(key, count, sizeof *key, compare_keys);
    data->reference = check_alloc((count + 1) * sizeof *data->reference);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !same_text(&key[i - 1], &key[i])) {
            data->reference[data->held_out_sources++] = (int)i;
        }
        add_pair(data, data->held_out, &list->pair[key[i].pair]);
    }
    data->reference[data->held_out_sources] = (int)count;
    free(key);
}

static double unk_rate(const IdTable *table, int count) {
    return vocab_unk_rate(table->id, table->begin[count]);
}

bool pairs_load(const char *path, const PairsOptions *options, PairData *data, PairsReport *report,
                Error *error) {
    PairList list;
    Error split_error;
    *data = (PairData){0};
    if (!pairs_read(path, options, &list, report, error)) {
        return false;
    }
    bool *held_out = check_alloc((size_t)list.count * sizeof *held_out);
    bool fine = pairs_split(&list, options->held_out, options->seed, held_out, &split_error) ||
                error_set(error, "%s: %s", path, split_error.text);
    if (fine) {
        count_training(&list, held_out, options, data);
        data->train = corpus_new();
        data->held_out = corpus_new();
        for (int i = 0; i < list.count; i++) {
            if (!held_out[i]) {
                add_pair(data, data->train, &list.pair[i]);
            }
        }
        add_held_out(data, &list, held_out, options->seed);
        data->source_unk = unk_rate(&data->held_out->source, data->held_out->count);
        data->target_unk = unk_rate(&data->held_out->target, data->held_out->count);
    }
    free(held_out);
    pairs_free(&list);
    return fine;
}

void pairs_data_free(PairData *data) {
    vocab_free(data->source_vocab);
    vocab_free(data->target_vocab);
    corpus_free(data->train);
    corpus_free(data->held_out);
    free(data->reference);
    *data = (PairData){0};
}
