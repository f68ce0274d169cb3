/* Beam search: keep the K most probable beginnings instead of one (Graves 2012; Sutskever, Vinyals
 * and Le 2014, section 3.2). */
#ifndef NN_BEAM_H
#define NN_BEAM_H

#include <stdbool.h>

/* One step of some decoder for `rows` sequences at once: the token each was given last -> scores of
 * the next ones (logits), (rows, V) row-major. Before that, row r goes on from what was row
 * parent[r] in the step before (the decoder copies its state so); NULL: every row stays. Parents
 * are rows of the same sequence. Numbers must stay valid until the next call. */
typedef const float *(*BeamStep)(void *decoder, const int *parent, const int *previous, int rows);

typedef struct BeamOptions {
    int beams;       /* K; 1 is greedy decoding */
    float normalise; /* a finished sequence of n tokens (its end counted) is judged by its log
                        probability / n^normalise; 0: not at all, which favours short ones; 1: mean
                        per token; never negative */
    int start, end;  /* tokens */
    int max_steps;   /* longest output, the end token included */
} BeamOptions;

typedef struct BeamResult {
    int *tokens; /* (B, max_steps): the best of each, without the end token */
    int *length; /* (B) */
    int *said;   /* (B): length and one more if the end token came */
    int *row;    /* (B, max_steps): token t (the end token, too) was read from this row of step t;
                    so whatever else the decoder noted for that row and step (where it looked)
                    belongs to the token */
    double *log_probability; /* (B): of the best one, not normalised, its end token included */
    double *score;           /* (B): normalised, what the choice was made by */
} BeamResult;

/* B sequences with K beams each: row b K + k is beam k of sequence b, and all of them begin with
 * the start token. At each step the K most probable continuations of a sequence's living beams
 * survive, by their log probability. Of those that end the best is kept aside, the others live on
 * (so there may be fewer than K of them for a step; the rows left over are fed the end token and
 * not looked at). The one kept aside is the answer as soon as no living beam can beat it any more,
 * however it goes on; a sequence that has not ended after max_steps competes with what it has.
 * Nothing in it depends on the other sequences of the batch. Ties go to the lower beam, then the
 * lower token, and between finished sequences to the shorter one.
 *
 * A logit of NaN or -inf is a token that is never said; when no living beam can say anything, the
 * sequence ends there with what it has. B, V, K or max_steps below 1, an end token outside of 0 ..
 * V-1 and a normalise that is negative or not finite stop with a message. The result is on the
 * heap: beam_free(). */
BeamResult beam_search(BeamStep step, void *decoder, int B, int V, BeamOptions options);
void beam_free(BeamResult *result);

#endif
