/* What does it cost to score S words for one step of a decoder? The four ways of lessons 02 and 03,
 * counted in multiplications and additions and timed, for vectors of size d everywhere. */
#ifndef LESSON_SCORE_COST_H
#define LESSON_SCORE_COST_H

#include "lesson/run.h"

typedef enum ScoreWay {
    WAY_DOT,            /* s . h */
    WAY_GENERAL,        /* (s W) . h */
    WAY_ADDITIVE,       /* v . tanh(W_q s + k), k = W_k h made once per sentence */
    WAY_ADDITIVE_EVERY, /* the same with W_k h made anew at every step */
    SCORE_WAYS,
} ScoreWay;

extern const char *const score_way_names[SCORE_WAYS];

/* Multiply-adds of one step for B sentences of S words; a tanh counts as one. */
double score_multiply_adds(ScoreWay way, int B, int S, int d);

/* Seconds of one step, the least disturbed of several within about `budget` seconds. */
double score_seconds(ScoreWay way, int B, int S, int d, double budget, Rng *rng);

enum { SCORE_COST_SIZES = 7 }; /* d = 16, 32 .. 1024 */

typedef struct ScoreCosts {
    double d[SCORE_COST_SIZES];
    double adds[SCORE_WAYS][SCORE_COST_SIZES];
    double seconds[SCORE_WAYS][SCORE_COST_SIZES];
} ScoreCosts;

/* Counts and times all four ways for all sizes: a table of the counts, score_cost.png, and the
 * times in timing_score_cost.png. */
ScoreCosts score_costs_show(Run *run, int B, int S);

/* Tries Luong's scores (nn/attention.h) on a query of size Dq and keys of size Dk: says of each
 * that it copes, or with what message it refuses. Returns how many cope. */
int scores_that_cope(Run *run, int Dq, int Dk);

#endif
