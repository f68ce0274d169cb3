/* The matrix product against three plain loops, over sizes that meet every edge of tiles, strips
 * and blocks. */
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

/* Exactly as long as the kernel may read: the address sanitizer sees one float too many. */
static float *exact_block(long n) {
    float *x = malloc((size_t)(n > 0 ? n : 1) * sizeof *x);
    assert_non_null(x);
    return x;
}

static float *filled(long n, Rng *rng) {
    float *x = exact_block(n);
    for (long i = 0; i < n; i++) {
        x[i] = rng_normal(rng);
    }
    return x;
}

/* Floats from the first to the last element of a stored matrix. */
static long stored(int rows, int cols, int ld) {
    return rows == 0 || cols == 0 ? 0 : (long)(rows - 1) * ld + cols;
}

/* A matrix with nan between the end of one row and the start of the next: nobody may use that. */
static float *padded_matrix(int rows, int cols, int ld, Rng *rng) {
    float *x = filled(stored(rows, cols, ld), rng);
    for (long i = 0; i < stored(rows, cols, ld); i++) {
        x[i] = i % ld < cols ? x[i] : NAN;
    }
    return x;
}

/* What C holds before: guards between the rows, and nan where its old values must not matter. */
static void prepare_c(float *c, Case t) {
    int ld = t.n + t.pad;
    for (long i = 0; i < stored(t.m, t.n, ld); i++) {
        c[i] = i % ld >= t.n ? GUARD_VALUE : t.accumulate ? (float)(i % 7) : NAN;
    }
}

static void check_case(Case t, Rng *rng) {
    int a_rows = t.trans_a ? t.k : t.m, a_cols = t.trans_a ? t.m : t.k;
    int b_rows = t.trans_b ? t.n : t.k, b_cols = t.trans_b ? t.k : t.n;
    int lda = a_cols + t.pad, ldb = b_cols + t.pad, ldc = t.n + t.pad;
    long size = stored(t.m, t.n, ldc);
    float *a = padded_matrix(a_rows, a_cols, lda, rng);
    float *b = padded_matrix(b_rows, b_cols, ldb, rng);
    float *c = exact_block(size), *expected = exact_block(size);
    prepare_c(c, t);
    prepare_c(expected, t);
    gemm(t.trans_a, t.trans_b, t.m, t.n, t.k, a, lda, b, ldb, t.accumulate, c, ldc);
    gemm_naive(t.trans_a, t.trans_b, t.m, t.n, t.k, a, lda, b, ldb, t.accumulate, expected, ldc);
    char what[128];
    snprintf(what, sizeof what, "%s%s m %d n %d k %d%s, rows longer by %d", t.trans_a ? "t" : "n",
             t.trans_b ? "t" : "n", t.m, t.n, t.k, t.accumulate ? ", accumulated" : "", t.pad);
    /* sums of k products of normal numbers, in another order; guards are the same in both */
    assert_all_close_at(c, expected, (size_t)size, 2e-6 * (t.k + 10), 1e-5, what, __FILE__,
                        __LINE__);
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
    static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 33};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    Rng rng = rng_seeded(1, 0);
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++) {
            check_size(sizes[i], sizes[j], sizes[(i + 2 * j) % COUNT], &rng);
        }
    }
}

static void test_every_width_of_the_last_strip(void **state) {
    (void)state;
    Rng rng = rng_seeded(2, 0);
    for (int n = 1; n <= WIDE_COLS + TILE_COLS + 1; n++) {
        check_size(3, n, 5, &rng);             /* few rows: wide tiles */
        check_size(TILE_ROWS + 1, n, 6, &rng); /* a whole tile and one row */
    }
}

static void test_sizes_that_cross_every_block(void **state) {
    (void)state;
    Rng rng = rng_seeded(3, 0);
    check_size(97, 65, 515, &rng);   /* past one block of k and of m */
    check_size(201, 270, 90, &rng);  /* packed A */
    check_size(130, 530, 700, &rng); /* all at once */
    for (int n = 256; n <= 256 + VEC_LANES; n += 3) {
        check_size(5, n, 40, &rng); /* the second block of n would be narrower than a vector */
    }
}

static void test_nothing_to_do(void **state) {
    (void)state;
    Rng rng = rng_seeded(4, 0);
    check_size(0, 5, 3, &rng);
    check_size(5, 0, 3, &rng);
    float c[] = {1, 2, 3, 4}, x = 0;
    gemm(false, false, 2, 2, 0, &x, 1, &x, 2, true, c, 2); /* an empty sum adds nothing */
    assert_memory_equal(c, ((float[]){1, 2, 3, 4}), sizeof c);
    gemm(false, false, 2, 2, 0, &x, 1, &x, 2, false, c, 2);
    assert_memory_equal(c, ((float[]){0, 0, 0, 0}), sizeof c);
    gemm_batched(true, true, 0, 2, 2, 2, NULL, 2, 4, NULL, 2, 4, false, NULL, 2, 4);
}

static void test_batched_equals_one_by_one(void **state) {
    (void)state;
    enum { BATCH = 5, M = 7, N = 19, K = 11 };
    Rng rng = rng_seeded(5, 0);
    float *a = filled(BATCH * M * K, &rng), *b = filled(BATCH * N * K, &rng);
    float c[BATCH * M * N], expected[BATCH * M * N];
    for (int n = 1; n <= N; n += 9) { /* a C of one column is computed as a row */
        gemm_batched(false, true, BATCH, M, n, K, a, K, M * K, b, K, N * K, false, c, n, M * N);
        for (int i = 0; i < BATCH; i++) {
            gemm(false, true, M, n, K, a + i * M * K, K, b + i * N * K, K, false,
                 expected + i * M * N, n);
            assert_memory_equal(c + i * M * N, expected + i * M * N,
                                (size_t)(M * n) * sizeof(float));
        }
    }
    free(a);
    free(b);
}

/* A large product once on one thread and then on several, compared byte for byte. */
static void check_threads(Case t, int batch) {
    Rng rng = rng_seeded(6, 0);
    long size_a = (long)t.m * t.k, size_b = (long)t.k * t.n, size_c = (long)t.m * t.n;
    float *a = filled(batch * size_a, &rng), *b = filled(batch * size_b, &rng);
    float *one = filled(batch * size_c, &rng), *many = exact_block(batch * size_c);
    float *start = exact_block(batch * size_c);
    memcpy(start, one, (size_t)(batch * size_c) * sizeof(float));
    for (int threads = 1; threads <= 8; threads += threads == 1 ? 1 : 3) {
        float *c = threads == 1 ? one : many;
        memcpy(c, start, (size_t)(batch * size_c) * sizeof(float));
        threads_set(threads);
        gemm_batched(t.trans_a, t.trans_b, batch, t.m, t.n, t.k, a, t.trans_a ? t.m : t.k, size_a,
                     b, t.trans_b ? t.k : t.n, size_b, t.accumulate, c, t.n, size_c);
        assert_memory_equal(c, one, (size_t)(batch * size_c) * sizeof(float));
    }
    threads_set(0);
    free(a);
    free(b);
    free(one);
    free(many);
    free(start);
}

static void test_same_bits_on_any_number_of_threads(void **state) {
    (void)state;
    check_threads((Case){false, false, false, 515, 130, 260, 0}, 1);
    check_threads((Case){false, true, true, 130, 515, 260, 0}, 1);
    check_threads((Case){true, false, true, 400, 401, 70, 0}, 1);
    check_threads((Case){true, true, false, 97, 1031, 90, 0}, 1);
    check_threads((Case){false, true, true, 2, 4099, 1100, 0}, 1); /* dot products */
    check_threads((Case){false, true, false, 12100, 1, 700, 0}, 1);
    check_threads((Case){false, true, false, 70, 70, 33, 0}, 70); /* split over the batch */
    check_threads((Case){false, false, true, 300, 150, 65, 0}, 3);
}

static void test_elements_do_not_depend_on_their_place(void **state) {
    (void)state;
    enum { M = 45, N = 3 * TILE_COLS + 5, K = 37 };
    Rng rng = rng_seeded(7, 0);
    float *a = filled(M * K, &rng), *b = filled(K * N, &rng), *c = filled(M * N, &rng);
    gemm(false, false, M, N, K, a, K, b, N, false, c, N);
    for (int trial = 0; trial < 200; trial++) { /* any block of C by itself: the same bits */
        int i = (int)rng_below(&rng, M), j = (int)rng_below(&rng, N);
        int rows = 1 + (int)rng_below(&rng, (uint32_t)(M - i));
        int cols = 1 + (int)rng_below(&rng, (uint32_t)(N - j));
        float *part = exact_block((long)rows * cols);
        gemm(false, false, rows, cols, K, a + i * K, K, b + j, N, false, part, cols);
        for (int r = 0; r < rows; r++) {
            assert_memory_equal(part + r * cols, c + (i + r) * N + j, (size_t)cols * sizeof(float));
        }
        free(part);
    }
    free(a);
    free(b);
    free(c);
}

static void test_nan_and_infinity_go_through(void **state) {
    (void)state;
    Rng rng = rng_seeded(8, 0);
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
        cmocka_unit_test(test_every_width_of_the_last_strip),
        cmocka_unit_test(test_sizes_that_cross_every_block),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_batched_equals_one_by_one),
        cmocka_unit_test(test_same_bits_on_any_number_of_threads),
        cmocka_unit_test(test_elements_do_not_depend_on_their_place),
        cmocka_unit_test(test_nan_and_infinity_go_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
