/* The race: the translators of lessons 02 and 03 against a Transformer, on the same pairs, in the
 * same batches, for as many steps.
 *
 *     Race race = race_new(&task, 64);
 *     for (int kind = 0; kind < RACER_TRANSFORMER; kind++) {
 *         race_recurrent(run, &race, kind, steps, 32);
 *     }
 *     race_add(&race, RACER_TRANSFORMER, translator, &curve);
 *     race_judge(run, &race);
 *     race_show(run, &race);
 *     race_free(&race);
 */
#ifndef LESSON_RACE_H
#define LESSON_RACE_H

#include "lesson/experiments/seq2seq.h"
#include "lesson/experiments/tasks.h"
#include "nn/attention.h"

/* ---- the recurrent ones ---- */

typedef enum RacerKind {
    RACER_VECTOR,   /* GRU to GRU, the sentence in one vector: lesson 02 without attention */
    RACER_BAHDANAU, /* additive attention, asked by the state before: lesson 02 */
    RACER_LUONG,    /* general score, asked by the new state, input feeding: lesson 03 */
    RACER_TRANSFORMER,
    RACER_KINDS,
} RacerKind;

extern const char *const racer_names[RACER_KINDS];

typedef struct RecurrentRacer {
    Seq2seq base; /* must come first; H = 2 E */
    RacerKind kind;
    AdditiveAttention additive;
    LuongAttention general;
    Gru decoder;    /* E + H -> H */
    Linear combine; /* 2 H -> H, of what is known and what was found */

    /* of the batch in hand */
    Tensor *keys;          /* (B, S, H) */
    Tensor *s, *c, *found; /* (B, H): state, context, what the next word is read from */
} RecurrentRacer;

/* Declares and allocates one of the first three; a word is of size E, a state of size 2 E. */
Translator recurrent_racer(RecurrentRacer *racer, RacerKind kind, int V_source, int V, int E,
                           Rng rng);

/* ---- how far, how many in a row ---- */

/* The longest way a signal has to go, in layers or recurrent steps, between a word of the source
 * and a word that is written (`across`), or between the first and the last word written, when both
 * sentences have n words. Vaswani et al. 2017, table 1, last column. */
int racer_path(RacerKind kind, int n, bool across);

/* Operations that have to wait for each other in the forward pass of a training step on one pair
 * with n words on either side (table 1, third column). Counted on a tape; the encoder of the
 * recurrent ones is one operation there and n steps in truth, and is counted as n. */
int racer_chain(const Translator *translator, RacerKind kind, int n);

/* ---- the race ---- */

typedef struct Racer {
    RacerKind kind;
    Translator translator;
    const FitCurve *curve; /* of a training on race.task.train */
    double exact, bleu;    /* on all held-out pairs */
    double seconds;        /* of one training step */
    size_t parameters;
} Racer;

typedef struct Race {
    const Task *task;
    int B; /* sentences in a training step */
    Racer by[RACER_KINDS];
    int count;
    struct RaceRoom *room; /* for the recurrent ones and their curves */
} Race;

Race race_new(const Task *task, int B);
void race_free(Race *race);

/* Enters a trained translator; it and the curve, whose metric is exact match, must outlive the
 * race. */
void race_add(Race *race, RacerKind kind, Translator translator, const FitCurve *curve);

/* Makes one of the recurrent ones, trains it (Adam, rate 3e-3, down to zero over the last tenth;
 * exact match on 100 held-out pairs at 24 checks) and enters it. */
void race_recurrent(Run *run, Race *race, RacerKind kind, int steps, int E);

/* Exact match, BLEU and the seconds of a training step for each. The training step has a rate of
 * 0: no weight moves. */
void race_judge(Run *run, Race *race);

/* The seconds that all have trained for: those of the one that was done first. */
double race_common_seconds(const Race *race);

/* Exact match at the last check within so many seconds of training; 0 before the first. */
double racer_exact_within(const Racer *racer, double seconds);

/* A table of quality and size, at the end and in the same seconds; race_sentences.png, exact match
 * against sentences seen; timing_race.png, the same against seconds. */
void race_show(Run *run, const Race *race);

/* A table of path lengths and chains for sentences of `few` and of `many` words. */
void race_show_paths(Run *run, const Race *race, int few, int many);

/* What follows from a race of all four in a full training, as claims and in words; and that the
 * chain of the Transformer does not grow with the sentence. */
void race_claims(Run *run, const Race *race, int few, int many);

/* The racer of that kind; it must be there. */
const Racer *race_of(const Race *race, RacerKind kind);

/* Sentences seen until exact match reached `share` for the first time, or NaN. */
double racer_sentences(const Race *race, RacerKind kind, double share);

#endif
