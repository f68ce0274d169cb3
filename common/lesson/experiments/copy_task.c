#include "lesson/experiments/copy_task.h"

#include "core/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTHING = 0 };

CopyTask copy_task_new(PositionModel *model, int T, int B, Rng rng) {
    const PositionPlan *plan = &model->plan;
    CHECK(plan->V > 2 && plan->outputs == plan->V, "copy_task: %d tokens, %d outputs", plan->V,
          plan->outputs);
    CHECK(T > COPY_BACK && B >= 1, "copy_task: %d sequences of %d tokens", B, T);
    CopyTask task = {.model = model, .T = T, .B = B, .test = 64, .rng = rng};
    task.test_rng = rng_seeded(rng_bits(&rng), 2);
    task.ids = check_alloc((size_t)B * (size_t)T * sizeof(int));
    task.target = check_alloc((size_t)B * (size_t)T * sizeof(int));
    return task;
}

void copy_task_free(CopyTask *task) {
    free(task->ids);
    free(task->target);
}

void copy_draw(const CopyTask *task, Rng *rng, int B, int T, int *ids, int *target) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            int i = b * T + t;
            ids[i] = 1 + (int)rng_below(rng, (uint32_t)(task->model->plan.V - 1));
            target[i] = t < COPY_BACK ? NOTHING : ids[i - COPY_BACK];
        }
    }
}

Tensor *copy_loss(void *context, Tape *tape) {
    CopyTask *task = context;
    copy_draw(task, &task->rng, task->B, task->T, task->ids, task->target);
    Tensor *logits = position_model_logits(task->model, tape, task->ids, task->B, task->T);
    return op_cross_entropy(tape, logits, task->target, (CrossEntropy){.ignore = NOTHING});
}

/* Adds to right (L) how many of n sequences are right at each place. */
static void count_right(const CopyTask *task, Tape *tape, Rng *rng, int L, int n, double *right) {
    size_t cells = (size_t)n * (size_t)L;
    int V = task->model->plan.V;
    int *ids = arena_alloc(&tape->arena, cells * sizeof *ids);
    int *target = arena_alloc(&tape->arena, cells * sizeof *target);
    copy_draw(task, rng, n, L, ids, target);
    Tensor *logits = position_model_logits(task->model, tape, ids, n, L);
    for (int i = 0; i < n * L; i++) {
        right[i % L] += tensor_argmax(logits->data + (long)i * V, V) == target[i];
    }
}

double copy_accuracy(void *context, Tape *tape) {
    const CopyTask *task = context;
    Rng rng = task->test_rng;
    double *right = arena_alloc_zeroed(&tape->arena, (size_t)task->T * sizeof *right), sum = 0.0;
    count_right(task, tape, &rng, task->T, task->test, right);
    for (int t = COPY_BACK; t < task->T; t++) {
        sum += right[t];
    }
    return sum / task->test / (task->T - COPY_BACK);
}

FitCurve copy_learn(Run *run, CopyTask *task, const char *label, int steps) {
    Fit fit = {.label = label,
               .params = &task->model->params,
               .loss = copy_loss,
               .model = task,
               .steps = steps,
               .rate = 3e-3f,
               .clip = 1.0,
               .check_every = fit_check_every(steps, 50),
               .check = copy_accuracy,
               .metric = "right"};
    return fit_train(run, &fit);
}

void copy_by_place(const CopyTask *task, int L, int n, double *right) {
    enum { AT_ONCE = 32 };
    Rng rng = task->test_rng;
    Tape tape = tape_new();
    tape.recording = false;
    for (int t = 0; t < L; t++) {
        right[t] = 0.0;
    }
    for (int done = 0; done < n; done += AT_ONCE) {
        tape_reset(&tape);
        count_right(task, &tape, &rng, L, n - done < AT_ONCE ? n - done : AT_ONCE, right);
    }
    for (int t = 0; t < L; t++) {
        right[t] = t < COPY_BACK ? NAN : right[t] / n;
    }
    tape_free(&tape);
}

/* Mean weight at t - COPY_BACK over the places t < T of one head's map (L, L). */
static double weight_back(const float *map, int L, int T) {
    double sum = 0.0;
    for (int t = COPY_BACK; t < T; t++) {
        sum += (double)map[(long)t * L + t - COPY_BACK];
    }
    return sum / (T - COPY_BACK);
}

CopyMap copy_map_new(const CopyTask *task, int L) {
    const PositionPlan *plan = &task->model->plan;
    size_t cells = (size_t)L * (size_t)L;
    CopyMap map = {.L = L, .back = -1.0};
    map.ids = check_alloc(2 * (size_t)L * sizeof *map.ids);
    map.weights = check_alloc(cells * sizeof *map.weights);
    Tensor *weights[POSITION_MODEL_LAYERS];
    Tape tape = tape_new();
    tape.recording = false;
    Rng rng = task->test_rng;
    copy_draw(task, &rng, 1, L, map.ids, map.ids + L);
    position_model_states(task->model, &tape, map.ids, 1, L, weights);
    for (int h = 0; h < plan->heads; h++) {
        const float *head = weights[plan->layers - 1]->data + (size_t)h * cells;
        double back = weight_back(head, L, task->T);
        if (back > map.back) {
            map.back = back;
            memcpy(map.weights, head, cells * sizeof *head);
        }
    }
    tape_free(&tape);
    return map;
}

void copy_map_free(CopyMap *map) {
    free(map->ids);
    free(map->weights);
}

/* One map; its labels and marks go to the arena. */
static Heatmap map_picture(Run *run, Arena *arena, const CopyMap *map, int number,
                           const char *model) {
    int L = map->L;
    unsigned char *marks = arena_alloc_zeroed(arena, (size_t)L * (size_t)L);
    const char **labels = arena_alloc(arena, (size_t)L * sizeof *labels);
    for (int t = 0; t < L; t++) {
        char *label = arena_alloc(arena, 16);
        snprintf(label, 16, "%d:%c", t, 'a' + (map->ids[t] - 1) % 26);
        labels[t] = label;
        if (t >= COPY_BACK) {
            marks[t * L + t - COPY_BACK] = 1;
        }
    }
    char name[128];
    snprintf(name, sizeof name, "copy_maps: %.100s", model);
    run_attention(run, name, number, 0, map->weights, L, L, labels, labels);
    return (Heatmap){.values = map->weights,
                     .rows = L,
                     .cols = L,
                     .row_labels = labels,
                     .col_labels = labels,
                     .row_axis = "query",
                     .col_axis = "key",
                     .max = 1.0f,
                     .marks = marks,
                     .marks_label = "two places back"};
}

static void draw_maps(Run *run, const PositionArms *arms, const CopyPlan *plan, const CopyMap *maps,
                      int count) {
    Heatmap pictures[LINES_MOST];
    Arena arena = arena_new();
    char title[128];
    snprintf(title, sizeof title,
             "Trained on %d letters, looking at %d: the head that looks most at two back", plan->T,
             2 * plan->T);
    for (int i = 0; i < count; i++) {
        pictures[i] = map_picture(run, &arena, &maps[i], i, arms->names[i]);
        pictures[i].title = arms->names[i];
    }
    if (count > 0) {
        run_heatmap_png(run, "copy_maps.png", pictures, count, 3, title);
    }
    arena_free(&arena);
}

void copy_compare(Run *run, const PositionArms *arms, CopyPlan plan, ByPlace *right) {
    CHECK(arms->count == right->models, "copy_compare: %d arms, %d rows", arms->count,
          right->models);
    CopyMap maps[LINES_MOST];
    int done = 0;
    plan.model.max_length = right->n;
    right->trained = plan.T;
    right->guessing = 1.0 / (plan.model.V - 1);
    for (int i = 0; i < arms->count && !run_stopped(run); i++) {
        PositionModel model;
        arms->make(run, &model, i, plan.model);
        CopyTask task = copy_task_new(&model, plan.T, plan.B, run_rng(run, "copy sequences"));
        copy_learn(run, &task, arms->names[i], plan.steps);
        copy_by_place(&task, right->n, plan.test, by_place_row(right, i));
        maps[done++] = copy_map_new(&task, 2 * plan.T);
        copy_task_free(&task);
        position_model_free(&model);
    }
    by_place_show(run, right, "copy_by_place", "Two places back: who still finds it?",
                  "right answers", 1);
    draw_maps(run, arms, &plan, maps, done);
    for (int i = 0; i < done; i++) {
        copy_map_free(&maps[i]);
    }
}
