#include "lesson/experiments/order_task.h"

#include "core/check.h"
#include "core/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

OrderTask order_task_new(PositionModel *model, int T, int B, Rng rng) {
    const PositionPlan *plan = &model->plan;
    CHECK(plan->V > ORDER_FIRST_OTHER && plan->outputs == 2,
          "order_task: the model has %d tokens and %d outputs; A, B and others, and 2 are needed",
          plan->V, plan->outputs);
    CHECK(T >= 2 && B >= 1, "order_task: %d tokens, %d sequences", T, B);
    OrderTask task = {.model = model, .T = T, .B = B, .test = 200, .rng = rng};
    task.test_rng = rng_seeded(rng_bits(&rng), 1);
    task.ids = check_alloc((size_t)B * (size_t)T * sizeof(int));
    task.answer = check_alloc((size_t)B * sizeof(int));
    return task;
}

void order_task_free(OrderTask *task) {
    free(task->ids);
    free(task->answer);
}

/* One sequence; returns the answer. */
static int draw_row(Rng *rng, int T, int others, int *row) {
    for (int t = 0; t < T; t++) {
        row[t] = ORDER_FIRST_OTHER + (int)rng_below(rng, (uint32_t)others);
    }
    int a = (int)rng_below(rng, (uint32_t)T), b = (int)rng_below(rng, (uint32_t)(T - 1));
    b += b >= a;
    row[a] = ORDER_A;
    row[b] = ORDER_B;
    return a < b;
}

void order_draw(OrderTask *task, Rng *rng) {
    for (int b = 0; b < task->B; b++) {
        task->answer[b] = draw_row(rng, task->T, task->model->plan.V - ORDER_FIRST_OTHER,
                                   task->ids + b * task->T);
    }
}

Tensor *order_loss(void *context, Tape *tape) {
    OrderTask *task = context;
    order_draw(task, &task->rng);
    Tensor *logits = position_model_pooled(task->model, tape, task->ids, task->B, task->T);
    return op_cross_entropy(tape, logits, task->answer, (CrossEntropy){.ignore = -1});
}

/* A and B change places. */
static void swap_row(int *row, int T) {
    for (int t = 0; t < T; t++) {
        row[t] = row[t] == ORDER_A ? ORDER_B : row[t] == ORDER_B ? ORDER_A : row[t];
    }
}

static void reverse_row(int *row, int T) {
    for (int t = 0; t < T / 2; t++) {
        int first = row[t];
        row[t] = row[T - 1 - t];
        row[T - 1 - t] = first;
    }
}

/* Logits (2 n, 2) of n sequences and, behind them, of the same after `change`; answers (2 n). */
static Tensor *both_ways(const OrderTask *task, Tape *tape, int n, void (*change)(int *row, int T),
                         int *answer) {
    Rng rng = task->test_rng;
    int T = task->T, others = task->model->plan.V - ORDER_FIRST_OTHER;
    int *ids = arena_alloc(&tape->arena, 2 * (size_t)n * (size_t)T * sizeof *ids);
    for (int i = 0; i < n; i++) {
        int *row = ids + i * T, *changed = ids + (n + i) * T;
        answer[i] = draw_row(&rng, T, others, row);
        answer[n + i] = 1 - answer[i];
        memcpy(changed, row, (size_t)T * sizeof *row);
        change(changed, T);
    }
    return position_model_pooled(task->model, tape, ids, 2 * n, T);
}

double order_accuracy(void *context, Tape *tape) {
    const OrderTask *task = context;
    int n = 2 * task->test, right = 0;
    int *answer = arena_alloc(&tape->arena, (size_t)n * sizeof *answer);
    Tensor *logits = both_ways(task, tape, task->test, reverse_row, answer);
    for (int i = 0; i < n; i++) {
        right += tensor_argmax(logits->data + 2 * i, 2) == answer[i];
    }
    return (double)right / n;
}

static double moved(const OrderTask *task, int n, void (*change)(int *row, int T)) {
    Tape tape = tape_new();
    tape.recording = false;
    int *answer = arena_alloc(&tape.arena, 2 * (size_t)n * sizeof *answer);
    Tensor *logits = both_ways(task, &tape, n, change, answer);
    double most = largest_difference(logits->data, logits->data + 2 * n, 2 * (size_t)n);
    tape_free(&tape);
    return most;
}

double order_swapped(const OrderTask *task, int n) {
    return moved(task, n, swap_row);
}

double order_reversed(const OrderTask *task, int n) {
    return moved(task, n, reverse_row);
}

OrderResult order_learn(Run *run, OrderTask *task, const char *label, int steps) {
    enum { LOOKED_AT = 200 };
    Fit fit = {.label = label,
               .params = &task->model->params,
               .loss = order_loss,
               .model = task,
               .steps = steps,
               .rate = 3e-3f,
               .clip = 1.0,
               .check_every = fit_check_every(steps, 10),
               .check = order_accuracy,
               .metric = "right"};
    OrderResult result = {.curve = fit_train(run, &fit)};
    result.right = result.curve.n > 0 ? result.curve.metric[result.curve.n - 1] : NAN;
    result.swapped = order_swapped(task, LOOKED_AT);
    result.reversed = order_reversed(task, LOOKED_AT);
    return result;
}

static void show(Run *run, const PositionArms *arms, const OrderResult *results) {
    const FitCurve *curves[ORDER_RESULTS];
    run_table(run, "positions\tright\tA, B exchanged\tread backwards");
    for (int i = 0; i < arms->count; i++) {
        run_table_row(run, "%s\t%.3f\t%.6f\t%.6f", arms->names[i], results[i].right,
                      results[i].swapped, results[i].reversed);
        curves[i] = &results[i].curve;
    }
    run_table_end(run);
    Plot plot = {.name = "order_learning",
                 .title = "Does A come before B?",
                 .x_label = "step",
                 .y_label = "right answers",
                 .y_min = 0.45,
                 .y_max = 1.02};
    fit_plot(run, plot, arms->names, curves, arms->count);
}

void order_compare(Run *run, const PositionArms *arms, OrderPlan plan, OrderResult *results) {
    CHECK(arms->count <= ORDER_RESULTS, "order_compare: %d arms; the most is %d", arms->count,
          ORDER_RESULTS);
    plan.model.outputs = 2;
    plan.model.max_length = plan.T;
    for (int i = 0; i < arms->count; i++) {
        results[i] = (OrderResult){.right = NAN, .swapped = NAN, .reversed = NAN};
    }
    for (int i = 0; i < arms->count && !run_stopped(run); i++) {
        PositionModel model;
        arms->make(run, &model, i, plan.model);
        OrderTask task = order_task_new(&model, plan.T, plan.B, run_rng(run, "order sequences"));
        results[i] = order_learn(run, &task, arms->names[i], plan.steps);
        order_task_free(&task);
        position_model_free(&model);
    }
    show(run, arms, results);
}
