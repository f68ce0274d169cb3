/* Cross-entropy against a target class, with label smoothing and ignored targets. */
#include "core/ops.h"

#include "core/check.h"
#include "core/kernels/parallel.h"
#include "core/kernels/rows.h"

/* The smoothed target distribution q of one row: `right` on the target class, `other` on every
 * class that takes a share, nothing on `barred` (-1: no such class). */
typedef struct Target {
    float right, other;
    int barred;
} Target;

/* Exercise 7.4 */
static Target target_of(CrossEntropy options, int K) {
    float eps = options.smoothing;
    if (options.spread == SMOOTHING_ALL) {
        return (Target){1.0f - eps + eps / (float)K, eps / (float)K, -1};
    }
    bool padded = options.ignore >= 0 && options.ignore < K;
    int barred = options.spread == SMOOTHING_OTHERS_NONPAD && padded ? options.ignore : -1;
    int others = K - 1 - (barred >= 0);
    if (others < 1) { /* no wrong class is left to take a share */
        return (Target){1.0f, 0.0f, barred};
    }
    return (Target){1.0f - eps, eps / (float)others, barred};
}

typedef struct LossState {
    int *targets;
    float *log_p; /* (rows, K) */
    Target target;
    int ignore;
    int counted;
} LossState;

static bool is_ignored(const LossState *s, int target) {
    return s->ignore >= 0 && target == s->ignore;
}

/* q_k of class k when the right one is `right`. */
static float target_weight(Target target, int k, int right) {
    return k == right ? target.right : k == target.barred ? 0.0f : target.other;
}

/* Row r of dlogits += scale (softmax - q). */
static void row_backward(const LossState *s, float *dlogits, float scale, long r, long K) {
    int right = s->targets[r];
    if (is_ignored(s, right)) {
        return;
    }
    float *dx = dlogits + r * K;
    softmax_from_log_accumulate(dx, scale, s->log_p + r * K, (int)K);
    for (int k = 0; k < K && s->target.other != 0.0f; k++) {
        dx[k] -= scale * target_weight(s->target, k, right);
    }
    if (s->target.other == 0.0f) {
        dx[right] -= scale * s->target.right;
    }
}

static void cross_entropy_backward(const TapeNode *node) { /* dlogits += (softmax - q) / count */
    const LossState *s = node->saved;
    Tensor *logits = node->in[0];
    long rows = (long)tensor_rows(logits), K = tensor_cols(logits);
    float scale = node->out->grad[0] / (float)(s->counted > 0 ? s->counted : 1);
    if (!worth_chunks(rows * K)) {
        for (long r = 0; r < rows; r++) {
            row_backward(s, logits->grad, scale, r, K);
        }
        return;
    }
#pragma omp parallel for schedule(static)
    for (long r = 0; r < rows; r++) {
        row_backward(s, logits->grad, scale, r, K);
    }
}

/* -sum_k q_k log p_k of row r; 0 where it is ignored. */
static double row_loss(const LossState *s, long r, long K) {
    const float *log_p = s->log_p + r * K;
    int right = s->targets[r];
    if (is_ignored(s, right)) {
        return 0.0;
    }
    if (s->target.other == 0.0f) {
        return -(double)s->target.right * (double)log_p[right];
    }
    double other = (double)s->target.other, all = other * (double)sum(log_p, K);
    int barred = s->target.barred;
    double not_barred = barred >= 0 && barred != right ? other * (double)log_p[barred] : 0.0;
    return not_barred - all - ((double)s->target.right - other) * (double)log_p[right];
}

/* The rows' losses one after the other, on however many threads they were found. */
static double sum_losses(Arena *arena, const LossState *s, long rows, long K) {
    double total = 0.0;
    if (!worth_chunks(rows * K)) {
        for (long r = 0; r < rows; r++) {
            total += row_loss(s, r, K);
        }
        return total;
    }
    double *loss = arena_alloc(arena, (size_t)rows * sizeof *loss);
#pragma omp parallel for schedule(static)
    for (long r = 0; r < rows; r++) {
        loss[r] = row_loss(s, r, K);
    }
    for (long r = 0; r < rows; r++) {
        total += loss[r];
    }
    return total;
}

Tensor *op_cross_entropy(Tape *tape, Tensor *logits, const int *targets, CrossEntropy options) {
    int K = tensor_cols(logits);
    size_t rows = tensor_rows(logits);
    CHECK(options.smoothing >= 0.0f && options.smoothing < 1.0f,
          "cross_entropy: the smoothing %g is not in [0, 1)", (double)options.smoothing);
    LossState *s = arena_alloc(&tape->arena, sizeof *s);
    *s = (LossState){.targets = arena_alloc(&tape->arena, rows * sizeof(int)),
                     .log_p = arena_alloc(&tape->arena, rows * (size_t)K * sizeof(float)),
                     .target = target_of(options, K),
                     .ignore = options.ignore};
    for (size_t r = 0; r < rows; r++) {
        s->targets[r] = targets[r];
        CHECK(is_ignored(s, targets[r]) || (targets[r] >= 0 && targets[r] < K),
              "cross_entropy: target %d of row %zu is not a class of %s", targets[r], r,
              tensor_text(logits).text);
        s->counted += !is_ignored(s, targets[r]);
    }
    Tensor *y = tape_output(tape, "cross_entropy", INPUTS(logits), SHAPE(1));
    log_softmax_rows(s->log_p, logits->data, (long)rows, K);
    double loss = sum_losses(&tape->arena, s, (long)rows, K);
    y->data[0] = s->counted > 0 ? (float)(loss / s->counted) : 0.0f;
    tape_record(tape, "cross_entropy", cross_entropy_backward, y, INPUTS(logits), s);
    return y;
}
