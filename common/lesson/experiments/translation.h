/* Translators: training and judging any model that turns one sequence into another.
 *
 * Lessons 02, 03 and 07 bring different models but ask them the same questions: how well does it
 * translate what it has never seen, by length, and where does it look meanwhile? A lesson fills in
 * a Translator; what follows is the same for all.
 *
 *     Translator translator = {.model = &m, .params = &m.params, .V = V, .loss = model_loss,
 *                              .begin = model_begin, .step = model_step};
 *     FitCurve curve = translator_train(run, &translator, train, &plan);
 *     Translations done = translator_translate(run, &translator, held_out,
 *                                              (TranslateOptions){.B = 100});
 *     double exact = tally_share(translations_exact(&done, 0, 0));
 *     translations_free(&done);
 */
#ifndef LESSON_TRANSLATION_H
#define LESSON_TRANSLATION_H

#include "core/params.h"
#include "core/tape.h"
#include "data/batch.h"
#include "data/dates.h"
#include "data/metrics.h"
#include "data/pairs.h"
#include "data/phrases.h"
#include "lesson/fit.h"
#include "lesson/run.h"

/* What one step of a decoder says about the next token. */
typedef struct DecoderOutput {
    Tensor *scores;  /* (B, V): logits */
    Tensor *weights; /* (B, S): where it looked; NULL for a model without attention */
} DecoderOutput;

/* A model as training and evaluation see it. Whatever it must remember between begin() and the last
 * step() it keeps in `model`. The tape records in training and does not in evaluation: dropout
 * should look at tape->recording. */
typedef struct Translator {
    void *model;
    Params *params;
    int V;           /* entries of the target vocabulary */
    bool source_end; /* sources carry an end token */

    /* Mean cross-entropy (1) of the batch in nats per target token, the decoder being given the
     * right previous token at every step. */
    Tensor *(*loss)(void *model, Tape *tape, const Batch *batch);

    /* Reads the sources of a batch and gets ready for its first target token. */
    void (*begin)(void *model, Tape *tape, const Batch *batch);

    /* One step of all sequences: their tokens of the step before (B) -> scores of the next. */
    DecoderOutput (*step)(void *model, Tape *tape, const int *previous);

    /* For beam search, between two steps: row r of the batch goes on from what was row parent[r],
     * which has the same source. May be NULL: then there are no beams. */
    void (*reorder)(void *model, const int *parent);
} Translator;

/* ---- training ---- */

/* How a training went is a FitCurve, whose metric is exact match on the plan's held-out pairs. */

/* How to train. What may stay zero says so. */
typedef struct TrainingPlan {
    const char *label;                         /* of the progress line */
    int steps;                                 /* updates */
    int B;                                     /* pairs in a batch */
    int pool;                                  /* bucketing, see data/batch.h; 0: none */
    float rate;                                /* of Adam, constant unless there is a schedule */
    double (*schedule)(long step, long total); /* factor of the rate; NULL: 1 */
    float beta2, eps;                          /* of Adam; 0: .999 and 1e-8 */
    double clip;                               /* joint norm of the gradients; 0: no clipping */
    Rng rng;                                   /* draws the batches */
    int check_every; /* steps between two checks (at most FIT_POINTS of them); 0: none */
    const Vocab *source, *target; /* kept by --save; NULL: not */
    const Corpus *held_out;       /* translated at each check; NULL: only the loss is noted */
    int check_pairs;              /* its first so many pairs; 0: all */

    /* Called after each check, e.g. to show samples; may be NULL. */
    void (*watch)(Run *run, void *context, int step);
    void *context;
} TrainingPlan;

/* Trains with Adam from the weights that are there. Ends early when the run is stopped. */
FitCurve translator_train(Run *run, const Translator *translator, const Corpus *train,
                          const TrainingPlan *plan);

/* Held-out exact match against steps, one line for each of `count` trainings (at most 8), as
 * NAME.png; see run_plot(). */
bool curves_plot(Run *run, const char *name, const char *title, const char *const *labels,
                 const FitCurve *const *curves, int count);

/* ---- translating ---- */

typedef struct TranslateOptions {
    int B;            /* sentences at a time */
    const int *pairs; /* which pairs of the corpus, or NULL: the first `count` */
    int count;        /* how many; 0 without `pairs`: all */
    int max_steps;    /* longest output; 0: the corpus's longest target and 4 more */
    int beams;       /* of beam search; 0 or 1: greedy. begin() then sees each source so many times,
                        one behind the other: B * beams rows */
    float normalise; /* of beam search, see nn/beam.h */
    bool forced; /* the decoder is given the right tokens: the rows of the weights are then those of
                    the reference, which is what a gold alignment can be compared with */
} TranslateOptions;

/* One sentence. */
typedef struct Translation {
    int pair;              /* of the corpus */
    Ids source, reference; /* the corpus's own */
    Ids output;            /* what it said, without the end token; the reference when forced */
    const float *weights;  /* (rows, columns), or NULL for a model without attention */
    int rows;              /* tokens of the output, and one more for its end token if it came */
    int columns;           /* tokens of the source, and its end token where there is one */
} Translation;

typedef struct Translations {
    int count;
    Translation *item; /* (count) */
    Arena arena;       /* holds outputs and weights */
} Translations;

/* Translations of (a part of) a corpus, which must outlive them: greedy unless the options say
 * otherwise. When the run is stopped, fewer than asked for. */
Translations translator_translate(const Run *run, const Translator *translator,
                                  const Corpus *corpus, TranslateOptions options);
void translations_free(Translations *list);

/* A training and what came of it, on the pairs held out. */
typedef struct Trial {
    FitCurve curve;
    Translations done;   /* greedy */
    Translations forced; /* led through the right answers: what alignments are read from */
} Trial;

/* Trains by the plan, then translates all of the plan's held_out pairs both ways. */
Trial translator_trial(Run *run, const Translator *translator, const Corpus *train,
                       const TrainingPlan *plan);
void trial_free(Trial *trial);

/* ---- judging ---- */

/* Exact match of those whose source has shortest .. longest tokens; longest 0: all. */
Tally translations_exact(const Translations *list, int shortest, int longest);

/* Alignment error rate of forced translations of the first pairs of `PhraseData.held_out` against
 * their gold alignments. The row read for word t is t + shift: 0 is right; 1 is the off-by-one
 * mistake that this test is there to find. */
Aer translations_alignment_error(const Translations *forced, const Phrase *phrases, int shift);

/* The same as a number, 0 (perfect) .. 1. */
double translations_alignment_rate(const Translations *forced, const Phrase *phrases, int shift);

/* How many of those links are right, for the target words that are among `words` (with blanks
 * between them), or, with `others`, for all that are not. */
Tally translations_links_right(const Translations *forced, const Phrase *phrases, const char *words,
                               bool others);

/* Does the month look at the month? Of the two digits of the month in each target, how many
 * look most into the month of the source; forced translations of the first pairs of the corpus that
 * `dates` (dates_corpus) belongs to. */
Tally translations_month_right(const Translations *forced, const Date *dates);

/* Exact match and BLEU where a source has several right answers (see PairData.reference): for
 * translations of the first pair of each held-out source, as pair_sources() lists them. */
typedef struct PairScores {
    Tally exact;
    Bleu bleu;
} PairScores;
PairScores translations_score(const Translations *list, const PairData *data);

/* Writes the first pair of each of the first `limit` held-out sources to `pairs`; returns how many
 * there are. */
int pair_sources(const PairData *data, int limit, int *pairs);

#endif
