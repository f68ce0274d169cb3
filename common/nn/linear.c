#include "nn/linear.h"

#include <math.h>

Linear linear_new(Params *params, const char *name, int in, int out, bool with_bias) {
    Init init = init_uniform(1.0f / sqrtf((float)in));
    Linear layer = {.w = params_add(params, name, "w", init, SHAPE(out, in))};
    if (with_bias) {
        layer.bias = params_add(params, name, "bias", init, SHAPE(out));
    }
    return layer;
}

Linear linear_new_from(Params *params, const char *name, int in, int out, Init w, Init bias) {
    return (Linear){.w = params_add(params, name, "w", w, SHAPE(out, in)),
                    .bias = params_add(params, name, "bias", bias, SHAPE(out))};
}

Tensor *linear_forward(Tape *tape, const Linear *layer, Tensor *x) {
    return op_linear(tape, x, layer->w, layer->bias);
}
