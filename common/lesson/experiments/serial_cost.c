#include "lesson/experiments/serial_cost.h"

#include "core/chain.h"
#include "core/check.h"
#include "lesson/stopwatch.h"
#include "nn/rnn.h"

#include <math.h>

typedef struct Race {
    int T, H;
    Tape tape;
    Params params;
    Rnn rnn;
    Tensor *w_q, *w_k, *w_v; /* (H, H) */
} Race;

static Tensor *sequence(Race *race, bool with_batch) {
    tape_reset(&race->tape);
    int dim[] = {race->T, with_batch ? 1 : race->H, race->H};
    return tape_constant(&race->tape, "x", NULL, with_batch ? 3 : 2, dim);
}

/* As it is used: the whole sequence in one call. */
static void read_by_rnn(void *context) {
    Race *race = context;
    Tensor *x = sequence(race, true); /* (T, 1, H) */
    rnn_forward(&race->tape, &race->rnn, x, NULL, (SequenceOptions){0});
}

/* The same as separate operations, which can be counted. */
static void read_by_steps(Race *race) {
    Tensor *x = sequence(race, true);
    Tensor *h = tape_constant(&race->tape, "h", NULL, SHAPE(1, race->H));
    for (int t = 0; t < race->T; t++) {
        h = rnn_step(&race->tape, &race->rnn, op_index(&race->tape, x, t), h);
    }
}

static void read_by_attention(void *context) {
    Race *race = context;
    Tape *tape = &race->tape;
    Tensor *x = sequence(race, false); /* (T, H) */
    Tensor *q = op_linear(tape, x, race->w_q, NULL);
    Tensor *k = op_linear(tape, x, race->w_k, NULL);
    Tensor *v = op_linear(tape, x, race->w_v, NULL);
    /* Exercise 4.1 */
    Tensor *scores = op_scale(tape, op_matmul_nt(tape, q, k), 1.0f / sqrtf((float)race->H));
    op_matmul(tape, op_softmax(tape, scores), v); /* (T, T) times (T, H) */
    /* End of exercise 4.1 */
}

SerialCost serial_cost_measure(int T, int H, double budget, Rng rng) {
    Race race = {.T = T, .H = H, .tape = tape_new(), .params = params_new()};
    Init init = init_uniform(1.0f / sqrtf((float)H));
    race.rnn = rnn_new(&race.params, "rnn", H, H);
    race.w_q = params_add(&race.params, "attention", "w_q", init, SHAPE(H, H));
    race.w_k = params_add(&race.params, "attention", "w_k", init, SHAPE(H, H));
    race.w_v = params_add(&race.params, "attention", "w_v", init, SHAPE(H, H));
    params_allocate(&race.params, &rng);
    SerialCost cost = {.rnn_products = 2.0 * T * H * H,
                       .attention_products = 3.0 * T * H * H + 2.0 * T * T * H};
    read_by_steps(&race);
    cost.rnn_chain = tape_longest_chain(&race.tape);
    read_by_attention(&race);
    cost.attention_chain = tape_longest_chain(&race.tape);
    race.tape.recording = false;
    cost.rnn_seconds = stopwatch_best(read_by_rnn, &race, budget);
    cost.attention_seconds = stopwatch_best(read_by_attention, &race, budget);
    tape_free(&race.tape);
    params_free(&race.params);
    return cost;
}

void serial_cost_compare(Run *run, const int *T, int count, int H, SerialCost *cost) {
    enum { MOST = 8 };
    CHECK(count <= MOST, "serial_cost_compare: %d lengths, more than %d", count, MOST);
    double x[MOST], chain[2][MOST], ms[2][MOST];
    run_table(run, "length T\tRNN: operations in line\tattention\tRNN: ms\tattention: ms");
    for (int i = 0; i < count; i++) {
        cost[i] = serial_cost_measure(T[i], H, run_size(run, 1, 0) * 0.05, run_rng(run, "serial"));
        x[i] = T[i];
        chain[0][i] = cost[i].rnn_chain;
        chain[1][i] = cost[i].attention_chain;
        ms[0][i] = 1e3 * cost[i].rnn_seconds;
        ms[1][i] = 1e3 * cost[i].attention_seconds;
        run_table_row(run, "%d\t%d\t%d\t%.3f\t%.3f", T[i], cost[i].rnn_chain,
                      cost[i].attention_chain, ms[0][i], ms[1][i]);
    }
    run_table_end(run);
    PlotSeries series[2] = {{.label = "RNN", .x = x, .n = count, .style = PLOT_LINES_POINTS},
                            {.label = "attention", .x = x, .n = count, .style = PLOT_LINES_POINTS}};
    Plot plot = {.x_label = "length T of the sequence",
                 .x_log = true,
                 .y_log = true,
                 .series = series,
                 .count = 2};
    plot.name = "serial_chain";
    plot.title = "How many operations have to wait for each other?";
    plot.y_label = "operations in line";
    series[0].y = chain[0], series[1].y = chain[1];
    run_plot(run, &plot);
    plot.name = "timing_serial_cost";
    plot.title = "How long does one sequence take?";
    plot.y_label = "milliseconds";
    series[0].y = ms[0], series[1].y = ms[1];
    run_plot(run, &plot);
}
