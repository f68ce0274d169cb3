#include "support/tensors.h"

#include "core/params.h"

static void test_all_weights_lie_in_one_block(void **state) {
    (void)state;
    Params params = params_new();
    Tensor *a = params_add(&params, "cell", "a", init_constant(1.0f), SHAPE(3, 5));
    Tensor *b = params_add(&params, "cell", "b", init_constant(2.0f), SHAPE(1));
    Tensor *c = params_add(&params, NULL, "c", init_constant(3.0f), SHAPE(2, 2, 4));
    assert_null(a->data);
    assert_int_equal(params.count, 3);
    assert_int_equal(params.size, 48); /* 15, 1 and 16 numbers, each in whole lines of 16 */
    assert_int_equal(params_count_numbers(&params), 32);
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    assert_ptr_equal(a->data, params.data);
    assert_ptr_equal(b->data, params.data + 16);
    assert_ptr_equal(c->data, params.data + 32);
    assert_ptr_equal(b->grad - params.grad, 16);
    assert_int_equal((uintptr_t)params.data % ARENA_ALIGNMENT, 0);
    assert_int_equal((uintptr_t)params.grad % ARENA_ALIGNMENT, 0);
    for (size_t i = 0; i < params.size; i++) {
        float expected = i < 15 ? 1.0f : i < 16 ? 0.0f : i < 17 ? 2.0f : i < 32 ? 0.0f : 3.0f;
        assert_true(params.data[i] == expected); /* and zeros between them */
        assert_true(params.grad[i] == 0.0f);
    }
    params_free(&params);
    assert_null(params.data);
    assert_int_equal(params.count, 0);
}

static void test_names_are_found_and_visited_in_order(void **state) {
    (void)state;
    Params params = params_new();
    char prefix[] = "encoder"; /* copied: may change afterwards */
    Tensor *w = params_add(&params, prefix, "w", init_zeros(), SHAPE(2));
    prefix[0] = 'E';
    Tensor *v = params_add(&params, "", "v", init_zeros(), SHAPE(2));
    assert_string_equal(w->name, "encoder.w");
    assert_string_equal(v->name, "v");
    assert_ptr_equal(params_find(&params, "encoder.w"), w);
    assert_ptr_equal(params_find(&params, "v"), v);
    assert_null(params_find(&params, "w"));
    ParamEntry *entry = params_next(&params, NULL);
    assert_ptr_equal(param_tensor(entry), w);
    entry = params_next(&params, entry);
    assert_ptr_equal(param_tensor(entry), v);
    assert_null(params_next(&params, entry));
    params_free(&params);
}

static void test_prefixes_join_with_a_dot(void **state) {
    (void)state;
    assert_string_equal(param_prefix("encoder", "forward").text, "encoder.forward");
    assert_string_equal(param_prefix("", "forward").text, "forward");
    assert_string_equal(param_prefix(NULL, "forward").text, "forward");
    const char *long_name = "a_name_that_with_its_prefix_needs_more_than_64_characters";
    expect_check_message("is too long", param_prefix("encoder", long_name));
}

static void test_wrong_use_stops(void **state) {
    (void)state;
    Params params = params_new();
    Rng rng = rng_seeded(1, 0);
    expect_exact_message("params_allocate: no parameter has been declared",
                         params_allocate(&params, &rng));
    params_add(&params, "cell", "w", init_zeros(), SHAPE(2, 2));
    expect_exact_message("params_add: there is a cell.w already",
                         params_add(&params, "cell", "w", init_zeros(), SHAPE(3)));
    expect_exact_message("cell.x: dimension 0 of the shape is 0; the least is 1",
                         params_add(&params, "cell", "x", init_zeros(), SHAPE(0)));
    assert_int_equal(params.count, 1);
    params_allocate(&params, &rng);
    expect_exact_message("params_add: cell.late comes after params_allocate",
                         params_add(&params, "cell", "late", init_zeros(), SHAPE(2)));
    expect_exact_message("params_allocate: the block has been made already",
                         params_allocate(&params, &rng));
    params_free(&params);
}

static void test_zero_grad_clears_every_gradient(void **state) {
    (void)state;
    Params params = params_new();
    Tensor *a = params_add(&params, NULL, "a", init_constant(1.0f), SHAPE(3));
    Tensor *b = params_add(&params, NULL, "b", init_constant(1.0f), SHAPE(20));
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    a->grad[2] = b->grad[0] = b->grad[19] = 7.0f;
    params_zero_grad(&params);
    for (size_t i = 0; i < params.size; i++) {
        assert_true(params.grad[i] == 0.0f);
    }
    assert_data(a, 0.0, 1, 1, 1);
    params_free(&params);
}

/* A single weight made by `init`, in a block of its own. */
static Tensor *weight_of(Params *params, Init init, int ndim, const int *dim) {
    Rng rng = rng_seeded(5, 0);
    *params = params_new();
    Tensor *w = params_add(params, NULL, "w", init, ndim, dim);
    params_allocate(params, &rng);
    return w;
}

static double mean_square(const Tensor *w) {
    double sum = 0.0;
    for (size_t i = 0; i < tensor_size(w); i++) {
        sum += (double)w->data[i] * (double)w->data[i];
    }
    return sum / (double)tensor_size(w);
}

static double mean_of(const Tensor *w) {
    double sum = 0.0;
    for (size_t i = 0; i < tensor_size(w); i++) {
        sum += (double)w->data[i];
    }
    return sum / (double)tensor_size(w);
}

static void assert_uniform_in(const Tensor *w, double bound) {
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < tensor_size(w); i++) {
        least = fmin(least, (double)w->data[i]);
        most = fmax(most, (double)w->data[i]);
    }
    assert_true(least >= -bound - 1e-7 && most <= bound + 1e-7);
    assert_close(least, -bound, 0.0, 0.01); /* and reaches nearly to the bounds */
    assert_close(most, bound, 0.0, 0.01);
    assert_close(mean_of(w), 0.0, 0.03 * bound, 0.0);
    assert_close(mean_square(w), bound * bound / 3.0, 0.0, 0.03);
}

static void test_uniform_and_normal_weights(void **state) {
    (void)state;
    Params params;
    Tensor *w = weight_of(&params, init_uniform(0.125f), SHAPE(100, 100));
    assert_uniform_in(w, 0.125);
    params_free(&params);
    w = weight_of(&params, init_normal(0.02f), SHAPE(100, 100));
    assert_close(mean_of(w), 0.0, 1e-3, 0.0);
    assert_close(sqrt(mean_square(w)), 0.02, 0.0, 0.03);
    params_free(&params);
}

static void test_xavier_bound_comes_from_both_fans(void **state) {
    (void)state;
    Params params;
    Tensor *w = weight_of(&params, init_xavier(), SHAPE(120, 80));
    assert_uniform_in(w, sqrt(6.0 / 200.0));
    params_free(&params);
    params = params_new();
    Rng rng = rng_seeded(1, 0);
    params_add(&params, NULL, "bias", init_xavier(), SHAPE(8));
    expect_exact_message("init_xavier: bias (8) is no matrix", params_allocate(&params, &rng));
    params_free(&params);
}

static void test_orthogonal_rows_are_orthogonal(void **state) {
    (void)state;
    static const int sizes[] = {1, 2, 7, 33, 64};
    for (int s = 0; s < 5; s++) {
        int n = sizes[s];
        Params params;
        const Tensor *w = weight_of(&params, init_orthogonal(1.5f), SHAPE(n, n));
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double dot = 0.0;
                for (int k = 0; k < n; k++) {
                    dot += (double)w->data[i * n + k] * (double)w->data[j * n + k];
                }
                assert_close(dot, i == j ? 2.25 : 0.0, 2e-6, 0.0);
            }
        }
        params_free(&params);
    }
    Params params = params_new();
    Rng rng = rng_seeded(1, 0);
    params_add(&params, NULL, "w", init_orthogonal(1.0f), SHAPE(3, 4));
    expect_exact_message("init_orthogonal: w (3, 4) is no square matrix",
                         params_allocate(&params, &rng));
    params_free(&params);
}

static void test_initialise_makes_the_same_model_from_the_same_seed(void **state) {
    (void)state;
    Params params = params_new();
    params_add(&params, "one", "w", init_xavier(), SHAPE(5, 7));
    params_add(&params, "two", "w", init_normal(1.0f), SHAPE(9));
    Rng rng = rng_seeded(3, 1);
    params_allocate(&params, &rng);
    float first[64], *data = params.data;
    assert_int_equal(params.size, 64);
    memcpy(first, data, sizeof first);
    params_initialise(&params, &rng); /* the stream went on: other weights */
    assert_memory_not_equal(params.data, first, sizeof first);
    rng = rng_seeded(3, 1);
    params_initialise(&params, &rng);
    assert_ptr_equal(params.data, data);
    assert_same_bits(params.data, first, 64);
    params_free(&params);
}

static void test_fault_17_layers_start_different(void **state) {
    (void)state;
    const Init inits[] = {init_xavier(), init_uniform(1.0f), init_normal(1.0f),
                          init_orthogonal(1.0f)};
    for (int i = 0; i < 4; i++) {
        Params params = params_new();
        const Tensor *a = params_add(&params, "layer0", "w", inits[i], SHAPE(4, 4));
        const Tensor *b = params_add(&params, "layer1", "w", inits[i], SHAPE(4, 4));
        Rng rng = rng_seeded(1, 0);
        params_allocate(&params, &rng);
        for (int j = 0; j < 16; j++) {
            assert_true(a->data[j] != b->data[j]);
        }
        params_free(&params);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_weights_lie_in_one_block),
        cmocka_unit_test(test_names_are_found_and_visited_in_order),
        cmocka_unit_test(test_prefixes_join_with_a_dot),
        cmocka_unit_test(test_wrong_use_stops),
        cmocka_unit_test(test_zero_grad_clears_every_gradient),
        cmocka_unit_test(test_uniform_and_normal_weights),
        cmocka_unit_test(test_xavier_bound_comes_from_both_fans),
        cmocka_unit_test(test_orthogonal_rows_are_orthogonal),
        cmocka_unit_test(test_initialise_makes_the_same_model_from_the_same_seed),
        cmocka_unit_test(test_fault_17_layers_start_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
