/* A workload of the benchmark: something that is set up once and then timed step by step. The names
 * and sizes are those of a PyTorch script it is compared with, no part of this repository. */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stdbool.h>

/* What one step cannot do without: additions and multiplications of matrix products (everything
 * else comes on top), and bytes that must come from memory because no cache holds them. */
typedef struct Work {
    double flops, bytes;
} Work;

typedef struct Workload {
    const char *name;
    void *(*set_up)(void);
    void (*step)(void *state); /* forward, backward and, where a model is trained, the update */
    void (*tear_down)(void *state);
    Work (*work)(void);
} Workload;

/* Number n of all workloads in all tables; NULL behind the last (bench.c). */
const Workload *workload_at(int n);

/* The workload of that name, or NULL (bench.c). */
const Workload *workload_named(const char *name);

/* Median seconds of a step, from at least 3 steps and so many seconds (bench.c). */
double workload_time(const Workload *workload, double seconds);

/* Tables, each ended by an entry without a name. To add one, name it in bench.c, too. */
extern const Workload recurrent_workloads[];   /* bench_recurrent.c: layers, Bahdanau's model */
extern const Workload attention_workloads[];   /* bench_attention.c: attention by itself, long */
extern const Workload transformer_workloads[]; /* bench_transformer.c: training, and writing */

/* What multiplies matrices as gemm() does (core/kernels/gemm.h), and OpenBLAS in that form
 * (bench_matmul.c; only where it is linked in). */
typedef void (*GemmFunction)(bool trans_a, bool trans_b, int m, int n, int k, const float *a,
                             int lda, const float *b, int ldb, bool accumulate, float *c, int ldc);
void blas_gemm(bool trans_a, bool trans_b, int m, int n, int k, const float *a, int lda,
               const float *b, int ldb, bool accumulate, float *c, int ldc);

/* The matrix product over many shapes, beside OpenBLAS where that is linked in (bench_matmul.c). */
void bench_matmul(int threads);

/* Each workload's time beside the least its work could take on this machine (bench_limits.c). */
void bench_limits(int threads);

/* What attention needs of memory as sequences grow (bench_attention.c). */
void bench_memory(void);

/* How much two threads help, beside OpenBLAS (bench_threads.c). */
void bench_threads(void);

/* ---- measuring (bench_time.c) ---- */

/* Seconds on a clock that never goes back. */
double bench_clock(void);

/* The middle of n numbers; sorts them. */
double bench_median(double *values, int n);

#endif
