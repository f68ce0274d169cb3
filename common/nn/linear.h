/* Fully connected layer: y = x W^T + b. */
#ifndef NN_LINEAR_H
#define NN_LINEAR_H

#include "core/ops.h"
#include "core/params.h"

typedef struct Linear {
    Tensor *w;    /* (out, in) */
    Tensor *bias; /* (out), or NULL */
} Linear;

/* Declares "name.w" and, if wanted, "name.bias", both from U(-1/sqrt(in), 1/sqrt(in)). */
Linear linear_new(Params *params, const char *name, int in, int out, bool with_bias);

/* The same with a bias, both filled by these instead. */
Linear linear_new_from(Params *params, const char *name, int in, int out, Init w, Init bias);

/* x (..., in) -> (..., out) */
Tensor *linear_forward(Tape *tape, const Linear *layer, Tensor *x);

#endif
