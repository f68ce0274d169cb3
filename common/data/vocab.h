/* Vocabularies: from words or characters to numbers and back.
 *
 * A text is either a line of words with one space between two of them (what text_tokenise() makes)
 * or a string of characters, where a character is a code point and a space is one, too. Everything
 * is UTF-8. */
#ifndef DATA_VOCAB_H
#define DATA_VOCAB_H

#include <stdbool.h>
#include <stddef.h>

/* The four special tokens come first in every vocabulary. Padding has an id of its own that is
 * neither start nor end: a model must be able to tell "nothing here" from "begin". */
enum { VOCAB_PAD = 0, VOCAB_START = 1, VOCAB_END = 2, VOCAB_UNK = 3, VOCAB_SPECIALS = 4 };

typedef enum VocabKind { VOCAB_WORDS, VOCAB_CHARACTERS } VocabKind;

/* ---- counting ---- */

/* How often each token was seen, in order of first appearance. */
typedef struct TokenCounts TokenCounts;

TokenCounts *token_counts_new(void);
void token_counts_free(TokenCounts *counts); /* NULL is fine */

/* Counts `times` more of one token of `bytes` bytes (no NUL needed, none inside). */
void token_counts_add(TokenCounts *counts, const char *token, size_t bytes, long times);

/* Counts every word or character of a text. */
void token_counts_add_text(TokenCounts *counts, VocabKind kind, const char *text);

int token_counts_distinct(const TokenCounts *counts); /* different tokens */
long token_counts_total(const TokenCounts *counts);   /* tokens, repetitions included */
long token_counts_of(const TokenCounts *counts, const char *token);

/* ---- the vocabulary ---- */

typedef struct Vocab {
    VocabKind kind;
    int size;            /* V, special tokens included */
    char **token;        /* (V) */
    int *slot;           /* hash table: id + 1, or 0 for an empty slot */
    unsigned slot_count; /* a power of two */
} Vocab;

/* The special tokens and the most frequent tokens of `counts`: those seen at least min_count times,
 * at most max_size entries in all (specials included; 0: no limit). Ties are broken by first
 * appearance, so the same text gives the same ids on every machine. A token spelt like a special
 * one ("<pad>") gets an ordinary entry: text can never speak as padding, start or end. */
Vocab *vocab_new(VocabKind kind, const TokenCounts *counts, int max_size, int min_count);
void vocab_free(Vocab *vocab); /* NULL is fine */

/* The id of a token (never a special one) or VOCAB_UNK. The second form takes no NUL. */
int vocab_id(const Vocab *vocab, const char *token);
int vocab_id_bytes(const Vocab *vocab, const char *token, size_t bytes);

/* The token of an id, "<pad>", "<start>", "<end>", "<unk>" for the special ones. An id out of range
 * is an error. */
const char *vocab_token(const Vocab *vocab, int id);

/* Number of words or characters of a text. */
int vocab_count(VocabKind kind, const char *text);

/* Ids of a text, without start and end. Writes at most `room` of them and returns how many the text
 * has: more than `room` means that the rest was cut off. */
int vocab_encode(const Vocab *vocab, const char *text, int *ids, int room);

/* The text of `count` ids in memory of its own (free() it): words joined by spaces, characters one
 * after another. Stops at VOCAB_END, leaves padding and start out, shows VOCAB_UNK as "<unk>". */
char *vocab_decode(const Vocab *vocab, const int *ids, int count);

/* Share of ids that are VOCAB_UNK, 0 .. 1, among those that are no other special token; 0 when
 * there are none. */
double vocab_unk_rate(const int *ids, int count);

#endif
