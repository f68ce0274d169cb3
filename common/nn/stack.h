/* What the stacks of layers share (see nn/transformer.h): their settings, the way in, and the
 * weights for whoever wants to see them. */
#ifndef NN_STACK_H
#define NN_STACK_H

#include "nn/embedding.h"
#include "nn/transformer_layer.h"

enum { TRANSFORMER_MOST_LAYERS = 16 };

typedef struct TransformerConfig {
    LayerConfig layer;
    int encoder_layers, decoder_layers; /* a stack of one kind uses one of the two */
    PositionKind position;
    int max_length; /* of learned positions */
    bool tied;      /* the output layer uses the table of the (target) embedding, without bias */
} TransformerConfig;

/* Filled in for whoever wants to see the weights: (B, H, Lq, Lk) of each layer. An encoder-decoder
 * fills in all three, a decoder-only model `decoder`, an encoder-only model `encoder`. Asking for
 * them changes no bit of what is computed. */
typedef struct AttentionTrace {
    Tensor *encoder[TRANSFORMER_MOST_LAYERS];
    Tensor *decoder[TRANSFORMER_MOST_LAYERS];
    Tensor *cross[TRANSFORMER_MOST_LAYERS];
} AttentionTrace;

/* "model" and "encoder" and 2 -> "model.encoder2". */
ParamPrefix stack_layer_name(const char *name, const char *what, int index);

/* Stops unless there are 1 .. TRANSFORMER_MOST_LAYERS layers. */
void stack_check_layers(const char *what, int layers);

/* A position for each token, as the settings want it. */
Position stack_position(Params *params, const char *name, const TransformerConfig *config);

/* ids (B, L), at positions start .. -> (B, L, d_model): the way into every stack. A token becomes
 * its embedding, from N(0, 1 / d_model), times sqrt(d_model), plus its position (Vaswani et al.
 * 2017, sections 3.4 and 3.5), then dropout. */
Tensor *stack_embed(Tape *tape, const TransformerConfig *config, const Embedding *words,
                    const Position *position, const int *ids, int B, int L, int start,
                    Dropout *dropout);

/* The final norm of a pre-LN stack; a post-LN stack has none and gets zeros, which stack_finish()
 * leaves alone. */
LayerNorm stack_norm(Params *params, const char *name, const TransformerConfig *config);
Tensor *stack_finish(Tape *tape, const LayerNorm *norm, Tensor *x);

/* The output layer, d_model -> V: weights and bias of its own, or the table of the embedding. */
Linear stack_output(Params *params, const char *name, const TransformerConfig *config,
                    const Embedding *words, int V);

#endif
