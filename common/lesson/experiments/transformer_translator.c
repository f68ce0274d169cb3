#include "lesson/experiments/transformer_translator.h"

/* ---- the stacks of common/nn ---- */

static Tensor *decode_nn(Tape *tape, const Transformer *net, DecoderInput in, Dropout *dropout,
                         AttentionTrace *trace) {
    const TransformerConfig *config = &net->config;
    Tensor *x = stack_embed(tape, config, &net->target, &net->target_position, in.given, in.B, in.T,
                            in.start, dropout);
    for (int i = 0; i < config->decoder_layers; i++) {
        in.self.cache = in.cache != NULL ? &in.cache[i] : NULL;
        in.self.weights = trace != NULL ? &trace->decoder[i] : NULL;
        in.cross.weights = trace != NULL ? &trace->cross[i] : NULL;
        if (in.memory != NULL) {
            x = decoder_layer_forward_with(tape, &net->decoder[i], x, in.self, in.memory[i],
                                           in.cross, dropout);
        } else { /* without its middle, a layer of the decoder is one of the encoder */
            const DecoderLayer *l = &net->decoder[i];
            EncoderLayer blind = {l->config, l->self, l->ff, l->norm1, l->norm3};
            x = encoder_layer_forward(tape, &blind, x, in.self, dropout);
        }
    }
    return linear_forward(tape, &net->out, stack_finish(tape, &net->decoder_norm, x));
}

/* ---- a batch ---- */

static const int *rows_of(Tape *tape, const int *time_major, int L, int B) {
    int *rows = arena_alloc(&tape->arena, (size_t)L * (size_t)B * sizeof *rows);
    batch_rows(time_major, L, B, rows);
    return rows;
}

static Dropout *dropout_of(TransformerTranslator *m) {
    const LayerConfig *layer = &m->net.config.layer;
    return layer->dropout > 0.0f || layer->attention_dropout > 0.0f ? &m->dropout : NULL;
}

/* Query i may look at key j from its own place on: what a causal mask must not be. */
static const Mask *mask_reversed(Arena *arena, int queries, int keys) {
    bool *may = arena_alloc(arena, (size_t)queries * (size_t)keys * sizeof *may);
    for (int i = 0; i < queries * keys; i++) {
        may[i] = i % keys >= i / keys + keys - queries;
    }
    Mask *mask = arena_alloc(arena, sizeof *mask);
    *mask = (Mask){1, queries, keys, may};
    return mask;
}

static void read_sources(TransformerTranslator *m, Tape *tape, const Batch *batch) {
    m->B = batch->B;
    m->S = batch->S;
    m->length = m->recipe.mistakes.no_pad_mask ? NULL : batch->source_length;
    m->trace = (AttentionTrace){{NULL}, {NULL}, {NULL}};
    Tensor *memory =
        m->recipe.encode(tape, &m->net, rows_of(tape, batch->source, m->S, m->B), m->length, m->B,
                         m->S, dropout_of(m), tape->recording ? NULL : &m->trace);
    for (int i = 0; i < m->net.config.decoder_layers; i++) {
        m->memory[i] = multi_head_memory(tape, &m->net.decoder[i].cross, memory);
    }
}

/* T words from position `start` on. */
static Tensor *decode(TransformerTranslator *m, Tape *tape, const int *given, int T, int start,
                      KvCache *cache) {
    const TransformerMistakes *mistakes = &m->recipe.mistakes;
    DecoderInput in = {.given = given,
                       .B = m->B,
                       .T = T,
                       .start = start,
                       .self = {.causal = !mistakes->no_causal_mask && !mistakes->reversed_mask,
                                .position = &m->net.target_position},
                       .cross = {.key_length = m->length},
                       .cache = cache,
                       .memory = mistakes->no_cross_attention ? NULL : m->memory};
    if (mistakes->reversed_mask) {
        in.self.mask = mask_reversed(&tape->arena, T, start + T);
    }
    return m->recipe.decode(tape, &m->net, in, dropout_of(m), tape->recording ? NULL : &m->trace);
}

/* ---- learning: whole targets ---- */

Tensor *transformer_translator_logits(void *model, Tape *tape, const Batch *batch) {
    TransformerTranslator *m = model;
    const int *given = m->recipe.mistakes.shift_target ? batch->target_output : batch->target_input;
    read_sources(m, tape, batch);
    return decode(m, tape, rows_of(tape, given, batch->T, batch->B), batch->T, 0, NULL);
}

static Tensor *loss(void *model, Tape *tape, const Batch *batch) {
    TransformerTranslator *m = model;
    m->dropout = (Dropout){.key = m->dropout.key + 1}; /* other units at each step */
    Tensor *logits = transformer_translator_logits(m, tape, batch);
    CrossEntropy options = {
        .ignore = VOCAB_PAD, .smoothing = m->recipe.smoothing, .spread = SMOOTHING_OTHERS_NONPAD};
    return op_cross_entropy(tape, logits, rows_of(tape, batch->target_output, batch->T, batch->B),
                            options);
}

/* ---- writing: word by word ---- */

static void begin(void *model, Tape *tape, const Batch *batch) {
    TransformerTranslator *m = model;
    int room = 2 * batch->S + 16;
    room = room > m->longest ? room : m->longest;
    room = room > batch->T ? room : batch->T;
    read_sources(m, tape, batch);
    m->written = 0;
    for (int i = 0; i < m->net.config.decoder_layers; i++) {
        m->cache[i] = kv_cache_new(&tape->arena, m->B, room, m->net.config.layer.d_model);
    }
}

/* (B, H, 1, S) -> (B, S): the mean over the heads. */
static Tensor *mean_of_heads(Tape *tape, const Tensor *weights) {
    int B = weights->dim[0], H = weights->dim[1], S = weights->dim[3];
    Tensor *mean = tape_constant(tape, "weights", NULL, SHAPE(B, S));
    for (int i = 0; i < B * H * S; i++) {
        mean->data[i / (H * S) * S + i % S] += weights->data[i] / (float)H;
    }
    return mean;
}

static DecoderOutput step(void *model, Tape *tape, const int *previous) {
    TransformerTranslator *m = model;
    Tensor *scores = decode(m, tape, previous, 1, m->written, m->cache);
    Tensor *weights = m->trace.cross[m->net.config.decoder_layers - 1];
    m->written++;
    return (DecoderOutput){op_reshape(tape, scores, SHAPE(m->B, tensor_cols(scores))),
                           weights != NULL ? mean_of_heads(tape, weights) : NULL};
}

static void reorder(void *model, const int *parent) {
    TransformerTranslator *m = model;
    for (int i = 0; i < m->net.config.decoder_layers; i++) {
        kv_cache_reorder(&m->cache[i], parent);
    }
}

/* ---- the translator ---- */

Translator transformer_translator_new(TransformerTranslator *m, TransformerRecipe recipe,
                                      int V_source, int V, int longest, Rng rng) {
    *m = (TransformerTranslator){.recipe = recipe, .params = params_new(), .longest = longest};
    m->recipe.encode = recipe.encode != NULL ? recipe.encode : transformer_encode;
    m->recipe.decode = recipe.decode != NULL ? recipe.decode : decode_nn;
    m->net = transformer_new(&m->params, "", V_source, V, recipe.config);
    params_allocate(&m->params, &rng);
    m->dropout.key = rng_bits(&rng);
    return (Translator){.model = m,
                        .params = &m->params,
                        .V = V,
                        .loss = loss,
                        .begin = begin,
                        .step = step,
                        .reorder = reorder};
}

Traced transformer_translator_traced(const TransformerTranslator *m, const Translator *translator,
                                     const Corpus *corpus) {
    return (Traced){.forced = {translator, transformer_translator_logits, corpus},
                    .trace = &m->trace,
                    .net = &m->net};
}
