/* The Transformer workloads: training an encoder-decoder and a language model, and writing with
 * one, token by token. */
#include "workload.h"

#include "core/check.h"
#include "core/optim.h"
#include "nn/transformer.h"

#include <stdlib.h>

typedef struct Sizes {
    int d_model, heads, layers, B, L, V;
} Sizes;

enum {
    TRAINING = 3,     /* times the flops of the way forward: back, each product has two */
    CACHED = 1 << 22, /* weights (16 MiB) that may stay in the last cache */
};

typedef struct TransformerBench {
    Sizes sizes;
    Params params;
    Adam adam;
    Tape tape, kept; /* of one step; of the caches */
    Transformer translator;
    DecoderOnly writer;
    KvCache *caches;
    int *x, *y; /* (B, L) */
    uint64_t steps;
} TransformerBench;

static TransformerConfig config_of(Sizes sizes) {
    return (TransformerConfig){
        .layer = {.d_model = sizes.d_model, .heads = sizes.heads, .d_ff = 4 * sizes.d_model},
        .encoder_layers = sizes.layers,
        .decoder_layers = sizes.layers};
}

static int *random_ids(Sizes sizes, Rng *rng) {
    int count = sizes.B * sizes.L, *ids = check_alloc((size_t)count * sizeof *ids);
    for (int i = 0; i < count; i++) {
        ids[i] = (int)rng_below(rng, (uint32_t)sizes.V);
    }
    return ids;
}

static TransformerBench *bench_new(Sizes sizes) {
    TransformerBench *bench = check_alloc(sizeof *bench);
    *bench = (TransformerBench){
        .sizes = sizes, .params = params_new(), .tape = tape_new(), .kept = tape_new()};
    bench->tape.recycle = true;
    return bench;
}

static void bench_allocate(TransformerBench *bench) {
    Rng rng = rng_seeded(1, 0);
    params_allocate(&bench->params, &rng);
    bench->x = random_ids(bench->sizes, &rng);
    bench->y = random_ids(bench->sizes, &rng);
}

static void tear_down(void *state) {
    TransformerBench *bench = state;
    adam_free(&bench->adam);
    params_free(&bench->params);
    tape_free(&bench->tape);
    tape_free(&bench->kept);
    free(bench->x);
    free(bench->y);
    free(bench);
}

/* ---- encoder and decoder: one training step with dropout, smoothing and clipping ---- */

static void *translator_set_up(Sizes sizes) {
    TransformerBench *bench = bench_new(sizes);
    TransformerConfig config = config_of(sizes);
    config.layer.dropout = config.layer.attention_dropout = 0.1f;
    bench->translator = transformer_new(&bench->params, "model", sizes.V, sizes.V, config);
    bench_allocate(bench);
    bench->adam = adam_new(&bench->params);
    bench->adam.beta2 = 0.98f;
    bench->adam.eps = 1e-9f;
    return bench;
}

static void translator_step(void *state) {
    TransformerBench *bench = state;
    const Transformer *model = &bench->translator;
    Tape *tape = &bench->tape;
    int B = bench->sizes.B, L = bench->sizes.L;
    Dropout dropout = {.key = bench->steps++};
    tape_reset(tape);
    params_begin_grad(&bench->params);
    Tensor *memory = transformer_encode(tape, model, bench->x, NULL, B, L, &dropout, NULL);
    Tensor *logits = transformer_decode(tape, model, bench->y, B, L, memory, NULL, &dropout, NULL);
    CrossEntropy options = {.ignore = -1, .smoothing = 0.1f};
    tape_backward(tape, op_cross_entropy(tape, logits, bench->y, options));
    adam_step_clipped(&bench->adam, 1e-3f, 1.0);
}

/* 12 d^2 weights in an encoder layer, 16 d^2 in a decoder layer; its own tokens each sees whole, or
 * half of them, or those of the other side. */
static Work translator_work(Sizes s) {
    double n = (double)s.B * s.L, d = s.d_model;
    double weights = s.layers * (12 + 16) * d * d + s.V * d, pairs = s.layers * 2.5 * n * s.L;
    return (Work){.flops = TRAINING * (2 * n * weights + 4 * pairs * d)};
}

static const Sizes xf_64 = {64, 4, 2, 32, 20, 40}, xf_128 = {128, 4, 3, 16, 48, 1000},
                   xf_512 = {512, 8, 6, 4, 64, 8000};

static void *xf_64_set_up(void) {
    return translator_set_up(xf_64);
}

static Work xf_64_work(void) {
    return translator_work(xf_64);
}

static void *xf_128_set_up(void) {
    return translator_set_up(xf_128);
}

static Work xf_128_work(void) {
    return translator_work(xf_128);
}

static void *xf_512_set_up(void) {
    return translator_set_up(xf_512);
}

static Work xf_512_work(void) {
    return translator_work(xf_512);
}

/* ---- decoder only: one training step; writing L tokens ---- */

static TransformerBench *writer_new(Sizes sizes) {
    TransformerBench *bench = bench_new(sizes);
    TransformerConfig config = config_of(sizes);
    config.layer.activation = ACTIVATION_GELU;
    config.position = POSITION_LEARNED;
    config.max_length = sizes.L;
    config.tied = true;
    bench->writer = decoder_only_new(&bench->params, "model", sizes.V, config);
    bench_allocate(bench);
    return bench;
}

static void *training_set_up(Sizes sizes) {
    TransformerBench *bench = writer_new(sizes);
    bench->adam = adam_new(&bench->params);
    bench->adam.weight_decay = 0.01f;
    return bench;
}

static void training_step(void *state) {
    TransformerBench *bench = state;
    Tape *tape = &bench->tape;
    int B = bench->sizes.B, L = bench->sizes.L;
    tape_reset(tape);
    params_begin_grad(&bench->params);
    Tensor *logits = decoder_only_forward(tape, &bench->writer, bench->x, B, L, NULL, NULL, NULL);
    tape_backward(tape, op_cross_entropy(tape, logits, bench->y, (CrossEntropy){.ignore = -1}));
    adam_step(&bench->adam, 1e-3f);
}

static void writing_step(void *state) {
    TransformerBench *bench = state;
    Tape *tape = &bench->tape;
    int token = 0;
    for (int i = 0; i < bench->sizes.layers; i++) {
        kv_cache_reset(&bench->caches[i]);
    }
    for (int t = 0; t < bench->sizes.L; t++) {
        tape_reset(tape);
        Tensor *logits =
            decoder_only_forward(tape, &bench->writer, &token, 1, 1, bench->caches, NULL, NULL);
        token = tensor_argmax(logits->data, bench->sizes.V);
    }
}

static Work training_work(Sizes s) {
    double n = (double)s.B * s.L, d = s.d_model;
    double weights = s.layers * 12 * d * d + s.V * d, pairs = s.layers * 0.5 * n * s.L;
    return (Work){.flops = TRAINING * (2 * n * weights + 4 * pairs * d)};
}

/* All weights are read for each token, and so are the keys and values so far: from memory, unless
 * the weights are few enough to stay in the caches. */
static Work writing_work(Sizes s) {
    double n = s.L, d = s.d_model;
    double weights = s.layers * 12 * d * d + s.V * d, pairs = s.layers * 0.5 * n * n;
    double from_memory = weights > CACHED ? sizeof(float) * (n * weights + 2 * pairs * d) : 0;
    return (Work){.flops = 2 * n * weights + 4 * pairs * d, .bytes = from_memory};
}

static const Sizes gpt_64 = {64, 4, 2, 8, 64, 96}, gpt_256 = {256, 8, 4, 4, 256, 1000},
                   gen_128 = {128, 4, 4, 1, 256, 96}, gen_512 = {512, 8, 6, 1, 256, 8000};

static void *gpt_64_set_up(void) {
    return training_set_up(gpt_64);
}

static Work gpt_64_work(void) {
    return training_work(gpt_64);
}

static void *gpt_256_set_up(void) {
    return training_set_up(gpt_256);
}

static Work gpt_256_work(void) {
    return training_work(gpt_256);
}

static void *writing_set_up(Sizes sizes) {
    TransformerBench *bench = writer_new(sizes);
    bench->tape.recording = false;
    bench->caches = decoder_only_caches(&bench->kept.arena, &bench->writer, 1, sizes.L);
    return bench;
}

static void *gen_128_set_up(void) {
    return writing_set_up(gen_128);
}

static Work gen_128_work(void) {
    return writing_work(gen_128);
}

static void *gen_512_set_up(void) {
    return writing_set_up(gen_512);
}

static Work gen_512_work(void) {
    return writing_work(gen_512);
}

const Workload transformer_workloads[] = {
    {"xf_d64_h4_n2_b32_l20", xf_64_set_up, translator_step, tear_down, xf_64_work},
    {"xf_d128_h4_n3_b16_l48", xf_128_set_up, translator_step, tear_down, xf_128_work},
    {"xf_d512_h8_n6_b4_l64", xf_512_set_up, translator_step, tear_down, xf_512_work},
    {"gpt_d64_h4_n2_l64_b8", gpt_64_set_up, training_step, tear_down, gpt_64_work},
    {"gpt_d256_h8_n4_l256_b4", gpt_256_set_up, training_step, tear_down, gpt_256_work},
    {"gen_d128_h4_n4_l256", gen_128_set_up, writing_step, tear_down, gen_128_work},
    {"gen_d512_h8_n6_l256", gen_512_set_up, writing_step, tear_down, gen_512_work},
    {NULL, NULL, NULL, NULL, NULL},
};
