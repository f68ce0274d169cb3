#include "lesson/experiments/layer_cost.h"

#include "core/chain.h"
#include "core/check.h"
#include "core/measure.h"
#include "core/params.h"
#include "nn/feed_forward.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const layer_names[LAYER_KINDS] = {"self-attention", "recurrent", "CNN, k = 3",
                                              "CNN, dilated", "restricted, r = 9"};

/* Weights that all layers of a measurement share: what arrives is asked for, not how much. */
typedef struct LayerWeights {
    int d;
    Params params;
    Tensor *w[3];   /* (d, d): W_q, W_k, W_v; W and U */
    Tensor *kernel; /* (d, k d) */
} LayerWeights;

static LayerWeights weights_new(int d) {
    static const char *const names[] = {"w_1", "w_2", "w_3"};
    LayerWeights weights = {.d = d, .params = params_new()};
    Rng rng = rng_seeded(1, 1);
    for (int i = 0; i < 3; i++) {
        weights.w[i] =
            params_add(&weights.params, "", names[i], init_orthogonal(1.0f), SHAPE(d, d));
    }
    weights.kernel =
        params_add(&weights.params, "", "kernel", init_xavier(), SHAPE(d, LAYER_WIDTH * d));
    params_allocate(&weights.params, &rng);
    return weights;
}

/* x (n, d) moved so that row i is row i + by, zeros where there is none. */
static Tensor *shifted(Tape *tape, Tensor *x, int by) {
    int n = x->dim[0], d = x->dim[1], rows = by < 0 ? -by : by;
    if (by == 0) {
        return x;
    }
    Tensor *zeros = tape_constant(tape, "zeros", NULL, SHAPE(rows < n ? rows : n, d));
    if (rows >= n) {
        return zeros;
    }
    Tensor *kept = by > 0 ? op_slice(tape, x, by, n) : op_slice(tape, x, 0, n - rows);
    Tensor *parts[] = {by > 0 ? kept : zeros, by > 0 ? zeros : kept};
    return op_concat(tape, 0, parts, 2);
}

static Tensor *convolve(Tape *tape, const LayerWeights *weights, Tensor *x, int step) {
    Tensor *seen[LAYER_WIDTH];
    for (int i = 0; i < LAYER_WIDTH; i++) {
        seen[i] = shifted(tape, x, -i * step);
    }
    Tensor *joined = op_concat(tape, 1, seen, LAYER_WIDTH); /* (n, k d) */
    return op_tanh(tape, op_linear(tape, joined, weights->kernel, NULL));
}

/* `cut` steps from the end the way back in time is cut; n or more: nowhere. */
static Tensor *recur(Tape *tape, const LayerWeights *weights, Tensor *x, int cut) {
    int n = x->dim[0], d = x->dim[1];
    Tensor *states[n];
    Tensor *h = tape_constant(tape, "h", NULL, SHAPE(1, d));
    for (int t = 0; t < n; t++) {
        Tensor *now = op_slice(tape, x, t, t + 1);
        Tensor *before = n - t == cut ? op_detach(tape, h) : h;
        /* Exercise 1.1 */
        h = op_tanh(tape, op_add(tape, op_linear(tape, before, weights->w[0], NULL),
                                 op_linear(tape, now, weights->w[1], NULL)));
        /* End of exercise 1.1 */
        states[t] = h;
    }
    return op_concat(tape, 0, states, n);
}

static Tensor *attend(Tape *tape, const LayerWeights *weights, Looker looker, Tensor *x) {
    int n = x->dim[0], d = x->dim[1];
    Tensor *made[3], *batch = op_reshape(tape, x, SHAPE(1, n, d));
    for (int i = 0; i < 3; i++) {
        made[i] = op_linear(tape, batch, weights->w[i], NULL);
    }
    Tensor *y = looker.look(looker.how, tape, made[0], made[1], made[2], NULL);
    return op_reshape(tape, y, SHAPE(n, d));
}

/* The r rows of x (n, d) around each row: (n, r, d). */
static Tensor *neighbours(Tape *tape, Tensor *x) {
    Tensor *seen[LAYER_WINDOW];
    for (int i = 0; i < LAYER_WINDOW; i++) {
        seen[i] = shifted(tape, x, i - LAYER_WINDOW / 2);
    }
    Tensor *joined = op_concat(tape, 1, seen, LAYER_WINDOW);
    return op_reshape(tape, joined, SHAPE(x->dim[0], LAYER_WINDOW, x->dim[1]));
}

static Tensor *attend_nearby(Tape *tape, const LayerWeights *weights, Tensor *x) {
    int n = x->dim[0], d = x->dim[1], r = LAYER_WINDOW;
    bool *may = arena_alloc(&tape->arena, (size_t)(n * r) * sizeof *may);
    for (int i = 0; i < n * r; i++) {
        int j = i / r + i % r - r / 2;
        may[i] = j >= 0 && j < n;
    }
    Mask mask = {n, 1, r, may};
    Tensor *q = op_reshape(tape, op_linear(tape, x, weights->w[0], NULL), SHAPE(n, 1, d));
    Tensor *k = neighbours(tape, op_linear(tape, x, weights->w[1], NULL));
    Tensor *v = neighbours(tape, op_linear(tape, x, weights->w[2], NULL));
    Tensor *y; /* (n, 1, d) */
    /* Exercise 4.1 */
    Tensor *scores = op_scale(tape, op_matmul_nt(tape, q, k), 1.0f / sqrtf((float)d));
    y = op_matmul(tape, op_masked_softmax(tape, scores, &mask), v);
    /* End of exercise 4.1 */
    return op_reshape(tape, y, SHAPE(n, d));
}

/* Layer number i of that kind; `hops` matters to the recurrent one alone. */
static Tensor *forward(Tape *tape, LayerKind kind, const LayerWeights *weights, Looker looker,
                       Tensor *x, int i, int hops) {
    int step = 1;
    switch (kind) {
    case LAYER_ATTENTION:
        return attend(tape, weights, looker, x);
    case LAYER_RECURRENT:
        return recur(tape, weights, x, hops);
    case LAYER_DILATED:
        for (; i > 0 && step < x->dim[0]; i--) {
            step *= LAYER_WIDTH;
        }
        return convolve(tape, weights, x, step);
    case LAYER_CONVOLUTION:
        return convolve(tape, weights, x, 1);
    default:
        return attend_nearby(tape, weights, x);
    }
}

static Tensor *draw_tokens(Tape *tape, int n, int d) {
    Tensor *x = tape_variable(tape, "x", NULL, SHAPE(n, d));
    Rng rng = rng_seeded(2, 1);
    Init normal = init_normal(1.0f);
    normal.fill(x, &normal, &rng);
    return x;
}

/* One layer back: dy (n, d) becomes the gradient of the layer's input. Whether anything arrives is
 * asked for, not how much: every token that is reached gets a gradient of length 1 again, so that
 * nothing gets lost at the end of float32. */
static void layer_back(LayerKind kind, const LayerWeights *weights, Looker looker, int n, int layer,
                       int hops, float *dy) {
    Tape tape = tape_new();
    int d = weights->d;
    Tensor *x = draw_tokens(&tape, n, d);
    Tensor *y = forward(&tape, kind, weights, looker, x, layer, hops);
    memcpy(y->grad, dy, (size_t)(n * d) * sizeof *dy);
    tape_backward_from(&tape, y);
    for (int i = 0; i < n; i++) {
        double length = vector_length(x->grad + i * d, (size_t)d);
        for (int j = 0; j < d; j++) {
            dy[i * d + j] = length > 0.0 ? (float)((double)x->grad[i * d + j] / length) : 0.0f;
        }
    }
    tape_free(&tape);
}

/* Does the last output feel the first token after that many layers (or steps in time)? */
static bool arrives(LayerKind kind, const LayerWeights *weights, Looker looker, int n, int hops) {
    int d = weights->d;
    float *dy = check_alloc((size_t)(n * d) * sizeof *dy);
    dy[(n - 1) * d] = 1.0f;
    for (int i = (kind == LAYER_RECURRENT ? 1 : hops) - 1; i >= 0; i--) {
        layer_back(kind, weights, looker, n, i, hops, dy);
    }
    bool felt = vector_length(dy, (size_t)d) > 0.0;
    free(dy);
    return felt;
}

static int shortest_path(LayerKind kind, Looker looker, int n) {
    LayerWeights weights = weights_new(8);
    int none = 0, enough = 1;
    while (enough < 2 * n && !arrives(kind, &weights, looker, n, enough)) {
        none = enough;
        enough *= 2;
    }
    while (enough - none > 1) {
        int middle = (none + enough) / 2;
        bool felt = arrives(kind, &weights, looker, n, middle);
        none = felt ? none : middle;
        enough = felt ? middle : enough;
    }
    params_free(&weights.params);
    return enough;
}

void tape_multiply_adds(const Tape *tape, double *with_weights, double *with_each_other) {
    *with_weights = *with_each_other = 0.0;
    for (const TapeNode *node = tape->last; node != NULL; node = node->before) {
        bool linear = strcmp(node->op, "linear") == 0;
        if (linear || strncmp(node->op, "matmul", 6) == 0) {
            const Tensor *a = node->in[0];
            bool tall = strcmp(node->op, "matmul_tn") == 0;
            double inner = tall ? a->dim[a->ndim - 2] : tensor_cols(a);
            *(linear ? with_weights : with_each_other) += (double)tensor_size(node->out) * inner;
        }
    }
}

LayerCost layer_cost(LayerKind kind, Looker looker, int n, int d, bool with_path) {
    LayerCost cost = {0};
    LayerWeights weights = weights_new(d);
    Tape tape = tape_new();
    forward(&tape, kind, &weights, looker, draw_tokens(&tape, n, d), 0, n);
    tape_multiply_adds(&tape, &cost.projections, &cost.products);
    cost.chain = tape_longest_chain(&tape);
    cost.path = with_path ? shortest_path(kind, looker, n) : 0;
    tape_free(&tape);
    params_free(&weights.params);
    return cost;
}

double transformer_linear_cost(int L, int d) {
    LayerWeights weights = weights_new(d);
    Params params = params_new();
    FeedForward ff = feed_forward_new(&params, "ff", d, 4 * d, ACTIVATION_RELU);
    Rng rng = rng_seeded(1, 1);
    params_allocate(&params, &rng);
    Tape tape = tape_new();
    Tensor *x = draw_tokens(&tape, L, d);
    for (int i = 0; i < 4; i++) { /* q, k, v and what becomes of the heads: all the same size */
        op_linear(&tape, x, weights.w[i % 3], NULL);
    }
    feed_forward_forward(&tape, &ff, x, 0.0f, 0);
    double linear, products;
    tape_multiply_adds(&tape, &linear, &products);
    tape_free(&tape);
    params_free(&params);
    params_free(&weights.params);
    return linear + products;
}

/* ---- shown ---- */

void layer_costs_show(Run *run, Looker looker, int n, int d, LayerCost cost[LAYER_KINDS][2]) {
    memset(cost, 0, LAYER_KINDS * sizeof cost[0]);
    static const char *const work[] = {"n^2 d", "n d^2", "k n d^2", "k n d^2", "r n d"};
    static const char *const order[] = {"O(1)", "O(n)", "O(1)", "O(1)", "O(1)"};
    static const char *const path[] = {"O(1)", "O(n)", "O(n/k)", "O(log_k n)", "O(n/r)"};
    char header[128];
    for (int kind = 0; kind < LAYER_KINDS && !run_stopped(run); kind++) {
        for (int i = 0; i < 2; i++) {
            cost[kind][i] = layer_cost((LayerKind)kind, looker, n << i, d, true);
        }
    }
    snprintf(header, sizeof header,
             "multiply-adds\tpaper\tn = %d: with weights\ttoken by token\tn = %d: times", n, 2 * n);
    run_table(run, header);
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        const LayerCost *c = cost[kind];
        run_table_row(run, "%s\t%s\t%.0f\t%.0f\t%.2f", layer_names[kind], work[kind],
                      c[0].projections, c[0].products,
                      (c[1].projections + c[1].products) / (c[0].projections + c[0].products));
    }
    run_table_end(run);
    run_gap(run);
    snprintf(header, sizeof header, "in order\tpaper\tn = %d\tn = %d", n, 2 * n);
    run_table(run, header);
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        run_table_row(run, "%s\t%s\t%d\t%d", layer_names[kind], order[kind], cost[kind][0].chain,
                      cost[kind][1].chain);
    }
    run_table_end(run);
    run_gap(run);
    snprintf(header, sizeof header, "longest path\tpaper\tn = %d\tn = %d", n, 2 * n);
    run_table(run, header);
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        run_table_row(run, "%s\t%s\t%d\t%d", layer_names[kind], path[kind], cost[kind][0].path,
                      cost[kind][1].path);
    }
    run_table_end(run);
}

void layer_costs_claim(Run *run, LayerCost cost[LAYER_KINDS][2], int n) {
    const LayerCost *a = cost[LAYER_ATTENTION], *r = cost[LAYER_RECURRENT];
    claim_checked(run, "square", "self-attention, twice the length: token by token, times",
                  a[1].products / a[0].products, "==", 4);
    claim_checked(run, "recurrent_work", "recurrent, twice the length: work, times",
                  r[1].projections / r[0].projections, "==", 2);
    claim_checked(run, "scores_work", "n = d: token by token over the work of the recurrent layer",
                  a[0].products / r[0].projections, "==", 1);
    claim_checked(run, "attention_work",
                  "n = d: all of self-attention over the work of the recurrent layer",
                  (a[0].products + a[0].projections) / r[0].projections, ">", 1);
    claim_checked(run, "in_order", "self-attention, twice the length: more operations in order",
                  a[1].chain - a[0].chain, "==", 0);
    claim_checked(run, "recurrent_order", "recurrent: operations in order for each step",
                  (r[1].chain - r[0].chain) / (double)n, "==", 3);
    claim_checked(run, "path", "self-attention: longest path", a[1].path, "==", 1);
    claim_checked(run, "recurrent_path", "recurrent: longest path for each token",
                  r[1].path / (2.0 * n), "==", 1);
}

void layer_crossing_show(Run *run, Looker looker, int d) {
    int L = 6 * d;
    double linear = transformer_linear_cost(L, d);
    LayerCost at = layer_cost(LAYER_ATTENTION, looker, L, d, false);
    run_say(run,
            "When does the square hurt? In one layer of a Transformer every token passes four "
            "projections (4 d^2) and a feed-forward network d -> 4 d -> d (8 d^2): 12 d^2 for each "
            "token. Scores and weighted sum are 2 L d for each. So they meet at L = 6 d: counted "
            "for d = %d, L = %d, there are %.0f and %.0f. With the paper's d = 512 that is L = %d "
            "(L = %d for the feed-forward network alone). Below, \"attention is quadratic\" is "
            "true and does not matter much.",
            d, L, linear, at.products, 6 * 512, 4 * 512);
    claim_checked(run, "crossing", "L = 6 d: scores and sums over all that has weights",
                  at.products / linear, "==", 1);
}
