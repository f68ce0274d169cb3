#include "nn/norm.h"

LayerNorm layernorm_new(Params *params, const char *name, int D) {
    return (LayerNorm){.gain = params_add(params, name, "gain", init_constant(1.0f), SHAPE(D)),
                       .bias = params_add(params, name, "bias", init_zeros(), SHAPE(D)),
                       .eps = 1e-5f};
}

Tensor *layernorm_forward(Tape *tape, const LayerNorm *norm, Tensor *x) {
    return op_layernorm(tape, x, norm->gain, norm->bias, norm->eps);
}
