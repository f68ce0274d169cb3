#include "support/gradient_check.h"

static void test_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *table = tape_variable(&tape, "table", (const float[]){1, 2, 3, 4, 5, 6}, SHAPE(3, 2));
    int ids[] = {2, 0, 2, 2};
    Tensor *y = op_embedding(&tape, table, ids, SHAPE(2, 2));
    assert_shape(y, 2, 2, 2);
    assert_data(y, 0.0, 5, 6, 1, 2, 5, 6, 5, 6);
    ids[0] = 1; /* they were copied: the way back goes where the way there went */
    for (int i = 0; i < 8; i++) {
        y->grad[i] = (float)(i + 1);
    }
    tape_backward_from(&tape, y);
    assert_grad(table, 0.0, 3, 4, 0, 0, 1 + 5 + 7, 2 + 6 + 8); /* an id met thrice adds up */
    tape_free(&tape);
}

static Tensor *lookup(Tape *tape, Tensor *const *in, const void *context) {
    return op_embedding(tape, in[0], context, SHAPE(2, 1, 3));
}

static void test_gradients(void **state) {
    (void)state;
    static const int sizes[] = {1, 3, 7, 17, 33};
    for (int s = 0; s < 5; s++) {
        gradient_check(lookup, ((const int[]){4, 0, 4, 1, 3, 4}), INPUT("table", 5, sizes[s]));
        gradient_check(lookup, ((const int[]){0, 0, 0, 0, 0, 0}), INPUT("table", 1, sizes[s]));
    }
}

static void test_bad_ids_and_shapes_stop(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *table = tape_variable(&tape, "table", NULL, SHAPE(5, 2));
    Tensor *row = tape_variable(&tape, "row", NULL, SHAPE(5));
    expect_exact_message("embedding: id 5 at place 1 is not in table (5, 2)",
                         op_embedding(&tape, table, (const int[]){4, 5}, SHAPE(2)));
    expect_exact_message("embedding: id -1 at place 0 is not in table (5, 2)",
                         op_embedding(&tape, table, (const int[]){-1, 5}, SHAPE(2)));
    expect_exact_message("embedding: the table must be (V, D), not row (5)",
                         op_embedding(&tape, row, (const int[]){1}, SHAPE(1)));
    expect_exact_message("embedding: ids of 4 dimensions; the most is 3",
                         op_embedding(&tape, table, (const int[]){1}, SHAPE(1, 1, 1, 1)));
    expect_exact_message("embedding: dimension 0 of the shape is 0; the least is 1",
                         op_embedding(&tape, table, (const int[]){1}, SHAPE(0)));
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_bad_ids_and_shapes_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
