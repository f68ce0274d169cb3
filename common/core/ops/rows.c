/* Along the last dimension: softmax in its three forms, and layer normalisation. */
#include "core/ops.h"

#include "core/check.h"
#include "core/kernels/rows.h"

static void softmax_node_backward(const TapeNode *node) { /* dx_i += y_i (dy_i - sum_j dy_j y_j) */
    const Tensor *y = node->out;
    softmax_backward_rows(node->in[0]->grad, y->grad, y->data, (long)tensor_rows(y),
                          tensor_cols(y));
}

Tensor *op_softmax(Tape *tape, Tensor *x) {
    Tensor *y = tape_output(tape, "softmax", INPUTS(x), x->ndim, x->dim);
    softmax_rows(y->data, x->data, (long)tensor_rows(x), tensor_cols(x));
    tape_record(tape, "softmax", softmax_node_backward, y, INPUTS(x), NULL);
    return y;
}

static void check_mask(const Tensor *x, const Mask *mask) {
    int L = x->ndim > 2 ? x->dim[x->ndim - 2] : 1;
    CHECK(
        x->ndim >= 2 && mask->keys == tensor_cols(x) &&
            (mask->batch == 1 || mask->batch == x->dim[0]) &&
            (mask->queries == 1 || mask->queries == L),
        "masked_softmax: %s with a mask (%d, %d, %d): needed is (batch, queries, keys), where the "
        "first two may be 1",
        tensor_text(x).text, mask->batch, mask->queries, mask->keys);
}

/* A weight that the mask made zero has no gradient by itself, since dx_i contains y_i = 0: the
 * backward pass of the plain softmax serves, for empty rows too. */
Tensor *op_masked_softmax(Tape *tape, Tensor *x, const Mask *mask) {
    if (mask == NULL) {
        return op_softmax(tape, x);
    }
    check_mask(x, mask);
    int S = tensor_cols(x), L = x->ndim > 2 ? x->dim[x->ndim - 2] : 1;
    int rows_per_batch = (int)tensor_rows(x) / x->dim[0]; /* heads times queries */
    Tensor *y = tape_output(tape, "masked_softmax", INPUTS(x), x->ndim, x->dim);
    for (int b = 0; b < x->dim[0]; b++) {
        for (int r = 0; r < rows_per_batch; r++) {
            size_t row = ((size_t)b * (size_t)rows_per_batch + (size_t)r) * (size_t)S;
            softmax_row_masked(y->data + row, x->data + row, S, mask_row(mask, b, r % L));
        }
    }
    tape_record(tape, "masked_softmax", softmax_node_backward, y, INPUTS(x), NULL);
    return y;
}

static void log_softmax_node_backward(const TapeNode *node) { /* dx_i += dy_i - e^y_i sum_j dy_j */
    const Tensor *y = node->out;
    log_softmax_backward_rows(node->in[0]->grad, y->grad, y->data, (long)tensor_rows(y),
                              tensor_cols(y));
}

Tensor *op_log_softmax(Tape *tape, Tensor *x) {
    Tensor *y = tape_output(tape, "log_softmax", INPUTS(x), x->ndim, x->dim);
    log_softmax_rows(y->data, x->data, (long)tensor_rows(x), tensor_cols(x));
    tape_record(tape, "log_softmax", log_softmax_node_backward, y, INPUTS(x), NULL);
    return y;
}

/* Mean and reciprocal standard deviation of each row, kept for the way back. */
typedef struct Moments {
    float *mean, *rstd;
} Moments;

static void layernorm_node_backward(const TapeNode *node) {
    const Moments *m = node->saved;
    Tensor *x = node->in[0], *gain = node->in[1], *bias = node->in[2];
    layernorm_backward_rows(x->grad, gain->grad, bias->grad, node->out->grad, x->data, m->mean,
                            m->rstd, gain->data, (long)tensor_rows(x), tensor_cols(x));
}

Tensor *op_layernorm(Tape *tape, Tensor *x, Tensor *gain, Tensor *bias, float eps) {
    int D = tensor_cols(x);
    CHECK(gain->ndim == 1 && gain->dim[0] == D && bias->ndim == 1 && bias->dim[0] == D,
          "layernorm: %s with gain %s and bias %s: one number per column is needed",
          tensor_text(x).text, tensor_text(gain).text, tensor_text(bias).text);
    Moments *m = arena_alloc(&tape->arena, sizeof *m);
    m->mean = arena_alloc(&tape->arena, tensor_rows(x) * sizeof(float));
    m->rstd = arena_alloc(&tape->arena, tensor_rows(x) * sizeof(float));
    Tensor *y = tape_output(tape, "layernorm", INPUTS(x, gain, bias), x->ndim, x->dim);
    layernorm_rows(y->data, m->mean, m->rstd, x->data, gain->data, bias->data, (long)tensor_rows(x),
                   D, eps);
    tape_record(tape, "layernorm", layernorm_node_backward, y, INPUTS(x, gain, bias), m);
    return y;
}
