/* The reading half of a translator: words in, one state for each word out. */
#ifndef NN_ENCODER_H
#define NN_ENCODER_H

#include "nn/embedding.h"
#include "nn/gru.h"

typedef struct Encoder {
    Embedding words; /* (V, E) */
    bool both_ways;  /* two GRUs of H / 2, one from left to right, one from right to left */
    BiGru both;      /* E -> H / 2 each */
    Gru right;       /* E -> H, where it reads from left to right only */
    int hidden;      /* H */
} Encoder;

/* Both ways (Schuster and Paliwal 1997; Bahdanau et al. 2015, section 3.2) needs an even H. */
Encoder encoder_new(Params *params, const char *name, int V, int E, int H, bool both_ways);

typedef struct Encoded {
    Tensor *states; /* (B, S, H): state i knows word i and what lies before it, or around it */
    Tensor *last;   /* (B, H): after the last word; both ways: and, for the other half of it, after
                       the first */
} Encoded;

/* ids (S, B), time-major, length[b] of them real; padding leaves no trace in `last`. */
Encoded encoder_forward(Tape *tape, const Encoder *encoder, const int *ids, const int *length,
                        int S, int B);

#endif
