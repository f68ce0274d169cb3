#include "lesson/experiments/attention_time.h"

#include "core/check.h"
#include "core/threads.h"
#include "lesson/lines.h"
#include "lesson/stopwatch.h"
#include "nn/rnn.h"

#include <math.h>
#include <stdio.h>

typedef struct Timed {
    TimedLayer layer;
    Looker looker;
    int L, d;
    Tape tape;
    Params params;
    Rnn rnn;
    Tensor *w[3]; /* (d, d) */
} Timed;

static void once(void *context) {
    Timed *timed = context;
    Tape *tape = &timed->tape;
    tape_reset(tape);
    if (timed->layer == TIMED_RNN) {
        Tensor *x = tape_constant(tape, "x", NULL, SHAPE(timed->L, 1, timed->d));
        rnn_forward(tape, &timed->rnn, x, NULL, (SequenceOptions){0});
        return;
    }
    Tensor *made[3], *x = tape_constant(tape, "x", NULL, SHAPE(1, timed->L, timed->d));
    for (int i = 0; i < 3; i++) {
        made[i] = op_linear(tape, x, timed->w[i], NULL);
    }
    if (timed->layer == TIMED_BLOCKS) {
        op_attention(tape, made[0], made[1], made[2], (AttentionOptions){.heads = 1});
    } else {
        timed->looker.look(timed->looker.how, tape, made[0], made[1], made[2], NULL);
    }
}

double timed_layer(TimedLayer layer, Looker looker, int L, int d, double budget) {
    static const char *const names[] = {"w_q", "w_k", "w_v"};
    Timed timed = {layer, looker, L, d, tape_new(), params_new(), {0}, {0}};
    Rng rng = rng_seeded(1, 1);
    timed.rnn = rnn_new(&timed.params, "rnn", d, d);
    for (int i = 0; i < 3; i++) {
        timed.w[i] = params_add(&timed.params, "", names[i], init_xavier(), SHAPE(d, d));
    }
    params_allocate(&timed.params, &rng);
    timed.tape.recording = false;
    double seconds = stopwatch_best(once, &timed, budget);
    tape_free(&timed.tape);
    params_free(&timed.params);
    return seconds;
}

static void plot_times(Run *run, const int *lengths, int count,
                       double seconds[TIMED_LAYERS][2][TIME_LENGTHS]) {
    static const char *const labels[] = {"RNN",
                                         "RNN, 2 threads",
                                         "attention",
                                         "attention, 2 threads",
                                         "attention in blocks",
                                         "attention in blocks, 2 threads"};
    double x[TIME_LENGTHS], y[2 * TIMED_LAYERS * TIME_LENGTHS];
    for (int i = 0; i < count; i++) {
        x[i] = lengths[i];
        for (int line = 0; line < 2 * TIMED_LAYERS; line++) {
            y[line * count + i] = 1e3 * seconds[line / 2][line % 2][i];
        }
    }
    Plot plot = {.name = "timing_length",
                 .title = "How long does one sequence take?",
                 .x_label = "length L of the sequence",
                 .y_label = "milliseconds",
                 .x_log = true,
                 .y_log = true};
    run_lines(run, plot, labels, 2 * TIMED_LAYERS, x, y, count);
}

/* Of the longest sequence that was timed. */
static void claim_times(Run *run, double seconds[TIMED_LAYERS][2][TIME_LENGTHS], int last) {
    double rnn[] = {seconds[TIMED_RNN][0][last], seconds[TIMED_RNN][1][last]};
    double blocks[] = {seconds[TIMED_BLOCKS][0][last], seconds[TIMED_BLOCKS][1][last]};
    claim_timing(run, "longest_time",
                 "longest: attention in blocks takes longer than the RNN, times",
                 blocks[0] / rnn[0], ">", 1);
    claim_timing(run, "rnn_threads", "longest: a second thread speeds the RNN up, times",
                 rnn[0] / rnn[1], "<", 1.3);
    claim_timing(run, "attention_threads",
                 "longest: a second thread speeds attention in blocks up, times",
                 blocks[0] / blocks[1], ">", 1.3);
}

void attention_times_show(Run *run, Looker looker, const int *lengths, int count, int d) {
    double seconds[TIMED_LAYERS][2][TIME_LENGTHS] = {{{0}}};
    CHECK(count <= TIME_LENGTHS, "attention_times_show: %d lengths; the most is %d", count,
          TIME_LENGTHS);
    double budget = run_size(run, 40, 1) * 1e-3;
    int threads = threads_count();
    run_table(run, "ms: L\tRNN\t2 threads\tattention\t2 threads\tin blocks\t2 threads");
    for (int i = 0; i < count && !run_stopped(run); i++) {
        for (int n = 1; n <= 2; n++) {
            threads_set(n);
            for (int layer = 0; layer < TIMED_LAYERS; layer++) {
                seconds[layer][n - 1][i] =
                    timed_layer((TimedLayer)layer, looker, lengths[i], d, budget);
            }
        }
        run_table_row(run, "%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f", lengths[i],
                      1e3 * seconds[TIMED_RNN][0][i], 1e3 * seconds[TIMED_RNN][1][i],
                      1e3 * seconds[TIMED_ATTENTION][0][i], 1e3 * seconds[TIMED_ATTENTION][1][i],
                      1e3 * seconds[TIMED_BLOCKS][0][i], 1e3 * seconds[TIMED_BLOCKS][1][i]);
    }
    run_table_end(run);
    threads_set(threads);
    plot_times(run, lengths, count, seconds);
    claim_times(run, seconds, count - 1);
}
