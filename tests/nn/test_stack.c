#include "support/tensors.h"

#include "nn/stack.h"

static const TransformerConfig pre = {.layer = {.d_model = 4, .heads = 2, .d_ff = 8}};

static void test_names(void **state) {
    (void)state;
    assert_string_equal(stack_layer_name("model", "encoder", 11).text, "model.encoder11");
    assert_string_equal(stack_layer_name(NULL, "layer", 0).text, "layer0");
}

/* Embeddings times sqrt(d_model) = 2, plus the position, and both learn. */
static void test_the_way_in(void **state) {
    (void)state;
    TransformerConfig config = pre;
    config.position = POSITION_SINUSOIDAL;
    Params params = params_new();
    Embedding words = embedding_new_small(&params, "words", 5, 4);
    Position position = stack_position(&params, "position", &config);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    float pe[2 * 4];
    sinusoidal_table(pe, 3, 2, 4);
    Tape tape = tape_new();
    const int ids[] = {1, 4, 4, 0, 1, 1};
    Tensor *x = stack_embed(&tape, &config, &words, &position, ids, 3, 2, 3, NULL);
    assert_shape(x, 3, 2, 4);
    for (int i = 0; i < 3 * 2 * 4; i++) {
        float word = words.table->data[ids[i / 4] * 4 + i % 4];
        assert_close(x->data[i], (double)(2.0f * word + pe[i % 8]), 1e-6, 1e-6);
    }
    backward_ones(&tape, x);
    for (int v = 0; v < 5; v++) {
        const float times[] = {1, 3, 0, 0, 2};
        assert_close(words.table->grad[4 * v], (double)(2 * times[v]), 1e-6, 0.0);
    }
    tape_free(&tape);
    params_free(&params);
}

static void test_dropout_on_the_way_in(void **state) {
    (void)state;
    TransformerConfig config = pre;
    config.layer.dropout = .5f;
    Params params = params_new();
    Embedding words = embedding_new_small(&params, "words", 5, 4);
    Position position = stack_position(&params, "position", &config);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    Tape tape = tape_new();
    Dropout dropout = {.key = 4};
    const int ids[50] = {0};
    Tensor *x = stack_embed(&tape, &config, &words, &position, ids, 5, 10, 0, &dropout);
    Tensor *plain = stack_embed(&tape, &config, &words, &position, ids, 5, 10, 0, NULL);
    int dropped = 0;
    for (int i = 0; i < 200; i++) {
        dropped += x->data[i] == 0.0f;
        assert_true(x->data[i] == 0.0f || x->data[i] == 2.0f * plain->data[i]);
    }
    assert_in_range(dropped, 60, 140);
    tape_free(&tape);
    params_free(&params);
}

/* A pre-LN stack ends in a norm, a post-LN stack has none to declare. */
static void test_final_norm(void **state) {
    (void)state;
    TransformerConfig post = pre;
    post.layer.post_ln = true;
    Params params = params_new();
    LayerNorm none = stack_norm(&params, "none", &post);
    assert_int_equal(params.count, 0);
    LayerNorm norm = stack_norm(&params, "norm", &pre);
    assert_int_equal(params.count, 2);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", (const float[]){1, 0, 0, 0}, SHAPE(1, 1, 4));
    assert_ptr_equal(stack_finish(&tape, &none, x), x);
    assert_data(stack_finish(&tape, &norm, x), 2e-4, 1.732f, -.5773f, -.5773f, -.5773f);
    tape_free(&tape);
    params_free(&params);
}

static void test_output_layer(void **state) {
    (void)state;
    TransformerConfig tied = pre;
    tied.tied = true;
    Params params = params_new();
    Embedding words = embedding_new_small(&params, "words", 7, 4);
    Linear same = stack_output(&params, "out", &tied, &words, 7);
    assert_ptr_equal(same.w, words.table);
    assert_null(same.bias);
    assert_int_equal(params.count, 1);
    Linear own = stack_output(&params, "out", &pre, &words, 7);
    assert_shape(own.w, 7, 4);
    assert_shape(own.bias, 7);
    params_free(&params);
}

static void test_number_of_layers(void **state) {
    (void)state;
    stack_check_layers("stack", 1);
    stack_check_layers("stack", TRANSFORMER_MOST_LAYERS);
    expect_exact_message("stack: 0 layers: needed are 1 to 16", stack_check_layers("stack", 0));
    expect_exact_message("stack: 17 layers: needed are 1 to 16", stack_check_layers("stack", 17));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_the_way_in),
        cmocka_unit_test(test_dropout_on_the_way_in),
        cmocka_unit_test(test_final_norm),
        cmocka_unit_test(test_output_layer),
        cmocka_unit_test(test_number_of_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
