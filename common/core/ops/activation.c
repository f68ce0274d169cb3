/* Activation functions: y_i = f(x_i). Those whose slope is known from y keep only y. */
#include "core/ops.h"

#include "core/kernels/rows.h"

/* The frame that all of them share; the two kernels are the formula. */
static Tensor *activation(Tape *tape, const char *op, Tensor *x,
                          void (*forward)(float *y, const float *x, long n),
                          BackwardFunction backward) {
    Tensor *y = tape_output(tape, op, INPUTS(x), x->ndim, x->dim);
    forward(y->data, x->data, (long)tensor_size(x));
    tape_record(tape, op, backward, y, INPUTS(x), NULL);
    return y;
}

static void exp_node_backward(const TapeNode *node) { /* dx += dy y */
    exp_backward(node->in[0]->grad, node->out->grad, node->out->data, (long)tensor_size(node->out));
}

Tensor *op_exp(Tape *tape, Tensor *x) {
    return activation(tape, "exp", x, exp_forward, exp_node_backward);
}

static void tanh_node_backward(const TapeNode *node) { /* dx += dy (1 - y^2) */
    tanh_backward(node->in[0]->grad, node->out->grad, node->out->data,
                  (long)tensor_size(node->out));
}

Tensor *op_tanh(Tape *tape, Tensor *x) {
    return activation(tape, "tanh", x, tanh_forward, tanh_node_backward);
}

static void sigmoid_node_backward(const TapeNode *node) { /* dx += dy y (1 - y) */
    sigmoid_backward(node->in[0]->grad, node->out->grad, node->out->data,
                     (long)tensor_size(node->out));
}

Tensor *op_sigmoid(Tape *tape, Tensor *x) {
    return activation(tape, "sigmoid", x, sigmoid_forward, sigmoid_node_backward);
}

static void relu_node_backward(const TapeNode *node) { /* dx += dy where x > 0 */
    relu_backward(node->in[0]->grad, node->out->grad, node->in[0]->data,
                  (long)tensor_size(node->out));
}

Tensor *op_relu(Tape *tape, Tensor *x) {
    return activation(tape, "relu", x, relu_forward, relu_node_backward);
}

static void gelu_erf_node_backward(const TapeNode *node) { /* dx += dy (Phi(x) + x phi(x)) */
    gelu_erf_backward(node->in[0]->grad, node->out->grad, node->in[0]->data,
                      (long)tensor_size(node->out));
}

Tensor *op_gelu_erf(Tape *tape, Tensor *x) {
    return activation(tape, "gelu_erf", x, gelu_erf_forward, gelu_erf_node_backward);
}

static void gelu_tanh_node_backward(const TapeNode *node) {
    gelu_tanh_backward(node->in[0]->grad, node->out->grad, node->in[0]->data,
                       (long)tensor_size(node->out));
}

Tensor *op_gelu_tanh(Tape *tape, Tensor *x) {
    return activation(tape, "gelu_tanh", x, gelu_tanh_forward, gelu_tanh_node_backward);
}

static void silu_node_backward(const TapeNode *node) { /* dx += dy s (1 + x (1 - s)), s = sigmoid */
    silu_backward(node->in[0]->grad, node->out->grad, node->in[0]->data,
                  (long)tensor_size(node->out));
}

Tensor *op_silu(Tape *tape, Tensor *x) {
    return activation(tape, "silu", x, silu_forward, silu_node_backward);
}
