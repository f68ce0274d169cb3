#include "support/stage.h"
#include "support/tensors.h"

#include "lesson/experiments/offsets.h"

#include <stdlib.h>

static Tensor *attend(void *context, Tape *tape, const MultiHead *layer, Tensor *x,
                      Tensor **weights) {
    (void)context;
    return multi_head_self(tape, layer, x, (Look){.weights = weights});
}

/* Answers by hand: position t names t - 1 .. t - 4; the first four positions are not asked. */
static void test_the_task(void **state) {
    (void)state;
    enum { B = 50, ASKED = OFFSETS_L * OFFSETS };
    static int ids[B * OFFSETS_L], targets[B * ASKED];
    int seen[OFFSETS_V] = {0};
    Rng rng = rng_seeded(1, 1);
    offsets_draw(&rng, B, ids, targets);
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < OFFSETS_L; t++) {
            assert_in_range(ids[b * OFFSETS_L + t], 0, OFFSETS_V - 1);
            seen[ids[b * OFFSETS_L + t]]++;
            for (int k = 0; k < OFFSETS; k++) {
                int target = targets[(b * OFFSETS_L + t) * OFFSETS + k];
                assert_int_equal(target, t < 4 ? OFFSETS_V : ids[b * OFFSETS_L + t - 1 - k]);
            }
        }
    }
    for (int v = 0; v < OFFSETS_V; v++) { /* 800 draws, 50 of each expected */
        assert_in_range(seen[v], 20, 90);
    }
}

/* ---- training ---- */

typedef struct Trials {
    OffsetsTrial *by[3];
    const OffsetsTrial *found, *missing;
    double early, never;
} Trials;

static void play_sweep(Run *run, void *context) {
    Trials *trials = context;
    const int heads[] = {1, 4, 8};
    offsets_sweep(run, offsets_plan(400, 64, attend, NULL), heads, 3, trials->by, "sweep",
                  "A sweep");
    offsets_table(run, trials->by, 3, 100);
    offsets_sheet(run, trials->by[1], "sheet.png", "Four heads");
    offsets_sheet(run, NULL, "nothing.png", "Nothing");
    trials->found = offsets_find(trials->by, 3, 4);
    trials->missing = offsets_find(trials->by, 3, 2);
    trials->early = offsets_accuracy_at(trials->by[1], 110);
    trials->never = offsets_accuracy_at(trials->by[1], 10);
    offsets_claim(run, "one", 32, trials->by, 3, 1, 0, "<", 0.5);
    offsets_claim(run, "four", 32, trials->by, 3, 4, 400, ">", 0.9);
    offsets_claim(run, "two", 32, trials->by, 3, 2, 0, ">", 0);
}

/* A short training is enough to tell one head from four: one cannot, four can. */
static void test_four_heads_can(void **state) {
    (void)state;
    Trials trials;
    Stage stage = stage_play(play_sweep, &trials, "");
    const OffsetsTrial *one = trials.by[0], *four = trials.by[1];
    assert_true(one->accuracy < 0.45);
    assert_true(four->accuracy > 0.9);
    assert_ptr_equal(trials.found, four);
    assert_null(trials.missing);
    assert_true(isnan(one->alike) && four->alike >= 0.0 && four->alike < 0.5);
    assert_close(trials.early, four->curve.metric[3], 0, 0); /* step 100 */
    assert_true(isnan(trials.never));
    double mean = 0.0;
    for (int k = 0; k < OFFSETS; k++) {
        mean += four->each[k] / OFFSETS;
    }
    assert_close(mean, four->accuracy, 1e-9, 0);
    assert_close(four->curve.metric[four->curve.n - 1], four->accuracy, 1e-9, 0);
    assert_string_equal(lesson_claim(&stage, "one"), "holds");
    assert_string_equal(lesson_claim(&stage, "four"), "holds");
    assert_string_equal(lesson_claim(&stage, "two"), "fails"); /* there is none: NaN */
    char *claims = lesson_file(&stage, "claims.tsv", NULL);
    assert_non_null(strstr(claims, "\tone\t1 head of 32: right, %\t"));
    assert_non_null(strstr(claims, "\ttwo\t2 heads of 16: right, %\t")); /* called as if it were */
    free(claims);
    for (int i = 0; i < 3; i++) {
        offsets_free(trials.by[i]);
    }
    char *sheet = lesson_file(&stage, "sheet.png", NULL);
    char *curves = lesson_file(&stage, "sweep.tsv", NULL);
    assert_non_null(sheet);
    assert_non_null(curves);
    assert_non_null(strstr(curves, "4 heads"));
    assert_null(lesson_file(&stage, "nothing.png", NULL));
    free(sheet);
    free(curves);
    lesson_run_free(&stage);
}

/* The number of heads changes neither the batches nor the held-out rows. */
static void test_same_rows_for_all(void **state) {
    (void)state;
    Trials trials;
    Stage stage = stage_play(play_sweep, &trials, "--seed 3 --no-plots");
    for (int i = 0; i < 3; i++) {
        assert_memory_equal(trials.by[i]->ids, trials.by[0]->ids, sizeof trials.by[0]->ids);
        assert_memory_equal(trials.by[i]->batch, trials.by[0]->batch,
                            32 * OFFSETS_L * sizeof(int)); /* the last of 400 batches */
    }
    for (int i = 0; i < 3; i++) {
        offsets_free(trials.by[i]);
    }
    lesson_run_free(&stage);
}

static void test_too_many(void **state) {
    (void)state;
    Run silent = {.silent = true};
    expect_check_message("9 models", offsets_sweep(&silent, offsets_plan(1, 1, attend, NULL), NULL,
                                                   9, NULL, "x", "x"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_task),
        cmocka_unit_test(test_four_heads_can),
        cmocka_unit_test(test_same_rows_for_all),
        cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
