#include "assert_close.h"

#include "core/kernels/gemm.h"
#include "core/kernels/gemm_tile.h"
#include "core/rng.h"
#include "core/threads.h"

#include <stdlib.h>

enum { GUARD = 3 };
static const float GUARD_VALUE = -77.0f;

typedef struct Case {
    bool trans_a, trans_b, accumulate;
    int m, n, k, pad; /* pad: how much longer than needed the rows are */
} Case;

static float *filled(long n, Rng *rng) {
    /* exactly as long as the kernel may read: the address sanitizer sees one float too many */
    float *x = malloc((size_t)(n > 0 ? n : 1) * sizeof *x);
    for (long i = 0; i < n; i++) {
        x[i] = rng_normal(rng);
    }
    return x;
}

/* Floats from the first to the last element of a stored matrix. */
static long stored(int rows, int cols, int ld) {
    return rows == 0 || cols == 0 ? 0 : (long)(rows - 1) * ld + cols;
}

static void check_case(Case t, Rng *rng) {
    int a_rows = t.trans_a ? t.k : t.m, a_cols = t.trans_a ? t.m : t.k;
    int b_rows = t.trans_b ? t.n : t.k, b_cols = t.trans_b ? t.k : t.n;
    int lda = a_cols + t.pad, ldb = b_cols + t.pad, ldc = t.n + t.pad;
    float *a = filled(stored(a_rows, a_cols, lda), rng);
    float *b = filled(stored(b_rows, b_cols, ldb), rng);
    float *c = filled(stored(t.m, t.n, ldc), rng), *expected = filled(stored(t.m, t.n, ldc), rng);
    for (int i = 0; i < t.m && t.n > 0; i++) {
        for (int j = 0; j < t.n + (i < t.m - 1 ? t.pad : 0); j++) {
            c[i * ldc + j] = expected[i * ldc + j] = j < t.n ? (float)(i - j) : GUARD_VALUE;
        }
    }
    gemm(t.trans_a, t.trans_b, t.m, t.n, t.k, a, lda, b, ldb, t.accumulate, c, ldc);
    gemm_naive(t.trans_a, t.trans_b, t.m, t.n, t.k, a, lda, b, ldb, t.accumulate, expected, ldc);
    /* sums of k products of normal numbers, in another order */
    assert_all_close(c, expected, (size_t)stored(t.m, t.n, ldc), 2e-6 * (t.k + 10), 1e-5);
    free(a);
    free(b);
    free(c);
    free(expected);
}

/* All transpositions, with and without accumulation and longer rows, for one size. */
static void check_size(int m, int n, int k, Rng *rng) {
    for (int bits = 0; bits < 16; bits++) {
        check_case((Case){bits & 1, bits & 2, bits & 4, m, n, k, bits & 8 ? GUARD : 0}, rng);
    }
}

static void test_by_hand(void **state) {
    (void)state;
    /* [1 2; 3 4] [5 6; 7 8] = [19 22; 43 50] */
    const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, product[] = {19, 22, 43, 50};
    const float at[] = {1, 3, 2, 4}, bt[] = {5, 7, 6, 8};
    for (int bits = 0; bits < 4; bits++) {
        float c[4] = {9, 9, 9, 9}, naive[4] = {9, 9, 9, 9};
        gemm(bits & 1, bits & 2, 2, 2, 2, bits & 1 ? at : a, 2, bits & 2 ? bt : b, 2, false, c, 2);
        gemm_naive(bits & 1, bits & 2, 2, 2, 2, bits & 1 ? at : a, 2, bits & 2 ? bt : b, 2, false,
                   naive, 2);
        assert_memory_equal(c, product, sizeof c);
        assert_memory_equal(naive, product, sizeof naive);
    }
}

static void test_small_and_odd_sizes(void **state) {
    (void)state;
    static const int sizes[] = {1, 2, 3, 7, 8, 9, 13, 16, 17, 31, 33};
    Rng rng = rng_seeded(1, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            check_size(sizes[i], sizes[j], sizes[(i + 2 * j) % 11], &rng);
        }
    }
}

static void test_sizes_that_cross_every_block(void **state) {
    (void)state;
    Rng rng = rng_seeded(2, 0);
    check_size(97, 65, 259, &rng);   /* past one block of k and of m */
    check_size(201, 33, 130, &rng);  /* packed A */
    check_size(5, 1030, 40, &rng);   /* past two blocks of n */
    check_size(130, 530, 300, &rng); /* all at once */
}

static void test_nothing_to_do(void **state) {
    (void)state;
    Rng rng = rng_seeded(3, 0);
    check_size(0, 5, 3, &rng);
    check_size(5, 0, 3, &rng);
    float c[] = {1, 2, 3, 4}, x = 0;
    gemm(false, false, 2, 2, 0, &x, 1, &x, 2, true, c, 2); /* an empty sum adds nothing */
    assert_memory_equal(c, ((float[]){1, 2, 3, 4}), sizeof c);
    gemm(false, false, 2, 2, 0, &x, 1, &x, 2, false, c, 2);
    assert_memory_equal(c, ((float[]){0, 0, 0, 0}), sizeof c);
}

static void test_batched_equals_one_by_one(void **state) {
    (void)state;
    enum { BATCH = 5, M = 7, N = 19, K = 11 };
    Rng rng = rng_seeded(4, 0);
    float *a = filled(BATCH * M * K, &rng), *b = filled(BATCH * N * K, &rng);
    float c[BATCH * M * N], expected[BATCH * M * N];
    gemm_batched(false, true, BATCH, M, N, K, a, K, M * K, b, K, N * K, false, c, N, M * N);
    for (int i = 0; i < BATCH; i++) {
        gemm(false, true, M, N, K, a + i * M * K, K, b + i * N * K, K, false, expected + i * M * N,
             N);
    }
    assert_memory_equal(c, expected, sizeof c);
    free(a);
    free(b);
}

static void test_same_bits_on_any_number_of_threads(void **state) {
    (void)state;
    static const int sizes[][3] = {{515, 130, 260}, {130, 515, 260}, {400, 400, 64}};
    for (size_t s = 0; s < 3; s++) {
        int m = sizes[s][0], n = sizes[s][1], k = sizes[s][2];
        Rng rng = rng_seeded(5, 0);
        float *a = filled((long)m * k, &rng), *b = filled((long)k * n, &rng);
        float *one = filled((long)m * n, &rng), *many = filled((long)m * n, &rng);
        threads_set(1);
        gemm(true, false, m, n, k, a, m, b, n, false, one, n);
        for (int threads = 2; threads <= 8; threads += 3) {
            threads_set(threads);
            gemm(true, false, m, n, k, a, m, b, n, false, many, n);
            assert_memory_equal(one, many, (size_t)m * (size_t)n * sizeof(float));
        }
        threads_set(0);
        free(a);
        free(b);
        free(one);
        free(many);
    }
}

static void test_nan_and_infinity_go_through(void **state) {
    (void)state;
    Rng rng = rng_seeded(6, 0);
    float a[9 * 9], b[9 * 9], c[9 * 9];
    for (int i = 0; i < 81; i++) {
        a[i] = rng_normal(&rng);
        b[i] = rng_normal(&rng);
    }
    a[4 * 9 + 2] = NAN;
    b[3 * 9 + 5] = INFINITY;
    gemm(false, false, 9, 9, 9, a, 9, b, 9, false, c, 9);
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j < 9; j++) {
            assert_true((isnan(c[i * 9 + j]) != 0) == (i == 4));
            assert_true((isinf(c[i * 9 + j]) != 0) == (i != 4 && j == 5));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_small_and_odd_sizes),
        cmocka_unit_test(test_sizes_that_cross_every_block),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_batched_equals_one_by_one),
        cmocka_unit_test(test_same_bits_on_any_number_of_threads),
        cmocka_unit_test(test_nan_and_infinity_go_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
