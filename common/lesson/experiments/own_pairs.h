/* The user's own sentence pairs: what every lesson about translation does with `--data FILE`.
 *
 * A lesson has an OwnPairs among its variables and OWN_PAIRS_OPTIONS among its options; its
 * validate() calls own_pairs_load(), so that a bad file is refused before anything is printed. Its
 * step then introduces the data, makes a model for the two vocabularies, trains it with
 * own_pairs_train() and lets own_pairs_judge() say how good it is. */
#ifndef LESSON_OWN_PAIRS_H
#define LESSON_OWN_PAIRS_H

#include "data/pairs.h"
#include "lesson/experiments/translation.h"

typedef struct OwnPairs {
    const char *file;     /* NULL: none was given */
    const char *sentence; /* to be translated, or NULL */
    int max_words, max_pairs, max_vocab, min_count;
    float held_out;

    bool loaded;
    PairsReport report;
    PairData data;
} OwnPairs;

/* The defaults of data/pairs.h, but with every word of the training part in the vocabulary. */
OwnPairs own_pairs_new(void);
void own_pairs_free(OwnPairs *own);

#define OWN_PAIRS_OPTIONS(own)                                                                     \
    OPTION_FILE("data", 'd', &(own).file, "FILE", "your own pairs: source TAB target on a line"),  \
        OPTION_TEXT("sentence", 0, &(own).sentence, "TEXT", "with --data: translate this, too"),   \
        OPTION_INT("max-words", 0, &(own).max_words, 1, 200, "longest sentence of the data"),      \
        OPTION_INT("max-pairs", 0, &(own).max_pairs, 0, 10000000, "pairs to read; 0: all"),        \
        OPTION_INT("max-vocab", 0, &(own).max_vocab, 8, 1000000, "entries of each vocabulary"),    \
        OPTION_INT("min-count", 0, &(own).min_count, 1, 1000, "rarer words become <unk>"),         \
        OPTION_FLOAT("held-out", 0, &(own).held_out, 0.001, 0.9, "share of sentences for testing")

/* Reads the file, if one was given; the split depends on --seed. False with one line that says what
 * is wrong with it; so is a --sentence without --data. */
bool own_pairs_load(OwnPairs *own, const Run *run, Error *error);

/* What is in the file, what was left out and why, how the split was made. */
void own_pairs_introduce(Run *run, const OwnPairs *own);

/* Trains on the training part. The plan's held_out and watch are filled in here: at each check some
 * held-out sentences are translated and judged, and a few of them shown. */
FitCurve own_pairs_train(Run *run, const OwnPairs *own, const Translator *translator,
                         TrainingPlan plan);

/* Exact match and BLEU on held-out sentences and on as many of those it was trained on, in words
 * that say how good that is; some translations; the maps of a few in `file`. */
void own_pairs_judge(Run *run, const OwnPairs *own, const Translator *translator, const char *file);

/* Was there a file? If not, one paragraph says how to give one. */
bool own_pairs_given(Run *run, const OwnPairs *own);

/* All of it, as the last step of a lesson: introduces the data, trains (1000 steps of 64 pairs
 * unless --steps says otherwise) and judges. */
void own_pairs_study(Run *run, const OwnPairs *own, const Translator *translator, float rate,
                     Rng rng, const char *file);

/* The same by a plan of the lesson's own (steps, rate, schedule, optimiser, rng). */
void own_pairs_study_by(Run *run, const OwnPairs *own, const Translator *translator,
                        TrainingPlan plan, const char *file);

#endif
