#include "support/tensors.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_in_both_directions),
        cmocka_unit_test(test_real_steps_end_at_the_length),
        cmocka_unit_test(test_a_walk_copies_its_lengths),
        cmocka_unit_test(test_what_does_not_fit_stops),
        cmocka_unit_test(test_the_last_state_in_walking_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
