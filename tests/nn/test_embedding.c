#include "support/tensors.h"

#include "nn/embedding.h"

static void test_declares_a_table_of_normal_numbers(void **state) {
    (void)state;
    Params params = params_new();
    Embedding layer = embedding_new(&params, "source", 100, 40);
    Embedding other = embedding_new(&params, "target", 100, 40);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    assert_shape(layer.table, 100, 40);
    assert_string_equal(layer.table->name, "source.table");
    double mean = 0.0, square = 0.0;
    for (int i = 0; i < 4000; i++) {
        mean += (double)layer.table->data[i] / 4000;
        square += (double)layer.table->data[i] * (double)layer.table->data[i] / 4000;
        assert_true(layer.table->data[i] != other.table->data[i]); /* fault 17 */
    }
    assert_close(mean, 0.0, 0.08, 0.0);
    assert_close(square, 1.0, 0.12, 0.0);
    params_free(&params);
}

static void test_lookup_is_time_major(void **state) {
    (void)state;
    Params params = params_new();
    Embedding layer = embedding_new(&params, NULL, 4, 2);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    memcpy(layer.table->data, (const float[]){0, 0, 1, 10, 2, 20, 3, 30}, 8 * sizeof(float));
    Tape tape = tape_new();
    Tensor *y = embedding_forward(&tape, &layer, (const int[]){3, 1, 2, 1, 0, 3}, 3, 2);
    assert_shape(y, 3, 2, 2);
    assert_data(y, 0.0, 3, 30, 1, 10, 2, 20, 1, 10, 0, 0, 3, 30);
    Tensor *step = embedding_step(&tape, &layer, (const int[]){2, 1}, 2);
    assert_shape(step, 2, 2);
    assert_data(step, 0.0, 2, 20, 1, 10);
    backward_ones(&tape, y);
    assert_grad(layer.table, 0.0, 1, 1, 2, 2, 1, 1, 2, 2);
    tape_free(&tape);
    params_free(&params);
}

/* Small in the table, of size 1 on the way out: times sqrt(D). */
static void test_small_and_scaled(void **state) {
    (void)state;
    Params params = params_new();
    Embedding layer = embedding_new_small(&params, "words", 100, 64);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    assert_string_equal(layer.table->name, "words.table");
    double square = 0.0;
    for (int i = 0; i < 6400; i++) {
        square += (double)layer.table->data[i] * (double)layer.table->data[i] / 6400;
    }
    assert_close(square, 1.0 / 64, 0.0, 0.1);
    Tape tape = tape_new();
    const int ids[] = {3, 99, 0, 3, 3, 1};
    Tensor *y = embedding_scaled(&tape, &layer, ids, 2, 3);
    assert_shape(y, 2, 3, 64);
    for (int i = 0; i < 6 * 64; i++) {
        float entry = layer.table->data[ids[i / 64] * 64 + i % 64];
        assert_close(y->data[i], (double)(8.0f * entry), 1e-6, 1e-6);
    }
    backward_ones(&tape, y);
    assert_close(layer.table->grad[3 * 64], 24.0, 1e-5, 0.0);
    assert_close(layer.table->grad[2 * 64], 0.0, 0.0, 0.0);
    tape_free(&tape);
    params_free(&params);
}

static void test_an_unknown_id_stops(void **state) {
    (void)state;
    Params params = params_new();
    Embedding layer = embedding_new(&params, "source", 4, 2);
    Tape tape = tape_new();
    expect_exact_message("embedding: id 4 at place 0 is not in source.table (4, 2)",
                         embedding_step(&tape, &layer, (const int[]){4, 1}, 2));
    expect_exact_message("embedding: id -1 at place 0 is not in source.table (4, 2)",
                         embedding_forward(&tape, &layer, (const int[]){-1}, 1, 1));
    tape_free(&tape);
    params_free(&params);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_declares_a_table_of_normal_numbers),
        cmocka_unit_test(test_lookup_is_time_major),
        cmocka_unit_test(test_small_and_scaled),
        cmocka_unit_test(test_an_unknown_id_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
