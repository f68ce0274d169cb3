/* A contest: several translators trained side by side on one task, each on the same batches, and
 * compared.
 *
 *     Contest contest = contest_new(task_dates(20000, 500, rng));
 *     contest_add(&contest, "one vector", model_translator(&a));
 *     contest_add(&contest, "attention", model_translator(&b));
 *     contest_train(run, &contest, plan);
 *     contest_plot(run, &contest, "dates_learning", "Dates: learning curves");
 *     claim_trained(run, "attention", "...", contest.by[1].exact, ">=", 0.95);
 *     contest_free(&contest);
 */
#ifndef LESSON_CONTEST_H
#define LESSON_CONTEST_H

#include "lesson/experiments/tasks.h"
#include "lesson/experiments/translation.h"

enum { CONTENDERS = 8, CONTEST_GROUPS = 32 };

typedef struct Contender {
    const char *label;
    Translator translator;
    Trial trial;
    double exact; /* exact match on all held-out pairs, 0 .. 1 */
} Contender;

typedef struct Contest {
    Task task;
    Contender by[CONTENDERS];
    int count;
} Contest;

/* A contest without contenders; the task is its own from now on. */
Contest contest_new(Task task);

/* One more; its parameters (translator.params) are the contest's own from now on. */
void contest_add(Contest *contest, const char *label, Translator translator);

/* Frees trials, parameters and the task. */
void contest_free(Contest *contest);

/* One training after the other by the same plan, of which steps, B, rate and rng are enough: label,
 * held_out and checks (twenty, on a hundred pairs) are filled in here, and so are gradients clipped
 * at 1 and, unless the plan has a schedule of its own, a rate that goes down to zero over the last
 * tenth of the steps: at a constant one a model gets a little better and worse from step to step.
 * Then all held-out pairs are translated. */
void contest_train(Run *run, Contest *contest, TrainingPlan plan);

/* The learning curves: held-out exact match against steps, NAME.png. */
void contest_plot(Run *run, const Contest *contest, const char *name, const char *title);

/* A table: exact match, the first check at which it had reached 95 %, and a measure of the lesson's
 * own, one value for each, NaN where there is none. */
void contest_table(Run *run, const Contest *contest, const char *measure, const double *values);

/* Exact match by the length of the source, in groups: group k begins at bounds[k] and ends before
 * bounds[k + 1], the last is open. A table, and NAME.png with a point for each group, and a line at
 * `longest`, the longest length trained on (0: no line). */
void contest_by_length(Run *run, const Contest *contest, const int *bounds, int groups, int longest,
                       const char *name, const char *title);

/* Exact match of one of them at that length, 0 .. 1. */
double contest_exact_at(const Contender *contender, int length);

/* Where each of them looks (those that look at all) while it is led through some held-out pairs:
 * one row of the picture `file` for each chosen pair, with the gold alignment where the task has
 * one. The first map is drawn in the terminal, too. At most SHEET_MAPS maps in all. */
void contest_sheet(Run *run, const Contest *contest, const int *chosen, int chosen_count,
                   const char *file, const char *title);

/* The same pairs in words: source, right answer, and what each contender makes of it. */
void contest_sentences(Run *run, const Contest *contest, const int *chosen, int chosen_count);

/* The first held-out pair of the task, and, side by side, what a decoder is given for it in
 * training and what it must answer: the same tokens, one step apart. */
void contest_show_example(Run *run, const Task *task);

#endif
