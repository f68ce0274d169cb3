/* The Transformer of the paper: an encoder reads the source, a decoder writes the target and looks
 * at what the encoder made of the source. Vaswani et al. 2017, figure 1. */
#ifndef NN_ENCODER_DECODER_H
#define NN_ENCODER_DECODER_H

#include "nn/stack.h"

typedef struct Transformer {
    TransformerConfig config;
    Embedding source, target;
    Position source_position, target_position;
    EncoderLayer encoder[TRANSFORMER_MOST_LAYERS];
    DecoderLayer decoder[TRANSFORMER_MOST_LAYERS];
    LayerNorm encoder_norm, decoder_norm; /* of pre-LN */
    Linear out;                           /* d_model -> V_target */
} Transformer;

/* Declares the embeddings "name.source" and "name.target", the layers "name.encoder0" .. and
 * "name.decoder0" .., and whatever the settings want of "name.source_position",
 * "name.target_position", "name.encoder_norm", "name.decoder_norm" and "name.out". */
Transformer transformer_new(Params *params, const char *name, int V_source, int V_target,
                            TransformerConfig config);

/* Source ids (B, S), row-major, length (B) of them real -> memory (B, S, d_model). trace and
 * dropout may be NULL. */
Tensor *transformer_encode(Tape *tape, const Transformer *model, const int *source,
                           const int *length, int B, int S, Dropout *dropout,
                           AttentionTrace *trace);

/* Target ids (B, T) -> logits (B, T, V_target). Row t has seen target tokens 0 .. t and the
 * source_length (B) real ones of the source: causal, in training and evaluation. */
Tensor *transformer_decode(Tape *tape, const Transformer *model, const int *target, int B, int T,
                           Tensor *memory, const int *source_length, Dropout *dropout,
                           AttentionTrace *trace);

/* Token by token: what is kept between steps. */
typedef struct TransformerState {
    int B, S;
    int position;             /* target tokens read so far */
    const int *source_length; /* (B) */
    KvCache self[TRANSFORMER_MOST_LAYERS];
    CrossMemory cross[TRANSFORMER_MOST_LAYERS];
} TransformerState;

/* Gets ready for at most `capacity` target tokens: computes keys and values of the memory (B, S,
 * d_model) for each layer, and makes empty caches, all on `tape`, which must not be reset before
 * the last step and must not record. */
TransformerState transformer_begin(Tape *tape, const Transformer *model, Tensor *memory,
                                   const int *source_length, int capacity);

/* The next token of each row, (B) -> logits (B, V_target). `tape` may be another one than that of
 * transformer_begin(), which the caller may then reset after each step. The trace gets weights of
 * one query each: (B, H, 1, tokens so far) and (B, H, 1, S). */
Tensor *transformer_step(Tape *tape, const Transformer *model, TransformerState *state,
                         const int *token, AttentionTrace *trace);

/* Row b continues row parent[b] (whose source must be the same): beam search. */
void transformer_reorder(TransformerState *state, const int *parent);

#endif
