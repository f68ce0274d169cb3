/* A few rows times a transposed matrix, against sums in double precision. */
#include "assert_close.h"

#include "core/kernels/gemm_dots.h"
#include "core/kernels/vec.h"
#include "core/rng.h"

enum { MOST_COLS = 9, MOST_K = 2 * VEC_LANES + 3, LD = MOST_K + 1, LDC = MOST_COLS + 2 };

static float a[DOTS_ROWS * LD], b[MOST_COLS * LD], c[DOTS_ROWS * LDC];

static void check_dots(int rows, int n, int k, bool accumulate) {
    for (int i = 0; i < DOTS_ROWS * LDC; i++) {
        c[i] = 3.0f;
    }
    gemm_dots(rows, n, k, a, LD, b, LD, accumulate, c, LDC);
    for (int i = 0; i < DOTS_ROWS; i++) {
        for (int j = 0; j < LDC; j++) {
            bool inside = i < rows && j < n;
            double expected = accumulate || !inside ? 3.0 : 0.0;
            for (int p = 0; p < k && inside; p++) {
                expected += (double)a[i * LD + p] * (double)b[j * LD + p];
            }
            assert_close((double)c[i * LDC + j], expected, 2e-5, 0.0);
        }
    }
}

static void test_every_size(void **state) {
    (void)state;
    Rng rng = rng_seeded(1, 0);
    for (int i = 0; i < DOTS_ROWS * LD; i++) {
        a[i] = rng_normal(&rng);
    }
    for (int i = 0; i < MOST_COLS * LD; i++) {
        b[i] = rng_normal(&rng);
    }
    for (int rows = 1; rows <= DOTS_ROWS; rows++) {
        for (int n = 1; n <= MOST_COLS; n++) {
            for (int k = 1; k <= MOST_K; k++) {
                check_dots(rows, n, k, false);
                check_dots(rows, n, k, true);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
