#include "lesson/fit.h"

#include "core/check.h"
#include "core/optim.h"
#include "lesson/weights.h"

#include <math.h>

/* One update; returns the loss before it. */
static double fit_step(const Fit *fit, Tape *tape, Adam *adam, int step) {
    tape_reset(tape);
    params_begin_grad(fit->params);
    Tensor *loss = fit->loss(fit->model, tape);
    tape_backward(tape, loss);
    double factor = fit->schedule != NULL ? fit->schedule(step, fit->steps) : 1.0;
    float rate = (float)(fit->rate * factor);
    if (fit->clip > 0.0) {
        adam_step_clipped(adam, rate, fit->clip);
    } else {
        adam_step(adam, rate);
    }
    return (double)loss->data[0];
}

static double fit_check(const Fit *fit, Tape *tape) {
    if (fit->check == NULL) {
        return NAN;
    }
    tape_reset(tape);
    tape->recording = false;
    double value = fit->check(fit->model, tape);
    tape->recording = true;
    return value;
}

static void curve_add(FitCurve *curve, int step, double loss, double metric) {
    curve->step[curve->n] = step;
    curve->loss[curve->n] = loss;
    curve->metric[curve->n] = metric;
    curve->n++;
}

static Adam fit_adam(const Fit *fit) {
    Adam adam = adam_new(fit->params);
    adam.beta2 = fit->beta2 > 0.0f ? fit->beta2 : adam.beta2;
    adam.eps = fit->eps > 0.0f ? fit->eps : adam.eps;
    adam.weight_decay = fit->weight_decay;
    return adam;
}

int fit_check_every(int steps, int usual) {
    int least = steps / FIT_POINTS + (steps % FIT_POINTS > 0);
    return usual > least ? usual : least;
}

void fit_refuse_too_many(const char *label, int steps, int check_every) {
    CHECK(check_every <= 0 || (steps - 1) / check_every < FIT_POINTS,
          "fit_train: %s: more than %d checks", label, FIT_POINTS);
}

/* Under --save the curve is noted, under --load it is put back. */
static void curve_keep(Run *run, const char *label, FitCurve *curve) {
    curve->n = training_numbers(run, label, "curve.metric", curve->metric, curve->n, FIT_POINTS);
    training_numbers(run, label, "curve.loss", curve->loss, curve->n, FIT_POINTS);
    training_numbers(run, label, "curve.step", curve->step, curve->n, FIT_POINTS);
}

static void fit_loop(Run *run, const Fit *fit, FitCurve *curve) {
    Tape tape = tape_new();
    tape.recycle = true;
    tape.check_finite = run->flags.check_finite;
    Adam adam = fit_adam(fit);
    Progress progress = run_progress(run, fit->label, fit->steps);
    double sum = 0.0, metric = NAN;
    int since = 0;
    for (int step = 1; step <= fit->steps && !run_stopped(run); step++) {
        double loss = fit_step(fit, &tape, &adam, step);
        sum += loss;
        since++;
        bool check = fit->check_every > 0 && (step % fit->check_every == 0 || step == fit->steps);
        if (check) {
            metric = fit_check(fit, &tape);
            curve_add(curve, step, sum / since, metric);
            sum = since = 0;
        }
        progress_update(&progress, step, loss, fit->metric, metric);
        if (check && fit->watch != NULL) {
            progress_hide(&progress);
            fit->watch(run, fit->model, step);
        }
    }
    progress_end(&progress);
    adam_free(&adam);
    tape_free(&tape);
}

FitCurve fit_train(Run *run, const Fit *fit) {
    fit_refuse_too_many(fit->label, fit->steps, fit->check_every);
    FitCurve curve = {0};
    const Training training = {fit->label, fit->params, fit->steps, fit->source, fit->target};
    if (!training_loaded(run, &training)) {
        fit_loop(run, fit, &curve);
        training_keep(run, &training);
    }
    curve_keep(run, fit->label, &curve);
    return curve;
}

double fit_step_reaching(const FitCurve *curve, double value) {
    for (int i = 0; i < curve->n; i++) {
        if (curve->metric[i] >= value) {
            return curve->step[i];
        }
    }
    return NAN;
}

bool fit_plot(Run *run, Plot plot, const char *const *labels, const FitCurve *const *curves,
              int count) {
    PlotSeries series[8];
    CHECK(count <= COUNT_OF(series), "fit_plot: %d curves, at most %d", count, COUNT_OF(series));
    for (int i = 0; i < count; i++) {
        const FitCurve *curve = curves[i];
        bool measured = curve->n > 0 && !isnan(curve->metric[curve->n - 1]);
        series[i] = (PlotSeries){.label = labels[i],
                                 .x = curve->step,
                                 .y = measured ? curve->metric : curve->loss,
                                 .n = curve->n,
                                 .style = PLOT_LINES_POINTS};
    }
    plot.series = series;
    plot.count = count;
    return run_plot(run, &plot);
}

double fit_warm_cool(long step, long total) {
    double warm = step < 50 ? (double)step / 50.0 : 1.0;
    return warm * schedule_cooldown(step, total, 0.3);
}
