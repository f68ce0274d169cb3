#include "lesson/experiments/small_transformer.h"
#include "support/stage.h"
#include "support/tensors.h"

#include "lesson/experiments/forced_training.h"

#include <stdlib.h>

typedef struct Play {
    SmallTransformer small;
    ForcedTraining training;
    double right, exact; /* measured again at the end */
} Play;

static void play(Run *run, void *context) {
    Play *p = context;
    const int samples[] = {0, 1};
    const ForcedTraining *all[] = {&p->training};
    p->training = (ForcedTraining){.forced = small_traced(&p->small).forced,
                                   .task = &p->small.task,
                                   .samples = samples,
                                   .sample_count = 2};
    TrainingPlan plan = {.steps = 60, .B = 8, .rate = 1e-2f, .clip = 1.0, .check_every = 20};
    plan.label = "small";
    plan.rng = rng_seeded(5, 5);
    forced_training_run(run, &p->training, plan);
    p->training.samples = NULL;
    p->right = forced_accuracy(run, &p->training.forced, 3, 200);
    forced_training_show(run, all, (const char *const[]){"small"}, 1,
                         (Plot){.name = "both", .title = "Both"});
    p->exact = translation_sample(run, &p->small.translator, &p->small.task, 0, 60);
}

static void test_both_are_noted(void **state) {
    (void)state;
    Play p = {.right = -1.0};
    small_transformer_new(&p.small, (TransformerMistakes){0});
    Stage stage = stage_play(play, &p, "--no-plots");
    const ForcedTraining *t = &p.training;
    assert_int_equal(stage.status, 0);
    assert_int_equal(t->curve.n, 3);
    assert_close(t->right[2], p.right, 1e-6, 0); /* nothing has moved since the last check */
    assert_true(t->right[2] > t->right[0] || t->right[2] > 0.5);
    assert_true(t->exact >= 0.0 && t->exact <= 1.0);
    assert_close(forced_training_right(t, 20), t->right[0], 0, 0);
    assert_close(forced_training_right(t, 21), t->right[1], 0, 0);
    assert_close(forced_training_exact(t, 60), t->curve.metric[2], 0, 0);
    assert_true(isnan(forced_training_exact(t, 61)));
    char *text = lesson_file(&stage, "both.tsv", NULL);
    assert_non_null(text);
    assert_non_null(strstr(text, "small: led"));
    assert_non_null(strstr(text, "small: alone"));
    free(text);
    lesson_run_free(&stage);
    small_transformer_free(&p.small);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_are_noted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
