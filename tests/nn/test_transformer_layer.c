#include "support/gradient_check.h"

#include "nn/transformer_layer.h"

enum { B = 2, L = 4, S = 3, D = 8 };

static const LayerConfig plain = {.d_model = D, .heads = 2, .d_ff = 12};

typedef struct Model {
    Params params;
    EncoderLayer encoder;
    DecoderLayer decoder;
} Model;

static Model model_new(LayerConfig config) {
    Model model = {.params = params_new()};
    model.encoder = encoder_layer_new(&model.params, "encoder", config);
    model.decoder = decoder_layer_new(&model.params, "decoder", config);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&model.params, &rng);
    fill_random(model.params.data, model.params.size, -.5f, .5f, &rng); /* biases, too */
    return model;
}

static Tensor *random_x(Tape *tape, const char *name, int length) {
    Rng rng = rng_seeded(9, (uint64_t)length);
    return random_variable(tape, &rng, name, SHAPE(B, length, D));
}

/* ---- parameters ---- */

static size_t numbers_of(LayerConfig config, bool decoder) {
    Params params = params_new();
    if (decoder) {
        decoder_layer_new(&params, "layer", config);
    } else {
        encoder_layer_new(&params, "layer", config);
    }
    size_t count = params_count_numbers(&params); /* declared, never allocated */
    params_free(&params);
    return count;
}

/* Vaswani et al. 2017, the base model: d_model 512, d_ff 2048, biases everywhere. */
static void test_parameters_of_the_base_model(void **state) {
    (void)state;
    LayerConfig base = {.d_model = 512, .heads = 8, .d_ff = 2048};
    size_t attention = 4 * (512 * 512 + 512), norm = 2 * 512;
    size_t ff = 512 * 2048 + 2048 + 2048 * 512 + 512;
    assert_int_equal(numbers_of(base, false), attention + ff + 2 * norm);
    assert_int_equal(numbers_of(base, true), 2 * attention + ff + 3 * norm);
    base.separate = true;
    assert_int_equal(numbers_of(base, false), attention + ff + 2 * norm);
    base.heads = 1; /* heads cost nothing */
    assert_int_equal(numbers_of(base, true), 2 * attention + ff + 3 * norm);
}

static void test_names(void **state) {
    (void)state;
    Model model = model_new(plain);
    const char *const names[] = {"encoder.self.qkv.w",    "encoder.self.out.bias",
                                 "encoder.ff.in.w",       "encoder.norm2.gain",
                                 "decoder.cross.q.w",     "decoder.cross.v.bias",
                                 "decoder.self.qkv.bias", "decoder.norm3.bias"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_non_null(params_find(&model.params, names[i]));
    }
    params_free(&model.params);
    LayerConfig three = plain;
    three.separate = true;
    model = model_new(three);
    assert_non_null(params_find(&model.params, "encoder.self.k.w"));
    assert_non_null(params_find(&model.params, "decoder.self.k.w"));
    assert_null(params_find(&model.params, "decoder.self.qkv.w"));
    params_free(&model.params);
}

/* ---- pre-LN and post-LN ---- */

/* Written out once more, as the formulas say. */
static Tensor *encoder_by_formula(Tape *tape, const EncoderLayer *l, Tensor *x) {
    if (l->config.post_ln) {
        Tensor *a = multi_head_self(tape, &l->self, x, (Look){0});
        x = layernorm_forward(tape, &l->norm1, op_add(tape, x, a));
        Tensor *f = feed_forward_forward(tape, &l->ff, x, 0.0f, 0);
        return layernorm_forward(tape, &l->norm2, op_add(tape, x, f));
    }
    Tensor *a = multi_head_self(tape, &l->self, layernorm_forward(tape, &l->norm1, x), (Look){0});
    x = op_add(tape, x, a);
    Tensor *n = layernorm_forward(tape, &l->norm2, x);
    return op_add(tape, x, feed_forward_forward(tape, &l->ff, n, 0.0f, 0));
}

/* Fault 15. That both equal the reference values is for the golden files. */
static void test_pre_and_post_norm(void **state) {
    (void)state;
    float y[2][B * L * D];
    for (int post = 0; post < 2; post++) {
        LayerConfig config = plain;
        config.post_ln = post;
        Model model = model_new(config);
        Tape tape = tape_new();
        Tensor *x = random_x(&tape, "x", L);
        Tensor *out = encoder_layer_forward(&tape, &model.encoder, x, (Look){0}, NULL);
        assert_shape(out, B, L, D);
        memcpy(y[post], out->data, sizeof y[post]);
        Tensor *formula = encoder_by_formula(&tape, &model.encoder, x);
        assert_all_close(y[post], formula->data, B * L * D, 1e-6, 1e-6);
        tape_free(&tape);
        params_free(&model.params);
    }
    for (int i = 0; i < B * L * D; i++) {
        assert_true(fabsf(y[0][i] - y[1][i]) > 1e-6f);
    }
}

static void test_decoder_layer_looks_at_both(void **state) {
    (void)state;
    for (int post = 0; post < 2; post++) {
        LayerConfig config = plain;
        config.post_ln = post;
        Model model = model_new(config);
        Tape tape = tape_new();
        Tensor *x = random_x(&tape, "x", L), *memory = random_x(&tape, "memory", S);
        Look self = {.causal = true}, cross = {.key_length = (const int[]){2, 3}};
        Tensor *y = decoder_layer_forward(&tape, &model.decoder, x, self, memory, cross, NULL);
        assert_shape(y, B, L, D);
        CrossMemory once = multi_head_memory(&tape, &model.decoder.cross, memory);
        Tensor *with =
            decoder_layer_forward_with(&tape, &model.decoder, x, self, once, cross, NULL);
        assert_same_bits(with->data, y->data, B * L * D);
        for (int d = 0; d < D; d++) { /* back from token 1 of the first sequence alone */
            y->grad[D + d] = (float)(d + 1);
        }
        tape_backward_from(&tape, y);
        for (int i = 0; i < B * L * D; i++) { /* tokens 0 and 1 of it */
            assert_int_equal(x->grad[i] != 0.0f, i < 2 * D);
        }
        for (int i = 0; i < B * S * D; i++) { /* its memory without the padding */
            assert_int_equal(memory->grad[i] != 0.0f, i < 2 * D);
        }
        tape_free(&tape);
        params_free(&model.params);
    }
}

/* ---- dropout ---- */

static void test_every_call_drops_others(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(1000));
    for (int i = 0; i < 1000; i++) {
        x->data[i] = 1.0f;
    }
    Dropout one = {.key = 5}, again = {.key = 5}, other = {.key = 6};
    Tensor *a = dropout_forward(&tape, x, .5f, &one), *b = dropout_forward(&tape, x, .5f, &one);
    Tensor *c = dropout_forward(&tape, x, .5f, &again), *d = dropout_forward(&tape, x, .5f, &other);
    assert_int_equal(one.drawn, 2);
    assert_same_bits(c->data, a->data, 1000);
    int same_b = 0, same_d = 0;
    for (int i = 0; i < 1000; i++) {
        same_b += a->data[i] == b->data[i];
        same_d += a->data[i] == d->data[i];
    }
    assert_in_range(same_b, 400, 600); /* independent: half of them */
    assert_in_range(same_d, 400, 600);
    assert_ptr_equal(dropout_forward(&tape, x, .5f, NULL), x);
    assert_ptr_equal(dropout_forward(&tape, x, 0.0f, &one), x);
    tape.recording = false;
    assert_ptr_equal(dropout_forward(&tape, x, .5f, &one), x);
    assert_int_equal(one.drawn, 2);
    tape_free(&tape);
}

/* Each of the two rates is for its own places: one draw for every attention, or one for every
 * sublayer's result and one inside each feed-forward network. */
static void test_each_rate_for_its_own_places(void **state) {
    (void)state;
    for (int attention = 0; attention < 2; attention++) {
        LayerConfig config = plain;
        *(attention ? &config.attention_dropout : &config.dropout) = .3f;
        Model model = model_new(config);
        Tape tape = tape_new();
        Dropout dropout = {.key = 1};
        Tensor *memory = random_x(&tape, "memory", S), *x = random_x(&tape, "x", L);
        Tensor *whole = encoder_layer_forward(&tape, &model.encoder, x, (Look){0}, NULL);
        x = encoder_layer_forward(&tape, &model.encoder, x, (Look){0}, &dropout);
        assert_int_equal(dropout.drawn, attention ? 1 : 3);
        assert_true(memcmp(x->data, whole->data, B * L * D * sizeof(float)) != 0);
        decoder_layer_forward(&tape, &model.decoder, x, (Look){.causal = true}, memory, (Look){0},
                              &dropout);
        assert_int_equal(dropout.drawn, attention ? 1 + 2 : 3 + 4);
        tape_free(&tape);
        params_free(&model.params);
    }
}

/* The same key drops the same units; another one others; evaluation none. */
static void test_dropout_in_layers(void **state) {
    (void)state;
    LayerConfig config = plain;
    config.dropout = config.attention_dropout = .3f;
    Model model = model_new(config);
    float y[4][B * L * D];
    for (int run = 0; run < 4; run++) { /* keys 1, 1, 2; then none */
        Tape tape = tape_new();
        Dropout dropout = {.key = run == 2 ? 2 : 1};
        Tensor *x = random_x(&tape, "x", L), *memory = random_x(&tape, "memory", S);
        Dropout *used = run == 3 ? NULL : &dropout;
        x = encoder_layer_forward(&tape, &model.encoder, x, (Look){0}, used);
        x = decoder_layer_forward(&tape, &model.decoder, x, (Look){.causal = true}, memory,
                                  (Look){0}, used);
        assert_int_equal(dropout.drawn, run == 3 ? 0 : 4 + 6);
        memcpy(y[run], x->data, sizeof y[run]);
        if (run == 3) {
            tape.recording = false;
            dropout = (Dropout){.key = 1};
            x = encoder_layer_forward(&tape, &model.encoder, random_x(&tape, "x", L), (Look){0},
                                      &dropout);
            x = decoder_layer_forward(&tape, &model.decoder, x, (Look){.causal = true}, memory,
                                      (Look){0}, &dropout);
            assert_same_bits(x->data, y[3], B * L * D);
        }
        tape_free(&tape);
    }
    assert_same_bits(y[1], y[0], B * L * D);
    assert_true(memcmp(y[2], y[0], sizeof y[0]) != 0);
    assert_true(memcmp(y[3], y[0], sizeof y[0]) != 0);
    params_free(&model.params);
}

/* ---- gradients ---- */

static Tensor *encoder_graph(Tape *tape, Tensor *const *in, const void *context) {
    const Model *model = context;
    EncoderLayer layer = model->encoder;
    layer.norm1 = (LayerNorm){in[1], in[2], 1e-5f};
    layer.self.qkv.w = in[3];
    layer.ff.in.w = in[4];
    Dropout dropout = {.key = 3};
    bool recording = tape->recording;
    tape->recording =
        true; /* the check's forward passes do not record, but shall drop units, too */
    Tensor *y = encoder_layer_forward(tape, &layer, in[0], (Look){.causal = true}, &dropout);
    tape->recording = recording;
    return y;
}

static Tensor *decoder_graph(Tape *tape, Tensor *const *in, const void *context) {
    const Model *model = context;
    DecoderLayer layer = model->decoder;
    layer.cross.k.w = in[2];
    layer.norm3 = (LayerNorm){in[3], in[4], 1e-5f};
    return decoder_layer_forward(tape, &layer, in[0], (Look){.causal = true}, in[1],
                                 (Look){.key_length = (const int[]){1, 3}}, NULL);
}

static void test_gradients(void **state) {
    (void)state;
    for (int form = 0; form < 4; form++) {
        LayerConfig config = {.d_model = D,
                              .heads = 2,
                              .d_ff = 6,
                              .activation = ACTIVATION_GELU,
                              .post_ln = form % 2,
                              .dropout = (float)(form / 2) * .3f};
        Model model = model_new(config);
        gradient_check(encoder_graph, &model, INPUT("x", B, L, D), INPUT("gain", D),
                       INPUT("bias", D), {.name = "qkv.w", INPUT_SHAPE(3 * D, D), .reach = .5f},
                       {.name = "ff.in.w", INPUT_SHAPE(6, D), .reach = .5f});
        gradient_check(decoder_graph, &model, INPUT("x", B, L, D), INPUT("memory", B, S, D),
                       {.name = "cross.k.w", INPUT_SHAPE(D, D), .reach = .5f}, INPUT("gain", D),
                       INPUT("bias", D));
        params_free(&model.params);
    }
}

static void test_wrong_use(void **state) {
    (void)state;
    Params params = params_new();
    expect_exact_message(
        "multi_head: d_model 8 is not divisible by 3 heads",
        encoder_layer_new(&params, "layer", (LayerConfig){.d_model = 8, .heads = 3, .d_ff = 8}));
    Model model = model_new(plain);
    Tape tape = tape_new();
    Tensor *narrow = tape_constant(&tape, "narrow", NULL, SHAPE(B, L, D - 1));
    Tensor *x = random_x(&tape, "x", L);
    expect_check_message("narrow (2, 4, 7)",
                         encoder_layer_forward(&tape, &model.encoder, narrow, (Look){0}, NULL));
    expect_exact_message(
        "multi_head_memory: narrow (2, 4, 7): needed is (B, L, 8)",
        decoder_layer_forward(&tape, &model.decoder, x, (Look){0}, narrow, (Look){0}, NULL));
    tape_free(&tape);
    params_free(&params);
    params_free(&model.params);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters_of_the_base_model),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_pre_and_post_norm),
        cmocka_unit_test(test_decoder_layer_looks_at_both),
        cmocka_unit_test(test_every_call_drops_others),
        cmocka_unit_test(test_each_rate_for_its_own_places),
        cmocka_unit_test(test_dropout_in_layers),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_wrong_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
