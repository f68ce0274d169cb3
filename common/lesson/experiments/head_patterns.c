#include "lesson/experiments/head_patterns.h"

#include "core/check.h"
#include "lesson/experiments/head_removal.h"
#include "lesson/experiments/head_sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

PatternPlan pattern_plan(int steps, int test, AttendFunction attend, void *context) {
    return (PatternPlan){.d_model = 32,
                         .heads = 4,
                         .B = 32,
                         .steps = steps,
                         .test = test,
                         .rate = 3e-3f,
                         .weight = {1, 1, 2, 2},
                         .attend = attend,
                         .context = context};
}

/* ---- the task ---- */

PatternBatch pattern_batch_new(int B) {
    size_t cells = (size_t)B * PATTERN_L;
    return (PatternBatch){.B = B,
                          .ids = check_alloc(cells * sizeof(int)),
                          .segments = check_alloc(cells * sizeof(int)),
                          .right = check_alloc(cells * PATTERN_ROW * sizeof(float))};
}

void pattern_batch_free(PatternBatch *batch) {
    free(batch->ids);
    free(batch->segments);
    free(batch->right);
}

/* Three different places to cut at, none of them before the first token. */
static void draw_segments(int *segments, Rng *rng) {
    bool cut[PATTERN_L] = {false};
    for (int made = 0; made < PATTERN_SEGMENTS - 1;) {
        int place = 1 + (int)rng_below(rng, PATTERN_L - 1);
        made += !cut[place];
        cut[place] = true;
    }
    int segment = 0;
    for (int t = 0; t < PATTERN_L; t++) {
        segment += cut[t];
        segments[t] = segment;
    }
}

/* The right distributions for position t of one row. */
static void right_answers(float *right, const int *ids, const int *segments, int t) {
    float *a = right, *b = a + PATTERN_V, *c = b + PATTERN_V, *d = c + PATTERN_V;
    int own = 0;
    memset(right, 0, PATTERN_ROW * sizeof(float));
    if (t > 0) {
        a[ids[t - 1]] = 1.0f;
    }
    b[ids[0]] = 1.0f;
    for (int i = 0; i < PATTERN_L; i++) {
        own += segments[i] == segments[t];
    }
    for (int i = 0; i < PATTERN_L; i++) {
        c[ids[i]] += segments[i] == segments[t] ? 1.0f / (float)own : 0.0f;
        d[ids[i]] += 1.0f / PATTERN_L;
    }
}

void pattern_batch_draw(PatternBatch *batch, Rng *rng) {
    for (int b = 0; b < batch->B; b++) {
        int *ids = batch->ids + b * PATTERN_L, *segments = batch->segments + b * PATTERN_L;
        for (int t = 0; t < PATTERN_L; t++) {
            ids[t] = (int)rng_below(rng, PATTERN_V);
        }
        draw_segments(segments, rng);
        for (int t = 0; t < PATTERN_L; t++) {
            right_answers(batch->right + (long)(b * PATTERN_L + t) * PATTERN_ROW, ids, segments, t);
        }
    }
}

/* ---- the loss ---- */

/* log-probabilities (B, L, 4, V) of the model for a batch */
static Tensor *log_answers(const PatternTrial *trial, Tape *tape, const PatternBatch *batch,
                           Tensor **weights) {
    Tensor *y =
        one_layer_forward(&trial->model, tape, batch->ids, batch->segments, batch->B, weights);
    y = op_reshape(tape, y, SHAPE(batch->B, PATTERN_L, PATTERN_TARGETS, PATTERN_V));
    return op_log_softmax(tape, y);
}

/* Mean over the positions of sum_k weight_k sum_v right_v log(right_v / answer_v). The part that
 * does not depend on the model is left out: that is the entropy of the right answers, which
 * study_loss() takes off. */
static Tensor *pattern_loss(void *model, Tape *tape) {
    PatternTrial *trial = model;
    PatternBatch *batch = &trial->batch;
    pattern_batch_draw(batch, &trial->rng);
    Tensor *log_p = log_answers(trial, tape, batch, NULL);
    Tensor *share = tape_constant(tape, "right", batch->right, log_p->ndim, log_p->dim);
    int positions = batch->B * PATTERN_L;
    for (int i = 0; i < positions * PATTERN_ROW; i++) {
        share->data[i] *= -trial->plan.weight[i / PATTERN_V % PATTERN_TARGETS] / (float)positions;
    }
    return op_sum(tape, op_mul(tape, log_p, share));
}

/* The losses of the four targets on the held-out rows, each with the entropy of the right answers
 * taken off, and their weighted sum. */
static double study_loss(PatternTrial *trial, const Tensor *log_p) {
    const PatternBatch *batch = &trial->held_out;
    int positions = batch->B * PATTERN_L;
    double sum[PATTERN_TARGETS] = {0}, loss = 0.0;
    for (int i = 0; i < positions * PATTERN_ROW; i++) {
        double p = (double)batch->right[i];
        if (p > 0.0) {
            sum[i / PATTERN_V % PATTERN_TARGETS] += p * (log(p) - (double)log_p->data[i]);
        }
    }
    for (int k = 0; k < PATTERN_TARGETS; k++) {
        trial->each[k] = sum[k] / positions;
        loss += (double)trial->plan.weight[k] * trial->each[k];
    }
    return loss;
}

static double loss_now(void *model) {
    PatternTrial *trial = model;
    Tape tape = tape_new();
    tape.recording = false;
    double loss = study_loss(trial, log_answers(trial, &tape, &trial->held_out, NULL));
    tape_free(&tape);
    return loss;
}

/* ---- training and studying ---- */

void pattern_study(PatternTrial *trial) {
    Tape tape = tape_new();
    tape.recording = false;
    Tensor *weights;
    const PatternBatch *batch = &trial->held_out;
    int H = trial->plan.heads;
    log_answers(trial, &tape, batch, &weights);
    memcpy(trial->map, weights->data, (size_t)H * PATTERN_L * PATTERN_L * sizeof(float));
    HeadBatch all = {
        .B = batch->B, .H = H, .Lq = PATTERN_L, .Lk = PATTERN_L, .segments = batch->segments};
    head_measure_all(weights->data, all, trial->measures);
    tape_free(&tape);
    double whole = loss_now(trial);
    memset(trial->count, 0, sizeof trial->count);
    for (int h = 0; h < H; h++) {
        trial->rise[h] = head_rise(&trial->model.heads, h, loss_now, trial, whole);
        trial->kind[h] = head_class_of(&trial->measures[h], trial->rise[h]);
        trial->count[trial->kind[h]]++;
    }
    trial->loss = loss_now(trial); /* last, so that `each` is that of the whole model, too */
}

PatternTrial *pattern_train(Run *run, const PatternPlan *plan, const char *label) {
    PatternTrial *trial = check_alloc(sizeof *trial);
    Rng weights = run_rng(run, label), test = run_rng(run, "patterns test");
    OneLayerPlan layer = {.V = PATTERN_V,
                          .L = PATTERN_L,
                          .segments = PATTERN_SEGMENTS,
                          .d_model = plan->d_model,
                          .heads = plan->heads,
                          .outputs = PATTERN_ROW,
                          .attend = plan->attend,
                          .context = plan->context};
    *trial = (PatternTrial){.plan = *plan,
                            .model = one_layer_new(&layer, &weights),
                            .rng = run_rng(run, "patterns batches"),
                            .batch = pattern_batch_new(plan->B),
                            .held_out = pattern_batch_new(plan->test)};
    trial->map = check_alloc((size_t)plan->heads * PATTERN_L * PATTERN_L * sizeof(float));
    pattern_batch_draw(&trial->held_out, &test);
    Fit fit = {.label = label,
               .params = &trial->model.params,
               .loss = pattern_loss,
               .model = trial,
               .steps = plan->steps,
               .rate = plan->rate,
               .schedule = fit_warm_cool,
               .clip = 1.0};
    fit_train(run, &fit);
    pattern_study(trial);
    return trial;
}

void pattern_free(PatternTrial *trial) {
    one_layer_free(&trial->model);
    pattern_batch_free(&trial->batch);
    pattern_batch_free(&trial->held_out);
    free(trial->map);
    free(trial);
}

/* ---- showing ---- */

double pattern_row_error(const PatternTrial *trial, int head) {
    double worst = 0.0;
    for (int q = 0; q < PATTERN_L; q++) {
        const float *row = trial->map + (long)(head * PATTERN_L + q) * PATTERN_L;
        double sum = 0.0;
        for (int k = 0; k < PATTERN_L; k++) {
            sum += (double)row[k];
        }
        worst = fmax(worst, fabs(sum - 1.0));
    }
    return worst;
}

void pattern_rules(Run *run) {
    run_print(run, "    diagonal  largest mean weight at a fixed offset  > 0.6: diagonal\n"
                   "    vertical  largest mean weight of one key         > 0.5: vertical\n"
                   "    block     share inside the own segment           > 0.8, and entropy\n"
                   "                                                     > 0.4: block\n"
                   "    entropy   of a row, over ln(number of keys)      > 0.9: uniform\n"
                   "                                                     else:  mixed\n\n");
}

void pattern_table(Run *run, const PatternTrial *trial) {
    run_table(run, "head\tdiagonal\tvertical\tblock\tentropy\tloss without it\tclass");
    for (int h = 0; h < trial->plan.heads; h++) {
        const HeadMeasures *m = &trial->measures[h];
        run_table_row(run, "%d\t%.2f\t%.2f\t%.2f\t%.2f\t%+.3f\t%s", h, m->diagonal, m->vertical,
                      m->block, m->entropy, trial->rise[h], head_label(trial->kind[h], m).text);
    }
    run_table_end(run);
}

void pattern_sheet(Run *run, const PatternTrial *trial, const char *file, const char *title) {
    int H = trial->plan.heads;
    static const char segment_marks[PATTERN_SEGMENTS][8] = {"1", "2", "3", "4"};
    char text[PATTERN_L][8];
    const char *labels[PATTERN_L];
    for (int t = 0; t < PATTERN_L; t++) { /* "c2": token c in segment 2 */
        text[t][0] = (char)('a' + trial->held_out.ids[t]);
        strcpy(text[t] + 1, segment_marks[trial->held_out.segments[t]]);
        labels[t] = text[t];
    }
    HeadSheet sheet = head_sheet_new(1, H, PATTERN_L, PATTERN_L);
    sheet.row_labels = sheet.col_labels = labels;
    sheet.row_axis = "query (token and its segment)";
    memcpy(sheet.maps, trial->map, (size_t)H * PATTERN_L * PATTERN_L * sizeof(float));
    for (int h = 0; h < H; h++) {
        head_sheet_title(&sheet, 0, h, head_label(trial->kind[h], &trial->measures[h]).text);
    }
    head_sheet_write(run, file, &sheet, H > 1 ? 2 : 1, title);
    head_sheet_free(&sheet);
}

void pattern_claims(Run *run, const PatternTrial *trial) {
    const int *count = trial->count;
    double least = INFINITY;
    for (int h = 0; h < trial->plan.heads; h++) {
        least = fmin(least, trial->rise[h]);
    }
    claim_trained(run, "diagonal", "diagonal heads", count[HEAD_DIAGONAL], "==", 1);
    claim_trained(run, "vertical", "vertical heads, at least", count[HEAD_VERTICAL], ">=", 1);
    claim_trained(run, "vertical_most", "vertical heads, at most", count[HEAD_VERTICAL], "<=", 2);
    claim_trained(run, "block", "block heads, at least", count[HEAD_BLOCK], ">=", 1);
    claim_trained(run, "block_most", "block heads, at most", count[HEAD_BLOCK], "<=", 2);
    claim_trained(run, "alive", "least the loss rises when a head is removed", least, ">", 0.1);
}
