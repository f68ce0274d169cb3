/* The training loop of translation.h. */
#include "lesson/translation.h"

#include "core/check.h"
#include "core/optim.h"

#include <math.h>

/* One update; returns the loss before it. */
static double train_step(const Translator *translator, const TrainingPlan *plan, Tape *tape,
                         Adam *adam, const Batch *batch, int step) {
    tape_reset(tape);
    params_zero_grad(translator->params);
    Tensor *loss = translator->loss(translator->model, tape, batch);
    tape_backward(tape, loss);
    if (plan->clip > 0.0f) {
        params_clip_norm(translator->params, (double)plan->clip);
    }
    double factor = plan->schedule != NULL ? plan->schedule(step, plan->steps) : 1.0;
    adam_step(adam, (float)(plan->rate * factor));
    return (double)loss->data[0];
}

static double held_out_exact(Run *run, const Translator *translator, const TrainingPlan *plan) {
    if (plan->held_out == NULL) {
        return NAN;
    }
    TranslateOptions options = {.B = plan->B, .count = plan->check_pairs};
    Translations done = translator_translate(run, translator, plan->held_out, options);
    double share = done.count > 0 ? tally_share(translations_exact(&done, 0, 0)) : NAN;
    translations_free(&done);
    return share;
}

static void curve_add(LearningCurve *curve, int step, double loss, double exact) {
    curve->step[curve->n] = step;
    curve->loss[curve->n] = loss;
    curve->exact[curve->n] = exact;
    curve->n++;
}

LearningCurve translator_train(Run *run, const Translator *translator, const Corpus *train,
                               const TrainingPlan *plan) {
    LearningCurve curve = {0};
    CHECK(plan->check_every <= 0 || (plan->steps - 1) / plan->check_every < CURVE_POINTS,
          "translator_train: more than %d checks", CURVE_POINTS);
    Tape tape = tape_new();
    tape.check_finite = run->flags.check_finite;
    Adam adam = adam_new(translator->params);
    BatchOptions options = {plan->B, translator->source_end, plan->pool};
    Batcher *batcher = batcher_new(train, options, plan->rng);
    Progress progress = run_progress(run, plan->label, plan->steps);
    const char *metric = plan->held_out != NULL ? "exact match" : NULL;
    double sum = 0.0, exact = NAN;
    int since = 0;
    for (int step = 1; step <= plan->steps && !run_stopped(run); step++) {
        double loss = train_step(translator, plan, &tape, &adam, batcher_next(batcher), step);
        sum += loss;
        since++;
        bool check =
            plan->check_every > 0 && (step % plan->check_every == 0 || step == plan->steps);
        if (check) {
            exact = held_out_exact(run, translator, plan);
            curve_add(&curve, step, sum / since, exact);
            sum = since = 0;
        }
        progress_update(&progress, step, loss, metric, exact);
        if (check && plan->watch != NULL) {
            progress_hide(&progress);
            plan->watch(run, plan->context, step);
        }
    }
    progress_end(&progress);
    batcher_free(batcher);
    adam_free(&adam);
    tape_free(&tape);
    return curve;
}

Trial translator_trial(Run *run, const Translator *translator, const Corpus *train,
                       const TrainingPlan *plan) {
    Trial trial = {.curve = translator_train(run, translator, train, plan)};
    TranslateOptions options = {.B = 100};
    trial.done = translator_translate(run, translator, plan->held_out, options);
    options.forced = true;
    trial.forced = translator_translate(run, translator, plan->held_out, options);
    return trial;
}

void trial_free(Trial *trial) {
    translations_free(&trial->done);
    translations_free(&trial->forced);
}

double curve_step_reaching(const LearningCurve *curve, double share) {
    for (int i = 0; i < curve->n; i++) {
        if (curve->exact[i] >= share) {
            return curve->step[i];
        }
    }
    return NAN;
}

bool curves_plot(Run *run, const char *name, const char *title, const char *const *labels,
                 const LearningCurve *const *curves, int count) {
    PlotSeries series[8];
    CHECK(count <= COUNT_OF(series), "curves_plot: %d curves, at most %d", count, COUNT_OF(series));
    for (int i = 0; i < count; i++) {
        series[i] = (PlotSeries){.label = labels[i],
                                 .x = curves[i]->step,
                                 .y = curves[i]->exact,
                                 .n = curves[i]->n,
                                 .style = PLOT_LINES_POINTS};
    }
    Plot plot = {.name = name,
                 .title = title,
                 .x_label = "training steps",
                 .y_label = "exact match, held out",
                 .y_max = 1.0,
                 .series = series,
                 .count = count};
    return run_plot(run, &plot);
}
