#include "lesson/experiments/contest.h"

#include "core/check.h"
#include "core/optim.h"
#include "lesson/experiments/alignment_sheet.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKS = 20, AT_A_CHECK = 100 };

Contest contest_new(Task task) {
    return (Contest){.task = task};
}

void contest_add(Contest *contest, const char *label, Translator translator) {
    CHECK(contest->count < CONTENDERS, "contest_add: more than %d contenders", CONTENDERS);
    contest->by[contest->count++] = (Contender){.label = label, .translator = translator};
}

void contest_free(Contest *contest) {
    for (int i = 0; i < contest->count; i++) {
        trial_free(&contest->by[i].trial);
        params_free(contest->by[i].translator.params);
    }
    task_free(&contest->task);
    contest->count = 0;
}

static double cool_down(long step, long total) {
    return schedule_cooldown(step, total, 0.1);
}

void contest_train(Run *run, Contest *contest, TrainingPlan plan) {
    plan.schedule = plan.schedule != NULL ? plan.schedule : cool_down;
    plan.clip = 1.0f;
    plan.source = contest->task.source;
    plan.target = contest->task.target;
    plan.held_out = contest->task.held_out;
    plan.check_every = (plan.steps + CHECKS - 1) / CHECKS;
    plan.check_pairs = AT_A_CHECK;
    for (int i = 0; i < contest->count; i++) {
        Contender *one = &contest->by[i];
        plan.label = one->label;
        one->trial = translator_trial(run, &one->translator, contest->task.train, &plan);
        one->exact = tally_share(translations_exact(&one->trial.done, 0, 0));
    }
}

void contest_plot(Run *run, const Contest *contest, const char *name, const char *title) {
    const FitCurve *curves[CONTENDERS];
    const char *labels[CONTENDERS];
    for (int i = 0; i < contest->count; i++) {
        curves[i] = &contest->by[i].trial.curve;
        labels[i] = contest->by[i].label;
    }
    curves_plot(run, name, title, labels, curves, contest->count);
}

void contest_table(Run *run, const Contest *contest, const char *measure, const double *values) {
    char reached[32], value[32], header[128];
    snprintf(header, sizeof header, "model\texact match\t95 %% at step\t%s", measure);
    run_table(run, header);
    for (int i = 0; i < contest->count; i++) {
        const Contender *one = &contest->by[i];
        double step = fit_step_reaching(&one->trial.curve, 0.95);
        snprintf(reached, sizeof reached, isnan(step) ? "-" : "%.0f", step);
        snprintf(value, sizeof value, isnan(values[i]) ? "-" : "%.3f", values[i]);
        run_table_row(run, "%s\t%.1f %%\t%s\t%s", one->label, 100.0 * one->exact, reached, value);
    }
    run_table_end(run);
}

/* ---- by length ---- */

/* Sources of one group: the shortest and the longest there is, and their mean length. */
typedef struct Group {
    int shortest, longest, count;
    double mean;
} Group;

static Group find_group(const Translations *list, int from, int before) {
    Group group = {0};
    for (int i = 0; i < list->count; i++) {
        int length = list->item[i].source.length;
        if (length >= from && length < before) {
            group.shortest = group.count == 0 || length < group.shortest ? length : group.shortest;
            group.longest = length > group.longest ? length : group.longest;
            group.mean += length;
            group.count++;
        }
    }
    group.mean /= group.count > 0 ? group.count : 1;
    return group;
}

/* One row of the table and one point of each curve. */
static void add_group(Run *run, const Contest *contest, Group group, double *x,
                      double exact[][CONTEST_GROUPS], int point) {
    char row[512];
    snprintf(row, sizeof row, group.shortest < group.longest ? "%d-%d" : "%d", group.shortest,
             group.longest);
    x[point] = group.mean;
    for (int i = 0; i < contest->count; i++) {
        size_t used = strlen(row);
        exact[i][point] = tally_share(
            translations_exact(&contest->by[i].trial.done, group.shortest, group.longest));
        snprintf(row + used, sizeof row - used, "\t%.1f %%", 100.0 * exact[i][point]);
    }
    run_table_row(run, "%s", row);
}

/* The table; returns how many groups were not empty. */
static int table_by_length(Run *run, const Contest *contest, const int *bounds, int groups,
                           double *x, double exact[][CONTEST_GROUPS]) {
    char header[512] = "length";
    int points = 0;
    for (int i = 0; i < contest->count; i++) {
        size_t used = strlen(header);
        snprintf(header + used, sizeof header - used, "\t%s", contest->by[i].label);
    }
    run_table(run, header);
    for (int k = 0; k < groups && contest->count > 0; k++) {
        int before = k + 1 < groups ? bounds[k + 1] : INT_MAX;
        Group group = find_group(&contest->by[0].trial.done, bounds[k], before);
        if (group.count > 0) {
            add_group(run, contest, group, x, exact, points++);
        }
    }
    run_table_end(run);
    return points;
}

void contest_by_length(Run *run, const Contest *contest, const int *bounds, int groups, int longest,
                       const char *name, const char *title) {
    double x[CONTEST_GROUPS], exact[CONTENDERS][CONTEST_GROUPS];
    PlotSeries series[CONTENDERS];
    CHECK(groups <= CONTEST_GROUPS, "contest_by_length: %d groups, at most %d", groups,
          CONTEST_GROUPS);
    int points = table_by_length(run, contest, bounds, groups, x, exact);
    for (int i = 0; i < contest->count; i++) {
        series[i] = (PlotSeries){.label = contest->by[i].label,
                                 .x = x,
                                 .y = exact[i],
                                 .n = points,
                                 .style = PLOT_LINES_POINTS};
    }
    PlotLine line = {"longest in training", longest, true};
    Plot plot = {.name = name,
                 .title = title,
                 .x_label = "length of the source",
                 .y_label = "exact match, held out",
                 .y_max = 1.0,
                 .series = series,
                 .count = contest->count,
                 .lines = &line,
                 .line_count = longest > 0};
    run_plot(run, &plot);
}

double contest_exact_at(const Contender *contender, int length) {
    return tally_share(translations_exact(&contender->trial.done, length, length));
}

/* ---- where they look ---- */

/* The letters that are written backwards are words to their vocabulary, but to nobody else. */
static void say_symbols(AlignmentSheet *sheet) {
    for (int i = 0; i < sheet->count; i++) {
        sheet->map[i].row_axis = "query: symbol being written";
        sheet->map[i].col_axis = "key: symbol looked at";
    }
}

void contest_sheet(Run *run, const Contest *contest, const int *chosen, int chosen_count,
                   const char *file, const char *title) {
    const Task *task = &contest->task;
    AlignmentSheet sheet = sheet_new(task->source, task->target);
    for (int k = 0; k < chosen_count; k++) {
        for (int i = 0; i < contest->count; i++) {
            const Translations *forced = &contest->by[i].trial.forced;
            if (chosen[k] < forced->count) {
                const Phrase *gold = task->phrases != NULL ? &task->phrases[chosen[k]] : NULL;
                sheet_add(&sheet, contest->by[i].label, &forced->item[chosen[k]], gold);
            }
        }
    }
    if (task->phrases == NULL && task->dates == NULL) {
        say_symbols(&sheet);
    }
    sheet_show(run, &sheet, 0);
    sheet_write(run, &sheet, file, chosen_count > 0 ? sheet.count / chosen_count : 1, title);
    sheet_free(&sheet);
}

/* Who says what. Wrapped like prose: a sentence may be wider than the terminal. */
static void say_sentence(Run *run, const char *label, const Vocab *vocab, Ids ids) {
    char *text = vocab_decode(vocab, ids.id, ids.length);
    run_say(run, "  %s: %s", label, text);
    free(text);
}

void contest_sentences(Run *run, const Contest *contest, const int *chosen, int chosen_count) {
    const Task *task = &contest->task;
    for (int k = 0; k < chosen_count; k++) {
        say_sentence(run, "source", task->source, corpus_source(task->held_out, chosen[k]));
        say_sentence(run, "right answer", task->target, corpus_target(task->held_out, chosen[k]));
        for (int i = 0; i < contest->count; i++) {
            const Translations *done = &contest->by[i].trial.done;
            if (chosen[k] < done->count) {
                Ids output = done->item[chosen[k]].output;
                say_sentence(run, contest->by[i].label, task->target, output);
            }
        }
        run_gap(run);
    }
}

void contest_show_example(Run *run, const Task *task) {
    Ids source = corpus_source(task->held_out, 0);
    Batcher *batcher = batcher_new(task->held_out, (BatchOptions){.B = 1}, rng_seeded(0, 0));
    char *text = vocab_decode(task->source, source.id, source.length);
    char *steps = batch_side_by_side(batcher_range(batcher, 0, 1), 0, task->target);
    run_say(run, "For \"%s\" the decoder is given, and must answer:", text);
    run_print(run, "%s\n", steps);
    free(text);
    free(steps);
    batcher_free(batcher);
}
