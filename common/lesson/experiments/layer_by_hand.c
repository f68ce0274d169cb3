#include "lesson/experiments/layer_by_hand.h"

#include "core/check.h"

#include <stdio.h>

static void print_rows(Run *run, const char *name, const Tensor *x, const char *const *rows) {
    run_matrix_labelled(run, name, x->data, x->dim[1], tensor_cols(x), rows, NULL);
}

static Tensor *print_attention(Run *run, Tape *tape, const LayerNorm *norm, Tensor *x, Tensor *y,
                               const Tensor *weights, const char *const *rows,
                               const char *const *keys) {
    int H = weights->dim[1], L = weights->dim[2], S = weights->dim[3];
    CHECK(weights->dim[0] == 1, "layer_print: one sentence, not %s", tensor_text(weights).text);
    print_rows(run, "norm(x)", layernorm_forward(tape, norm, x), rows);
    for (int h = 0; h < H; h++) {
        char name[64];
        snprintf(name, sizeof name, "head %d looks at", h);
        run_matrix_labelled(run, name, weights->data + (long)h * L * S, L, S, rows, keys);
    }
    print_rows(run, "found by all heads, through W_o", y, rows);
    Tensor *sum = op_add(tape, x, y);
    print_rows(run, "x = x + that", sum, rows);
    return sum;
}

Tensor *layer_print_self(Run *run, Tape *tape, const MultiHead *self, const LayerNorm *norm,
                         Tensor *x, bool causal, const char *const *rows) {
    Tensor *weights = NULL;
    Tensor *y = multi_head_self(tape, self, layernorm_forward(tape, norm, x),
                                (Look){.causal = causal, .weights = &weights});
    return print_attention(run, tape, norm, x, y, weights, rows, rows);
}

Tensor *layer_print_cross(Run *run, Tape *tape, const MultiHead *cross, const LayerNorm *norm,
                          Tensor *x, CrossMemory memory, const char *const *rows,
                          const char *const *keys) {
    Tensor *weights = NULL;
    Tensor *y = multi_head_cross_with(tape, cross, layernorm_forward(tape, norm, x), memory,
                                      (Look){.weights = &weights});
    return print_attention(run, tape, norm, x, y, weights, rows, keys);
}

Tensor *layer_print_thinking(Run *run, Tape *tape, const FeedForward *ff, const LayerNorm *norm,
                             Tensor *x, const char *const *rows) {
    Tensor *n = layernorm_forward(tape, norm, x);
    Tensor *hidden = op_relu(tape, linear_forward(tape, &ff->in, n));
    Tensor *y = linear_forward(tape, &ff->out, hidden), *sum = op_add(tape, x, y);
    print_rows(run, "norm(x)", n, rows);
    print_rows(run, "hidden = relu(W_1 norm(x) + b_1)", hidden, rows);
    print_rows(run, "W_2 hidden + b_2", y, rows);
    print_rows(run, "x = x + that: what the layer returns", sum, rows);
    return sum;
}
