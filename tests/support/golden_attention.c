#include "support/golden_case.h"
#include "support/golden_kinds.h"

#include "nn/attention.h"

/* How the scores (B, S) come about. */
typedef Tensor *(*Scores)(GoldenCase *c, Tensor *query, Tensor *keys);

/* Exercise 2.1. v . tanh(q + k) of projected q (B, A) and k (B, S, A), from single operations. */
static Tensor *composed_score(Tape *tape, Tensor *q, Tensor *k, Tensor *v) {
    Tensor *hidden = op_tanh(tape, op_add_middle(tape, k, q));
    return op_sum_last(tape, op_mul(tape, hidden, v));
}

static Tensor *additive_layer(GoldenCase *c, Tensor *query, Tensor *keys) {
    AdditiveAttention look = {golden_input(c, "w_q"), golden_input(c, "w_k"), golden_input(c, "v")};
    return additive_score(&c->tape, &look, query, additive_keys(&c->tape, &look, keys));
}

static Tensor *additive_composed(GoldenCase *c, Tensor *query, Tensor *keys) {
    Tensor *q = op_linear(&c->tape, query, golden_input(c, "w_q"), NULL);
    Tensor *k = op_linear(&c->tape, keys, golden_input(c, "w_k"), NULL);
    return composed_score(&c->tape, q, k, golden_input(c, "v"));
}

static Tensor *luong_layer(GoldenCase *c, const LuongAttention *look, Tensor *query, Tensor *keys) {
    return luong_score(&c->tape, look, query, luong_keys(&c->tape, look, keys));
}

static Tensor *dot_layer(GoldenCase *c, Tensor *query, Tensor *keys) {
    LuongAttention look = {.score = LUONG_DOT};
    return luong_layer(c, &look, query, keys);
}

/* sum_d q_bd k_bsd: the query repeated beside every key. */
static Tensor *repeated(Tape *tape, Tensor *query, Tensor *keys) {
    Tensor *zeros =
        tape_constant(tape, "zeros", NULL, SHAPE(keys->dim[0], keys->dim[1], tensor_cols(query)));
    return op_add_middle(tape, zeros, query);
}

/* Exercise 3.1 */
static Tensor *dot_composed(GoldenCase *c, Tensor *query, Tensor *keys) {
    return op_sum_last(&c->tape, op_mul(&c->tape, repeated(&c->tape, query, keys), keys));
}

static Tensor *general_layer(GoldenCase *c, Tensor *query, Tensor *keys) {
    LuongAttention look = {.score = LUONG_GENERAL, .w = golden_input(c, "w")};
    return luong_layer(c, &look, query, keys);
}

/* Exercise 3.2 */
static Tensor *general_composed(GoldenCase *c, Tensor *query, Tensor *keys) {
    return dot_composed(c, op_matmul(&c->tape, query, golden_input(c, "w")), keys); /* (q W) . k */
}

static Tensor *concat_layer(GoldenCase *c, Tensor *query, Tensor *keys) {
    LuongAttention look = {LUONG_CONCAT, golden_input(c, "w"), golden_input(c, "v")};
    return luong_layer(c, &look, query, keys);
}

/* Exercise 3.3. v . tanh(W [q; k]) as it is written. */
static Tensor *concat_composed(GoldenCase *c, Tensor *query, Tensor *keys) {
    Tape *tape = &c->tape;
    Tensor *both = op_concat(tape, 2, (Tensor *const[]){repeated(tape, query, keys), keys}, 2);
    Tensor *hidden = op_tanh(tape, op_linear(tape, both, golden_input(c, "w"), NULL));
    return op_sum_last(tape, op_mul(tape, hidden, golden_input(c, "v")));
}

static void run_form(const Golden *golden, const char *form, Scores scores) {
    GoldenCase *c = golden_begin(golden, form);
    Tensor *query = golden_input(c, "q"), *keys = golden_input(c, "k");
    Mask mask, *used = NULL;
    if (golden_has(c, "len")) {
        if (golden_need(c, "len")->size != (size_t)keys->dim[0]) {
            golden_fail(c, "in.len has %zu numbers for a batch of %d", golden_need(c, "len")->size,
                        keys->dim[0]);
        }
        mask = mask_padding(&c->tape.arena, golden_integers(c, "len"), keys->dim[0], keys->dim[1]);
        used = &mask;
    }
    Attended a = attend(&c->tape, scores(c, query, keys), keys, used);
    golden_output(c, "weights", a.weights);
    golden_output(c, "context", a.context);
    golden_end(c);
}

static void run_additive(const Golden *golden) {
    run_form(golden, "layer", additive_layer);
    run_form(golden, "composed", additive_composed);
}

static void run_dot(const Golden *golden) {
    run_form(golden, "layer", dot_layer);
    run_form(golden, "composed", dot_composed);
}

static void run_general(const Golden *golden) {
    run_form(golden, "layer", general_layer);
    run_form(golden, "composed", general_composed);
}

static void run_concat(const Golden *golden) {
    run_form(golden, "layer", concat_layer);
    run_form(golden, "composed", concat_composed);
}

const GoldenKind golden_attention_kinds[] = {
    {"attn_additive", run_additive},
    {"attn_luong_dot", run_dot},
    {"attn_luong_general", run_general},
    {"attn_luong_concat", run_concat},
    {NULL, NULL},
};
