#include "support/scratch.h"
#include "support/picture.h"
#include "support/tensors.h"

#include <stdlib.h>

#include "lesson/params_file.h"

/* Two weights, and a third one when it has a name. */
static Params model(int rows, const char *third, uint64_t seed) {
    Params params = params_new();
    Rng rng = rng_seeded(seed, 1);
    params_add(&params, "encoder", "w", init_normal(1), SHAPE(rows, 3));
    params_add(&params, "encoder", "bias", init_normal(1), SHAPE(3));
    if (third != NULL) {
        params_add(&params, NULL, third, init_normal(1), SHAPE(1, 2, 2));
    }
    params_allocate(&params, &rng);
    return params;
}

static void test_saved_weights_are_loaded(void **state) {
    (void)state;
    Params a = model(2, "v", 1), b = model(2, "v", 2);
    Error error = {""};
    const char *path = scratch_path("a.safetensors");
    params_find(&a, "v")->data[1] = NAN;
    params_find(&a, "v")->data[2] = -0.0f;
    assert_true(params_save(path, &a, &error));
    assert_true(memcmp(a.data, b.data, a.size * sizeof(float)) != 0);
    assert_true(params_load(path, &b, &error));
    assert_memory_equal(a.data, b.data, a.size * sizeof(float));
    params_free(&a);
    params_free(&b);
}

/* Saves `a`, loads it into `b`: refused with these words, and b is as it was. */
static void expect_refusal(Params a, Params b, const char *says) {
    Error error = {""};
    const char *path = scratch_path("other.safetensors");
    float *before = malloc(b.size * sizeof(float));
    memcpy(before, b.data, b.size * sizeof(float));
    assert_true(params_save(path, &a, &error));
    assert_false(params_load(path, &b, &error));
    if (strstr(error.text, says) == NULL || strstr(error.text, path) == NULL) {
        fail_msg("%s", error.text);
    }
    assert_memory_equal(before, b.data, b.size * sizeof(float));
    free(before);
    params_free(&a);
    params_free(&b);
}

static void test_mismatches_are_named(void **state) {
    (void)state;
    expect_refusal(model(2, NULL, 1), model(4, NULL, 2),
                   "encoder.w is (2, 3) in the file and (4, 3) in the model");
    expect_refusal(model(2, NULL, 1), model(2, "v", 2), "no v in it, which the model has");
    expect_refusal(model(2, "v", 1), model(2, NULL, 2), "a v in it, which the model has not");
    expect_refusal(model(2, "v", 1), model(2, "u", 2), "no u in it");
}

static void test_other_numbers_are_refused(void **state) {
    (void)state;
    SafeTensors set = {0};
    Error error = {""};
    Params params = model(2, NULL, 1);
    assert_true(safetensors_put_floats(&set, "m/encoder.w", 2, (const int[]){2, 3},
                                       params_find(&params, "encoder.w")->data));
    assert_true(safetensors_put_bytes(&set, "m/encoder.bias", 3, "abc"));
    assert_false(params_take(&set, "here", "m", &params, &error));
    assert_string_equal(error.text,
                        "here: m/encoder.bias has numbers of the type U8; needed is F32");
    safetensors_free(&set);
    params_free(&params);
}

/* Several models in one file: each has a prefix, and one that begins like another is no part of it.
 */
static void test_prefixes(void **state) {
    (void)state;
    SafeTensors set = {0};
    Error error = {""};
    Params a = model(2, NULL, 1), b = model(3, "v", 2), c = model(2, NULL, 3);
    assert_true(params_put(&set, "1/a", &a) && params_put(&set, "1/ab", &b));
    assert_false(params_put(&set, "1/a", &a)); /* there already */
    assert_non_null(safetensors_find(&set, "1/ab/encoder.w"));
    assert_true(params_take(&set, "here", "1/a", &c, &error));
    assert_memory_equal(a.data, c.data, a.size * sizeof(float));
    assert_false(params_take(&set, "here", "1/ab", &c, &error));
    assert_false(params_take(&set, "here", "1", &c, &error));
    safetensors_free(&set);
    params_free(&a);
    params_free(&b);
    params_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saved_weights_are_loaded),
        cmocka_unit_test(test_mismatches_are_named),
        cmocka_unit_test(test_other_numbers_are_refused),
        cmocka_unit_test(test_prefixes),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
