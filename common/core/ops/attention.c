/* Scaled dot-product attention in one pass: shapes and bookkeeping. The work is done by the kernel
 * (kernels/attention.h), which finds the rows of each head by steps, so that heads side by side and
 * q, k and v in one tensor are read where they stand. */
#include "core/ops.h"

#include "core/check.h"
#include "core/kernels/attention.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where q, k and v begin in their tensors, which may be one and the same. */
typedef struct Saved {
    AttentionPlan plan;
    AttentionStats stats;
    int q_at, k_at, v_at;
} Saved;

static float *grad_at(const Tensor *x, int at) {
    return x->grad != NULL ? x->grad + at : NULL;
}

static void attention_node_backward(const TapeNode *node) {
    const Saved *saved = node->saved;
    Tensor *q = node->in[0], *k = node->in[1], *v = node->in[2], *y = node->out;
    attention_backward(&saved->plan, q->data + saved->q_at, k->data + saved->k_at,
                       v->data + saved->v_at, y->data, saved->stats,
                       (AttentionGrads){y->grad, grad_at(q, saved->q_at), grad_at(k, saved->k_at),
                                        grad_at(v, saved->v_at)});
}

/* ---- shapes ---- */

/* Heads side by side: (B, L, columns), each head `width` of them. */
static HeadSteps steps_by_token(int L, int columns, int width) {
    return (HeadSteps){(long)L * columns, width, columns};
}

/* One behind the other: (B, H, L, width). */
static HeadSteps steps_by_head(int H, int L, int width) {
    return (HeadSteps){(long)H * L * width, (long)L * width, width};
}

static _Noreturn void shapes_fail(const Tensor *q, const Tensor *k, const Tensor *v,
                                  const char *why) {
    check_fail("attention: query %s, keys %s, values %s: %s", tensor_text(q).text,
               tensor_text(k).text, tensor_text(v).text, why);
}

static AttentionPlan plan_by_token(const Tensor *q, const Tensor *k, const Tensor *v, int H) {
    AttentionPlan plan = {.B = q->dim[0], .H = H, .Lq = q->dim[1], .Lk = k->dim[1]};
    if (H < 1 || q->dim[2] % H != 0 || v->dim[2] % H != 0) {
        char why[80];
        snprintf(why, sizeof why, "columns that cannot be cut into %d heads", H);
        shapes_fail(q, k, v, why);
    }
    plan.D = q->dim[2] / H;
    plan.Dv = v->dim[2] / H;
    plan.q = steps_by_token(plan.Lq, q->dim[2], plan.D);
    plan.k = steps_by_token(plan.Lk, k->dim[2], plan.D);
    plan.v = steps_by_token(plan.Lk, v->dim[2], plan.Dv);
    plan.y = steps_by_token(plan.Lq, v->dim[2], plan.Dv);
    return plan;
}

static AttentionPlan plan_by_head(const Tensor *q, const Tensor *k, const Tensor *v) {
    AttentionPlan plan = {.B = q->dim[0], .H = q->dim[1], .Lq = q->dim[2], .Lk = k->dim[2]};
    plan.D = q->dim[3];
    plan.Dv = v->dim[3];
    plan.q = steps_by_head(plan.H, plan.Lq, plan.D);
    plan.k = steps_by_head(plan.H, plan.Lk, plan.D);
    plan.v = steps_by_head(plan.H, plan.Lk, plan.Dv);
    plan.y = steps_by_head(plan.H, plan.Lq, plan.Dv);
    return plan;
}

static AttentionPlan plan_of(const Tensor *q, const Tensor *k, const Tensor *v, int heads) {
    int n = q->ndim;
    if ((n != 3 && n != 4) || k->ndim != n || v->ndim != n) {
        shapes_fail(q, k, v, "needed is (B, L, H * D) or (B, H, L, D) for all three");
    }
    if (q->dim[0] != k->dim[0] || q->dim[0] != v->dim[0]) {
        shapes_fail(q, k, v, "the batches differ");
    }
    if (n == 4 &&
        (q->dim[1] != k->dim[1] || q->dim[1] != v->dim[1] || (heads != 0 && heads != q->dim[1]))) {
        shapes_fail(q, k, v, "the numbers of heads differ");
    }
    if (tensor_cols(q) != tensor_cols(k)) {
        shapes_fail(q, k, v, "the rows of q and k differ in length");
    }
    if (k->dim[n - 2] != v->dim[n - 2]) {
        shapes_fail(q, k, v, "each key needs one value");
    }
    return n == 3 ? plan_by_token(q, k, v, heads) : plan_by_head(q, k, v);
}

/* ---- options ---- */

static void *copy_on(Arena *arena, const void *from, size_t bytes) {
    return from != NULL ? memcpy(arena_alloc(arena, bytes), from, bytes) : NULL;
}

static void apply_options(Arena *arena, AttentionPlan *plan, const AttentionOptions *options) {
    CHECK(options->dropout >= 0.0f && options->dropout < 1.0f,
          "attention: the dropout %g is not in [0, 1)", (double)options->dropout);
    for (int b = 0; options->key_length != NULL && b < plan->B; b++) {
        CHECK(options->key_length[b] >= 0 && options->key_length[b] <= plan->Lk,
              "attention: length %d of sequence %d is not in 0..%d", options->key_length[b], b,
              plan->Lk);
    }
    /* Exercise 4.3 */
    plan->scale = options->scale != 0.0f ? options->scale : 1.0f / sqrtf((float)plan->D);
    /* End of exercise 4.3 */
    plan->causal = options->causal;
    plan->key_length = copy_on(arena, options->key_length, (size_t)plan->B * sizeof(int));
    plan->slopes = copy_on(arena, options->slopes, (size_t)plan->H * sizeof(float));
    plan->dropout = (Dropout){options->dropout, options->dropout_key};
}

/* ---- both operations ---- */

static Tensor *attention_any(Tape *tape, Tensor *q, Tensor *k, Tensor *v, Saved *saved,
                             const AttentionOptions *options, int ndim, const int *dim) {
    AttentionPlan *plan = &saved->plan;
    apply_options(&tape->arena, plan, options);
    size_t rows = (size_t)plan->B * (size_t)plan->H * (size_t)plan->Lq;
    saved->stats.largest = arena_alloc(&tape->arena, rows * sizeof(float));
    saved->stats.inverse = arena_alloc(&tape->arena, rows * sizeof(float));
    Tensor *y = tape_output(tape, "attention", INPUTS(q, k, v), ndim, dim);
    const float *q_data = q->data + saved->q_at, *k_data = k->data + saved->k_at;
    attention_forward(plan, q_data, k_data, v->data + saved->v_at, y->data, saved->stats);
    if (options->weights != NULL) {
        *options->weights = tape_output(tape, "attention weights", NULL, 0,
                                        SHAPE(plan->B, plan->H, plan->Lq, plan->Lk));
        attention_weights(plan, q_data, k_data, saved->stats, (*options->weights)->data);
    }
    tape_record(tape, "attention", attention_node_backward, y, INPUTS(q, k, v), saved);
    return y;
}

Tensor *op_attention(Tape *tape, Tensor *q, Tensor *k, Tensor *v, AttentionOptions options) {
    Saved *saved = arena_alloc(&tape->arena, sizeof *saved);
    *saved = (Saved){.plan = plan_of(q, k, v, options.heads)};
    int dim[TENSOR_MAX_DIMS];
    memcpy(dim, q->dim, sizeof dim);
    dim[q->ndim - 1] = tensor_cols(v);
    return attention_any(tape, q, k, v, saved, &options, q->ndim, dim);
}

Tensor *op_attention_packed(Tape *tape, Tensor *qkv, AttentionOptions options) {
    int H = options.heads;
    CHECK(qkv->ndim == 3 && qkv->dim[2] % 3 == 0, "attention_packed: %s: needed is (B, L, 3 d)",
          tensor_text(qkv).text);
    int B = qkv->dim[0], L = qkv->dim[1], d = qkv->dim[2] / 3;
    CHECK(H >= 1 && d % H == 0,
          "attention_packed: a third of the columns of %s cannot be cut into %d heads",
          tensor_text(qkv).text, H);
    Saved *saved = arena_alloc(&tape->arena, sizeof *saved);
    AttentionPlan plan = {.B = B, .H = H, .Lq = L, .Lk = L, .D = d / H, .Dv = d / H};
    plan.q = plan.k = plan.v = steps_by_token(L, 3 * d, plan.D);
    plan.y = steps_by_token(L, d, plan.D);
    *saved = (Saved){.plan = plan, .k_at = d, .v_at = 2 * d};
    return attention_any(tape, qkv, qkv, qkv, saved, &options, 3, (const int[]){B, L, d});
}
