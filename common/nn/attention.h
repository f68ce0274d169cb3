/* Attention of a decoder over the states of an encoder: one query looks at S keys.
 *
 *   weights = softmax over the keys of score(query, key)        context = sum of weight * value
 *
 * Additive score: Bahdanau, Cho and Bengio 2015, equation in section 3.1 and appendix A.1.2.
 * Dot, general and concat scores: Luong, Pham and Manning 2015, section 3.1.
 *
 * Shapes: query (B, Dq), keys (B, S, Dk), values (B, S, Dv), weights (B, S), context (B, Dv). The
 * mask says which keys are real (true = may look); a sequence without any gets weights and context
 * of zero. */
#ifndef NN_ATTENTION_H
#define NN_ATTENTION_H

#include "core/ops.h"
#include "core/params.h"

typedef struct Attended {
    Tensor *context; /* (B, Dv) */
    Tensor *weights; /* (B, S) */
} Attended;

/* softmax of the scores (B, S), then the weighted sum of the values. mask: NULL, or (B, 1, S). */
Attended attend(Tape *tape, Tensor *scores, Tensor *values, const Mask *mask);

/* States of an encoder, (S, B, D) as a recurrent layer leaves them -> (B, S, D) as attention wants
 * them. A copy: do it once per sentence. */
Tensor *attention_batch_first(Tape *tape, Tensor *states);

/* ---- additive: score = v . tanh(W_q query + W_k key) ---- */

typedef struct AdditiveAttention {
    Tensor *w_q; /* (A, Dq) */
    Tensor *w_k; /* (A, Dk) */
    Tensor *v;   /* (A) */
} AdditiveAttention;

/* Matrices from U(-1/sqrt(in), 1/sqrt(in)), v from U(-1/sqrt(A), 1/sqrt(A)). */
AdditiveAttention additive_new(Params *params, const char *name, int Dq, int Dk, int A);

/* W_k key for all keys, (B, S, Dk) -> (B, S, A): they do not change while the decoder walks, so
 * this is done once per sentence. */
Tensor *additive_keys(Tape *tape, const AdditiveAttention *attention, Tensor *keys);

/* Scores of one query against the projected keys: (B, Dq), (B, S, A) -> (B, S). */
Tensor *additive_score(Tape *tape, const AdditiveAttention *attention, Tensor *query,
                       Tensor *projected_keys);

/* score[b][s] = v . tanh(q[b] + k[b][s]): q (B, A), k (B, S, A), v (A) -> (B, S), in one pass. */
Tensor *op_additive_score(Tape *tape, Tensor *q, Tensor *k, Tensor *v);

/* ---- Luong's three scores ---- */

typedef enum LuongScore {
    LUONG_DOT,     /* query . key, both of the same size */
    LUONG_GENERAL, /* query . W key */
    LUONG_CONCAT,  /* v . tanh(W [query; key]) */
} LuongScore;

typedef struct LuongAttention {
    LuongScore score;
    Tensor *w; /* general: (Dq, Dk); concat: (A, Dq + Dk); dot: NULL */
    Tensor *v; /* concat: (A); else NULL */
} LuongAttention;

/* Declares what the score needs; A matters for concat only. The dot score refuses Dq != Dk. */
LuongAttention luong_new(Params *params, const char *name, LuongScore score, int Dq, int Dk, int A);

/* Whatever of the score depends on the keys alone, once per sentence: (B, S, Dk) -> (B, S, Dq) for
 * general, (B, S, A) for concat, the keys themselves for dot. */
Tensor *luong_keys(Tape *tape, const LuongAttention *attention, Tensor *keys);

/* Scores of one query against the keys that luong_keys() returned: (B, Dq) -> (B, S). */
Tensor *luong_score(Tape *tape, const LuongAttention *attention, Tensor *query,
                    Tensor *prepared_keys);

#endif
