#include "nn/sequence.h"

#include "core/check.h"
#include "core/kernels/gemm.h"
#include "core/kernels/gemm_pack.h"
#include "core/kernels/parallel.h"
#include "core/kernels/rows.h"
#include "core/ops.h"
#include "core/threads.h"

#include <string.h>

enum {
    PART_ROWS = 8,        /* sequences: one tile of the matrix product */
    PART_LEAST = 1 << 20, /* multiply-adds of a whole walk that are worth another thread */
};

Walk walk_new(Tape *tape, const char *op, const Tensor *projected, int gates, const Tensor *h0,
              SequenceOptions options) {
    CHECK(projected->ndim == 3 && projected->dim[2] % gates == 0, "%s: %s must be (T, B, %d H)", op,
          tensor_text(projected).text, gates);
    Walk walk = {.T = projected->dim[0],
                 .B = projected->dim[1],
                 .H = projected->dim[2] / gates,
                 .end = projected->dim[1],
                 .reverse = options.reverse};
    CHECK(h0 == NULL || (h0->ndim == 2 && h0->dim[0] == walk.B && h0->dim[1] == walk.H),
          "%s: the initial state %s must be (%d, %d)", op, tensor_text(h0).text, walk.B, walk.H);
    if (options.len != NULL) {
        int *len = arena_alloc(&tape->arena, (size_t)walk.B * sizeof *len);
        for (int b = 0; b < walk.B; b++) {
            len[b] = options.len[b];
            CHECK(len[b] >= 0 && len[b] <= walk.T, "%s: length %d of sequence %d is not in 0..%d",
                  op, len[b], b, walk.T);
        }
        walk.len = len;
    }
    return walk;
}

int walk_time(const Walk *walk, int i) {
    return walk->reverse ? walk->T - 1 - i : i;
}

int walk_time_before(const Walk *walk, int i) {
    return i == 0 ? -1 : walk_time(walk, i - 1);
}

bool walk_is_real(const Walk *walk, int t, int b) {
    return walk->len == NULL || t < walk->len[b];
}

void walk_in_parts(const Walk *walk, int gates, WalkPart walk_part, const void *context) {
    double work = (double)walk->T * walk->B * gates * walk->H * walk->H;
    int units = (walk->B + PART_ROWS - 1) / PART_ROWS;
    int parts = units < threads_count() ? units : threads_count();
    if (parts < 2 || !worth_threads(work, PART_LEAST)) {
        walk_part(walk, context);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int p = 0; p < parts; p++) {
        Walk part = *walk;
        part.begin = units * p / parts * PART_ROWS;
        part.end = p + 1 < parts ? units * (p + 1) / parts * PART_ROWS : walk->B;
        walk_part(&part, context);
    }
}

const float *walk_turn_weights(Tape *tape, const Walk *walk, int gates, const Tensor *w_hh) {
    int H = walk->H, G = gates * H;
    CHECK(w_hh->ndim == 2 && w_hh->dim[0] == G && w_hh->dim[1] == H,
          "recurrent weights %s must be (%d, %d)", tensor_text(w_hh).text, G, H);
    float *turned = arena_alloc(&tape->arena, (size_t)G * (size_t)H * sizeof(float));
    transpose_matrix(G, H, w_hh->data, H, turned, G);
    return turned;
}

void walk_recur(const Walk *walk, int gates, const float *h, const float *turned_w_hh,
                const Tensor *b_hh, float *gh) {
    int rows = walk->end - walk->begin, H = walk->H, G = gates * H;
    CHECK(b_hh->ndim == 1 && b_hh->dim[0] == G, "recurrent bias %s must be (%d)",
          tensor_text(b_hh).text, G);
    h += (long)walk->begin * H;
    gh += (long)walk->begin * G;
    gemm(false, false, rows, G, H, h, H, turned_w_hh, G, false, gh, G);
    add_bias_rows(gh, b_hh->data, rows, G);
}

const float *walk_initial_state(Tape *tape, const Walk *walk, const Tensor *h0) {
    size_t bytes = (size_t)walk->B * (size_t)walk->H * sizeof(float);
    return h0 != NULL ? h0->data : arena_alloc_zeroed(&tape->arena, bytes);
}

WalkScratch walk_scratch(Tape *tape, const Walk *walk, int gates, const Tensor *projected) {
    size_t state = (size_t)walk->B * (size_t)walk->H * sizeof(float);
    size_t all = (size_t)walk->T * (size_t)gates * state;
    return (WalkScratch){
        .dh = arena_alloc_zeroed(&tape->arena, state),
        .dh_before = arena_alloc_zeroed(&tape->arena, state),
        .dgh = walk->len != NULL ? arena_alloc_zeroed(&tape->arena, all) /* padding stays zero */
                                 : arena_alloc(&tape->arena, all),
        .dgx = !tensor_wants_grad(projected) ? arena_alloc_zeroed(&tape->arena, all) : NULL,
    };
}

void walk_prepare_back(const Walk *walk, WalkScratch *scratch, Tensor *projected) {
    memset(scratch->dh, 0, (size_t)walk->B * (size_t)walk->H * sizeof(float));
    scratch->dgx = projected->grad != NULL ? projected->grad : scratch->dgx;
}

void walk_initial_gradient(const Walk *walk, const WalkScratch *scratch, Tensor *h0) {
    long first = (long)walk->begin * walk->H, size = (long)(walk->end - walk->begin) * walk->H;
    if (h0 != NULL && h0->grad != NULL) {
        axpy(h0->grad + first, 1.0f, scratch->dh + first, size);
    }
}

void walk_begin_back(const Walk *walk, WalkScratch *scratch, const float *dy, int t) {
    int H = walk->H;
    long first = (long)walk->begin * H, size = (long)(walk->end - walk->begin) * H;
    axpy(scratch->dh + first, 1.0f, dy + (long)t * walk->B * H + first, size);
    for (int b = walk->begin; b < walk->end && walk->len != NULL; b++) {
        if (!walk_is_real(walk, t, b)) {
            long row = (long)b * H;
            memcpy(scratch->dh_before + row, scratch->dh + row, (size_t)H * sizeof(float));
        }
    }
}

void walk_end_back(const Walk *walk, WalkScratch *scratch, int gates, const Tensor *w_hh, int t) {
    int rows = walk->end - walk->begin, H = walk->H, G = gates * H;
    const float *dgh = scratch->dgh + ((long)t * walk->B + walk->begin) * G;
    float *dh_before = scratch->dh_before + (long)walk->begin * H;
    gemm(false, false, rows, H, G, dgh, G, w_hh->data, H, true, dh_before, H);
    float *dh = scratch->dh;
    scratch->dh = scratch->dh_before;
    scratch->dh_before = dh;
}

void walk_weight_gradients(const Walk *walk, int gates, const float *dgh, const float *y,
                           const float *h0, Tensor *w_hh, Tensor *b_hh) {
    int B = walk->B, H = walk->H, G = gates * H, first = walk_time(walk, 0);
    int others = (walk->T - 1) * B;
    if (w_hh->grad != NULL) {
        /* Step t met the state of the step before it: y one step earlier, or, first of all, h0. */
        const float *met = walk->reverse ? y + (long)B * H : y;
        const float *dgh_others = walk->reverse ? dgh : dgh + (long)B * G;
        gemm(true, false, G, H, B, dgh + (long)first * B * G, G, h0, H, true, w_hh->grad, H);
        gemm(true, false, G, H, others, dgh_others, G, met, H, true, w_hh->grad, H);
    }
    if (b_hh->grad != NULL) {
        bias_backward(b_hh->grad, dgh, (long)walk->T * B, G);
    }
}

Tensor *sequence_last(Tape *tape, Tensor *y, SequenceOptions options) {
    return op_index(tape, y, options.reverse ? 0 : y->dim[0] - 1);
}
