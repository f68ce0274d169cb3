#include "nn/rnn.h"

#include "core/kernels/rows.h"

#include <math.h>
#include <string.h>

enum { GATES = 1 }; /* no gate at all: one projection */

Rnn rnn_new(Params *params, const char *name, int I, int H) {
    Init init = init_uniform(1.0f / sqrtf((float)H));
    return (Rnn){
        .w_ih = params_add(params, name, "w_ih", init, SHAPE(H, I)),
        .w_hh = params_add(params, name, "w_hh", init, SHAPE(H, H)),
        .b_ih = params_add(params, name, "b_ih", init, SHAPE(H)),
        .b_hh = params_add(params, name, "b_hh", init, SHAPE(H)),
        .input = I,
        .hidden = H,
    };
}

/* Exercise 1.1 */
Tensor *rnn_step(Tape *tape, const Rnn *rnn, Tensor *x, Tensor *h) {
    Tensor *gx = op_linear(tape, x, rnn->w_ih, rnn->b_ih);
    Tensor *gh = op_linear(tape, h, rnn->w_hh, rnn->b_hh);
    /* h' = tanh(W_ih x + b_ih + W_hh h + b_hh) */
    return op_tanh(tape, op_add(tape, gx, gh));
}

typedef struct RnnState {
    Walk walk;
    const float *gx;     /* (T, B, H): the inputs of all steps, already projected */
    const float *turned; /* (H, H): w_hh transposed */
    const Tensor *b_hh;
    const float *h0; /* (B, H) */
    float *y;        /* (T, B, H) */
    WalkScratch back;
} RnnState;

/* Exercise 1.2 */
/* One row of one step backward: dgh_i = dh_i (1 - h'_i^2), and the same for the input half. */
static void rnn_row_back(int H, const float *restrict out, const float *restrict dh,
                         float *restrict dgx, float *restrict dgh, float *restrict dh_before) {
    for (int i = 0; i < H; i++) {
        dgh[i] = dh[i] * (1.0f - out[i] * out[i]);
        dgx[i] += dgh[i];
        dh_before[i] = 0.0f; /* nothing passes by the tanh */
    }
}

/* All time steps backward, for the sequences begin .. end of w. */
static void rnn_walk_back(const Walk *w, const void *context) {
    const TapeNode *node = context;
    const Tensor *w_hh = node->in[1];
    Tensor *h0 = node->in[3];
    const RnnState *s = node->saved;
    const float *y = node->out->data;
    WalkScratch back = s->back;
    for (int i = w->T - 1; i >= 0; i--) {
        int t = walk_time(w, i);
        walk_begin_back(w, &back, node->out->grad, t);
        for (int b = w->begin; b < w->end; b++) {
            long row = ((long)t * w->B + b) * w->H, state = (long)b * w->H;
            if (walk_is_real(w, t, b)) {
                rnn_row_back(w->H, y + row, back.dh + state, back.dgx + row, back.dgh + row,
                             back.dh_before + state);
            }
        }
        walk_end_back(w, &back, GATES, w_hh, t);
    }
    walk_initial_gradient(w, &back, h0);
}

static void rnn_sequence_backward(const TapeNode *node) {
    RnnState *s = node->saved;
    Tensor *w_hh = node->in[1], *b_hh = node->in[2];
    walk_prepare_back(&s->walk, &s->back, node->in[0]);
    walk_in_parts(&s->walk, GATES, rnn_walk_back, node);
    walk_weight_gradients(&s->walk, GATES, s->back.dgh, node->out->data, s->h0, w_hh, b_hh);
}

/* All time steps forward, for the sequences begin .. end of w. */
static void rnn_walk(const Walk *w, const void *context) {
    const RnnState *s = context;
    int B = w->B, H = w->H;
    long first = (long)w->begin * H, size = (long)(w->end - w->begin) * H;
    for (int i = 0; i < w->T; i++) {
        int t = walk_time(w, i), before = walk_time_before(w, i);
        const float *h = before < 0 ? s->h0 : s->y + (long)before * B * H;
        float *out = s->y + (long)t * B * H, *mine = out + first;
        const float *gx = s->gx + (long)t * B * H + first;
        /* Exercise 1.1 */
        walk_recur(w, GATES, h, s->turned, s->b_hh, out);
        add(mine, mine, gx, size);
        tanh_forward(mine, mine, size);
        /* End of exercise 1.1 */
        for (int b = w->begin; b < w->end && w->len != NULL; b++) {
            if (!walk_is_real(w, t, b)) { /* padding: the state is carried through */
                memcpy(out + (long)b * H, h + (long)b * H, (size_t)H * sizeof(float));
            }
        }
    }
}

static Tensor *rnn_sequence(Tape *tape, Tensor *gx, Tensor *w_hh, Tensor *b_hh, Tensor *h0,
                            SequenceOptions options) {
    RnnState *s = arena_alloc(&tape->arena, sizeof *s);
    Walk w = walk_new(tape, "rnn", gx, GATES, h0, options);
    Tensor *y = tape_output(tape, "rnn", INPUTS(gx, w_hh, b_hh, h0), SHAPE(w.T, w.B, w.H));
    *s = (RnnState){.walk = w,
                    .gx = gx->data,
                    .turned = walk_turn_weights(tape, &w, GATES, w_hh),
                    .b_hh = b_hh,
                    .h0 = walk_initial_state(tape, &w, h0),
                    .y = y->data};
    walk_in_parts(&w, GATES, rnn_walk, s);
    if (tensor_wants_grad(y)) {
        s->back = walk_scratch(tape, &w, GATES, gx);
    }
    tape_record(tape, "rnn", rnn_sequence_backward, y, INPUTS(gx, w_hh, b_hh, h0), s);
    return y;
}

/* Exercise 1.1. The inputs of all steps in one product, then rnn_sequence(). */
Tensor *rnn_forward(Tape *tape, const Rnn *rnn, Tensor *x, Tensor *h0, SequenceOptions options) {
    Tensor *gx = op_linear(tape, x, rnn->w_ih, rnn->b_ih); /* all steps in one product */
    return rnn_sequence(tape, gx, rnn->w_hh, rnn->b_hh, h0, options);
}
