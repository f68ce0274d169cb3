#include "lesson/experiments/associative.h"

#include "core/check.h"
#include "core/optim.h"
#include "lesson/weights.h"
#include "nn/attention.h"
#include "nn/embedding.h"
#include "nn/linear.h"

#include <math.h>
#include <stdlib.h>

typedef struct Memory {
    const AssociativePlan *plan;
    Params params;
    Embedding key, value; /* (keys, d_model), (values, d_model) */
    Linear query, keys;   /* d_model -> d_k */
    Linear content;       /* d_model -> d_model */
    Linear out;           /* d_model -> values */

    int *shown_key, *shown_value; /* (B, pairs) */
    int *asked, *answer;          /* (B) */
    int *order;                   /* (keys) */
} Memory;

static Memory memory_new(const AssociativePlan *plan, Rng *rng) {
    CHECK(plan->pairs <= plan->keys, "associative: %d pairs of only %d different keys", plan->pairs,
          plan->keys);
    Memory m = {.plan = plan, .params = params_new()};
    int d = plan->d_model, most = plan->B > plan->test ? plan->B : plan->test;
    m.key = embedding_new(&m.params, "key", plan->keys, d);
    m.value = embedding_new(&m.params, "value", plan->values, d);
    m.query = linear_new(&m.params, "w_q", d, plan->d_k, false);
    m.keys = linear_new(&m.params, "w_k", d, plan->d_k, false);
    m.content = linear_new(&m.params, "w_v", d, d, false);
    m.out = linear_new(&m.params, "w_o", d, plan->values, true);
    params_allocate(&m.params, rng);
    size_t cells = (size_t)most * (size_t)plan->pairs * sizeof(int);
    m.shown_key = check_alloc(cells);
    m.shown_value = check_alloc(cells);
    m.asked = check_alloc((size_t)most * sizeof(int));
    m.answer = check_alloc((size_t)most * sizeof(int));
    m.order = check_alloc((size_t)plan->keys * sizeof(int));
    return m;
}

static void memory_free(Memory *m) {
    params_free(&m->params);
    free(m->shown_key);
    free(m->shown_value);
    free(m->asked);
    free(m->answer);
    free(m->order);
}

/* B new sequences: different keys, any values, and one of the keys to be asked for. */
static void memory_draw(Memory *m, int B, Rng *rng) {
    int n = m->plan->pairs;
    for (int b = 0; b < B; b++) {
        rng_permutation(rng, m->plan->keys, m->order);
        for (int i = 0; i < n; i++) {
            m->shown_key[b * n + i] = m->order[i];
            m->shown_value[b * n + i] = (int)rng_below(rng, (uint32_t)m->plan->values);
        }
        int i = (int)rng_below(rng, (uint32_t)n);
        m->asked[b] = m->shown_key[b * n + i];
        m->answer[b] = m->shown_value[b * n + i];
    }
}

/* Scores of the values, (B, values), for the sequences drawn last. */
static Tensor *memory_forward(Memory *m, Tape *tape, int B) {
    int n = m->plan->pairs, d_k = m->plan->d_k;
    Tensor *x = op_add(tape, op_embedding(tape, m->key.table, m->shown_key, SHAPE(B, n)),
                       op_embedding(tape, m->value.table, m->shown_value, SHAPE(B, n)));
    Tensor *q = linear_forward(tape, &m->query, embedding_step(tape, &m->key, m->asked, B));
    Tensor *k = linear_forward(tape, &m->keys, x); /* (B, n, d_k) */
    Tensor *scores;
    /* Exercise 3.1 */
    scores = op_matmul_nt(tape, op_reshape(tape, q, SHAPE(B, 1, d_k)), k);
    scores = op_reshape(tape, scores, SHAPE(B, n));
    /* End of exercise 3.1 */
    scores = op_scale(tape, scores, m->plan->factor);
    Attended found = attend(tape, scores, linear_forward(tape, &m->content, x), NULL);
    return linear_forward(tape, &m->out, found.context);
}

static double memory_test(Memory *m, Tape *tape, Rng rng) {
    int B = m->plan->test, right = 0;
    tape_reset(tape);
    tape->recording = false;
    memory_draw(m, B, &rng);
    Tensor *scores = memory_forward(m, tape, B);
    tape->recording = true;
    for (int b = 0; b < B; b++) {
        right += tensor_argmax(scores->data + (long)b * m->plan->values, m->plan->values) ==
                 m->answer[b];
    }
    return (double)right / B;
}

static double memory_step(Memory *m, Tape *tape, Adam *adam, Rng *rng) {
    tape_reset(tape);
    params_begin_grad(&m->params);
    memory_draw(m, m->plan->B, rng);
    Tensor *scores = memory_forward(m, tape, m->plan->B);
    Tensor *loss = op_cross_entropy(tape, scores, m->answer, (CrossEntropy){.ignore = -1});
    tape_backward(tape, loss);
    adam_step_clipped(adam, m->plan->rate, 1.0);
    return (double)loss->data[0];
}

AssociativePlan associative_plan(int steps, int test) {
    return (AssociativePlan){.pairs = 16,
                             .keys = 64,
                             .values = 10,
                             .d_model = 64,
                             .B = 64,
                             .steps = steps,
                             .check_every = (steps + 199) / 200,
                             .test = test,
                             .rate = 2e-3f};
}

static void memory_train(Run *run, Memory *m, Rng *rng, AssociativeCurve *curve) {
    const AssociativePlan *plan = m->plan;
    Adam adam = adam_new(&m->params);
    Tape tape = tape_new();
    tape.recycle = true;
    tape.check_finite = run->flags.check_finite;
    Progress progress = run_progress(run, plan->label, plan->steps);
    double accuracy = 0.0;
    for (int step = 1; step <= plan->steps && !run_stopped(run); step++) {
        double loss = memory_step(m, &tape, &adam, rng);
        if (step % plan->check_every == 0 || step == plan->steps) {
            accuracy = memory_test(m, &tape, run_rng(run, "associative test"));
            curve->step[curve->n] = step;
            curve->accuracy[curve->n++] = accuracy;
        }
        progress_update(&progress, step, loss, "right", accuracy);
    }
    progress_end(&progress);
    tape_free(&tape);
    adam_free(&adam);
}

AssociativeCurve associative_train(Run *run, const AssociativePlan *plan, const char *name) {
    CHECK(plan->check_every >= 1 && plan->steps / plan->check_every < ASSOCIATIVE_POINTS,
          "associative_train: more than %d tests", ASSOCIATIVE_POINTS);
    AssociativeCurve curve = {0};
    Rng rng = run_rng(run, name);
    Memory m = memory_new(plan, &rng);
    const Training training = {.label = plan->label, .params = &m.params, .steps = plan->steps};
    if (!training_loaded(run, &training)) {
        memory_train(run, &m, &rng, &curve);
        training_keep(run, &training);
    }
    curve.n = training_numbers(run, plan->label, "curve.right", curve.accuracy, curve.n,
                               ASSOCIATIVE_POINTS);
    training_numbers(run, plan->label, "curve.step", curve.step, curve.n, ASSOCIATIVE_POINTS);
    memory_free(&m);
    return curve;
}

double associative_reaching(const AssociativeCurve *curve, double share, double never) {
    for (int i = 0; i < curve->n; i++) {
        if (curve->accuracy[i] >= share) {
            return curve->step[i];
        }
    }
    return never;
}

enum { MOST_SIZES = 4 };

void associative_compare(Run *run, AssociativePlan plan, const int *d_k, int sizes,
                         const float powers[2], const char *const names[2], double reached[][2],
                         const char *name) {
    CHECK(sizes <= MOST_SIZES, "associative_compare: %d sizes; the most is %d", sizes, MOST_SIZES);
    AssociativeCurve curve[2 * MOST_SIZES];
    PlotSeries series[2 * MOST_SIZES];
    char label[2 * MOST_SIZES][48], text[2][32];
    char header[128];
    snprintf(header, sizeof header, "d_k\t%s, 95 %% at step\t%s\tratio", names[0], names[1]);
    run_table(run, header);
    for (int i = 0; i < sizes; i++) {
        for (int j = 0; j < 2; j++) {
            int n = 2 * i + j;
            snprintf(label[n], sizeof label[n], "d_k = %d, %s", d_k[i], names[j]);
            plan.label = label[n];
            plan.d_k = d_k[i];
            plan.factor = powf((float)d_k[i], -powers[j]);
            curve[n] = associative_train(run, &plan, "associative training");
            series[n] = (PlotSeries){
                .label = label[n], .x = curve[n].step, .y = curve[n].accuracy, .n = curve[n].n};
            reached[i][j] = associative_reaching(&curve[n], 0.95, NAN);
            snprintf(text[j], sizeof text[j], isnan(reached[i][j]) ? "never" : "%.0f",
                     reached[i][j]);
        }
        double ratio = reached[i][1] / reached[i][0];
        run_table_row(run, isnan(ratio) ? "%d\t%s\t%s\t-" : "%d\t%s\t%s\t%.1f", d_k[i], text[0],
                      text[1], ratio);
    }
    run_table_end(run);
    Plot plot = {.name = name,
                 .title = "Learning to recall, with the scale and without",
                 .x_label = "step",
                 .y_label = "right answers",
                 .y_max = 1.0,
                 .series = series,
                 .count = 2 * sizes};
    run_plot(run, &plot);
}
