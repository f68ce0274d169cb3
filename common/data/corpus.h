/* A corpus: sentence pairs as numbers, ready for training.
 *
 * All ids lie in two long arrays, one for the sources and one for the targets; a pair is a stretch
 * of each. Start, end and padding are not stored: batch.h adds them. */
#ifndef DATA_CORPUS_H
#define DATA_CORPUS_H

#include "core/rng.h"
#include "data/vocab.h"

/* A sequence of ids that belongs to somebody else. */
typedef struct Ids {
    const int *id;
    int length;
} Ids;

/* One side of a corpus: sequence i is id[begin[i]] .. id[begin[i + 1] - 1]. */
typedef struct IdTable {
    int *id;
    int *begin; /* (count + 1) */
    int id_room, begin_room;
} IdTable;

typedef struct Corpus {
    int count;          /* pairs */
    int longest_source; /* in tokens, without start and end */
    int longest_target;
    IdTable source, target;
} Corpus;

Corpus *corpus_new(void);
void corpus_free(Corpus *corpus); /* NULL is fine */

/* Appends a copy of one pair. An empty side is allowed. */
void corpus_add(Corpus *corpus, Ids source, Ids target);

/* The two sides of pair i, valid until the next corpus_add. An index out of range is an error. */
Ids corpus_source(const Corpus *corpus, int i);
Ids corpus_target(const Corpus *corpus, int i);

/* Same length, same ids? */
bool ids_equal(Ids a, Ids b);

/* The tokens of sequence b of a time-major block: steps[t * B + b] for t < max_steps, up to (not
 * including) the first `end` or VOCAB_PAD. They are copied to `room` (max_steps). */
Ids ids_column(const int *steps, int B, int b, int max_steps, int *room);

/* ---- the reversal task: a b c -> c b a ---- */

/* `count` sequences of shortest .. longest symbols (each length equally likely), each symbol drawn
 * from `symbols` at random; the target is the source backwards. Symbol k has the id
 * VOCAB_SPECIALS + k, so the vocabulary has VOCAB_SPECIALS + symbols entries. */
Corpus *reversal_corpus(int count, int symbols, int shortest, int longest, Rng *rng);

/* `each` sequences of each of the lengths, which take turns: so that the first pairs are an even
 * sample of all lengths. For testing by length. */
Corpus *reversal_corpus_by_length(int each, int symbols, const int *lengths, int length_count,
                                  Rng *rng);

/* Names for those ids: "a", "b", ...; at most 26 symbols. */
Vocab *reversal_vocab(int symbols);

#endif
