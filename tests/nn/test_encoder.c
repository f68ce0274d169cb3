#include "support/tensors.h"

#include "nn/encoder.h"

/* An encoder of its own, with weights. */
typedef struct Reader {
    Params params;
    Tape tape;
    Encoder encoder;
} Reader;

enum { V = 11, E = 3, H = 6 };

static Reader reader_new(bool both_ways) {
    Reader reader = {.params = params_new(), .tape = tape_new()};
    Rng rng = rng_seeded(5, 0);
    reader.encoder = encoder_new(&reader.params, "encoder", V, E, H, both_ways);
    params_allocate(&reader.params, &rng);
    return reader;
}

static void reader_free(Reader *reader) {
    params_free(&reader->params);
    tape_free(&reader->tape);
}

/* Two sentences, [5 7] and [9 6 5 8], time-major. */
static const int two_ids[] = {5, 9, 7, 6, 0, 5, 0, 8}, two_lengths[] = {2, 4};

static void test_shapes_and_weights(void **state) {
    (void)state;
    for (int both_ways = 0; both_ways < 2; both_ways++) {
        Reader reader = reader_new(both_ways);
        Encoded read = encoder_forward(&reader.tape, &reader.encoder, two_ids, two_lengths, 4, 2);
        assert_shape(read.states, 2, 4, H);
        assert_shape(read.last, 2, H);
        assert_int_equal(reader.params.count, both_ways ? 9 : 5);
        assert_shape(params_find(&reader.params, "encoder.table"), V, E);
        assert_non_null(
            params_find(&reader.params, both_ways ? "encoder.backward.w_hh" : "encoder.w_hh"));
        reader_free(&reader);
    }
}

/* One way: the states of the GRU; the last is that of the last real word (fault 19). */
static void test_one_way_is_a_gru(void **state) {
    (void)state;
    Reader reader = reader_new(false);
    Tape *tape = &reader.tape;
    Encoded read = encoder_forward(tape, &reader.encoder, two_ids, two_lengths, 4, 2);
    for (int b = 0; b < 2; b++) {
        Tensor *h = tape_constant(tape, "h", NULL, SHAPE(1, H));
        for (int s = 0; s < two_lengths[b]; s++) {
            Tensor *x = embedding_step(tape, &reader.encoder.words, &two_ids[2 * s + b], 1);
            h = gru_step(tape, &reader.encoder.right, x, h);
            assert_all_close(read.states->data + (b * 4 + s) * H, h->data, H, 1e-6, 1e-5);
        }
        assert_all_close(read.last->data + b * H, h->data, H, 1e-6, 1e-5);
    }
    reader_free(&reader);
}

/* Both ways: the first half knows what lies before, the second what lies behind; `last` has the end
 * of either walk. */
static void test_both_ways(void **state) {
    (void)state;
    Reader reader = reader_new(true);
    Tape *tape = &reader.tape;
    enum { HALF = H / 2 };
    Encoded read = encoder_forward(tape, &reader.encoder, two_ids, two_lengths, 4, 2);
    for (int b = 0; b < 2; b++) {
        int n = two_lengths[b];
        Tensor *right = tape_constant(tape, "h", NULL, SHAPE(1, HALF)), *left = right;
        for (int i = 0; i < n; i++) {
            int s = i, r = n - 1 - i; /* from the front, from behind */
            Tensor *x = embedding_step(tape, &reader.encoder.words, &two_ids[2 * s + b], 1);
            Tensor *z = embedding_step(tape, &reader.encoder.words, &two_ids[2 * r + b], 1);
            right = gru_step(tape, &reader.encoder.both.forward, x, right);
            left = gru_step(tape, &reader.encoder.both.backward, z, left);
            assert_all_close(read.states->data + (b * 4 + s) * H, right->data, HALF, 1e-6, 1e-5);
            assert_all_close(read.states->data + (b * 4 + r) * H + HALF, left->data, HALF, 1e-6,
                             1e-5);
        }
        assert_all_close(read.last->data + b * H, right->data, HALF, 1e-6, 1e-5);
        assert_all_close(read.last->data + b * H + HALF, left->data, HALF, 1e-6, 1e-5);
    }
    reader_free(&reader);
}

/* A sentence alone and beside a longer one: the same states, the same end, the same gradients. */
static void test_padding_leaves_no_trace(void **state) {
    (void)state;
    for (int both_ways = 0; both_ways < 2; both_ways++) {
        Reader reader = reader_new(both_ways);
        Tape *tape = &reader.tape;
        Encoded beside = encoder_forward(tape, &reader.encoder, two_ids, two_lengths, 4, 2);
        Encoded alone =
            encoder_forward(tape, &reader.encoder, (const int[]){5, 7}, two_lengths, 2, 1);
        assert_all_close(beside.states->data, alone.states->data, 2 * H, 1e-6, 1e-5);
        assert_all_close(beside.last->data, alone.last->data, H, 1e-6, 1e-5);
        for (int i = 0; i < H; i++) {
            beside.last->grad[i] = 1.0f; /* of the short one */
        }
        params_zero_grad(&reader.params);
        tape_backward_from(tape, beside.last);
        const Tensor *table = reader.encoder.words.table;
        for (int i = 0; i < E; i++) {
            assert_close(table->grad[0 * E + i], 0.0, 0, 0); /* padding */
            assert_close(table->grad[9 * E + i], 0.0, 0, 0); /* the other's words */
            assert_true(table->grad[5 * E + i] != 0.0f);
        }
        reader_free(&reader);
    }
}

static void test_odd_sizes(void **state) {
    (void)state;
    Params params = params_new();
    expect_check_message("H = 5: it must be even", encoder_new(&params, "e", V, E, 5, true));
    Encoder one_way = encoder_new(&params, "e", V, E, 5, false);
    assert_int_equal(one_way.hidden, 5);
    params_free(&params);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_and_weights), cmocka_unit_test(test_one_way_is_a_gru),
        cmocka_unit_test(test_both_ways),          cmocka_unit_test(test_padding_leaves_no_trace),
        cmocka_unit_test(test_odd_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
