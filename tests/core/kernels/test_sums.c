/* Sums and products against double precision, at every length and for millions of terms. */
#include "assert_close.h"

#include "core/kernels/parallel.h"
#include "core/kernels/rows.h"
#include "core/kernels/vec.h"
#include "core/rng.h"
#include "core/threads.h"

#include <stdlib.h>

enum { LONGEST = 4 * VEC_LANES + 5, MANY = 2000003 };

static void fill(float *x, long n, uint64_t seed) {
    Rng rng = rng_seeded(seed, 0);
    for (long i = 0; i < n; i++) {
        x[i] = 2.0f * rng_normal(&rng);
    }
}

static void test_sums_at_every_length(void **state) {
    (void)state;
    float a[LONGEST], b[LONGEST];
    fill(a, LONGEST, 2);
    fill(b, LONGEST, 3);
    for (int n = 0; n <= LONGEST; n++) {
        double products = 0.0, total = 0.0, squares = 0.0;
        for (int i = 0; i < n; i++) {
            products += (double)a[i] * (double)b[i];
            total += (double)a[i];
            squares += (double)a[i] * (double)a[i];
        }
        assert_close((double)dot(a, b, n), products, 2e-5, 1e-6);
        assert_close((double)sum(a, n), total, 2e-5, 1e-6);
        assert_close(sum_squares(a, n), squares, 1e-12, 1e-12);
    }
}

static void test_millions_of_terms(void **state) {
    (void)state;
    float *x = malloc(MANY * sizeof *x);
    assert_non_null(x);
    double squares = 0.0;
    fill(x, MANY, 4);
    for (long i = 0; i < MANY; i++) {
        squares += (double)x[i] * (double)x[i];
    }
    threads_set(1);
    double one = sum_squares(x, MANY);
    assert_close(one, squares, 0.0, 1e-12);
    for (int threads = 2; threads <= 8; threads += 3) {
        threads_set(threads);
        double many = sum_squares(x, MANY);
        assert_memory_equal(&many, &one, sizeof one);
    }
    threads_set(0);
    for (long i = 0; i < MANY; i++) {
        x[i] = 1.1f; /* one float32 total would be off by a percent in the end */
    }
    assert_close((double)sum(x, MANY), (double)MANY * (double)1.1f, 0.0, 1e-6);
    free(x);
}

static void test_element_by_element(void **state) {
    (void)state;
    const float a[] = {1, 2, 3, 4, 5}, b[] = {10, 20, 30, 40, 50};
    float y[] = {0, 0, 0, 0, 7};
    add(y, a, b, 4);
    assert_memory_equal(y, ((float[]){11, 22, 33, 44, 7}), sizeof y);
    mul(y, a, b, 4);
    assert_memory_equal(y, ((float[]){10, 40, 90, 160, 7}), sizeof y);
    axpy(y, -2.0f, a, 4);
    assert_memory_equal(y, ((float[]){8, 36, 84, 152, 7}), sizeof y);
    add(y, y, a, 4); /* in place */
    assert_memory_equal(y, ((float[]){9, 38, 87, 156, 7}), sizeof y);
}

/* Long arrays are cut into chunks: not one element is left out, done twice, or taken from
 * elsewhere.
 */
static void test_element_by_element_in_chunks(void **state) {
    (void)state;
    enum { MOST = PARALLEL_LEAST + 2 * PARALLEL_CHUNK + 1 };
    const long lengths[] = {PARALLEL_CHUNK,     PARALLEL_CHUNK + 1, 2 * PARALLEL_CHUNK - 1,
                            2 * PARALLEL_CHUNK, PARALLEL_LEAST,     MOST};
    float *a = malloc(4 * (MOST + 1) * sizeof *a);
    assert_non_null(a);
    float *b = a + MOST + 1, *y = b + MOST + 1, *z = y + MOST + 1;
    for (long i = 0; i <= MOST; i++) { /* whole numbers: no result is rounded */
        a[i] = (float)(i % 1021);
        b[i] = (float)(i % 2039 + 1);
    }
    for (int threads = 1; threads <= 2; threads++) {
        threads_set(threads);
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            long n = lengths[k];
            y[n] = z[n] = 7.0f;
            add(y, a, b, n);
            mul(z, a, b, n);
            axpy(z, -2.0f, b, n);
            for (long i = 0; i < n; i++) {
                assert_true(y[i] == a[i] + b[i]);
                assert_true(z[i] == a[i] * b[i] - 2.0f * b[i]);
            }
            copy(y, b, n);
            set_zero(z, n);
            for (long i = 0; i < n; i++) {
                assert_true(y[i] == b[i] && z[i] == 0.0f);
            }
            assert_true(y[n] == 7.0f && z[n] == 7.0f); /* nor one too many */
        }
    }
    threads_set(0);
    free(a);
}

static void test_bias_there_and_back(void **state) {
    (void)state;
    float y[] = {1, 2, 3, 4, 5, 6}, bias[] = {10, 20, 30}, dbias[] = {1, 1, 1};
    add_bias_rows(y, bias, 2, 3);
    assert_memory_equal(y, ((float[]){11, 22, 33, 14, 25, 36}), sizeof y);
    bias_backward(dbias, y, 2, 3);
    assert_memory_equal(dbias, ((float[]){26, 48, 70}), sizeof dbias);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_at_every_length),
        cmocka_unit_test(test_millions_of_terms),
        cmocka_unit_test(test_element_by_element),
        cmocka_unit_test(test_element_by_element_in_chunks),
        cmocka_unit_test(test_bias_there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
