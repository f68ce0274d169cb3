#include "support/tensors.h"

#include "core/chain.h"

static void test_an_empty_tape_has_no_chain(void **state) {
    (void)state;
    Tape tape = tape_new();
    assert_int_equal(tape_longest_chain(&tape), 0);
    Tensor *c = tape_constant(&tape, "c", NULL, SHAPE(2));
    op_mul(&tape, c, c); /* of constants alone: not recorded */
    assert_int_equal(tape_longest_chain(&tape), 0);
    tape_free(&tape);
}

static void test_what_waits_for_each_other_adds_up(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(2)), *y = x;
    for (int i = 1; i <= 50; i++) {
        y = op_tanh(&tape, y);
        assert_int_equal(tape_longest_chain(&tape), i);
    }
    tape_free(&tape);
}

static void test_what_is_side_by_side_does_not(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(2)), *part[50];
    for (int i = 0; i < 50; i++) {
        part[i] = op_tanh(&tape, x);
    }
    assert_int_equal(tape_longest_chain(&tape), 1);
    Tensor *all = op_stack(&tape, part, 50);
    assert_int_equal(tape_longest_chain(&tape), 2);
    op_add(&tape, all, op_tanh(&tape, op_tanh(&tape, x))); /* both sides have taken two */
    assert_int_equal(tape_longest_chain(&tape), 3);
    op_add(&tape, op_tanh(&tape, op_tanh(&tape, op_tanh(&tape, x))), x);
    assert_int_equal(tape_longest_chain(&tape), 4);
    tape_free(&tape);
}

static void test_views_are_free_but_keep_the_chain(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(4, 3));
    Tensor *y = op_tanh(&tape, op_index(&tape, op_reshape(&tape, x, SHAPE(3, 4)), 2));
    assert_int_equal(tape_longest_chain(&tape), 1);
    y = op_reshape(&tape, op_slice(&tape, y, 1, 3), SHAPE(1, 2)); /* begins inside of y */
    op_tanh(&tape, y);
    assert_int_equal(tape_longest_chain(&tape), 2);
    tape_free(&tape);
}

/* A recurrence by hand: each step waits for the one before it, however much is done at once. */
static void test_a_recurrence_is_as_long_as_its_sequence(void **state) {
    (void)state;
    enum { T = 20 };
    Tape tape = tape_new();
    Rng rng = rng_seeded(1, 0);
    Tensor *x = random_variable(&tape, &rng, "x", SHAPE(T, 2, 3));
    Tensor *w = random_variable(&tape, &rng, "w", SHAPE(3, 3));
    Tensor *h = tape_constant(&tape, "h", NULL, SHAPE(2, 3));
    for (int t = 0; t < T; t++) { /* product, sum and tanh, one behind the other */
        Tensor *sum = op_add(&tape, op_matmul(&tape, h, w), op_index(&tape, x, t));
        h = op_tanh(&tape, sum);
    }
    assert_int_equal(tape_longest_chain(&tape), 3 * T);
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_empty_tape_has_no_chain),
        cmocka_unit_test(test_what_waits_for_each_other_adds_up),
        cmocka_unit_test(test_what_is_side_by_side_does_not),
        cmocka_unit_test(test_views_are_free_but_keep_the_chain),
        cmocka_unit_test(test_a_recurrence_is_as_long_as_its_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
