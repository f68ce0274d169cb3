/* Reductions: many numbers to one. */
#include "core/ops.h"

#include "core/kernels/rows.h"

static void total_backward(const TapeNode *node) { /* dx_i += factor * dy */
    const float *factor = node->saved;
    Tensor *x = node->in[0];
    float dy = *factor * node->out->grad[0];
    for (size_t i = 0; i < tensor_size(x); i++) {
        x->grad[i] += dy;
    }
}

static Tensor *total(Tape *tape, const char *op, Tensor *x, float factor) {
    float *saved = arena_alloc(&tape->arena, sizeof *saved);
    *saved = factor;
    Tensor *y = tape_output(tape, op, INPUTS(x), SHAPE(1));
    y->data[0] = factor * sum(x->data, (long)tensor_size(x));
    tape_record(tape, op, total_backward, y, INPUTS(x), saved);
    return y;
}

Tensor *op_sum(Tape *tape, Tensor *x) {
    return total(tape, "sum", x, 1.0f);
}

Tensor *op_mean(Tape *tape, Tensor *x) {
    return total(tape, "mean", x, 1.0f / (float)tensor_size(x));
}

static void sum_last_backward(const TapeNode *node) { /* dx_ri += dy_r */
    Tensor *x = node->in[0];
    int D = tensor_cols(x);
    for (size_t r = 0; r < tensor_rows(x); r++) {
        for (int i = 0; i < D; i++) {
            x->grad[r * (size_t)D + (size_t)i] += node->out->grad[r];
        }
    }
}

Tensor *op_sum_last(Tape *tape, Tensor *x) {
    static const int one[] = {1};
    int D = tensor_cols(x);
    Tensor *y = tape_output(tape, "sum_last", INPUTS(x), x->ndim > 1 ? x->ndim - 1 : 1,
                            x->ndim > 1 ? x->dim : one);
    for (size_t r = 0; r < tensor_rows(x); r++) {
        y->data[r] = sum(x->data + r * (size_t)D, D);
    }
    tape_record(tape, "sum_last", sum_last_backward, y, INPUTS(x), NULL);
    return y;
}
