#include "lesson/experiments/offsets.h"

#include "core/check.h"
#include "lesson/experiments/head_sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = OFFSETS_L * OFFSETS };

OffsetsPlan offsets_plan(int steps, int test, AttendFunction attend, void *context) {
    return (OffsetsPlan){.d_model = 32,
                         .heads = 1,
                         .B = 32,
                         .steps = steps,
                         .test = test,
                         .check_every = steps >= 100 ? fit_check_every(steps, 25) : steps,
                         .rate = 3e-3f,
                         .attend = attend,
                         .context = context};
}

void offsets_draw(Rng *rng, int B, int *ids, int *targets) {
    for (int b = 0; b < B; b++) {
        int *row = ids + b * OFFSETS_L;
        for (int t = 0; t < OFFSETS_L; t++) {
            row[t] = (int)rng_below(rng, OFFSETS_V);
        }
        for (int i = 0; i < CELLS; i++) {
            int t = i / OFFSETS, offset = 1 + i % OFFSETS;
            targets[b * CELLS + i] = t >= OFFSETS ? row[t - offset] : OFFSETS_V;
        }
    }
}

static Tensor *logits_of(const OffsetsTrial *trial, Tape *tape, const int *ids, int B,
                         Tensor **weights) {
    Tensor *y = one_layer_forward(&trial->model, tape, ids, NULL, B, weights);
    return op_reshape(tape, y, SHAPE(B, OFFSETS_L, OFFSETS, OFFSETS_V));
}

static Tensor *offsets_loss(void *model, Tape *tape) {
    OffsetsTrial *trial = model;
    int B = trial->plan.B;
    offsets_draw(&trial->rng, B, trial->batch, trial->targets);
    return op_cross_entropy(tape, logits_of(trial, tape, trial->batch, B, NULL), trial->targets,
                            (CrossEntropy){.ignore = OFFSETS_V});
}

/* Accuracy on the held-out rows from their logits, by question and over all. */
static double accuracy_of(OffsetsTrial *trial, const Tensor *logits) {
    int right[OFFSETS] = {0}, B = trial->plan.test, asked = B * (OFFSETS_L - OFFSETS);
    double mean = 0.0;
    for (int i = 0; i < B * CELLS; i++) {
        int found = tensor_argmax(logits->data + (long)i * OFFSETS_V, OFFSETS_V);
        right[i % OFFSETS] += found == trial->test_targets[i];
    }
    for (int k = 0; k < OFFSETS; k++) {
        trial->each[k] = (double)right[k] / asked;
        mean += trial->each[k] / OFFSETS;
    }
    return mean;
}

static double offsets_check(void *model, Tape *tape) {
    OffsetsTrial *trial = model;
    return accuracy_of(trial, logits_of(trial, tape, trial->test_batch, trial->plan.test, NULL));
}

/* Looks at the weights of the trained model. */
static void study_heads(OffsetsTrial *trial) {
    Tape tape = tape_new();
    tape.recording = false;
    Tensor *weights;
    int B = trial->plan.test, H = trial->plan.heads;
    size_t map = OFFSETS_L * OFFSETS_L;
    Tensor *logits = logits_of(trial, &tape, trial->test_batch, B, &weights);
    trial->accuracy = accuracy_of(trial, logits);
    HeadBatch batch = {.B = B, .H = H, .Lq = OFFSETS_L, .Lk = OFFSETS_L};
    head_measure_all(weights->data, batch, trial->measures);
    trial->alike = heads_alike(weights->data, batch);
    memcpy(trial->map, weights->data, (size_t)H * map * sizeof(float));
    memcpy(trial->ids, trial->test_batch, sizeof trial->ids);
    tape_free(&tape);
}

static OffsetsTrial *trial_new(Run *run, const OffsetsPlan *plan) {
    OffsetsTrial *trial = check_alloc(sizeof *trial);
    *trial = (OffsetsTrial){.plan = *plan, .rng = run_rng(run, "offsets batches")};
    OneLayerPlan layer = {.V = OFFSETS_V,
                          .L = OFFSETS_L,
                          .d_model = plan->d_model,
                          .heads = plan->heads,
                          .outputs = OFFSETS * OFFSETS_V,
                          .attend = plan->attend,
                          .context = plan->context};
    Rng weights = run_rng(run, "offsets weights"), test = run_rng(run, "offsets test");
    trial->model = one_layer_new(&layer, &weights);
    size_t rows = (size_t)plan->B, test_rows = (size_t)plan->test;
    trial->batch = check_alloc(rows * OFFSETS_L * sizeof(int));
    trial->targets = check_alloc(rows * CELLS * sizeof(int));
    trial->test_batch = check_alloc(test_rows * OFFSETS_L * sizeof(int));
    trial->test_targets = check_alloc(test_rows * CELLS * sizeof(int));
    trial->map = check_alloc((size_t)plan->heads * OFFSETS_L * OFFSETS_L * sizeof(float));
    offsets_draw(&test, plan->test, trial->test_batch, trial->test_targets);
    return trial;
}

OffsetsTrial *offsets_train(Run *run, const OffsetsPlan *plan, const char *label) {
    OffsetsTrial *trial = trial_new(run, plan);
    Fit fit = {.label = label,
               .params = &trial->model.params,
               .loss = offsets_loss,
               .model = trial,
               .steps = plan->steps,
               .rate = plan->rate,
               .schedule = fit_warm_cool,
               .clip = 1.0,
               .check_every = plan->check_every,
               .check = offsets_check,
               .metric = "accuracy"};
    trial->curve = fit_train(run, &fit);
    study_heads(trial);
    return trial;
}

void offsets_free(OffsetsTrial *trial) {
    if (trial != NULL) {
        one_layer_free(&trial->model);
        free(trial->batch);
        free(trial->targets);
        free(trial->test_batch);
        free(trial->test_targets);
        free(trial->map);
        free(trial);
    }
}

double offsets_accuracy_at(const OffsetsTrial *trial, int step) {
    double found = NAN;
    for (int i = 0; i < trial->curve.n && trial->curve.step[i] <= step; i++) {
        found = trial->curve.metric[i];
    }
    return found;
}

void offsets_sweep(Run *run, OffsetsPlan plan, const int *heads, int count, OffsetsTrial **trials,
                   const char *name, const char *title) {
    CHECK(count <= OFFSETS_MOST, "offsets_sweep: %d models; the most is %d", count, OFFSETS_MOST);
    char label[OFFSETS_MOST][32];
    const char *labels[OFFSETS_MOST];
    const FitCurve *curves[OFFSETS_MOST];
    int trained = 0;
    for (int i = 0; i < count; i++) {
        trials[i] = NULL;
        if (!run_stopped(run)) {
            plan.heads = heads[i];
            snprintf(label[i], sizeof label[i], heads[i] == 1 ? "%d head" : "%d heads", heads[i]);
            trials[i] = offsets_train(run, &plan, label[i]);
            labels[trained] = label[i];
            curves[trained++] = &trials[i]->curve;
        }
    }
    Plot plot = {
        .name = name, .title = title, .x_label = "step", .y_label = "right answers", .y_max = 1.0};
    fit_plot(run, plot, labels, curves, trained);
}

/* ---- showing ---- */

void offsets_table(Run *run, OffsetsTrial *const *trials, int count, int early) {
    char header[128];
    snprintf(header, sizeof header,
             "heads\td_k\tright, step %d\tin the end\tt - 1\tt - 2\tt - 3\tt - 4\talike", early);
    run_table(run, header);
    for (int i = 0; i < count && trials[i] != NULL; i++) {
        const OffsetsTrial *t = trials[i];
        int H = t->plan.heads;
        char alike[16] = "-", then[16] = "-";
        if (H > 1) {
            snprintf(alike, sizeof alike, "%.2f", t->alike);
        }
        if (t->plan.steps >= early) {
            snprintf(then, sizeof then, "%.3f", offsets_accuracy_at(t, early));
        }
        run_table_row(run, "%d\t%d\t%s\t%.3f\t%.2f\t%.2f\t%.2f\t%.2f\t%s", H, t->plan.d_model / H,
                      then, t->accuracy, t->each[0], t->each[1], t->each[2], t->each[3], alike);
    }
    run_table_end(run);
}

void offsets_sheet(Run *run, const OffsetsTrial *trial, const char *file, const char *title) {
    if (trial == NULL) {
        return;
    }
    int H = trial->plan.heads, L = OFFSETS_L;
    HeadSheet sheet = head_sheet_new(1, H, L, L);
    char letter[OFFSETS_L][2];
    const char *letters[OFFSETS_L];
    for (int t = 0; t < L; t++) {
        letter[t][0] = (char)('a' + trial->ids[t]);
        letter[t][1] = '\0';
        letters[t] = letter[t];
    }
    sheet.row_labels = sheet.col_labels = letters;
    memcpy(sheet.maps, trial->map, (size_t)(H * L * L) * sizeof(float));
    for (int h = 0; h < H; h++) {
        HeadClass kind = head_class_of(&trial->measures[h], NAN);
        head_sheet_title(&sheet, 0, h, head_label(kind, &trial->measures[h]).text);
    }
    head_sheet_show(run, &sheet, 0, 0);
    head_sheet_write(run, file, &sheet, H > 1 ? 2 : 1, title);
    head_sheet_free(&sheet);
}

const OffsetsTrial *offsets_find(OffsetsTrial *const *trials, int count, int heads) {
    for (int i = 0; i < count; i++) {
        if (trials[i] != NULL && trials[i]->plan.heads == heads) {
            return trials[i];
        }
    }
    return NULL;
}

void offsets_claim(Run *run, const char *id, int d_model, OffsetsTrial *const *trials, int count,
                   int heads, int step, const char *op, double bound) {
    const OffsetsTrial *trial = offsets_find(trials, count, heads);
    double right = NAN;
    char text[96], size[16] = "", when[32] = "";
    if (trial != NULL) {
        right = step > 0 ? offsets_accuracy_at(trial, step) : trial->accuracy;
    }
    if (d_model % heads == 0) { /* where it is not, there is no such model */
        snprintf(size, sizeof size, " of %d", d_model / heads);
    }
    if (step > 0) {
        snprintf(when, sizeof when, " after %d steps", step);
    }
    snprintf(text, sizeof text, "%d head%s%s: right%s, %%", heads, heads > 1 ? "s" : "", size,
             when);
    claim_trained(run, id, text, right, op, bound);
}

void offsets_claims(Run *run, int d_model, OffsetsTrial *const *trials, int count, int early) {
    const OffsetsTrial *four = offsets_find(trials, count, 4);
    offsets_claim(run, "one_head", d_model, trials, count, 1, 0, "<", 0.4);
    offsets_claim(run, "two_heads", d_model, trials, count, 2, 0, ">", 0.7);
    offsets_claim(run, "two_not_all", d_model, trials, count, 2, 0, "<", 0.97);
    offsets_claim(run, "four_heads", d_model, trials, count, 4, 0, ">", 0.99);
    offsets_claim(run, "eight_heads", d_model, trials, count, 8, 0, ">", 0.99);
    offsets_claim(run, "sixteen_heads", d_model, trials, count, 16, 0, ">", 0.99);
    offsets_claim(run, "later", d_model, trials, count, 16, early, "<", 0.8);
    offsets_claim(run, "sooner", d_model, trials, count, 4, early, ">", 0.9);
    claim_trained(run, "alike", "4 heads: mean cosine between two maps",
                  four != NULL ? four->alike : NAN, "<", 0.25);
}
