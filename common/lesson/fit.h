/* The training loop all lessons share: draw a batch, go back, clip, step, look now and then.
 *
 *     static Tensor *copy_loss(void *model, Tape *tape) {     draws a batch, returns its loss (1)
 *         ...
 *     }
 *     Fit fit = {.label = "RoPE", .params = &m.params, .loss = copy_loss, .model = &m,
 *                .steps = run_steps(run, 500, 3), .rate = 3e-3f, .clip = 1.0,
 *                .check_every = 25, .check = copy_accuracy, .metric = "accuracy"};
 *     FitCurve curve = fit_train(run, &fit);
 */
#ifndef LESSON_FIT_H
#define LESSON_FIT_H

#include "core/params.h"
#include "core/tape.h"
#include "data/vocab.h"
#include "lesson/run.h"

enum { FIT_POINTS = 256 };

/* How a training went, at each of its checks. */
typedef struct FitCurve {
    int n;
    double step[FIT_POINTS];
    double loss[FIT_POINTS];   /* of the batches since the check before, mean */
    double metric[FIT_POINTS]; /* what check() returned; NaN without one */
} FitCurve;

typedef struct Fit {
    const char *label; /* of the progress line, and of what --save keeps */
    Params *params;
    Tensor *(*loss)(void *model, Tape *tape);  /* of a fresh batch; the tape has been reset */
    void *model;                               /* handed to loss, check and watch */
    int steps;                                 /* updates */
    float rate;                                /* of Adam, constant unless there is a schedule */
    double (*schedule)(long step, long total); /* factor of the rate; steps from 1; NULL: 1 */
    double clip;                               /* joint norm of the gradients; 0: no clipping */
    float beta2, eps, weight_decay;            /* of Adam; 0: .999, 1e-8, none */
    int check_every;                           /* steps between two checks; 0: none at all */
    double (*check)(void *model, Tape *tape);  /* the tape does not record meanwhile; or NULL */
    const char *metric;                        /* what check() measures, for the progress line */
    void (*watch)(Run *run, void *model, int step); /* after each check, e.g. samples; or NULL */
    const Vocab *source, *target; /* what its tokens stand for, kept by --save; NULL: no words */
} Fit;

/* Steps between two checks: as `usual`, or more where so many steps would make more than FIT_POINTS
 * checks (--steps may ask for any number). */
int fit_check_every(int steps, int usual);

/* Stops the program when such a training would have more checks than a curve has room for.
 * fit_train begins with it; so does whoever holds something by then. */
void fit_refuse_too_many(const char *label, int steps, int check_every);

/* Trains from the weights that are there. Under --load there is no training, no check and no watch:
 * weights and curve are those that --save has kept. There is a check after the last step, too. Ends
 * early when the run is stopped. At most FIT_POINTS checks. */
FitCurve fit_train(Run *run, const Fit *fit);

/* The first step at which the metric reached `value`, or NaN; the last one checked if at the end.
 */
double fit_step_reaching(const FitCurve *curve, double value);

/* The metric (or, where there was no check, the loss) against steps, one line for each of `count`
 * trainings (at most 8), as NAME.png. `plot` brings name, title, axis labels and ranges. */
bool fit_plot(Run *run, Plot plot, const char *const *labels, const FitCurve *const *curves,
              int count);

/* A schedule: up for 50 steps, down to 0 over the last 30 %. */
double fit_warm_cool(long step, long total);

#endif
