#include "support/stage.h"
#include "support/tensors.h"

#include "lesson/experiments/head_patterns.h"
#include "lesson/experiments/head_removal.h"

#include <stdlib.h>

static Tensor *attend(void *context, Tape *tape, const MultiHead *layer, Tensor *x,
                      Tensor **weights) {
    (void)context;
    return multi_head_self(tape, layer, x, (Look){.weights = weights});
}

/* ---- the task ---- */

static void check_row(const int *ids, const int *segments, const float *right) {
    assert_int_equal(segments[0], 0);
    assert_int_equal(segments[PATTERN_L - 1], PATTERN_SEGMENTS - 1);
    for (int t = 0; t < PATTERN_L; t++) {
        const float *a = right + t * PATTERN_ROW, *b = a + PATTERN_V;
        const float *c = b + PATTERN_V, *d = c + PATTERN_V;
        assert_in_range(ids[t], 0, PATTERN_V - 1);
        if (t > 0) {
            assert_in_range(segments[t] - segments[t - 1], 0, 1);
        }
        for (int v = 0; v < PATTERN_V; v++) {
            int own = 0, all = 0, size = 0;
            for (int i = 0; i < PATTERN_L; i++) {
                own += segments[i] == segments[t] && ids[i] == v;
                size += segments[i] == segments[t];
                all += ids[i] == v;
            }
            assert_close(a[v], t > 0 && ids[t - 1] == v, 0, 0);
            assert_close(b[v], ids[0] == v, 0, 0);
            assert_close(c[v], (double)own / size, 1e-6, 0);
            assert_close(d[v], (double)all / PATTERN_L, 1e-6, 0);
        }
    }
}

static void test_the_task(void **state) {
    (void)state;
    PatternBatch batch = pattern_batch_new(40);
    Rng rng = rng_seeded(3, 3);
    for (int i = 0; i < 3; i++) {
        pattern_batch_draw(&batch, &rng);
        for (int b = 0; b < 40; b++) {
            check_row(batch.ids + b * PATTERN_L, batch.segments + b * PATTERN_L,
                      batch.right + (long)b * PATTERN_L * PATTERN_ROW);
        }
    }
    pattern_batch_free(&batch);
}

/* ---- training and studying ---- */

typedef struct Trials {
    PatternTrial *trial;
    double row_error;
    float weight[PATTERN_TARGETS];
    int heads, steps;
} Trials;

static void play(Run *run, void *context) {
    Trials *t = context;
    PatternPlan plan = pattern_plan(t->steps, 32, attend, NULL);
    plan.heads = t->heads;
    memcpy(plan.weight, t->weight, sizeof plan.weight);
    t->trial = pattern_train(run, &plan, "patterns");
    t->row_error = pattern_row_error(t->trial, 0);
    pattern_rules(run);
    pattern_table(run, t->trial);
    pattern_sheet(run, t->trial, "heads.png", "Heads");
}

/* Asked for the letter before alone, one head becomes a diagonal; for the first letter, a vertical
 * line; for the segment, a block; for the whole row, uniform. */
static void test_each_target_wants_its_pattern(void **state) {
    (void)state;
    const HeadClass wanted[] = {HEAD_DIAGONAL, HEAD_VERTICAL, HEAD_BLOCK, HEAD_UNIFORM};
    for (int k = 0; k < PATTERN_TARGETS; k++) {
        Trials t = {.heads = 1, .steps = 400};
        t.weight[k] = 1.0f;
        Stage stage = stage_play(play, &t, "");
        assert_int_equal(stage.status, 0);
        assert_int_equal(t.trial->kind[0], wanted[k]);
        assert_int_equal(t.trial->count[wanted[k]], 1);
        assert_close(t.trial->loss, t.trial->each[k], 1e-9, 1e-9);
        assert_true(t.trial->rise[0] > 0.1);
        assert_true(t.row_error < 1e-5);
        char *sheet = lesson_file(&stage, "heads.png", NULL);
        assert_non_null(sheet);
        free(sheet);
        pattern_free(t.trial);
        lesson_run_free(&stage);
    }
}

/* Killing a head, seen through a second study. */
static void test_dead_head(void **state) {
    (void)state;
    Trials t = {.heads = 4, .steps = 200, .weight = {1, 1, 2, 2}};
    Stage stage = stage_play(play, &t, "--no-plots");
    assert_int_equal(stage.status, 0);
    PatternTrial *trial = t.trial;
    double before = trial->loss, rise = trial->rise[2];
    double sum = trial->each[0] + trial->each[1] + 2 * trial->each[2] + 2 * trial->each[3];
    assert_close(before, sum, 1e-6, 1e-6);
    head_kill(&trial->model.heads, 2);
    pattern_study(trial);
    assert_close(trial->loss - before, rise, 1e-4, 1e-4);
    assert_close(trial->rise[2], 0.0, 0, 0);
    assert_int_equal(trial->kind[2], HEAD_DEAD);
    assert_true(trial->count[HEAD_DEAD] >= 1);
    assert_true(pattern_row_error(trial, 2) < 1e-5);
    pattern_free(trial);
    lesson_run_free(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_task),
        cmocka_unit_test(test_each_target_wants_its_pattern),
        cmocka_unit_test(test_dead_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
