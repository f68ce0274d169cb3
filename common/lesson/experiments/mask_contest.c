#include "lesson/experiments/mask_contest.h"

#include "core/check.h"

#include <math.h>
#include <stdio.h>

typedef CausalResult (*Task)(Run *run, const char *label, Looker looker, CausalPlan plan);

/* Trains all of them and draws their losses; returns how many got through, which is all of them
 * unless the run was stopped. */
static int train_all(Run *run, const MaskArm *arms, int count, CausalPlan plan, Task task,
                     CausalResult *results, Plot plot) {
    CHECK(count <= MASK_ARMS, "mask_contest: %d ways to look; the most is %d", count, MASK_ARMS);
    const char *names[MASK_ARMS];
    const FitCurve *curves[MASK_ARMS];
    bool check_finite = run->flags.check_finite;
    int done = 0;
    for (int i = 0; i < count; i++) {
        results[i] = (CausalResult){.loss = NAN, .forced = NAN, .exact = NAN};
        if (run_stopped(run)) {
            continue;
        }
        CausalPlan own = plan;
        own.steps = arms[i].steps > 0 ? arms[i].steps : plan.steps;
        run->flags.check_finite = check_finite && !arms[i].spoiled;
        results[i] = task(run, arms[i].name, arms[i].looker, own);
        run->flags.check_finite = check_finite;
        names[i] = arms[i].name;
        curves[i] = &results[i].curve;
        done += !run_stopped(run);
    }
    plot.x_label = "step";
    plot.y_label = "loss, nats per symbol";
    plot.y_log = true;
    fit_plot(run, plot, names, curves, done);
    return done;
}

void additions_compare(Run *run, const MaskArm *arms, int count, CausalPlan plan,
                       CausalResult *results) {
    Plot plot = {.name = "additions", .title = "Additions: who has the lowest loss?"};
    int done = train_all(run, arms, count, plan, addition_train, results, plot);
    run_table(run, "mask\tloss\tall right, forced\trunning free\tasked\tright is\tit writes");
    for (int i = 0; i < done; i++) {
        const CausalResult *r = &results[i];
        run_table_row(run, "%s\t%.4f\t%.3f\t%.3f\t%s\t%s\t%s", arms[i].name, r->loss, r->forced,
                      r->exact, r->question, r->answer, r->free);
    }
    run_table_end(run);
}

void random_digits_compare(Run *run, const MaskArm *arms, int count, CausalPlan plan,
                           CausalResult *results, double *leaks) {
    PlotLine ln_10 = {"ln 10: the best without looking", log(10.0), false};
    Plot plot = {.name = "random_digits",
                 .title = "Random digits: whoever learns them has looked",
                 .lines = &ln_10,
                 .line_count = 1};
    int done = train_all(run, arms, count, plan, random_digits_train, results, plot);
    run_table(run, "mask\tsteps\tloss\tleak");
    for (int i = 0; i < count; i++) {
        leaks[i] = NAN;
        if (i >= done) {
            continue;
        }
        const FitCurve *curve = &results[i].curve;
        double steps = curve->n > 0 ? curve->step[curve->n - 1] : 0.0, loss = results[i].loss;
        char text[2][24]; /* nan is printed with a sign by some libraries */
        leaks[i] = random_digits_leak(run, arms[i].looker, plan);
        snprintf(text[0], sizeof text[0], isfinite(loss) ? "%.3f" : "nan", loss);
        snprintf(text[1], sizeof text[1], isfinite(leaks[i]) ? "%.2g" : "nan", leaks[i]);
        run_table_row(run, "%s\t%.0f\t%s\t%s", arms[i].name, steps, text[0], text[1]);
    }
    run_table_end(run);
}

double early_loss(const FitCurve *curve) {
    return curve->n > 0 ? curve->loss[curve->n / 8] : NAN;
}

int finite_losses(const FitCurve *curve) {
    int count = 0;
    for (int i = 0; i < curve->n; i++) {
        count += isfinite(curve->loss[i]);
    }
    return count;
}
