#include "nn/decay.h"

#include "core/check.h"

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

static double squares(const float *values, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += (double)values[i] * (double)values[i];
    }
    return sum;
}

/* Mean over the sequences of log10 ||dL/dh||; then every gradient is brought back to length 1. */
static double measure_and_rescale(Walker *w) {
    int H = w->cell->hidden;
    double mean = 0.0;
    for (int b = 0; b < w->B; b++) {
        float *dh = w->dh + (size_t)b * (size_t)H, *dc = w->dc + (size_t)b * (size_t)H;
        double h = squares(dh, H), length = sqrt(h + squares(dc, H));
        mean += (w->carried[b] + 0.5 * log10(h)) / w->B;
        for (int i = 0; i < H && length > 0.0; i++) {
            dh[i] = (float)(dh[i] / length);
            dc[i] = (float)(dc[i] / length);
        }
        w->carried[b] += log10(length);
    }
    return mean;
}

/* v: a random direction for each sequence */
static void draw_directions(Walker *w, Rng *rng) {
    int H = w->cell->hidden;
    for (int b = 0; b < w->B; b++) {
        float *v = w->dh + (size_t)b * (size_t)H;
        for (int i = 0; i < H; i++) {
            v[i] = rng_normal(rng);
        }
        double length = sqrt(squares(v, H));
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
    draw_directions(&w, rng);
    for (int d = 0; d < T; d++) {
        log_norm[d] = d <= reach ? measure_and_rescale(&w) : -INFINITY;
        if (d < reach) {
            step_back(&tape, &w, T - 1 - d);
        }
    }
    tape_free(&tape);
    free(w.h), free(w.c), free(w.dh), free(w.dc), free(w.carried);
}

double decay_slope(const double *log_norm, int from, int to) {
    double n = to - from, mean_x = (from + to - 1) / 2.0, mean_y = 0.0, xy = 0.0, xx = 0.0;
    for (int d = from; d < to; d++) {
        mean_y += log_norm[d] / n;
    }
    for (int d = from; d < to; d++) {
        xy += (d - mean_x) * (log_norm[d] - mean_y);
        xx += (d - mean_x) * (d - mean_x);
    }
    double slope = 10.0 * xy / xx;
    return isfinite(slope) ? slope : (double)NAN;
}
