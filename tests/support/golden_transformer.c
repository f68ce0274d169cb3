#include "support/golden_case.h"
#include "support/golden_kinds.h"

#include "nn/position.h"
#include "nn/transformer.h"

/* ---- positions ---- */

/* out.X, for its shape. */
static const GoldenTensor *result_of(GoldenCase *c, const char *name) {
    const GoldenTensor *out = golden_find(c->golden, name);
    if (out == NULL) {
        golden_fail(c, "the file has no tensor %s", name);
    }
    return out;
}

static void run_sinusoidal(const Golden *golden) {
    GoldenCase *c = golden_begin(golden, "table");
    const GoldenTensor *out = result_of(c, "out.pe");
    Tensor *pe = tape_constant(&c->tape, "pe", NULL, out->ndim, out->dim);
    sinusoidal_table(pe->data, 0, pe->dim[0], tensor_cols(pe));
    golden_output(c, "pe", pe);
    golden_end(c);
}

static void run_alibi_slopes(const Golden *golden) {
    GoldenCase *c = golden_begin(golden, "slopes");
    c->atol = 0.0;
    c->rtol = 1e-5; /* small numbers: only the relative error counts */
    int H = (int)golden_number(c, "heads");
    Tensor *slopes = tape_constant(&c->tape, "slopes", NULL, SHAPE(H));
    alibi_slopes(slopes->data, H);
    golden_output(c, "slopes", slopes);
    golden_end(c);
}

/* ---- layers from the weights of a file ---- */

/* How a layer computes: what the files call w_q, w_k and w_v as one matrix or as three; attention
 * in one pass or from single operations. */
typedef struct Form {
    const char *name;
    bool separate, composed;
} Form;

static const Form forms[] = {
    {"packed, fused", false, false},
    {"packed, composed", false, true},
    {"separate, fused", true, false},
    {"separate, composed", true, true},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* in.PREFIX.NAME */
static Tensor *weight(GoldenCase *c, const char *prefix, const char *name) {
    return golden_input(c, param_prefix(prefix, name).text);
}

static Linear linear_of(GoldenCase *c, const char *prefix, const char *w, const char *bias) {
    return (Linear){weight(c, prefix, w), weight(c, prefix, bias)};
}

static LayerNorm norm_of(GoldenCase *c, const char *prefix, const char *name) {
    ParamPrefix norm = param_prefix(prefix, name);
    return (LayerNorm){weight(c, norm.text, "weight"), weight(c, norm.text, "bias"), 1e-5f};
}

static MultiHead heads_of(GoldenCase *c, const char *prefix, int d_model, bool packed) {
    MultiHead layer = {
        .d_model = d_model, .heads = (int)golden_number(c, "heads"), .packed = packed};
    layer.q = linear_of(c, prefix, "w_q", "b_q");
    layer.k = linear_of(c, prefix, "w_k", "b_k");
    layer.v = linear_of(c, prefix, "w_v", "b_v");
    layer.out = linear_of(c, prefix, "w_o", "b_o");
    if (packed) {
        Tensor *w[] = {layer.q.w, layer.k.w, layer.v.w};
        Tensor *bias[] = {layer.q.bias, layer.k.bias, layer.v.bias};
        layer.qkv = (Linear){op_concat(&c->tape, 0, w, 3), op_concat(&c->tape, 0, bias, 3)};
    }
    return layer;
}

static LayerConfig config_of(GoldenCase *c, int d_model) {
    const char *act = golden_text(c, "act");
    LayerConfig config = {.d_model = d_model,
                          .heads = (int)golden_number(c, "heads"),
                          .post_ln = golden_number(c, "pre_ln") == 0.0};
    for (int i = 0; activation_names[i] != NULL; i++) {
        if (strcmp(act, activation_names[i]) == 0) {
            config.activation = (Activation)i;
            return config;
        }
    }
    golden_fail(c, "attr act is '%s', which is no activation", act);
}

static FeedForward feed_forward_of(GoldenCase *c, const char *prefix, Activation activation) {
    ParamPrefix ff = param_prefix(prefix, "ff");
    return (FeedForward){linear_of(c, ff.text, "w1", "b1"), linear_of(c, ff.text, "w2", "b2"),
                         activation};
}

static EncoderLayer encoder_layer_of(GoldenCase *c, const char *prefix, LayerConfig config,
                                     bool packed) {
    return (EncoderLayer){
        .config = config,
        .self = heads_of(c, param_prefix(prefix, "self").text, config.d_model, packed),
        .ff = feed_forward_of(c, prefix, config.activation),
        .norm1 = norm_of(c, prefix, "norm1"),
        .norm2 = norm_of(c, prefix, "norm2")};
}

static DecoderLayer decoder_layer_of(GoldenCase *c, const char *prefix, LayerConfig config,
                                     bool packed) {
    return (DecoderLayer){
        .config = config,
        .self = heads_of(c, param_prefix(prefix, "self").text, config.d_model, packed),
        .cross = heads_of(c, param_prefix(prefix, "cross").text, config.d_model, false),
        .ff = feed_forward_of(c, prefix, config.activation),
        .norm1 = norm_of(c, prefix, "norm1"),
        .norm2 = norm_of(c, prefix, "norm2"),
        .norm3 = norm_of(c, prefix, "norm3")};
}

/* ---- multi-head attention ---- */

static Tensor *mha_forward(GoldenCase *c, const MultiHead *layer, Tensor *x, Tensor *memory,
                           Look look) {
    return memory != NULL ? multi_head_cross(&c->tape, layer, x, memory, look)
                          : multi_head_self(&c->tape, layer, x, look);
}

static void run_mha_form(const Golden *golden, Form form, bool across) {
    GoldenCase *c = golden_begin(golden, form.name);
    Tensor *x = golden_input(c, "x"), *memory = across ? golden_input(c, "memory") : NULL;
    MultiHead layer = heads_of(c, NULL, tensor_cols(x), !form.separate);
    Tensor *weights = NULL;
    Look look = {.causal = golden_number(c, "causal") != 0.0,
                 .composed = form.composed,
                 .weights = &weights};
    Tensor *y = mha_forward(c, &layer, x, memory, look);
    if (golden_find(golden, "out.weights") != NULL) {
        if (!form.composed) { /* the fused weights are constants: they have no part in a loss, so
                                 the way back is that of the composed form */
            golden_output(c, "y", op_detach(&c->tape, y));
            golden_output(c, "weights", weights);
            look.composed = true;
            y = mha_forward(c, &layer, x, memory, look);
        }
        golden_output(c, "weights", weights);
    }
    golden_output(c, "y", y);
    golden_end(c);
}

static void run_mha(const Golden *golden) {
    const char *cross = golden_attr(golden, "cross");
    bool across = cross != NULL && strcmp(cross, "1") == 0;
    for (int i = 0; i < FORMS; i++) {
        if (!across || forms[i].separate) { /* only self-attention can be packed */
            run_mha_form(golden, forms[i], across);
        }
    }
}

/* ---- layers ---- */

static void loosen(GoldenCase *c) { /* what the reference values' own notes allow whole layers */
    c->atol = 1e-4;
    c->rtol = 1e-3;
}

static void run_encoder_layer(const Golden *golden) {
    for (int i = 0; i < FORMS; i++) {
        GoldenCase *c = golden_begin(golden, forms[i].name);
        loosen(c);
        Tensor *x = golden_input(c, "x");
        EncoderLayer layer =
            encoder_layer_of(c, NULL, config_of(c, tensor_cols(x)), !forms[i].separate);
        Look look = {.composed = forms[i].composed};
        golden_output(c, "y", encoder_layer_forward(&c->tape, &layer, x, look, NULL));
        golden_end(c);
    }
}

static void run_decoder_layer(const Golden *golden) {
    for (int i = 0; i < FORMS; i++) {
        GoldenCase *c = golden_begin(golden, forms[i].name);
        loosen(c);
        Tensor *x = golden_input(c, "x"), *memory = golden_input(c, "memory");
        DecoderLayer layer =
            decoder_layer_of(c, NULL, config_of(c, tensor_cols(x)), !forms[i].separate);
        Look self = {.causal = true, .composed = forms[i].composed};
        Look cross = {.composed = forms[i].composed};
        golden_output(c, "y",
                      decoder_layer_forward(&c->tape, &layer, x, self, memory, cross, NULL));
        golden_end(c);
    }
}

/* ---- the whole model ---- */

static Transformer transformer_of(GoldenCase *c, bool packed) {
    Transformer model = {.source = {golden_input(c, "src_embed")},
                         .target = {golden_input(c, "tgt_embed")},
                         .out = linear_of(c, "out", "w", "b")};
    int d = tensor_cols(model.source.table), layers = (int)golden_number(c, "layers");
    LayerConfig layer = config_of(c, d);
    stack_check_layers("golden", layers);
    Position position = {.kind = POSITION_SINUSOIDAL, .d_model = d, .heads = layer.heads};
    model.source_position = model.target_position = position;
    model.config = (TransformerConfig){.layer = layer,
                                       .encoder_layers = layers,
                                       .decoder_layers = layers,
                                       .position = POSITION_SINUSOIDAL};
    for (int i = 0; i < layers; i++) {
        model.encoder[i] =
            encoder_layer_of(c, stack_layer_name(NULL, "enc", i).text, layer, packed);
        model.decoder[i] =
            decoder_layer_of(c, stack_layer_name(NULL, "dec", i).text, layer, packed);
    }
    if (!layer.post_ln) {
        model.encoder_norm = norm_of(c, NULL, "enc_norm");
        model.decoder_norm = norm_of(c, NULL, "dec_norm");
    }
    return model;
}

/* Words of each source before the padding at its end. */
static int *source_lengths(GoldenCase *c, const int *source, int B, int S, int padding) {
    int *length = arena_alloc(&c->tape.arena, (size_t)B * sizeof *length);
    for (int b = 0; b < B; b++) {
        length[b] = S;
        while (length[b] > 0 && source[b * S + length[b] - 1] == padding) {
            length[b]--;
        }
    }
    return length;
}

static void run_transformer_form(const Golden *golden, bool packed) {
    GoldenCase *c = golden_begin(golden, packed ? "packed" : "separate");
    loosen(c);
    if (strcmp(golden_text(c, "embed_scale"), "sqrt_d") != 0) {
        golden_fail(c, "attr embed_scale is '%s', not sqrt_d", golden_text(c, "embed_scale"));
    }
    Transformer model = transformer_of(c, packed);
    const GoldenTensor *src = golden_need(c, "src"), *tgt = golden_need(c, "tgt");
    int B = src->dim[0], S = src->dim[1], T = tgt->dim[1], ignore = (int)golden_number(c, "ignore");
    if (src->ndim != 2 || tgt->ndim != 2 || tgt->dim[0] != B ||
        golden_need(c, "labels")->size != tgt->size) {
        golden_fail(c, "in.src, in.tgt and in.labels do not fit each other");
    }
    int *source = golden_integers(c, "src");
    int *length = source_lengths(c, source, B, S, ignore);
    Tensor *memory = transformer_encode(&c->tape, &model, source, length, B, S, NULL, NULL);
    Tensor *logits = transformer_decode(&c->tape, &model, golden_integers(c, "tgt"), B, T, memory,
                                        length, NULL, NULL);
    CrossEntropy options = {.ignore = ignore, .smoothing = (float)golden_number(c, "smoothing")};
    Tensor *loss = op_cross_entropy(&c->tape, logits, golden_integers(c, "labels"), options);
    golden_output(c, "logits", logits);
    golden_output(c, "loss", loss);
    golden_end(c);
}

static void run_transformer(const Golden *golden) {
    run_transformer_form(golden, true);
    run_transformer_form(golden, false);
}

const GoldenKind golden_transformer_kinds[] = {
    {"sinusoidal", run_sinusoidal},
    {"alibi_slopes", run_alibi_slopes},
    {"mha", run_mha},
    {"encoder_layer", run_encoder_layer},
    {"decoder_layer", run_decoder_layer},
    {"transformer", run_transformer},
    {NULL, NULL},
};
