/* How far back does a layer reach? The gradient of its last output with respect to each of its
 * inputs, before any training, for the ways there are to read a sequence. */
#ifndef LESSON_DISTANCE_H
#define LESSON_DISTANCE_H

#include "lesson/experiments/look.h"
#include "lesson/run.h"

typedef enum Reader {
    READER_ATTENTION, /* one self-attention, W_q, W_k, W_v from N(0, 1/d) */
    READER_RNN,       /* these three with the usual weights U(-1/sqrt(d), 1/sqrt(d)), gates half */
    READER_LSTM,      /* open */
    READER_GRU,
    READER_CNN, /* layers of width 3 that see the token and the two before it, tanh */
    READERS,
} Reader;

enum {
    READER_SIZE = 64,                     /* d, of tokens and states */
    READER_LAYERS = 8,                    /* of the CNN */
    READER_FIELD = 2 * READER_LAYERS + 1, /* tokens its last output depends on */
    READER_MOST_TOKENS = 1024,
};

extern const char *const reader_names[READERS];

/* n tokens x ~ N(0, 1) in B sequences, L = v . y_n with a random direction v of length 1 for each.
 * Writes the mean over the sequences of log10 ||dL/dx_{n-d}|| to log_norm[d], d = 0 .. n-1;
 * -INFINITY where the gradient is exactly 0. Readers measured with the same `rng` get the same
 * tokens. */
void reader_reach(Reader reader, Looker looker, int n, int B, Rng rng, double *log_norm);

/* All of them over n tokens: a table, the picture distance.png, and the slopes in decades (powers
 * of ten) per 10 steps over the distances 10 .. n-1; for the CNN, which has none, the farthest
 * distance with any gradient. */
void readers_compare(Run *run, Looker looker, int n, int B, double slope[READERS]);

/* Attention alone over sequences of these lengths (count <= 8): mean over all distances but 0 of
 * the gradient's length, typical (10 to the mean of log10). A table, and distance_by_length.png.
 * Returns the slope of log10 gradient against log10 length: -1 when it goes like 1/n. */
double attention_by_length(Run *run, Looker looker, const int *lengths, int count, double *typical);

#endif
