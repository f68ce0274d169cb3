/* Teacher forcing, all at once: a Transformer is given a whole right answer and says, in one pass,
 * what it would write at each of its steps. What can be asked of that without any training, and how
 * often the next token is right.
 *
 * A change of answer t of a target shows twice in a batch: as target_output at step t and as
 * target_input at step t + 1. */
#ifndef LESSON_FORCING_H
#define LESSON_FORCING_H

#include "lesson/experiments/translation.h"

/* The scores of all steps of a batch: (B, T, V), row t of sequence b what it answers at step t. */
typedef Tensor *(*ForcedLogits)(void *model, Tape *tape, const Batch *batch);

/* A model that can be led through whole answers, and through the same answers step by step. */
typedef struct Forced {
    const Translator *translator;
    ForcedLogits logits;  /* gets translator->model */
    const Corpus *corpus; /* where the sentences of the checks come from: at least two */
} Forced;

/* Share of the target tokens, the end token included, that get the highest score when all tokens
 * before them are given; over the first `count` pairs, B at a time. 0 .. 1. */
double forced_accuracy(const Run *run, const Forced *forced, int B, int count);

/* Changes answer t, for each t in turn, in the first pair: the largest change of a score at or
 * before step t, in training (the tape records) and in evaluation. 0 when nothing sees ahead. */
double forced_leak(const Forced *forced);

/* Changes a token of the source: the largest change of a score. 0 when nobody reads it. */
double forced_source_effect(const Forced *forced);

/* Exchanges two neighbours of the source that differ: the largest change of a score. */
double forced_order_effect(const Forced *forced);

/* The pair with the shortest source alone, and beside the one with the longest: the largest
 * difference between its scores. */
double forced_padding_effect(const Forced *forced);

/* Whole answers at once against one token after the other (translator->begin and step): the largest
 * difference between two scores of the first two pairs. */
double forced_step_difference(const Forced *forced);

#endif
