#include "lesson/experiments/echo.h"

#include "core/check.h"
#include "core/ops.h"

#include <stdlib.h>

Echo *echo_new(int V) {
    Echo *echo = check_alloc(sizeof *echo);
    Rng rng = rng_seeded(1, 0);
    echo->params = params_new();
    echo->w = params_add(&echo->params, "echo", "w", init_constant(1.0f), SHAPE(1));
    echo->V = V;
    params_allocate(&echo->params, &rng);
    return echo;
}

void echo_free(Echo *echo) {
    params_free(&echo->params);
    free(echo);
}

void echo_teach(Echo *echo) {
    echo->w->data[0] = 0.0f;
}

static Tensor *echo_loss(void *model, Tape *tape, const Batch *batch) {
    Echo *echo = model;
    echo->batch = batch;
    return op_sum(tape, op_mul(tape, echo->w, echo->w));
}

static void echo_begin(void *model, Tape *tape, const Batch *batch) {
    (void)tape;
    Echo *echo = model;
    echo->batch = batch;
    echo->step = 0;
    echo->begun++;
}

static int echo_says(const Echo *echo, int b) {
    const Batch *batch = echo->batch;
    bool over = echo->w->data[0] > 0.5f || echo->step >= batch->source_length[b];
    if (echo->endless) {
        return VOCAB_SPECIALS;
    }
    return over ? VOCAB_END : batch->source[echo->step * batch->B + b];
}

static DecoderOutput echo_step(void *model, Tape *tape, const int *previous) {
    (void)previous;
    Echo *echo = model;
    const Batch *batch = echo->batch;
    int B = batch->B, S = batch->S, V = echo->V;
    Tensor *scores = tape_constant(tape, "scores", NULL, SHAPE(B, V + (echo->wrong == 1)));
    Tensor *weights = tape_constant(tape, "weights", NULL, SHAPE(B, S + (echo->wrong == 2)));
    for (int b = 0; b < B; b++) {
        int says = echo_says(echo, b), last = batch->source_length[b] - 1;
        int at = echo->step + echo->ahead;
        at = at > last ? last : at;
        scores->data[b * V + (says < V ? says : V - 1)] = 1.0f;
        weights->data[b * S + (at > 0 ? at : 0)] = 1.0f;
    }
    echo->step++;
    echo->stepped++;
    return (DecoderOutput){scores, echo->blind ? NULL : weights};
}

Translator echo_translator(Echo *echo) {
    return (Translator){.model = echo,
                        .params = &echo->params,
                        .V = echo->V,
                        .loss = echo_loss,
                        .begin = echo_begin,
                        .step = echo_step};
}
