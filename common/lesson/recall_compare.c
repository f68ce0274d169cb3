/* The comparison of recall.h: all readers across all gaps, and what is claimed about it. */
#include "core/check.h"
#include "data/recall.h"
#include "lesson/recall.h"

#include <math.h>
#include <stdlib.h>

static Spread trials(Run *run, RecallPlan plan, const RecallArm *arm) {
    double accuracy[RECALL_MAX_REPEATS];
    plan.kind = arm->kind;
    plan.bias = arm->bias;
    plan.attention = arm->attention;
    for (int i = 0; i < plan.repeats; i++) {
        char name[96];
        snprintf(name, sizeof name, "recall %s %d %d", arm->id, plan.gap, i);
        accuracy[i] = recall_trial(run, &plan, name).accuracy;
    }
    return spread_of(accuracy, plan.repeats);
}

static void print_table(Run *run, const RecallArm *arms, int arm_count, const int *gaps,
                        int gap_count, const Spread *accuracy) {
    char line[32 * (RECALL_MAX_GAPS + 1)];
    int length = snprintf(line, sizeof line, "gap");
    for (int g = 0; g < gap_count; g++) {
        length += snprintf(line + length, sizeof line - (size_t)length, "\t%d", gaps[g]);
    }
    run_table(run, line);
    for (int a = 0; a < arm_count; a++) {
        length = snprintf(line, sizeof line, "%s", arms[a].label);
        for (int g = 0; g < gap_count; g++) {
            double median = accuracy[a * gap_count + g].median;
            length += snprintf(line + length, sizeof line - (size_t)length,
                               isnan(median) ? "\t-" : "\t%.2f", median);
        }
        run_table_row(run, "%s", line);
    }
    run_table_end(run);
}

static void draw(Run *run, const RecallArm *arms, int arm_count, const int *gaps, int gap_count,
                 const Spread *accuracy) {
    size_t count = (size_t)(arm_count * gap_count);
    double *median = check_alloc(4 * count * sizeof *median);
    double *min = median + count, *max = min + count, *x = max + count;
    PlotSeries *series = check_alloc((size_t)arm_count * sizeof *series);
    for (int i = 0; i < arm_count * gap_count; i++) {
        median[i] = accuracy[i].median;
        min[i] = accuracy[i].min;
        max[i] = accuracy[i].max;
        x[i] = gaps[i % gap_count];
    }
    for (int a = 0; a < arm_count; a++) {
        int at = a * gap_count;
        series[a] = (PlotSeries){arms[a].label, x + at,    median + at,      min + at,
                                 max + at,      gap_count, PLOT_LINES_POINTS};
    }
    const PlotLine chance = {.label = "guessing", .at = 1.0 / RECALL_SYMBOLS};
    run_plot(run, &(Plot){.name = "recall",
                          .title = "Who can still name the first symbol?",
                          .x_label = "distractors between the symbol and the question",
                          .y_label = "share of right answers (median and range)",
                          .x_log = true,
                          .y_min = 0.0,
                          .y_max = 1.05,
                          .series = series,
                          .count = arm_count,
                          .lines = &chance,
                          .line_count = 1});
    free(median);
    free(series);
}

void recall_compare(Run *run, const RecallPlan *plan, const RecallArm *arms, int arm_count,
                    const int *gaps, const int *steps, int gap_count, Spread *accuracy) {
    CHECK(plan->repeats >= 1 && plan->repeats <= RECALL_MAX_REPEATS && gap_count <= RECALL_MAX_GAPS,
          "recall_compare: %d repeats, %d gaps", plan->repeats, gap_count);
    Progress progress = run_progress(run, "readers", arm_count * gap_count);
    for (int i = 0; i < arm_count * gap_count; i++) {
        int g = i % gap_count;
        const RecallArm *arm = &arms[i / gap_count];
        RecallPlan this = *plan;
        this.gap = gaps[g];
        this.steps = steps[g];
        bool tried = !run_stopped(run) && (g < gap_count - 1 || arm->longest);
        accuracy[i] = tried ? trials(run, this, arm) : (Spread){NAN, NAN, NAN};
        progress_update(&progress, i + 1, NAN, "accuracy", accuracy[i].median);
    }
    progress_end(&progress);
    print_table(run, arms, arm_count, gaps, gap_count, accuracy);
    draw(run, arms, arm_count, gaps, gap_count, accuracy);
}

void recall_claims(Run *run, const RecallArm *arms, const int *gaps, int gap_count,
                   const Spread *accuracy, const RecallClaim *claims, int count) {
    for (const RecallClaim *c = claims; c < claims + count; c++) {
        char id[64], text[128];
        const RecallArm *arm = &arms[c->arm];
        snprintf(id, sizeof id, "%s_%s", arm->id, c->gap == gap_count - 1 ? "far" : "near");
        snprintf(text, sizeof text, "%s, gap %d: right answers", arm->label, gaps[c->gap]);
        double median = accuracy[c->arm * gap_count + c->gap].median;
        claim_trained(run, id, text, median, c->op, c->bound);
    }
}
