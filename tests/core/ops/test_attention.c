#include "support/gradient_check.h"

#include <stdlib.h>

/* Zero but for `heads`: looks everywhere. */
static AttentionOptions look(int heads) {
    return (AttentionOptions){.heads = heads};
}

/* ---- by hand ---- */

/* Scores 1 and 0 times ln 3: weights 3/4 and 1/4. */
static void test_two_keys_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *q = tape_variable(&tape, "q", (const float[]){1, 0}, SHAPE(1, 1, 2));
    Tensor *k = tape_variable(&tape, "k", (const float[]){1, 0, 0, 1}, SHAPE(1, 2, 2));
    Tensor *v = tape_variable(&tape, "v", (const float[]){8, 4, 0, 12}, SHAPE(1, 2, 2));
    AttentionOptions options = {.heads = 1, .scale = logf(3.0f)};
    Tensor *y = op_attention(&tape, q, k, v, options);
    assert_shape(y, 1, 1, 2);
    assert_data(y, 1e-6, 6, 6);
    y->grad[0] = 1.0f; /* dp = (8, 0), ds = p (dp - 6) = (1.5, -1.5) */
    tape_backward_from(&tape, y);
    float ds = 1.5f * logf(3.0f);
    assert_grad(q, 1e-5, ds, -ds);
    assert_grad(k, 1e-5, ds, 0, -ds, 0);
    assert_grad(v, 1e-6, 0.75f, 0, 0.25f, 0);
    tape_free(&tape);
}

static void test_scale_is_one_over_root_d(void **state) {
    (void)state;
    Tape tape = tape_new();
    Rng rng = rng_seeded(1, 0);
    Tensor *q = random_constant(&tape, &rng, "q", SHAPE(1, 2, 3, 16));
    Tensor *k = random_constant(&tape, &rng, "k", SHAPE(1, 2, 5, 16));
    Tensor *v = random_constant(&tape, &rng, "v", SHAPE(1, 2, 5, 4));
    Tensor *y = op_attention(&tape, q, k, v, look(0));
    Tensor *same = op_attention(&tape, q, k, v, (AttentionOptions){.scale = 0.25f});
    assert_same_bits(y->data, same->data, tensor_size(y));
    tape_free(&tape);
}

/* Equal scores, slope ln 2: a key counts half as much for each step it is away. */
static void test_alibi_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *q = tape_constant(&tape, "q", NULL, SHAPE(1, 1, 3, 2));
    Tensor *last = tape_constant(&tape, "last", NULL, SHAPE(1, 1, 1, 2));
    Tensor *weights = NULL;
    const float slopes[] = {logf(2.0f)};
    AttentionOptions options = {.slopes = slopes, .weights = &weights};
    op_attention(&tape, q, q, q, options);
    assert_data(weights, 1e-6, 4 / 7.0f, 2 / 7.0f, 1 / 7.0f, 0.25f, 0.5f, 0.25f, 1 / 7.0f, 2 / 7.0f,
                4 / 7.0f);
    options.causal = true;
    op_attention(&tape, q, q, q, options);
    assert_data(weights, 1e-6, 1, 0, 0, 1 / 3.0f, 2 / 3.0f, 0, 1 / 7.0f, 2 / 7.0f, 4 / 7.0f);
    op_attention(&tape, last, q, q, options); /* one query stands beside the last key */
    assert_data(weights, 1e-6, 1 / 7.0f, 2 / 7.0f, 4 / 7.0f);
    tape_free(&tape);
}

static void test_causal_is_aligned_at_the_end(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *two = tape_constant(&tape, "two", NULL, SHAPE(1, 1, 2, 2));
    Tensor *four = tape_constant(&tape, "four", NULL, SHAPE(1, 1, 4, 2));
    Tensor *weights = NULL;
    AttentionOptions options = {.causal = true, .weights = &weights};
    op_attention(&tape, two, four, four, options);
    assert_shape(weights, 1, 1, 2, 4);
    assert_data(weights, 1e-6, 1 / 3.0f, 1 / 3.0f, 1 / 3.0f, 0, 0.25f, 0.25f, 0.25f, 0.25f);
    op_attention(&tape, four, two, two, options); /* the first queries see nothing */
    assert_data(weights, 1e-6, 0, 0, 0, 0, 1, 0, 0.5f, 0.5f);
    tape_free(&tape);
}

/* ---- faults that others have hit ---- */

/* One query and two keys: along the wrong axis both weights would be 1. */
static void test_fault_02_softmax_over_the_keys(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *q = tape_constant(&tape, "q", (const float[]){1}, SHAPE(1, 1, 1));
    Tensor *k = tape_constant(&tape, "k", (const float[]){1, 2}, SHAPE(1, 2, 1));
    Tensor *weights = NULL;
    AttentionOptions options = {.heads = 1, .weights = &weights};
    op_attention(&tape, q, k, k, options);
    assert_data(weights, 1e-6, 0.26894142f, 0.73105858f);
    tape_free(&tape);
}

/* Nothing to look at: output 0, gradient 0, nowhere a nan; for a whole sequence, for the first
 * queries of a causal mask, and with more keys and queries than fit into one block. */
static void test_fault_04_nothing_to_look_at(void **state) {
    (void)state;
    enum { B = 2, H = 2, D = 4 };
    const int sizes[][2] = {{3, 5}, {150, 70}, {70, 300}, {300, 3}};
    for (int n = 0; n < 4; n++) {
        int Lq = sizes[n][0], Lk = sizes[n][1], empty = Lq > Lk ? Lq - Lk : 0;
        Tape tape = tape_new();
        Rng rng = rng_seeded((uint64_t)n, 0);
        Tensor *q = random_variable(&tape, &rng, "q", SHAPE(B, H, Lq, D));
        Tensor *k = random_variable(&tape, &rng, "k", SHAPE(B, H, Lk, D));
        Tensor *v = random_variable(&tape, &rng, "v", SHAPE(B, H, Lk, D)), *weights = NULL;
        AttentionOptions options = {
            .causal = true, .key_length = (const int[]){0, Lk}, .weights = &weights};
        tape.check_finite = true;
        Tensor *y = op_attention(&tape, q, k, v, options);
        backward_random(&tape, y, 1);
        for (int i = 0; i < B * H * Lq; i++) { /* rows of q and y */
            bool nothing = i < H * Lq || i % Lq < empty;
            for (int d = 0; d < D; d++) {
                assert_true(nothing == (y->data[i * D + d] == 0.0f));
                assert_true(!nothing || q->grad[i * D + d] == 0.0f);
            }
        }
        for (int i = 0; i < H * Lk * D; i++) { /* nobody looked at these keys */
            assert_true(k->grad[i] == 0.0f && v->grad[i] == 0.0f);
        }
        assert_int_equal(tensor_find_nonfinite(weights->data, tensor_size(weights)), -1);
        tape_free(&tape);
    }
}

/* [5 7 0 0]: every query has the two words as keys and no padding. */
static void test_fault_05_padding_is_along_the_keys(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(1, 4, 2)), *weights = NULL;
    AttentionOptions options = {.heads = 1, .key_length = (const int[]){2}, .weights = &weights};
    op_attention(&tape, x, x, x, options);
    assert_data(weights, 1e-6, 0.5f, 0.5f, 0, 0, 0.5f, 0.5f, 0, 0, 0.5f, 0.5f, 0, 0, 0.5f, 0.5f, 0,
                0);
    tape_free(&tape);
}

/* What stands in the padding, be it nan, is never looked at, forward or backward. */
static void test_padding_is_not_read(void **state) {
    (void)state;
    enum { H = 2, L = 140, D = 4, REAL = 131 };
    Tape tape = tape_new();
    Rng rng = rng_seeded(5, 0);
    Tensor *q = random_variable(&tape, &rng, "q", SHAPE(1, 3, H * D));
    Tensor *k = random_variable(&tape, &rng, "k", SHAPE(1, REAL, H * D));
    Tensor *v = random_variable(&tape, &rng, "v", SHAPE(1, REAL, H * D));
    Tensor *padded_q = tape_variable(&tape, "padded q", q->data, SHAPE(1, 3, H * D));
    Tensor *padded_k = tape_variable(&tape, "padded k", NULL, SHAPE(1, L, H * D));
    Tensor *padded_v = tape_variable(&tape, "padded v", NULL, SHAPE(1, L, H * D));
    for (int i = 0; i < L * H * D; i++) {
        padded_k->data[i] = i < REAL * H * D ? k->data[i] : NAN;
        padded_v->data[i] = i < REAL * H * D ? v->data[i] : INFINITY;
    }
    AttentionOptions options = {.heads = H, .key_length = (const int[]){REAL}};
    Tensor *y = op_attention(&tape, q, k, v, look(H));
    Tensor *padded = op_attention(&tape, padded_q, padded_k, padded_v, options);
    assert_same_bits(padded->data, y->data, tensor_size(y));
    fill_random(y->grad, tensor_size(y), -1.0f, 1.0f, &rng);
    memcpy(padded->grad, y->grad, tensor_size(y) * sizeof(float));
    tape_backward_from(&tape, y);
    assert_same_bits(padded_q->grad, q->grad, tensor_size(q));
    assert_same_bits(padded_k->grad, k->grad, tensor_size(k));
    assert_same_bits(padded_v->grad, v->grad, tensor_size(v));
    for (int i = REAL * H * D; i < L * H * D; i++) {
        assert_true(padded_k->grad[i] == 0.0f && padded_v->grad[i] == 0.0f);
    }
    tape_free(&tape);
}

/* Other keys and values from t + 1 on leave every output up to t as it is, bit for bit, with and
 * without recording; and so do they leave the gradients of those queries. */
static void test_fault_08_no_look_into_the_future(void **state) {
    (void)state;
    enum { B = 1, L = 200, H = 2, D = 8, WIDTH = 3 * H * D };
    const int steps[] = {0, 1, 62, 63, 64, 127, 128, 198};
    for (int n = 0; n < 2 * 8; n++) {
        int t = steps[n / 2];
        Tape tape = tape_new();
        tape.recording = n % 2 == 0;
        Rng rng = rng_seeded((uint64_t)n, 0);
        Tensor *a = random_variable(&tape, &rng, "a", SHAPE(B, L, WIDTH));
        Tensor *b = tape_variable(&tape, "b", a->data, SHAPE(B, L, WIDTH));
        fill_random(b->data + (t + 1) * WIDTH, (size_t)((L - t - 1) * WIDTH), -9, 9, &rng);
        AttentionOptions options = {.heads = H, .causal = true};
        Tensor *y = op_attention_packed(&tape, a, options);
        Tensor *other = op_attention_packed(&tape, b, options);
        size_t same = (size_t)(t + 1) * H * D;
        assert_same_bits(other->data, y->data, same);
        assert_memory_not_equal(other->data + same, y->data + same, H * D * sizeof(float));
        if (tape.recording) {
            fill_random(y->grad, same, -1, 1, &rng); /* only queries up to t have one */
            memcpy(other->grad, y->grad, same * sizeof(float));
            tape_backward_from(&tape, other);
            assert_same_bits(b->grad, a->grad, (size_t)(t + 1) * WIDTH);
        }
        tape_free(&tape);
    }
}

/* Two sequences of lengths 1 and 3, two heads: each pair of a sequence and a head by itself gives
 * what it gives among the others. */
static void test_fault_09_heads_and_sequences_are_not_mixed(void **state) {
    (void)state;
    enum { B = 2, H = 2, L = 3, D = 5, ONE = L * D };
    const int length[B] = {1, 3};
    Tape tape = tape_new();
    Rng rng = rng_seeded(9, 0);
    Tensor *q = random_constant(&tape, &rng, "q", SHAPE(B, H, L, D));
    Tensor *k = random_constant(&tape, &rng, "k", SHAPE(B, H, L, D));
    Tensor *v = random_constant(&tape, &rng, "v", SHAPE(B, H, L, D));
    const float slopes[H] = {0.5f, 0.25f};
    AttentionOptions options = {.key_length = length, .slopes = slopes};
    const Tensor *y = op_attention(&tape, q, k, v, options);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < H; h++) {
            long at = (b * H + h) * ONE;
            Tensor *one_q = tape_constant(&tape, "q", q->data + at, SHAPE(1, 1, L, D));
            Tensor *one_k = tape_constant(&tape, "k", k->data + at, SHAPE(1, 1, L, D));
            Tensor *one_v = tape_constant(&tape, "v", v->data + at, SHAPE(1, 1, L, D));
            AttentionOptions alone = {.key_length = length + b, .slopes = slopes + h};
            const Tensor *one_y = op_attention(&tape, one_q, one_k, one_v, alone);
            assert_same_bits(y->data + at, one_y->data, ONE);
        }
    }
    assert_same_bits(y->data, v->data, D); /* a single key has weight 1 */
    tape_free(&tape);
}

/* What the options point to is copied: it may be gone when the gradient comes back. */
static void test_options_are_copied(void **state) {
    (void)state;
    enum { B = 2, H = 2, L = 4, D = 3, ALL = B * H * L * D };
    float *first = NULL;
    for (int spoilt = 0; spoilt < 2; spoilt++) {
        float slopes[H] = {0.5f, 0.25f};
        int length[B] = {2, 4};
        Tape tape = tape_new();
        Rng rng = rng_seeded(12, 0);
        Tensor *q = random_variable(&tape, &rng, "q", SHAPE(B, H, L, D));
        Tensor *k = random_constant(&tape, &rng, "k", SHAPE(B, H, L, D));
        AttentionOptions options = {.key_length = length, .slopes = slopes};
        Tensor *y = op_attention(&tape, q, k, k, options);
        if (spoilt) {
            slopes[0] = slopes[1] = 7.0f;
            length[0] = length[1] = 0;
        }
        backward_random(&tape, y, 3);
        if (spoilt) {
            assert_same_bits(q->grad, first, ALL);
            free(first);
        } else {
            first = copy_of(q->grad, ALL);
        }
        tape_free(&tape);
    }
}

/* Heads [[a b] [c d]] and [[e f] [g h]], each token looking at itself: [a b e f], [c d g h]. */
static void test_fault_11_heads_side_by_side(void **state) {
    (void)state;
    Tape tape = tape_new();
    const float itself[] = {1, 0, 1, 0, 0, 1, 0, 1}, values[] = {1, 2, 5, 6, 3, 4, 7, 8};
    Tensor *q = tape_constant(&tape, "q", itself, SHAPE(1, 2, 4));
    Tensor *v = tape_constant(&tape, "v", values, SHAPE(1, 2, 4));
    AttentionOptions options = {.heads = 2, .scale = 100.0f};
    assert_data(op_attention(&tape, q, q, v, options), 1e-6, 1, 2, 5, 6, 3, 4, 7, 8);
    Tensor *by_head = op_attention(&tape, op_split_heads(&tape, q, 2), op_split_heads(&tape, q, 2),
                                   op_split_heads(&tape, v, 2), options);
    assert_data(by_head, 1e-6, 1, 2, 3, 4, 5, 6, 7, 8);
    tape_free(&tape);
}

/* Columns of q, then k, then v: the same bits as from three tensors. */
static void test_packed_is_q_then_k_then_v(void **state) {
    (void)state;
    enum { B = 2, L = 70, H = 3, d = 12 };
    Tape tape = tape_new();
    Rng rng = rng_seeded(1, 0);
    Tensor *packed = random_variable(&tape, &rng, "packed", SHAPE(B, L, 3 * d));
    Tensor *cut = tape_variable(&tape, "cut", packed->data, SHAPE(B, L, 3 * d));
    AttentionOptions options = {.heads = H, .causal = true, .key_length = (const int[]){70, 41}};
    Tensor *y = op_attention_packed(&tape, packed, options);
    assert_shape(y, B, L, d);
    Tensor *q = op_slice_last(&tape, cut, 0, d), *k = op_slice_last(&tape, cut, d, 2 * d);
    Tensor *v = op_slice_last(&tape, cut, 2 * d, 3 * d);
    Tensor *expected = op_attention(&tape, q, k, v, options);
    assert_same_bits(y->data, expected->data, tensor_size(y));
    fill_random(y->grad, tensor_size(y), -1.0f, 1.0f, &rng);
    memcpy(expected->grad, y->grad, tensor_size(y) * sizeof(float));
    tape_backward_from(&tape, y);
    assert_same_bits(packed->grad, cut->grad, tensor_size(packed));
    tape_free(&tape);
}

/* ---- gradients ---- */

static Tensor *attention_graph(Tape *tape, Tensor *const *in, const void *context) {
    return op_attention(tape, in[0], in[1], in[2], *(const AttentionOptions *)context);
}

static Tensor *packed_graph(Tape *tape, Tensor *const *in, const void *context) {
    return op_attention_packed(tape, in[0], *(const AttentionOptions *)context);
}

/* Each input a constant in turn is part of the check. */
static void test_gradients(void **state) {
    (void)state;
    AttentionOptions plain = look(0), packed = {.heads = 2, .causal = true};
    gradient_check(attention_graph, &plain, INPUT("q", 2, 2, 3, 4), INPUT("k", 2, 2, 5, 4),
                   INPUT("v", 2, 2, 5, 3));
    AttentionOptions all = {.heads = 2,
                            .scale = 0.7f,
                            .causal = true,
                            .key_length = (const int[]){4, 0},
                            .slopes = (const float[]){0.5f, 0.25f}};
    gradient_check(attention_graph, &all, INPUT("q", 2, 3, 6), INPUT("k", 2, 5, 6),
                   INPUT("v", 2, 5, 8));
    AttentionOptions dropping = {.dropout = 0.4f, .dropout_key = 3};
    gradient_check(attention_graph, &dropping, INPUT("q", 1, 2, 4, 3), INPUT("k", 1, 2, 6, 3),
                   INPUT("v", 1, 2, 6, 3));
    gradient_check(attention_graph, &plain, INPUT("q", 1, 1, 2, 2), INPUT("k", 1, 1, 150, 2),
                   INPUT("v", 1, 1, 150, 2)); /* two blocks of keys */
    gradient_check(packed_graph, &packed, INPUT("qkv", 2, 4, 18));
}

/* ---- what is refused ---- */

static void test_bad_shapes_stop(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *q = tape_constant(&tape, "q", NULL, SHAPE(2, 3, 8));
    Tensor *k = tape_constant(&tape, "k", NULL, SHAPE(2, 5, 8));
    Tensor *k6 = tape_constant(&tape, "k", NULL, SHAPE(2, 5, 6));
    Tensor *k1 = tape_constant(&tape, "k", NULL, SHAPE(1, 5, 8));
    Tensor *v = tape_constant(&tape, "v", NULL, SHAPE(2, 5, 8));
    Tensor *v4 = tape_constant(&tape, "v", NULL, SHAPE(2, 4, 8));
    Tensor *h = tape_constant(&tape, "h", NULL, SHAPE(2, 2, 3, 4));
    Tensor *h3 = tape_constant(&tape, "h", NULL, SHAPE(2, 3, 3, 4));
    expect_exact_message(
        "attention: query q (2, 3, 8), keys k (2, 5, 6), values v (2, 5, 8): the rows of q and k "
        "differ in length",
        op_attention(&tape, q, k6, v, look(2)));
    expect_exact_message(
        "attention: query q (2, 3, 8), keys k (1, 5, 8), values v (2, 5, 8): the batches differ",
        op_attention(&tape, q, k1, v, look(2)));
    expect_exact_message(
        "attention: query q (2, 3, 8), keys k (2, 5, 8), values v (2, 4, 8): each key needs one "
        "value",
        op_attention(&tape, q, k, v4, look(2)));
    expect_exact_message("attention: query q (2, 3, 8), keys k (2, 5, 8), values v (2, 5, 8): "
                         "columns that cannot be "
                         "cut into 3 heads",
                         op_attention(&tape, q, k, v, look(3)));
    expect_check_message("cut into 0 heads", op_attention(&tape, q, k, v, look(0)));
    expect_check_message("cut into 4 heads", op_attention(&tape, q, k, k6, look(4)));
    expect_check_message("needed is (B, L, H * D) or (B, H, L, D) for all three",
                         op_attention(&tape, q, h, h, look(2)));
    expect_check_message("the numbers of heads differ", op_attention(&tape, h, h3, h3, look(0)));
    expect_check_message("the numbers of heads differ", op_attention(&tape, h, h, h3, look(0)));
    expect_check_message("the numbers of heads differ", op_attention(&tape, h, h, h, look(3)));
    expect_exact_message("attention_packed: q (2, 3, 8): needed is (B, L, 3 d)",
                         op_attention_packed(&tape, q, look(2)));
    expect_exact_message("attention_packed: a third of the columns of k (2, 5, 6) cannot be cut "
                         "into 4 heads",
                         op_attention_packed(&tape, k6, look(4)));
    AttentionOptions options = {.heads = 2, .key_length = (const int[]){5, 6}};
    expect_exact_message("attention: length 6 of sequence 1 is not in 0..5",
                         op_attention(&tape, q, k, v, options));
    options.key_length = (const int[]){-1, 5};
    expect_exact_message("attention: length -1 of sequence 0 is not in 0..5",
                         op_attention(&tape, q, k, v, options));
    options = (AttentionOptions){.heads = 2, .dropout = 1.0f};
    expect_exact_message("attention: the dropout 1 is not in [0, 1)",
                         op_attention(&tape, q, k, v, options));
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_keys_by_hand),
        cmocka_unit_test(test_scale_is_one_over_root_d),
        cmocka_unit_test(test_options_are_copied),
        cmocka_unit_test(test_alibi_by_hand),
        cmocka_unit_test(test_causal_is_aligned_at_the_end),
        cmocka_unit_test(test_fault_02_softmax_over_the_keys),
        cmocka_unit_test(test_fault_04_nothing_to_look_at),
        cmocka_unit_test(test_fault_05_padding_is_along_the_keys),
        cmocka_unit_test(test_padding_is_not_read),
        cmocka_unit_test(test_fault_08_no_look_into_the_future),
        cmocka_unit_test(test_fault_09_heads_and_sequences_are_not_mixed),
        cmocka_unit_test(test_fault_11_heads_side_by_side),
        cmocka_unit_test(test_packed_is_q_then_k_then_v),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_bad_shapes_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
