/* Layers that look both ways, for classifying and tagging. Devlin et al. 2019. */
#ifndef NN_ENCODER_ONLY_H
#define NN_ENCODER_ONLY_H

#include "nn/stack.h"

typedef struct EncoderOnly {
    TransformerConfig config;
    Embedding words;
    Position position;
    EncoderLayer layer[TRANSFORMER_MOST_LAYERS];
    LayerNorm norm;
} EncoderOnly;

/* Declares "name.words", the layers "name.layer0" .., and whatever the settings want of
 * "name.position" and "name.norm". */
EncoderOnly encoder_only_new(Params *params, const char *name, int V, TransformerConfig config);

/* ids (B, L), length (B) real ones or NULL -> (B, L, d_model). */
Tensor *encoder_only_forward(Tape *tape, const EncoderOnly *model, const int *ids,
                             const int *length, int B, int L, Dropout *dropout,
                             AttentionTrace *trace);

/* Mean over the length (B) real tokens, all of them when it is NULL: (B, L, D) -> (B, D). Zeros
 * where there are none. */
Tensor *mean_pool(Tape *tape, Tensor *x, const int *length);

#endif
