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

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef HAVE_OPENBLAS
#include <cblas.h>
#endif

enum { ROUNDS = 15, SIDE = 1024 };

static float square[3][SIDE * SIDE]; /* two factors and their product */

static void multiply_square(GemmFunction product) {
    product(false, false, SIDE, SIDE, SIDE, square[0], SIDE, square[1], SIDE, false, square[2],
            SIDE);
}

/* The linear layers of that step, six layers of an encoder and six of a decoder: how wide what goes
 * in and comes out, and how many. Each has weights of its own, too many for the caches. */
enum { LAYERS = 6, ROWS = 4 * 64, D_MODEL = 512, D_FF = 2048, WORDS = 8000 };
static const struct Linear {
    int out, in, count;
} linears[] = {
    {3 * D_MODEL, D_MODEL, 2 * LAYERS},   /* queries, keys and values of self-attention */
    {D_MODEL, D_MODEL, (2 + 4) * LAYERS}, /* its output; all four of cross-attention */
    {D_FF, D_MODEL, 2 * LAYERS},          /* feed-forward */
    {D_MODEL, D_FF, 2 * LAYERS},          {WORDS, D_MODEL, 1}, /* the scores of all words */
};
enum { LINEARS = sizeof linears / sizeof *linears };

static float *weights, *weight_grads;
static float inputs[ROWS * D_FF], outputs[ROWS * WORDS], input_grads[ROWS * D_FF];

/* y = x w^T of all layers, then dx = dy w and dw = dy^T x of all; y serves as dy. */
static void multiply_layers(GemmFunction product) {
    for (int back = 0; back <= 1; back++) {
        const float *w = weights;
        float *dw = weight_grads;
        for (int i = 0; i < LINEARS; i++) {
            int n = linears[i].out, k = linears[i].in;
            for (int l = 0; l < linears[i].count; l++, w += n * k, dw += n * k) {
                if (!back) {
                    product(false, true, ROWS, n, k, inputs, k, w, k, false, outputs, n);
                } else {
                    product(false, false, ROWS, k, n, outputs, n, w, k, false, input_grads, k);
                    product(true, false, n, k, ROWS, outputs, n, inputs, k, false, dw, k);
                }
            }
        }
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

static float *random_numbers(float *x, long size, float scale, Rng *rng) {
    for (long i = 0; i < size; i++) {
        x[i] = scale * rng_normal(rng);
    }
    return x;
}

static void fill_operands(void) {
    Rng rng = rng_seeded(1, 0);
    random_numbers(square[0], SIDE * SIDE, 1.0f, &rng);
    random_numbers(square[1], SIDE * SIDE, 1.0f, &rng);
    long size = 0;
    for (int i = 0; i < LINEARS; i++) {
        size += (long)linears[i].count * linears[i].out * linears[i].in;
    }
    weights = random_numbers(check_alloc((size_t)size * sizeof(float)), size, 0.02f, &rng);
    weight_grads = check_alloc((size_t)size * sizeof(float));
    random_numbers(inputs, ROWS * D_FF, 1.0f, &rng);
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

/* A line that overwrites itself, for somebody who waits at a terminal. */
static void show_round(int round, double seconds_each) {
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r%-40s\r", "");
        if (round < ROUNDS) {
            fprintf(stderr, "round %d of %d, %.0f s left", round + 1, ROUNDS,
                    (ROUNDS - round) * seconds_each);
        }
    }
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
    fill_operands();
    double step = 0.0;
    for (int i = 0; i < COUNT; i++) {
        run_seconds(&runners[i], 2); /* the first time fetches memory and starts threads */
        double once = run_seconds(&runners[i], 1);
        step = i == 0 ? once : step;
        runners[i].times = once < step ? (int)(step / once) : 1;
    }
    for (int r = 0; r < ROUNDS; r++) {
        show_round(r, 1.5 * COUNT * step);
        for (int i = 0; i < COUNT; i++) {
            runners[i].seconds[0][r] = run_seconds(&runners[i], 1);
            runners[i].seconds[1][r] = run_seconds(&runners[i], 2);
        }
    }
    show_round(ROUNDS, 0.0);
    printf("times faster with two threads than with one, %d rounds (the median counts)\n"
           "%-22s %8s %8s %8s %10s %10s\n",
           ROUNDS, "", "least", "median", "most", "ms with 1", "ms with 2");
    for (int i = 0; i < COUNT; i++) {
        print_runner(&runners[i]);
    }
    free(weights);
    free(weight_grads);
    workload->tear_down(runners[0].state);
}
