/* An encoder and a decoder layer with weights drawn from the call's "seed". */
#ifndef GRADE_WORK_LAYERS_H
#define GRADE_WORK_LAYERS_H

#include "grade/calls/call.h"
#include "nn/transformer_layer.h"

typedef struct Layers {
    Params params;
    EncoderLayer encoder;
    DecoderLayer decoder;
    Dropout dropout;
} Layers;

/* The probability of dropout: not 0 if the call's "dropout" is not. */
float dropout_of(Call *call);
/* A key that is the same for everybody, or, without dropout, NULL. */
Dropout *dropout_with(Call *call, Dropout *dropout);

/* d_model "d", 2 heads, d_ff 3 d; "post_ln", "dropout". Gains and biases are not 1 and 0. Release
 * layers.params with params_free(). */
Layers layers_new(Call *call);

#endif
