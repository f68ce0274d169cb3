/* An encoder and a decoder layer with weights drawn from the call's "seed". */
#ifndef GRADE_WORK_LAYERS_H
#define GRADE_WORK_LAYERS_H

#include "grade/calls/call.h"
#include "nn/transformer_layer.h"

typedef struct Layers {
    Params params;
    EncoderLayer encoder;
    DecoderLayer decoder;
} Layers;

/* d_model "d", 2 heads, d_ff 3 d; "post_ln". Gains and biases are not 1 and 0. Release
 * layers.params with params_free(). */
Layers layers_new(Call *call);

#endif
