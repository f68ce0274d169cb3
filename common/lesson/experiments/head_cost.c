#include "lesson/experiments/head_cost.h"

#include "core/measure.h"
#include "lesson/experiments/layer_cost.h"
#include "lesson/lines.h"
#include "lesson/stopwatch.h"

#include <math.h>

typedef struct Pass {
    AttendFunction attend;
    void *context;
    Tape tape;
    MultiHead layer;
    Tensor *x; /* (B, L, d) */
} Pass;

static void pass_once(void *context) {
    Pass *pass = context;
    Tensor *weights;
    tape_reset(&pass->tape);
    pass->attend(pass->context, &pass->tape, &pass->layer, pass->x, &weights);
}

static void pass_fused(void *context) {
    Pass *pass = context;
    tape_reset(&pass->tape);
    multi_head_self(&pass->tape, &pass->layer, pass->x, (Look){0});
}

HeadCost head_cost(AttendFunction attend, void *context, int heads, int B, int L, int d,
                   double budget, Rng *rng) {
    HeadCost cost = {.heads = heads, .exponentials = (double)heads * L * L};
    Params params = params_new();
    Tape inputs = tape_new();
    Pass pass = {attend, context, tape_new(), multi_head_new(&params, "layer", d, heads, false),
                 tape_constant(&inputs, "x", NULL, SHAPE(B, L, d))};
    params_allocate(&params, rng);
    for (size_t i = 0; i < tensor_size(pass.x); i++) {
        pass.x->data[i] = rng_normal(rng);
    }
    cost.parameters = params_count_numbers(&params);
    pass_once(&pass);
    tape_multiply_adds(&pass.tape, &cost.with_weights, &cost.with_each_other);
    cost.with_weights /= B;
    cost.with_each_other /= B;
    pass.tape.recording = false;
    cost.seconds = stopwatch_best(pass_once, &pass, budget);
    cost.fused_seconds = stopwatch_best(pass_fused, &pass, budget);
    tape_free(&pass.tape);
    tape_free(&inputs);
    params_free(&params);
    return cost;
}

void head_costs_show(Run *run, AttendFunction attend, void *context, int B, int L, int d,
                     HeadCost costs[HEAD_COST_SIZES]) {
    static const char *const ways[] = {"operation by operation", "fused"};
    double heads[HEAD_COST_SIZES], seconds[2][HEAD_COST_SIZES];
    double budget = run_size(run, 50, 2) * 1e-3;
    Rng rng = run_rng(run, "head cost");
    run_table(run, "heads\td_k\tparameters\tprojections\tscores and sums\texponentials");
    for (int k = 0; k < HEAD_COST_SIZES; k++) {
        costs[k] = head_cost(attend, context, 1 << k, B, L, d, budget, &rng);
        heads[k] = costs[k].heads;
        seconds[0][k] = costs[k].seconds;
        seconds[1][k] = costs[k].fused_seconds;
        run_table_row(run, "%d\t%d\t%zu\t%.0f\t%.0f\t%.0f", costs[k].heads, d / costs[k].heads,
                      costs[k].parameters, costs[k].with_weights, costs[k].with_each_other,
                      costs[k].exponentials);
    }
    run_table_end(run);
    Plot plot = {.name = "timing_head_cost",
                 .title = "One pass through a layer, timed",
                 .x_label = "heads",
                 .y_label = "seconds",
                 .x_log = true};
    run_lines(run, plot, ways, 2, heads, seconds[0], HEAD_COST_SIZES);
}

/* Root of the mean square of the weights that init_xavier() draws. */
static double glorot_size(Run *run, int out, int in) {
    Params params = params_new();
    Rng rng = run_rng(run, "glorot");
    Tensor *w = params_add(&params, "", "w", init_xavier(), SHAPE(out, in));
    params_allocate(&params, &rng);
    double size = vector_length(w->data, tensor_size(w)) / sqrt((double)tensor_size(w));
    params_free(&params);
    return size;
}

double glorot_packed_ratio(Run *run, int d) {
    return glorot_size(run, d, d) / glorot_size(run, 3 * d, d);
}

HeadSample head_sample_new(Run *run, int H, int L, int d) {
    HeadSample sample = {.tape = tape_new(), .params = params_new()};
    Rng rng = run_rng(run, "head sample");
    sample.layer = multi_head_new(&sample.params, "layer", d, H, false);
    params_allocate(&sample.params, &rng);
    sample.x = tape_constant(&sample.tape, "x", NULL, SHAPE(1, L, d));
    for (int i = 0; i < L * d; i++) {
        sample.x->data[i] = rng_normal(&rng);
    }
    return sample;
}

void head_sample_free(HeadSample *sample) {
    params_free(&sample->params);
    tape_free(&sample->tape);
}
