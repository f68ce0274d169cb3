/* Packed copies and turned matrices, element by element. */
#include "assert_close.h"

#include "core/kernels/gemm_pack.h"
#include "core/kernels/gemm_tile.h"

enum { LONGEST = 3 * VEC_LANES + 3, STEP = LONGEST + 2, SIZE = STEP * STEP };

static float from[SIZE], to[SIZE];

static void start(void) {
    for (int i = 0; i < SIZE; i++) {
        from[i] = (float)i;
        to[i] = -1.0f;
    }
}

static void test_transposed_at_every_size(void **state) {
    (void)state;
    for (int rows = 0; rows <= LONGEST; rows++) {
        for (int cols = 0; cols <= LONGEST; cols++) {
            start();
            transpose_matrix(rows, cols, from, STEP, to, STEP - 1);
            for (int j = 0; j < LONGEST; j++) {
                for (int i = 0; i < LONGEST; i++) { /* and nothing beside it is touched */
                    float expected = i < rows && j < cols ? from[i * STEP + j] : -1.0f;
                    assert_true(to[j * (STEP - 1) + i] == expected);
                }
            }
        }
    }
}

static void test_strip_of_b(void **state) {
    (void)state;
    enum { K = 5 };
    for (int trans_b = 0; trans_b < 2; trans_b++) {
        for (int cols = 1; cols <= TILE_COLS; cols++) {
            start();
            pack_b_strip(trans_b, K, cols, from, STEP, to);
            int width = cols > VEC_LANES ? cols : VEC_LANES;
            for (int p = 0; p < K; p++) {
                for (int j = 0; j < cols; j++) {
                    assert_true(to[p * width + j] ==
                                (trans_b ? from[j * STEP + p] : from[p * STEP + j]));
                }
            }
            assert_true(to[K * width] == -1.0f);
        }
    }
}

static void test_rows_of_a_tile_by_tile(void **state) {
    (void)state;
    enum { K = 3, TILE_STEP = K * TILE_ROWS + 5 };
    for (int rows = 1; rows <= 2 * TILE_ROWS + 1; rows++) {
        start();
        pack_a_rows(rows, K, from, STEP, to, TILE_STEP);
        for (int i = 0; i < rows; i++) {
            for (int p = 0; p < K; p++) {
                int tile = i / TILE_ROWS, row = i % TILE_ROWS;
                assert_true(to[tile * TILE_STEP + p * TILE_ROWS + row] == from[p * STEP + i]);
            }
        }
        assert_true(to[K * TILE_ROWS] == -1.0f); /* between the tiles */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transposed_at_every_size),
        cmocka_unit_test(test_strip_of_b),
        cmocka_unit_test(test_rows_of_a_tile_by_tile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
