/* The parts list of a Transformer: what it is made of, in which shapes, and how many numbers each
 * part has. Counted from the weights as they are declared, so that a model too large for this
 * machine can be counted as well: nothing needs to be allocated. */
#ifndef LESSON_PARTS_LIST_H
#define LESSON_PARTS_LIST_H

#include "core/params.h"
#include "lesson/run.h"
#include "nn/transformer.h"

/* A model in the list, its weights declared by transformer_new() under the name "". */
typedef struct PartsModel {
    const char *label;
    const Params *params;
    TransformerConfig config; /* neither tied nor learned positions */
} PartsModel;

/* Numbers in all weights whose names begin with `prefix` and contain `word` ("": all of them). */
size_t parts_count(const Params *params, const char *prefix, const char *word);

/* Share of a model's numbers that belong to words: both tables and the output layer; with `shared`
 * as if all three were one (Vaswani et al. 2017, section 3.4). */
double parts_word_share(const PartsModel *model, bool shared);

/* What the shapes add up to, by the formulas alone: 4 (d^2 + d) for an attention, 2 d ff + ff + d
 * for a feed-forward network, 2 d for a norm, (V_source + 2 V) d + V for the words. */
size_t parts_expected(TransformerConfig config, int V_source, int V);

/* The table: a row for each part of a layer, one column for each model. Adds up to
 * params_count_numbers() of each. At most 4 models. */
void parts_list_show(Run *run, const PartsModel *models, int count);

/* All of it for a model with V_source and V words and for the base model of the paper (Vaswani et
 * al. 2017, table 3: d 512, 8 heads, ff 2048, 6 + 6 layers) with V_base words on either side: the
 * table, what share of the base model the words are, and the claim that shapes and weights agree.
 */
void parts_list_with_base(Run *run, TransformerConfig config, int V_source, int V, int V_base);

#endif
