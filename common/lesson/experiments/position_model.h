/* A small Transformer whose way of knowing where a token stands can be chosen: what lesson 06
 * compares. How it enters is the lesson's own affair, through two functions that it brings along;
 * everything around them is the same for all:
 *
 *     x = enter(words)                               words (B, L, d), from N(0, 1 / d)
 *     in each layer:   n = norm1(x)
 *                      x = x + W_o look(W_q n, W_k n, W_v n)
 *                      x = x + ff(norm2(x))          pre-LN; ff of 4 d relu units
 *     states = norm(x)                               logits = W states + b
 *
 *     PositionModel m;
 *     position_model_new(&m, (PositionPlan){.kind = POSITION_ROPE, .V = 16, .d = 32,
 *                        .heads = 4, .layers = 1, .enter = enter, .look = look}, &rng);
 *     Tensor *logits = position_model_logits(&m, tape, ids, B, L);
 *     position_model_free(&m); */
#ifndef LESSON_POSITION_MODEL_H
#define LESSON_POSITION_MODEL_H

#include "lesson/refusal.h"
#include "lesson/run.h"
#include "nn/embedding.h"
#include "nn/position.h"
#include "nn/transformer.h"

typedef struct PositionModel PositionModel;

/* What goes into the first layer: words (B, L, d) -> (B, L, d). */
typedef Tensor *(*PositionEnter)(const PositionModel *model, Tape *tape, Tensor *words);

/* What the heads find: q, k, v (B, L, d), heads side by side -> (B, L, d). `weights`, unless NULL,
 * is to be set to the weights (B, H, L, L). */
typedef Tensor *(*PositionLook)(const PositionModel *model, Tape *tape, Tensor *q, Tensor *k,
                                Tensor *v, Tensor **weights);

typedef struct PositionPlan {
    PositionKind kind;
    bool causal; /* a token sees itself and those before it; false: all tokens */
    int form;    /* for the functions of the lesson: the variant of the kind */
    int V;       /* different tokens */
    int outputs; /* logits for each token; 0: V */
    int d, heads, layers;
    int max_length; /* rows of a learned table */
    PositionEnter enter;
    PositionLook look;
    const void *context; /* for the two functions */
} PositionPlan;

enum { POSITION_MODEL_LAYERS = 4 };

struct PositionModel {
    PositionPlan plan;
    int start; /* where the first token stands: 0 unless changed. For the lesson's functions */
    Params params;
    Embedding words; /* (V, d) */
    Position position;
    EncoderLayer layer[POSITION_MODEL_LAYERS]; /* the weights; with three projections */
    LayerNorm norm;
    Linear out; /* d -> outputs */
};

/* Fresh weights from `rng`. At most POSITION_MODEL_LAYERS layers. Every kind draws the same numbers
 * for the weights it shares with the others. `model` must stay where it is. */
void position_model_new(PositionModel *model, PositionPlan plan, Rng *rng);
void position_model_free(PositionModel *model);

/* Several models to be compared. */
typedef struct PositionArms {
    const char *const *names;
    int count;
    /* A fresh model: fills in what is different for this arm and calls position_model_new(). */
    void (*make)(Run *run, PositionModel *model, int arm, PositionPlan plan);
} PositionArms;

/* ids (B, L), row-major -> the states after the last norm (B, L, d). `weights` is NULL, or has room
 * for the weights (B, H, L, L) of each layer. */
Tensor *position_model_states(const PositionModel *model, Tape *tape, const int *ids, int B, int L,
                              Tensor **weights);

/* ids (B, L) -> logits for each token (B, L, outputs). */
Tensor *position_model_logits(const PositionModel *model, Tape *tape, const int *ids, int B, int L);

/* Largest change of the logits of ids (B, L) when the first token stands at `start` instead of 0.
 */
double position_model_moved(PositionModel *model, const int *ids, int B, int L, int start);

/* What a fresh model of that arm says to a row of L tokens: the message, if it refuses them. */
Refusal position_refusal(Run *run, const PositionArms *arms, int arm, PositionPlan plan, int L);

/* ids (B, L) -> logits for each row, read from the mean of its states (B, outputs). */
Tensor *position_model_pooled(const PositionModel *model, Tape *tape, const int *ids, int B, int L);

#endif
