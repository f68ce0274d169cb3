/* Forward: each block of queries meets the keys it sees, block after block. */
#include "core/kernels/attention.h"

#include "core/kernels/attention_block.h"
#include "core/kernels/gemm.h"
#include "core/kernels/parallel.h"
#include "core/kernels/rows.h"

#include <string.h>

static void scale_row(float *x, float factor, int n) {
    for (int i = 0; i < n; i++) {
        x[i] *= factor;
    }
}

static float largest_of(const float *x, int n) { /* n a multiple of VEC_LANES */
    Vec most = vec_all(-INFINITY);
    for (int c = 0; c < n; c += VEC_LANES) {
        most = vec_max(vec_load(x + c), most);
    }
    return vec_largest(most);
}

/* Exponentials are taken of s - shift. While all scores are -infinity any shift will do, but for
 * that one. */
static inline float shift_of(float largest) {
    return largest == -INFINITY ? 0.0f : largest;
}

/* Exercise 4.3 */
/* One more block of scores for one query: they become exp(s - largest so far), and what has been
 * added up is made to fit when that has grown. */
static void online_row(float *scores, int seen, int cols, float *largest, float *total, float *y,
                       int Dv) {
    int n = whole_vectors(seen);
    float most = largest_of(scores, n);
    if (most > *largest) {
        float shrink = vec_exp(vec_all(*largest - most))[0]; /* 0 in the first block */
        *total *= shrink;
        if (*largest != -INFINITY) {
            scale_row(y, shrink, Dv);
        }
        *largest = most;
    }
    *total += exp_shifted_scaled(scores, n, shift_of(*largest), 1.0f);
    clear(scores, n, cols);
}

static void drop(const Head *head, const Block *block, int r, float *weights, int n) {
    float factor[KEY_BLOCK];
    if (head->plan->dropout.p > 0.0f) {
        block_dropout(head, block, r, n, factor);
        mul(weights, weights, factor, n);
    }
}

/* Divides a row of y by the sum of its weights, and keeps the softmax's stats; zeros for a query
 * with nothing to look at. */
static void finish_row(float *y, int Dv, float total, float *largest, float *inverse) {
    *largest = shift_of(*largest);
    *inverse = total == 0.0f ? 0.0f : 1.0f / total;
    if (total == 0.0f) {
        clear(y, 0, Dv); /* where no block was seen, nothing has been written there yet */
    } else {
        scale_row(y, *inverse, Dv);
    }
}

/* Queries from i on, a block of them. */
static void forward_block(const Head *head, int i, const float *q, const float *k, const float *v,
                          float *y, AttentionStats stats) {
    const AttentionPlan *plan = head->plan;
    float scores[BLOCK_FLOATS] BLOCK_ALIGNED, total[QUERY_BLOCK] = {0.0f};
    float *largest = stats.largest + head->stats + i, *inverse = stats.inverse + head->stats + i;
    float *out = y + head->y + (long)i * plan->y.row;
    Block block = attention_block(head, i, 0);
    for (int r = 0; r < block.rows; r++) {
        largest[r] = -INFINITY;
    }
    for (int j = 0; block.cols > 0; j += KEY_BLOCK, block = attention_block(head, i, j)) {
        block_scores(head, &block, q, k, scores);
        for (int r = 0; r < block.rows; r++) {
            float *row = scores + (long)r * block.width;
            int seen = cols_seen(head, &block, r);
            online_row(row, seen, block.cols, &largest[r], &total[r], out + (long)r * plan->y.row,
                       plan->Dv);
            drop(head, &block, r, row, seen);
        }
        gemm(false, false, block.rows, plan->Dv, block.cols, scores, block.width,
             v + head->v + (long)j * plan->v.row, plan->v.row, j > 0, out, plan->y.row);
    }
    for (int r = 0; r < block.rows; r++) {
        finish_row(out + (long)r * plan->y.row, plan->Dv, total[r], &largest[r], &inverse[r]);
    }
}

void attention_forward(const AttentionPlan *plan, const float *q, const float *k, const float *v,
                       float *y, AttentionStats stats) {
    long blocks = (plan->Lq + QUERY_BLOCK - 1) / QUERY_BLOCK;
    long count = (long)plan->B * plan->H * blocks;
    if (!worth_threads(attention_work(plan), ATTENTION_LEAST)) {
        for (long n = 0; n < count; n++) {
            Head head = attention_head(plan, n / blocks);
            forward_block(&head, (int)(n % blocks) * QUERY_BLOCK, q, k, v, y, stats);
        }
        return;
    }
#pragma omp parallel for schedule(static)
    for (long n = 0; n < count; n++) {
        Head head = attention_head(plan, n / blocks);
        forward_block(&head, (int)(n % blocks) * QUERY_BLOCK, q, k, v, y, stats);
    }
}

/* All weights of the queries from i on, a block of them, (rows, Lk). */
static void write_weights(const Head *head, int i, const float *q, const float *k,
                          AttentionStats stats, float *weights) {
    int Lk = head->plan->Lk;
    float p[BLOCK_FLOATS] BLOCK_ALIGNED;
    Block block = attention_block(head, i, 0);
    for (int r = 0; r < block.rows; r++) {
        clear(weights + (long)r * Lk, 0, Lk);
    }
    for (int j = 0; block.cols > 0; j += KEY_BLOCK, block = attention_block(head, i, j)) {
        block_weights(head, &block, q, k, stats, p);
        for (int r = 0; r < block.rows; r++) {
            memcpy(weights + (long)r * Lk + j, p + (long)r * block.width,
                   (size_t)block.cols * sizeof(float));
        }
    }
}

void attention_weights(const AttentionPlan *plan, const float *q, const float *k,
                       AttentionStats stats, float *weights) {
    for (long n = 0; n < (long)plan->B * plan->H; n++) {
        Head head = attention_head(plan, n);
        for (int i = 0; i < plan->Lq; i += QUERY_BLOCK) {
            write_weights(&head, i, q, k, stats, weights + (head.stats + i) * plan->Lk);
        }
    }
}
