/* The barest model with attention: one layer of it, and nothing that could do its work.
 *
 *     x = layernorm(token + position + segment)      (B, L, d_model), all three tables from N(0, 1)
 *     y = attention(x) W + b                         (B, L, outputs)
 *
 * No residual connection, no feed-forward network: what a position has to know of another one can
 * come through the heads alone. */
#ifndef LESSON_ONE_LAYER_H
#define LESSON_ONE_LAYER_H

#include "nn/embedding.h"
#include "nn/multi_head.h"

enum { ONE_LAYER_HEADS = 16 }; /* at most */

/* How the layer attends: x (B, L, d_model) -> the same shape; `weights`, unless NULL, is set to
 * (B, H, L, L). It is handed in, so that a lesson can bring a form of its own (and its mistakes).
 */
typedef Tensor *(*AttendFunction)(void *context, Tape *tape, const MultiHead *layer, Tensor *x,
                                  Tensor **weights);

typedef struct OneLayerPlan {
    int V;        /* tokens */
    int L;        /* positions */
    int segments; /* 0: the model knows of none */
    int d_model, heads;
    int outputs;
    AttendFunction attend;
    void *context; /* handed to attend() */
} OneLayerPlan;

typedef struct OneLayer {
    OneLayerPlan plan;
    Params params;
    Embedding words;     /* (V, d_model) */
    Embedding segments;  /* (segments, d_model), when there are any */
    Tensor *positions;   /* (L, d_model) */
    Tensor *gain, *bias; /* (d_model) each: of the norm */
    MultiHead heads;     /* three projections */
    Linear out;          /* d_model -> outputs */
} OneLayer;

/* At most ONE_LAYER_HEADS heads. Release with one_layer_free(). */
OneLayer one_layer_new(const OneLayerPlan *plan, Rng *rng);
void one_layer_free(OneLayer *model);

/* ids (B, L), and segments (B, L) or NULL when there are none -> (B, L, outputs). `weights` may be
 * NULL. */
Tensor *one_layer_forward(const OneLayer *model, Tape *tape, const int *ids, const int *segments,
                          int B, Tensor **weights);

#endif
