/* A Transformer as a Translator (lesson/experiments/translation.h): what lies around encoder and
 * decoder and does not depend on what a layer computes. Batches become rows, the source becomes
 * keys and values once, targets are learnt whole and written word by word.
 *
 * The two stacks are those of nn/encoder_decoder.h, or, in lesson 07, which writes them out, the
 * lesson's own. */
#ifndef LESSON_TRANSFORMER_TRANSLATOR_H
#define LESSON_TRANSFORMER_TRANSLATOR_H

#include "lesson/experiments/cross_alignment.h"
#include "lesson/experiments/translation.h"
#include "nn/transformer.h"

/* Whom a decoder may ask and what it is told; the same for both of its forms. */
typedef struct DecoderInput {
    const int *given; /* (B, T): the words read, row by row */
    int B, T, start;  /* the first of them is at position `start` */
    Look self, cross; /* as in nn/multi_head.h; weights and cache are filled in per layer */
    KvCache *cache;   /* of each layer, or NULL: T words are all there are */
    const CrossMemory *memory; /* of each layer; NULL: the source is not looked at */
} DecoderInput;

/* Source ids (B, S), length (B) of them words or NULL: all -> memory (B, S, d). */
typedef Tensor *(*EncodeFunction)(Tape *tape, const Transformer *net, const int *source,
                                  const int *length, int B, int S, Dropout *dropout,
                                  AttentionTrace *trace);

/* -> logits (B, T, V) */
typedef Tensor *(*DecodeFunction)(Tape *tape, const Transformer *net, DecoderInput in,
                                  Dropout *dropout, AttentionTrace *trace);

/* Classic mistakes, for lessons that show them. */
typedef struct TransformerMistakes {
    bool no_causal_mask;     /* while it learns, the decoder sees the words it is to write */
    bool reversed_mask;      /* it sees its word and those behind it */
    bool no_cross_attention; /* the decoder never looks at the source */
    bool no_pad_mask;        /* padding is looked at as if it were words */
    bool shift_target;       /* the decoder is given the very word it is to answer */
} TransformerMistakes;

/* What a model is made by. */
typedef struct TransformerRecipe {
    TransformerConfig config;
    EncodeFunction encode; /* NULL: transformer_encode() */
    DecodeFunction decode; /* NULL: the layers of nn/transformer_layer.h */
    TransformerMistakes mistakes;
    float smoothing; /* of the labels: spread over the wrong words (Vaswani et al. 2017, 5.4) */
} TransformerRecipe;

typedef struct TransformerTranslator {
    TransformerRecipe recipe;
    Params params;
    Transformer net;
    Dropout dropout; /* while training, with the probabilities of the configuration */
    int longest;     /* target it must be able to write, at least */

    /* of the batch in hand */
    int B, S, written; /* words written so far */
    const int *length; /* (B) */
    CrossMemory memory[TRANSFORMER_MOST_LAYERS];
    KvCache cache[TRANSFORMER_MOST_LAYERS];
    AttentionTrace trace; /* of the last pass that was no training */
} TransformerTranslator;

/* Declares and allocates the weights; `m` must stay where it is. A target may be as long as
 * `longest`, or twice as long as its source and 16 words more. */
Translator transformer_translator_new(TransformerTranslator *m, TransformerRecipe recipe,
                                      int V_source, int V, int longest, Rng rng);

/* Scores (B, T, V) of a whole batch of targets: what lesson/experiments/forcing.h asks. */
Tensor *transformer_translator_logits(void *model, Tape *tape, const Batch *batch);

/* Led through the targets of a corpus, with its weights on view. */
Traced transformer_translator_traced(const TransformerTranslator *m, const Translator *translator,
                                     const Corpus *corpus);

#endif
