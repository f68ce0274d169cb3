#include "lesson/experiments/distance.h"

#include "core/check.h"
#include "core/measure.h"
#include "lesson/lines.h"
#include "nn/linear.h"
#include "nn/recurrent.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { D = READER_SIZE };

const char *const reader_names[READERS] = {"attention", "RNN", "LSTM", "GRU", "CNN of width 3"};

typedef struct ReaderWeights {
    Params params;
    Recurrent cell;
    Linear layer[READER_LAYERS]; /* 3 d -> d */
    Tensor *w[3];                /* W_q, W_k, W_v (d, d) */
} ReaderWeights;

static ReaderWeights weights_new(Reader reader, Rng *rng) {
    static const CellKind cells[] = {
        [READER_RNN] = CELL_RNN, [READER_LSTM] = CELL_LSTM, [READER_GRU] = CELL_GRU};
    ReaderWeights weights = {.params = params_new()};
    Params *params = &weights.params;
    if (reader == READER_ATTENTION) {
        static const char *const names[] = {"w_q", "w_k", "w_v"};
        for (int i = 0; i < 3; i++) {
            weights.w[i] =
                params_add(params, "", names[i], init_normal(1.0f / sqrtf(D)), SHAPE(D, D));
        }
    } else if (reader == READER_CNN) {
        for (int i = 0; i < READER_LAYERS; i++) {
            char name[24];
            snprintf(name, sizeof name, "layer%d", i);
            weights.layer[i] = linear_new(params, name, 3 * D, D, true);
        }
    } else {
        weights.cell = recurrent_new(params, "cell", cells[reader], D, D, 0.0f);
    }
    params_allocate(params, rng);
    return weights;
}

/* x (n, B, d), time-major -> one layer that sees each token and the two before it; before the first
 * there are zeros. */
static Tensor *convolve(Tape *tape, const Linear *layer, Tensor *x) {
    int n = x->dim[0], B = x->dim[1];
    Tensor *two = tape_constant(tape, "padding", NULL, SHAPE(2, B, D));
    Tensor *padded = op_concat(tape, 0, (Tensor *[]){two, x}, 2); /* (n + 2, B, d) */
    Tensor *seen[3];
    for (int i = 0; i < 3; i++) {
        seen[i] = op_slice(tape, padded, i, i + n);
    }
    return op_tanh(tape, linear_forward(tape, layer, op_concat(tape, 2, seen, 3)));
}

/* x (B, n, d) -> the last output (B, d). */
static Tensor *last_output(Tape *tape, Reader reader, const ReaderWeights *weights, Looker looker,
                           Tensor *x) {
    int n = x->dim[1];
    static const int time_first[] = {1, 0, 2};
    if (reader == READER_ATTENTION) {
        Tensor *made[3];
        for (int i = 0; i < 3; i++) {
            made[i] = op_linear(tape, x, weights->w[i], NULL);
        }
        Tensor *y = looker.look(looker.how, tape, made[0], made[1], made[2], NULL);
        return op_index(tape, op_permute(tape, y, time_first), n - 1);
    }
    Tensor *y = op_permute(tape, x, time_first);
    if (reader == READER_CNN) {
        for (int i = 0; i < READER_LAYERS; i++) {
            y = convolve(tape, &weights->layer[i], y);
        }
    } else {
        y = recurrent_forward(tape, &weights->cell, y, (CellState){0}, (SequenceOptions){0}, NULL);
    }
    return op_index(tape, y, n - 1);
}

static void draw_directions(float *v, int B, Rng *rng) {
    for (int b = 0; b < B; b++) {
        for (int i = 0; i < D; i++) {
            v[b * D + i] = rng_normal(rng);
        }
        double length = vector_length(v + b * D, D);
        for (int i = 0; i < D; i++) {
            v[b * D + i] = (float)((double)v[b * D + i] / length);
        }
    }
}

void reader_reach(Reader reader, Looker looker, int n, int B, Rng rng, double *log_norm) {
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(B, n, D));
    Init normal = init_normal(1.0f);
    normal.fill(x, &normal, &rng);
    Tensor *v = tape_constant(&tape, "v", NULL, SHAPE(B, D));
    draw_directions(v->data, B, &rng);
    ReaderWeights weights = weights_new(reader, &rng);
    Tensor *last = last_output(&tape, reader, &weights, looker, x);
    tape_backward(&tape, op_sum(&tape, op_mul(&tape, last, v)));
    for (int d = 0; d < n; d++) {
        log_norm[d] = 0.0;
        for (int b = 0; b < B; b++) {
            size_t token = (size_t)b * (size_t)n + (size_t)(n - 1 - d);
            log_norm[d] += log10(vector_length(x->grad + token * D, D)) / B;
        }
    }
    tape_free(&tape);
    params_free(&weights.params);
}

void readers_compare(Run *run, Looker looker, int n, int B, double slope[READERS]) {
    CHECK(n > 12 && n <= READER_MOST_TOKENS, "readers_compare: %d tokens; it takes 13 to %d", n,
          READER_MOST_TOKENS);
    double *distance = check_alloc((size_t)n * sizeof *distance);
    double *y = check_alloc((size_t)(READERS * n) * sizeof *y);
    PlotSeries series[READERS];
    for (int i = 0; i < READERS; i++) {
        double *log_norm = y + i * n;
        reader_reach((Reader)i, looker, n, B, run_rng(run, "distance"), log_norm);
        slope[i] = 10.0 * slope_of(log_norm, 10, n);
        for (int d = 0; d < n; d++) {
            if (i == READER_CNN && isfinite(log_norm[d])) {
                slope[i] = d;
            }
            distance[d] = d;
            log_norm[d] = pow(10.0, log_norm[d]); /* exactly 0 ends the curve */
        }
        series[i] = (PlotSeries){.label = reader_names[i], .x = distance, .y = log_norm, .n = n};
    }
    run_table(run, "reader\tdecades in 10 steps");
    for (int i = 0; i < READER_CNN; i++) {
        run_table_row(run, "%s\t%+.2f", reader_names[i], slope[i]);
    }
    run_table_row(run, "%s\tnothing beyond %.0f", reader_names[READER_CNN], slope[READER_CNN]);
    run_table_end(run);
    run_plot(run, &(Plot){.name = "distance",
                          .title = "How far back does the gradient of the last output reach?",
                          .x_label = "distance: steps between a token and the last one",
                          .y_label = "length of dL/dx",
                          .y_log = true,
                          .series = series,
                          .count = READERS});
    free(distance);
    free(y);
}

/* The gradient that is typical at any distance: 10 to the mean of log10, over several draws of
 * weights and tokens, more of them where there are fewer distances. */
static double typical_gradient(Looker looker, int n, Rng rng) {
    double log_norm[READER_MOST_TOKENS], mean = 0.0;
    int draws = (2 * READER_MOST_TOKENS + n - 1) / n;
    for (int i = 0; i < draws; i++) {
        Rng own = rng_seeded(rng_bits(&rng), 1);
        reader_reach(READER_ATTENTION, looker, n, 4, own, log_norm);
        for (int d = 1; d < n; d++) { /* at 0 the query itself moves, too */
            mean += log_norm[d] / ((n - 1) * draws);
        }
    }
    return pow(10.0, mean);
}

static double slope_through(const double *x, const double *y, int n) {
    double xs = 0.0, ys = 0.0, xx = 0.0, xy = 0.0;
    for (int i = 0; i < n; i++) {
        xs += x[i], ys += y[i], xx += x[i] * x[i], xy += x[i] * y[i];
    }
    return (n * xy - xs * ys) / (n * xx - xs * xs);
}

double attention_by_length(Run *run, Looker looker, const int *lengths, int count,
                           double *typical) {
    enum { MOST = 8 };
    CHECK(count >= 2 && count <= MOST, "attention_by_length: %d lengths; it takes 2 to %d", count,
          MOST);
    double n[MOST], y[2 * MOST], log_n[MOST], log_y[MOST];
    run_table(run, "length n\tgradient at any distance\ttimes n");
    for (int i = 0; i < count; i++) {
        CHECK(lengths[i] <= READER_MOST_TOKENS, "attention_by_length: %d tokens; the most is %d",
              lengths[i], READER_MOST_TOKENS);
        typical[i] = typical_gradient(looker, lengths[i], run_rng(run, "lengths"));
        n[i] = lengths[i];
        y[i] = typical[i];
        y[count + i] = typical[0] * n[0] / n[i];
        log_n[i] = log10(n[i]);
        log_y[i] = log10(typical[i]);
        run_table_row(run, "%d\t%.5f\t%.2f", lengths[i], typical[i], typical[i] * n[i]);
    }
    run_table_end(run);
    static const char *const labels[] = {"measured", "going like 1/n"};
    Plot plot = {.name = "distance_by_length",
                 .title = "Attention: flat, but shared among all tokens",
                 .x_label = "length n of the sequence",
                 .y_label = "length of dL/dx, typical",
                 .x_log = true,
                 .y_log = true};
    run_lines(run, plot, labels, 2, n, y, count);
    return slope_through(log_n, log_y, count);
}
