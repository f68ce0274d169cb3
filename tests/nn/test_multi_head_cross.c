/* Attention across two sequences: nn/multi_head.c with a memory. */
#include "support/gradient_check.h"

#include "nn/multi_head.h"

enum { B = 2, L = 5, D = 12, H = 3 };

static MultiHead random_layer(Params *params) {
    MultiHead layer = multi_head_new(params, "cross", D, H, false);
    Rng rng = rng_seeded(4, 0);
    params_allocate(params, &rng);
    fill_random(params->data, params->size, -.5f, .5f, &rng); /* biases, too */
    return layer;
}

static void test_across_two_sequences(void **state) {
    (void)state;
    enum { S = 7 };
    const int length[B] = {7, 2};
    Params params = params_new();
    MultiHead layer = random_layer(&params);
    Tape tape = tape_new();
    Rng rng = rng_seeded(2, 0);
    Tensor *x = random_constant(&tape, &rng, "x", SHAPE(B, L, D));
    Tensor *memory = random_variable(&tape, &rng, "memory", SHAPE(B, S, D)), *weights;
    Look look = {.key_length = length, .weights = &weights};
    Tensor *y = multi_head_cross(&tape, &layer, x, memory, look);
    assert_shape(y, B, L, D);
    assert_shape(weights, B, H, L, S);
    CrossMemory once = multi_head_memory(&tape, &layer, memory);
    Tensor *with = multi_head_cross_with(&tape, &layer, x, once, look);
    assert_same_bits(with->data, y->data, B * L * D);
    look.composed = true;
    Tensor *composed = multi_head_cross(&tape, &layer, x, memory, look);
    assert_all_close(composed->data, y->data, B * L * D, 1e-5, 1e-5);
    backward_ones(&tape, y);
    for (int i = 0; i < B * S * D; i++) { /* nothing flows into padding */
        assert_int_equal(memory->grad[i] != 0.0f, i / D % S < length[i / (S * D)]);
    }
    tape_free(&tape);
    params_free(&params);
}

/* Fault 1: the weights depend on the memory; and they move with it when its rows change places. */
static void test_weights_follow_the_memory(void **state) {
    (void)state;
    Params params = params_new();
    MultiHead layer = random_layer(&params);
    Tape tape = tape_new();
    Rng rng = rng_seeded(2, 0);
    Tensor *x = random_constant(&tape, &rng, "x", SHAPE(1, 1, D)), *before, *after;
    Tensor *memory = random_constant(&tape, &rng, "memory", SHAPE(1, 2, D));
    Tensor *turned = tape_constant(&tape, "turned", NULL, SHAPE(1, 2, D));
    memcpy(turned->data, memory->data + D, D * sizeof(float));
    memcpy(turned->data + D, memory->data, D * sizeof(float));
    Tensor *y = multi_head_cross(&tape, &layer, x, memory, (Look){.weights = &before});
    Tensor *z = multi_head_cross(&tape, &layer, x, turned, (Look){.weights = &after});
    for (int h = 0; h < H; h++) {
        assert_close(after->data[2 * h], before->data[2 * h + 1], 1e-6, 0.0);
        assert_true(fabsf(before->data[2 * h] - before->data[2 * h + 1]) > 1e-3f);
    }
    assert_all_close(z->data, y->data, D, 1e-5, 1e-5);
    tape_free(&tape);
    params_free(&params);
}

static Tensor *cross_graph(Tape *tape, Tensor *const *in, const void *context) {
    MultiHead layer = {.d_model = 4,
                       .heads = 2,
                       .q = {in[2], NULL},
                       .k = {in[3], NULL},
                       .v = {in[4], NULL},
                       .out = {in[5], NULL}};
    return multi_head_cross(tape, &layer, in[0], in[1], *(const Look *)context);
}

static void test_gradients(void **state) {
    (void)state;
    const int length[] = {1, 3};
    for (int composed = 0; composed < 2; composed++) {
        Look look = {.composed = composed, .key_length = length};
        gradient_check(cross_graph, &look, INPUT("x", 2, 2, 4), INPUT("memory", 2, 3, 4),
                       INPUT("q", 4, 4), INPUT("k", 4, 4), INPUT("v", 4, 4), INPUT("out", 4, 4));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_across_two_sequences),
        cmocka_unit_test(test_weights_follow_the_memory),
        cmocka_unit_test(test_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
