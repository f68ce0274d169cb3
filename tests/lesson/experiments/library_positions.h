/* The two functions that a PositionModel wants, made of nn/position.h and the operations: what the
 * lesson writes out, for tests. */
#ifndef TESTS_LESSON_LIBRARY_POSITIONS_H
#define TESTS_LESSON_LIBRARY_POSITIONS_H

#include "lesson/experiments/position_model.h"

#include <math.h>

static inline Tensor *library_enter(const PositionModel *m, Tape *tape, Tensor *words) {
    Tensor *x = op_scale(tape, words, sqrtf((float)m->plan.d));
    return position_add(tape, &m->position, x, m->start);
}

static inline Tensor *library_look(const PositionModel *m, Tape *tape, Tensor *q, Tensor *k,
                                   Tensor *v, Tensor **weights) {
    AttentionOptions options = {
        .heads = m->plan.heads, .causal = m->plan.causal, .weights = weights};
    if (m->plan.kind == POSITION_ROPE) {
        q = op_rope(tape, q, m->plan.heads, m->start, ROPE_INTERLEAVED);
        k = op_rope(tape, k, m->plan.heads, m->start, ROPE_INTERLEAVED);
    } else if (m->plan.kind == POSITION_ALIBI) {
        options.slopes = m->position.slopes;
    }
    return op_attention(tape, q, k, v, options);
}

/* An arm for each kind: its number is the kind. */
static inline void library_make(Run *run, PositionModel *m, int arm, PositionPlan plan) {
    Rng rng = run_rng(run, "weights");
    plan.kind = (PositionKind)arm;
    plan.enter = library_enter;
    plan.look = library_look;
    position_model_new(m, plan, &rng);
}

/* A model of that kind outside of any run. */
static inline void library_model(PositionModel *m, PositionKind kind, PositionPlan plan,
                                 uint64_t seed) {
    Rng rng = rng_seeded(seed, 1);
    plan.kind = kind;
    plan.enter = library_enter;
    plan.look = library_look;
    position_model_new(m, plan, &rng);
}

#endif
