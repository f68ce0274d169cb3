#include "data/batch.h"

#include "core/check.h"
#include "io/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Batcher *batcher_new(const Corpus *corpus, BatchOptions options, Rng rng) {
    CHECK(corpus->count > 0, "batcher_new: the corpus is empty");
    CHECK(options.B > 0, "batcher_new: batches of %d sequences", options.B);
    size_t count = (size_t)corpus->count;
    size_t B = (size_t)options.B;
    size_t S = (size_t)corpus->longest_source + (options.source_end ? 1 : 0);
    size_t T = (size_t)corpus->longest_target + 1;
    size_t batches = (count + B - 1) / B;
    Batcher *batcher = check_alloc(sizeof *batcher);
    *batcher = (Batcher){.corpus = corpus, .options = options, .rng = rng};
    batcher->batch.source = check_alloc(S * B * sizeof(int));
    batcher->batch.source_length = check_alloc(B * sizeof(int));
    batcher->batch.target_input = check_alloc(T * B * sizeof(int));
    batcher->batch.target_output = check_alloc(T * B * sizeof(int));
    batcher->batch.target_length = check_alloc(B * sizeof(int));
    batcher->batch.pair = check_alloc(B * sizeof(int));
    batcher->order = check_alloc(count * sizeof(int));
    batcher->scratch = check_alloc(count * sizeof(int));
    batcher->place = check_alloc(batches * sizeof(int));
    batcher->batches = (int)batches;
    batcher->next = batcher->batches; /* the first call begins the first epoch */
    return batcher;
}

void batcher_free(Batcher *batcher) {
    if (batcher == NULL) {
        return;
    }
    free(batcher->batch.source);
    free(batcher->batch.source_length);
    free(batcher->batch.target_input);
    free(batcher->batch.target_output);
    free(batcher->batch.target_length);
    free(batcher->batch.pair);
    free(batcher->order);
    free(batcher->scratch);
    free(batcher->place);
    free(batcher);
}

/* ---- the order of an epoch ---- */

/* Is pair a shorter than pair b? Sources first, since both sides grow together. */
static bool is_shorter(const Corpus *corpus, int a, int b) {
    int source_a = corpus_source(corpus, a).length;
    int source_b = corpus_source(corpus, b).length;
    if (source_a != source_b) {
        return source_a < source_b;
    }
    return corpus_target(corpus, a).length < corpus_target(corpus, b).length;
}

/* Merge sort: stable, so the order depends on nothing but the shuffle; no allocation. */
static void sort_by_length(const Corpus *corpus, int *order, int count, int *scratch) {
    if (count < 2) {
        return;
    }
    int half = count / 2;
    sort_by_length(corpus, order, half, scratch);
    sort_by_length(corpus, order + half, count - half, scratch);
    memcpy(scratch, order, (size_t)half * sizeof *order);
    int left = 0;
    int right = half;
    for (int i = 0; left < half; i++) {
        if (right < count && is_shorter(corpus, order[right], scratch[left])) {
            order[i] = order[right++];
        } else {
            order[i] = scratch[left++];
        }
    }
}

/* Shuffles the pairs, sorts them by length within each pool, and shuffles the batches so that short
 * and long ones alternate. */
static void begin_epoch(Batcher *batcher) {
    int count = batcher->corpus->count;
    rng_permutation(&batcher->rng, count, batcher->order);
    if (batcher->options.pool > 1) {
        long pool = (long)batcher->options.pool * batcher->options.B;
        for (long begin = 0; begin < count; begin += pool) {
            long size = count - begin < pool ? count - begin : pool;
            sort_by_length(batcher->corpus, batcher->order + begin, (int)size, batcher->scratch);
        }
    }
    rng_permutation(&batcher->rng, batcher->batches, batcher->place);
    batcher->next = 0;
    batcher->epoch++;
}

/* ---- filling a batch ---- */

static void measure(Batcher *batcher, const int *pairs, int count) {
    Batch *batch = &batcher->batch;
    batch->B = count;
    batch->S = 0;
    batch->T = 0;
    batch->tokens = 0;
    for (int b = 0; b < count; b++) {
        int S = corpus_source(batcher->corpus, pairs[b]).length + batcher->options.source_end;
        int T = corpus_target(batcher->corpus, pairs[b]).length + 1;
        batch->pair[b] = pairs[b];
        batch->source_length[b] = S;
        batch->target_length[b] = T;
        batch->S = S > batch->S ? S : batch->S;
        batch->T = T > batch->T ? T : batch->T;
        batch->tokens += T;
    }
}

/* Token t of a sequence that is followed by `after` once and then by padding. */
static int token_at(Ids ids, int t, int after) {
    return t < ids.length ? ids.id[t] : t == ids.length ? after : VOCAB_PAD;
}

static const Batch *fill(Batcher *batcher, const int *pairs, int count) {
    Batch *batch = &batcher->batch;
    int source_after = batcher->options.source_end ? VOCAB_END : VOCAB_PAD;
    measure(batcher, pairs, count);
    for (int b = 0; b < count; b++) {
        Ids source = corpus_source(batcher->corpus, pairs[b]);
        Ids target = corpus_target(batcher->corpus, pairs[b]);
        for (int s = 0; s < batch->S; s++) {
            batch->source[s * count + b] = token_at(source, s, source_after);
        }
        for (int t = 0; t < batch->T; t++) {
            batch->target_input[t * count + b] =
                t == 0 ? VOCAB_START : token_at(target, t - 1, VOCAB_PAD);
            batch->target_output[t * count + b] = token_at(target, t, VOCAB_END);
        }
    }
    return batch;
}

const Batch *batcher_next(Batcher *batcher) {
    if (batcher->next == batcher->batches) {
        begin_epoch(batcher);
    }
    int B = batcher->options.B;
    int begin = batcher->place[batcher->next++] * B;
    int left = batcher->corpus->count - begin;
    return fill(batcher, batcher->order + begin, left < B ? left : B);
}

const Batch *batcher_range(Batcher *batcher, int begin, int end) {
    int count = batcher->corpus->count;
    end = end < count ? end : count;
    CHECK(begin >= 0 && begin < end && end - begin <= batcher->options.B,
          "batcher_range: pairs %d..%d of %d, at most %d at a time", begin, end, count,
          batcher->options.B);
    for (int i = begin; i < end; i++) {
        batcher->batch.pair[i - begin] = i;
    }
    return fill(batcher, batcher->batch.pair, end - begin);
}

const Batch *batcher_pick(Batcher *batcher, const int *pairs, int count) {
    CHECK(count > 0 && count <= batcher->options.B, "batcher_pick: %d pairs, at most %d at a time",
          count, batcher->options.B);
    return fill(batcher, pairs, count);
}

/* ---- looking at a batch ---- */

void batch_rows(const int *time_major, int T, int B, int *rows) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            rows[(size_t)b * (size_t)T + (size_t)t] = time_major[(size_t)t * (size_t)B + (size_t)b];
        }
    }
}

double batch_padding(const Batch *batch) {
    return 1.0 - (double)batch->tokens / ((double)batch->T * batch->B);
}

char *batch_side_by_side(const Batch *batch, int b, const Vocab *target_vocab) {
    CHECK(b >= 0 && b < batch->B, "batch_side_by_side: sequence %d of %d", b, batch->B);
    int width = utf8_width("input");
    size_t size = 64;
    for (int t = 0; t < batch->T; t++) {
        const char *input = vocab_token(target_vocab, batch->target_input[t * batch->B + b]);
        const char *output = vocab_token(target_vocab, batch->target_output[t * batch->B + b]);
        width = utf8_width(input) > width ? utf8_width(input) : width;
        size += strlen(input) + strlen(output) + 32;
    }
    size += (size_t)width * (size_t)(batch->T + 1);
    char *text = check_alloc(size);
    size_t used = (size_t)snprintf(text, size, "step  %-*s  output\n", width, "input");
    for (int t = 0; t < batch->T; t++) {
        const char *input = vocab_token(target_vocab, batch->target_input[t * batch->B + b]);
        const char *output = vocab_token(target_vocab, batch->target_output[t * batch->B + b]);
        used += (size_t)snprintf(text + used, size - used, "%4d  %s%*s  %s\n", t, input,
                                 width - utf8_width(input), "", output);
    }
    return text;
}
