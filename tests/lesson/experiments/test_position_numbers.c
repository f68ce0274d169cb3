#include "support/stage.h"

#include "lesson/experiments/position_numbers.h"

#include <stdlib.h>

/* Moves that are right for pe[p] = (p, -p), and wrong by 1/2 from k = 2 on. */
static void add(float *moved, const float *row, int k, int d) {
    for (int i = 0; i < d; i++) {
        moved[i] = row[i] + (float)(i % 2 == 0 ? k : -k);
    }
}

static void add_too_much(float *moved, const float *row, int k, int d) {
    add(moved, row, k, d);
    moved[d - 1] += k >= 2 ? 0.5f : 0.0f;
}

static void test_move_error(void **state) {
    (void)state;
    float pe[20][2];
    for (int p = 0; p < 20; p++) {
        pe[p][0] = (float)p;
        pe[p][1] = (float)-p;
    }
    assert_close(position_move_error(add, pe[0], 13, 7, 2), 0, 0, 0);
    assert_close(position_move_error(add_too_much, pe[0], 13, 7, 2), 0.5, 0, 0);
    assert_close(position_move_error(add_too_much, pe[0], 19, 1, 2), 0, 0, 0); /* only k = 1 */
}

static void turn(float *x, int p, int D) {
    for (int i = 0; i + 1 < D; i += 2) {
        double angle = 0.7 * p / (i + 1), a = (double)x[i], b = (double)x[i + 1];
        x[i] = (float)(a * cos(angle) - b * sin(angle));
        x[i + 1] = (float)(a * sin(angle) + b * cos(angle));
    }
}

static void turn_only_some(float *x, int p, int D) {
    turn(x, p, D);
    x[0] += p == 90 ? 1.0f : 0.0f;
}

static void test_spread(void **state) {
    (void)state;
    assert_true(position_spread(turn, 8, 200, rng_seeded(1, 1)) < 1e-5);
    assert_true(position_spread(turn_only_some, 8, 200, rng_seeded(1, 1)) > 0.1);
    assert_true(position_spread(turn_only_some, 8, 80, rng_seeded(1, 1)) < 1e-5);
}

static float take(float score, int i, int j, float slope) {
    return score - slope * (float)abs(i - j);
}

static void play(Run *run, void *context) {
    float pe[6 * 4] = {0, 1, 0, 1, 0.8f, 0.5f, 0, 1, -0.5f, -0.5f};
    *(bool *)context = position_picture(run, 6, 4, pe, turn, take, 0.5f);
}

static void test_picture(void **state) {
    (void)state;
    bool drawn = false;
    Stage stage = stage_play(play, &drawn, "");
    assert_int_equal(stage.status, 0);
    assert_true(drawn);
    size_t size = 0;
    free(lesson_file(&stage, "positions.png", &size));
    assert_true(size > 1000);
    lesson_run_free(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_move_error),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
