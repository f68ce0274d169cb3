#include "support/tensors.h"

#include "nn/classifier.h"

enum { V = 6, E = 3, H = 5, K = 4, T = 7, B = 3 };

static const ClassifierSizes sizes = {V, E, H, K};
static const CellKind kinds[] = {CELL_RNN, CELL_LSTM, CELL_GRU};

static float dot_of(const float *a, const float *b, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void draw_ids(int *ids, Rng *rng) {
    for (int i = 0; i < T * B; i++) {
        ids[i] = (int)rng_below(rng, V);
    }
}

/* Without attention: embedding, cell, readout of the last state. */
static void test_reads_the_last_state(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        Params params = params_new();
        Rng rng = rng_seeded(1, (uint64_t)k);
        Classifier c = classifier_new(&params, sizes, kinds[k], 0.0f, false);
        params_allocate(&params, &rng);
        int ids[T * B];
        draw_ids(ids, &rng);
        Tape tape = tape_new();
        Tensor *logits = classifier_logits(&tape, &c, ids, T, B, T);
        assert_shape(logits, B, K);
        CellState s = {tape_constant(&tape, "h", NULL, SHAPE(B, H)),
                       tape_constant(&tape, "c", NULL, SHAPE(B, H))};
        for (int t = 0; t < T; t++) {
            s = recurrent_step(&tape, &c.cell, embedding_step(&tape, &c.embedding, ids + t * B, B),
                               s);
        }
        Tensor *expected = linear_forward(&tape, &c.readout, s.h);
        assert_all_close(logits->data, expected->data, B * K, 1e-5, 1e-5);
        tape_free(&tape);
        params_free(&params);
    }
}

/* A query of zeros weighs all states alike: the mean of the states is read. */
static void test_attention_reads_all_states(void **state) {
    (void)state;
    Params params = params_new();
    Rng rng = rng_seeded(2, 0);
    Classifier c = classifier_new(&params, sizes, CELL_GRU, 0.0f, true);
    params_allocate(&params, &rng);
    int ids[T * B];
    draw_ids(ids, &rng);
    Tape tape = tape_new();
    memset(c.query->data, 0, H * sizeof(float));
    Tensor *logits = classifier_logits(&tape, &c, ids, T, B, T);
    Tensor *x = embedding_forward(&tape, &c.embedding, ids, T, B);
    Tensor *y = recurrent_forward(&tape, &c.cell, x, (CellState){0}, (SequenceOptions){0}, NULL);
    Tensor *mean = tape_constant(&tape, "mean", NULL, SHAPE(B, H));
    for (int i = 0; i < T * B * H; i++) {
        mean->data[i % (B * H)] += y->data[i] / T;
    }
    Tensor *expected = linear_forward(&tape, &c.readout, mean);
    assert_all_close(logits->data, expected->data, B * K, 1e-5, 1e-5);
    tape_free(&tape);
    params_free(&params);
}

/* A query that fits one state alone reads that state alone (fault 1: attention must look). */
static void test_attention_finds_a_state(void **state) {
    (void)state;
    Params params = params_new();
    Rng rng = rng_seeded(3, 0);
    Classifier c = classifier_new(&params, sizes, CELL_RNN, 0.0f, true);
    params_allocate(&params, &rng);
    int ids[T] = {1, 0, 2, 3, 4, 5, 0};
    Tape tape = tape_new();
    Tensor *x = embedding_forward(&tape, &c.embedding, ids, T, 1);
    Tensor *y = recurrent_forward(&tape, &c.cell, x, (CellState){0}, (SequenceOptions){0}, NULL);
    int best = 0;
    for (int t = 0; t < T; t++) { /* the longest state answers best to itself */
        best = dot_of(y->data + t * H, y->data + t * H, H) >
                       dot_of(y->data + best * H, y->data + best * H, H)
                   ? t
                   : best;
    }
    for (int i = 0; i < H; i++) {
        c.query->data[i] = 1000.0f * y->data[best * H + i];
    }
    Tensor *logits = classifier_logits(&tape, &c, ids, T, 1, T);
    Tensor *expected = linear_forward(&tape, &c.readout, op_index(&tape, y, best));
    assert_all_close(logits->data, expected->data, K, 1e-4, 1e-4);
    tape_free(&tape);
    params_free(&params);
}

/* Truncation changes no logit; but what came before the cut gets no gradient. */
static void test_truncated(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        bool attention = k >= 3;
        Params params = params_new();
        Rng rng = rng_seeded(4, (uint64_t)k);
        Classifier c = classifier_new(&params, sizes, kinds[k % 3], 0.0f, attention);
        params_allocate(&params, &rng);
        int ids[T] = {0, 1, 1, 2, 2, 2, 2}, target = 1; /* 0 only at the first step */
        Tape tape = tape_new();
        float first[K], reached[3]; /* gradient of token 0 for a reach of 2, T - 1 and T */
        const int reach[] = {2, T - 1, T};
        for (int i = 0; i < 3; i++) {
            tape_reset(&tape);
            params_zero_grad(&params);
            Tensor *logits = classifier_logits(&tape, &c, ids, T, 1, reach[i]);
            if (i == 0) {
                memcpy(first, logits->data, sizeof first);
            }
            assert_all_close(logits->data, first, K, 1e-6, 1e-6);
            tape_backward(&tape,
                          op_cross_entropy(&tape, logits, &target, (CrossEntropy){.ignore = -1}));
            reached[i] = dot_of(c.embedding.table->grad, c.embedding.table->grad, E);
        }
        assert_true(reached[0] == 0.0f && reached[1] == 0.0f && reached[2] > 0.0f);
        tape_free(&tape);
        params_free(&params);
    }
}

static void test_weights_and_their_names(void **state) {
    (void)state;
    Params params = params_new();
    classifier_new(&params, sizes, CELL_LSTM, 3.0f, true);
    const char *names[] = {"embedding.table", "cell.w_ih", "attention.query", "readout.w"};
    for (int i = 0; i < 4; i++) {
        assert_non_null(params_find(&params, names[i]));
    }
    params_free(&params);
}

static void test_nonsense(void **state) {
    (void)state;
    Params params = params_new();
    Rng rng = rng_seeded(5, 0);
    Classifier c = classifier_new(&params, sizes, CELL_GRU, 0.0f, false);
    params_allocate(&params, &rng);
    Tape tape = tape_new();
    int ids[2] = {0, 1}, wrong[2] = {0, V};
    expect_check_message("at least 1 step, not 0", classifier_logits(&tape, &c, ids, 2, 1, 0));
    expect_check_message("embedding: id 6", classifier_logits(&tape, &c, wrong, 2, 1, 2));
    tape_free(&tape);
    params_free(&params);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_the_last_state),
        cmocka_unit_test(test_attention_reads_all_states),
        cmocka_unit_test(test_attention_finds_a_state),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_weights_and_their_names),
        cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
