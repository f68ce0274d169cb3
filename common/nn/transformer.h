/* The Transformer: encoder and decoder layers, and the three stacks that are made of them.
 *
 *   nn/transformer_layer.h  one layer, pre-LN or post-LN
 *   nn/stack.h              settings, the way in, and the weights for whoever wants to see them
 *   nn/encoder_decoder.h    translation: Vaswani et al. 2017
 *   nn/decoder_only.h       language models
 *   nn/encoder_only.h       classifying and tagging
 *
 * Shapes are batch-first: x (B, L, d_model). */
#ifndef NN_TRANSFORMER_H
#define NN_TRANSFORMER_H

#include "nn/decoder_only.h"
#include "nn/encoder_decoder.h"
#include "nn/encoder_only.h"

#endif
