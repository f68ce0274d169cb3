#include "support/gradient_check.h"

#include "nn/encoder_only.h"

enum { B = 3, L = 5, D = 8, V = 7 };

static const TransformerConfig small = {.layer = {.d_model = D, .heads = 2, .d_ff = 12},
                                        .encoder_layers = 2,
                                        .position = POSITION_SINUSOIDAL,
                                        .max_length = L};
static const int ids[B * L] = {1, 2, 3, 4, 5, 6, 6, 0, 0, 0, 2, 4, 1, 0, 0};
static const int length[B] = {5, 2, 3};

typedef struct Model {
    Params params;
    EncoderOnly net;
} Model;

static Model model_new(TransformerConfig config) {
    Model model = {.params = params_new()};
    model.net = encoder_only_new(&model.params, "model", V, config);
    Rng rng = rng_seeded(3, 0);
    params_allocate(&model.params, &rng);
    return model;
}

/* A sequence alone and padded in a batch: the same states, the same mean. */
static void test_padding_leaves_no_trace(void **state) {
    (void)state;
    for (int form = 0; form < 10; form++) {
        TransformerConfig config = small;
        config.position = (PositionKind)(form / 2);
        config.layer.post_ln = form % 2;
        Model model = model_new(config);
        Tape tape = tape_new();
        Tensor *x = encoder_only_forward(&tape, &model.net, ids, length, B, L, NULL, NULL);
        Tensor *mean = mean_pool(&tape, x, length);
        assert_shape(x, B, L, D);
        assert_shape(mean, B, D);
        for (int b = 0; b < B; b++) {
            int n = length[b];
            Tensor *alone =
                encoder_only_forward(&tape, &model.net, ids + b * L, NULL, 1, n, NULL, NULL);
            assert_all_close(x->data + b * L * D, alone->data, (size_t)(n * D), 1e-5, 1e-5);
            Tensor *mean_alone = mean_pool(&tape, alone, NULL);
            assert_all_close(mean->data + b * D, mean_alone->data, D, 1e-5, 1e-5);
        }
        tape_free(&tape);
        params_free(&model.params);
    }
}

/* Without positions two tokens that change places change places in the output, too; with positions
 * they do not. */
static void test_order(void **state) {
    (void)state;
    const PositionKind kinds[] = {POSITION_NONE, POSITION_SINUSOIDAL, POSITION_LEARNED,
                                  POSITION_ROPE};
    for (int k = 0; k < 4; k++) {
        TransformerConfig config = small;
        config.position = kinds[k];
        Model model = model_new(config);
        Tape tape = tape_new();
        Tensor *a =
            encoder_only_forward(&tape, &model.net, (const int[]){1, 2, 3}, NULL, 1, 3, NULL, NULL);
        Tensor *b =
            encoder_only_forward(&tape, &model.net, (const int[]){2, 1, 3}, NULL, 1, 3, NULL, NULL);
        float most = 0.0f;
        for (int d = 0; d < D; d++) {
            most = fmaxf(most, fabsf(a->data[d] - b->data[D + d]));
            most = fmaxf(most, fabsf(a->data[2 * D + d] - b->data[2 * D + d]));
        }
        assert_int_equal(most < 1e-5f, kinds[k] == POSITION_NONE);
        assert_true(k == 0 || most > 1e-2f);
        tape_free(&tape);
        params_free(&model.params);
    }
}

/* Every token sees every real one. */
static void test_trace(void **state) {
    (void)state;
    Model model = model_new(small);
    Tape tape = tape_new();
    AttentionTrace trace = {0};
    Tensor *plain = encoder_only_forward(&tape, &model.net, ids, length, B, L, NULL, NULL);
    Tensor *traced = encoder_only_forward(&tape, &model.net, ids, length, B, L, NULL, &trace);
    assert_same_bits(traced->data, plain->data, B * L * D);
    assert_null(trace.decoder[0]);
    assert_null(trace.encoder[2]);
    for (int i = 0; i < 2; i++) {
        assert_shape(trace.encoder[i], B, 2, L, L);
        for (int j = 0; j < B * 2 * L * L; j++) {
            assert_int_equal(trace.encoder[i]->data[j] > 0.0f, j % L < length[j / (2 * L * L)]);
        }
    }
    tape_free(&tape);
    params_free(&model.params);
}

/* Fault 17. */
static void test_layers_differ(void **state) {
    (void)state;
    Model model = model_new(small);
    for (int i = 0; i < 3 * D * D; i++) {
        assert_true(model.net.layer[0].self.qkv.w->data[i] !=
                    model.net.layer[1].self.qkv.w->data[i]);
    }
    params_free(&model.params);
}

static void test_mean_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    const float values[] = {1, 2, 3, 4, 100, 100, 5, 6, 100, 100, 100, 100, 9, 9, 9, 9, 9, 9};
    Tensor *x = tape_variable(&tape, "x", values, SHAPE(3, 3, 2));
    Tensor *mean = mean_pool(&tape, x, (const int[]){2, 1, 0});
    assert_shape(mean, 3, 2);
    assert_data(mean, 1e-6, 2, 3, 5, 6, 0, 0);
    backward_ones(&tape, mean);
    assert_grad(x, 1e-6, .5f, .5f, .5f, .5f, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    assert_data(mean_pool(&tape, op_slice(&tape, x, 0, 1), NULL), 1e-5, 104.f / 3, 106.f / 3);
    tape_free(&tape);
}

static Tensor *mean_graph(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return mean_pool(tape, in[0], (const int[]){1, 4});
}

static void test_gradients(void **state) {
    (void)state;
    gradient_check(mean_graph, NULL, INPUT("x", 2, 4, 3));
}

static void test_wrong_use(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *flat = tape_constant(&tape, "flat", NULL, SHAPE(2, 3));
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(1, 3, 2));
    expect_exact_message("mean_pool: flat (2, 3): needed is (B, L, D)",
                         mean_pool(&tape, flat, NULL));
    expect_exact_message("mean_pool: length 4 in x (1, 3, 2)",
                         mean_pool(&tape, x, (const int[]){4}));
    Params params = params_new();
    TransformerConfig none = small;
    none.encoder_layers = 0;
    expect_exact_message("encoder_only: 0 layers: needed are 1 to 16",
                         encoder_only_new(&params, "model", V, none));
    params_free(&params);
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_padding_leaves_no_trace),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_layers_differ),
        cmocka_unit_test(test_mean_by_hand),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_wrong_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
