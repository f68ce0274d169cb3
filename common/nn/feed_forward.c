#include "nn/feed_forward.h"

const char *const activation_names[] = {"relu", "gelu", "silu", NULL};

Tensor *activation_forward(Tape *tape, Activation activation, Tensor *x) {
    switch (activation) {
    case ACTIVATION_GELU:
        return op_gelu_erf(tape, x);
    case ACTIVATION_SILU:
        return op_silu(tape, x);
    case ACTIVATION_RELU:
        break;
    }
    return op_relu(tape, x);
}

FeedForward feed_forward_new(Params *params, const char *name, int d_model, int d_ff,
                             Activation activation) {
    return (FeedForward){.in = linear_new_from(params, param_prefix(name, "in").text, d_model, d_ff,
                                               init_xavier(), init_zeros()),
                         .out = linear_new_from(params, param_prefix(name, "out").text, d_ff,
                                                d_model, init_xavier(), init_zeros()),
                         .activation = activation};
}

Tensor *feed_forward_forward(Tape *tape, const FeedForward *layer, Tensor *x, float dropout,
                             uint64_t dropout_key) {
    Tensor *hidden = linear_forward(tape, &layer->in, x); /* (..., d_ff) */
    hidden = activation_forward(tape, layer->activation, hidden);
    hidden = op_dropout(tape, hidden, dropout, dropout_key);
    return linear_forward(tape, &layer->out, hidden);
}
