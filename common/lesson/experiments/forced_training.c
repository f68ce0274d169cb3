#include "lesson/experiments/forced_training.h"

#include "core/check.h"
#include "lesson/experiments/beams.h"
#include "lesson/weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORCED_PAIRS = 200, AT_ONCE = 100, MOST = 4 };

bool translation_sample(Run *run, const Translator *translator, const Task *task, int pair,
                        int step) {
    bool right = false;
    Translations one = translator_translate(run, translator, task->held_out,
                                            (TranslateOptions){.B = 1, .pairs = &pair, .count = 1});
    if (one.count > 0) {
        Ids source = one.item[0].source, output = one.item[0].output;
        char *from = vocab_decode(task->source, source.id, source.length);
        char *to = vocab_decode(task->target, output.id, output.length);
        run_say(run, "  after %d steps: %s -> %s", step, from, to);
        right = ids_equal(output, one.item[0].reference);
        free(from);
        free(to);
    }
    translations_free(&one);
    return right;
}

/* A training on its way. */
typedef struct Watched {
    ForcedTraining *training;
    int checks;
} Watched;

static void watch(Run *run, void *context, int step) {
    Watched *watched = context;
    ForcedTraining *t = watched->training;
    t->right[watched->checks] = forced_accuracy(run, &t->forced, AT_ONCE, FORCED_PAIRS);
    if (t->samples != NULL) {
        int pair = t->samples[watched->checks % t->sample_count];
        translation_sample(run, t->forced.translator, t->task, pair, step);
    }
    watched->checks++;
}

void forced_training_run(Run *run, ForcedTraining *training, TrainingPlan plan) {
    Watched watched = {training, 0};
    plan.source = training->task->source;
    plan.target = training->task->target;
    plan.held_out = training->task->held_out;
    plan.watch = watch;
    plan.context = &watched;
    training->curve =
        translator_train(run, training->forced.translator, training->task->train, &plan);
    training_numbers(run, plan.label, "led", training->right, training->curve.n, FIT_POINTS);
    Translations done = translator_translate(run, training->forced.translator, plan.held_out,
                                             (TranslateOptions){.B = AT_ONCE});
    training->exact = translations_right(&done);
    translations_free(&done);
}

static double at_step(const ForcedTraining *training, const double *values, int step) {
    for (int i = 0; i < training->curve.n; i++) {
        if (training->curve.step[i] >= step) {
            return values[i];
        }
    }
    return NAN;
}

double forced_training_exact(const ForcedTraining *training, int step) {
    return at_step(training, training->curve.metric, step);
}

double forced_training_right(const ForcedTraining *training, int step) {
    return at_step(training, training->right, step);
}

static void show_table(Run *run, const ForcedTraining *const *trainings, const char *const *labels,
                       int count) {
    char row[256] = "step";
    for (int k = 0; k < count; k++) {
        size_t used = strlen(row);
        snprintf(row + used, sizeof row - used, "\t%s: led / alone", labels[k]);
    }
    run_table(run, row);
    for (int i = 0; i < trainings[0]->curve.n; i++) {
        snprintf(row, sizeof row, "%.0f", trainings[0]->curve.step[i]);
        for (int k = 0; k < count; k++) {
            const ForcedTraining *t = trainings[k];
            size_t used = strlen(row);
            if (i < t->curve.n) {
                snprintf(row + used, sizeof row - used, "\t%.1f / %.1f %%", 100.0 * t->right[i],
                         100.0 * t->curve.metric[i]);
            } else {
                snprintf(row + used, sizeof row - used, "\t");
            }
        }
        run_table_row(run, "%s", row);
    }
    run_table_end(run);
}

void forced_training_show(Run *run, const ForcedTraining *const *trainings,
                          const char *const *labels, int count, Plot plot) {
    PlotSeries series[2 * MOST];
    char text[2 * MOST][64];
    CHECK(count <= MOST, "forced_training_show: %d trainings, at most %d", count, MOST);
    for (int i = 0; i < 2 * count; i++) {
        const ForcedTraining *t = trainings[i / 2];
        snprintf(text[i], sizeof text[i], "%s: %s", labels[i / 2], i % 2 == 0 ? "led" : "alone");
        series[i] = (PlotSeries){.label = text[i],
                                 .x = t->curve.step,
                                 .y = i % 2 == 0 ? t->right : t->curve.metric,
                                 .n = t->curve.n,
                                 .style = PLOT_LINES_POINTS};
    }
    show_table(run, trainings, labels, count);
    plot.x_label = "training steps";
    plot.y_label = "tokens right if led; all right alone";
    plot.y_max = 1.0;
    plot.series = series;
    plot.count = 2 * count;
    run_plot(run, &plot);
}
