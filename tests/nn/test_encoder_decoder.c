#include "support/tensors.h"

#include "nn/transformer.h"

#include <stdlib.h>

enum { B = 3, S = 6, T = 5, D = 16, V = 11, W = 9 }; /* V source words, W target words */

static const TransformerConfig small = {.layer = {.d_model = D, .heads = 4, .d_ff = 24},
                                        .encoder_layers = 2,
                                        .decoder_layers = 3,
                                        .position = POSITION_SINUSOIDAL,
                                        .max_length = 12};
static const int source_length[B] = {6, 2, 4};

typedef struct Model {
    Params params;
    Transformer net;
    int source[B * S], target[B * T], labels[B * T];
} Model;

static Model model_new(TransformerConfig config) {
    Model model = {.params = params_new()};
    model.net = transformer_new(&model.params, "model", V, W, config);
    Rng rng = rng_seeded(3, 0);
    params_allocate(&model.params, &rng);
    for (int i = 0; i < B * S; i++) {
        bool real = i % S < source_length[i / S];
        model.source[i] = real ? 1 + (int)rng_below(&rng, V - 1) : 0;
    }
    for (int i = 0; i < B * T; i++) {
        model.target[i] = (int)rng_below(&rng, W);
        model.labels[i] = (int)rng_below(&rng, W);
    }
    return model;
}

static Tensor *logits_of(Tape *tape, const Model *model, const int *target, Dropout *dropout,
                         AttentionTrace *trace) {
    Tensor *memory =
        transformer_encode(tape, &model->net, model->source, source_length, B, S, dropout, trace);
    assert_shape(memory, B, S, D);
    Tensor *logits =
        transformer_decode(tape, &model->net, target, B, T, memory, source_length, dropout, trace);
    assert_shape(logits, B, T, W);
    return logits;
}

static Tensor *loss_of(Tape *tape, const Model *model, Dropout *dropout, AttentionTrace *trace) {
    Tensor *logits = logits_of(tape, model, model->target, dropout, trace);
    return op_cross_entropy(tape, logits, model->labels, (CrossEntropy){.ignore = -1});
}

/* ---- parameters ---- */

/* The base model of Vaswani et al. 2017 with 32000 words, counted without making it. */
static void test_parameters_of_the_base_model(void **state) {
    (void)state;
    TransformerConfig base = {.layer = {.d_model = 512, .heads = 8, .d_ff = 2048},
                              .encoder_layers = 6,
                              .decoder_layers = 6,
                              .position = POSITION_SINUSOIDAL};
    const size_t encoder_layer = 3152384, decoder_layer = 4204032, norms = 2 * 2 * 512;
    const size_t embedding = 32000 * 512, out = 32000 * 512 + 32000;
    Params params = params_new();
    transformer_new(&params, "base", 32000, 32000, base);
    assert_int_equal(params_count_numbers(&params),
                     6 * encoder_layer + 6 * decoder_layer + norms + 2 * embedding + out);
    assert_int_equal(params_count_numbers(&params), 93324544);
    params_free(&params);
    base.tied = base.layer.post_ln = true;
    params = params_new();
    transformer_new(&params, "base", 32000, 32000, base);
    assert_int_equal(params_count_numbers(&params), 93324544 - out - norms);
    params_free(&params);
}

/* Fault 17: no two layers begin alike. */
static void test_layers_differ(void **state) {
    (void)state;
    Model model = model_new(small);
    const Transformer *net = &model.net;
    const Tensor *pairs[][2] = {
        {net->encoder[0].self.qkv.w, net->encoder[1].self.qkv.w},
        {net->encoder[0].ff.in.w, net->encoder[1].ff.in.w},
        {net->encoder[0].self.qkv.w, net->decoder[0].self.qkv.w},
        {net->decoder[0].cross.k.w, net->decoder[2].cross.k.w},
        {net->decoder[1].ff.out.w, net->decoder[2].ff.out.w},
    };
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        for (size_t i = 0; i < tensor_size(pairs[p][0]); i++) {
            assert_true(pairs[p][0]->data[i] != pairs[p][1]->data[i]);
        }
    }
    params_free(&model.params);
}

/* ---- what may be seen ---- */

/* Fault 8: another token at t + 1 leaves the logits up to t as they are, bit for bit, and changes
 * those after it; in evaluation and in training, with the same units dropped. */
static void test_no_token_sees_the_future(void **state) {
    (void)state;
    TransformerConfig config = small;
    config.layer.dropout = config.layer.attention_dropout = .2f;
    Model model = model_new(config);
    for (int training = 0; training < 2; training++) {
        for (int t = 0; t + 1 < T; t++) {
            float before[B * T * W];
            for (int run = 0; run < 2; run++) {
                Tape tape = tape_new();
                tape.recording = training;
                int target[B * T];
                memcpy(target, model.target, sizeof target);
                for (int b = 0; b < B && run == 1; b++) {
                    target[b * T + t + 1] = (target[b * T + t + 1] + 1) % W;
                }
                Dropout dropout = {.key = 77};
                Tensor *logits = logits_of(&tape, &model, target, &dropout, NULL);
                assert_int_equal(dropout.drawn > 0, training);
                for (int b = 0; b < B && run == 1; b++) {
                    const float *now = logits->data + b * T * W, *old = before + b * T * W;
                    assert_same_bits(now, old, (size_t)((t + 1) * W));
                    assert_true(memcmp(now + (t + 1) * W, old + (t + 1) * W, W * sizeof *now) != 0);
                }
                memcpy(before, logits->data, sizeof before);
                tape_free(&tape);
            }
        }
    }
    params_free(&model.params);
}

/* Fault 3 and fault 19: a sequence alone, and padded in a batch, gives the same memory, logits and
 * gradients; what stands in the padding does not matter. */
static void test_padding_leaves_no_trace(void **state) {
    (void)state;
    Model model = model_new(small);
    Tape tape = tape_new();
    Tensor *memory =
        transformer_encode(&tape, &model.net, model.source, source_length, B, S, NULL, NULL);
    Tensor *logits = transformer_decode(&tape, &model.net, model.target, B, T, memory,
                                        source_length, NULL, NULL);
    for (int b = 0; b < B; b++) {
        int n = source_length[b];
        Tensor *alone =
            transformer_encode(&tape, &model.net, model.source + b * S, &n, 1, n, NULL, NULL);
        assert_all_close(memory->data + b * S * D, alone->data, (size_t)(n * D), 1e-5, 1e-5);
        Tensor *y = transformer_decode(&tape, &model.net, model.target + b * T, 1, T, alone, NULL,
                                       NULL, NULL);
        assert_all_close(logits->data + b * T * W, y->data, T * W, 1e-5, 1e-5);
    }
    for (int i = 0; i < B * S; i++) {
        model.source[i] = i % S < source_length[i / S] ? model.source[i] : 7;
    }
    Tensor *again = logits_of(&tape, &model, model.target, NULL, NULL);
    assert_same_bits(again->data, logits->data, B * T * W);
    tape_free(&tape);
    params_free(&model.params);
}

/* The loss of a batch whose targets are padded, too, is that of its sequences one by one. */
static void test_loss_of_a_padded_batch(void **state) {
    (void)state;
    Model model = model_new(small);
    const int target_length[B] = {5, 2, 3};
    CrossEntropy options = {.ignore = 0, .smoothing = .1f};
    double sum = 0.0;
    int counted = 0;
    Tape tape = tape_new();
    tape.recording = false;
    for (int b = 0; b < B; b++) {
        int n = target_length[b], *labels = model.labels + b * T;
        for (int t = 0; t < T; t++) { /* 0 is padding */
            labels[t] = t < n ? 1 + labels[t] % (W - 1) : 0;
            model.target[b * T + t] = t < n ? model.target[b * T + t] : 0;
        }
        Tensor *memory = transformer_encode(&tape, &model.net, model.source + b * S, NULL, 1,
                                            source_length[b], NULL, NULL);
        Tensor *y = transformer_decode(&tape, &model.net, model.target + b * T, 1, n, memory, NULL,
                                       NULL, NULL);
        sum += n * (double)op_cross_entropy(&tape, y, labels, options)->data[0];
        counted += n;
    }
    Tensor *logits = logits_of(&tape, &model, model.target, NULL, NULL);
    Tensor *loss = op_cross_entropy(&tape, logits, model.labels, options);
    assert_close(loss->data[0], sum / counted, 1e-5, 1e-5);
    tape_free(&tape);
    params_free(&model.params);
}

/* ---- the weights ---- */

static void test_trace_changes_no_bit(void **state) {
    (void)state;
    TransformerConfig config = small;
    config.layer.dropout = config.layer.attention_dropout = .1f;
    Model model = model_new(config);
    float *grad[2], loss[2];
    AttentionTrace trace = {0};
    Tape tape = tape_new();
    for (int traced = 0; traced < 2; traced++) {
        Dropout dropout = {.key = 1};
        tape_reset(&tape);
        params_zero_grad(&model.params);
        Tensor *l = loss_of(&tape, &model, &dropout, traced ? &trace : NULL);
        tape_backward(&tape, l);
        loss[traced] = l->data[0];
        grad[traced] = copy_of(model.params.grad, model.params.size);
    }
    assert_same_bits(&loss[1], &loss[0], 1);
    assert_same_bits(grad[1], grad[0], model.params.size);
    for (int i = 0; i < TRANSFORMER_MOST_LAYERS; i++) {
        assert_int_equal(trace.encoder[i] != NULL, i < 2);
        assert_int_equal(trace.decoder[i] != NULL, i < 3);
        assert_int_equal(trace.cross[i] != NULL, i < 3);
    }
    assert_shape(trace.encoder[1], B, 4, S, S);
    assert_shape(trace.decoder[2], B, 4, T, T);
    assert_shape(trace.cross[0], B, 4, T, S);
    for (int i = 0; i < B * 4 * T * T; i++) { /* a triangle */
        assert_int_equal(trace.decoder[2]->data[i] > 0.0f, i % T <= i / T % T);
    }
    for (int i = 0; i < B * 4 * T * S; i++) {
        assert_int_equal(trace.cross[0]->data[i] > 0.0f, i % S < source_length[i / (4 * T * S)]);
    }
    for (int i = 0; i < 2; i++) {
        free(grad[i]);
    }
    tape_free(&tape);
    params_free(&model.params);
}

/* ---- fused against composed ---- */

/* The whole model once more, layer by layer, all attention from single operations. */
static Tensor *composed_logits(Tape *tape, const Model *model) {
    const Transformer *net = &model->net;
    Tensor *x = stack_embed(tape, &net->config, &net->source, &net->source_position, model->source,
                            B, S, 0, NULL);
    for (int i = 0; i < net->config.encoder_layers; i++) {
        Look look = {
            .key_length = source_length, .position = &net->source_position, .composed = true};
        x = encoder_layer_forward(tape, &net->encoder[i], x, look, NULL);
    }
    Tensor *memory = stack_finish(tape, &net->encoder_norm, x);
    Tensor *y = stack_embed(tape, &net->config, &net->target, &net->target_position, model->target,
                            B, T, 0, NULL);
    for (int i = 0; i < net->config.decoder_layers; i++) {
        Look self = {.causal = true, .position = &net->target_position, .composed = true};
        Look cross = {.key_length = source_length, .composed = true};
        y = decoder_layer_forward(tape, &net->decoder[i], y, self, memory, cross, NULL);
    }
    return linear_forward(tape, &net->out, stack_finish(tape, &net->decoder_norm, y));
}

static void test_fused_equals_composed(void **state) {
    (void)state;
    for (int form = 0; form < 10; form++) { /* five kinds of positions, pre-LN and post-LN */
        TransformerConfig config = small;
        config.position = (PositionKind)(form / 2);
        config.layer.post_ln = form % 2;
        config.tied = form % 3 == 0;
        Model model = model_new(config);
        float *grad[2], *y[2];
        Tape tape = tape_new();
        for (int composed = 0; composed < 2; composed++) {
            tape_reset(&tape);
            params_zero_grad(&model.params);
            Tensor *logits = composed ? composed_logits(&tape, &model)
                                      : logits_of(&tape, &model, model.target, NULL, NULL);
            y[composed] = copy_of(logits->data, B * T * W);
            tape_backward(
                &tape, op_cross_entropy(&tape, logits, model.labels, (CrossEntropy){.ignore = -1}));
            grad[composed] = copy_of(model.params.grad, model.params.size);
        }
        assert_all_close(y[0], y[1], B * T * W, 1e-5, 1e-5);
        assert_all_close(grad[0], grad[1], model.params.size, 1e-5, 1e-5);
        for (int i = 0; i < 2; i++) {
            free(grad[i]);
            free(y[i]);
        }
        tape_free(&tape);
        params_free(&model.params);
    }
}

/* ---- token by token ---- */

/* With a tape for the steps alone, which is reset after each. */
static void test_steps_equal_the_whole_pass(void **state) {
    (void)state;
    for (int form = 0; form < 10; form++) {
        TransformerConfig config = small;
        config.position = (PositionKind)(form / 2);
        config.layer.post_ln = form % 2;
        config.layer.separate = form % 3 == 0;
        Model model = model_new(config);
        Tape tape = tape_new(), step = tape_new();
        tape.recording = step.recording = false;
        AttentionTrace whole = {0}, trace = {0};
        Tensor *logits = logits_of(&tape, &model, model.target, NULL, &whole);
        Tensor *memory =
            transformer_encode(&tape, &model.net, model.source, source_length, B, S, NULL, NULL);
        int length[B];
        memcpy(length, source_length, sizeof length);
        TransformerState s = transformer_begin(&tape, &model.net, memory, length, T);
        memset(length, 0, sizeof length); /* the state has a copy of its own */
        for (int t = 0; t < T; t++) {
            const int token[B] = {model.target[t], model.target[T + t], model.target[2 * T + t]};
            assert_int_equal(s.position, t);
            Tensor *y = transformer_step(&step, &model.net, &s, token, &trace);
            assert_shape(y, B, W);
            assert_shape(trace.decoder[1], B, 4, 1, t + 1);
            assert_shape(trace.cross[1], B, 4, 1, S);
            for (int b = 0; b < B; b++) {
                assert_all_close(y->data + b * W, logits->data + (b * T + t) * W, W, 1e-5, 1e-5);
                for (int h = 0; h < 4; h++) {
                    assert_all_close(trace.decoder[1]->data + (b * 4 + h) * (t + 1),
                                     whole.decoder[1]->data + ((b * 4 + h) * T + t) * T,
                                     (size_t)t + 1, 1e-5, 1e-5);
                }
            }
            tape_reset(&step);
        }
        tape_free(&tape);
        tape_free(&step);
        params_free(&model.params);
    }
}

/* Three beams of one source: row b goes on from row parent[b]. */
static void test_reordered_rows_go_on(void **state) {
    (void)state;
    Model model = model_new(small);
    for (int i = 0; i < B * S; i++) {
        model.source[i] = 1 + i % S;
    }
    Tape tape = tape_new();
    tape.recording = false;
    Tensor *memory = transformer_encode(&tape, &model.net, model.source, NULL, B, S, NULL, NULL);
    TransformerState s = transformer_begin(&tape, &model.net, memory, NULL, T);
    transformer_step(&tape, &model.net, &s, (const int[]){1, 2, 3}, NULL);
    transformer_step(&tape, &model.net, &s, (const int[]){4, 5, 6}, NULL);
    transformer_reorder(&s, (const int[]){2, 2, 0});
    Tensor *y = transformer_step(&tape, &model.net, &s, (const int[]){7, 8, 0}, NULL);
    const int written[B * 3] = {3, 6, 7, 3, 6, 8, 1, 4, 0};
    Tensor *whole = transformer_decode(&tape, &model.net, written, B, 3, memory, NULL, NULL, NULL);
    for (int b = 0; b < B; b++) {
        assert_all_close(y->data + b * W, whole->data + (b * 3 + 2) * W, W, 1e-5, 1e-5);
    }
    tape_free(&tape);
    params_free(&model.params);
}

static void test_wrong_use(void **state) {
    (void)state;
    Model model = model_new(small);
    Tape tape = tape_new();
    Tensor *memory = transformer_encode(&tape, &model.net, model.source, NULL, B, S, NULL, NULL);
    expect_check_message("is for evaluation, but the tape records",
                         transformer_begin(&tape, &model.net, memory, NULL, 4));
    tape.recording = false;
    TransformerState s = transformer_begin(&tape, &model.net, memory, NULL, 1);
    transformer_step(&tape, &model.net, &s, (const int[]){1, 2, 3}, NULL);
    expect_exact_message("kv_cache: 1 tokens more do not fit behind the 1 in it: it holds 1",
                         transformer_step(&tape, &model.net, &s, (const int[]){1, 2, 3}, NULL));
    expect_check_message(
        "embedding: id 11 at place 0 is not in model.source.table",
        transformer_encode(&tape, &model.net, (const int[]){V}, NULL, 1, 1, NULL, NULL));
    Params params = params_new();
    TransformerConfig none = small;
    none.decoder_layers = 0;
    expect_exact_message("transformer: decoder: 0 layers: needed are 1 to 16",
                         transformer_new(&params, "model", V, W, none));
    params_free(&params);
    tape_free(&tape);
    params_free(&model.params);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters_of_the_base_model),
        cmocka_unit_test(test_layers_differ),
        cmocka_unit_test(test_no_token_sees_the_future),
        cmocka_unit_test(test_padding_leaves_no_trace),
        cmocka_unit_test(test_loss_of_a_padded_batch),
        cmocka_unit_test(test_trace_changes_no_bit),
        cmocka_unit_test(test_fused_equals_composed),
        cmocka_unit_test(test_steps_equal_the_whole_pass),
        cmocka_unit_test(test_reordered_rows_go_on),
        cmocka_unit_test(test_wrong_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
