#include "support/gradient_check.h"

#include "nn/attention.h"
#include "nn/embedding.h"
#include "nn/gru.h"

/* The four scores behind one face: weights declared by the layer itself. */
typedef enum Score { ADDITIVE, DOT, GENERAL, CONCAT, SCORES } Score;

typedef struct Look {
    Score score;
    AdditiveAttention additive;
    LuongAttention luong;
} Look;

static Look look_new(Params *params, const char *name, Score score, int D, int A) {
    Look look = {.score = score};
    if (score == ADDITIVE) {
        look.additive = additive_new(params, name, D, D, A);
    } else {
        look.luong = luong_new(params, name, (LuongScore)(score - DOT), D, D, A);
    }
    return look;
}

static Attended look_at(Tape *tape, const Look *look, Tensor *query, Tensor *keys,
                        const Mask *mask) {
    Tensor *scores;
    if (look->score == ADDITIVE) {
        scores = additive_score(tape, &look->additive, query,
                                additive_keys(tape, &look->additive, keys));
    } else {
        scores = luong_score(tape, &look->luong, query, luong_keys(tape, &look->luong, keys));
    }
    return attend(tape, scores, keys, mask);
}

/* Weights for all four scores over states of size 3, and a tape to use them on. */
enum { D = 3, A = 4 };
typedef struct Fixture {
    Params params;
    Look look[SCORES];
    Rng rng;
    Tape tape;
} Fixture;

static Fixture fixture_new(void) {
    Fixture f = {.params = params_new(), .rng = rng_seeded(1, 0), .tape = tape_new()};
    static const char *const names[] = {"additive", "dot", "general", "concat"};
    for (int s = 0; s < SCORES; s++) {
        f.look[s] = look_new(&f.params, names[s], (Score)s, D, A);
    }
    params_allocate(&f.params, &f.rng);
    return f;
}

static void fixture_free(Fixture *f) {
    params_free(&f->params);
    tape_free(&f->tape);
}

static void test_context_is_the_weighted_sum(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *scores = tape_variable(&tape, "s", (const float[]){0, logf(3.0f), 1, 9}, SHAPE(2, 2));
    Tensor *values =
        tape_variable(&tape, "v", (const float[]){4, 8, 0, 16, 5, 6, 7, 8}, SHAPE(2, 2, 2));
    Mask mask = mask_padding(&tape.arena, (const int[]){2, 1}, 2, 2);
    Attended a = attend(&tape, scores, values, &mask);
    assert_shape(a.weights, 2, 2);
    assert_shape(a.context, 2, 2);
    assert_data(a.weights, 1e-6, 0.25f, 0.75f, 1, 0);
    assert_data(a.context, 1e-5, 1, 14, 5, 6);
    backward_ones(&tape, a.context);
    assert_grad(values, 1e-6, 0.25f, 0.25f, 0.75f, 0.75f, 1, 1, 0, 0);
    assert_grad(scores, 1e-5, 0.1875f * (12 - 16), 0.1875f * (16 - 12), 0, 0);
    tape_free(&tape);
}

/* q = (1, -1), keys (2, 0) and (0.5, 1), W_q = diag(1, 2), W_k = (0 1; 1 0), v = (3, -1). */
static void test_fault_10_additive_score_has_its_tanh(void **state) {
    (void)state;
    Tape tape = tape_new();
    AdditiveAttention look = {
        .w_q = tape_constant(&tape, "w_q", (const float[]){1, 0, 0, 2}, SHAPE(2, 2)),
        .w_k = tape_constant(&tape, "w_k", (const float[]){0, 1, 1, 0}, SHAPE(2, 2)),
        .v = tape_constant(&tape, "v", (const float[]){3, -1}, SHAPE(2)),
    };
    Tensor *query = tape_constant(&tape, "q", (const float[]){1, -1}, SHAPE(1, 2));
    Tensor *keys = tape_constant(&tape, "k", (const float[]){2, 0, 0.5f, 1}, SHAPE(1, 2, 2));
    const Tensor *scores = additive_score(&tape, &look, query, additive_keys(&tape, &look, keys));
    assert_shape(scores, 1, 2);
    /* 3 tanh(1 + 0) - tanh(-2 + 2) and 3 tanh(1 + 1) - tanh(-2 + .5); without the tanh 3 and 7.5 */
    assert_close((double)scores->data[0], 3 * tanh(1.0), 1e-6, 0.0);
    assert_close((double)scores->data[1], 3 * tanh(2.0) + tanh(1.5), 1e-6, 0.0);
    tape_free(&tape);
}

static void test_luong_scores_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *query = tape_constant(&tape, "q", (const float[]){1, -1}, SHAPE(1, 2));
    Tensor *keys = tape_constant(&tape, "k", (const float[]){2, 0, 0.5f, 1}, SHAPE(1, 2, 2));
    LuongAttention dot = {.score = LUONG_DOT};
    assert_data(luong_score(&tape, &dot, query, luong_keys(&tape, &dot, keys)), 1e-6, 2, -0.5f);
    LuongAttention general = {.score = LUONG_GENERAL};
    general.w = tape_constant(&tape, "w", (const float[]){1, 2, 3, 4}, SHAPE(2, 2));
    /* W k = (2, 6) and (2.5, 5.5); the transposed W would give (2, 4) and (3.5, 5) */
    assert_data(luong_score(&tape, &general, query, luong_keys(&tape, &general, keys)), 1e-6, -4,
                -3);
    LuongAttention concat = {.score = LUONG_CONCAT};
    concat.w = tape_constant(&tape, "w", (const float[]){1, 0, 0, 1, 0, 1, 1, 0}, SHAPE(2, 4));
    concat.v = tape_constant(&tape, "v", (const float[]){3, -1}, SHAPE(2));
    const Tensor *scores = luong_score(&tape, &concat, query, luong_keys(&tape, &concat, keys));
    /* [q; k] = (1, -1, 2, 0): W gives (1 + 0, -1 + 2); (1, -1, .5, 1): (1 + 1, -1 + .5) */
    assert_close((double)scores->data[0], 3 * tanh(1.0) - tanh(1.0), 1e-6, 0.0);
    assert_close((double)scores->data[1], 3 * tanh(2.0) - tanh(-0.5), 1e-6, 0.0);
    tape_free(&tape);
}

static void test_fault_01_the_encoder_is_looked_at(void **state) {
    (void)state;
    Fixture f = fixture_new();
    for (int s = 0; s < SCORES; s++) {
        tape_reset(&f.tape);
        Tensor *query = random_constant(&f.tape, &f.rng, "q", SHAPE(1, D));
        Tensor *keys = random_constant(&f.tape, &f.rng, "k", SHAPE(1, 5, D));
        const Tensor *before = look_at(&f.tape, &f.look[s], query, keys, NULL).weights;
        keys->data[2 * D + 1] += 0.5f; /* one encoder state: every weight changes */
        const Tensor *after = look_at(&f.tape, &f.look[s], query, keys, NULL).weights;
        for (int k = 0; k < 5; k++) {
            assert_true(fabsf(after->data[k] - before->data[k]) > 1e-4f);
        }
    }
    fixture_free(&f);
}

static void test_fault_01_permuted_source_permutes_the_weights(void **state) {
    (void)state;
    Fixture f = fixture_new();
    static const int order[] = {3, 0, 4, 1, 2};
    for (int s = 0; s < SCORES; s++) {
        tape_reset(&f.tape);
        Tensor *query = random_constant(&f.tape, &f.rng, "q", SHAPE(1, D));
        Tensor *keys = random_constant(&f.tape, &f.rng, "k", SHAPE(1, 5, D));
        Tensor *moved = tape_constant(&f.tape, "moved", NULL, SHAPE(1, 5, D));
        for (int k = 0; k < 5; k++) {
            memcpy(moved->data + k * D, keys->data + order[k] * D, D * sizeof(float));
        }
        Attended a = look_at(&f.tape, &f.look[s], query, keys, NULL);
        Attended b = look_at(&f.tape, &f.look[s], query, moved, NULL);
        for (int k = 0; k < 5; k++) {
            assert_close((double)b.weights->data[k], (double)a.weights->data[order[k]], 1e-6, 0.0);
        }
        assert_all_close(b.context->data, a.context->data, D, 1e-6, 1e-6);
    }
    fixture_free(&f);
}

/* A small translator: source ids -> GRU states -> attention -> loss. */
typedef struct Translator {
    Params params;
    Embedding embedding;
    BiGru encoder;
    Look look;
    Tensor *query, *out;
} Translator;

static Translator translator_new(Score score) {
    Translator m = {.params = params_new()};
    m.embedding = embedding_new(&m.params, "embedding", 9, D);
    m.encoder = bigru_new(&m.params, "encoder", D, D, 0.0f);
    m.look = look_new(&m.params, "look", score, 2 * D, A);
    m.query = params_add(&m.params, "", "query", init_normal(1.0f), 2, (const int[]){1, 2 * D});
    m.out = params_add(&m.params, "", "out", init_xavier(), 2, (const int[]){9, 2 * D});
    Rng rng = rng_seeded(2, 0);
    params_allocate(&m.params, &rng);
    return m;
}

/* ids (T, B), time-major; returns the context (B, 2 D) and sets the loss. */
static Tensor *translator_run(const Translator *m, Tape *tape, const int *ids, int T, int B,
                              const int *len, Tensor **loss) {
    static const int targets[] = {4, 7};
    Tensor *x = embedding_forward(tape, &m->embedding, ids, T, B);
    Tensor *keys = attention_batch_first(tape, bigru_forward(tape, &m->encoder, x, len));
    Mask mask = mask_padding(&tape->arena, len, B, T);
    Tensor *const same[] = {m->query, m->query};
    Tensor *query = op_concat(tape, 0, same, B);
    Tensor *context = look_at(tape, &m->look, query, keys, &mask).context;
    Tensor *logits = op_linear(tape, context, m->out, NULL);
    *loss = op_cross_entropy(tape, logits, targets, (CrossEntropy){.ignore = 0});
    return context;
}

/* [5 7] alone, and in a batch behind a sentence of four: [5 7 PAD PAD]. */
static void test_fault_03_padding_is_not_attended(void **state) {
    (void)state;
    for (int s = 0; s < SCORES; s++) {
        Translator m = translator_new((Score)s);
        Tape tape = tape_new();
        Tensor *loss, *loss_padded, *loss_both;
        const Tensor *alone =
            translator_run(&m, &tape, (const int[]){5, 7}, 2, 1, (const int[]){2}, &loss);
        const Tensor *padded = translator_run(&m, &tape, (const int[]){5, 7, 0, 0}, 4, 1,
                                              (const int[]){2}, &loss_padded);
        const int both_ids[] = {5, 3, 7, 8, 0, 2, 0, 6};
        const Tensor *both =
            translator_run(&m, &tape, both_ids, 4, 2, (const int[]){2, 4}, &loss_both);
        assert_all_close(padded->data, alone->data, 2 * D, 1e-6, 1e-6);
        assert_all_close(both->data, alone->data, 2 * D, 1e-6, 1e-6);
        assert_close((double)loss_padded->data[0], (double)loss->data[0], 1e-6, 1e-6);
        params_zero_grad(&m.params);
        tape_backward(&tape, loss_padded);
        for (int i = 0; i < D; i++) { /* and the padding's embedding learns nothing */
            assert_true(m.embedding.table->grad[i] == 0.0f);
        }
        tape_free(&tape);
        params_free(&m.params);
    }
}

static void test_fault_04_nothing_to_look_at(void **state) {
    (void)state;
    Fixture f = fixture_new();
    for (int s = 0; s < SCORES; s++) {
        tape_reset(&f.tape);
        params_zero_grad(&f.params);
        Tensor *query = random_variable(&f.tape, &f.rng, "q", SHAPE(2, D));
        Tensor *keys = random_variable(&f.tape, &f.rng, "k", SHAPE(2, 4, D));
        Mask mask = mask_padding(&f.tape.arena, (const int[]){0, 3}, 2, 4);
        Attended a = look_at(&f.tape, &f.look[s], query, keys, &mask);
        backward_random(&f.tape, a.context, 1);
        for (int i = 0; i < D; i++) {
            assert_true(a.context->data[i] == 0.0f);
            assert_true(query->grad[i] == 0.0f);
            assert_true(a.context->data[D + i] != 0.0f);
            assert_true(query->grad[D + i] != 0.0f);
        }
        for (int i = 0; i < 4 * D; i++) {
            assert_true(keys->grad[i] == 0.0f);
        }
        assert_int_equal(tensor_find_nonfinite(keys->grad, 8 * D), -1);
        assert_int_equal(tensor_find_nonfinite(f.params.grad, f.params.size), -1);
    }
    fixture_free(&f);
}

static void test_additive_score_equals_its_composition(void **state) {
    (void)state;
    static const int sizes[][3] = {{1, 1, 1}, {2, 5, 3}, {3, 7, 17}, {2, 3, 33}};
    for (int i = 0; i < 4; i++) {
        Tape one = tape_new(), two = tape_new();
        Rng rng = rng_seeded(1, 0), same = rng_seeded(1, 0);
        int B = sizes[i][0], S = sizes[i][1], W = sizes[i][2];
        Tensor *q = random_variable(&one, &rng, "q", SHAPE(B, W));
        Tensor *k = random_variable(&one, &rng, "k", SHAPE(B, S, W));
        Tensor *v = random_variable(&one, &rng, "v", SHAPE(W));
        Tensor *q2 = random_variable(&two, &same, "q", SHAPE(B, W));
        Tensor *k2 = random_variable(&two, &same, "k", SHAPE(B, S, W));
        Tensor *v2 = random_variable(&two, &same, "v", SHAPE(W));
        Tensor *fused = op_additive_score(&one, q, k, v);
        Tensor *hidden = op_tanh(&two, op_add_middle(&two, k2, q2));
        Tensor *composed = op_sum_last(&two, op_mul(&two, hidden, v2));
        backward_random(&one, fused, 3);
        backward_random(&two, composed, 3);
        assert_true(tensor_same_shape(fused, composed));
        assert_all_close(fused->data, composed->data, tensor_size(fused), 1e-5, 1e-5);
        assert_all_close(q->grad, q2->grad, tensor_size(q), 1e-5, 1e-5);
        assert_all_close(k->grad, k2->grad, tensor_size(k), 1e-5, 1e-5);
        assert_all_close(v->grad, v2->grad, tensor_size(v), 1e-5, 1e-5);
        tape_free(&one);
        tape_free(&two);
    }
}

static Tensor *additive_graph(Tape *tape, Tensor *const *in, const void *context) {
    AdditiveAttention look = {in[2], in[3], in[4]};
    Mask mask = mask_padding(&tape->arena, (const int[]){3, 0}, 2, 5);
    Tensor *scores = additive_score(tape, &look, in[0], additive_keys(tape, &look, in[1]));
    Attended a = attend(tape, scores, in[1], context != NULL ? &mask : NULL);
    return op_concat(tape, 1, (Tensor *const[]){a.context, a.weights}, 2);
}

static Tensor *luong_graph(Tape *tape, Tensor *const *in, const void *context) {
    const LuongScore *score = context;
    LuongAttention look = {*score, in[2], in[3]};
    Tensor *scores = luong_score(tape, &look, in[0], luong_keys(tape, &look, in[1]));
    return attend(tape, scores, in[1], NULL).context;
}

static void test_gradients(void **state) {
    (void)state;
    for (int masked = 0; masked < 2; masked++) {
        gradient_check(additive_graph, masked ? "mask" : NULL, INPUT("q", 2, 3),
                       INPUT("k", 2, 5, 4), INPUT("w_q", 7, 3), INPUT("w_k", 7, 4), INPUT("v", 7));
    }
    LuongScore dot = LUONG_DOT, general = LUONG_GENERAL, concat = LUONG_CONCAT;
    gradient_check(luong_graph, &dot, INPUT("q", 2, 3), INPUT("k", 2, 5, 3), INPUT("unused", 1),
                   INPUT("unused too", 1));
    gradient_check(luong_graph, &general, INPUT("q", 3, 2), INPUT("k", 3, 1, 5), INPUT("w", 2, 5),
                   INPUT("unused", 1));
    gradient_check(luong_graph, &concat, INPUT("q", 2, 3), INPUT("k", 2, 7, 4), INPUT("w", 5, 7),
                   INPUT("v", 5));
}

static void test_weights_are_declared_with_their_shapes(void **state) {
    (void)state;
    Params params = params_new();
    AdditiveAttention additive = additive_new(&params, "a", 5, 6, 7);
    LuongAttention general = luong_new(&params, "g", LUONG_GENERAL, 5, 6, 7);
    LuongAttention concat = luong_new(&params, "c", LUONG_CONCAT, 5, 6, 7);
    LuongAttention dot = luong_new(&params, "d", LUONG_DOT, 6, 6, 7);
    assert_shape(additive.w_q, 7, 5);
    assert_shape(additive.w_k, 7, 6);
    assert_shape(additive.v, 7);
    assert_shape(general.w, 5, 6);
    assert_shape(concat.w, 7, 11);
    assert_shape(concat.v, 7);
    assert_null(general.v);
    assert_null(dot.w);
    assert_null(dot.v);
    assert_string_equal(concat.w->name, "c.w");
    assert_int_equal(params.count, 6);
    params_free(&params);
}

static void test_bad_shapes_stop(void **state) {
    (void)state;
    Tape tape = tape_new();
    Params params = params_new();
    Tensor *q = tape_constant(&tape, "q", NULL, SHAPE(2, 3));
    Tensor *k = tape_constant(&tape, "k", NULL, SHAPE(2, 5, 4));
    Tensor *v = tape_constant(&tape, "v", NULL, SHAPE(3));
    LuongAttention dot = {.score = LUONG_DOT};
    expect_exact_message("attend: q (2, 3) over k (2, 5, 4): needed are (B, S) and (B, S, D)",
                         attend(&tape, q, k, NULL));
    expect_exact_message("attention_batch_first: q (2, 3) must be (S, B, D)",
                         attention_batch_first(&tape, q));
    expect_exact_message("additive_score: query q (2, 3), keys k (2, 5, 4) and v v (3): needed are "
                         "(B, A), (B, S, A) and (A)",
                         op_additive_score(&tape, q, k, v));
    expect_exact_message(
        "luong_new: the dot score needs queries and keys of one size, not 3 and 4; "
        "general and concat cope",
        luong_new(&params, "look", LUONG_DOT, 3, 4, 0));
    expect_exact_message(
        "luong_score: query q (2, 3) and keys k (2, 5, 4): a dot product needs the "
        "same size, 3 != 4",
        luong_score(&tape, &dot, q, k));
    params_free(&params);
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_context_is_the_weighted_sum),
        cmocka_unit_test(test_fault_10_additive_score_has_its_tanh),
        cmocka_unit_test(test_luong_scores_by_hand),
        cmocka_unit_test(test_fault_01_the_encoder_is_looked_at),
        cmocka_unit_test(test_fault_01_permuted_source_permutes_the_weights),
        cmocka_unit_test(test_fault_03_padding_is_not_attended),
        cmocka_unit_test(test_fault_04_nothing_to_look_at),
        cmocka_unit_test(test_additive_score_equals_its_composition),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_weights_are_declared_with_their_shapes),
        cmocka_unit_test(test_bad_shapes_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
