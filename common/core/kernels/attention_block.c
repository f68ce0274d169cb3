#include "core/kernels/attention_block.h"

#include "core/kernels/gemm.h"

static inline long place(const HeadSteps *steps, long b, long h) {
    return b * steps->batch + h * steps->head;
}

Head attention_head(const AttentionPlan *plan, long index) {
    long b = index / plan->H, h = index % plan->H;
    return (Head){.plan = plan,
                  .keys = plan->key_length != NULL ? plan->key_length[b] : plan->Lk,
                  .slope = plan->slopes != NULL ? plan->slopes[h] : 0.0f,
                  .stats = index * plan->Lq,
                  .first = (uint64_t)index * (uint64_t)plan->Lq * (uint64_t)plan->Lk,
                  .q = place(&plan->q, b, h),
                  .k = place(&plan->k, b, h),
                  .v = place(&plan->v, b, h),
                  .y = place(&plan->y, b, h)};
}

static inline int smaller(int a, int b) {
    return a < b ? a : b;
}

int keys_seen(const Head *head, int i) {
    const AttentionPlan *plan = head->plan;
    int seen = head->keys;
    if (plan->causal) {
        int past;
        /* Exercise 4.2 */
        past = i + 1 + plan->Lk - plan->Lq;
        /* End of exercise 4.2 */
        seen = smaller(past, seen);
    }
    return seen > 0 ? seen : 0;
}

Block attention_block(const Head *head, int i, int j) {
    Block block = {.i = i, .rows = smaller(QUERY_BLOCK, head->plan->Lq - i), .j = j};
    int seen = keys_seen(head, i + block.rows - 1) - j; /* the last query sees the most */
    block.cols = seen < 0 ? 0 : smaller(seen, KEY_BLOCK);
    block.width = whole_vectors(block.cols);
    return block;
}

static inline Vec vec_counting(void) { /* 0 1 2 ... */
    Vec count;
    for (int i = 0; i < VEC_LANES; i++) {
        count[i] = (float)i;
    }
    return count;
}

/* scale x - slope |distance| of a row, whose keys begin `ahead` before the query's own position. */
static void finish_row(float *x, int n, float scale, float slope, int ahead) {
    if (slope == 0.0f) {
        for (int c = 0; c < n; c++) {
            x[c] *= scale;
        }
        return;
    }
    /* Exercise 6.4 */
    Vec count = vec_counting();
    for (int c = 0; c < n; c += VEC_LANES) {
        Vec distance = vec_abs(count + (float)(c - ahead));
        vec_store(x + c, vec_load(x + c) * scale - slope * distance);
    }
    /* End of exercise 6.4 */
}

void block_scores(const Head *head, const Block *block, const float *q, const float *k,
                  float *scores) {
    const AttentionPlan *plan = head->plan;
    gemm(false, true, block->rows, block->cols, plan->D, q + head->q + (long)block->i * plan->q.row,
         plan->q.row, k + head->k + (long)block->j * plan->k.row, plan->k.row, false, scores,
         block->width);
    for (int r = 0; r < block->rows; r++) {
        float *row = scores + (long)r * block->width;
        int seen = cols_seen(head, block, r), n = whole_vectors(seen);
        int position = block->i + r + plan->Lk - plan->Lq;
        finish_row(row, n, plan->scale, head->slope, position - block->j);
        for (int c = seen; c < n; c++) {
            row[c] = -INFINITY;
        }
    }
}

float exp_shifted_scaled(float *x, int n, float shift, float factor) {
    Vec total = vec_all(0.0f);
    for (int c = 0; c < n; c += VEC_LANES) {
        Vec e = vec_exp(vec_load(x + c) - shift) * factor;
        vec_store(x + c, e);
        total += e;
    }
    return vec_sum(total);
}

void block_weights(const Head *head, const Block *block, const float *q, const float *k,
                   AttentionStats stats, float *p) {
    const float *largest = stats.largest + head->stats + block->i;
    const float *inverse = stats.inverse + head->stats + block->i;
    block_scores(head, block, q, k, p);
    for (int r = 0; r < block->rows; r++) {
        float *row = p + (long)r * block->width;
        int n = whole_vectors(cols_seen(head, block, r));
        exp_shifted_scaled(row, n, largest[r], inverse[r]);
        clear(row, n, block->cols);
    }
}

void block_dropout(const Head *head, const Block *block, int r, int n, float *factor) {
    uint64_t row = head->first + (uint64_t)(block->i + r) * (uint64_t)head->plan->Lk;
    dropout_factors(head->plan->dropout, row + (uint64_t)block->j, n, factor);
}

double attention_work(const AttentionPlan *plan) {
    double pairs = (double)plan->B * plan->H * plan->Lq * plan->Lk;
    return pairs * (plan->D + plan->Dv + 16) * (plan->causal ? 0.5 : 1.0);
}
