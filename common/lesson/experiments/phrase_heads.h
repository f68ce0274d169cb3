/* The heads of a model that was trained on something real: a small Transformer (pre-LN, two layers
 * on either side; a black box until lesson 07) that translates phrases from English to French.
 * Where do its heads look, what kinds are there, and what is each good for? */
#ifndef LESSON_PHRASE_HEADS_H
#define LESSON_PHRASE_HEADS_H

#include "core/measure.h"
#include "data/batch.h"
#include "lesson/experiments/head_class.h"
#include "lesson/experiments/tasks.h"
#include "lesson/fit.h"
#include "nn/transformer.h"

enum { PHRASE_LAYERS = 2, PHRASE_HEADS = 16 /* at most */ };

/* The three places of attention. */
typedef enum PhraseSite {
    SITE_ENCODER, /* English looks at English */
    SITE_DECODER, /* French looks back at the French before it */
    SITE_CROSS,   /* French looks at English */
    PHRASE_SITES,
} PhraseSite;

/* "encoder", "decoder", "across". */
extern const char *const phrase_site_names[PHRASE_SITES];

typedef struct PhraseHeadsPlan {
    int d_model, heads, d_ff;
    int B, steps;
    int train, held_out; /* phrases */
    float rate;          /* of Adam; up for 50 steps, down to 0 over the last 30 % */
} PhraseHeadsPlan;

typedef struct PhraseHead {
    HeadMeasures measures; /* over all held-out phrases */
    double rise;           /* of the held-out loss when it is taken away */
    HeadClass kind;
} PhraseHead;

typedef struct PhraseTrial {
    PhraseHeadsPlan plan;
    Task task;
    Params params;
    Transformer model;
    Batcher *batches, *held_out;
    double loss;     /* on the held-out phrases, nats for a word */
    double accuracy; /* share of their French words that get the highest score when those before are
                        given */
    double rise[PHRASE_SITES]; /* of the loss when all heads of a site are taken away at once */
    PhraseHead head[PHRASE_SITES][PHRASE_LAYERS][PHRASE_HEADS];
    int *source, *input; /* rows of the batch in hand, batch-first */
} PhraseTrial;

/* d_ff twice d_model, batches of 64, 500 steps, rate 3e-3, 20000 + 200 phrases; next to nothing
 * under --quick. */
PhraseHeadsPlan phrase_heads_plan(Run *run, int d_model, int heads);

/* Trains and studies; release with phrase_free(). */
PhraseTrial *phrase_train(Run *run, const PhraseHeadsPlan *plan);
void phrase_free(PhraseTrial *trial);

/* Heads of a class at one of the sites, or (PHRASE_SITES) at all of them. */
int phrase_count(const PhraseTrial *trial, PhraseSite site, HeadClass kind);

/* A table: a line for each head. */
void phrase_table(Run *run, const PhraseTrial *trial);

/* The sheet of heads of a site on one held-out phrase, as `file`. */
void phrase_sheet(Run *run, const PhraseTrial *trial, PhraseSite site, int pair, const char *file,
                  const char *title);

/* The sheets of the encoder and of the look across, on one short phrase whose words change places:
 * phrase_encoder.png and phrase_across.png. */
void phrase_sheets(Run *run, const PhraseTrial *trial);

/* The claims: it translates, many heads are missed by nobody alone, and what becomes of the loss
 * without all heads of a site. */
void phrase_claims(Run *run, const PhraseTrial *trial);

#endif
