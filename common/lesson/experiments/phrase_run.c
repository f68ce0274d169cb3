#include "lesson/experiments/phrase_run.h"

#include "lesson/experiments/alignment_sheet.h"
#include "lesson/experiments/contest.h"
#include "lesson/experiments/forced_training.h"
#include "lesson/weights.h"

#include <stdio.h>

enum { CHECKS = 24, CHECK_PAIRS = 100, BEAM_PAIRS = 300, EARLY_CHECK = 4, MORE = 8 };

static void watch(Run *run, void *context, int step) {
    PhraseRun *p = context;
    if (!p->said_right) {
        p->said_right = translation_sample(run, &p->translator, &p->task, p->chosen, step);
    }
    if (step == p->early) {
        beams_compare(run, &p->beams, PHRASES_EARLY);
    }
}

void phrase_run_train(Run *run, PhraseRun *p, TransformerRecipe recipe, TrainingPlan plan) {
    *p = (PhraseRun){
        .task = task_phrases(run_size(run, 20000, 500), run_size(run, 500, 30), run->flags.seed)};
    const Task *task = &p->task;
    p->translator =
        transformer_translator_new(&p->model, recipe, task->source->size, task->target->size,
                                   task->held_out->longest_target + MORE, run_rng(run, "weights"));
    p->beams =
        (BeamComparison){&p->translator, task->held_out, .pairs = BEAM_PAIRS, .normalise = 0.6f};
    sheet_choose_phrases(task->phrases, task->held_out->count, 1, &p->chosen);
    contest_show_example(run, task);
    plan.label = "phrases";
    plan.source = task->source;
    plan.target = task->target;
    plan.held_out = task->held_out;
    plan.check_every = (plan.steps + CHECKS - 1) / CHECKS;
    plan.check_pairs = CHECK_PAIRS;
    plan.watch = watch;
    plan.context = p;
    p->early = EARLY_CHECK * plan.check_every;
    p->curve = translator_train(run, &p->translator, task->train, &plan);
    training_numbers(run, plan.label, "early.exact", p->beams.exact[PHRASES_EARLY], BEAM_SIZES,
                     BEAM_SIZES);
    training_numbers(run, plan.label, "early.bleu", p->beams.bleu[PHRASES_EARLY], BEAM_SIZES,
                     BEAM_SIZES);
    beams_compare(run, &p->beams, PHRASES_END);
}

void phrase_run_beams(Run *run, const PhraseRun *p) {
    char early[32];
    snprintf(early, sizeof early, "after %d steps", p->early);
    beams_show(run, &p->beams, (const char *const[]){early, "at the end"});
}

void phrase_run_free(PhraseRun *p) {
    if (p->task.train != NULL) {
        params_free(&p->model.params);
        task_free(&p->task);
    }
}
