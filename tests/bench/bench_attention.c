/* Attention by itself over long sequences: forward, then backward from the sum of the output. */
#include "workload.h"

#include "core/check.h"
#include "core/ops.h"
#include "core/params.h"

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

const Workload attention_workloads[] = {
    {"attn_l1024_h8_dk64", short_set_up, attention_step, attention_tear_down},
    {"attn_l4096_h8_dk64", long_set_up, attention_step, attention_tear_down},
    {NULL, NULL, NULL, NULL},
};
