/* Batches: B sequences of different lengths side by side, padded to the longest.
 *
 * Recurrent networks take one step of all sequences at a time, so time comes first: token t of
 * sequence b is at [t * B + b]. */
#ifndef DATA_BATCH_H
#define DATA_BATCH_H

#include "core/rng.h"
#include "data/corpus.h"

/* The arrays belong to the Batcher and are overwritten by its next batch.
 *
 * Target "le chat dort" as a decoder sees it, and what it must answer at the same step:
 *
 *     target_input    <start>  le    chat  dort   <pad>
 *     target_output   le       chat  dort  <end>  <pad>
 */
typedef struct Batch {
    int B;              /* sequences: the last batch of a pass may be smaller, so always ask here */
    int S;              /* longest source, its end token included where there is one */
    int T;              /* longest target, its end token included */
    int *source;        /* (S, B), VOCAB_PAD behind the end of each */
    int *source_length; /* (B) */
    int *target_input;  /* (T, B) */
    int *target_output; /* (T, B) */
    int *target_length; /* (B), the end token included */
    int *pair;          /* (B): which pair of the corpus */
    int tokens;         /* sum of target_length: predictions that count */
} Batch;

typedef struct BatchOptions {
    int B;           /* sequences in a batch */
    bool source_end; /* put an end token behind each source */
    int pool; /* bucketing: pool * B shuffled pairs at a time are sorted by length and cut into
                 batches, which saves most of the padding; 0 or 1: no sorting */
} BatchOptions;

typedef struct Batcher {
    const Corpus *corpus; /* not owned */
    BatchOptions options;
    Rng rng;
    Batch batch;
    int *order;   /* (count): the pairs in the order of this epoch */
    int *place;   /* (batches): batch i of the epoch is order[place[i] * B] and what follows */
    int *scratch; /* (count): for sorting */
    int batches;  /* batches of an epoch */
    int next;     /* batch to come */
    int epoch;    /* 0 before the first batch, 1 during the first pass, ... */
} Batcher;

/* Makes room for the largest batch; after this, no batch allocates anything. The corpus must have
 * at least one pair, keep its size and outlive the batcher. */
Batcher *batcher_new(const Corpus *corpus, BatchOptions options, Rng rng);
void batcher_free(Batcher *batcher); /* NULL is fine */

/* The next batch, without end: every pair comes once in each epoch, in a new random order each
 * time. The same Rng gives the same batches. */
const Batch *batcher_next(Batcher *batcher);

/* The pairs begin .. end - 1 in order, at most options.B of them (`end` may lie behind the end of
 * the corpus): for evaluation,
 *     for (int i = 0; i < corpus->count; i += B) batch = batcher_range(batcher, i, i + B);
 * It does not disturb the epoch, but overwrites the batch of batcher_next. */
const Batch *batcher_range(Batcher *batcher, int begin, int end);

/* A batch of the given pairs, at most options.B. */
const Batch *batcher_pick(Batcher *batcher, const int *pairs, int count);

/* The same tokens sequence by sequence, for models that take all steps at once: time_major (T, B),
 * as source (with S) and the targets of a batch are, -> rows (B, T), one sequence after the other.
 * `rows` may not overlap `time_major`. */
void batch_rows(const int *time_major, int T, int B, int *rows);

/* Share of the target steps of a batch that are padding. */
double batch_padding(const Batch *batch);

/* Sequence b with its decoder input and output side by side, one step per line, for showing that
 * the target is shifted by exactly one; free() it:
 *
 *     step  input    output
 *        0  <start>  le
 *        1  le       chat
 */
char *batch_side_by_side(const Batch *batch, int b, const Vocab *target_vocab);

#endif
