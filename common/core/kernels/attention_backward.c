/* Backward: p is computed again, block by block, from the scores and what the forward pass kept of
 * each softmax. With u_ij the factor of dropout (1 without):
 *
 *   dv_j += sum_i u_ij p_ij dy_i          dp_ij = u_ij dy_i . v_j
 *   ds_ij = p_ij (dp_ij - sum_k p_ik dp_ik), and that sum is dy_i . y_i
 *   dq_i += scale sum_j ds_ij k_j         dk_j += scale sum_i ds_ij q_i
 *
 * A head's gradients are its own, so heads are what threads share out. */
#include "core/kernels/attention.h"

#include "core/kernels/attention_block.h"
#include "core/kernels/gemm.h"
#include "core/kernels/parallel.h"
#include "core/kernels/rows.h"

#include <stddef.h>

typedef struct Backward {
    const float *q, *k, *v, *y;
    AttentionStats stats;
    AttentionGrads grads;
} Backward;

/* One row of a block: ds from p and dy v^T, which it replaces, and then p u in the place of p. */
static void thin_row(float *p, float *ds, const float *u, int n, float mean, float scale) {
    for (int c = 0; c < n; c++) {
        ds[c] = p[c] * (u[c] * ds[c] - mean) * scale;
        p[c] *= u[c];
    }
}

static void whole_row(const float *p, float *ds, int n, float mean, float scale) {
    for (int c = 0; c < n; c++) {
        ds[c] = p[c] * (ds[c] - mean) * scale;
    }
}

/* ds of a block, times the scale of the scores; dropout is applied to p along the way. */
static void block_score_grads(const Head *head, const Block *block, const Backward *all, float *p,
                              float *ds) {
    const AttentionPlan *plan = head->plan;
    const float *dy = all->grads.dy + head->y + (long)block->i * plan->y.row;
    const float *y = all->y + head->y + (long)block->i * plan->y.row;
    gemm(false, true, block->rows, block->cols, plan->Dv, dy, plan->y.row,
         all->v + head->v + (long)block->j * plan->v.row, plan->v.row, false, ds, block->width);
    for (int r = 0; r < block->rows; r++) {
        float *p_row = p + (long)r * block->width, *ds_row = ds + (long)r * block->width;
        int seen = cols_seen(head, block, r), n = whole_vectors(seen);
        float mean = dot(dy + (long)r * plan->y.row, y + (long)r * plan->y.row, plan->Dv);
        if (plan->dropout.p > 0.0f) {
            float u[KEY_BLOCK];
            block_dropout(head, block, r, n, u);
            thin_row(p_row, ds_row, u, n, mean, plan->scale);
        } else {
            whole_row(p_row, ds_row, n, mean, plan->scale);
        }
        clear(ds_row, seen, block->cols);
    }
}

/* to (cols, width) += a^T (cols, rows) x (rows, width) for a block a. */
static void add_to_keys(const Block *block, const float *a, const float *x, int x_row, int width,
                        float *to, int to_row) {
    gemm(true, false, block->cols, width, block->rows, a, block->width, x, x_row, true, to, to_row);
}

static void backward_block(const Head *head, const Block *block, const Backward *all, float *p,
                           float *ds) {
    const AttentionPlan *plan = head->plan;
    const AttentionGrads *grads = &all->grads;
    long q = head->q + (long)block->i * plan->q.row, k = head->k + (long)block->j * plan->k.row;
    long v = head->v + (long)block->j * plan->v.row, y = head->y + (long)block->i * plan->y.row;
    block_weights(head, block, all->q, all->k, all->stats, p);
    block_score_grads(head, block, all, p, ds);
    if (grads->dq != NULL) {
        gemm(false, false, block->rows, plan->D, block->cols, ds, block->width, all->k + k,
             plan->k.row, true, grads->dq + q, plan->q.row);
    }
    if (grads->dk != NULL) {
        add_to_keys(block, ds, all->q + q, plan->q.row, plan->D, grads->dk + k, plan->k.row);
    }
    if (grads->dv != NULL) {
        add_to_keys(block, p, grads->dy + y, plan->y.row, plan->Dv, grads->dv + v, plan->v.row);
    }
}

static void backward_head(const Backward *all, const AttentionPlan *plan, long n) {
    float p[BLOCK_FLOATS] BLOCK_ALIGNED, ds[BLOCK_FLOATS] BLOCK_ALIGNED;
    Head head = attention_head(plan, n);
    for (int j = 0; j < head.keys; j += KEY_BLOCK) {
        for (int i = 0; i < plan->Lq; i += QUERY_BLOCK) {
            Block block = attention_block(&head, i, j);
            if (block.cols > 0) {
                backward_block(&head, &block, all, p, ds);
            }
        }
    }
}

void attention_backward(const AttentionPlan *plan, const float *q, const float *k, const float *v,
                        const float *y, AttentionStats stats, AttentionGrads grads) {
    Backward all = {q, k, v, y, stats, grads};
    long heads = (long)plan->B * plan->H;
    if (!worth_threads(2.0 * attention_work(plan), ATTENTION_LEAST)) {
        for (long n = 0; n < heads; n++) {
            backward_head(&all, plan, n);
        }
        return;
    }
#pragma omp parallel for schedule(static)
    for (long n = 0; n < heads; n++) {
        backward_head(&all, plan, n);
    }
}
