#include "support/gradient_check.h"

#include "nn/local_attention.h"

/* Weights of one sentence of S words with all scores equal, centre at `place` of the way. */
static Tensor *even_weights(Tape *tape, int S, int D, float place, int length) {
    Tensor *scores = tape_constant(tape, "scores", NULL, SHAPE(1, S));
    Tensor *at = tape_constant(tape, "place", &place, SHAPE(1, 1));
    return local_attention_weights(tape, D, scores, at, &length);
}

/* Nine words, two to either side of the middle: 1/5 each, times exp(-(i - 4)^2 / 2). */
static void test_window_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *a = even_weights(&tape, 9, 2, 0.5f, 9);
    float near = 0.2f * expf(-0.5f), far = 0.2f * expf(-2.0f);
    assert_shape(a, 1, 9);
    assert_data(a, 1e-6, 0, 0, far, near, 0.2f, near, far, 0, 0);
    tape_free(&tape);
}

/* Whatever the scores: nothing outside the window, nothing on padding, never more than 1. */
static void test_zero_outside_the_window(void **state) {
    (void)state;
    enum { B = 4, S = 12 };
    const int length[B] = {12, 7, 1, 0};
    for (int D = 1; D <= 5; D++) {
        Tape tape = tape_new();
        Rng rng = rng_seeded((uint64_t)D, 1);
        Tensor *scores = random_constant(&tape, &rng, "scores", SHAPE(B, S));
        Tensor *place = tape_constant(&tape, "place", NULL, SHAPE(B, 1));
        fill_random(place->data, B, 0.0f, 1.0f, &rng);
        Tensor *a = local_attention_weights(&tape, D, scores, place, length);
        for (int b = 0; b < B; b++) {
            double sum = 0.0, p = (double)place->data[b] * (length[b] - 1);
            for (int s = 0; s < S; s++) {
                bool inside = s < length[b] && fabs(s - p) <= D;
                assert_int_equal(a->data[b * S + s] > 0.0f, inside);
                sum += (double)a->data[b * S + s];
            }
            assert_true(sum <= 1.0 + 1e-6);
            assert_int_equal(sum > 0.0, length[b] > 0);
        }
        tape_free(&tape);
    }
}

/* The centre moves with the place: 0 is the first word, 1 the last real one. */
static void test_centre_moves(void **state) {
    (void)state;
    Tape tape = tape_new();
    for (int i = 0; i < 7; i++) {
        Tensor *a = even_weights(&tape, 10, 1, (float)i / 6.0f, 7);
        assert_int_equal(tensor_argmax(a->data, 10), i);
    }
    tape_free(&tape);
}

/* Different decoder states look at different places; a place is always between 0 and 1. */
static void test_place_depends_on_the_state(void **state) {
    (void)state;
    Tape tape = tape_new();
    Params params = params_new();
    Rng rng = rng_seeded(3, 1);
    LocalAttention local = local_attention_new(&params, "local", 6, 2);
    params_allocate(&params, &rng);
    Tensor *s = random_constant(&tape, &rng, "s", SHAPE(2, 6));
    Tensor *place = local_attention_place(&tape, &local, s);
    assert_shape(place, 2, 1);
    assert_true(fabsf(place->data[0] - place->data[1]) > 1e-3f);
    for (int b = 0; b < 2; b++) {
        double sum = 0.0;
        for (int i = 0; i < 6; i++) {
            double hidden = 0.0;
            for (int j = 0; j < 6; j++) {
                hidden += (double)local.w->data[i * 6 + j] * (double)s->data[b * 6 + j];
            }
            sum += (double)local.v->data[i] * tanh(hidden);
        }
        assert_close(place->data[b], 1.0 / (1.0 + exp(-sum)), 1e-5, 0);
    }
    params_free(&params);
    tape_free(&tape);
}

static Tensor *weights_graph(Tape *tape, Tensor *const *in, const void *context) {
    (void)context; /* a wide window: its edge, where a weight jumps, is out of reach */
    return local_attention_weights(tape, 9, in[0], op_sigmoid(tape, in[1]), (const int[]){7, 4});
}

static Tensor *place_graph(Tape *tape, Tensor *const *in, const void *context) {
    (void)context;
    return local_attention_place(tape, &(LocalAttention){2, in[1], in[2]}, in[0]);
}

static void test_gradients(void **state) {
    (void)state;
    gradient_check(weights_graph, NULL, INPUT("scores", 2, 7), INPUT("place", 2, 1));
    gradient_check(place_graph, NULL, INPUT("s", 3, 5), INPUT("w", 5, 5), INPUT("v", 1, 5));
}

static void test_wrong_use(void **state) {
    (void)state;
    Tape tape = tape_new();
    Params params = params_new();
    Tensor *scores = tape_constant(&tape, "scores", NULL, SHAPE(2, 3));
    Tensor *place = tape_constant(&tape, "place", NULL, SHAPE(3, 1));
    expect_check_message("place (3, 1)",
                         local_attention_weights(&tape, 1, scores, place, (const int[]){3, 3}));
    expect_check_message("window of 0", local_attention_new(&params, "local", 4, 0));
    params_free(&params);
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window_by_hand), cmocka_unit_test(test_zero_outside_the_window),
        cmocka_unit_test(test_centre_moves),   cmocka_unit_test(test_place_depends_on_the_state),
        cmocka_unit_test(test_gradients),      cmocka_unit_test(test_wrong_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
