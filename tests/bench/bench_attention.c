/* Attention by itself over long sequences: forward, then backward from the sum of the output. */
#include "workload.h"

#include "core/check.h"
#include "core/ops.h"
#include "core/params.h"

#include <stdio.h>
#include <stdlib.h>

enum { HEADS = 8, WIDTH = 64 };

typedef struct AttentionBench {
    Params params; /* q, k and v with their gradients, which are not set to zero in between */
    Tape tape;
    Tensor *q, *k, *v; /* (1, H, L, D) */
} AttentionBench;

static void *attention_set_up(int L) {
    AttentionBench *bench = check_alloc(sizeof *bench);
    Params *params = &bench->params;
    *params = params_new();
    bench->tape = tape_new();
    bench->tape.recycle = true;
    Init normal = init_normal(1.0f);
    bench->q = params_add(params, "bench", "q", normal, SHAPE(1, HEADS, L, WIDTH));
    bench->k = params_add(params, "bench", "k", normal, SHAPE(1, HEADS, L, WIDTH));
    bench->v = params_add(params, "bench", "v", normal, SHAPE(1, HEADS, L, WIDTH));
    Rng rng = rng_seeded(1, 0);
    params_allocate(params, &rng);
    return bench;
}

static void attention_step(void *state) {
    AttentionBench *bench = state;
    Tape *tape = &bench->tape;
    tape_reset(tape);
    AttentionOptions options = {.causal = true};
    Tensor *y = op_attention(tape, bench->q, bench->k, bench->v, options);
    tape_backward(tape, op_sum(tape, y));
}

static void attention_tear_down(void *state) {
    AttentionBench *bench = state;
    params_free(&bench->params);
    tape_free(&bench->tape);
    free(bench);
}

static void *short_set_up(void) {
    return attention_set_up(1024);
}

static void *long_set_up(void) {
    return attention_set_up(4096);
}

/* Half of all pairs, scores and sums, forward once and back twice. */
static Work attention_work(double L) {
    return (Work){.flops = 3 * 4 * 0.5 * L * L * HEADS * WIDTH};
}

static Work short_work(void) {
    return attention_work(1024);
}

static Work long_work(void) {
    return attention_work(4096);
}

const Workload attention_workloads[] = {
    {"attn_l1024_h8_dk64", short_set_up, attention_step, attention_tear_down, short_work},
    {"attn_l4096_h8_dk64", long_set_up, attention_step, attention_tear_down, long_work},
    {NULL, NULL, NULL, NULL, NULL},
};

void bench_memory(void) {
    printf("attention, %d heads of %d, causal, forward and back: memory of the tape\n", HEADS,
           WIDTH);
    printf("%8s  %10s  %15s\n", "L", "MiB", "bytes per token");
    for (int L = 1024; L <= 8192; L *= 2) {
        AttentionBench *bench = attention_set_up(L);
        attention_step(bench);
        double bytes = (double)bench->tape.arena.peak;
        printf("%8d  %10.2f  %15.0f\n", L, bytes / (1 << 20), bytes / L);
        fflush(stdout);
        attention_tear_down(bench);
    }
}
