/* What lesson 02 wrote out and later lessons only use: the part of a recurrent translator that does
 * not depend on how its decoder looks at the source.
 *
 *     source --encoder--> h (B, S, H), first state of the decoder (B, H)     once per sentence
 *     last word y --advance()--> found (B, H) --out--> scores of the next    once per word
 *
 * A lesson puts a Seq2seq first in its own model and brings look_at() and advance(). */
#ifndef LESSON_SEQ2SEQ_H
#define LESSON_SEQ2SEQ_H

#include "lesson/experiments/translation.h"
#include "nn/encoder.h"
#include "nn/linear.h"

enum { SEQ2SEQ_KEPT = 4 };

typedef struct Seq2seq Seq2seq;
struct Seq2seq {
    int V, E, H; /* entries of the target, size of a word, size of a state */
    Params params;
    Encoder encoder; /* GRU both ways, E -> H */
    Linear bridge;   /* H -> H: from the encoder's last state to the decoder's first */
    Embedding words; /* (V, E) of the target */
    Linear out;      /* H -> V */

    /* Once per sentence, when h, length and mask are set: the decoder's first state is (B, H). */
    void (*look_at)(Seq2seq *model, Tape *tape, Tensor *first);

    /* One step of the decoder: from the last word y (B, E) to what the next one is read from,
     * (B, H). Sets `weights`. */
    Tensor *(*advance)(Seq2seq *model, Tape *tape, Tensor *y);

    /* For beam search: where the lesson keeps what a step leaves to the next, (B, ...) each:
     * {&m->s, &m->found}. With none there, the translator has no reorder(). */
    Tensor **kept[SEQ2SEQ_KEPT];

    /* of the batch in hand */
    Tape *tape;
    Tensor *h;         /* (B, S, H): states of the encoder */
    const int *length; /* (B): how many of the S are words */
    Mask mask;         /* (B, 1, S): true = a word, may be looked at */
    Tensor *weights;   /* (B, S): where the decoder looked in its last step, at first nowhere */
};

/* Declares encoder, bridge, words and out; H must be even. The lesson declares its own parameters
 * in `params`, sets look_at and advance (and kept), and allocates. */
Seq2seq seq2seq_new(int V_source, int V, int E, int H);

/* Begins with states h that are there already, instead of reading a source: what training and
 * translating do once per batch. */
void seq2seq_look_at(Seq2seq *model, Tape *tape, Tensor *h, const int *length, Tensor *first);

/* Loss (the decoder is given the right words and must answer each with the next one) and
 * translation (it is given its own) for training and judging. */
Translator seq2seq_translator(Seq2seq *model);

#endif
