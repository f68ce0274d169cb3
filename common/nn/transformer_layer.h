/* One layer of a Transformer: attention, then a feed-forward network, each inside a residual
 * connection with layer normalisation.
 *
 *   sublayer, post-LN   x = norm(x + f(x))          Vaswani et al. 2017, section 3.1
 *   sublayer, pre-LN    x = x + f(norm(x))          Xiong et al. 2020
 *
 * Shapes are batch-first: x (B, L, d_model). */
#ifndef NN_TRANSFORMER_LAYER_H
#define NN_TRANSFORMER_LAYER_H

#include "nn/feed_forward.h"
#include "nn/multi_head.h"
#include "nn/norm.h"

typedef struct LayerConfig {
    int d_model, heads, d_ff;
    Activation activation;
    bool post_ln;            /* default: pre-LN */
    bool separate;           /* three projections instead of one packed one, in self-attention */
    float dropout;           /* of what a sublayer returns, of hidden units, of the embeddings */
    float attention_dropout; /* of the weights */
} LayerConfig;

/* Dropout in training: each call draws from (key, running number), so that no two of them drop the
 * same units, and the same key drops the same units again. Change the key from step to step. */
typedef struct Dropout {
    uint64_t key;
    uint64_t drawn; /* calls so far; starts at 0 */
} Dropout;

/* The key of the next call, for op_dropout(). */
uint64_t dropout_next(Dropout *dropout);

/* x with each element dropped with probability p; x itself when the tape does not record, or
 * without a `dropout`. */
Tensor *dropout_forward(Tape *tape, Tensor *x, float p, Dropout *dropout);

typedef struct EncoderLayer {
    LayerConfig config;
    MultiHead self;
    FeedForward ff;
    LayerNorm norm1, norm2; /* around the attention; around the feed-forward network */
} EncoderLayer;

typedef struct DecoderLayer {
    LayerConfig config;
    MultiHead self, cross;
    FeedForward ff;
    LayerNorm norm1, norm2, norm3; /* self-attention, cross-attention, feed-forward network */
} DecoderLayer;

/* Declare what the fields are called, "name.self" to "name.norm3"; every layer its own weights. */
EncoderLayer encoder_layer_new(Params *params, const char *name, LayerConfig config);
DecoderLayer decoder_layer_new(Params *params, const char *name, LayerConfig config);

/* x (B, L, d_model) -> the same shape. `look` says where self-attention looks (its dropout fields
 * are filled in here); with look.causal an encoder layer is the layer of a decoder-only model.
 * `dropout` may be NULL: none. */
Tensor *encoder_layer_forward(Tape *tape, const EncoderLayer *layer, Tensor *x, Look look,
                              Dropout *dropout);

/* x (B, T, d_model), memory (B, S, d_model) -> (B, T, d_model). `self` should be causal: it is not
 * made so here. */
Tensor *decoder_layer_forward(Tape *tape, const DecoderLayer *layer, Tensor *x, Look self,
                              Tensor *memory, Look cross, Dropout *dropout);

/* The same with keys and values of the memory already made by multi_head_memory(). */
Tensor *decoder_layer_forward_with(Tape *tape, const DecoderLayer *layer, Tensor *x, Look self,
                                   CrossMemory memory, Look cross, Dropout *dropout);

#endif
