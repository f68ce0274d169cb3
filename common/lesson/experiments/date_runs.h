/* Transformers that learn dates (data/dates.h), each by a plan of its own: what a mask, a schedule
 * or the place of a norm does to what the loss sees, and to what a user sees. */
#ifndef LESSON_DATE_RUNS_H
#define LESSON_DATE_RUNS_H

#include "lesson/experiments/forced_training.h"
#include "lesson/experiments/transformer_translator.h"

typedef struct DateRun {
    const char *label;
    TransformerRecipe recipe;
    TrainingPlan plan; /* steps, B, rate, schedule, optimiser and rng; the rest is filled in */

    TransformerTranslator model; /* these three are made by date_runs_make() */
    Translator translator;
    ForcedTraining training;
} DateRun;

/* 20,000 dates to learn from and 1000 held out (few under --quick). */
Task date_runs_task(Run *run);

/* Makes the model of each run, all from the same random numbers. */
void date_runs_make(Run *run, DateRun *runs, int count, const Task *task);

/* Trains them one after another, with a check every 100 steps (on 300 dates). At each check of the
 * first one some held-out date is shown. */
void date_runs_train(Run *run, DateRun *runs, int count);

/* Their curves, led and alone, as NAME.png and as a table; see forced_training_show(). */
void date_runs_show(Run *run, const DateRun *runs, int count, const char *name, const char *title);

void date_runs_free(DateRun *runs, int count);

#endif
