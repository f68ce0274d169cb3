/* The comparison of recall.h: all readers across all gaps, and what is claimed about it. */
#include "core/check.h"
#include "data/recall.h"
#include "lesson/experiments/recall.h"

#include <math.h>

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

enum { ARMS = 8 }; /* a plot has so many colours */

/* Lines through the medians, from the least to the best training at each. The arms stand beside one
 * another: at a short gap all of them are right. */
static void draw(Run *run, const RecallArm *arms, int arm_count, const int *gaps, int gap_count,
                 const Spread *accuracy) {
    double x[RECALL_MAX_GAPS], y[3][ARMS][RECALL_MAX_GAPS]; /* median, least, best */
    PlotSeries series[ARMS];
    for (int a = 0; a < arm_count; a++) {
        for (int g = 0; g < gap_count; g++) {
            Spread s = accuracy[a * gap_count + g];
            x[g] = gaps[g];
            y[0][a][g] = s.median;
            y[1][a][g] = s.min;
            y[2][a][g] = s.max;
        }
        series[a] = (PlotSeries){.label = arms[a].label,
                                 .x = x,
                                 .y = y[0][a],
                                 .low = y[1][a],
                                 .high = y[2][a],
                                 .n = gap_count,
                                 .style = PLOT_LINES_POINTS};
    }
    const PlotLine chance = {.label = "guessing", .at = 1.0 / RECALL_SYMBOLS};
    run_plot(run, &(Plot){.name = "recall",
                          .title = "Who can still name the first symbol?",
                          .x_label = "distractors between the symbol and the question",
                          .y_label = "right answers (median and range)",
                          .x_log = true,
                          .y_min = 0.0,
                          .y_max = 1.05,
                          .series = series,
                          .count = arm_count,
                          .lines = &chance,
                          .line_count = 1,
                          .beside = true});
}

void recall_compare(Run *run, const RecallPlan *plan, const RecallArm *arms, int arm_count,
                    const int *gaps, const int *steps, int gap_count, Spread *accuracy) {
    CHECK(arm_count <= ARMS, "recall_compare: %d arms, more than %d", arm_count, ARMS);
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
