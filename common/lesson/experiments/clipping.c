#include "lesson/experiments/clipping.h"

#include "core/check.h"
#include "data/recall.h"
#include "lesson/experiments/recall.h"

#include <math.h>
#include <stdlib.h>

static ClippingArm train(Run *run, float rho, float rate, double limit, int steps, double *loss) {
    Rng rng = run_rng(run, "clipping");
    RecallPlan plan = {.kind = CELL_RNN, .H = 32, .gap = CLIPPING_GAP, .B = 32};
    RecallModel *model = recall_model_new(&plan, &rng);
    Tensor *w = model->classifier.cell.rnn.w_hh;
    Init rotation = init_orthogonal(rho);
    rotation.fill(w, &rotation, &rng);
    Sgd sgd = sgd_new(&model->params, 0.0f);
    ClippingArm arm = {.weights_norm = vector_length(w->data, tensor_size(w))};
    int last = steps < CLIPPING_LAST ? steps : CLIPPING_LAST;
    for (int i = 0; i < steps; i++) {
        loss[i] = recall_gradient(model, &rng, NULL);
        double norm = limit > 0.0 ? params_clip_norm(&model->params, limit)
                                  : params_grad_norm(&model->params);
        arm.longest = fmax(arm.longest, params_grad_norm(&model->params));
        sgd_step(&sgd, rate);
        arm.first_norm = i == 0 ? norm : arm.first_norm;
        arm.loss += i >= steps - last ? loss[i] / last : 0.0;
    }
    sgd_free(&sgd);
    recall_model_free(model);
    return arm;
}

void clipping_compare(Run *run, float rho, float rate, double limit, int steps,
                      ClippingArm arms[2]) {
    CHECK(steps >= 1, "clipping_compare: %d steps", steps);
    double *x = check_alloc(3 * (size_t)steps * sizeof *x);
    double *loss[] = {x + steps, x + 2 * steps};
    for (int i = 0; i < steps; i++) {
        x[i] = i + 1;
    }
    arms[0] = train(run, rho, rate, limit, steps, loss[0]);
    arms[1] = train(run, rho, rate, 0.0, steps, loss[1]);
    const PlotSeries series[] = {{.label = "clipped", .x = x, .y = loss[0], .n = steps},
                                 {.label = "not clipped", .x = x, .y = loss[1], .n = steps}};
    const PlotLine chance = {.label = "guessing", .at = log(RECALL_SYMBOLS)};
    run_plot(run, &(Plot){.name = "clipping",
                          .title = "An exploding RNN, with and without clipping",
                          .x_label = "training step",
                          .y_label = "loss of the batch (nats)",
                          .series = series,
                          .count = 2,
                          .lines = &chance,
                          .line_count = 1});
    free(x);
}
