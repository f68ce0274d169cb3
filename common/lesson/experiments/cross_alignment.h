/* Which of its heads aligns? The alignment error of each head of cross-attention, and pictures of
 * all heads of a Transformer for one sentence. */
#ifndef LESSON_CROSS_ALIGNMENT_H
#define LESSON_CROSS_ALIGNMENT_H

#include "lesson/experiments/forcing.h"
#include "lesson/experiments/tasks.h"
#include "nn/transformer.h"

/* A Transformer that is led through right answers and leaves its weights in `trace`. */
typedef struct Traced {
    Forced forced;
    const AttentionTrace *trace; /* filled in by forced.logits while the tape does not record */
    const Transformer *net;
} Traced;

enum { HEADS_MOST = TRANSFORMER_MOST_LAYERS * 64 };

/* Alignment error rates (see aer_rate()) of the heads of cross-attention. */
typedef struct HeadErrors {
    int layers, heads;
    double rate[HEADS_MOST]; /* (layers, heads); NaN where there is no cross-attention */
    double mean;             /* that of the mean over the heads of the last layer */
    int best, worst;         /* layer * heads + head of the smallest and of the largest */
} HeadErrors;

/* On held-out phrases, the corpus of `traced`. The row of weights read for word t is t + shift: 0
 * is right. */
HeadErrors heads_alignment(const Run *run, const Traced *traced, const Phrase *phrases, int shift);

/* All of them as a table: a row for each layer, a column for each head. */
void heads_alignment_show(Run *run, const HeadErrors *errors);

/* Every map of one held-out pair of the task: PREFIX_encoder.png, PREFIX_decoder.png and
 * PREFIX_cross.png, a row for each layer and a column for each head. The errors, unless NULL, go
 * into the titles of the last, and the map of the best head is drawn in the terminal as well. */
void heads_draw(Run *run, const Traced *traced, const Task *task, int pair,
                const HeadErrors *errors, const char *prefix);

#endif
