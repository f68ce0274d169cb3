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

/* Tables, each ended by an entry without a name. To add one, name it in bench.c, too. */
extern const Workload recurrent_workloads[];   /* bench_recurrent.c: layers, Bahdanau's model */
extern const Workload attention_workloads[];   /* bench_attention.c: attention by itself, long */
extern const Workload transformer_workloads[]; /* bench_transformer.c: training, and writing */

/* The matrix product over many shapes, beside OpenBLAS where that is linked in (bench_matmul.c). */
void bench_matmul(int threads);

/* ---- measuring (bench_time.c) ---- */

/* Seconds on a clock that never goes back. */
double bench_clock(void);

/* The middle of n numbers; sorts them. */
double bench_median(double *values, int n);

#endif
