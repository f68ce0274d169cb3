#include "data/vocab.h"

#include "core/check.h"
#include "data/text.h"
#include "io/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- counting ---- */

typedef struct Entry {
    char *token;
    long count;
    int order; /* of first appearance */
} Entry;

struct TokenCounts {
    Entry *entry; /* in order of first appearance */
    int distinct, room;
    long total;
    int *slot; /* entry + 1, or 0 for an empty slot; open addressing with linear probing */
    unsigned slot_count;
};

static char *copy_bytes(const char *bytes, size_t size) {
    char *copy = check_alloc(size + 1);
    memcpy(copy, bytes, size);
    return copy;
}

static bool same_token(const char *token, const char *bytes, size_t size) {
    return strncmp(token, bytes, size) == 0 && token[size] == '\0';
}

TokenCounts *token_counts_new(void) {
    TokenCounts *counts = check_alloc(sizeof *counts);
    counts->slot_count = 64;
    counts->slot = check_alloc(counts->slot_count * sizeof *counts->slot);
    return counts;
}

void token_counts_free(TokenCounts *counts) {
    if (counts == NULL) {
        return;
    }
    for (int i = 0; i < counts->distinct; i++) {
        free(counts->entry[i].token);
    }
    free(counts->entry);
    free(counts->slot);
    free(counts);
}

/* The slot that holds the token, or the empty one where it belongs. */
static unsigned find_slot(const TokenCounts *counts, const char *token, size_t bytes) {
    unsigned mask = counts->slot_count - 1;
    unsigned slot = (unsigned)text_hash(token, bytes, 0) & mask;
    while (counts->slot[slot] != 0 &&
           !same_token(counts->entry[counts->slot[slot] - 1].token, token, bytes)) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

/* Twice the room for entries, four slots for each: the table stays at most a quarter full. */
static void counts_grow(TokenCounts *counts) {
    int room = counts->room > 0 ? 2 * counts->room : 16;
    Entry *entry = check_alloc((size_t)room * sizeof *entry);
    if (counts->distinct > 0) {
        memcpy(entry, counts->entry, (size_t)counts->distinct * sizeof *entry);
    }
    free(counts->entry);
    counts->entry = entry;
    counts->room = room;
    free(counts->slot);
    counts->slot_count = 4 * (unsigned)room;
    counts->slot = check_alloc(counts->slot_count * sizeof *counts->slot);
    for (int i = 0; i < counts->distinct; i++) {
        const char *token = entry[i].token;
        counts->slot[find_slot(counts, token, strlen(token))] = i + 1;
    }
}

void token_counts_add(TokenCounts *counts, const char *token, size_t bytes, long times) {
    if (counts->distinct == counts->room) {
        counts_grow(counts);
    }
    unsigned slot = find_slot(counts, token, bytes);
    if (counts->slot[slot] == 0) {
        counts->entry[counts->distinct] = (Entry){copy_bytes(token, bytes), 0, counts->distinct};
        counts->slot[slot] = ++counts->distinct;
    }
    counts->entry[counts->slot[slot] - 1].count += times;
    counts->total += times;
}

/* The next token of a text: its begin and size; false at the end. */
static bool next_token(VocabKind kind, const char **text, const char **token, size_t *bytes) {
    if (kind == VOCAB_WORDS) {
        *text += strspn(*text, " ");
        *token = *text;
        *bytes = strcspn(*text, " ");
        *text += *bytes;
    } else {
        *token = *text;
        utf8_next(text);
        *bytes = (size_t)(*text - *token);
    }
    return *bytes > 0;
}

void token_counts_add_text(TokenCounts *counts, VocabKind kind, const char *text) {
    const char *token;
    size_t bytes;
    while (next_token(kind, &text, &token, &bytes)) {
        token_counts_add(counts, token, bytes, 1);
    }
}

int token_counts_distinct(const TokenCounts *counts) {
    return counts->distinct;
}

long token_counts_total(const TokenCounts *counts) {
    return counts->total;
}

long token_counts_of(const TokenCounts *counts, const char *token) {
    int found = counts->slot[find_slot(counts, token, strlen(token))];
    return found == 0 ? 0 : counts->entry[found - 1].count;
}

/* ---- the vocabulary ---- */

/* Most frequent first; of equals the one seen first. */
static int compare_entries(const void *left, const void *right) {
    const Entry *a = left;
    const Entry *b = right;
    if (a->count != b->count) {
        return a->count > b->count ? -1 : 1;
    }
    return (a->order > b->order) - (a->order < b->order);
}

/* The special tokens are not entered into the hash table: no text finds them. */
static void vocab_enter(Vocab *vocab, int id) {
    const char *token = vocab->token[id];
    unsigned mask = vocab->slot_count - 1;
    unsigned slot = (unsigned)text_hash(token, strlen(token), 0) & mask;
    while (vocab->slot[slot] != 0) {
        slot = (slot + 1) & mask;
    }
    vocab->slot[slot] = id + 1;
}

Vocab *vocab_new(VocabKind kind, const TokenCounts *counts, int max_size, int min_count) {
    static const char *const special[VOCAB_SPECIALS] = {"<pad>", "<start>", "<end>", "<unk>"};
    CHECK(max_size == 0 || max_size >= VOCAB_SPECIALS,
          "vocab_new: max_size %d leaves no room for the %d special tokens", max_size,
          VOCAB_SPECIALS);
    size_t distinct = (size_t)counts->distinct;
    Entry *sorted = check_alloc(distinct * sizeof *sorted);
    if (distinct > 0) {
        memcpy(sorted, counts->entry, distinct * sizeof *sorted);
        qsort(sorted, distinct, sizeof *sorted, compare_entries);
    }
    int limit = max_size > 0 ? max_size : counts->distinct + VOCAB_SPECIALS;
    int kept = 0;
    while (kept < counts->distinct && kept + VOCAB_SPECIALS < limit &&
           sorted[kept].count >= min_count) {
        kept++;
    }
    Vocab *vocab = check_alloc(sizeof *vocab);
    vocab->kind = kind;
    vocab->size = VOCAB_SPECIALS + kept;
    vocab->token = check_alloc((size_t)vocab->size * sizeof *vocab->token);
    for (vocab->slot_count = 16; vocab->slot_count < 4 * (unsigned)vocab->size;) {
        vocab->slot_count *= 2;
    }
    vocab->slot = check_alloc(vocab->slot_count * sizeof *vocab->slot);
    for (int id = 0; id < vocab->size; id++) {
        const char *token = id < VOCAB_SPECIALS ? special[id] : sorted[id - VOCAB_SPECIALS].token;
        vocab->token[id] = copy_bytes(token, strlen(token));
        if (id >= VOCAB_SPECIALS) {
            vocab_enter(vocab, id);
        }
    }
    free(sorted);
    return vocab;
}

void vocab_free(Vocab *vocab) {
    if (vocab == NULL) {
        return;
    }
    for (int id = 0; id < vocab->size; id++) {
        free(vocab->token[id]);
    }
    free(vocab->token);
    free(vocab->slot);
    free(vocab);
}

int vocab_id_bytes(const Vocab *vocab, const char *token, size_t bytes) {
    unsigned mask = vocab->slot_count - 1;
    unsigned slot = (unsigned)text_hash(token, bytes, 0) & mask;
    for (; vocab->slot[slot] != 0; slot = (slot + 1) & mask) {
        int id = vocab->slot[slot] - 1;
        if (same_token(vocab->token[id], token, bytes)) {
            return id;
        }
    }
    return VOCAB_UNK;
}

int vocab_id(const Vocab *vocab, const char *token) {
    return vocab_id_bytes(vocab, token, strlen(token));
}

const char *vocab_token(const Vocab *vocab, int id) {
    CHECK(id >= 0 && id < vocab->size, "vocab_token: id %d is not in 0..%d", id, vocab->size - 1);
    return vocab->token[id];
}

/* ---- texts ---- */

int vocab_count(VocabKind kind, const char *text) {
    const char *token;
    size_t bytes;
    int count = 0;
    while (next_token(kind, &text, &token, &bytes)) {
        count++;
    }
    return count;
}

int vocab_encode(const Vocab *vocab, const char *text, int *ids, int room) {
    const char *token;
    size_t bytes;
    int count = 0;
    for (; next_token(vocab->kind, &text, &token, &bytes); count++) {
        if (count < room) {
            ids[count] = vocab_id_bytes(vocab, token, bytes);
        }
    }
    return count;
}

char *vocab_decode(const Vocab *vocab, const int *ids, int count) {
    size_t size = 1;
    int end = 0;
    for (; end < count && ids[end] != VOCAB_END; end++) {
        size += strlen(vocab_token(vocab, ids[end])) + 1; /* + 1: the space */
    }
    char *text = check_alloc(size);
    char *at = text;
    for (int i = 0; i < end; i++) {
        if (ids[i] == VOCAB_PAD || ids[i] == VOCAB_START) {
            continue;
        }
        if (vocab->kind == VOCAB_WORDS && at > text) {
            *at++ = ' ';
        }
        const char *token = vocab->token[ids[i]];
        size_t bytes = strlen(token);
        memcpy(at, token, bytes);
        at += bytes;
    }
    *at = '\0';
    return text;
}

double vocab_unk_rate(const int *ids, int count) {
    long unknown = 0;
    long words = 0;
    for (int i = 0; i < count; i++) {
        unknown += ids[i] == VOCAB_UNK;
        words += ids[i] >= VOCAB_UNK;
    }
    return words > 0 ? (double)unknown / (double)words : 0.0;
}
