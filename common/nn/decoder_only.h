/* A language model: layers that look to the left only, without an encoder. Radford et al. 2018. */
#ifndef NN_DECODER_ONLY_H
#define NN_DECODER_ONLY_H

#include "nn/stack.h"

typedef struct DecoderOnly {
    TransformerConfig config;
    Embedding words;
    Position position;
    EncoderLayer layer[TRANSFORMER_MOST_LAYERS]; /* with a causal mask */
    LayerNorm norm;
    Linear out; /* d_model -> V */
} DecoderOnly;

/* Declares "name.words", the layers "name.layer0" .., and whatever the settings want of
 * "name.position", "name.norm" and "name.out". */
DecoderOnly decoder_only_new(Params *params, const char *name, int V, TransformerConfig config);

/* ids (B, L) -> logits (B, L, V): row t has seen tokens 0 .. t. With caches (one for each layer,
 * else NULL) ids are the next L tokens behind those in the caches, to which they are added. */
Tensor *decoder_only_forward(Tape *tape, const DecoderOnly *model, const int *ids, int B, int L,
                             KvCache *caches, Dropout *dropout, AttentionTrace *trace);

/* Empty caches for decoder_only_forward, one for each layer. */
KvCache *decoder_only_caches(Arena *arena, const DecoderOnly *model, int B, int capacity);

#endif
