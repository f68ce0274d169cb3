#include "lesson/experiments/position_numbers.h"

#include "core/check.h"
#include "core/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double position_move_error(PositionMove move, const float *pe, int P, int more, int d) {
    static const int steps[] = {1, 2, 7, 64};
    float *moved = check_alloc((size_t)d * sizeof *moved);
    double error = 0.0;
    for (int i = 0; i < COUNT_OF(steps) && steps[i] <= more; i++) {
        for (int p = 0; p < P; p++) {
            const float *there = pe + (long)(p + steps[i]) * d;
            move(moved, pe + (long)p * d, steps[i], d);
            error = fmax(error, largest_difference(moved, there, (size_t)d));
        }
    }
    free(moved);
    return error;
}

static double product(const float *a, const float *b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += (double)a[i] * (double)b[i];
    }
    return sum;
}

static double spread_apart(PositionTurn turn, const float *q, const float *k, int D, int apart,
                           int P) {
    double least = INFINITY, most = -INFINITY;
    size_t bytes = (size_t)D * sizeof(float);
    float *here = check_alloc(2 * bytes), *before = here + D;
    for (int p = apart; p < P; p++) {
        memcpy(here, q, bytes);
        memcpy(before, k, bytes);
        turn(here, p, D);
        turn(before, p - apart, D);
        double score = product(here, before, D);
        least = fmin(least, score);
        most = fmax(most, score);
    }
    free(here);
    return most - least;
}

double position_spread(PositionTurn turn, int D, int P, Rng rng) {
    float *q = check_alloc(2 * (size_t)D * sizeof *q), *k = q + D;
    double most = 0.0;
    for (int i = 0; i < 2 * D; i++) {
        q[i] = rng_normal(&rng); /* and k, behind it */
    }
    for (int apart = 0; apart <= 64; apart += 16) {
        most = fmax(most, spread_apart(turn, q, k, D, apart, P));
    }
    free(q);
    return most;
}

/* scores (n, n) of rows (n, d) with each other. */
static void products(const float *rows, int n, int d, float *scores) {
    for (int i = 0; i < n * n; i++) {
        scores[i] = (float)product(rows + (long)(i / n) * d, rows + (long)(i % n) * d, d);
    }
}

bool position_picture(Run *run, int n, int d, const float *pe, PositionTurn turn,
                      PositionPenalty penalty, float slope) {
    size_t cells = (size_t)n * (size_t)n;
    float *of_pe = check_alloc(3 * cells * sizeof *of_pe);
    float *of_turned = of_pe + cells, *taken = of_turned + cells;
    float *turned = check_alloc((size_t)n * (size_t)d * sizeof *turned);
    for (int i = 0; i < n * d; i++) {
        turned[i] = i % d % 2 == 0;
    }
    for (int p = 0; p < n; p++) {
        turn(turned + (long)p * d, p, d);
    }
    products(pe, n, d, of_pe);
    products(turned, n, d, of_turned);
    for (int i = 0; i < n * n; i++) {
        taken[i] = penalty(0.0f, i / n, i % n, slope);
    }
    const Heatmap scores = {
        .rows = n, .cols = n, .row_axis = "query at", .col_axis = "key at", .map = COLOR_DIVERGING};
    Heatmap maps[] = {scores, scores, scores, scores};
    maps[0] = (Heatmap){.title = "sinusoidal: PE itself, a row for each position",
                        .values = pe,
                        .rows = n,
                        .cols = d,
                        .row_axis = "position",
                        .col_axis = "column",
                        .map = COLOR_DIVERGING};
    maps[1].title = "sinusoidal: PE(p) times PE(q)";
    maps[1].values = of_pe;
    maps[2].title = "RoPE: the same query and key everywhere";
    maps[2].values = of_turned;
    maps[3].title = "ALiBi: what one head takes away";
    maps[3].values = taken;
    bool drawn = run_heatmap_png(run, "positions.png", maps, COUNT_OF(maps), 2,
                                 "What a position is, and what it does to a score");
    free(of_pe);
    free(turned);
    return drawn;
}
