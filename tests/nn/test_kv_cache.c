#include "support/tensors.h"

#include "nn/kv_cache.h"

/* Keys 100 b + t of row b and token t, values the negative ones; D = 2 columns of the same. */
static void append(Tape *tape, KvCache *cache, int L) {
    Tensor *k = tape_constant(tape, "k", NULL, SHAPE(cache->B, L, 2));
    Tensor *v = tape_constant(tape, "v", NULL, SHAPE(cache->B, L, 2));
    for (int i = 0; i < cache->B * L * 2; i++) {
        k->data[i] = (float)(100 * (i / (L * 2)) + cache->length + i / 2 % L);
        v->data[i] = -k->data[i];
    }
    kv_cache_append(cache, k, v);
}

static void test_tokens_follow_each_other(void **state) {
    (void)state;
    for (int B = 1; B <= 2; B++) {
        Tape tape = tape_new();
        KvCache cache = kv_cache_new(&tape.arena, B, 5, 2);
        assert_int_equal(cache.length, 0);
        append(&tape, &cache, 2);
        append(&tape, &cache, 1);
        assert_int_equal(cache.length, 3);
        Tensor *k = kv_cache_keys(&tape, &cache), *v = kv_cache_values(&tape, &cache);
        assert_shape(k, B, 3, 2);
        assert_null(k->grad);
        for (int i = 0; i < B * 6; i++) {
            float expected = (float)(100 * (i / 6) + i / 2 % 3);
            assert_true(k->data[i] == expected && v->data[i] == -expected);
        }
        tape_free(&tape);
    }
}

static void test_rows_are_reordered(void **state) {
    (void)state;
    Tape tape = tape_new();
    KvCache cache = kv_cache_new(&tape.arena, 3, 4, 2);
    append(&tape, &cache, 1);
    kv_cache_reorder(&cache, (const int[]){2, 0, 2});
    append(&tape, &cache, 1);
    const float expected[] = {200, 200, 1, 1, 0, 0, 101, 101, 200, 200, 201, 201};
    Tensor *k = kv_cache_keys(&tape, &cache), *v = kv_cache_values(&tape, &cache);
    for (int i = 0; i < 12; i++) {
        assert_true(k->data[i] == expected[i] && v->data[i] == -expected[i]);
    }
    kv_cache_reorder(&cache, (const int[]){0, 1, 2}); /* nothing moves */
    assert_same_bits(kv_cache_keys(&tape, &cache)->data, expected, 12);
    kv_cache_reorder(&cache, (const int[]){1, 1, 0});
    assert_data(kv_cache_keys(&tape, &cache), 0.0, 0, 0, 101, 101, 0, 0, 101, 101, 200, 200, 1, 1);
    tape_free(&tape);
}

static void test_reset_empties_it(void **state) {
    (void)state;
    Tape tape = tape_new();
    KvCache cache = kv_cache_new(&tape.arena, 1, 3, 2);
    append(&tape, &cache, 3);
    kv_cache_reset(&cache);
    append(&tape, &cache, 2);
    assert_data(kv_cache_keys(&tape, &cache), 0.0, 0, 0, 1, 1);
    tape_free(&tape);
}

static void test_wrong_use(void **state) {
    (void)state;
    Tape tape = tape_new();
    KvCache cache = kv_cache_new(&tape.arena, 2, 8, 2);
    append(&tape, &cache, 6);
    expect_exact_message("kv_cache: 3 tokens more do not fit behind the 6 in it: it holds 8",
                         append(&tape, &cache, 3));
    append(&tape, &cache, 2);
    Tensor *k = tape_constant(&tape, "k", NULL, SHAPE(1, 1, 2));
    expect_exact_message("kv_cache: keys k (1, 1, 2) and values k (1, 1, 2): needed are (2, L, 2)",
                         kv_cache_append(&cache, k, k));
    expect_exact_message("kv_cache: row 1 cannot continue row 2: there are 2 rows",
                         kv_cache_reorder(&cache, (const int[]){0, 2}));
    expect_exact_message("kv_cache: row 0 cannot continue row -1: there are 2 rows",
                         kv_cache_reorder(&cache, (const int[]){-1, 0}));
    expect_check_message("kv_cache", kv_cache_new(&tape.arena, 2, 0, 2));
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens_follow_each_other),
        cmocka_unit_test(test_rows_are_reordered),
        cmocka_unit_test(test_reset_empties_it),
        cmocka_unit_test(test_wrong_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
