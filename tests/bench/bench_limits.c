/* How far from the machine's limits: the rate of our matrix product and the speed of memory are
 * measured in the same run as the workloads. */
#include "workload.h"

#include "core/check.h"
#include "core/kernels/gemm.h"
#include "core/pages.h"
#include "core/rng.h"
#include "core/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 15 };

/* ---- what the machine can do ---- */

/* The best of some rounds of our matrix product, n x n, in flops per second. */
static double product_rate(int n) {
    size_t size = (size_t)n * (size_t)n;
    float *all = check_alloc(3 * size * sizeof *all);
    Rng rng = rng_seeded(1, 0);
    for (size_t i = 0; i < 2 * size; i++) {
        all[i] = rng_normal(&rng);
    }
    double best = 0.0;
    for (int r = 0; r < ROUNDS; r++) {
        double start = bench_clock();
        gemm(false, false, n, n, n, all, n, all + size, n, false, all + 2 * size, n);
        double rate = 2.0 * n * n * n / (bench_clock() - start);
        best = rate > best ? rate : best;
    }
    free(all);
    return best;
}

static double matmul_rate(void) {
    double small = product_rate(256), large = product_rate(512);
    return small > large ? small : large;
}

/* Bytes per second of reading numbers that no cache holds, in the same way as a product of one row
 * reads its weights. */
static double memory_rate(void) {
    enum { ROWS = 16384, COLS = 2048 }; /* 128 MiB */
    size_t bytes = (size_t)ROWS * COLS * sizeof(float);
    float *b = pages_new(bytes), *a = check_alloc(COLS * sizeof *a);
    float *c = check_alloc(ROWS * sizeof *c);
    CHECK(b != NULL, "bench: out of memory: %zu bytes", bytes);
    memset(b, 0, bytes);
    double best = 0.0;
    for (int r = 0; r < ROUNDS; r++) {
        double start = bench_clock();
        gemm(false, true, 1, ROWS, COLS, a, COLS, b, COLS, false, c, ROWS);
        double rate = (double)bytes / (bench_clock() - start);
        best = rate > best ? rate : best;
    }
    free(a);
    free(b);
    free(c);
    return best;
}

/* ---- the table ---- */

void bench_limits(int threads) {
    double flops = matmul_rate(), bytes = memory_rate();
    printf("%d thread%s: matmul %.1f Gflop/s, memory %.1f GB/s\n", threads, threads > 1 ? "s" : "",
           flops / 1e9, bytes / 1e9);
    printf("%-26s %10s %10s %10s %10s %8s\n", "", "Gflop", "MB", "least ms", "ms", "share");
    const Workload *workload = NULL;
    for (int n = 0; (workload = workload_at(n)) != NULL; n++) {
        Work work = workload->work();
        double seconds = workload_time(workload, 1.0);
        double by_flops = work.flops / flops, by_bytes = work.bytes / bytes;
        double least = by_flops > by_bytes ? by_flops : by_bytes;
        printf("%-26s %10.3f %10.1f %10.3f %10.3f %7.0f%%\n", workload->name, work.flops / 1e9,
               work.bytes / 1e6, 1e3 * least, 1e3 * seconds, 100.0 * least / seconds);
        fflush(stdout);
    }
}
