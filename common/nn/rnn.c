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
    const float *h0; /* (B, H) */
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

static void rnn_sequence_backward(const TapeNode *node) {
    RnnState *s = node->saved;
    const Walk *w = &s->walk;
    Tensor *w_hh = node->in[1], *b_hh = node->in[2], *h0 = node->in[3];
    int B = w->B, H = w->H;
    const float *y = node->out->data;
    float *dgx = walk_projected_gradient(w, &s->back, node->in[0]);
    for (int i = w->T - 1; i >= 0; i--) {
        int t = walk_time(w, i);
        walk_begin_back(w, &s->back, node->out->grad, t);
        for (int b = 0; b < B; b++) {
            long row = ((long)t * B + b) * H, state = (long)b * H;
            if (walk_is_real(w, t, b)) {
                rnn_row_back(H, y + row, s->back.dh + state, dgx + row, s->back.dgh + row,
                             s->back.dh_before + state);
            }
        }
        walk_end_back(w, &s->back, GATES, w_hh, t);
    }
    if (h0 != NULL && h0->grad != NULL) {
        axpy(h0->grad, 1.0f, s->back.dh, (long)B * H);
    }
    walk_weight_gradients(w, GATES, s->back.dgh, y, s->h0, w_hh, b_hh);
}

/* gx (T, B, H): the inputs of all steps, already projected. */
static Tensor *rnn_sequence(Tape *tape, Tensor *gx, Tensor *w_hh, Tensor *b_hh, Tensor *h0,
                            SequenceOptions options) {
    RnnState *s = arena_alloc(&tape->arena, sizeof *s);
    s->walk = walk_new(tape, "rnn", gx, GATES, h0, options);
    const Walk *w = &s->walk;
    int T = w->T, B = w->B, H = w->H;
    s->h0 = walk_initial_state(tape, w, h0);
    Tensor *y = tape_output(tape, "rnn", INPUTS(gx, w_hh, b_hh, h0), SHAPE(T, B, H));
    const float *turned = walk_turn_weights(tape, w, GATES, w_hh);
    for (int i = 0; i < T; i++) {
        int t = walk_time(w, i), before = walk_time_before(w, i);
        const float *h = before < 0 ? s->h0 : y->data + (long)before * B * H;
        float *out = y->data + (long)t * B * H;
        /* Exercise 1.1 */
        walk_recur(w, GATES, h, turned, b_hh, out);
        add(out, out, gx->data + (long)t * B * H, (long)B * H);
        tanh_forward(out, out, (long)B * H);
        /* End of exercise 1.1 */
        for (int b = 0; b < B && w->len != NULL; b++) {
            if (!walk_is_real(w, t, b)) { /* padding: the state is carried through */
                memcpy(out + (long)b * H, h + (long)b * H, (size_t)H * sizeof(float));
            }
        }
    }
    if (tensor_wants_grad(y)) {
        s->back = walk_scratch(tape, w, GATES, gx);
    }
    tape_record(tape, "rnn", rnn_sequence_backward, y, INPUTS(gx, w_hh, b_hh, h0), s);
    return y;
}

/* Exercise 1.1. The inputs of all steps in one product, then rnn_sequence(). */
Tensor *rnn_forward(Tape *tape, const Rnn *rnn, Tensor *x, Tensor *h0, SequenceOptions options) {
    Tensor *gx = op_linear(tape, x, rnn->w_ih, rnn->b_ih); /* all steps in one product */
    return rnn_sequence(tape, gx, rnn->w_hh, rnn->b_hh, h0, options);
}
