#include "lesson/experiments/library_positions.h"
#include "support/stage.h"

#include "lesson/experiments/copy_task.h"

#include <stdlib.h>

enum { V = 6, T = 8, L = 16 };

static const PositionPlan small = {
    .causal = true, .V = V, .d = 16, .heads = 2, .layers = 1, .max_length = L};

static void test_sequences(void **state) {
    (void)state;
    PositionModel m;
    library_model(&m, POSITION_NONE, small, 1);
    CopyTask task = copy_task_new(&m, T, 4, rng_seeded(2, 2));
    int ids[5 * T], target[5 * T], seen[V] = {0};
    copy_draw(&task, &task.rng, 5, T, ids, target);
    for (int i = 0; i < 5 * T; i++) {
        assert_in_range(ids[i], 1, V - 1);
        assert_int_equal(target[i], i % T < 2 ? 0 : ids[i - 2]);
        seen[ids[i]]++;
    }
    for (int s = 1; s < V; s++) {
        assert_true(seen[s] > 0);
    }
    copy_task_free(&task);
    position_model_free(&m);
}

typedef struct Play {
    ByPlace right;
    CopyMap map;
    double accuracy, by_hand;
} Play;

static void play(Run *run, void *context) {
    Play *found = context;
    const PositionArms arms = {position_names, 4, library_make};
    found->right = by_place_new(position_names, 4, (const int[]){0, T, T + 2, T + 4, L});
    copy_compare(run, &arms, (CopyPlan){.T = T, .B = 32, .steps = 250, .test = 64, .model = small},
                 &found->right);
    PositionModel m;
    library_make(run, &m, POSITION_ROPE, small);
    CopyTask task = copy_task_new(&m, T, 32, run_rng(run, "copy sequences"));
    FitCurve curve = copy_learn(run, &task, "RoPE", 250);
    found->accuracy = curve.metric[curve.n - 1];
    double right[T], sum = 0.0;
    copy_by_place(&task, T, 64, right); /* the sequences of the accuracy, in halves */
    for (int t = 2; t < T; t++) {
        sum += right[t] / (T - 2);
    }
    found->by_hand = sum;
    found->map = copy_map_new(&task, L);
    copy_task_free(&task);
    position_model_free(&m);
}

static void test_learns(void **state) {
    (void)state;
    Play found;
    Stage stage = stage_play(play, &found, "--no-plots");
    assert_int_equal(stage.status, 0);
    assert_true(by_place_mean(&found.right, POSITION_NONE, 0) < 0.6);
    for (int kind = POSITION_SINUSOIDAL; kind <= POSITION_ROPE; kind++) {
        const double *row = by_place_row(&found.right, kind);
        assert_true(isnan(row[0]) && isnan(row[1]) && row[2] > 0.9);
        assert_true(by_place_mean(&found.right, kind, 0) > 0.95);
    }
    assert_true(by_place_mean(&found.right, POSITION_LEARNED, 3) < 0.6);
    assert_int_equal(found.right.trained, T);
    assert_close(found.right.guessing, 0.2, 1e-9, 0);
    assert_true(found.accuracy > 0.95);
    assert_close(found.by_hand, found.accuracy, 0.05, 0);
    assert_true(found.map.back > 0.4);
    assert_close(found.map.weights[1], 0, 0, 0); /* causal */
    assert_close(found.map.weights[0], 1, 1e-6, 0);
    char *text = lesson_file(&stage, "attention.tsv", NULL);
    const char *last = strstr(text, "\n3\t0\t15\t15\t15:"); /* the last map, its last cell */
    assert_non_null(last);
    assert_non_null(strstr(last, "\tcopy_maps: "));
    free(text);
    copy_map_free(&found.map);
    by_place_free(&found.right);
    lesson_run_free(&stage);
}

/* The same sequences for all who were made with the same rng. */
static void test_maps_can_be_compared(void **state) {
    (void)state;
    PositionModel a, b;
    library_model(&a, POSITION_NONE, small, 1);
    library_model(&b, POSITION_ALIBI, small, 9);
    CopyTask one = copy_task_new(&a, T, 4, rng_seeded(2, 2));
    CopyTask two = copy_task_new(&b, T, 8, rng_seeded(2, 2));
    CopyMap map[] = {copy_map_new(&one, L), copy_map_new(&two, L)};
    for (int t = 0; t < L; t++) {
        assert_int_equal(map[0].ids[t], map[1].ids[t]);
    }
    assert_true(memcmp(map[0].weights, map[1].weights, L * L * sizeof(float)) != 0);
    copy_map_free(&map[0]);
    copy_map_free(&map[1]);
    copy_task_free(&one);
    copy_task_free(&two);
    position_model_free(&a);
    position_model_free(&b);
}

static void test_wrong_sizes(void **state) {
    (void)state;
    PositionModel m;
    library_model(&m, POSITION_NONE, small, 1);
    expect_check_message("4 sequences of 2", copy_task_new(&m, 2, 4, rng_seeded(1, 1)));
    m.plan.outputs = 2;
    expect_check_message("2 outputs", copy_task_new(&m, T, 4, rng_seeded(1, 1)));
    position_model_free(&m);
    Run silent = {.silent = true};
    const PositionArms arms = {position_names, 3, library_make};
    ByPlace right = by_place_new(position_names, 2, (const int[]){0, 1, 2, 3, 4});
    expect_check_message("3 arms, 2 rows", copy_compare(&silent, &arms, (CopyPlan){0}, &right));
    by_place_free(&right);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_learns),
        cmocka_unit_test(test_maps_can_be_compared),
        cmocka_unit_test(test_wrong_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
