/* The position-wise feed-forward network: two linear layers with an activation in between, the same
 * for every token. Vaswani et al. 2017, equation 2. */
#ifndef NN_FEED_FORWARD_H
#define NN_FEED_FORWARD_H

#include "nn/linear.h"

typedef enum Activation {
    ACTIVATION_RELU, /* as in the paper */
    ACTIVATION_GELU, /* the exact one, with erf */
    ACTIVATION_SILU,
} Activation;

/* The words for it, in the order of the enum and ended by NULL: for flags. */
extern const char *const activation_names[];

Tensor *activation_forward(Tape *tape, Activation activation, Tensor *x);

typedef struct FeedForward {
    Linear in;  /* d_model -> d_ff */
    Linear out; /* d_ff -> d_model */
    Activation activation;
} FeedForward;

/* Declares "name.in" and "name.out"; weights from Glorot's uniform distribution, biases zero. */
FeedForward feed_forward_new(Params *params, const char *name, int d_model, int d_ff,
                             Activation activation);

/* x (..., d_model) -> (..., d_model). `dropout` (0: none) of the hidden units; see op_dropout(). */
Tensor *feed_forward_forward(Tape *tape, const FeedForward *layer, Tensor *x, float dropout,
                             uint64_t dropout_key);

#endif
