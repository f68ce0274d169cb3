#include "nn/gru.h"

#include "core/check.h"
#include "core/kernels/rows.h"

#include <math.h>
#include <string.h>

enum { GATES = 3 }; /* r z n */

/* U(-bound, bound), with b added to the middle third: the keep gate. */
static void fill_keep_bias(Tensor *w, const Init *init, Rng *rng) {
    int H = w->dim[0] / GATES;
    for (int i = 0; i < w->dim[0]; i++) {
        w->data[i] = rng_range(rng, -init->a, init->a) + (i / H == 1 ? init->b : 0.0f);
    }
}

Gru gru_new(Params *params, const char *name, int I, int H, float keep_bias) {
    float bound = 1.0f / sqrtf((float)H);
    Init bias = {.fill = fill_keep_bias, .a = bound, .b = keep_bias};
    return (Gru){
        .w_ih = params_add(params, name, "w_ih", init_uniform(bound), SHAPE(GATES * H, I)),
        .w_hh = params_add(params, name, "w_hh", init_uniform(bound), SHAPE(GATES * H, H)),
        .b_ih = params_add(params, name, "b_ih", bias, SHAPE(GATES * H)),
        .b_hh = params_add(params, name, "b_hh", init_uniform(bound), SHAPE(GATES * H)),
        .input = I,
        .hidden = H,
    };
}

Tensor *gru_step(Tape *tape, const Gru *gru, Tensor *x, Tensor *h) {
    int H = gru->hidden;
    Tensor *gx = op_linear(tape, x, gru->w_ih, gru->b_ih); /* (B, 3 H): all that the input says */
    Tensor *gh = op_linear(tape, h, gru->w_hh, gru->b_hh); /* (B, 3 H): all that the past says */
    /* r = sigmoid(W_ir x + b_ir + W_hr h + b_hr) */
    Tensor *r = op_sigmoid(
        tape, op_add(tape, op_slice_last(tape, gx, 0, H), op_slice_last(tape, gh, 0, H)));
    /* z = sigmoid(W_iz x + b_iz + W_hz h + b_hz) */
    Tensor *z = op_sigmoid(
        tape, op_add(tape, op_slice_last(tape, gx, H, 2 * H), op_slice_last(tape, gh, H, 2 * H)));
    /* n = tanh(W_in x + b_in + r * (W_hn h + b_hn)) */
    Tensor *past = op_mul(tape, r, op_slice_last(tape, gh, 2 * H, 3 * H));
    Tensor *n = op_tanh(tape, op_add(tape, op_slice_last(tape, gx, 2 * H, 3 * H), past));
    /* h' = (1 - z) n + z h = n + z (h - n) */
    return op_add(tape, n, op_mul(tape, z, op_sub(tape, h, n)));
}

/* What the walk back needs: for each step the gates r z n and the recurrent part of n. */
typedef struct GruState {
    Walk walk;
    const float *gx;     /* (T, B, 3 H): the inputs of all steps, already projected */
    const float *turned; /* (H, 3 H): w_hh transposed */
    const Tensor *b_hh;
    const float *h0; /* (B, H) */
    float *gh;       /* (B, 3 H): the recurrent half of the step in hand */
    float *gates;    /* (T, B, 3 H): r z n after their nonlinearities */
    float *past_n;   /* (T, B, H): W_hn h + b_hn */
    float *y;        /* (T, B, H) */
    WalkScratch back;
} GruState;

/* One row of one step: gx and gates (3 H), gh (3 H), h and out (H). */
static void gru_row(int H, const float *gx, const float *gh, const float *h, float *gates,
                    float *past_n, float *out) {
    float *r = gates, *z = gates + H, *n = gates + 2 * H;
    add(r, gx, gh, 2 * H);
    sigmoid_forward(r, r, 2 * H); /* r and z lie side by side */
    for (int i = 0; i < H; i++) {
        past_n[i] = gh[2 * H + i];
        n[i] = gx[2 * H + i] + r[i] * past_n[i];
    }
    tanh_forward(n, n, H);
    for (int i = 0; i < H; i++) {
        out[i] = n[i] + z[i] * (h[i] - n[i]);
    }
}

/* The same row backward: from dh (the gradient of the new state) to dgx += and dgh =, and to
 * dh_before =, the share that reaches the old state directly. */
static void gru_row_back(int H, const float *restrict gates, const float *restrict past_n,
                         const float *restrict h, const float *restrict dh, float *restrict dgx,
                         float *restrict dgh, float *restrict dh_before) {
    const float *r = gates, *z = gates + H, *n = gates + 2 * H;
    for (int i = 0; i < H; i++) {
        float dn = dh[i] * (1.0f - z[i]) * (1.0f - n[i] * n[i]);
        float dz = dh[i] * (h[i] - n[i]) * z[i] * (1.0f - z[i]);
        float dr = dn * past_n[i] * r[i] * (1.0f - r[i]);
        dh_before[i] = dh[i] * z[i];
        dgh[i] = dr;
        dgh[H + i] = dz;
        dgh[2 * H + i] = dn * r[i];
        dgx[i] += dr;
        dgx[H + i] += dz;
        dgx[2 * H + i] += dn;
    }
}

/* All time steps backward, for the sequences begin .. end of w. */
static void gru_walk_back(const Walk *w, const void *context) {
    const TapeNode *node = context;
    const Tensor *w_hh = node->in[1];
    Tensor *h0 = node->in[3];
    const GruState *s = node->saved;
    int B = w->B, H = w->H, G = GATES * H;
    WalkScratch back = s->back;
    for (int i = w->T - 1; i >= 0; i--) {
        int t = walk_time(w, i), before = walk_time_before(w, i);
        const float *h = before < 0 ? s->h0 : s->y + (long)before * B * H;
        walk_begin_back(w, &back, node->out->grad, t);
        for (int b = w->begin; b < w->end; b++) {
            long row = (long)t * B + b, state = (long)b * H;
            if (walk_is_real(w, t, b)) {
                gru_row_back(H, s->gates + row * G, s->past_n + row * H, h + state, back.dh + state,
                             back.dgx + row * G, back.dgh + row * G, back.dh_before + state);
            }
        }
        walk_end_back(w, &back, GATES, w_hh, t);
    }
    walk_initial_gradient(w, &back, h0);
}

static void gru_sequence_backward(const TapeNode *node) {
    GruState *s = node->saved;
    Tensor *w_hh = node->in[1], *b_hh = node->in[2];
    walk_prepare_back(&s->walk, &s->back, node->in[0]);
    walk_in_parts(&s->walk, GATES, gru_walk_back, node);
    walk_weight_gradients(&s->walk, GATES, s->back.dgh, s->y, s->h0, w_hh, b_hh);
}

/* All time steps forward, for the sequences begin .. end of w. */
static void gru_walk(const Walk *w, const void *context) {
    const GruState *s = context;
    int B = w->B, H = w->H, G = GATES * H;
    for (int i = 0; i < w->T; i++) {
        int t = walk_time(w, i), before = walk_time_before(w, i);
        const float *h = before < 0 ? s->h0 : s->y + (long)before * B * H;
        walk_recur(w, GATES, h, s->turned, s->b_hh, s->gh);
        for (int b = w->begin; b < w->end; b++) {
            long row = (long)t * B + b;
            if (walk_is_real(w, t, b)) {
                gru_row(H, s->gx + row * G, s->gh + (long)b * G, h + (long)b * H,
                        s->gates + row * G, s->past_n + row * H, s->y + row * H);
            } else {
                memcpy(s->y + row * H, h + (long)b * H, (size_t)H * sizeof(float));
            }
        }
    }
}

static Tensor *gru_sequence(Tape *tape, Tensor *gx, Tensor *w_hh, Tensor *b_hh, Tensor *h0,
                            SequenceOptions options) {
    GruState *s = arena_alloc(&tape->arena, sizeof *s);
    Walk w = walk_new(tape, "gru", gx, GATES, h0, options);
    size_t state = (size_t)w.B * (size_t)w.H * sizeof(float), states = (size_t)w.T * state;
    Tensor *y = tape_output(tape, "gru", INPUTS(gx, w_hh, b_hh, h0), SHAPE(w.T, w.B, w.H));
    *s = (GruState){.walk = w,
                    .gx = gx->data,
                    .turned = walk_turn_weights(tape, &w, GATES, w_hh),
                    .b_hh = b_hh,
                    .h0 = walk_initial_state(tape, &w, h0),
                    .gh = arena_alloc(&tape->arena, GATES * state),
                    .gates = arena_alloc(&tape->arena, GATES * states),
                    .past_n = arena_alloc(&tape->arena, states),
                    .y = y->data};
    walk_in_parts(&w, GATES, gru_walk, s);
    if (tensor_wants_grad(y)) {
        s->back = walk_scratch(tape, &w, GATES, gx);
    }
    tape_record(tape, "gru", gru_sequence_backward, y, INPUTS(gx, w_hh, b_hh, h0), s);
    return y;
}

Tensor *gru_forward(Tape *tape, const Gru *gru, Tensor *x, Tensor *h0, SequenceOptions options) {
    Tensor *gx = op_linear(tape, x, gru->w_ih, gru->b_ih); /* all steps in one product */
    return gru_sequence(tape, gx, gru->w_hh, gru->b_hh, h0, options);
}

Tensor *gru_step_fused(Tape *tape, const Gru *gru, Tensor *x, Tensor *h) {
    CHECK(x->ndim == 2, "gru_step_fused: %s must be (B, I)", tensor_text(x).text);
    Tensor *sequence = op_reshape(tape, x, SHAPE(1, x->dim[0], x->dim[1]));
    return op_index(tape, gru_forward(tape, gru, sequence, h, (SequenceOptions){0}), 0);
}

BiGru bigru_new(Params *params, const char *name, int I, int H, float keep_bias) {
    return (BiGru){
        .forward = gru_new(params, param_prefix(name, "forward").text, I, H, keep_bias),
        .backward = gru_new(params, param_prefix(name, "backward").text, I, H, keep_bias),
    };
}

Tensor *bigru_forward(Tape *tape, const BiGru *gru, Tensor *x, const int *len) {
    Tensor *right = gru_forward(tape, &gru->forward, x, NULL, (SequenceOptions){.len = len});
    Tensor *left =
        gru_forward(tape, &gru->backward, x, NULL, (SequenceOptions){.len = len, .reverse = true});
    return op_concat(tape, 2, (Tensor *const[]){right, left}, 2);
}
