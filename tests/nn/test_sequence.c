#include "support/tensors.h"

#include "core/threads.h"
#include "nn/recurrent.h"
#include "nn/sequence.h"

static void test_steps_in_both_directions(void **state) {
    (void)state;
    Walk forward = {.T = 4}, reverse = {.T = 4, .reverse = true};
    static const int times[] = {0, 1, 2, 3}, before[] = {-1, 0, 1, 2};
    static const int times_back[] = {3, 2, 1, 0}, before_back[] = {-1, 3, 2, 1};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(walk_time(&forward, i), times[i]);
        assert_int_equal(walk_time_before(&forward, i), before[i]);
        assert_int_equal(walk_time(&reverse, i), times_back[i]);
        assert_int_equal(walk_time_before(&reverse, i), before_back[i]);
    }
}

static void test_real_steps_end_at_the_length(void **state) {
    (void)state;
    Walk all = {.T = 3, .B = 2}, some = {.T = 3, .B = 2, .len = (const int[]){2, 0}};
    assert_true(walk_is_real(&all, 2, 1));
    assert_true(walk_is_real(&some, 1, 0));
    assert_false(walk_is_real(&some, 2, 0));
    assert_false(walk_is_real(&some, 0, 1));
}

static void test_a_walk_copies_its_lengths(void **state) {
    (void)state;
    Tape tape = tape_new();
    int len[] = {3, 1};
    Tensor *projected = tape_constant(&tape, "gx", NULL, SHAPE(3, 2, 12));
    Walk walk = walk_new(&tape, "gru", projected, 3, NULL, (SequenceOptions){len, true});
    len[0] = 0;
    assert_int_equal(walk.T, 3);
    assert_int_equal(walk.B, 2);
    assert_int_equal(walk.H, 4);
    assert_true(walk.reverse);
    assert_true(walk_is_real(&walk, 2, 0));
    tape_free(&tape);
}

static void test_what_does_not_fit_stops(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *gx = tape_constant(&tape, "gx", NULL, SHAPE(3, 2, 12));
    Tensor *flat = tape_constant(&tape, "flat", NULL, SHAPE(3, 12));
    Tensor *odd = tape_constant(&tape, "odd", NULL, SHAPE(3, 2, 13));
    Tensor *h0 = tape_constant(&tape, "h0", NULL, SHAPE(4, 2));
    SequenceOptions all = {0}, bad = {.len = (const int[]){3, 4}};
    expect_exact_message("gru: flat (3, 12) must be (T, B, 3 H)",
                         walk_new(&tape, "gru", flat, 3, NULL, all));
    expect_exact_message("gru: odd (3, 2, 13) must be (T, B, 3 H)",
                         walk_new(&tape, "gru", odd, 3, NULL, all));
    expect_exact_message("gru: the initial state h0 (4, 2) must be (2, 4)",
                         walk_new(&tape, "gru", gx, 3, h0, all));
    expect_exact_message("gru: length 4 of sequence 1 is not in 0..3",
                         walk_new(&tape, "gru", gx, 3, NULL, bad));
    tape_free(&tape);
}

static void test_the_last_state_in_walking_order(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *y = tape_variable(&tape, "y", (const float[]){1, 2, 3, 4, 5, 6}, SHAPE(3, 1, 2));
    Tensor *last = sequence_last(&tape, y, (SequenceOptions){0});
    Tensor *first = sequence_last(&tape, y, (SequenceOptions){.reverse = true});
    assert_shape(last, 1, 2);
    assert_data(last, 0.0, 5, 6);
    assert_data(first, 0.0, 1, 2);
    assert_ptr_equal(last->grad, y->grad + 4); /* a view */
    tape_free(&tape);
}

/* Everything a layer gives: its states and all gradients, one behind the other. */
enum { T = 60, B = 21, I = 5, H = 40, GIVEN_MOST = 120000 };

static long gather(float *given, long count, const float *numbers, size_t n) {
    assert_true(count + (long)n <= GIVEN_MOST);
    memcpy(given + count, numbers, n * sizeof *numbers);
    return count + (long)n;
}

static long run_layer(CellKind kind, const int *len, bool reverse, int threads, float *given) {
    Tape tape = tape_new();
    Params params = params_new();
    Rng rng = rng_seeded(7, 0);
    Recurrent cell = recurrent_new(&params, "cell", kind, I, H, 0.0f);
    params_allocate(&params, &rng);
    threads_set(threads);
    Tensor *x = random_variable(&tape, &rng, "x", SHAPE(T, B, I));
    Tensor *h = random_variable(&tape, &rng, "h", SHAPE(B, H));
    Tensor *c = random_variable(&tape, &rng, "c", SHAPE(B, H));
    CellState initial = {h, kind == CELL_LSTM ? c : NULL}, last;
    SequenceOptions options = {len, reverse};
    Tensor *y = recurrent_forward(&tape, &cell, x, initial, options, &last);
    params_begin_grad(&params);
    backward_random(&tape, y, 1);
    params_end_grad(&params);
    threads_set(1);
    long count = gather(given, 0, y->data, tensor_size(y));
    count = gather(given, count, x->grad, tensor_size(x));
    count = gather(given, count, h->grad, tensor_size(h));
    if (kind == CELL_LSTM) {
        count = gather(given, count, c->grad, tensor_size(c));
    }
    count = gather(given, count, params.grad, params.size);
    tape_free(&tape);
    params_free(&params);
    return count;
}

/* Each thread walks with some of the sequences: the same bits as when one walks with all. */
static void test_shares_of_a_batch_change_no_bit(void **state) {
    (void)state;
    static const CellKind kinds[] = {CELL_RNN, CELL_LSTM, CELL_GRU};
    static float one[GIVEN_MOST], other[GIVEN_MOST];
    int len[B];
    for (int b = 0; b < B; b++) {
        len[b] = b * T / (B - 1);
    }
    for (int k = 0; k < 3; k++) {
        for (int way = 0; way < 4; way++) {
            const int *lengths = way % 2 ? len : NULL;
            long count = run_layer(kinds[k], lengths, way >= 2, 1, one);
            for (int threads = 2; threads <= 8; threads += 3) {
                assert_int_equal(run_layer(kinds[k], lengths, way >= 2, threads, other), count);
                assert_same_bits(other, one, (size_t)count);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_in_both_directions),
        cmocka_unit_test(test_real_steps_end_at_the_length),
        cmocka_unit_test(test_a_walk_copies_its_lengths),
        cmocka_unit_test(test_what_does_not_fit_stops),
        cmocka_unit_test(test_the_last_state_in_walking_order),
        cmocka_unit_test(test_shares_of_a_batch_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
