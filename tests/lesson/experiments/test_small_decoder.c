#include "lesson/experiments/plain_look.h"
#include "support/gradient_check.h"

#include "lesson/experiments/small_decoder.h"

static const DecoderSize size = {.V = 5, .L = 6, .d_model = 8, .heads = 2, .layers = 2, .d_ff = 12};

static SmallDecoder decoder(Looker looker, uint64_t seed) {
    Rng rng = rng_seeded(seed, 1);
    return small_decoder_new(size, looker, &rng);
}

static void test_shapes_and_weights(void **state) {
    (void)state;
    SmallDecoder model = decoder(LOOKER(looks_back), 1);
    Tape tape = tape_new();
    const int ids[] = {0, 1, 2, 3, 4, 0};
    assert_shape(small_decoder_forward(&tape, &model, ids, 2, 3), 2, 3, 5);
    assert_shape(small_decoder_forward(&tape, &model, ids, 1, 6), 1, 6, 5);
    size_t layer = 2 * 2 * 8 + 4 * (8 * 8 + 8) + (12 * 8 + 12) + (8 * 12 + 8);
    assert_int_equal(params_count_numbers(&model.params),
                     5 * 8 + 6 * 8 + 2 * layer + 2 * 8 + 5 * 8 + 5);
    tape_free(&tape);
    small_decoder_free(&model);
}

/* faults 17: no two layers begin alike. */
static void test_layers_differ(void **state) {
    (void)state;
    SmallDecoder model = decoder(LOOKER(looks_back), 1);
    const float *a = model.layer[0].q.w->data, *b = model.layer[1].q.w->data;
    assert_true(memcmp(a, b, 64 * sizeof *a) != 0);
    small_decoder_free(&model);
}

/* faults 8: what comes later changes no bit of what is before, recording or not. */
static void test_causal(void **state) {
    (void)state;
    for (int recording = 0; recording < 2; recording++) {
        for (int changed = 1; changed < 6; changed++) {
            SmallDecoder model = decoder(LOOKER(looks_back), 2);
            Tape tape = tape_new();
            tape.recording = recording;
            int ids[] = {0, 1, 2, 3, 4, 0};
            Tensor *before = small_decoder_forward(&tape, &model, ids, 1, 6);
            ids[changed] = (ids[changed] + 1) % 5;
            Tensor *after = small_decoder_forward(&tape, &model, ids, 1, 6);
            assert_same_bits(after->data, before->data, (size_t)(changed * 5));
            assert_true(after->data[changed * 5] != before->data[changed * 5]);
            tape_free(&tape);
            small_decoder_free(&model);
        }
    }
}

/* It is the looker that decides who sees what. */
static void test_everybody_sees_all(void **state) {
    (void)state;
    SmallDecoder model = decoder(LOOKER(looks_everywhere), 2);
    Tape tape = tape_new();
    int ids[] = {0, 1, 2, 3, 4, 0};
    Tensor *before = small_decoder_forward(&tape, &model, ids, 1, 6);
    ids[5] = 1;
    Tensor *after = small_decoder_forward(&tape, &model, ids, 1, 6);
    assert_true(after->data[0] != before->data[0]);
    tape_free(&tape);
    small_decoder_free(&model);
}

/* A shorter input gives the beginning of what a longer one gives; so does another row beside it. */
static void test_prefix_and_batch(void **state) {
    (void)state;
    SmallDecoder model = decoder(LOOKER(looks_back), 3);
    Tape tape = tape_new();
    const int ids[] = {0, 1, 2, 3, 4, 0, 1, 2};
    Tensor *whole = small_decoder_forward(&tape, &model, ids, 2, 4);
    Tensor *alone = small_decoder_forward(&tape, &model, ids, 1, 4);
    Tensor *start = small_decoder_forward(&tape, &model, ids, 1, 3);
    assert_all_close(alone->data, whole->data, 4 * 5, 1e-5, 1e-5);
    assert_all_close(start->data, whole->data, 3 * 5, 1e-5, 1e-5);
    tape_free(&tape);
    small_decoder_free(&model);
}

/* Positions count: the same symbol at two places gives two answers. */
static void test_positions(void **state) {
    (void)state;
    SmallDecoder model = decoder(LOOKER(looks_everywhere), 4);
    Tape tape = tape_new();
    const int ids[] = {2, 2, 2};
    Tensor *y = small_decoder_forward(&tape, &model, ids, 1, 3);
    assert_true(y->data[0] != y->data[5]);
    tape_free(&tape);
    small_decoder_free(&model);
}

static Tensor *decode_from(Tape *tape, Tensor *const *in, const void *context) {
    SmallDecoder model = *(const SmallDecoder *)context;
    const int ids[] = {0, 1, 2, 1};
    model.words = in[0];
    model.layer[0].q.w = in[1];
    model.layer[1].ff.in.w = in[2];
    return small_decoder_forward(tape, &model, ids, 2, 2);
}

static void test_gradients(void **state) {
    (void)state;
    SmallDecoder model = decoder(LOOKER(looks_back), 5);
    for (int i = 0; i < 2; i++) { /* far from the corner of relu, where no number is right */
        for (int j = 0; j < 12; j++) {
            model.layer[i].ff.in.bias->data[j] = 8.0f;
        }
    }
    gradient_check(decode_from, &model, INPUT("words", 5, 8), INPUT("q", 8, 8),
                   {.name = "ff", INPUT_SHAPE(12, 8), .reach = 0.3f});
    small_decoder_free(&model);
}

static void test_refusals(void **state) {
    (void)state;
    Rng rng = rng_seeded(1, 1);
    DecoderSize wrong = size;
    wrong.heads = 3;
    expect_check_message("d_model 8 cannot be divided among 3 heads",
                         small_decoder_new(wrong, LOOKER(looks_back), &rng));
    wrong = size;
    wrong.layers = 5;
    expect_check_message("5 layers; the most is 4",
                         small_decoder_new(wrong, LOOKER(looks_back), &rng));
    SmallDecoder model = decoder(LOOKER(looks_back), 1);
    Tape tape = tape_new();
    const int ids[7] = {0};
    expect_check_message("7 positions; there are 6",
                         small_decoder_forward(&tape, &model, ids, 1, 7));
    tape_free(&tape);
    small_decoder_free(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_and_weights),
        cmocka_unit_test(test_layers_differ),
        cmocka_unit_test(test_causal),
        cmocka_unit_test(test_everybody_sees_all),
        cmocka_unit_test(test_prefix_and_batch),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
