/* Heads: the columns of a token cut into H pieces, and the pieces put side by side again. */
#include "core/ops.h"

#include "core/check.h"
#include "core/kernels/rows.h"

#include <string.h>

/* Heads side by side in each token, (B, L, H, D), or one behind the other, (B, H, L, D). */
typedef struct HeadSizes {
    int B, L, H, D;
} HeadSizes;

static inline long place_by_token(const HeadSizes *n, int b, int t, int h) {
    return (((long)b * n->L + t) * n->H + h) * n->D;
}

static inline long place_by_head(const HeadSizes *n, int b, int t, int h) {
    return (((long)b * n->H + h) * n->L + t) * n->D;
}

/* Exercise 5.1 */
/* Walks over all pieces of D numbers in the order of the tokens: by_head = by_token, or the other
 * way round when `merge` is true. */
static void copy_pieces(const HeadSizes *n, float *to, const float *from, bool merge) {
    for (int b = 0; b < n->B; b++) {
        for (int t = 0; t < n->L; t++) {
            for (int h = 0; h < n->H; h++) {
                long token = place_by_token(n, b, t, h), head = place_by_head(n, b, t, h);
                memcpy(to + (merge ? token : head), from + (merge ? head : token),
                       (size_t)n->D * sizeof(float));
            }
        }
    }
}

/* Exercise 5.1 */
/* The same walk, adding: the gradient goes the way back. */
static void add_pieces(const HeadSizes *n, float *to, const float *from, bool merge) {
    for (int b = 0; b < n->B; b++) {
        for (int t = 0; t < n->L; t++) {
            for (int h = 0; h < n->H; h++) {
                long token = place_by_token(n, b, t, h), head = place_by_head(n, b, t, h);
                axpy(to + (merge ? token : head), 1.0f, from + (merge ? head : token), n->D);
            }
        }
    }
}

static void split_heads_backward(const TapeNode *node) { /* dx[b][t][h][.] += dy[b][h][t][.] */
    add_pieces(node->saved, node->in[0]->grad, node->out->grad, true);
}

Tensor *op_split_heads(Tape *tape, Tensor *x, int heads) {
    CHECK(x->ndim == 3, "split_heads: %s: needed is (B, L, H * D)", tensor_text(x).text);
    CHECK(heads >= 1 && x->dim[2] % heads == 0,
          "split_heads: the %d columns of %s cannot be cut into %d heads", x->dim[2],
          tensor_text(x).text, heads);
    HeadSizes *n = arena_alloc(&tape->arena, sizeof *n);
    *n = (HeadSizes){x->dim[0], x->dim[1], heads, x->dim[2] / heads};
    Tensor *y = tape_output(tape, "split_heads", INPUTS(x), SHAPE(n->B, n->H, n->L, n->D));
    copy_pieces(n, y->data, x->data, false);
    tape_record(tape, "split_heads", split_heads_backward, y, INPUTS(x), n);
    return y;
}

static void merge_heads_backward(const TapeNode *node) { /* dx[b][h][t][.] += dy[b][t][h][.] */
    add_pieces(node->saved, node->in[0]->grad, node->out->grad, false);
}

Tensor *op_merge_heads(Tape *tape, Tensor *x) {
    CHECK(x->ndim == 4, "merge_heads: %s: needed is (B, H, L, D)", tensor_text(x).text);
    HeadSizes *n = arena_alloc(&tape->arena, sizeof *n);
    *n = (HeadSizes){x->dim[0], x->dim[2], x->dim[1], x->dim[3]};
    Tensor *y = tape_output(tape, "merge_heads", INPUTS(x), SHAPE(n->B, n->L, n->H * n->D));
    copy_pieces(n, y->data, x->data, true);
    tape_record(tape, "merge_heads", merge_heads_backward, y, INPUTS(x), n);
    return y;
}
