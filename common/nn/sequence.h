/* What the three recurrent layers (rnn, lstm, gru) share when they run over a whole sequence. */
#ifndef NN_SEQUENCE_H
#define NN_SEQUENCE_H

#include "core/tape.h"

/* Which steps count and in which order they are taken. */
typedef struct SequenceOptions {
    const int *len; /* (B) real lengths, or NULL: all T. At a step t >= len[b] nothing happens: the
                       state is carried through, so that the last state is that of the last real
                       step, and padding receives no gradient. */
    bool reverse;   /* true: from the last step to the first */
} SequenceOptions;

/* Each layer is run as: project the inputs of all steps at once (one large matrix product), then
 * walk over the time steps with the recurrent half. This is the part of the walk that is the same
 * for every cell. */
typedef struct Walk {
    int T, B, H;
    int begin, end; /* the sequences that are walked through: all B, or one thread's share */
    const int *len; /* owned by the arena */
    bool reverse;
} Walk;

/* Checks x (T, B, gates * H), h0 (B, H) or NULL, the lengths (0 .. T), and copies them. */
Walk walk_new(Tape *tape, const char *op, const Tensor *projected, int gates, const Tensor *h0,
              SequenceOptions options);

/* The time index of the i-th step taken, and that of the one before it (-1: the initial state). */
int walk_time(const Walk *walk, int i);
int walk_time_before(const Walk *walk, int i);

/* Is step t of sequence b a real one? */
bool walk_is_real(const Walk *walk, int t, int b);

/* Sequences of a batch never meet, so each thread takes some of them through all time steps, and
 * nobody waits for anybody at a step. Calls `walk_part` with each share; what it does for one
 * sequence must not depend on which others there are. */
typedef void (*WalkPart)(const Walk *part, const void *context);
void walk_in_parts(const Walk *walk, int gates, WalkPart walk_part, const void *context);

/* w_hh (gates * H, H) transposed, (H, gates * H), on the arena: every step reads it, so turning it
 * over once is cheaper than in every product. */
const float *walk_turn_weights(Tape *tape, const Walk *walk, int gates, const Tensor *w_hh);

/* gh (B, gates * H) = h (B, H) w_hh^T + b_hh: the recurrent half of one step, in the rows of the
 * sequences begin .. end, like all that follows. */
void walk_recur(const Walk *walk, int gates, const float *h, const float *turned_w_hh,
                const Tensor *b_hh, float *gh);

/* What the way back needs room for, taken from the arena on the way there. */
typedef struct WalkScratch {
    float *dh;        /* (B, H) gradient of the state after the step in hand */
    float *dh_before; /* (B, H) gradient of the state before it */
    float *dgh;       /* (T, B, gates * H) gradients of the recurrent halves of all steps */
    float *dgx;       /* (T, B, gates * H) gradients of the projected inputs, or what stands in */
} WalkScratch;

WalkScratch walk_scratch(Tape *tape, const Walk *walk, int gates, const Tensor *projected);

/* Before the walk back: nothing is carried back yet, and dgx is where the gradient of the projected
 * inputs is kept, if it is. */
void walk_prepare_back(const Walk *walk, WalkScratch *scratch, Tensor *projected);

/* Begins the step back through time t: dh = what was carried back + dy[t]; dh_before = dh in the
 * rows of padding, which only carry it on. */
void walk_begin_back(const Walk *walk, WalkScratch *scratch, const float *dy, int t);

/* Ends it: dh_before += dgh[t] (B, gates * H) w_hh, which becomes the dh of the step before. */
void walk_end_back(const Walk *walk, WalkScratch *scratch, int gates, const Tensor *w_hh, int t);

/* After it: what was carried back belongs to h0 (B, H), if there is one that wants it. */
void walk_initial_gradient(const Walk *walk, const WalkScratch *scratch, Tensor *h0);

/* The numbers of h0 (B, H), or zeros where it is NULL. */
const float *walk_initial_state(Tape *tape, const Walk *walk, const Tensor *h0);

/* After the walk back: adds to the gradients of w_hh and b_hh what all steps contribute, as one
 * product over all time steps. dgh (T, B, gates * H); y (T, B, H) the states; h0 the initial state
 * (B, H). */
void walk_weight_gradients(const Walk *walk, int gates, const float *dgh, const float *y,
                           const float *h0, Tensor *w_hh, Tensor *b_hh);

/* The last state of y (T, B, H) in walking order: a view of y[T - 1] or, in reverse, of y[0]. */
Tensor *sequence_last(Tape *tape, Tensor *y, SequenceOptions options);

#endif
