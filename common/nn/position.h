/* Where is a token? Four answers, and none.
 *
 *   sinusoidal  added to the embedding: Vaswani et al. 2017, section 3.5
 *   learned     added to the embedding, a table of weights: Gehring et al. 2017, section 3.1
 *   RoPE        turns queries and keys: Su et al. 2021 (op_rope)
 *   ALiBi       a penalty on the score that grows with distance: Press, Smith and Lewis 2022 */
#ifndef NN_POSITION_H
#define NN_POSITION_H

#include "core/ops.h"
#include "core/params.h"

typedef enum PositionKind {
    POSITION_NONE,
    POSITION_SINUSOIDAL,
    POSITION_LEARNED,
    POSITION_ROPE,
    POSITION_ALIBI,
} PositionKind;

/* The words for it, in the order of the enum and ended by NULL: for flags. */
extern const char *const position_names[];

/* pe (length, d), one row for each position p = start .. start + length - 1:
 *
 *   pe[2i] = sin(p 10000^(-2i / d))        pe[2i + 1] = cos(p 10000^(-2i / d))
 *
 * An odd d has one sine more. Computed in double precision. */
void sinusoidal_table(float *pe, int start, int length, int d);

/* ALiBi's slopes for H heads: 2^(-8 h / H), h = 1 .. H, when H is a power of 2; otherwise those of
 * the next smaller power P, then every other one of 2 P, as the authors do. */
void alibi_slopes(float *slopes, int H);

enum { POSITION_MOST_HEADS = 64 };

/* What a model knows about positions. */
typedef struct Position {
    PositionKind kind;
    int d_model, heads;
    int max_length;  /* rows of the learned table; 0 for the other kinds: no limit */
    Tensor *table;   /* learned: (max_length, d_model) from N(0, 1) */
    RopePairs pairs; /* of RoPE: ROPE_INTERLEAVED unless changed */
    float slopes[POSITION_MOST_HEADS]; /* of ALiBi: (heads) */
} Position;

/* Declares "name.table" where the kind needs one. At most POSITION_MOST_HEADS heads. RoPE refuses a
 * head of odd size. `max_length` matters for the learned kind only. */
Position position_new(Params *params, const char *name, PositionKind kind, int d_model, int heads,
                      int max_length);

/* x (B, L, d_model) with the encodings of positions start .. start + L - 1 added, the same for
 * every row of the batch; x itself for the kinds that add nothing here. Positions past a learned
 * table stop with a message: "position: 40 positions from 0, the learned table has 32". */
Tensor *position_add(Tape *tape, const Position *position, Tensor *x, int start);

#endif
