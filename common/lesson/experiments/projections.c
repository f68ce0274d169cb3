#include "lesson/experiments/projections.h"

#include "core/check.h"
#include "core/kernels/rows.h"
#include "core/measure.h"
#include "core/params.h"
#include "lesson/lines.h"

#include <math.h>
#include <string.h>

enum { N = PROJECTION_TOKENS, D = PROJECTION_SIZE };

static Tensor *draw(Tape *tape, Rng *rng, float size, int ndim, const int *dim) {
    Tensor *x = tape_constant(tape, "x", NULL, ndim, dim);
    Init normal = init_normal(size);
    normal.fill(x, &normal, rng);
    return x;
}

static void make_unit(Tensor *x, float size) {
    for (int i = 0; i < N; i++) {
        float *row = x->data + i * D;
        double length = vector_length(row, D);
        for (int j = 0; j < D; j++) {
            row[j] = (float)((double)row[j] * (double)size / length);
        }
    }
}

/* How much two tokens disagree about each other, against any two scores off the diagonal. */
static double asymmetry_of(const float *q, const float *k) {
    double mirrored = 0.0, any = 0.0;
    for (int i = 0; i < N; i++) {
        int j = (i + 1) % N, l = (i + 2) % N, m = (i + 5) % N;
        double s = (double)dot(q + i * D, k + j * D, D);
        mirrored += fabs(s - (double)dot(q + j * D, k + i * D, D));
        any += fabs(s - (double)dot(q + l * D, k + m * D, D));
    }
    return mirrored / any;
}

static void add_share(DiagonalShare *share, const Tensor *q, const Tensor *k, const float *weights,
                      int trials) {
    for (int i = 0; i < N; i++) {
        share->weight += (double)weights[i * N + i] / (N * trials);
        share->largest += (tensor_argmax(weights + i * N, N) == i) / (double)(N * trials);
    }
    share->asymmetry += asymmetry_of(q->data, k->data) / trials;
}

DiagonalShare projections_measure(Looker looker, const ProjectionCase *one, int trials, Rng rng,
                                  float *map) {
    DiagonalShare share = {0};
    Tape tape = tape_new();
    tape.recording = false;
    for (int n = 0; n < trials; n++) {
        tape_reset(&tape);
        Tensor *w[3], *x = draw(&tape, &rng, one->unit ? 1.0f : one->size, SHAPE(1, N, D));
        for (int i = 0; i < 3; i++) { /* drawn always, so that all cases see the same tokens */
            w[i] = draw(&tape, &rng, 1.0f / sqrtf(D), SHAPE(D, D));
        }
        if (one->unit) {
            make_unit(x, one->size);
        }
        bool none = one->way == PROJECT_NONE;
        Tensor *q = none ? x : op_linear(&tape, x, w[0], NULL);
        Tensor *k = none ? x : op_linear(&tape, x, w[one->way == PROJECT_SHARED ? 0 : 1], NULL);
        Tensor *v = none ? x : op_linear(&tape, x, w[2], NULL), *weights;
        float factor = one->unscaled ? sqrtf(D) : 1.0f;
        looker.look(looker.how, &tape, op_scale(&tape, q, factor), k, v, &weights);
        add_share(&share, q, k, weights->data, trials);
        if (n == 0 && map != NULL) {
            memcpy(map, weights->data, N * N * sizeof *map);
        }
    }
    tape_free(&tape);
    return share;
}

/* The map for attention.tsv; a random token has no name but its number. */
static void map_record(Run *run, const Heatmap *map) {
    char names[N][16], title[96];
    const char *tokens[N];
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "x_%d", i);
        tokens[i] = names[i];
    }
    snprintf(title, sizeof title, "projections: %s", map->title);
    run_attention(run, title, 0, 0, map->values, N, N, tokens, tokens);
}

void projections_compare(Run *run, Looker looker, const ProjectionCase *cases, int count,
                         int trials, DiagonalShare *shares) {
    CHECK(count <= PROJECTION_CASES, "projections_compare: %d cases; the most is %d", count,
          PROJECTION_CASES);
    static float map[PROJECTION_CASES][N * N];
    Heatmap maps[PROJECTION_CASES];
    run_table(run, "q and k\tweight on itself\tlooks at itself most\tasymmetry");
    for (int i = 0; i < count; i++) {
        Rng rng = run_rng(run, "projections");
        shares[i] = projections_measure(looker, &cases[i], trials, rng, map[i]);
        maps[i] = (Heatmap){.title = cases[i].name,
                            .values = map[i],
                            .rows = N,
                            .cols = N,
                            .row_axis = "query",
                            .col_axis = "key",
                            .max = 1.0f};
        run_table_row(run, "%s\t%.3f\t%.2f\t%.2f", cases[i].name, shares[i].weight,
                      shares[i].largest, shares[i].asymmetry);
        map_record(run, &maps[i]);
    }
    run_table_end(run);
    run_heatmap_png(run, "projections.png", maps, count, (count + 1) / 2,
                    "16 random tokens: who looks at whom?");
}

void projections_plot(Run *run, Looker looker, ProjectionWay apart, int trials) {
    enum { SIZES = 7, WAYS = 3 };
    static const char *const labels[] = {"x itself", "one matrix for q and k", "W_q and W_k"};
    const ProjectionWay ways[] = {PROJECT_NONE, PROJECT_SHARED, apart};
    double size[SIZES], weight[WAYS][SIZES];
    for (int i = 0; i < SIZES; i++) {
        size[i] = 0.125 * (1 << i) / 2.0;
        for (int way = 0; way < WAYS; way++) {
            ProjectionCase one = {.way = ways[way], .size = (float)size[i]};
            weight[way][i] =
                projections_measure(looker, &one, trials, run_rng(run, "projections"), NULL).weight;
        }
    }
    PlotLine alike = {"all 16 alike", 1.0 / N, false};
    Plot plot = {.name = "projection_sizes",
                 .title = "How much does a token look at itself?",
                 .x_label = "size of the numbers in x",
                 .y_label = "weight on itself",
                 .x_log = true,
                 .y_max = 1.0,
                 .lines = &alike,
                 .line_count = 1};
    run_lines(run, plot, labels, WAYS, size, weight[0], SIZES);
}
