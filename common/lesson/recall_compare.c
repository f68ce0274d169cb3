/* The comparison of recall.h: all readers across all gaps, and what is claimed about it. */
#include "core/check.h"
#include "data/recall.h"
#include "lesson/recall.h"

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

enum { LOOKS = 8 }; /* the colours of a plot begin again after so many series */

/* Lines through the medians, and marks for the least and the best training. Line and marks of an
 * arm stand LOOKS places apart: in one colour. */
static void draw(Run *run, const RecallArm *arms, int arm_count, const int *gaps, int gap_count,
                 const Spread *accuracy) {
    double median[LOOKS][RECALL_MAX_GAPS], ends[LOOKS][2 * RECALL_MAX_GAPS];
    double x[2 * RECALL_MAX_GAPS];
    PlotSeries series[2 * LOOKS] = {{0}};
    for (int a = 0; a < arm_count; a++) {
        for (int g = 0; g < gap_count; g++) {
            Spread s = accuracy[a * gap_count + g];
            x[g] = x[gap_count + g] = gaps[g];
            median[a][g] = s.median;
            ends[a][g] = s.min;
            ends[a][gap_count + g] = s.max;
        }
        series[a] = (PlotSeries){.label = arms[a].label, .x = x, .y = median[a], .n = gap_count};
        series[LOOKS + a] =
            (PlotSeries){.x = x, .y = ends[a], .n = 2 * gap_count, .style = PLOT_POINTS};
    }
    const PlotLine chance = {.label = "guessing", .at = 1.0 / RECALL_SYMBOLS};
    run_plot(run, &(Plot){.name = "recall",
                          .title = "Who can still name the first symbol?",
                          .x_label = "distractors between the symbol and the question",
                          .y_label = "right answers (line: median, marks: range)",
                          .x_log = true,
                          .y_min = 0.0,
                          .y_max = 1.05,
                          .series = series,
                          .count = COUNT_OF(series),
                          .lines = &chance,
                          .line_count = 1});
}

void recall_compare(Run *run, const RecallPlan *plan, const RecallArm *arms, int arm_count,
                    const int *gaps, const int *steps, int gap_count, Spread *accuracy) {
    CHECK(arm_count <= LOOKS, "recall_compare: %d arms, more than %d", arm_count, LOOKS);
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
