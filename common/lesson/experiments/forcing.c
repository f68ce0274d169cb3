#include "lesson/experiments/forcing.h"

#include "core/measure.h"

#include <math.h>
#include <string.h>

/* ---- batches of a few pairs ---- */

static Batcher *batches_of(const Forced *forced, int B) {
    BatchOptions options = {B, forced->translator->source_end, 0};
    return batcher_new(forced->corpus, options, rng_seeded(0, 0)); /* in the order asked for */
}

static Tensor *logits_of(const Forced *forced, Tape *tape, const Batch *batch) {
    return forced->logits(forced->translator->model, tape, batch);
}

/* Another ordinary token of the vocabulary. */
static int other_token(int id, int V) {
    return id + 1 < V ? id + 1 : VOCAB_SPECIALS;
}

double forced_accuracy(const Run *run, const Forced *forced, int B, int count) {
    Tally tally = {0};
    Tape tape = tape_new();
    tape.recording = false;
    Batcher *batcher = batches_of(forced, B);
    int V = forced->translator->V;
    count = count < forced->corpus->count ? count : forced->corpus->count;
    for (int i = 0; i < count && !run_stopped(run); i += B) {
        const Batch *batch = batcher_range(batcher, i, i + B < count ? i + B : count);
        tape_reset(&tape);
        const float *scores = logits_of(forced, &tape, batch)->data;
        for (int b = 0; b < batch->B; b++) {
            for (int t = 0; t < batch->target_length[b]; t++) {
                int best = tensor_argmax(scores + ((long)b * batch->T + t) * V, V);
                tally_add(&tally, best == batch->target_output[(long)t * batch->B + b]);
            }
        }
    }
    batcher_free(batcher);
    tape_free(&tape);
    return tally_share(tally);
}

/* ---- what a change does ---- */

/* Largest change of the first `steps` rows of a batch of one, from what they were `before`. */
static double change(const Forced *forced, Tape *tape, const Batch *batch, const Tensor *before,
                     int steps) {
    const Tensor *after = logits_of(forced, tape, batch);
    size_t n = (size_t)steps * (size_t)forced->translator->V;
    return largest_difference(before->data, after->data, n);
}

double forced_leak(const Forced *forced) {
    Batcher *batcher = batches_of(forced, 1);
    const Batch *batch = batcher_range(batcher, 0, 1); /* B = 1: step t is at [t] */
    double largest = 0.0;
    for (int recording = 0; recording < 2; recording++) {
        Tape tape = tape_new();
        tape.recording = recording == 1;
        Tensor *before = logits_of(forced, &tape, batch);
        for (int t = 0; t + 1 < batch->T; t++) {
            int right = batch->target_output[t];
            batch->target_output[t] = other_token(right, forced->translator->V);
            batch->target_input[t + 1] = batch->target_output[t];
            largest = fmax(largest, change(forced, &tape, batch, before, t + 1));
            batch->target_output[t] = batch->target_input[t + 1] = right;
        }
        tape_free(&tape);
    }
    batcher_free(batcher);
    return largest;
}

double forced_source_effect(const Forced *forced) {
    Batcher *batcher = batches_of(forced, 1);
    const Batch *batch = batcher_range(batcher, 0, 1);
    Tape tape = tape_new();
    tape.recording = false;
    Tensor *before = logits_of(forced, &tape, batch);
    int first = batch->source[0], second = batch->S > 1 ? batch->source[1] : VOCAB_SPECIALS;
    batch->source[0] = second != first ? second : VOCAB_SPECIALS + (first == VOCAB_SPECIALS);
    double effect = change(forced, &tape, batch, before, batch->T);
    tape_free(&tape);
    batcher_free(batcher);
    return effect;
}

double forced_order_effect(const Forced *forced) {
    Batcher *batcher = batches_of(forced, 1);
    const Batch *batch = batcher_range(batcher, 0, 1);
    Tape tape = tape_new();
    tape.recording = false;
    Tensor *before = logits_of(forced, &tape, batch);
    int s = 0;
    while (s + 2 < batch->S && batch->source[s] == batch->source[s + 1]) {
        s++;
    }
    int first = batch->source[s];
    batch->source[s] = batch->source[s + 1];
    batch->source[s + 1] = first;
    double effect = change(forced, &tape, batch, before, batch->T);
    tape_free(&tape);
    batcher_free(batcher);
    return effect;
}

double forced_padding_effect(const Forced *forced) {
    int pair[2] = {0, 0}; /* the shortest source, the longest */
    for (int i = 0; i < forced->corpus->count; i++) {
        int length = corpus_source(forced->corpus, i).length;
        pair[0] = length < corpus_source(forced->corpus, pair[0]).length ? i : pair[0];
        pair[1] = length > corpus_source(forced->corpus, pair[1]).length ? i : pair[1];
    }
    Batcher *batcher = batches_of(forced, 2);
    Tape tape = tape_new();
    tape.recording = false;
    const Tensor *alone = logits_of(forced, &tape, batcher_pick(batcher, pair, 1));
    const Tensor *beside = logits_of(forced, &tape, batcher_pick(batcher, pair, 2));
    double effect = largest_difference(alone->data, beside->data, tensor_size(alone));
    tape_free(&tape);
    batcher_free(batcher);
    return effect;
}

double forced_step_difference(const Forced *forced) {
    const Translator *translator = forced->translator;
    Batcher *batcher = batches_of(forced, 2);
    const Batch *batch = batcher_range(batcher, 0, 2);
    Tape tape = tape_new();
    tape.recording = false;
    const Tensor *whole = logits_of(forced, &tape, batch);
    double largest = 0.0;
    size_t V = (size_t)translator->V;
    translator->begin(translator->model, &tape, batch);
    for (int t = 0; t < batch->T; t++) {
        const int *given = batch->target_input + (long)t * batch->B;
        const Tensor *scores = translator->step(translator->model, &tape, given).scores;
        for (int b = 0; b < batch->B; b++) {
            const float *row = whole->data + ((size_t)b * (size_t)batch->T + (size_t)t) * V;
            if (t < batch->target_length[b]) {
                const float *step = scores->data + (size_t)b * V;
                largest = fmax(largest, largest_difference(row, step, V));
            }
        }
    }
    tape_free(&tape);
    batcher_free(batcher);
    return largest;
}
