#include "assert_close.h"

#include "core/tensor.h"

#include <limits.h>

static Tensor tensor_of(const char *name, int ndim, const int *dim) {
    Tensor tensor = {.ndim = ndim, .dim = {1, 1, 1, 1}, .name = name};
    memcpy(tensor.dim, dim, (size_t)ndim * sizeof *dim);
    return tensor;
}

static void test_sizes_rows_and_columns(void **state) {
    (void)state;
    Tensor a = tensor_of("a", 1, (const int[]){7});
    assert_int_equal(tensor_size(&a), 7);
    assert_int_equal(tensor_cols(&a), 7);
    assert_int_equal(tensor_rows(&a), 1);
    Tensor b = tensor_of("b", 4, (const int[]){2, 3, 5, 7});
    assert_int_equal(tensor_size(&b), 210);
    assert_int_equal(tensor_cols(&b), 7);
    assert_int_equal(tensor_rows(&b), 30);
}

static void test_same_shape_compares_count_and_every_dimension(void **state) {
    (void)state;
    Tensor a = tensor_of("a", 2, (const int[]){2, 3});
    Tensor same = tensor_of("same", 2, (const int[]){2, 3});
    Tensor last = tensor_of("last", 2, (const int[]){2, 4});
    Tensor first = tensor_of("first", 2, (const int[]){1, 3});
    Tensor longer = tensor_of("longer", 3, (const int[]){2, 3, 1});
    assert_true(tensor_same_shape(&a, &same));
    assert_false(tensor_same_shape(&a, &last));
    assert_false(tensor_same_shape(&a, &first));
    assert_false(tensor_same_shape(&a, &longer));
    assert_false(tensor_same_shape(&longer, &a));
}

static void test_text_is_name_and_shape(void **state) {
    (void)state;
    Tensor a = tensor_of("a", 1, (const int[]){7});
    Tensor b = tensor_of("encoder.w", 4, (const int[]){1, 20, 300, 4000});
    assert_string_equal(tensor_text(&a).text, "a (7)");
    assert_string_equal(tensor_text(&b).text, "encoder.w (1, 20, 300, 4000)");
    Tensor large = tensor_of("a_name_of_more_than_forty_characters_which_goes_on_and_on", 4,
                             (const int[]){INT_MAX, INT_MAX, INT_MAX, INT_MAX});
    assert_string_equal(tensor_text(&large).text,
                        "a_name_of_more_than_forty_characters_whi (2147483647, 2147483647, "
                        "2147483647, 2147483647)");
}

static void test_check_shape_counts_elements(void **state) {
    (void)state;
    assert_int_equal(tensor_check_shape("op", 3, (const int[]){2, 3, 4}), 24);
    assert_int_equal(tensor_check_shape("op", 1, (const int[]){INT_MAX}), INT_MAX);
    assert_int_equal(tensor_check_shape("op", 4, (const int[]){1, 1, 1, 1}), 1);
}

static void assert_shape_stops(const char *message, int ndim, const int *dim) {
    expect_check_message("", tensor_check_shape("op", ndim, dim));
    assert_string_equal(check_capture.message, message);
}

static void test_check_shape_refuses(void **state) {
    (void)state;
    const int dim[] = {1, 2, 3, 4, 5};
    assert_shape_stops("op: a tensor has 1 to 4 dimensions, not 0", 0, dim);
    assert_shape_stops("op: a tensor has 1 to 4 dimensions, not 5", 5, dim);
    assert_shape_stops("op: dimension 1 of the shape is 0; the least is 1", 2, (const int[]){3, 0});
    assert_shape_stops("op: dimension 0 of the shape is -3; the least is 1", 2,
                       (const int[]){-3, 2});
    assert_shape_stops("op: more than 2147483647 elements in one tensor", 2,
                       (const int[]){65536, 32768});
    assert_shape_stops("op: more than 2147483647 elements in one tensor", 4,
                       (const int[]){65536, 65536, 65536, 65536}); /* 2^64 wraps around to 0 */
}

static void test_find_nonfinite_gives_the_first(void **state) {
    (void)state;
    float values[40];
    for (int i = 0; i < 40; i++) {
        values[i] = i % 2 == 0 ? 3.4e38f : -1e-45f; /* large and tiny, but finite */
    }
    assert_int_equal(tensor_find_nonfinite(values, 40), -1);
    assert_int_equal(tensor_find_nonfinite(values, 0), -1);
    values[39] = NAN;
    assert_int_equal(tensor_find_nonfinite(values, 40), 39);
    assert_int_equal(tensor_find_nonfinite(values, 39), -1);
    values[17] = -INFINITY;
    assert_int_equal(tensor_find_nonfinite(values, 40), 17);
    values[0] = INFINITY;
    assert_int_equal(tensor_find_nonfinite(values, 40), 0);
}

static void test_argmax_takes_the_first_of_equals(void **state) {
    (void)state;
    assert_int_equal(tensor_argmax((const float[]){-5}, 1), 0);
    assert_int_equal(tensor_argmax((const float[]){-5, -3, -4}, 3), 1);
    assert_int_equal(tensor_argmax((const float[]){1, 2, 2, 0, 2}, 5), 1);
    assert_int_equal(tensor_argmax((const float[]){-INFINITY, -INFINITY, 0, INFINITY}, 4), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_rows_and_columns),
        cmocka_unit_test(test_same_shape_compares_count_and_every_dimension),
        cmocka_unit_test(test_text_is_name_and_shape),
        cmocka_unit_test(test_check_shape_counts_elements),
        cmocka_unit_test(test_check_shape_refuses),
        cmocka_unit_test(test_find_nonfinite_gives_the_first),
        cmocka_unit_test(test_argmax_takes_the_first_of_equals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
