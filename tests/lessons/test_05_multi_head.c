#include "support/lesson_profile.h"
#include "support/tensors.h"

#include "nn/multi_head.h"

#include <stdlib.h>

/* ---- the functions of lessons/05_multi_head.c ---- */

typedef struct Wrong {
    bool split, merge, same;
    float dropout;
    uint64_t key;
} Wrong;

Tensor *split_heads(Tape *tape, Tensor *x, int H, bool transposed);
Tensor *merge_heads(Tape *tape, Tensor *heads, bool transposed);
Tensor *multi_head(Tape *tape, const MultiHead *layer, Tensor *x, Tensor *m, const Mask *mask,
                   Wrong wrong, Tensor **weights);
void packed_projections(Tape *tape, Tensor *w, Tensor *bias, Tensor *x, Tensor *qkv[3]);

static const Wrong nothing = {.dropout = 0.0f};

/* ---- cutting and joining ---- */

/* faults 11: heads [[a b][c d]] and [[e f][g h]] merge to [a b e f], [c d g h]. */
static void test_split_and_merge_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    const float tokens[] = {1, 2, 5, 6, 3, 4, 7, 8}, cut[] = {1, 2, 3, 4, 5, 6, 7, 8};
    Tensor *x = tape_variable(&tape, "x", tokens, SHAPE(1, 2, 4));
    Tensor *heads = tape_variable(&tape, "heads", cut, SHAPE(1, 2, 2, 2));
    Tensor *split = split_heads(&tape, x, 2, true), *merged = merge_heads(&tape, heads, true);
    assert_shape(split, 1, 2, 2, 2);
    assert_shape(merged, 1, 2, 4);
    assert_same_bits(split->data, cut, 8);
    assert_same_bits(merged->data, tokens, 8);
    tape_free(&tape);
}

/* Without the transpose the shapes are right and the numbers are not. */
static void test_without_the_transpose(void **state) {
    (void)state;
    Tape tape = tape_new();
    const float tokens[] = {1, 2, 5, 6, 3, 4, 7, 8}, cut[] = {1, 2, 3, 4, 5, 6, 7, 8};
    Tensor *x = tape_constant(&tape, "x", tokens, SHAPE(1, 2, 4));
    Tensor *heads = tape_constant(&tape, "heads", cut, SHAPE(1, 2, 2, 2));
    Tensor *split = split_heads(&tape, x, 2, false), *merged = merge_heads(&tape, heads, false);
    assert_shape(split, 1, 2, 2, 2);
    assert_shape(merged, 1, 2, 4);
    assert_same_bits(split->data, tokens, 8);
    assert_same_bits(merged->data, cut, 8);
    tape_free(&tape);
}

/* Any sizes: there and back is nothing at all, forward and backward, and the library's operations
 * do the same. */
static void test_there_and_back(void **state) {
    (void)state;
    const int sizes[][4] = {{1, 1, 1, 1}, {2, 3, 4, 5}, {3, 7, 1, 6}, {2, 5, 6, 1}};
    for (int i = 0; i < 4; i++) {
        int B = sizes[i][0], L = sizes[i][1], H = sizes[i][2], D = sizes[i][3];
        Tape tape = tape_new();
        Rng rng = rng_seeded(7, (uint64_t)i);
        Tensor *x = random_variable(&tape, &rng, "x", SHAPE(B, L, H * D));
        Tensor *split = split_heads(&tape, x, H, true);
        Tensor *back = merge_heads(&tape, split, true);
        assert_same_bits(back->data, x->data, tensor_size(x));
        assert_same_bits(split->data, op_split_heads(&tape, x, H)->data, tensor_size(x));
        assert_same_bits(back->data, op_merge_heads(&tape, split)->data, tensor_size(x));
        backward_random(&tape, back, 3);
        assert_same_bits(x->grad, back->grad, tensor_size(x));
        tape_free(&tape);
    }
}

static void test_wrong_number_of_heads(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(2, 3, 6));
    expect_check_message("6 columns cannot be divided among 4 heads",
                         split_heads(&tape, x, 4, true));
    tape_free(&tape);
}

/* ---- what is written out in the lesson is what common/nn does ---- */

typedef struct Layer {
    Params params;
    MultiHead heads;
    Tape tape;
    Tensor *x, *m, *y, *weights;
} Layer;

static Layer layer_new(int B, int Lq, int Lk, int d, int H, uint64_t seed) {
    Layer layer = {.params = params_new(), .tape = tape_new()};
    Rng rng = rng_seeded(seed, 5);
    layer.heads = multi_head_new(&layer.params, "a", d, H, false);
    params_allocate(&layer.params, &rng);
    fill_random(layer.params.data, layer.params.size, -1, 1, &rng); /* biases, too */
    layer.x = random_variable(&layer.tape, &rng, "x", SHAPE(B, Lq, d));
    layer.m = random_variable(&layer.tape, &rng, "m", SHAPE(B, Lk, d));
    return layer;
}

static void layer_free(Layer *layer) {
    params_free(&layer->params);
    tape_free(&layer->tape);
}

static void compare_layers(const Layer *a, const Layer *b) {
    assert_all_close(a->y->data, b->y->data, tensor_size(a->y), 1e-5, 1e-4);
    assert_all_close(a->weights->data, b->weights->data, tensor_size(a->weights), 1e-5, 1e-4);
    assert_all_close(a->x->grad, b->x->grad, tensor_size(a->x), 1e-4, 1e-3);
    assert_all_close(a->m->grad, b->m->grad, tensor_size(a->m), 1e-4, 1e-3);
    assert_all_close(a->params.grad, b->params.grad, a->params.size, 1e-4, 1e-3);
}

/* Self- and cross-attention, masks of three kinds, several sizes; forward and all gradients. */
static void test_inline_is_nn(void **state) {
    (void)state;
    const int sizes[][5] = {{1, 1, 1, 2, 1}, {2, 3, 3, 8, 2}, {3, 4, 6, 12, 3}, {2, 7, 5, 16, 16}};
    for (int i = 0; i < 12; i++) {
        const int *n = sizes[i / 3];
        int length[] = {n[2], 1, n[2] > 1 ? n[2] - 1 : 1};
        Layer ours = layer_new(n[0], n[1], n[2], n[3], n[4], (uint64_t)i);
        Layer nn = layer_new(n[0], n[1], n[2], n[3], n[4], (uint64_t)i);
        Mask padding = mask_padding(&ours.tape.arena, length, n[0], n[2]);
        Mask causal = mask_causal(&ours.tape.arena, n[1], n[2]);
        const Mask *masks[] = {NULL, &padding, &causal};
        Look look = {
            .weights = &nn.weights, .key_length = i % 3 == 1 ? length : NULL, .causal = i % 3 == 2};
        if (i % 3 == 2 && n[1] > n[2]) {
            look.composed = true; /* the first queries have no key: both give zeros */
        }
        ours.y = multi_head(&ours.tape, &ours.heads, ours.x, ours.m, masks[i % 3], nothing,
                            &ours.weights);
        nn.y = multi_head_cross(&nn.tape, &nn.heads, nn.x, nn.m, look);
        backward_random(&ours.tape, ours.y, 11);
        backward_random(&nn.tape, nn.y, 11);
        assert_shape(ours.weights, n[0], n[4], n[1], n[2]);
        compare_layers(&ours, &nn);
        layer_free(&ours);
        layer_free(&nn);
    }
}

/* One token sees itself alone: the output is W_o W_v x, whatever the heads. */
static void test_one_token_by_hand(void **state) {
    (void)state;
    Layer layer = layer_new(1, 1, 1, 4, 2, 1);
    memset(layer.params.data, 0, layer.params.size * sizeof(float));
    for (int i = 0; i < 4; i++) {
        layer.heads.v.w->data[i * 4 + i] = 2.0f;
        layer.heads.out.w->data[i * 4 + (3 - i)] = 1.0f; /* the other way round */
        layer.heads.out.bias->data[i] = 10.0f;
        layer.x->data[i] = (float)i;
    }
    Tensor *y = multi_head(&layer.tape, &layer.heads, layer.x, layer.x, NULL, nothing, NULL);
    assert_data(y, 1e-6, 16, 14, 12, 10);
    layer_free(&layer);
}

/* Two heads by hand: q, k and v are the token itself. Head 0 sees columns 0 and 1, head 1 the rest.
 */
static void test_two_heads_by_hand(void **state) {
    (void)state;
    Layer layer = layer_new(1, 2, 2, 4, 2, 1);
    memset(layer.params.data, 0, layer.params.size * sizeof(float));
    const Linear *identity[] = {&layer.heads.q, &layer.heads.k, &layer.heads.v, &layer.heads.out};
    for (int i = 0; i < 16; i++) {
        identity[i / 4]->w->data[i % 4 * 5] = 1.0f;
    }
    const float tokens[] = {1, 0, 0, 0, 0, 0, 0, 2};
    memcpy(layer.x->data, tokens, sizeof tokens);
    Tensor *weights;
    Tensor *y = multi_head(&layer.tape, &layer.heads, layer.x, layer.x, NULL, nothing, &weights);
    float one = 1.0f / (1.0f + expf(-1.0f / sqrtf(2.0f)));  /* head 0, token 0: scores 1, 0 */
    float four = 1.0f / (1.0f + expf(-4.0f / sqrtf(2.0f))); /* head 1, token 1: scores 0, 4 */
    assert_data(weights, 1e-6, one, 1 - one, 0.5f, 0.5f, 0.5f, 0.5f, 1 - four, four);
    assert_data(y, 1e-6, one, 0, 0, 1, 0.5f, 0, 0, 2 * four);
    layer_free(&layer);
}

/* faults 9: B = 2, H = 2, lengths 1 and 3. Every head of a sequence has the mask of its sequence.
 */
static void test_heads_and_lengths_do_not_mix(void **state) {
    (void)state;
    const int length[] = {1, 3};
    Layer layer = layer_new(2, 3, 3, 4, 2, 4);
    Mask mask = mask_padding(&layer.tape.arena, length, 2, 3);
    multi_head(&layer.tape, &layer.heads, layer.x, layer.x, &mask, nothing, &layer.weights);
    for (int i = 0; i < 2 * 2 * 3; i++) { /* each row: b = i / 6, h = i / 3 % 2, q = i % 3 */
        const float *row = layer.weights->data + i * 3;
        if (i / 6 == 0) {
            assert_close(row[0], 1.0, 1e-6, 0);
            assert_true(row[1] == 0.0f && row[2] == 0.0f);
        } else {
            assert_true(row[0] > 0.0f && row[1] > 0.0f && row[2] > 0.0f);
            assert_close(row[0] + row[1] + row[2], 1.0, 1e-6, 0);
        }
    }
    layer_free(&layer);
}

/* A head reads its own columns of q alone: another query in head 1, another map of head 1. */
static void test_heads_are_independent(void **state) {
    (void)state;
    Layer layer = layer_new(1, 4, 4, 6, 3, 4);
    Tensor *before, *after;
    multi_head(&layer.tape, &layer.heads, layer.x, layer.x, NULL, nothing, &before);
    layer.heads.q.w->data[2 * 6] += 1.0f; /* row 2 of w_q: the first column of head 1 */
    multi_head(&layer.tape, &layer.heads, layer.x, layer.x, NULL, nothing, &after);
    assert_same_bits(before->data, after->data, 16);
    assert_true(before->data[16] != after->data[16]);
    assert_same_bits(before->data + 32, after->data + 32, 16);
    layer_free(&layer);
}

static void test_mistakes(void **state) {
    (void)state;
    Layer layer = layer_new(1, 4, 4, 6, 3, 4);
    Tensor *maps;
    Tensor *right = multi_head(&layer.tape, &layer.heads, layer.x, layer.x, NULL, nothing, NULL);
    const Wrong wrong[] = {
        {.split = true}, {.merge = true}, {.same = true}, {.dropout = 0.9f, .key = 1}};
    for (int i = 0; i < 4; i++) {
        Tensor *y = multi_head(&layer.tape, &layer.heads, layer.x, layer.x, NULL, wrong[i], &maps);
        assert_true(fabsf(y->data[0] - right->data[0]) > 1e-4f);
        if (wrong[i].same) {
            assert_same_bits(maps->data, maps->data + 16, 16);
            assert_same_bits(maps->data, maps->data + 32, 16);
        }
    }
    layer.tape.recording = false; /* no dropout in evaluation */
    Tensor *y = multi_head(&layer.tape, &layer.heads, layer.x, layer.x, NULL, wrong[3], NULL);
    assert_same_bits(y->data, right->data, 24);
    layer_free(&layer);
}

static void test_packed(void **state) {
    (void)state;
    enum { d = 5 };
    Tape tape = tape_new();
    Rng rng = rng_seeded(2, 2);
    Tensor *w = random_constant(&tape, &rng, "w", SHAPE(3 * d, d)), *qkv[3];
    Tensor *bias = random_constant(&tape, &rng, "bias", SHAPE(3 * d));
    Tensor *x = random_constant(&tape, &rng, "x", SHAPE(2, 3, d));
    packed_projections(&tape, w, bias, x, qkv);
    for (int i = 0; i < 3; i++) {
        Tensor *one = op_linear(&tape, x, op_slice(&tape, w, i * d, (i + 1) * d),
                                op_slice(&tape, bias, i * d, (i + 1) * d));
        assert_shape(qkv[i], 2, 3, d);
        assert_all_close(qkv[i]->data, one->data, tensor_size(one), 1e-6, 1e-5);
    }
    tape_free(&tape);
}

/* ---- the program ---- */

static const LessonProfile profile = {
    .lesson = "05_multi_head",
    .steps = "5.1 5.2 5.3 5.4",
    .mistakes = {{"merge_without_transpose", "merge"},
                 {"split_without_transpose", "split"},
                 {"same_head", "heads_differ"},
                 {"head_dropout_high", "same_output"}},
    .trained = "one_head two_heads two_not_all four_heads eight_heads sixteen_heads later sooner "
               "alike wide_head heads_of_16 heads_of_8 diagonal vertical vertical_most block "
               "block_most alive killed uniform uniform_needed phrases dead_alone encoder decoder "
               "across",
    .cheap =
        "split merge heads_differ same_output library packed glorot parameters multiply_adds dead "
        "rows",
    .timing = 1,
    .files = "offsets_learning.tsv offsets_learning.gp offsets_heads.png offsets_head_size.tsv "
             "pattern_heads.png phrase_encoder.png phrase_across.png attention.tsv "
             "timing_head_cost.tsv",
    .unsaid = {"too many", "Nobody told", "Few real heads"},
    .alone = "5.1 5.2 5.3 5.4",
    .refused = {{"--heads 0", "heads"},
                {"--heads 17", "16"},
                {"--d-model 0", "d-model"},
                {"--d-model 257", "256"},
                {"--heads 5", "--d-model 32 cannot be divided"}},
    .accepted = {"--d-model 1 --heads 1", "--d-model 16 --heads 16", "--d-model 18 --heads 9"},
    .undrawn = {"", "offsets_learning", "pattern_heads.png"},
    .interrupted = {"--only 5.1,5.2 --d-model 128", "5.2", "split", "one_head"},
};

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split_and_merge_by_hand),
        cmocka_unit_test(test_without_the_transpose),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_wrong_number_of_heads),
        cmocka_unit_test(test_inline_is_nn),
        cmocka_unit_test(test_one_token_by_hand),
        cmocka_unit_test(test_two_heads_by_hand),
        cmocka_unit_test(test_heads_and_lengths_do_not_mix),
        cmocka_unit_test(test_heads_are_independent),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_packed),
        LESSON_TESTS(profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
