#include "nn/multi_head.h"

#include "core/check.h"
#include "nn/dot_product.h"

#include <math.h>

static Linear projection(Params *params, const char *name, const char *what, int d_model,
                         int matrices) {
    Init glorot = init_uniform(sqrtf(6.0f / (float)(d_model + d_model)));
    return linear_new_from(params, param_prefix(name, what).text, d_model, matrices * d_model,
                           glorot, init_zeros());
}

MultiHead multi_head_new(Params *params, const char *name, int d_model, int heads, bool packed) {
    CHECK(d_model >= 1 && heads >= 1 && d_model % heads == 0,
          "multi_head: d_model %d is not divisible by %d heads", d_model, heads);
    MultiHead layer = {.d_model = d_model, .heads = heads, .packed = packed};
    if (packed) {
        layer.qkv = projection(params, name, "qkv", d_model, 3);
    } else {
        layer.q = projection(params, name, "q", d_model, 1);
        layer.k = projection(params, name, "k", d_model, 1);
        layer.v = projection(params, name, "v", d_model, 1);
    }
    layer.out = projection(params, name, "out", d_model, 1);
    return layer;
}

static void check_tokens(const char *op, const MultiHead *layer, const Tensor *x) {
    CHECK(x->ndim == 3 && x->dim[2] == layer->d_model, "%s: %s: needed is (B, L, %d)", op,
          tensor_text(x).text, layer->d_model);
}

static const float *slopes_of(Look look) {
    bool alibi = look.position != NULL && look.position->kind == POSITION_ALIBI;
    return alibi ? look.position->slopes : NULL;
}

static bool is_turned(Look look) {
    return look.position != NULL && look.position->kind == POSITION_ROPE;
}

static bool is_composed(Look look) {
    return look.composed || look.mask != NULL;
}

static AttentionOptions fused_options(const Tape *tape, const MultiHead *layer, Look look) {
    return (AttentionOptions){.heads = layer->heads,
                              .causal = look.causal,
                              .key_length = look.key_length,
                              .slopes = slopes_of(look),
                              .dropout = tape->recording ? look.dropout : 0.0f,
                              .dropout_key = look.dropout_key,
                              .weights = look.weights};
}

/* q (B, Lq, d_model), k and v (B, Lk, d_model) -> (B, Lq, d_model), every step an operation. */
static Tensor *attend_composed(Tape *tape, const MultiHead *layer, Tensor *q, Tensor *k, Tensor *v,
                               Look look) {
    Mask mask = dot_product_mask(&tape->arena, q->dim[0], q->dim[1], k->dim[1], look.causal,
                                 look.key_length);
    if (look.mask != NULL) {
        mask = mask_both(&tape->arena, mask, *look.mask);
    }
    DotProductOptions options = {.mask = &mask,
                                 .slopes = slopes_of(look),
                                 .dropout = tape->recording ? look.dropout : 0.0f,
                                 .dropout_key = look.dropout_key};
    int H = layer->heads;
    DotProduct a =
        dot_product_attention(tape, op_split_heads(tape, q, H), op_split_heads(tape, k, H),
                              op_split_heads(tape, v, H), options);
    if (look.weights != NULL) {
        *look.weights = a.weights;
    }
    return op_merge_heads(tape, a.y);
}

static Tensor *attend_to(Tape *tape, const MultiHead *layer, Tensor *q, Tensor *k, Tensor *v,
                         Look look) {
    return is_composed(look) ? attend_composed(tape, layer, q, k, v, look)
                             : op_attention(tape, q, k, v, fused_options(tape, layer, look));
}

/* Queries, keys and values of the tokens x, one after another in q, k and v. */
static void project(Tape *tape, const MultiHead *layer, Tensor *x, Tensor **q, Tensor **k,
                    Tensor **v) {
    if (layer->packed) {
        int d = layer->d_model;
        Tensor *qkv = linear_forward(tape, &layer->qkv, x);
        *q = op_slice_last(tape, qkv, 0, d);
        *k = op_slice_last(tape, qkv, d, 2 * d);
        *v = op_slice_last(tape, qkv, 2 * d, 3 * d);
    } else {
        *q = linear_forward(tape, &layer->q, x);
        *k = linear_forward(tape, &layer->k, x);
        *v = linear_forward(tape, &layer->v, x);
    }
}

/* Self-attention with q, k and v on their own: for whatever happens to them in between. */
static Tensor *attend_apart(Tape *tape, const MultiHead *layer, Tensor *x, Look look) {
    Tensor *q, *k, *v;
    project(tape, layer, x, &q, &k, &v);
    if (is_turned(look)) {
        int start = look.cache != NULL ? look.cache->length : 0;
        q = op_rope(tape, q, layer->heads, start, look.position->pairs);
        k = op_rope(tape, k, layer->heads, start, look.position->pairs);
    }
    if (look.cache != NULL) {
        CHECK(!tape->recording, "multi_head: a cache is for evaluation, but the tape records: no "
                                "gradient goes through a cache");
        kv_cache_append(look.cache, k, v);
        k = kv_cache_keys(tape, look.cache);
        v = kv_cache_values(tape, look.cache);
    }
    return attend_to(tape, layer, q, k, v, look);
}

Tensor *multi_head_self(Tape *tape, const MultiHead *layer, Tensor *x, Look look) {
    check_tokens("multi_head_self", layer, x);
    bool in_place = layer->packed && look.cache == NULL && !is_turned(look) && !is_composed(look);
    Tensor *y = in_place ? op_attention_packed(tape, linear_forward(tape, &layer->qkv, x),
                                               fused_options(tape, layer, look))
                         : attend_apart(tape, layer, x, look);
    return linear_forward(tape, &layer->out, y);
}

CrossMemory multi_head_memory(Tape *tape, const MultiHead *layer, Tensor *memory) {
    check_tokens("multi_head_memory", layer, memory);
    CHECK(!layer->packed, "multi_head_memory: %s is packed: that is for self-attention only",
          layer->qkv.w->name);
    return (CrossMemory){linear_forward(tape, &layer->k, memory),
                         linear_forward(tape, &layer->v, memory)};
}

Tensor *multi_head_cross_with(Tape *tape, const MultiHead *layer, Tensor *x, CrossMemory memory,
                              Look look) {
    check_tokens("multi_head_cross", layer, x);
    CHECK(x->dim[0] == memory.k->dim[0], "multi_head_cross: %s with a memory of %d rows",
          tensor_text(x).text, memory.k->dim[0]);
    CHECK(look.cache == NULL && !is_turned(look) && slopes_of(look) == NULL,
          "multi_head_cross: caches and positions are for self-attention");
    Tensor *q = linear_forward(tape, &layer->q, x);
    return linear_forward(tape, &layer->out, attend_to(tape, layer, q, memory.k, memory.v, look));
}

Tensor *multi_head_cross(Tape *tape, const MultiHead *layer, Tensor *x, Tensor *memory, Look look) {
    return multi_head_cross_with(tape, layer, x, multi_head_memory(tape, layer, memory), look);
}
