/* What lesson 04 writes out. */
#include "grade/calls/call.h"

#include "lesson/experiments/masking.h"

typedef struct Projections {
    Tensor *w_q, *w_k, *w_v;
} Projections;

typedef struct SelfAttention {
    Tensor *q, *k, *v, *scores, *weights, *y;
} SelfAttention;

SelfAttention self_attention(Tape *tape, const Projections *w, Tensor *x, const Mask *mask,
                             Masking how);

void check_04_attention(Call *c);
void check_04_attention(Call *c) {
    Projections w = {call_tensor(c, "W_q"), call_tensor(c, "W_k"), call_tensor(c, "W_v")};
    SelfAttention a = self_attention(call_tape(c), &w, call_tensor(c, "x"), NULL, MASK_OUT);
    answer_tensor(c, "scores", a.scores);
    answer_tensor(c, "weights", a.weights);
    answer_tensor(c, "y", a.y);
}

/* Who sees only itself and the next. */
void check_04_masked(Call *c);
void check_04_masked(Call *c) {
    Projections w = {call_tensor(c, "W_q"), call_tensor(c, "W_k"), call_tensor(c, "W_v")};
    Tensor *x = call_tensor(c, "x");
    int L = x->dim[1];
    bool *may = arena_alloc(&call_tape(c)->arena, (size_t)(L * L) * sizeof *may);
    for (int i = 0; i < L * L; i++) {
        may[i] = i % L == i / L || i % L == i / L + 1;
    }
    Mask mask = {1, L, L, may};
    SelfAttention a = self_attention(call_tape(c), &w, x, &mask, MASK_OUT);
    answer_tensor(c, "weights", a.weights);
    answer_tensor(c, "y", a.y);
}
