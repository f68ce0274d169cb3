/* A workload of the benchmark: something that is set up once and then timed step by step. The names
 * and sizes are those of the PyTorch script it is compared with. */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

typedef struct Workload {
    const char *name;
    void *(*set_up)(void);
    void (*step)(void *state); /* forward, backward and, where a model is trained, the update */
    void (*tear_down)(void *state);
} Workload;

/* Recurrent layers and Bahdanau's model (bench_recurrent.c). */
extern const Workload recurrent_workloads[];
extern const int recurrent_workload_count;

/* The matrix product over many shapes, beside OpenBLAS where that is linked in (bench_matmul.c). */
void bench_matmul(int threads);

/* ---- measuring (bench_time.c) ---- */

/* Seconds on a clock that never goes back. */
double bench_clock(void);

/* The middle of n numbers; sorts them. */
double bench_median(double *values, int n);

#endif
