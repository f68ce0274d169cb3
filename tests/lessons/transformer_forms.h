/* A Transformer written out somewhere else, as in lesson 07, against the one of common/nn: each of
 * these checks fails the running test where the two differ, or where both are wrong. */
#ifndef TESTS_LESSONS_TRANSFORMER_FORMS_H
#define TESTS_LESSONS_TRANSFORMER_FORMS_H

#include "lesson/experiments/transformer_translator.h"

/* The functions, with the shapes that lesson 07 gives. */
typedef struct TransformerForms {
    Tensor *(*encoder_layer)(Tape *tape, const EncoderLayer *layer, Tensor *x, Look look,
                             Dropout *dropout);
    Tensor *(*decoder_layer)(Tape *tape, const DecoderLayer *layer, Tensor *x, Look self,
                             const CrossMemory *memory, Look cross, Dropout *dropout);
    EncodeFunction encode;
    DecodeFunction decode;
} TransformerForms;

/* Logits and all gradients, pre-LN and post-LN, packed projections or not, an odd d_model. */
void check_forms_stacks_are_those_of_nn(const TransformerForms *forms);

/* The maps of all heads; asking for them changes no bit. */
void check_forms_weights_are_those_of_nn(const TransformerForms *forms);

/* One layer of each, and the gradients of what goes in. */
void check_forms_layers_are_those_of_nn(const TransformerForms *forms);

/* With sublayers that return nothing, pre-LN hands x on and post-LN its norm (faults 15). */
void check_forms_pre_and_post(const TransformerForms *forms);

/* Another word at t + 1 changes no bit up to t, in training and in evaluation (faults 8). */
void check_forms_no_future(const TransformerForms *forms);

/* Other ids in the padding change nothing. */
void check_forms_padding(const TransformerForms *forms);

/* Through caches as all at once, and as transformer_step() does it. */
void check_forms_word_by_word(const TransformerForms *forms);

/* No two layers have the same first weights (faults 17). */
void check_layers_begin_differently(void);

/* Dropout: the same key drops the same, another key other units, and none in evaluation. */
void check_forms_dropout(const TransformerForms *forms);

#endif
