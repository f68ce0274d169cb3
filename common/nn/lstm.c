#include "nn/lstm.h"

#include "core/check.h"
#include "core/kernels/rows.h"

#include <math.h>
#include <string.h>

enum { GATES = 4 }; /* i f g o */

/* U(-bound, bound), with b added to the second quarter: the forget gate. */
static void fill_forget_bias(Tensor *w, const Init *init, Rng *rng) {
    int H = w->dim[0] / GATES;
    for (int i = 0; i < w->dim[0]; i++) {
        w->data[i] = rng_range(rng, -init->a, init->a) + (i / H == 1 ? init->b : 0.0f);
    }
}

Lstm lstm_new(Params *params, const char *name, int I, int H, float forget_bias) {
    float bound = 1.0f / sqrtf((float)H);
    Init bias = {.fill = fill_forget_bias, .a = bound, .b = forget_bias};
    return (Lstm){
        .w_ih = params_add(params, name, "w_ih", init_uniform(bound), SHAPE(GATES * H, I)),
        .w_hh = params_add(params, name, "w_hh", init_uniform(bound), SHAPE(GATES * H, H)),
        .b_ih = params_add(params, name, "b_ih", bias, SHAPE(GATES * H)),
        .b_hh = params_add(params, name, "b_hh", init_uniform(bound), SHAPE(GATES * H)),
        .input = I,
        .hidden = H,
    };
}

LstmState lstm_step(Tape *tape, const Lstm *lstm, Tensor *x, LstmState state) {
    int H = lstm->hidden;
    Tensor *gates = op_add(tape, op_linear(tape, x, lstm->w_ih, lstm->b_ih),
                           op_linear(tape, state.h, lstm->w_hh, lstm->b_hh)); /* (B, 4 H) */
    Tensor *i = op_sigmoid(tape, op_slice_last(tape, gates, 0, H));
    Tensor *f = op_sigmoid(tape, op_slice_last(tape, gates, H, 2 * H));
    Tensor *g = op_tanh(tape, op_slice_last(tape, gates, 2 * H, 3 * H));
    Tensor *o = op_sigmoid(tape, op_slice_last(tape, gates, 3 * H, 4 * H));
    /* c' = f c + i g */
    Tensor *c = op_add(tape, op_mul(tape, f, state.c), op_mul(tape, i, g));
    /* h' = o tanh(c') */
    return (LstmState){op_mul(tape, o, op_tanh(tape, c)), c};
}

typedef struct LstmSaved {
    Walk walk;
    const float *gx;     /* (T, B, 4 H): the inputs of all steps, already projected */
    const float *turned; /* (H, 4 H): w_hh transposed */
    const Tensor *b_hh;
    const float *h0, *c0; /* (B, H) */
    float *gh;            /* (B, 4 H): the recurrent half of the step in hand */
    float *gates;         /* (T, B, 4 H): i f g o after their nonlinearities */
    float *cell;          /* (T, B, H): c' */
    float *shown;         /* (T, B, H): tanh(c') */
    float *y;             /* (T, B, H) */
    float *dc;            /* (B, H): at first that of the second result */
    WalkScratch back;
} LstmSaved;

/* One row of one step: gx, gh and gates (4 H); the rest (H). */
static void lstm_row(int H, const float *gx, const float *gh, const float *c, float *gates,
                     float *cell, float *shown, float *out) {
    const float *i = gates, *f = gates + H, *g = gates + 2 * H, *o = gates + 3 * H;
    add(gates, gx, gh, 4 * H);
    sigmoid_forward(gates, gates, 2 * H); /* i and f lie side by side */
    tanh_forward(gates + 2 * H, gates + 2 * H, H);
    sigmoid_forward(gates + 3 * H, gates + 3 * H, H);
    for (int j = 0; j < H; j++) {
        cell[j] = f[j] * c[j] + i[j] * g[j];
    }
    tanh_forward(shown, cell, H);
    for (int j = 0; j < H; j++) {
        out[j] = o[j] * shown[j];
    }
}

/* The same row backward. dc enters as the gradient of c' that later steps sent, and leaves as that
 * of c; nothing else reaches the old state h but through the gates. */
static void lstm_row_back(int H, const float *restrict gates, const float *restrict shown,
                          const float *restrict c, const float *restrict dh, float *restrict dc,
                          float *restrict dgx, float *restrict dgh, float *restrict dh_before) {
    const float *i = gates, *f = gates + H, *g = gates + 2 * H, *o = gates + 3 * H;
    for (int j = 0; j < H; j++) {
        float dcell = dc[j] + dh[j] * o[j] * (1.0f - shown[j] * shown[j]);
        dgh[j] = dcell * g[j] * i[j] * (1.0f - i[j]);
        dgh[H + j] = dcell * c[j] * f[j] * (1.0f - f[j]);
        dgh[2 * H + j] = dcell * i[j] * (1.0f - g[j] * g[j]);
        dgh[3 * H + j] = dh[j] * shown[j] * o[j] * (1.0f - o[j]);
        dc[j] = dcell * f[j];
        dh_before[j] = 0.0f;
    }
    for (int j = 0; j < 4 * H; j++) {
        dgx[j] += dgh[j];
    }
}

/* The gradient of the last cell is where the walk back begins. */
static void lstm_cell_backward(const TapeNode *node) {
    LstmSaved *s = node->saved;
    memcpy(s->dc, node->out->grad, tensor_size(node->out) * sizeof(float));
}

/* All time steps backward, for the sequences begin .. end of w. */
static void lstm_walk_back(const Walk *w, const void *context) {
    const TapeNode *node = context;
    const Tensor *w_hh = node->in[1];
    Tensor *h0 = node->in[3];
    const LstmSaved *s = node->saved;
    int B = w->B, H = w->H, G = GATES * H;
    WalkScratch back = s->back;
    for (int i = w->T - 1; i >= 0; i--) {
        int t = walk_time(w, i), before = walk_time_before(w, i);
        const float *c = before < 0 ? s->c0 : s->cell + (long)before * B * H;
        walk_begin_back(w, &back, node->out->grad, t);
        for (int b = w->begin; b < w->end; b++) {
            long row = (long)t * B + b, state = (long)b * H;
            if (walk_is_real(w, t, b)) {
                lstm_row_back(H, s->gates + row * G, s->shown + row * H, c + state, back.dh + state,
                              s->dc + state, back.dgx + row * G, back.dgh + row * G,
                              back.dh_before + state);
            }
        }
        walk_end_back(w, &back, GATES, w_hh, t);
    }
    walk_initial_gradient(w, &back, h0);
}

static void lstm_sequence_backward(const TapeNode *node) {
    LstmSaved *s = node->saved;
    Tensor *w_hh = node->in[1], *b_hh = node->in[2];
    const Walk *w = &s->walk;
    const Tensor *c0 = node->in[4];
    walk_prepare_back(w, &s->back, node->in[0]);
    walk_in_parts(w, GATES, lstm_walk_back, node);
    if (c0 != NULL && c0->grad != NULL) {
        axpy(c0->grad, 1.0f, s->dc, (long)w->B * w->H);
    }
    walk_weight_gradients(w, GATES, s->back.dgh, node->out->data, s->h0, w_hh, b_hh);
}

/* All time steps forward, for the sequences begin .. end of w. */
static void lstm_walk(const Walk *w, const void *context) {
    const LstmSaved *s = context;
    int B = w->B, H = w->H, G = GATES * H;
    for (int i = 0; i < w->T; i++) {
        int t = walk_time(w, i), before = walk_time_before(w, i);
        const float *h = before < 0 ? s->h0 : s->y + (long)before * B * H;
        const float *c = before < 0 ? s->c0 : s->cell + (long)before * B * H;
        walk_recur(w, GATES, h, s->turned, s->b_hh, s->gh);
        for (int b = w->begin; b < w->end; b++) {
            long row = (long)t * B + b, state = (long)b * H;
            if (walk_is_real(w, t, b)) {
                lstm_row(H, s->gx + row * G, s->gh + (long)b * G, c + state, s->gates + row * G,
                         s->cell + row * H, s->shown + row * H, s->y + row * H);
            } else { /* padding: both states are carried through */
                memcpy(s->y + row * H, h + state, (size_t)H * sizeof(float));
                memcpy(s->cell + row * H, c + state, (size_t)H * sizeof(float));
            }
        }
    }
}

static LstmSaved *saved_new(Tape *tape, Tensor *gx, LstmState initial, SequenceOptions options) {
    LstmSaved *s = arena_alloc(&tape->arena, sizeof *s);
    *s = (LstmSaved){.walk = walk_new(tape, "lstm", gx, GATES, initial.h, options)};
    const Tensor *c0 = initial.c;
    CHECK(c0 == NULL || (c0->ndim == 2 && c0->dim[0] == s->walk.B && c0->dim[1] == s->walk.H),
          "lstm: the initial cell %s must be (%d, %d)", tensor_text(c0).text, s->walk.B, s->walk.H);
    size_t state = (size_t)s->walk.B * (size_t)s->walk.H * sizeof(float);
    size_t states = (size_t)s->walk.T * state;
    s->h0 = walk_initial_state(tape, &s->walk, initial.h);
    s->c0 = walk_initial_state(tape, &s->walk, initial.c);
    s->gates = arena_alloc(&tape->arena, GATES * states);
    s->cell = arena_alloc(&tape->arena, states);
    s->shown = arena_alloc(&tape->arena, states);
    s->gh = arena_alloc(&tape->arena, GATES * state);
    return s;
}

LstmOutput lstm_forward(Tape *tape, const Lstm *lstm, Tensor *x, LstmState initial,
                        SequenceOptions options) {
    Tensor *gx = op_linear(tape, x, lstm->w_ih, lstm->b_ih); /* all steps in one product */
    LstmSaved *s = saved_new(tape, gx, initial, options);
    const Walk *w = &s->walk;
    int T = w->T, B = w->B, H = w->H;
    size_t state = (size_t)B * (size_t)H;
    Tensor *const in[] = {gx, lstm->w_hh, lstm->b_hh, initial.h, initial.c};
    Tensor *y = tape_output(tape, "lstm", in, 5, SHAPE(T, B, H));
    Tensor *c = tape_output(tape, "lstm.cell", in, 5, SHAPE(B, H));
    s->gx = gx->data;
    s->turned = walk_turn_weights(tape, w, GATES, lstm->w_hh);
    s->b_hh = lstm->b_hh;
    s->y = y->data;
    walk_in_parts(w, GATES, lstm_walk, s);
    memcpy(c->data, s->cell + (size_t)walk_time(w, T - 1) * state, state * sizeof(float));
    if (tensor_wants_grad(y)) {
        s->dc = arena_alloc_zeroed(&tape->arena, state * sizeof(float));
        s->back = walk_scratch(tape, w, GATES, gx);
    }
    tape_record(tape, "lstm", lstm_sequence_backward, y, in, 5, s);
    tape_record(tape, "lstm.cell", lstm_cell_backward, c, INPUTS(y), s);
    return (LstmOutput){y, c};
}
