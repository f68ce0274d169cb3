#include "support/golden_case.h"
#include "support/golden_kinds.h"

#include "nn/sampling.h"

/* The probabilities of each row of in.logits (rows, V). */
static void run_rows(GoldenCase *c, Sampling sampling) {
    const GoldenTensor *logits = golden_need(c, "logits");
    int V = logits->dim[logits->ndim - 1];
    float *row = arena_alloc(&c->tape.arena, (size_t)V * sizeof *row);
    Tensor *probs = tape_constant(&c->tape, "probs", NULL, logits->ndim, logits->dim);
    for (size_t i = 0; i < logits->size; i += (size_t)V) {
        for (int v = 0; v < V; v++) {
            row[v] = (float)logits->values[i + (size_t)v];
        }
        sampling_probabilities(row, V, sampling, probs->data + i);
    }
    golden_output(c, "probs", probs);
    golden_end(c);
}

static void run_temperature(const Golden *golden) {
    GoldenCase *c = golden_begin(golden, "temperature");
    run_rows(c, (Sampling){.temperature = (float)golden_number(c, "value")});
}

static void run_top_k(const Golden *golden) {
    GoldenCase *c = golden_begin(golden, "top-k");
    run_rows(c, (Sampling){.temperature = 1.0f, .top_k = (int)golden_number(c, "value")});
}

static void run_top_p(const Golden *golden) {
    GoldenCase *c = golden_begin(golden, "top-p");
    run_rows(c, (Sampling){.temperature = 1.0f, .top_p = (float)golden_number(c, "value")});
}

const GoldenKind golden_sampling_kinds[] = {
    {"sample_temperature", run_temperature},
    {"sample_top_k", run_top_k},
    {"sample_top_p", run_top_p},
    {NULL, NULL},
};
