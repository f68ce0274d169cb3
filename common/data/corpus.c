#include "data/corpus.h"

#include "core/check.h"

#include <stdlib.h>
#include <string.h>

/* Room for at least `needed` ints, growing by doubling. */
static void reserve(int **array, int *room, int needed) {
    if (needed <= *room) {
        return;
    }
    int larger = *room > 0 ? *room : 64;
    while (larger < needed) {
        CHECK(larger <= (1 << 29), "corpus: more than 2^30 tokens on one side");
        larger *= 2;
    }
    int *copy = check_alloc((size_t)larger * sizeof *copy);
    if (*room > 0) {
        memcpy(copy, *array, (size_t)*room * sizeof *copy);
    }
    free(*array);
    *array = copy;
    *room = larger;
}

static void table_add(IdTable *table, int count, Ids ids) {
    reserve(&table->begin, &table->begin_room, count + 2);
    int begin = table->begin[count];
    reserve(&table->id, &table->id_room, begin + ids.length);
    if (ids.length > 0) {
        memcpy(table->id + begin, ids.id, (size_t)ids.length * sizeof *ids.id);
    }
    table->begin[count + 1] = begin + ids.length;
}

static Ids table_row(const IdTable *table, int i) {
    return (Ids){table->id + table->begin[i], table->begin[i + 1] - table->begin[i]};
}

Corpus *corpus_new(void) {
    Corpus *corpus = check_alloc(sizeof *corpus);
    reserve(&corpus->source.begin, &corpus->source.begin_room, 1);
    reserve(&corpus->target.begin, &corpus->target.begin_room, 1);
    reserve(&corpus->source.id, &corpus->source.id_room, 1);
    reserve(&corpus->target.id, &corpus->target.id_room, 1);
    return corpus;
}

void corpus_free(Corpus *corpus) {
    if (corpus == NULL) {
        return;
    }
    free(corpus->source.id);
    free(corpus->source.begin);
    free(corpus->target.id);
    free(corpus->target.begin);
    free(corpus);
}

void corpus_add(Corpus *corpus, Ids source, Ids target) {
    table_add(&corpus->source, corpus->count, source);
    table_add(&corpus->target, corpus->count, target);
    corpus->count++;
    if (source.length > corpus->longest_source) {
        corpus->longest_source = source.length;
    }
    if (target.length > corpus->longest_target) {
        corpus->longest_target = target.length;
    }
}

static void check_index(const Corpus *corpus, int i) {
    CHECK(i >= 0 && i < corpus->count, "corpus: pair %d of %d", i, corpus->count);
}

Ids corpus_source(const Corpus *corpus, int i) {
    check_index(corpus, i);
    return table_row(&corpus->source, i);
}

Ids corpus_target(const Corpus *corpus, int i) {
    check_index(corpus, i);
    return table_row(&corpus->target, i);
}

bool ids_equal(Ids a, Ids b) {
    if (a.length != b.length) {
        return false;
    }
    for (int i = 0; i < a.length; i++) {
        if (a.id[i] != b.id[i]) {
            return false;
        }
    }
    return true;
}

Ids ids_column(const int *steps, int B, int b, int max_steps, int *room) {
    int length = 0;
    for (; length < max_steps; length++) {
        int id = steps[length * B + b];
        if (id == VOCAB_END || id == VOCAB_PAD) {
            break;
        }
        room[length] = id;
    }
    return (Ids){room, length};
}

/* ---- the reversal task ---- */

/* One more pair; room has space for twice its length. */
static void add_reversal(Corpus *corpus, int symbols, int length, int *room, Rng *rng) {
    int *forward = room, *backward = room + length;
    for (int t = 0; t < length; t++) {
        forward[t] = VOCAB_SPECIALS + (int)rng_below(rng, (uint32_t)symbols);
        backward[length - 1 - t] = forward[t];
    }
    corpus_add(corpus, (Ids){forward, length}, (Ids){backward, length});
}

Corpus *reversal_corpus(int count, int symbols, int shortest, int longest, Rng *rng) {
    CHECK(symbols > 0 && shortest >= 0 && shortest <= longest,
          "reversal_corpus: %d symbols, lengths %d..%d", symbols, shortest, longest);
    Corpus *corpus = corpus_new();
    int *room = check_alloc(2 * (size_t)longest * sizeof *room);
    for (int i = 0; i < count; i++) {
        int length = shortest + (int)rng_below(rng, (uint32_t)(longest - shortest + 1));
        add_reversal(corpus, symbols, length, room, rng);
    }
    free(room);
    return corpus;
}

Corpus *reversal_corpus_by_length(int each, int symbols, const int *lengths, int length_count,
                                  Rng *rng) {
    CHECK(symbols > 0 && length_count > 0, "reversal_corpus_by_length: %d symbols, %d lengths",
          symbols, length_count);
    Corpus *corpus = corpus_new();
    for (int i = 0; i < each * length_count; i++) {
        int length = lengths[i % length_count];
        CHECK(length >= 0, "reversal_corpus_by_length: a length of %d", length);
        int *room = check_alloc(2 * (size_t)length * sizeof *room);
        add_reversal(corpus, symbols, length, room, rng);
        free(room);
    }
    return corpus;
}

Vocab *reversal_vocab(int symbols) {
    CHECK(symbols > 0 && symbols <= 26, "reversal_vocab: %d symbols, only 1..26 have letters",
          symbols);
    TokenCounts *counts = token_counts_new();
    for (int k = 0; k < symbols; k++) {
        char letter = (char)('a' + k);
        token_counts_add(counts, &letter, 1, 1);
    }
    Vocab *vocab = vocab_new(VOCAB_WORDS, counts, 0, 1);
    token_counts_free(counts);
    return vocab;
}
