#include "lesson/experiments/small_transformer.h"
#include "support/stage.h"
#include "support/tensors.h"

#include "lesson/experiments/date_runs.h"

#include <stdlib.h>

enum { RUNS = 2 };

typedef struct Play {
    DateRun runs[RUNS];
    bool alike_before, alike_after;
} Play;

static bool alike(const DateRun *runs) {
    const Params *a = &runs[0].model.params, *b = &runs[1].model.params;
    return memcmp(a->data, b->data, a->size * sizeof(float)) == 0;
}

static void play(Run *run, void *context) {
    Play *p = context;
    Task task = date_runs_task(run);
    for (int i = 0; i < RUNS; i++) {
        p->runs[i] = (DateRun){.label = i == 0 ? "slow" : "fast",
                               .recipe = small_recipe((TransformerMistakes){0}),
                               .plan = {.steps = 3, .B = 4, .rate = i == 0 ? 1e-6f : 1e-2f}};
        p->runs[i].plan.rng = run_rng(run, "batches");
    }
    date_runs_make(run, p->runs, RUNS, &task);
    p->alike_before = alike(p->runs);
    date_runs_train(run, p->runs, RUNS);
    p->alike_after = alike(p->runs);
    date_runs_show(run, p->runs, RUNS, "dates", "Dates");
    date_runs_free(p->runs, RUNS);
    task_free(&task);
}

/* The same weights at first, each learns by its own plan, and both are drawn. */
static void test_runs(void **state) {
    (void)state;
    Play *p = calloc(1, sizeof *p);
    Stage stage = stage_play(play, p, "--quick --no-plots");
    assert_int_equal(stage.status, 0);
    assert_true(p->alike_before);
    assert_false(p->alike_after);
    for (int i = 0; i < RUNS; i++) {
        assert_int_equal(p->runs[i].training.curve.n, 1);
        assert_close(p->runs[i].training.curve.step[0], 3, 0, 0);
    }
    char *text = lesson_file(&stage, "dates.tsv", NULL);
    assert_non_null(strstr(text, "fast: alone"));
    free(text);
    lesson_run_free(&stage);
    free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
