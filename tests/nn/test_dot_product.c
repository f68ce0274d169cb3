#include "support/gradient_check.h"

#include "nn/dot_product.h"

/* One head, two keys: scores 1 and 0 times 1 / sqrt(D) = .5. Fault 2: two weights that sum to 1. */
static void test_one_query_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *q = tape_constant(&tape, "q", (const float[]){1, 0, 0, 0}, SHAPE(1, 1, 1, 4));
    Tensor *k =
        tape_constant(&tape, "k", (const float[]){1, 5, 5, 5, 0, 5, 5, 5}, SHAPE(1, 1, 2, 4));
    Tensor *v = tape_constant(&tape, "v", (const float[]){10, 20}, SHAPE(1, 1, 2, 1));
    DotProduct a = dot_product_attention(&tape, q, k, v, (DotProductOptions){0});
    assert_shape(a.scores, 1, 1, 1, 2);
    assert_data(a.scores, 1e-6, .5f, 0);
    assert_data(a.weights, 1e-5, .62246f, .37754f);
    assert_data(a.y, 1e-4, 13.7754f);
    a = dot_product_attention(&tape, q, k, v, (DotProductOptions){.scale = 2.0f});
    assert_data(a.scores, 1e-6, 2, 0);
    tape_free(&tape);
}

/* Faults 6 and 7: equal scores, the last key masked; masked means no weight at all, not a score of
 * -1e-9, and the mask says where one may look. */
static void test_mask_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *q = tape_constant(&tape, "q", NULL, SHAPE(1, 1, 1, 2));
    Tensor *k = tape_constant(&tape, "k", NULL, SHAPE(1, 1, 3, 2));
    Tensor *v = tape_constant(&tape, "v", (const float[]){1, 3, 100}, SHAPE(1, 1, 3, 1));
    Mask mask = {1, 1, 3, (const bool[]){true, true, false}};
    DotProduct a = dot_product_attention(&tape, q, k, v, (DotProductOptions){.mask = &mask});
    assert_data(a.weights, 0.0, .5f, .5f, 0);
    assert_data(a.y, 1e-6, 2);
    tape_free(&tape);
}

/* Fault 5: ids [5 7 0 0] give rows [1 1 0 0] for every query. Faults 4 and 9: each sequence of a
 * batch has its own length, in all heads, and one of length 0 gets zeros. */
static void test_masks_as_pictures(void **state) {
    (void)state;
    Arena arena = arena_new();
    Mask mask = dot_product_mask(&arena, 3, 4, 4, false, (const int[]){2, 0, 4});
    for (int b = 0; b < 3; b++) {
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                assert_int_equal(mask_row(&mask, b, i)[j], b == 2 || (b == 0 && j < 2));
            }
        }
    }
    mask = dot_product_mask(&arena, 3, 2, 4, true, NULL); /* the last query sees every key */
    for (int b = 0; b < 3; b++) {
        for (int j = 0; j < 4; j++) {
            assert_int_equal(mask_row(&mask, 0, 0)[j], j <= 2);
            assert_true(mask_row(&mask, 0, 1)[j]);
        }
    }
    mask = dot_product_mask(&arena, 2, 3, 3, true, (const int[]){2, 3});
    const bool expected[2][3][3] = {{{1, 0, 0}, {1, 1, 0}, {1, 1, 0}},
                                    {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}}};
    for (int b = 0; b < 2; b++) {
        for (int i = 0; i < 3; i++) {
            assert_memory_equal(mask_row(&mask, b, i), expected[b][i], sizeof expected[b][i]);
        }
    }
    mask = dot_product_mask(&arena, 2, 3, 5, false, NULL);
    for (int j = 0; j < 5; j++) {
        assert_true(mask_row(&mask, 0, 0)[j]);
    }
    arena_free(&arena);
}

static void test_empty_rows_are_zero_both_ways(void **state) {
    (void)state;
    Tape tape = tape_new();
    Rng rng = rng_seeded(3, 0);
    Tensor *q = random_variable(&tape, &rng, "q", SHAPE(2, 2, 3, 4));
    Tensor *k = random_variable(&tape, &rng, "k", SHAPE(2, 2, 3, 4));
    Tensor *v = random_variable(&tape, &rng, "v", SHAPE(2, 2, 3, 4));
    Mask mask = dot_product_mask(&tape.arena, 2, 3, 3, false, (const int[]){0, 2});
    DotProduct a = dot_product_attention(&tape, q, k, v, (DotProductOptions){.mask = &mask});
    backward_random(&tape, a.y, 1);
    for (int i = 0; i < 2 * 3 * 4; i++) { /* the first sequence */
        assert_true(a.y->data[i] == 0.0f && q->grad[i] == 0.0f && k->grad[i] == 0.0f &&
                    v->grad[i] == 0.0f);
    }
    for (int i = 2 * 3 * 4; i < 2 * 2 * 3 * 4; i++) { /* keys 0 and 1 of both heads of the second */
        assert_true(isfinite(q->grad[i]) && q->grad[i] != 0.0f);
        assert_int_equal(v->grad[i] != 0.0f, i / 4 % 3 < 2);
    }
    tape_free(&tape);
}

static void test_alibi_penalty_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *q = tape_constant(&tape, "q", NULL, SHAPE(1, 2, 2, 1));
    Tensor *k = tape_constant(&tape, "k", NULL, SHAPE(1, 2, 3, 1));
    const float slopes[] = {1.0f, 0.5f};
    DotProduct a = dot_product_attention(&tape, q, k, k, (DotProductOptions){.slopes = slopes});
    assert_data(a.scores, 1e-6, -1, 0, -1, -2, -1, 0, -.5f, 0, -.5f, -1, -.5f, 0);
    tape_free(&tape);
}

/* ---- the fused twin ---- */

typedef struct Setting {
    int B, H, Lq, Lk, D, Dv;
    AttentionOptions options;
} Setting;

static void compare_with_fused(const Setting *s, uint64_t seed) {
    Tensor *in[2][3], *y[2], *fused_weights = NULL;
    DotProduct a = {0};
    Tape tape[2] = {tape_new(), tape_new()};
    for (int form = 0; form < 2; form++) {
        Rng rng = rng_seeded(seed, 5);
        Tape *t = &tape[form];
        Tensor *q = random_variable(t, &rng, "q", SHAPE(s->B, s->H, s->Lq, s->D));
        Tensor *k = random_variable(t, &rng, "k", SHAPE(s->B, s->H, s->Lk, s->D));
        Tensor *v = random_variable(t, &rng, "v", SHAPE(s->B, s->H, s->Lk, s->Dv));
        AttentionOptions fused = s->options;
        fused.weights = &fused_weights;
        if (form == 0) {
            y[0] = op_attention(t, q, k, v, fused);
        } else {
            Mask mask =
                dot_product_mask(&t->arena, s->B, s->Lq, s->Lk, fused.causal, fused.key_length);
            a = dot_product_attention(t, q, k, v,
                                      (DotProductOptions){.scale = fused.scale,
                                                          .mask = &mask,
                                                          .slopes = fused.slopes,
                                                          .dropout = fused.dropout,
                                                          .dropout_key = fused.dropout_key});
            y[1] = a.y;
        }
        backward_random(t, y[form], seed);
        memcpy(in[form], (Tensor *[]){q, k, v}, sizeof in[form]);
    }
    assert_all_close(y[0]->data, y[1]->data, tensor_size(y[1]), 1e-5, 1e-5);
    assert_all_close(fused_weights->data, a.weights->data, tensor_size(a.weights), 1e-5, 1e-5);
    for (int i = 0; i < 3; i++) {
        assert_all_close(in[0][i]->grad, in[1][i]->grad, tensor_size(in[1][i]), 1e-5, 1e-5);
    }
    tape_free(&tape[0]);
    tape_free(&tape[1]);
}

static void test_equals_the_fused_form(void **state) {
    (void)state;
    const int length[] = {3, 1, 0};
    const float slopes[] = {.5f, .25f, .125f};
    const Setting settings[] = {
        {3, 2, 4, 5, 6, 7, {0}},
        {2, 3, 5, 5, 4, 4, {.causal = true}},
        {2, 1, 2, 9, 8, 3, {.causal = true, .scale = .7f}},
        {3, 2, 4, 3, 4, 4, {.key_length = length}},
        {3, 2, 3, 3, 4, 4, {.causal = true, .key_length = length}},
        {2, 3, 4, 6, 2, 2, {.causal = true, .slopes = slopes}},
        {2, 3, 6, 6, 2, 2, {.slopes = slopes}},
        {2, 2, 20, 20, 4, 4, {.dropout = .3f, .dropout_key = 11}},
        {1, 2, 70, 70, 16, 16, {.causal = true, .dropout = .1f, .dropout_key = 3}},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            compare_with_fused(&settings[i], seed);
        }
    }
}

/* ---- gradients and messages ---- */

static Tensor *attention_graph(Tape *tape, Tensor *const *in, const void *context) {
    Mask mask = dot_product_mask(&tape->arena, 2, 3, 4, true, (const int[]){4, 2});
    DotProductOptions options = {.mask = &mask, .slopes = (const float[]){.5f, .1f}};
    if (context != NULL) {
        options = *(const DotProductOptions *)context;
    }
    return dot_product_attention(tape, in[0], in[1], in[2], options).y;
}

static void test_gradients(void **state) {
    (void)state;
    const DotProductOptions plain = {.scale = .5f, .dropout = .3f, .dropout_key = 3};
    gradient_check(attention_graph, NULL, INPUT("q", 2, 2, 3, 4), INPUT("k", 2, 2, 4, 4),
                   INPUT("v", 2, 2, 4, 3));
    gradient_check(attention_graph, &plain, INPUT("q", 2, 2, 3, 4), INPUT("k", 2, 2, 4, 4),
                   INPUT("v", 2, 2, 4, 3));
}

static void test_bad_shapes_stop(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *q = tape_constant(&tape, "q", NULL, SHAPE(1, 2, 3, 4));
    Tensor *k = tape_constant(&tape, "k", NULL, SHAPE(1, 2, 5, 4));
    Tensor *narrow = tape_constant(&tape, "narrow", NULL, SHAPE(1, 2, 5, 3));
    Tensor *flat = tape_constant(&tape, "flat", NULL, SHAPE(1, 3, 8));
    Tensor *other = tape_constant(&tape, "other", NULL, SHAPE(1, 3, 5, 4));
    const DotProductOptions plain = {0};
    expect_exact_message(
        "dot_product_attention: q q (1, 2, 3, 4), k narrow (1, 2, 5, 3), v k (1, 2, "
        "5, 4): needed are (B, H, Lq, D), (B, H, Lk, D) and (B, H, Lk, Dv)",
        dot_product_attention(&tape, q, narrow, k, plain));
    expect_check_message("flat (1, 3, 8)", dot_product_attention(&tape, flat, k, k, plain));
    expect_check_message("other (1, 3, 5, 4)", dot_product_attention(&tape, q, other, k, plain));
    expect_check_message("other (1, 3, 5, 4)", dot_product_attention(&tape, q, k, other, plain));
    expect_check_message("v q (1, 2, 3, 4)", dot_product_attention(&tape, q, k, q, plain));
    Tensor *two = tape_constant(&tape, "two", NULL, SHAPE(2, 2, 5, 4));
    expect_check_message("dot_product_attention: q q (1, 2, 3, 4), k k (1, 2, 5, 4), v two",
                         dot_product_attention(&tape, q, k, two, plain));
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_query_by_hand),
        cmocka_unit_test(test_mask_by_hand),
        cmocka_unit_test(test_masks_as_pictures),
        cmocka_unit_test(test_empty_rows_are_zero_both_ways),
        cmocka_unit_test(test_alibi_penalty_by_hand),
        cmocka_unit_test(test_equals_the_fused_form),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_bad_shapes_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
