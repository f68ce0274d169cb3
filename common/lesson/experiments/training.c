/* Training a translator: translation.h's part of the loop in fit.h. */
#include "lesson/experiments/translation.h"

#include "core/check.h"

#include <math.h>

/* What the loop hands back to us at each step. */
typedef struct Translating {
    Run *run;
    const Translator *translator;
    const TrainingPlan *plan;
    Batcher *batcher;
} Translating;

static Tensor *training_loss(void *model, Tape *tape) {
    const Translating *training = model;
    const Translator *translator = training->translator;
    return translator->loss(translator->model, tape, batcher_next(training->batcher));
}

/* Exact match on the held-out pairs. */
static double training_check(void *model, Tape *tape) {
    (void)tape; /* translating has one of its own */
    const Translating *training = model;
    const TrainingPlan *plan = training->plan;
    TranslateOptions options = {.B = plan->B, .count = plan->check_pairs};
    Translations done =
        translator_translate(training->run, training->translator, plan->held_out, options);
    double share = done.count > 0 ? tally_share(translations_exact(&done, 0, 0)) : NAN;
    translations_free(&done);
    return share;
}

static void training_watch(Run *run, void *model, int step) {
    const TrainingPlan *plan = ((const Translating *)model)->plan;
    plan->watch(run, plan->context, step);
}

FitCurve translator_train(Run *run, const Translator *translator, const Corpus *train,
                          const TrainingPlan *plan) {
    fit_refuse_too_many(plan->label, plan->steps, plan->check_every);
    BatchOptions options = {plan->B, translator->source_end, plan->pool};
    Translating training = {run, translator, plan, batcher_new(train, options, plan->rng)};
    Fit fit = {.label = plan->label,
               .params = translator->params,
               .loss = training_loss,
               .model = &training,
               .steps = plan->steps,
               .rate = plan->rate,
               .schedule = plan->schedule,
               .clip = plan->clip,
               .beta2 = plan->beta2,
               .eps = plan->eps,
               .check_every = plan->check_every,
               .check = plan->held_out != NULL ? training_check : NULL,
               .metric = plan->held_out != NULL ? "exact match" : NULL,
               .watch = plan->watch != NULL ? training_watch : NULL,
               .source = plan->source,
               .target = plan->target};
    FitCurve curve = fit_train(run, &fit);
    batcher_free(training.batcher);
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

bool curves_plot(Run *run, const char *name, const char *title, const char *const *labels,
                 const FitCurve *const *curves, int count) {
    Plot plot = {.name = name,
                 .title = title,
                 .x_label = "training steps",
                 .y_label = "exact match, held out",
                 .y_max = 1.0};
    return fit_plot(run, plot, labels, curves, count);
}
