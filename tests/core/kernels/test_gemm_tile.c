/* One strip of C at every number of rows and columns, from an A that lies either way. */
#include "assert_close.h"

#include "core/kernels/gemm_tile.h"
#include "core/rng.h"

enum { ROWS = 2 * TILE_ROWS + 1, K = 5, LDC = WIDE_COLS + 1, SIZE = ROWS * K };

static float a[SIZE], turned_a[SIZE], b[K * WIDE_COLS], c[ROWS * LDC];

static void check_strip(int rows, int cols, bool turned, bool accumulate) {
    for (int i = 0; i < ROWS * LDC; i++) {
        c[i] = 2.0f;
    }
    APlace place =
        turned ? (APlace){turned_a, 1, ROWS, TILE_ROWS} : (APlace){a, K, 1, (long)TILE_ROWS * K};
    gemm_strip(rows, cols, K, &place, b, WIDE_COLS, accumulate, c, LDC);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < LDC; j++) {
            bool inside = i < rows && j < cols;
            double expected = accumulate || !inside ? 2.0 : 0.0;
            for (int p = 0; p < K && inside; p++) {
                expected += (double)a[i * K + p] * (double)b[p * WIDE_COLS + j];
            }
            assert_close((double)c[i * LDC + j], expected, 1e-5, 0.0);
        }
    }
}

static void fill(void) {
    Rng rng = rng_seeded(1, 0);
    for (int i = 0; i < ROWS; i++) {
        for (int p = 0; p < K; p++) {
            a[i * K + p] = turned_a[p * ROWS + i] = rng_normal(&rng);
        }
    }
    for (int i = 0; i < K * WIDE_COLS; i++) {
        b[i] = rng_normal(&rng);
    }
}

static void test_every_size(void **state) {
    (void)state;
    fill();
    for (int bits = 0; bits < 4; bits++) {
        for (int rows = 0; rows <= ROWS; rows++) {
            for (int cols = 1; cols <= TILE_COLS; cols++) {
                check_strip(rows, cols, bits & 1, bits & 2);
            }
        }
    }
}

static void test_wide_strips(void **state) {
    (void)state;
    fill();
    for (int bits = 0; bits < 4; bits++) {
        for (int rows = 1; rows <= WIDE_ROWS; rows++) {
            check_strip(rows, WIDE_COLS, bits & 1, bits & 2);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_size),
        cmocka_unit_test(test_wide_strips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
