/* The recurrent workloads: one layer over a sequence, and Bahdanau's encoder-decoder in training.
 */
#include "workload.h"

#include "core/check.h"
#include "core/optim.h"
#include "nn/attention.h"
#include "nn/embedding.h"
#include "nn/gru.h"
#include "nn/linear.h"
#include "nn/lstm.h"
#include "nn/rnn.h"

#include <stdlib.h>

/* ---- one layer: forward, then backward from the sum of squares of the last state ---- */

typedef enum Cell { CELL_RNN, CELL_LSTM, CELL_GRU } Cell;

typedef struct LayerBench {
    Cell cell;
    int T, B, H;
    Params params;
    Tape tape;
    Rnn rnn;
    Lstm lstm;
    Gru gru;
    float *x; /* (T, B, H), a constant: its gradient is not needed */
} LayerBench;

static void *layer_set_up(Cell cell, int T, int B, int H) {
    LayerBench *bench = check_alloc(sizeof *bench);
    *bench = (LayerBench){
        .cell = cell, .T = T, .B = B, .H = H, .params = params_new(), .tape = tape_new()};
    bench->tape.recycle = true;
    Rng rng = rng_seeded(1, 0);
    if (cell == CELL_RNN) {
        bench->rnn = rnn_new(&bench->params, "rnn", H, H);
    } else if (cell == CELL_LSTM) {
        bench->lstm = lstm_new(&bench->params, "lstm", H, H, 0.0f);
    } else {
        bench->gru = gru_new(&bench->params, "gru", H, H, 0.0f);
    }
    params_allocate(&bench->params, &rng);
    bench->x = check_alloc((size_t)T * (size_t)B * (size_t)H * sizeof(float));
    for (long i = 0; i < (long)T * B * H; i++) {
        bench->x[i] = rng_normal(&rng);
    }
    return bench;
}

static void layer_step(void *state) {
    LayerBench *bench = state;
    Tape *tape = &bench->tape;
    tape_reset(tape);
    params_begin_grad(&bench->params);
    Tensor *x = tape_constant(tape, "x", bench->x, SHAPE(bench->T, bench->B, bench->H));
    SequenceOptions forward = {0};
    Tensor *y = bench->cell == CELL_RNN ? rnn_forward(tape, &bench->rnn, x, NULL, forward)
                : bench->cell == CELL_GRU
                    ? gru_forward(tape, &bench->gru, x, NULL, forward)
                    : lstm_forward(tape, &bench->lstm, x, (LstmState){NULL, NULL}, forward).y;
    Tensor *last = sequence_last(tape, y, forward);
    tape_backward(tape, op_sum(tape, op_mul(tape, last, last)));
}

static void layer_tear_down(void *state) {
    LayerBench *bench = state;
    params_free(&bench->params);
    tape_free(&bench->tape);
    free(bench->x);
    free(bench);
}

static void *rnn_set_up(void) {
    return layer_set_up(CELL_RNN, 100, 32, 64);
}

static void *lstm_set_up(void) {
    return layer_set_up(CELL_LSTM, 50, 32, 128);
}

static void *gru_set_up(void) {
    return layer_set_up(CELL_GRU, 50, 32, 128);
}

/* ---- Bahdanau's model: GRU encoder, additive attention, GRU decoder; one training step ---- */

enum { BATCH = 32, SOURCE = 24, TARGET = 10, VOCABULARY = 40, HIDDEN = 64 };

typedef struct BahdanauBench {
    Params params;
    Adam adam;
    Tape tape;
    Embedding source, target;
    Gru encoder, decoder;
    AdditiveAttention attention;
    Linear out;
    int x[SOURCE * BATCH], y[TARGET * BATCH];
} BahdanauBench;

static void *bahdanau_set_up(void) {
    BahdanauBench *bench = check_alloc(sizeof *bench);
    Params *params = &bench->params;
    *params = params_new();
    bench->tape = tape_new();
    bench->tape.recycle = true;
    bench->source = embedding_new(params, "source", VOCABULARY, HIDDEN);
    bench->target = embedding_new(params, "target", VOCABULARY, HIDDEN);
    bench->encoder = gru_new(params, "encoder", HIDDEN, HIDDEN, 0.0f);
    bench->decoder = gru_new(params, "decoder", 2 * HIDDEN, HIDDEN, 0.0f);
    bench->attention = additive_new(params, "attention", HIDDEN, HIDDEN, HIDDEN);
    bench->out = linear_new(params, "out", 2 * HIDDEN, VOCABULARY, true);
    Rng rng = rng_seeded(1, 0);
    params_allocate(params, &rng);
    bench->adam = adam_new(params);
    for (int i = 0; i < SOURCE * BATCH; i++) {
        bench->x[i] = (int)rng_below(&rng, VOCABULARY);
    }
    for (int i = 0; i < TARGET * BATCH; i++) {
        bench->y[i] = (int)rng_below(&rng, VOCABULARY);
    }
    return bench;
}

static void bahdanau_step(void *state) {
    BahdanauBench *bench = state;
    Tape *tape = &bench->tape;
    tape_reset(tape);
    params_begin_grad(&bench->params);
    Tensor *x = embedding_forward(tape, &bench->source, bench->x, SOURCE, BATCH);
    Tensor *states = gru_forward(tape, &bench->encoder, x, NULL, (SequenceOptions){0});
    Tensor *h = sequence_last(tape, states, (SequenceOptions){0});
    Tensor *values = attention_batch_first(tape, states);
    Tensor *keys = additive_keys(tape, &bench->attention, values);
    Tensor *outputs[TARGET];
    for (int t = 0; t < TARGET; t++) {
        Tensor *y = embedding_step(tape, &bench->target, bench->y + t * BATCH, BATCH);
        Tensor *scores = additive_score(tape, &bench->attention, h, keys);
        Tensor *context = attend(tape, scores, values, NULL).context;
        Tensor *in = op_concat(tape, 1, (Tensor *const[]){y, context}, 2);
        h = gru_step_fused(tape, &bench->decoder, in, h);
        outputs[t] = op_concat(tape, 1, (Tensor *const[]){h, context}, 2);
    }
    Tensor *logits = linear_forward(tape, &bench->out, op_stack(tape, outputs, TARGET));
    tape_backward(tape, op_cross_entropy(tape, logits, bench->y, (CrossEntropy){.ignore = -1}));
    adam_step(&bench->adam, 1e-3f);
}

static void bahdanau_tear_down(void *state) {
    BahdanauBench *bench = state;
    adam_free(&bench->adam);
    params_free(&bench->params);
    tape_free(&bench->tape);
    free(bench);
}

/* ---- what each cannot do without ---- */

/* The inputs are constants: of the two products forward, one has both of its own back, one only the
 * gradient of its weights. */
static Work layer_work(int gates, double T, double B, double H) {
    return (Work){.flops = 5 * 2 * T * B * gates * H * H};
}

static Work rnn_work(void) {
    return layer_work(1, 100, 32, 64);
}

static Work lstm_work(void) {
    return layer_work(4, 50, 32, 128);
}

static Work gru_work(void) {
    return layer_work(3, 50, 32, 128);
}

static Work bahdanau_work(void) {
    const double H = HIDDEN, source = SOURCE * BATCH, target = TARGET * BATCH;
    double encoder = source * (6 * H * H + H * H), decoder = target * (9 * H * H + H * H);
    double looking = target * SOURCE * 2 * H, out = target * 2 * H * VOCABULARY;
    return (Work){.flops = 3 * 2 * (encoder + decoder + looking + out)};
}

const Workload recurrent_workloads[] = {
    {"rnn_h64_t100_b32", rnn_set_up, layer_step, layer_tear_down, rnn_work},
    {"lstm_h128_t50_b32", lstm_set_up, layer_step, layer_tear_down, lstm_work},
    {"gru_h128_t50_b32", gru_set_up, layer_step, layer_tear_down, gru_work},
    {"bahdanau_h64_s24_t10_b32", bahdanau_set_up, bahdanau_step, bahdanau_tear_down, bahdanau_work},
    {NULL, NULL, NULL, NULL, NULL},
};
