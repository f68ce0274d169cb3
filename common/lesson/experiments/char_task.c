#include "lesson/experiments/char_task.h"

#include "core/check.h"
#include "data/story.h"

#include <math.h>
#include <stdlib.h>

enum { AT_ONCE = 32 }; /* windows of a test */

bool char_task_text(CharText *text, const char *file, int L, Error *error) {
    return file != NULL
               ? chars_load(text, file, CHAR_TASK_HELD_OUT, L, error)
               : chars_make(text, "the built-in story", story_text(), CHAR_TASK_HELD_OUT, L, error);
}

CharTask char_task_new(PositionModel *model, const CharText *text, int L, int B, Rng rng) {
    const PositionPlan *plan = &model->plan;
    CHECK(plan->V == text->V && plan->outputs == text->V,
          "char_task: the text has %d characters, the model %d tokens and %d outputs", text->V,
          plan->V, plan->outputs);
    CharTask task = {.model = model, .text = text, .L = L, .B = B, .rng = rng};
    task.input = check_alloc((size_t)B * (size_t)L * sizeof(int));
    task.target = check_alloc((size_t)B * (size_t)L * sizeof(int));
    return task;
}

void char_task_free(CharTask *task) {
    free(task->input);
    free(task->target);
}

Tensor *char_loss(void *context, Tape *tape) {
    CharTask *task = context;
    int B = task->B, L = task->L;
    chars_window(task->text, CHARS_TRAIN, &task->rng, B, L, task->input, task->target);
    Tensor *logits = position_model_logits(task->model, tape, task->input, B, L);
    return op_cross_entropy(tape, logits, task->target, (CrossEntropy){.ignore = -1});
}

/* Adds the cross-entropy of windows first .. first + n - 1 to nats (L), place by place. */
static void add_nats(const CharTask *task, Tape *tape, int L, int every, int first, int n,
                     double *nats) {
    size_t cells = (size_t)n * (size_t)L;
    int V = task->text->V;
    int *input = arena_alloc(&tape->arena, cells * sizeof *input);
    int *target = arena_alloc(&tape->arena, cells * sizeof *target);
    chars_every(task->text, CHARS_HELD_OUT, every, first, n, L, input, target);
    Tensor *logits = position_model_logits(task->model, tape, input, n, L);
    Tensor *log_p = op_log_softmax(tape, logits);
    for (int i = 0; i < n * L; i++) {
        nats[i % L] -= (double)log_p->data[(long)i * V + target[i]];
    }
}

void char_by_place(const CharTask *task, int L, int windows, double *nats) {
    int places = chars_count(task->text, CHARS_HELD_OUT) - L;
    int every = (places + windows - 1) / windows;
    int count = chars_every_count(task->text, CHARS_HELD_OUT, every, L);
    Tape tape = tape_new();
    tape.recording = false;
    for (int t = 0; t < L; t++) {
        nats[t] = 0.0;
    }
    for (int done = 0; done < count; done += AT_ONCE) {
        tape_reset(&tape);
        int n = count - done < AT_ONCE ? count - done : AT_ONCE;
        add_nats(task, &tape, L, every, done, n, nats);
    }
    for (int t = 0; t < L; t++) {
        nats[t] /= count;
    }
    tape_free(&tape);
}

double char_nats(void *context, Tape *tape) {
    enum { WINDOWS = 64 };
    const CharTask *task = context;
    double *nats = arena_alloc(&tape->arena, (size_t)task->L * sizeof *nats), sum = 0.0;
    char_by_place(task, task->L, WINDOWS, nats);
    for (int t = 0; t < task->L; t++) {
        sum += nats[t];
    }
    return sum / task->L;
}

FitCurve char_learn(Run *run, CharTask *task, const char *label, int steps, float rate) {
    Fit fit = {.label = label,
               .params = &task->model->params,
               .loss = char_loss,
               .model = task,
               .steps = steps,
               .rate = rate,
               .clip = 1.0,
               .check_every = fit_check_every(steps, 50),
               .check = char_nats,
               .metric = "nats",
               .source = task->text->vocab};
    return fit_train(run, &fit);
}

void char_compare(Run *run, const PositionArms *arms, CharPlan plan, ByPlace *nats) {
    CHECK(arms->count == nats->models, "char_compare: %d arms, %d rows", arms->count, nats->models);
    plan.model.max_length = nats->n;
    plan.model.V = plan.text->V;
    nats->trained = plan.L;
    for (int i = 0; i < arms->count && !run_stopped(run); i++) {
        PositionModel model;
        arms->make(run, &model, i, plan.model);
        CharTask task =
            char_task_new(&model, plan.text, plan.L, plan.B, run_rng(run, "text windows"));
        char_learn(run, &task, arms->names[i], plan.steps, plan.rate);
        if (!run_stopped(run)) { /* testing takes long, too */
            char_by_place(&task, nats->n, plan.windows, by_place_row(nats, i));
        }
        char_task_free(&task);
        position_model_free(&model);
    }
    by_place_show(run, nats, "text_by_place", "A text that goes on: loss by place",
                  "nats per character", (plan.L + 7) / 8);
}
