/* How much a second thread helps: a step of training beside matrix products, ours and OpenBLAS's:
 * those that the step consists of, and a square one, which is easier to share.
 *
 * A machine that does other things, too, gives its second core now and not then. So all are
 * measured alike: each in turn, many times over, for as long as the step takes with one thread and
 * then with two, and what counts is the median of these quotients. (The best of some short products
 * would be a lucky moment, which a step is too long to have.) */
#include "workload.h"

#include "core/check.h"
#include "core/kernels/gemm.h"
#include "core/rng.h"
#include "core/threads.h"
#include "show/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_OPENBLAS
#include <cblas.h>
#endif

enum { ROUNDS = 15, SIDE = 1024 };

static float square[3][SIDE * SIDE]; /* two factors and their product */

static void multiply_square(GemmFunction product) {
    product(false, false, SIDE, SIDE, SIDE, square[0], SIDE, square[1], SIDE, false, square[2],
            SIDE);
}

/* The linear layers of that step, six layers of an encoder and six of a decoder: how wide what
 * comes out and goes in, and how many. */
enum { LAYERS = 6, ROWS = 4 * 64, D_MODEL = 512, D_FF = 2048, WORDS = 8000 };
static const struct Kind {
    int out, in, count;
} kinds[] = {
    {3 * D_MODEL, D_MODEL, 2 * LAYERS},   /* queries, keys and values of self-attention */
    {D_MODEL, D_MODEL, (2 + 4) * LAYERS}, /* its output; all four of cross-attention */
    {D_FF, D_MODEL, 2 * LAYERS},          /* feed-forward, up */
    {D_MODEL, D_FF, 2 * LAYERS},          /* and down */
    {WORDS, D_MODEL, 1},                  /* the scores of all words */
};
enum { LINEARS = (2 + 2 + 4 + 2 + 2) * LAYERS + 1 };

/* Each has weights of its own, all together too many for the caches. */
static struct Linear {
    int n, k;
    float *w, *dw;
} linears[LINEARS];
static float inputs[ROWS * D_FF], outputs[ROWS * WORDS], input_grads[ROWS * D_FF];

/* y = x w^T of all, then dx = dy w and dw = dy^T x from the last to the first; y serves as dy. */
static void multiply_layers(GemmFunction product) {
    for (int i = 0; i < LINEARS; i++) {
        const struct Linear *l = &linears[i];
        product(false, true, ROWS, l->n, l->k, inputs, l->k, l->w, l->k, false, outputs, l->n);
    }
    for (int i = LINEARS - 1; i >= 0; i--) {
        const struct Linear *l = &linears[i];
        product(false, false, ROWS, l->k, l->n, outputs, l->n, l->w, l->k, false, input_grads,
                l->k);
        product(true, false, l->n, l->k, ROWS, outputs, l->n, inputs, l->k, false, l->dw, l->k);
    }
}

static void our_square(void *state) {
    (void)state;
    multiply_square(gemm);
}

static void our_layers(void *state) {
    (void)state;
    multiply_layers(gemm);
}

#ifdef HAVE_OPENBLAS
static void blas_square(void *state) {
    (void)state;
    multiply_square(blas_gemm);
}

static void blas_layers(void *state) {
    (void)state;
    multiply_layers(blas_gemm);
}
#endif

static void fill(float *x, long size, Rng *rng) {
    for (long i = 0; i < size; i++) {
        x[i] = rng_normal(rng);
    }
}

static void operands_new(void) {
    Rng rng = rng_seeded(1, 0);
    fill(square[0], SIDE * SIDE, &rng);
    fill(square[1], SIDE * SIDE, &rng);
    fill(inputs, ROWS * D_FF, &rng);
    int i = 0;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        for (int c = 0; c < kinds[kind].count; c++) {
            struct Linear *l = &linears[i++];
            l->n = kinds[kind].out;
            l->k = kinds[kind].in;
            l->w = check_alloc((size_t)l->n * (size_t)l->k * sizeof(float));
            l->dw = check_alloc((size_t)l->n * (size_t)l->k * sizeof(float));
            fill(l->w, (long)l->n * l->k, &rng);
        }
    }
    CHECK(i == LINEARS, "%d layers are listed, not %d", i, LINEARS);
}

static void operands_free(void) {
    for (int i = 0; i < LINEARS; i++) {
        free(linears[i].w);
        free(linears[i].dw);
    }
}

typedef struct Runner {
    const char *name;
    void (*step)(void *state);
    void *state;
    int times;                 /* steps in a row, so that all take about as long */
    double seconds[2][ROUNDS]; /* of one of them, with one thread and with two */
} Runner;

static double run_seconds(const Runner *runner, int threads) {
    threads_set(threads);
#ifdef HAVE_OPENBLAS
    openblas_set_num_threads(threads);
#endif
    double start = bench_clock();
    for (int i = 0; i < runner->times; i++) {
        runner->step(runner->state);
    }
    return (bench_clock() - start) / runner->times;
}

static void print_runner(Runner *runner) {
    double quotient[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        quotient[r] = runner->seconds[0][r] / runner->seconds[1][r];
    }
    double middle = bench_median(quotient, ROUNDS); /* and they are in order now */
    printf("%-22s %8.2f %8.2f %8.2f %10.1f %10.1f\n", runner->name, quotient[0], middle,
           quotient[ROUNDS - 1], 1e3 * bench_median(runner->seconds[0], ROUNDS),
           1e3 * bench_median(runner->seconds[1], ROUNDS));
}

void bench_threads(void) {
    const Workload *workload = workload_named("xf_d512_h8_n6_b4_l64");
    Runner runners[] = {
        {workload->name, workload->step, workload->set_up(), 1, {{0}}},
        {"ours, products of it", our_layers, NULL, 1, {{0}}},
        {"ours, 1024^3", our_square, NULL, 1, {{0}}},
#ifdef HAVE_OPENBLAS
        {"OpenBLAS, products", blas_layers, NULL, 1, {{0}}},
        {"OpenBLAS, 1024^3", blas_square, NULL, 1, {{0}}},
#endif
    };
    enum { COUNT = sizeof runners / sizeof *runners };
    operands_new();
    double step = 0.0;
    for (int i = 0; i < COUNT; i++) {
        run_seconds(&runners[i], 2); /* the first time fetches memory and starts threads */
        double once = run_seconds(&runners[i], 1);
        step = i == 0 ? once : step;
        runners[i].times = once < step ? (int)(step / once) : 1;
    }
    Terminal term = terminal_new(stderr, false);
    Progress progress = progress_begin(&term, "rounds", ROUNDS, true);
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < COUNT; i++) {
            runners[i].seconds[0][r] = run_seconds(&runners[i], 1);
            runners[i].seconds[1][r] = run_seconds(&runners[i], 2);
        }
        progress_update(&progress, r + 1, NAN, NULL, 0.0);
    }
    progress_end(&progress);
    printf("times faster with two threads than with one, %d rounds (the median counts)\n"
           "%-22s %8s %8s %8s %10s %10s\n",
           ROUNDS, "", "least", "median", "most", "ms with 1", "ms with 2");
    for (int i = 0; i < COUNT; i++) {
        print_runner(&runners[i]);
    }
    operands_free();
    workload->tear_down(runners[0].state);
}
