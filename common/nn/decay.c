#include "nn/decay.h"

#include "core/check.h"
#include "core/measure.h"
#include "nn/attention.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All states on the way there, and the gradient on the way back. */
typedef struct Walker {
    const Recurrent *cell;
    int T, B;
    float *h, *c;    /* (T + 1, B, H), from the initial state on */
    float *dh, *dc;  /* (B, H), of length 1 together for each sequence */
    double *carried; /* (B) log10 of what was divided out so far */
    size_t state;    /* numbers in a state: B * H */
    const float *x;  /* (T, B, I) */
} Walker;

/* The state before step t, as tensors whose gradients are wanted. */
static CellState state_before(Tape *tape, const Walker *w, int t) {
    size_t at = (size_t)t * w->state;
    int H = w->cell->hidden;
    return (CellState){tape_variable(tape, "h", w->h + at, SHAPE(w->B, H)),
                       tape_variable(tape, "c", w->c + at, SHAPE(w->B, H))};
}

static CellState step_at(Tape *tape, const Walker *w, int t, CellState before) {
    int I = w->cell->input;
    const float *x = w->x + (size_t)t * (size_t)w->B * (size_t)I;
    return recurrent_step(tape, w->cell, tape_constant(tape, "x", x, SHAPE(w->B, I)), before);
}

static void walk_there(Tape *tape, Walker *w) {
    tape->recording = false;
    for (int t = 0; t < w->T; t++) {
        tape_reset(tape);
        CellState next = step_at(tape, w, t, state_before(tape, w, t));
        size_t at = (size_t)(t + 1) * w->state, bytes = w->state * sizeof(float);
        memcpy(w->h + at, next.h->data, bytes);
        if (next.c != NULL) {
            memcpy(w->c + at, next.c->data, bytes);
        }
    }
    tape->recording = true;
}

/* One step back in time: (dh, dc) of the state after step t become those of the state before it. */
static void step_back(Tape *tape, Walker *w, int t) {
    size_t bytes = w->state * sizeof(float);
    tape_reset(tape);
    CellState before = state_before(tape, w, t), after = step_at(tape, w, t, before);
    memcpy(after.h->grad, w->dh, bytes);
    if (after.c != NULL) {
        memcpy(after.c->grad, w->dc, bytes);
    }
    tape_backward_from(tape, after.h);
    memcpy(w->dh, before.h->grad, bytes);
    memcpy(w->dc, before.c->grad, bytes);
}

/* Mean over the sequences of log10 ||dL/dh||; then every gradient is brought back to length 1. */
static double measure_and_rescale(Walker *w) {
    int H = w->cell->hidden;
    double mean = 0.0;
    for (int b = 0; b < w->B; b++) {
        float *dh = w->dh + (size_t)b * (size_t)H, *dc = w->dc + (size_t)b * (size_t)H;
        double h = vector_length(dh, (size_t)H), c = vector_length(dc, (size_t)H);
        double length = hypot(h, c);
        mean += (w->carried[b] + log10(h)) / w->B;
        for (int i = 0; i < H && length > 0.0; i++) {
            dh[i] = (float)(dh[i] / length);
            dc[i] = (float)(dc[i] / length);
        }
        w->carried[b] += log10(length);
    }
    return mean;
}

/* v: a random direction of length 1 for each sequence, (B, H) */
static void draw_directions(float *v, int B, int H, Rng *rng) {
    for (int b = 0; b < B; b++, v += H) {
        for (int i = 0; i < H; i++) {
            v[i] = rng_normal(rng);
        }
        double length = vector_length(v, (size_t)H);
        for (int i = 0; i < H; i++) {
            v[i] = (float)(v[i] / length);
        }
    }
}

void decay_through_time(const Recurrent *cell, const float *x, int T, int B, int reach, Rng *rng,
                        double *log_norm) {
    CHECK(T >= 1 && B >= 1, "decay_through_time: %d steps of %d sequences: there must be some", T,
          B);
    size_t state = (size_t)B * (size_t)cell->hidden, all = (size_t)(T + 1) * state;
    Walker w = {.cell = cell, .T = T, .B = B, .state = state, .x = x};
    w.h = check_alloc(all * sizeof(float));
    w.c = check_alloc(all * sizeof(float));
    w.dh = check_alloc(state * sizeof(float));
    w.dc = check_alloc(state * sizeof(float));
    w.carried = check_alloc((size_t)B * sizeof(double));
    Tape tape = tape_new();
    walk_there(&tape, &w);
    draw_directions(w.dh, B, cell->hidden, rng);
    for (int d = 0; d < T; d++) {
        log_norm[d] = d <= reach ? measure_and_rescale(&w) : -INFINITY;
        if (d < reach) {
            step_back(&tape, &w, T - 1 - d);
        }
    }
    tape_free(&tape);
    free(w.h), free(w.c), free(w.dh), free(w.dc), free(w.carried);
}

void decay_through_attention(const float *h, int T, int B, int H, Rng *rng, double *log_norm) {
    Tape tape = tape_new();
    Tensor *states = tape_variable(&tape, "states", h, SHAPE(T, B, H));
    Tensor *v = tape_constant(&tape, "v", NULL, SHAPE(B, H));
    Tensor *q = tape_constant(&tape, "q", NULL, SHAPE(1, H));
    draw_directions(v->data, B, H, rng);
    for (int i = 0; i < H; i++) {
        q->data[i] = rng_normal(rng) / sqrtf((float)H);
    }
    Tensor *keys = attention_batch_first(&tape, states); /* (B, T, H) */
    Tensor *scores = op_reshape(&tape, op_linear(&tape, keys, q, NULL), SHAPE(B, T));
    Tensor *context = attend(&tape, scores, keys, NULL).context;
    tape_backward(&tape, op_sum(&tape, op_mul(&tape, context, v)));
    for (int d = 0; d < T; d++) {
        log_norm[d] = 0.0;
        for (int b = 0; b < B; b++) {
            size_t row = (size_t)(T - 1 - d) * (size_t)B + (size_t)b;
            log_norm[d] += log10(vector_length(states->grad + row * (size_t)H, (size_t)H)) / B;
        }
    }
    tape_free(&tape);
}

static void fill_plain(const Rnn *rnn, float rho, Rng *rng) {
    Init w = init_orthogonal(rho), u = init_normal(1.0f / sqrtf(DECAY_INPUTS)), none = init_zeros();
    w.fill(rnn->w_hh, &w, rng);
    u.fill(rnn->w_ih, &u, rng);
    none.fill(rnn->b_ih, &none, rng);
    none.fill(rnn->b_hh, &none, rng);
}

double decay_measure(const DecayCase *c, int T, int B, int reach, Rng rng, double *log_norm) {
    Params params = params_new();
    Recurrent cell = recurrent_new(&params, "cell", c->kind, DECAY_INPUTS, DECAY_UNITS, c->bias);
    params_allocate(&params, &rng);
    if (c->kind == CELL_RNN) {
        fill_plain(&cell.rnn, c->rho, &rng);
    }
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(T, B, DECAY_INPUTS));
    Init normal = init_normal(c->size);
    normal.fill(x, &normal, &rng);
    if (c->attention) {
        Tensor *h = recurrent_forward(&tape, &cell, x, (CellState){0}, (SequenceOptions){0}, NULL);
        decay_through_attention(h->data, T, B, DECAY_UNITS, &rng, log_norm);
    } else {
        decay_through_time(&cell, x->data, T, B, reach, &rng, log_norm);
    }
    tape_free(&tape);
    params_free(&params);
    return 10.0 * slope_of(log_norm, 10, T);
}
