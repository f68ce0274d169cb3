/* A Transformer that learns phrases (data/phrases.h), with samples while it learns, beams early and
 * at the end, and a sentence for its pictures. */
#ifndef LESSON_PHRASE_RUN_H
#define LESSON_PHRASE_RUN_H

#include "lesson/experiments/beams.h"
#include "lesson/experiments/tasks.h"
#include "lesson/experiments/transformer_translator.h"

enum { PHRASES_EARLY, PHRASES_END }; /* moments of the comparison of beams */

typedef struct PhraseRun {
    Task task; /* empty until it has run */
    TransformerTranslator model;
    Translator translator;
    FitCurve curve; /* metric: exact match on 100 held-out phrases, at 24 checks */
    BeamComparison beams;
    int early;  /* step of the first comparison: the fourth check */
    int chosen; /* a held-out phrase that is put into another order in French */
    bool said_right;
} PhraseRun;

/* Makes it by the recipe and trains it by the plan (steps, B, rate, schedule, optimiser, rng; the
 * rest is filled in) on 20,000 phrases; 500 are held out. Few under --quick. The chosen phrase is
 * shown as it is translated, until it is right for the first time. */
void phrase_run_train(Run *run, PhraseRun *p, TransformerRecipe recipe, TrainingPlan plan);

/* The table of beams. */
void phrase_run_beams(Run *run, const PhraseRun *p);

/* Nothing where nothing has run. */
void phrase_run_free(PhraseRun *p);

#endif
