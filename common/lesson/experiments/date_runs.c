#include "lesson/experiments/date_runs.h"

#include "core/check.h"

enum { MOST = 8, CHECK_EVERY = 100, CHECK_PAIRS = 300, MORE = 8 };

Task date_runs_task(Run *run) {
    return task_dates(run_size(run, 20000, 300), run_size(run, 1000, 50), run_rng(run, "dates"));
}

void date_runs_make(Run *run, DateRun *runs, int count, const Task *task) {
    for (int i = 0; i < count; i++) {
        DateRun *one = &runs[i];
        one->translator = transformer_translator_new(
            &one->model, one->recipe, task->source->size, task->target->size,
            task->held_out->longest_target + MORE, run_rng(run, "weights"));
        one->training = (ForcedTraining){
            .forced = {&one->translator, transformer_translator_logits, task->held_out},
            .task = task};
    }
}

void date_runs_train(Run *run, DateRun *runs, int count) {
    int samples[DATE_FORMATS];
    for (int i = 0; i < DATE_FORMATS; i++) {
        samples[i] = task_find_date(runs[0].training.task, i);
    }
    runs[0].training.samples = samples;
    runs[0].training.sample_count = DATE_FORMATS;
    for (int i = 0; i < count; i++) {
        TrainingPlan plan = runs[i].plan;
        plan.label = runs[i].label;
        plan.check_every = fit_check_every(plan.steps, CHECK_EVERY);
        plan.check_pairs = CHECK_PAIRS;
        forced_training_run(run, &runs[i].training, plan);
    }
    runs[0].training.samples = NULL;
}

void date_runs_show(Run *run, const DateRun *runs, int count, const char *name, const char *title) {
    const ForcedTraining *trainings[MOST];
    const char *labels[MOST];
    CHECK(count <= MOST, "date_runs_show: %d runs, at most %d", count, MOST);
    for (int i = 0; i < count; i++) {
        trainings[i] = &runs[i].training;
        labels[i] = runs[i].label;
    }
    forced_training_show(run, trainings, labels, count, (Plot){.name = name, .title = title});
}

void date_runs_free(DateRun *runs, int count) {
    for (int i = 0; i < count; i++) {
        params_free(&runs[i].model.params);
    }
}
