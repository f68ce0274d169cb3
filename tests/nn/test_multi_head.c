#include "support/gradient_check.h"

#include "nn/multi_head.h"

#include <stdlib.h>

/* ---- parameters ---- */

static void test_parameters(void **state) {
    (void)state;
    Params params = params_new();
    MultiHead packed = multi_head_new(&params, "self", 16, 4, true);
    MultiHead apart = multi_head_new(&params, "cross", 16, 4, false);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    assert_shape(packed.qkv.w, 48, 16);
    assert_shape(packed.qkv.bias, 48);
    assert_string_equal(packed.qkv.w->name, "self.qkv.w");
    assert_string_equal(apart.k.bias->name, "cross.k.bias");
    assert_string_equal(apart.out.w->name, "cross.out.w");
    assert_int_equal(params.count, 4 + 8);
    assert_int_equal(params_count_numbers(&params), 2 * (4 * 16 * 16 + 4 * 16));
    float bound = sqrtf(6.0f / 32.0f), most = 0.0f; /* packed or not: of one 16 x 16 matrix */
    for (int i = 0; i < 48 * 16; i++) {
        most = fmaxf(most, fabsf(packed.qkv.w->data[i]));
        assert_true(packed.qkv.bias->data[i % 48] == 0.0f);
    }
    assert_true(most <= bound && most > 0.98f * bound);
    for (int i = 0; i < 16 * 16; i++) { /* fault 17 */
        assert_true(apart.q.w->data[i] != apart.k.w->data[i]);
        assert_true(apart.k.w->data[i] != apart.v.w->data[i]);
    }
    params_free(&params);
}

/* ---- layers with random weights, and forms of the same computation ---- */

typedef struct Model {
    Params params;
    MultiHead packed, apart; /* the same weights */
} Model;

static Model model_new(int d_model, int heads, uint64_t seed) {
    Model model = {.params = params_new()};
    model.packed = multi_head_new(&model.params, "packed", d_model, heads, true);
    model.apart = multi_head_new(&model.params, "apart", d_model, heads, false);
    Rng rng = rng_seeded(seed, 0);
    params_allocate(&model.params, &rng);
    fill_random(model.params.data, model.params.size, -.5f, .5f, &rng); /* biases, too */
    const MultiHead *p = &model.packed, *a = &model.apart;
    size_t size = (size_t)d_model * (size_t)d_model, rows = (size_t)d_model;
    Linear parts[] = {a->q, a->k, a->v};
    for (size_t i = 0; i < 3; i++) {
        memcpy(parts[i].w->data, p->qkv.w->data + i * size, size * sizeof(float));
        memcpy(parts[i].bias->data, p->qkv.bias->data + i * rows, rows * sizeof(float));
    }
    memcpy(a->out.w->data, p->out.w->data, size * sizeof(float));
    memcpy(a->out.bias->data, p->out.bias->data, rows * sizeof(float));
    return model;
}

enum { B = 2, L = 5, D = 12, H = 3 };

/* y (B, L, D), then the gradients of x, of the three projections and of the last one. */
typedef struct Result {
    float y[B * L * D], dx[B * L * D], dqkv[3 * D * D], dbias[3 * D], dout[D * D];
} Result;

static Result run_form(Model *model, bool packed, Look look) {
    static Result result;
    Tape tape = tape_new();
    Rng rng = rng_seeded(8, 0);
    params_zero_grad(&model->params);
    Tensor *x = random_variable(&tape, &rng, "x", SHAPE(B, L, D));
    const MultiHead *layer = packed ? &model->packed : &model->apart;
    Tensor *y = multi_head_self(&tape, layer, x, look);
    assert_shape(y, B, L, D);
    backward_random(&tape, y, 4);
    memcpy(result.y, y->data, sizeof result.y);
    memcpy(result.dx, x->grad, sizeof result.dx);
    if (packed) {
        memcpy(result.dqkv, layer->qkv.w->grad, sizeof result.dqkv);
        memcpy(result.dbias, layer->qkv.bias->grad, sizeof result.dbias);
    } else {
        Linear parts[] = {layer->q, layer->k, layer->v};
        for (int i = 0; i < 3; i++) {
            memcpy(result.dqkv + i * D * D, parts[i].w->grad, D * D * sizeof(float));
            memcpy(result.dbias + i * D, parts[i].bias->grad, D * sizeof(float));
        }
    }
    memcpy(result.dout, layer->out.w->grad, sizeof result.dout);
    tape_free(&tape);
    return result;
}

static void assert_same_result(const Result *a, const Result *b) {
    assert_all_close(a->y, b->y, B * L * D, 1e-5, 1e-5);
    assert_all_close(a->dx, b->dx, B * L * D, 1e-5, 1e-5);
    assert_all_close(a->dqkv, b->dqkv, 3 * D * D, 1e-5, 1e-5);
    assert_all_close(a->dbias, b->dbias, 3 * D, 1e-5, 1e-5);
    assert_all_close(a->dout, b->dout, D * D, 1e-5, 1e-5);
}

/* Packed or separate, fused or from single operations: the same, forward and backward. */
static void test_all_forms_are_one(void **state) {
    (void)state;
    Params none = params_new();
    Position rope = position_new(&none, "position", POSITION_ROPE, D, H, 0);
    Position half = rope, alibi = position_new(&none, "position", POSITION_ALIBI, D, H, 0);
    half.pairs = ROPE_HALF;
    const int length[B] = {3, 5};
    const Look looks[] = {
        {0},
        {.causal = true},
        {.key_length = length},
        {.causal = true, .key_length = length},
        {.position = &rope},
        {.causal = true, .position = &half},
        {.causal = true, .position = &alibi},
        {.dropout = .4f, .dropout_key = 9},
    };
    Model model = model_new(D, H, 2);
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        Result first = run_form(&model, true, looks[i]);
        for (int form = 1; form < 4; form++) {
            Look look = looks[i];
            look.composed = form / 2;
            Result other = run_form(&model, form % 2 == 0, look);
            assert_same_result(&other, &first);
        }
    }
    params_free(&model.params);
}

/* A mask of one's own is combined with the other two. */
static void test_any_mask(void **state) {
    (void)state;
    const int length[B] = {3, 5};
    Arena arena = arena_new();
    Mask causal = mask_causal(&arena, L, L), padding = mask_padding(&arena, length, B, L);
    Mask both = mask_both(&arena, causal, padding);
    const Look looks[] = {{.causal = true, .mask = &padding},
                          {.key_length = length, .mask = &causal},
                          {.mask = &both}};
    Model model = model_new(D, H, 2);
    Result expected = run_form(&model, true, (Look){.causal = true, .key_length = length});
    for (int i = 0; i < 3; i++) {
        Result result = run_form(&model, true, looks[i]);
        assert_same_result(&result, &expected);
    }
    params_free(&model.params);
    arena_free(&arena);
}

static void test_weights_change_nothing(void **state) {
    (void)state;
    Model model = model_new(D, H, 3);
    for (int form = 0; form < 4; form++) {
        Tensor *weights = NULL;
        Look look = {.causal = true, .composed = form / 2, .dropout = .2f, .dropout_key = 5};
        Result without = run_form(&model, form % 2 == 0, look);
        look.weights = &weights;
        Result with = run_form(&model, form % 2 == 0, look);
        assert_memory_equal(&with, &without, sizeof with);
    }
    Tape tape = tape_new();
    Rng rng = rng_seeded(8, 0);
    Tensor *x = random_variable(&tape, &rng, "x", SHAPE(B, L, D)), *weights[2];
    for (int form = 0; form < 2; form++) {
        multi_head_self(&tape, &model.packed, x,
                        (Look){.causal = true, .composed = form == 1, .weights = &weights[form]});
        assert_shape(weights[form], B, H, L, L);
    }
    assert_all_close(weights[0]->data, weights[1]->data, B * H * L * L, 1e-6, 1e-5);
    tape_free(&tape);
    params_free(&model.params);
}

/* ---- by hand ---- */

/* A layer whose projections are the identity: y is what the heads bring, side by side. */
static MultiHead identity_layer(Tape *tape, int d, int heads) {
    Tensor *w = tape_constant(tape, "identity", NULL, SHAPE(d, d));
    for (int i = 0; i < d; i++) {
        w->data[i * d + i] = 1.0f;
    }
    Linear identity = {w, NULL};
    return (MultiHead){
        .d_model = d, .heads = heads, .q = identity, .k = identity, .v = identity, .out = identity};
}

/* Fault 11: token 0 may look at itself only and gets its own columns back in their order, [a b e f]
 * and not [a b c d]; each head has weights of its own (fault 9 holds them apart by batch). */
static void test_heads_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    MultiHead layer = identity_layer(&tape, 4, 2);
    Tensor *x = tape_constant(&tape, "x", (const float[]){1, 0, 5, 6, 3, 0, 7, 8}, SHAPE(1, 2, 4));
    for (int composed = 0; composed < 2; composed++) {
        Tensor *weights;
        Look look = {.causal = true, .composed = composed, .weights = &weights};
        Tensor *y = multi_head_self(&tape, &layer, x, look);
        double first = 1.0 / (1.0 + exp(6.0 / sqrt(2.0)));   /* 3 * 3 against 3 * 1 */
        double second = 1.0 / (1.0 + exp(30.0 / sqrt(2.0))); /* 7 7 + 8 8 against 5 7 + 6 8 */
        assert_data(weights, 1e-6, 1, 0, (float)first, (float)(1 - first), 1, 0, (float)second,
                    (float)(1 - second));
        assert_data(y, 1e-5, 1, 0, 5, 6, (float)(first + 3 * (1 - first)), 0,
                    (float)(5 * second + 7 * (1 - second)), (float)(6 * second + 8 * (1 - second)));
    }
    tape_free(&tape);
}

/* Four tokens that are all alike: what tells them apart is where they are. */
static Tensor *weights_of_ones(Tape *tape, const MultiHead *layer, Look look) {
    Tensor *weights = NULL, *x = tape_constant(tape, "x", NULL, SHAPE(1, 4, layer->d_model));
    for (size_t i = 0; i < tensor_size(x); i++) {
        x->data[i] = 1.0f;
    }
    look.weights = &weights;
    multi_head_self(tape, layer, x, look);
    return weights;
}

static void test_positions_reach_the_scores(void **state) {
    (void)state;
    Params none = params_new();
    Position alibi = position_new(&none, "position", POSITION_ALIBI, 4, 2, 0);
    Position rope = position_new(&none, "position", POSITION_ROPE, 4, 2, 0);
    Tape tape = tape_new();
    MultiHead layer = identity_layer(&tape, 4, 2);
    for (int composed = 0; composed < 2; composed++) {
        Tensor *a =
            weights_of_ones(&tape, &layer, (Look){.composed = composed, .position = &alibi});
        Tensor *r = weights_of_ones(&tape, &layer, (Look){.composed = composed, .position = &rope});
        for (int i = 0; i < 2 * 4 * 4; i++) { /* all by the ratio to the weight of token i itself */
            int h = i / 16, own = i - i % 4 + i / 4 % 4, distance = abs(i % 4 - i / 4 % 4);
            double penalty = distance * (h == 0 ? 1.0 / 16 : 1.0 / 256); /* slopes of two heads */
            double turned =
                sqrt(2.0) * (cos(distance) - 1.0); /* q . k / sqrt(2) of a turned (1, 1) */
            assert_close(a->data[i] / a->data[own], exp(-penalty), 1e-5, 0.0);
            assert_close(r->data[i] / r->data[own], exp(turned), 1e-5, 0.0);
        }
    }
    tape_free(&tape);
}

/* Fault 9: B = 2, H = 2, lengths 1 and 3. */
static void test_lengths_belong_to_the_batch(void **state) {
    (void)state;
    Model model = model_new(4, 2, 6);
    Tape tape = tape_new();
    Rng rng = rng_seeded(2, 0);
    Tensor *x = random_constant(&tape, &rng, "x", SHAPE(2, 3, 4));
    for (int composed = 0; composed < 2; composed++) {
        Tensor *weights;
        Look look = {.key_length = (const int[]){1, 3}, .composed = composed, .weights = &weights};
        multi_head_self(&tape, &model.packed, x, look);
        for (int i = 0; i < 2 * 2 * 3 * 3; i++) {
            bool first = i < 2 * 3 * 3;
            assert_int_equal(weights->data[i] > 0.0f, first ? i % 3 == 0 : 1);
            if (first && i % 3 == 0) {
                assert_close(weights->data[i], 1.0, 1e-6, 0.0);
            }
        }
    }
    tape_free(&tape);
    params_free(&model.params);
}

/* ---- dropout, gradients, messages ---- */

static void test_dropout_only_while_recording(void **state) {
    (void)state;
    Model model = model_new(D, H, 5);
    Tape tape = tape_new();
    Rng rng = rng_seeded(2, 0);
    Tensor *x = random_constant(&tape, &rng, "x", SHAPE(B, L, D));
    for (int composed = 0; composed < 2; composed++) {
        Look look = {.composed = composed, .dropout = .5f, .dropout_key = 3}, none = look;
        none.dropout = 0.0f;
        tape.recording = true;
        Tensor *plain = multi_head_self(&tape, &model.packed, x, none);
        Tensor *dropped = multi_head_self(&tape, &model.packed, x, look);
        assert_true(memcmp(plain->data, dropped->data, B * L * D * sizeof(float)) != 0);
        tape.recording = false;
        Tensor *evaluated = multi_head_self(&tape, &model.packed, x, look);
        assert_same_bits(evaluated->data, plain->data, B * L * D);
    }
    tape_free(&tape);
    params_free(&model.params);
}

static Tensor *self_graph(Tape *tape, Tensor *const *in, const void *context) {
    MultiHead layer = {
        .d_model = 4, .heads = 2, .packed = true, .qkv = {in[1], in[2]}, .out = {in[3], in[4]}};
    return multi_head_self(tape, &layer, in[0], *(const Look *)context);
}

static void test_gradients(void **state) {
    (void)state;
    Params none = params_new();
    Position rope = position_new(&none, "position", POSITION_ROPE, 4, 2, 0);
    const int length[] = {1, 3};
    const Look looks[] = {{.causal = true},
                          {.position = &rope},
                          {.key_length = length},
                          {.composed = true, .key_length = length}};
    for (int i = 0; i < 4; i++) {
        gradient_check(self_graph, &looks[i], INPUT("x", 2, 3, 4), INPUT("qkv.w", 12, 4),
                       INPUT("qkv.bias", 12), INPUT("out.w", 4, 4), INPUT("out.bias", 4));
    }
}

static void test_wrong_use(void **state) {
    (void)state;
    Params params = params_new();
    expect_exact_message("multi_head: d_model 10 is not divisible by 3 heads",
                         multi_head_new(&params, "self", 10, 3, true));
    Model model = model_new(4, 2, 1);
    Position rope = position_new(&params, "position", POSITION_ROPE, 4, 2, 0);
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(2, 3, 5));
    Tensor *good = tape_constant(&tape, "good", NULL, SHAPE(2, 3, 4));
    Tensor *other = tape_constant(&tape, "other", NULL, SHAPE(3, 3, 4));
    expect_exact_message("multi_head_self: x (2, 3, 5): needed is (B, L, 4)",
                         multi_head_self(&tape, &model.packed, x, (Look){0}));
    expect_exact_message("multi_head_memory: x (2, 3, 5): needed is (B, L, 4)",
                         multi_head_cross(&tape, &model.apart, good, x, (Look){0}));
    expect_exact_message(
        "multi_head_memory: packed.qkv.w is packed: that is for self-attention only",
        multi_head_cross(&tape, &model.packed, good, good, (Look){0}));
    expect_exact_message("multi_head_cross: good (2, 3, 4) with a memory of 3 rows",
                         multi_head_cross(&tape, &model.apart, good, other, (Look){0}));
    expect_check_message(
        "positions are for self-attention",
        multi_head_cross(&tape, &model.apart, good, good, (Look){.position = &rope}));
    Position alibi = position_new(&params, "position", POSITION_ALIBI, 4, 2, 0);
    expect_check_message(
        "positions are for self-attention",
        multi_head_cross(&tape, &model.apart, good, good, (Look){.position = &alibi}));
    KvCache cache = kv_cache_new(&tape.arena, 2, 8, 4);
    expect_check_message("a cache is for evaluation, but the tape records",
                         multi_head_self(&tape, &model.packed, good, (Look){.cache = &cache}));
    tape_free(&tape);
    params_free(&model.params);
}

/* ---- caches ---- */

/* Token by token, and in chunks of 7 then 9, equals the whole pass (fault 21). */
static void test_cache_equals_the_whole_pass(void **state) {
    (void)state;
    enum { N = 16 };
    Params none = params_new();
    Position rope = position_new(&none, "position", POSITION_ROPE, D, H, 0);
    Position alibi = position_new(&none, "position", POSITION_ALIBI, D, H, 0);
    const Position *positions[] = {NULL, &rope, &alibi};
    Model model = model_new(D, H, 7);
    for (int form = 0; form < 12; form++) { /* 3 positions, packed or not, fused or composed */
        Tape tape = tape_new();
        tape.recording = false;
        const MultiHead *layer = form % 2 == 0 ? &model.packed : &model.apart;
        Look look = {.causal = true, .position = positions[form / 2 % 3], .composed = form / 6};
        Rng rng = rng_seeded(5, 0);
        Tensor *x = random_constant(&tape, &rng, "x", SHAPE(1, N, D));
        Tensor *whole = multi_head_self(&tape, layer, x, look);
        KvCache cache = kv_cache_new(&tape.arena, 1, N, D);
        const int chunks[][N] = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {7, 9}};
        for (int way = 0; way < 2; way++) {
            kv_cache_reset(&cache);
            look.cache = &cache;
            for (int i = 0, at = 0; at < N; at += chunks[way][i++]) {
                int n = chunks[way][i];
                Tensor *next = tape_constant(&tape, "next", x->data + at * D, SHAPE(1, n, D));
                Tensor *y = multi_head_self(&tape, layer, next, look);
                assert_all_close(y->data, whole->data + at * D, (size_t)(n * D), 1e-5, 1e-5);
            }
        }
        tape_free(&tape);
    }
    params_free(&model.params);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_all_forms_are_one),
        cmocka_unit_test(test_any_mask),
        cmocka_unit_test(test_weights_change_nothing),
        cmocka_unit_test(test_heads_by_hand),
        cmocka_unit_test(test_positions_reach_the_scores),
        cmocka_unit_test(test_lengths_belong_to_the_batch),
        cmocka_unit_test(test_dropout_only_while_recording),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_wrong_use),
        cmocka_unit_test(test_cache_equals_the_whole_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
