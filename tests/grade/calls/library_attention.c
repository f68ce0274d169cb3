/* Masks, softmax, scores and attention of common/. */
#include "grade/calls/call.h"

#include "core/check.h"
#include "core/kernels/attention_block.h"
#include "core/ops.h"
#include "lesson/experiments/masking.h"
#include "nn/attention.h"
#include "nn/dot_product.h"
#include "nn/local_attention.h"

#include <setjmp.h>

static void answer_mask(Call *c, Mask mask) {
    int n = mask.batch * mask.queries * mask.keys;
    Tensor *may =
        tape_constant(call_tape(c), "may", NULL, SHAPE(mask.batch, mask.queries, mask.keys));
    for (int i = 0; i < n; i++) {
        may->data[i] = mask.may_look[i] ? 1.0f : 0.0f;
    }
    answer_tensor(c, "mask", may);
}

/* (B, L, S) numbers that are 0 or 1. */
static Mask mask_of(Call *c, int B, int L, int S) {
    const int *look = call_ints(c, "look");
    bool *may = arena_alloc(&call_tape(c)->arena, (size_t)(B * L * S) * sizeof *may);
    for (int i = 0; i < B * L * S; i++) {
        may[i] = look[i] != 0;
    }
    return (Mask){B, L, S, may};
}

void check_padding(Call *c);
void check_padding(Call *c) {
    answer_mask(c, mask_padding(&call_tape(c)->arena, call_ints(c, "len"), call_int(c, "B"),
                                call_int(c, "S")));
}

static jmp_buf refused;

static void note_refusal(const char *message) {
    (void)message;
    longjmp(refused, 1);
}

/* The last of the lengths is none: that is refused, and not answered with a mask. */
void check_padding_refuses(Call *c);
void check_padding_refuses(Call *c) {
    const int len[] = {0, call_int(c, "S"), call_int(c, "wrong")};
    CheckHandler before = check_handler_set(note_refusal);
    if (setjmp(refused) == 0) {
        mask_padding(&call_tape(c)->arena, len, 3, call_int(c, "S"));
        answer_number(c, "refused", 0.0);
    } else {
        answer_number(c, "refused", 1.0);
    }
    check_handler_set(before);
}

void check_causal(Call *c);
void check_causal(Call *c) {
    answer_mask(c, mask_causal(&call_tape(c)->arena, call_int(c, "Lq"), call_int(c, "Lk")));
}

/* How many keys each query sees. */
void check_keys_seen(Call *c);
void check_keys_seen(Call *c) {
    int Lq = call_int(c, "Lq");
    AttentionPlan plan = {.Lq = Lq, .Lk = call_int(c, "Lk"), .causal = call_int(c, "causal") != 0};
    Head head = {.plan = &plan, .keys = call_int(c, "keys")};
    Tensor *seen = tape_constant(call_tape(c), "seen", NULL, SHAPE(Lq));
    for (int i = 0; i < Lq; i++) {
        seen->data[i] = (float)keys_seen(&head, i);
    }
    answer_tensor(c, "seen", seen);
}

void check_pattern(Call *c);
void check_pattern(Call *c) {
    answer_mask(
        c, mask_pattern(&call_tape(c)->arena, (Pattern)call_int(c, "pattern"), call_int(c, "L")));
}

void check_softmax(Call *c);
void check_softmax(Call *c) {
    Tensor *x = call_tensor(c, "x"), *y = op_softmax(call_tape(c), x);
    answer_tensor(c, "y", y);
    call_backward(c, y);
    answer_gradient(c, "dx", x);
}

void check_masked_softmax(Call *c);
void check_masked_softmax(Call *c) {
    Tensor *x = call_tensor(c, "x");
    Mask mask = mask_of(c, x->dim[0], x->dim[1], x->dim[2]);
    answer_tensor(c, "y", op_masked_softmax(call_tape(c), x, &mask));
}

void check_log_softmax(Call *c);
void check_log_softmax(Call *c) {
    answer_tensor(c, "y", op_log_softmax(call_tape(c), call_tensor(c, "x")));
}

void check_additive(Call *c);
void check_additive(Call *c) {
    Tensor *q = call_tensor(c, "q"), *k = call_tensor(c, "keys"), *v = call_tensor(c, "v");
    Tensor *scores = op_additive_score(call_tape(c), q, k, v);
    answer_tensor(c, "scores", scores);
    call_backward(c, scores);
    answer_gradient(c, "dq", q);
    answer_gradient(c, "dv", v);
}

void check_attend(Call *c);
void check_attend(Call *c) {
    answer_tensor(
        c, "context",
        attend(call_tape(c), call_tensor(c, "scores"), call_tensor(c, "h"), NULL).context);
}

static void luong(Call *c, LuongScore kind) {
    LuongAttention attention = {.score = kind};
    attention.w = kind == LUONG_DOT ? NULL : call_tensor(c, "w");
    attention.v = kind == LUONG_CONCAT ? call_tensor(c, "v") : NULL;
    Tensor *keys = luong_keys(call_tape(c), &attention, call_tensor(c, "h"));
    answer_tensor(c, "keys", keys);
    answer_tensor(c, "scores", luong_score(call_tape(c), &attention, call_tensor(c, "s"), keys));
}

void check_luong_dot(Call *c);
void check_luong_dot(Call *c) {
    luong(c, LUONG_DOT);
}

void check_luong_general(Call *c);
void check_luong_general(Call *c) {
    luong(c, LUONG_GENERAL);
}

void check_luong_concat(Call *c);
void check_luong_concat(Call *c) {
    luong(c, LUONG_CONCAT);
}

void check_local(Call *c);
void check_local(Call *c) {
    answer_tensor(c, "weights",
                  local_attention_weights(call_tape(c), call_int(c, "D"), call_tensor(c, "scores"),
                                          call_tensor(c, "place"), call_ints(c, "len")));
}

void check_dot_product(Call *c);
void check_dot_product(Call *c) {
    Tensor *q = call_tensor(c, "q"), *k = call_tensor(c, "k"), *v = call_tensor(c, "v");
    DotProduct a = dot_product_attention(call_tape(c), q, k, v, (DotProductOptions){.scale = 0.0f});
    answer_tensor(c, "scores", a.scores);
    answer_tensor(c, "y", a.y);
}

/* ALiBi's penalty alone: q and k are zeros. */
void check_penalty(Call *c);
void check_penalty(Call *c) {
    int H = call_int(c, "H"), Lq = call_int(c, "Lq"), Lk = call_int(c, "Lk");
    Tensor *q = tape_constant(call_tape(c), "q", NULL, SHAPE(1, H, Lq, 2));
    Tensor *k = tape_constant(call_tape(c), "k", NULL, SHAPE(1, H, Lk, 2));
    DotProductOptions options = {.scale = 1.0f, .slopes = call_floats(c, "slopes")};
    answer_tensor(c, "scores", dot_product_attention(call_tape(c), q, k, k, options).scores);
}

/* The blockwise operation: forward and backward. */
static void fused(Call *c, AttentionOptions options) {
    Tensor *q = call_tensor(c, "q"), *k = call_tensor(c, "k"), *v = call_tensor(c, "v");
    Tensor *y = op_attention(call_tape(c), q, k, v, options);
    answer_tensor(c, "y", y);
    call_backward(c, y);
    answer_gradient(c, "dq", q);
    answer_gradient(c, "dv", v);
}

void check_fused(Call *c);
void check_fused(Call *c) {
    fused(c, (AttentionOptions){.causal = call_int(c, "causal") != 0});
}

void check_fused_alibi(Call *c);
void check_fused_alibi(Call *c) {
    fused(c, (AttentionOptions){.slopes = call_floats(c, "slopes")});
}

/* Some sequences have no key at all, and keys grow, so that the largest score moves. */
void check_online(Call *c);
void check_online(Call *c) {
    Tensor *k = call_tensor(c, "k");
    for (size_t i = 0; i < tensor_size(k); i++) {
        k->data[i] *= 0.02f * (float)(i / (size_t)tensor_cols(k));
    }
    Tensor *y = op_attention(call_tape(c), call_tensor(c, "q"), k, call_tensor(c, "v"),
                             (AttentionOptions){.scale = 1.0f, .key_length = call_ints(c, "len")});
    answer_tensor(c, "y", y);
}
