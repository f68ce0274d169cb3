/* How much a second thread helps: a step of training beside matrix products, ours and OpenBLAS's.
 *
 * A machine that does other things, too, gives its second core now and not then. So all are
 * measured alike: each in turn, many times over, for as long as the step takes with one thread and
 * then with two, and what counts is the median of these quotients. (The best of some short products
 * would be a lucky moment, which a step is too long to have.) */
#include "workload.h"

#include "core/kernels/gemm.h"
#include "core/rng.h"
#include "core/threads.h"

#include <stdio.h>

#ifdef HAVE_OPENBLAS
#include <cblas.h>
#endif

enum { ROUNDS = 15, SIDE = 1024 };

static float square[3][SIDE * SIDE]; /* two factors and their product */

static void our_product(void *state) {
    (void)state;
    gemm(false, false, SIDE, SIDE, SIDE, square[0], SIDE, square[1], SIDE, false, square[2], SIDE);
}

#ifdef HAVE_OPENBLAS
static void blas_product(void *state) {
    (void)state;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1.0f, square[0], SIDE,
                square[1], SIDE, 0.0f, square[2], SIDE);
}
#endif

typedef struct Runner {
    const char *name;
    void (*step)(void *state);
    void *state;
    int times;                 /* steps in a row, so that all take about as long */
    double seconds[2][ROUNDS]; /* with one thread, with two */
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
    return bench_clock() - start;
}

static void print_runner(Runner *runner) {
    double quotient[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        quotient[r] = runner->seconds[0][r] / runner->seconds[1][r];
    }
    double middle = bench_median(quotient, ROUNDS); /* and they are in order now */
    printf("%-22s %8.2f %8.2f %8.2f %10.0f %10.0f\n", runner->name, quotient[0], middle,
           quotient[ROUNDS - 1], 1e3 * bench_median(runner->seconds[0], ROUNDS),
           1e3 * bench_median(runner->seconds[1], ROUNDS));
}

void bench_threads(void) {
    const Workload *workload = workload_named("xf_d512_h8_n6_b4_l64");
    Runner runners[] = {
        {workload->name, workload->step, workload->set_up(), 1, {{0}}},
        {"our matmul, 1024^3", our_product, NULL, 1, {{0}}},
#ifdef HAVE_OPENBLAS
        {"OpenBLAS's, 1024^3", blas_product, NULL, 1, {{0}}},
#endif
    };
    enum { COUNT = sizeof runners / sizeof *runners };
    Rng rng = rng_seeded(1, 0);
    for (int i = 0; i < SIDE * SIDE; i++) {
        square[0][i] = rng_normal(&rng);
        square[1][i] = rng_normal(&rng);
    }
    double step = 0.0;
    for (int i = 0; i < COUNT; i++) {
        run_seconds(&runners[i], 2); /* the first time fetches memory and starts threads */
        double once = run_seconds(&runners[i], 1);
        step = i == 0 ? once : step;
        runners[i].times = once < step ? (int)(step / once) : 1;
    }
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < COUNT; i++) {
            runners[i].seconds[0][r] = run_seconds(&runners[i], 1);
            runners[i].seconds[1][r] = run_seconds(&runners[i], 2);
        }
    }
    printf("two threads are faster than one, %d rounds\n%-22s %8s %8s %8s %10s %10s\n", ROUNDS, "",
           "least", "median", "most", "ms with 1", "ms with 2");
    for (int i = 0; i < COUNT; i++) {
        print_runner(&runners[i]);
    }
    workload->tear_down(runners[0].state);
}
