#include "support/tensors.h"

#include "core/measure.h"
#include "nn/decay.h"

static const CellKind kinds[] = {CELL_RNN, CELL_LSTM, CELL_GRU};

/* The same by the plain definition: one tape over all steps, no rescaling. */
static void decay_by_definition(const Recurrent *cell, const float *x, int T, int B, Rng rng,
                                double *log_norm) {
    int H = cell->hidden, I = cell->input;
    Tape tape = tape_new();
    Tensor *h[32];
    CellState s = {tape_variable(&tape, "h", NULL, SHAPE(B, H)),
                   tape_variable(&tape, "c", NULL, SHAPE(B, H))};
    for (int t = 0; t < T; t++) {
        Tensor *input = tape_constant(&tape, "x", x + t * B * I, SHAPE(B, I));
        s = recurrent_step(&tape, cell, input, s);
        h[t] = s.h;
    }
    for (int b = 0; b < B; b++) { /* v, drawn as decay_through_time draws it */
        float *v = s.h->grad + b * H;
        for (int i = 0; i < H; i++) {
            v[i] = rng_normal(&rng);
        }
        double length = vector_length(v, (size_t)H);
        for (int i = 0; i < H; i++) {
            v[i] = (float)(v[i] / length);
        }
    }
    tape_backward_from(&tape, s.h);
    for (int d = 0; d < T; d++) {
        log_norm[d] = 0.0;
        for (int b = 0; b < B; b++) {
            log_norm[d] += log10(vector_length(h[T - 1 - d]->grad + b * H, (size_t)H)) / B;
        }
    }
    tape_free(&tape);
}

static void test_equals_the_definition(void **state) {
    (void)state;
    enum { T = 12, B = 3, I = 4, H = 7 };
    for (int k = 0; k < 3; k++) {
        Params params = params_new();
        Rng rng = rng_seeded(1, (uint64_t)k);
        Recurrent cell =
            recurrent_new(&params, "cell", kinds[k], I, H, kinds[k] == CELL_RNN ? 0.0f : 1.0f);
        params_allocate(&params, &rng);
        float x[T * B * I];
        fill_random(x, T * B * I, -1, 1, &rng);
        double expected[T], actual[T];
        decay_by_definition(&cell, x, T, B, rng, expected);
        decay_through_time(&cell, x, T, B, T, &rng, actual);
        assert_close(actual[0], 0.0, 1e-6, 0);
        for (int d = 0; d < T; d++) {
            assert_close(actual[d], expected[d], 1e-5, 1e-5);
        }
        params_free(&params);
    }
}

/* Without input the state stays 0, tanh' is 1, and each step back multiplies by exactly rho. */
static void test_theory_without_input(void **state) {
    (void)state;
    const float rho[] = {0.5f, 0.9f, 1.0f, 1.5f};
    for (int i = 0; i < 4; i++) {
        DecayCase network = {.kind = CELL_RNN, .rho = rho[i]};
        double y[100], slope = decay_measure(&network, 100, 2, 100, rng_seeded(2, 0), y);
        assert_close(slope, 10.0 * log10((double)rho[i]), 1e-4, 0);
        assert_close(y[99], 99.0 * log10((double)rho[i]), 1e-3, 0);
    }
}

static void test_far_below_float32(void **state) {
    (void)state;
    static double y[1000];
    DecayCase network = {.kind = CELL_RNN, .rho = 0.5f};
    decay_measure(&network, 1000, 1, 1000, rng_seeded(3, 0), y);
    assert_close(y[999], 999.0 * log10(0.5), 1e-2, 0);
}

static void test_cut(void **state) {
    (void)state;
    double whole[20], cut[20];
    DecayCase network = {.kind = CELL_LSTM, .size = 1.0f};
    decay_measure(&network, 20, 2, 20, rng_seeded(4, 0), whole);
    double slope = decay_measure(&network, 20, 2, 5, rng_seeded(4, 0), cut);
    for (int d = 0; d <= 5; d++) {
        assert_close(cut[d], whole[d], 0, 0);
    }
    for (int d = 6; d < 20; d++) {
        assert_true(isinf(cut[d]) && cut[d] < 0);
    }
    assert_true(isnan(slope));
}

/* A bias that holds the gate open: the gradient lasts longer. */
static void test_bias_keeps_the_gradient(void **state) {
    (void)state;
    for (int k = 1; k < 3; k++) {
        double y[60], before = -10.0;
        for (int bias = 0; bias <= 3; bias++) {
            DecayCase network = {.kind = kinds[k], .bias = (float)bias, .size = 1.0f};
            double slope = decay_measure(&network, 60, 4, 60, rng_seeded(5, 0), y);
            assert_true(slope > before + 0.05);
            before = slope;
        }
    }
}

/* All states alike: the weights are 1/T each, and so is every gradient. */
static void test_attention_over_equal_states(void **state) {
    (void)state;
    enum { T = 10, B = 2, H = 5 };
    float h[T * B * H];
    for (int i = 0; i < T * B * H; i++) {
        h[i] = 0.1f * (float)(i % H);
    }
    Rng rng = rng_seeded(6, 0);
    double y[T];
    decay_through_attention(h, T, B, H, &rng, y);
    for (int d = 0; d < T; d++) {
        assert_close(y[d], -1.0, 1e-5, 0);
    }
}

static void test_attention_is_flat(void **state) {
    (void)state;
    double y[200];
    DecayCase network = {.kind = CELL_RNN, .rho = 1.0f, .size = 1.0f, .attention = true};
    double slope = decay_measure(&network, 200, 4, 200, rng_seeded(7, 0), y);
    assert_close(slope, 0.0, 0.05, 0);
    assert_close(y[0], -log10(200.0), 0.5, 0);
}

static void test_nonsense(void **state) {
    (void)state;
    double y[1];
    Params params = params_new();
    Rng rng = rng_seeded(8, 0);
    Recurrent cell = recurrent_new(&params, "cell", CELL_RNN, 2, 2, 0.0f);
    params_allocate(&params, &rng);
    expect_check_message("decay_through_time: 0 steps",
                         decay_through_time(&cell, NULL, 0, 1, 1, &rng, y));
    params_free(&params);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_the_definition),
        cmocka_unit_test(test_theory_without_input),
        cmocka_unit_test(test_far_below_float32),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_bias_keeps_the_gradient),
        cmocka_unit_test(test_attention_over_equal_states),
        cmocka_unit_test(test_attention_is_flat),
        cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
