#include "lessons/transformer_forms.h"

#include "support/tensors.h"

#include <stdlib.h>

enum { B = 3, S = 7, T = 5, V_SOURCE = 11, V = 9 };
static const int lengths[B] = {7, 1, 4};

static TransformerConfig config_of(bool post_ln, bool separate, int d, int heads) {
    return (TransformerConfig){.layer = {.d_model = d,
                                         .heads = heads,
                                         .d_ff = 10,
                                         .post_ln = post_ln,
                                         .separate = separate},
                               .encoder_layers = 2,
                               .decoder_layers = 3,
                               .position = POSITION_SINUSOIDAL};
}

/* A model, and its gradients by other functions and by those of common/nn. */
typedef struct Twins {
    Params params;
    Transformer net;
    int source[B * S], target[B * T];
    Tape tape;
} Twins;

static void twins_new(Twins *twins, TransformerConfig config, uint64_t seed) {
    Rng rng = rng_seeded(seed, 1);
    *twins = (Twins){.params = params_new(), .tape = tape_new()};
    twins->net = transformer_new(&twins->params, "", V_SOURCE, V, config);
    params_allocate(&twins->params, &rng);
    for (size_t i = 0; i < twins->params.size; i++) { /* norms and biases, too */
        twins->params.data[i] += 0.05f * rng_normal(&rng);
    }
    for (int i = 0; i < B * S; i++) {
        twins->source[i] = (int)rng_below(&rng, V_SOURCE);
    }
    for (int i = 0; i < B * T; i++) {
        twins->target[i] = (int)rng_below(&rng, V);
    }
}

static void twins_free(Twins *twins) {
    params_free(&twins->params);
    tape_free(&twins->tape);
}

static DecoderInput input_of(const Twins *twins, const CrossMemory *memory) {
    return (DecoderInput){.given = twins->target,
                          .B = B,
                          .T = T,
                          .self = {.causal = true},
                          .cross = {.key_length = lengths},
                          .memory = memory};
}

/* The logits (B, T, V) by these forms. */
static Tensor *logits_of_forms(Twins *twins, const TransformerForms *forms, AttentionTrace *trace) {
    Transformer *net = &twins->net;
    CrossMemory keys[TRANSFORMER_MOST_LAYERS];
    Tensor *memory = forms->encode(&twins->tape, net, twins->source, lengths, B, S, NULL, trace);
    for (int i = 0; i < net->config.decoder_layers; i++) {
        keys[i] = multi_head_memory(&twins->tape, &net->decoder[i].cross, memory);
    }
    return forms->decode(&twins->tape, net, input_of(twins, keys), NULL, trace);
}

static Tensor *logits_of_nn(Twins *twins, AttentionTrace *trace) {
    Tensor *memory =
        transformer_encode(&twins->tape, &twins->net, twins->source, lengths, B, S, NULL, trace);
    return transformer_decode(&twins->tape, &twins->net, twins->target, B, T, memory, lengths, NULL,
                              trace);
}

static void compare_stacks(const TransformerForms *forms, TransformerConfig config, uint64_t seed) {
    Twins twins;
    twins_new(&twins, config, seed);
    Tensor *y = logits_of_forms(&twins, forms, NULL);
    assert_shape(y, B, T, V);
    backward_random(&twins.tape, y, 5);
    float *logits = copy_of(y->data, tensor_size(y));
    float *grad = copy_of(twins.params.grad, twins.params.size);
    tape_reset(&twins.tape);
    params_zero_grad(&twins.params);
    y = logits_of_nn(&twins, NULL);
    backward_random(&twins.tape, y, 5);
    assert_all_close(y->data, logits, tensor_size(y), 1e-5, 1e-5);
    assert_all_close(twins.params.grad, grad, twins.params.size, 1e-5, 1e-4);
    free(logits);
    free(grad);
    twins_free(&twins);
}

void check_forms_stacks_are_those_of_nn(const TransformerForms *forms) {
    compare_stacks(forms, config_of(false, false, 8, 2), 1);
    compare_stacks(forms, config_of(true, false, 8, 4), 2);
    compare_stacks(forms, config_of(false, true, 12, 3), 3);
    compare_stacks(forms, config_of(true, true, 5, 1), 4); /* an odd d_model */
}

/* The maps as well, and asking for them changes no bit. */
void check_forms_weights_are_those_of_nn(const TransformerForms *forms) {
    Twins twins;
    AttentionTrace lesson = {{NULL}, {NULL}, {NULL}}, nn = lesson;
    twins_new(&twins, config_of(false, false, 8, 2), 6);
    Tensor *unseen = logits_of_forms(&twins, forms, NULL),
           *seen = logits_of_forms(&twins, forms, &lesson);
    assert_same_bits(seen->data, unseen->data, tensor_size(seen));
    logits_of_nn(&twins, &nn);
    for (int i = 0; i < 3; i++) {
        assert_shape(lesson.cross[i], B, 2, T, S);
        assert_all_close(lesson.cross[i]->data, nn.cross[i]->data, tensor_size(nn.cross[i]), 1e-6,
                         1e-5);
        assert_all_close(lesson.decoder[i]->data, nn.decoder[i]->data, tensor_size(nn.decoder[i]),
                         1e-6, 1e-5);
    }
    for (int i = 0; i < 2; i++) {
        assert_all_close(lesson.encoder[i]->data, nn.encoder[i]->data, tensor_size(nn.encoder[i]),
                         1e-6, 1e-5);
    }
    twins_free(&twins);
}

/* One layer each, forward and the gradient of what goes in. */
void check_forms_layers_are_those_of_nn(const TransformerForms *forms) {
    for (int post = 0; post < 2; post++) {
        Twins twins;
        Tensor *x[2], *memory[2], *y[2];
        twins_new(&twins, config_of(post == 1, false, 8, 2), 7);
        Tape *tape = &twins.tape;
        const EncoderLayer *e = &twins.net.encoder[1];
        const DecoderLayer *l = &twins.net.decoder[1];
        Look all = {.key_length = lengths}, causal = {.causal = true};
        for (int lesson = 0; lesson < 2; lesson++) {
            Rng rng = rng_seeded(3, 3);
            x[lesson] = random_variable(tape, &rng, "x", SHAPE(B, T, 8));
            memory[lesson] = random_variable(tape, &rng, "memory", SHAPE(B, S, 8));
        }
        CrossMemory source =
            multi_head_memory(tape, &l->cross, forms->encoder_layer(tape, e, memory[1], all, NULL));
        y[1] = forms->decoder_layer(tape, l, x[1], causal, &source, all, NULL);
        y[0] = decoder_layer_forward(
            tape, l, x[0], causal, encoder_layer_forward(tape, e, memory[0], all, NULL), all, NULL);
        assert_all_close(y[1]->data, y[0]->data, tensor_size(y[0]), 1e-5, 1e-5);
        for (size_t i = 0; i < tensor_size(y[0]); i++) {
            y[0]->grad[i] = y[1]->grad[i] = (float)(i % 5) - 2.0f;
        }
        tape_backward_from(tape, y[0]); /* walks the whole tape: both ways back */
        assert_all_close(x[1]->grad, x[0]->grad, tensor_size(x[0]), 1e-5, 1e-4);
        assert_all_close(memory[1]->grad, memory[0]->grad, tensor_size(memory[0]), 1e-5, 1e-4);
        twins_free(&twins);
    }
}

/* faults 15: with sublayers that return nothing, pre-LN hands x on and post-LN its norm. */
void check_forms_pre_and_post(const TransformerForms *forms) {
    for (int post = 0; post < 2; post++) {
        Params params = params_new();
        Tape tape = tape_new();
        Rng rng = rng_seeded(1, 1);
        LayerConfig config = {.d_model = 4, .heads = 2, .d_ff = 3, .post_ln = post == 1};
        EncoderLayer layer = encoder_layer_new(&params, "layer", config);
        params_allocate(&params, &rng);
        memset(layer.self.out.w->data, 0, tensor_size(layer.self.out.w) * sizeof(float));
        memset(layer.ff.out.w->data, 0, tensor_size(layer.ff.out.w) * sizeof(float));
        Tensor *x = tape_constant(&tape, "x", (const float[]){3, 1, 1, 3}, SHAPE(1, 1, 4));
        Tensor *y = forms->encoder_layer(&tape, &layer, x, (Look){0}, NULL);
        if (post) {
            assert_data(y, 1e-4, 1, -1, -1, 1);
        } else {
            assert_data(y, 0, 3, 1, 1, 3);
        }
        params_free(&params);
        tape_free(&tape);
    }
}

/* faults 8: another word at t + 1 changes no bit up to t, in training and in evaluation. */
void check_forms_no_future(const TransformerForms *forms) {
    for (int recording = 0; recording < 2; recording++) {
        Twins twins;
        twins_new(&twins, config_of(false, false, 8, 2), 8);
        twins.tape.recording = recording == 1;
        Tensor *before = logits_of_forms(&twins, forms, NULL);
        for (int t = 0; t + 1 < T; t++) {
            int *word = &twins.target[1 * T + t + 1], right = *word;
            *word = (right + 1) % V;
            Tensor *after = logits_of_forms(&twins, forms, NULL);
            size_t row = (size_t)T * V, seen = (size_t)(t + 1) * V;
            assert_same_bits(after->data, before->data, row + seen);
            assert_same_bits(after->data + 2 * row, before->data + 2 * row, row);
            assert_true(memcmp(after->data + row + seen, before->data + row + seen,
                               V * sizeof(float)) != 0);
            *word = right;
        }
        twins_free(&twins);
    }
}

/* A padded source and the same alone; other padding. */
void check_forms_padding(const TransformerForms *forms) {
    Twins twins;
    twins_new(&twins, config_of(false, false, 8, 2), 9);
    Tensor *before = logits_of_forms(&twins, forms, NULL);
    for (int b = 0; b < B; b++) {
        for (int s = lengths[b]; s < S; s++) {
            twins.source[b * S + s] = (twins.source[b * S + s] + 1) % V_SOURCE;
        }
    }
    Tensor *after = logits_of_forms(&twins, forms, NULL);
    assert_all_close(after->data, before->data, tensor_size(before), 1e-6, 0);
    twins_free(&twins);
}

/* Word by word through caches, and through the steps of common/nn. */
void check_forms_word_by_word(const TransformerForms *forms) {
    for (int post = 0; post < 2; post++) {
        Twins twins;
        twins_new(&twins, config_of(post == 1, false, 8, 2), 10);
        Tape *tape = &twins.tape;
        Transformer *net = &twins.net;
        KvCache cache[TRANSFORMER_MOST_LAYERS];
        CrossMemory keys[TRANSFORMER_MOST_LAYERS];
        tape->recording = false;
        Tensor *whole = logits_of_forms(&twins, forms, NULL);
        Tensor *memory = forms->encode(tape, net, twins.source, lengths, B, S, NULL, NULL);
        TransformerState nn = transformer_begin(tape, net, memory, lengths, T);
        for (int i = 0; i < net->config.decoder_layers; i++) {
            cache[i] = kv_cache_new(&tape->arena, B, T, 8);
            keys[i] = multi_head_memory(tape, &net->decoder[i].cross, memory);
        }
        for (int t = 0; t < T; t++) {
            const int word[B] = {twins.target[t], twins.target[T + t], twins.target[2 * T + t]};
            DecoderInput in = input_of(&twins, keys);
            in.given = word;
            in.T = 1;
            in.start = t;
            in.cache = cache;
            Tensor *step = forms->decode(tape, net, in, NULL, NULL);
            Tensor *same = transformer_step(tape, net, &nn, word, NULL);
            for (int b = 0; b < B; b++) {
                const float *row = whole->data + ((size_t)b * T + (size_t)t) * V;
                assert_all_close(step->data + b * V, row, V, 1e-5, 0);
                assert_all_close(same->data + b * V, row, V, 1e-5, 0);
            }
        }
        twins_free(&twins);
    }
}

/* faults 17: no two layers begin alike. */
void check_layers_begin_differently(void) {
    Twins twins;
    twins_new(&twins, config_of(false, false, 8, 2), 11);
    const Tensor *w[] = {twins.net.encoder[0].self.qkv.w, twins.net.encoder[1].self.qkv.w,
                         twins.net.decoder[0].self.qkv.w, twins.net.decoder[1].self.qkv.w,
                         twins.net.decoder[2].self.qkv.w};
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < i; j++) {
            assert_true(fabsf(w[i]->data[0] - w[j]->data[0]) > 1e-6f);
        }
    }
    twins_free(&twins);
}

/* Dropout is drawn anew at each call, scales what is left, and ends with the training. */
void check_forms_dropout(const TransformerForms *forms) {
    TransformerConfig config = config_of(false, false, 8, 2);
    Twins twins;
    config.layer.dropout = 0.5f;
    twins_new(&twins, config, 12);
    Dropout one = {.key = 1}, same = {.key = 1}, other = {.key = 2};
    Tape *tape = &twins.tape;
    Tensor *a = forms->encode(tape, &twins.net, twins.source, lengths, B, S, &one, NULL);
    Tensor *b = forms->encode(tape, &twins.net, twins.source, lengths, B, S, &same, NULL);
    Tensor *c = forms->encode(tape, &twins.net, twins.source, lengths, B, S, &other, NULL);
    Tensor *without = forms->encode(tape, &twins.net, twins.source, lengths, B, S, NULL, NULL);
    assert_same_bits(b->data, a->data, tensor_size(a));
    assert_true(memcmp(c->data, a->data, tensor_size(a) * sizeof(float)) != 0);
    tape->recording = false;
    Tensor *evaluated = forms->encode(tape, &twins.net, twins.source, lengths, B, S, &one, NULL);
    assert_same_bits(evaluated->data, without->data, tensor_size(a));
    twins_free(&twins);
}
