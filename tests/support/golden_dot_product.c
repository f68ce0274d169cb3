/* Scaled dot-product attention, from single operations and fused, and rotary positions. */
#include "support/golden_case.h"
#include "support/golden_kinds.h"

#include "nn/dot_product.h"

static AttentionOptions options_of(GoldenCase *c, int B) {
    AttentionOptions options = {.causal = golden_number(c, "causal") != 0.0};
    if (golden_has(c, "len")) {
        if (golden_need(c, "len")->size != (size_t)B) {
            golden_fail(c, "in.len has %zu numbers for a batch of %d", golden_need(c, "len")->size,
                        B);
        }
        options.key_length = golden_integers(c, "len");
    }
    return options;
}

static void run_composed(const Golden *golden) {
    GoldenCase *c = golden_begin(golden, "composed");
    Tensor *q = golden_input(c, "q"), *k = golden_input(c, "k"), *v = golden_input(c, "v");
    AttentionOptions options = options_of(c, q->dim[0]);
    Mask mask = dot_product_mask(&c->tape.arena, q->dim[0], q->dim[2], k->dim[2], options.causal,
                                 options.key_length);
    DotProduct a = dot_product_attention(&c->tape, q, k, v, (DotProductOptions){.mask = &mask});
    golden_output(c, "y", a.y);
    if (golden_find(golden, "out.weights") != NULL) {
        golden_output(c, "weights", a.weights);
    }
    golden_end(c);
}

/* The fused form has no gradient for its weights, so a file that gives them one is not for it. */
static void run_fused(const Golden *golden, bool by_token) {
    GoldenCase *c = golden_begin(golden, by_token ? "fused, heads side by side" : "fused");
    Tensor *q = golden_input(c, "q"), *k = golden_input(c, "k"), *v = golden_input(c, "v"), *y;
    AttentionOptions options = options_of(c, q->dim[0]);
    if (by_token) {
        options.heads = q->dim[1];
        y = op_attention(&c->tape, op_merge_heads(&c->tape, q), op_merge_heads(&c->tape, k),
                         op_merge_heads(&c->tape, v), options);
        y = op_split_heads(&c->tape, y, options.heads);
    } else {
        y = op_attention(&c->tape, q, k, v, options);
    }
    golden_output(c, "y", y);
    golden_end(c);
}

static void run_sdpa(const Golden *golden) {
    run_composed(golden);
    if (golden_find(golden, "out.weights") == NULL) {
        run_fused(golden, false);
        run_fused(golden, true);
    }
}

/* Both arrangements of the heads in memory. */
static void run_rope(const Golden *golden, RopePairs pairs) {
    for (int by_token = 0; by_token < 2; by_token++) {
        GoldenCase *c = golden_begin(golden, by_token ? "heads side by side" : "head after head");
        Tensor *x = golden_input(c, "x");
        int H = x->dim[1], start = (int)golden_number(c, "start");
        Tensor *y = by_token ? op_rope(&c->tape, op_merge_heads(&c->tape, x), H, start, pairs)
                             : op_rope(&c->tape, x, 0, start, pairs);
        golden_output(c, "y", by_token ? op_split_heads(&c->tape, y, H) : y);
        golden_end(c);
    }
}

static void run_rope_interleaved(const Golden *golden) {
    run_rope(golden, ROPE_INTERLEAVED);
}

static void run_rope_half(const Golden *golden) {
    run_rope(golden, ROPE_HALF);
}

const GoldenKind golden_dot_product_kinds[] = {
    {"sdpa", run_sdpa},
    {"rope_interleaved", run_rope_interleaved},
    {"rope_half", run_rope_half},
    {NULL, NULL},
};
