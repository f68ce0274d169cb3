/* Matrix products over the shapes the lessons use: ours, the three plain loops and, where it is
 * there, OpenBLAS, in turns within one run, so that a noisy machine is noisy for all of them.
 * Printed are billions of multiplications and additions per second, and the ratio to OpenBLAS. */
#include "workload.h"

#include "core/check.h"
#include "core/kernels/gemm.h"
#include "core/rng.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_OPENBLAS
#include <cblas.h>
#endif

enum { ROUNDS = 15 };
static const double ROUND_FLOPS = 4e7;      /* about a millisecond or less each */
static const double MOST_NAIVE_FLOPS = 3e8; /* three plain loops are not worth more patience */

typedef struct Shape {
    const char *what;
    bool trans_a, trans_b;
    int batch, m, n, k;
} Shape;

static const Shape shapes[] = {
    {"square", false, false, 1, 16, 16, 16},
    {"square", false, false, 1, 32, 32, 32},
    {"square", false, false, 1, 48, 48, 48},
    {"square", false, false, 1, 64, 64, 64},
    {"square", false, false, 1, 100, 100, 100},
    {"square", false, false, 1, 128, 128, 128},
    {"square", false, false, 1, 256, 256, 256},
    {"square", false, false, 1, 512, 512, 512},
    {"square", false, false, 1, 1024, 1024, 1024},
    {"square", false, true, 1, 64, 64, 64},
    {"square", false, true, 1, 512, 512, 512},
    {"square", true, false, 1, 64, 64, 64},
    {"square", true, false, 1, 512, 512, 512},
    {"rnn step", false, false, 1, 32, 64, 64},
    {"gru step", false, false, 1, 32, 192, 64},
    {"gru step, weights as stored", false, true, 1, 32, 192, 64},
    {"lstm step", false, true, 1, 32, 512, 128},
    {"lstm step back", false, false, 1, 32, 128, 512},
    {"all inputs of a gru", false, true, 1, 640, 192, 64},
    {"weight gradient", true, false, 1, 192, 64, 640},
    {"weight gradient, long", true, false, 1, 64, 64, 3200},
    {"tall and skinny", false, true, 1, 1600, 64, 64},
    {"words of a small vocabulary", false, true, 1, 320, 40, 64},
    {"feed-forward, wide", false, true, 1, 256, 2048, 512},
    {"its weight gradient", true, false, 1, 2048, 512, 256},
    {"scores of heads", false, true, 128, 20, 20, 16},
    {"weighted sums of heads", false, false, 128, 20, 16, 20},
    {"scores of short phrases", false, true, 128, 10, 10, 16},
    {"context of one query", false, false, 32, 1, 64, 24},
    {"scores of one query", false, true, 8, 1, 256, 64},
    {"one token through a layer", false, true, 1, 1, 512, 512},
    {"four tokens", false, true, 1, 4, 512, 512},
};

typedef struct Operands {
    float *a, *b, *c;
} Operands;

typedef void (*Product)(const Shape *s, const Operands *x);

static void ours(const Shape *s, const Operands *x) {
    gemm_batched(s->trans_a, s->trans_b, s->batch, s->m, s->n, s->k, x->a, s->trans_a ? s->m : s->k,
                 (long)s->m * s->k, x->b, s->trans_b ? s->k : s->n, (long)s->k * s->n, false, x->c,
                 s->n, (long)s->m * s->n);
}

/* Of a function that knows one product at a time. */
static void product_by_product(GemmFunction gemm_one, const Shape *s, const Operands *x) {
    for (long i = 0; i < s->batch; i++) {
        gemm_one(s->trans_a, s->trans_b, s->m, s->n, s->k, x->a + i * s->m * s->k,
                 s->trans_a ? s->m : s->k, x->b + i * s->k * s->n, s->trans_b ? s->k : s->n, false,
                 x->c + i * s->m * s->n, s->n);
    }
}

static void naive(const Shape *s, const Operands *x) {
    product_by_product(gemm_naive, s, x);
}

#ifdef HAVE_OPENBLAS
void blas_gemm(bool trans_a, bool trans_b, int m, int n, int k, const float *a, int lda,
               const float *b, int ldb, bool accumulate, float *c, int ldc) {
    cblas_sgemm(CblasRowMajor, trans_a ? CblasTrans : CblasNoTrans,
                trans_b ? CblasTrans : CblasNoTrans, m, n, k, 1.0f, a, lda, b, ldb,
                accumulate ? 1.0f : 0.0f, c, ldc);
}

static void blas(const Shape *s, const Operands *x) {
    product_by_product(blas_gemm, s, x);
}
#endif

static double flops(const Shape *s) {
    return 2.0 * s->batch * s->m * s->n * s->k;
}

/* Seconds of one call, from as many calls as make up a round. */
static double time_round(Product product, const Shape *s, const Operands *x) {
    int calls = (int)(ROUND_FLOPS / flops(s)) + 1;
    double start = bench_clock();
    for (int i = 0; i < calls; i++) {
        product(s, x);
    }
    return (bench_clock() - start) / calls;
}

static float *random_matrix(long size, Rng *rng) {
    float *x = check_alloc((size_t)size * sizeof *x);
    for (long i = 0; i < size; i++) {
        x[i] = rng_normal(rng);
    }
    return x;
}

static void bench_shape(const Shape *s) {
    Rng rng = rng_seeded(1, 0);
    Operands x = {random_matrix((long)s->batch * s->m * s->k, &rng),
                  random_matrix((long)s->batch * s->k * s->n, &rng),
                  random_matrix((long)s->batch * s->m * s->n, &rng)};
    double our[ROUNDS], plain = flops(s) < MOST_NAIVE_FLOPS ? time_round(naive, s, &x) : 0.0;
#ifdef HAVE_OPENBLAS
    double other[ROUNDS], ratio[ROUNDS];
#endif
    for (int r = 0; r < ROUNDS; r++) {
        our[r] = time_round(ours, s, &x);
#ifdef HAVE_OPENBLAS
        other[r] = time_round(blas, s, &x);
        ratio[r] = other[r] / our[r];
#endif
    }
    char size[64], naive_rate[32] = "-";
    snprintf(size, sizeof size, s->batch > 1 ? "%d x " : "%.0d", s->batch > 1 ? s->batch : 0);
    if (plain > 0.0) {
        snprintf(naive_rate, sizeof naive_rate, "%.1f", flops(s) / plain / 1e9);
    }
    printf("%-28s %s%s %6s%4d %4d %4d  %7.1f  %6s", s->what, s->trans_a ? "t" : "n",
           s->trans_b ? "t" : "n", size, s->m, s->n, s->k,
           flops(s) / bench_median(our, ROUNDS) / 1e9, naive_rate);
#ifdef HAVE_OPENBLAS
    printf("  %8.1f  %5.2f", flops(s) / bench_median(other, ROUNDS) / 1e9,
           bench_median(ratio, ROUNDS));
#endif
    printf("\n");
    fflush(stdout);
    free(x.a);
    free(x.b);
    free(x.c);
}

void bench_matmul(int threads) {
    printf("matmul, Gflop/s, %d thread%s\n", threads, threads > 1 ? "s" : "");
    printf("%-28s op        m    n    k     ours   naive", "");
#ifdef HAVE_OPENBLAS
    openblas_set_num_threads(threads);
    printf("  OpenBLAS  ratio   (OpenBLAS kernels: %s)", openblas_get_corename());
#endif
    printf("\n");
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        bench_shape(&shapes[i]);
    }
}
