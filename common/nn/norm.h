/* Layer normalisation as a layer: op_layernorm with its gain and bias. */
#ifndef NN_NORM_H
#define NN_NORM_H

#include "core/ops.h"
#include "core/params.h"

typedef struct LayerNorm {
    Tensor *gain, *bias; /* (D) each */
    float eps;
} LayerNorm;

/* Declares "name.gain" of ones and "name.bias" of zeros; eps 1e-5. */
LayerNorm layernorm_new(Params *params, const char *name, int D);

/* x (..., D) -> (..., D) */
Tensor *layernorm_forward(Tape *tape, const LayerNorm *norm, Tensor *x);

#endif
