/* What Luong, Pham and Manning (2015) measured for each way to score, beside what a run measured.
 */
#ifndef LESSON_LUONG_TABLE_H
#define LESSON_LUONG_TABLE_H

#include "lesson/experiments/contest.h"

/* Their table 4 (English to German, perplexity and BLEU of newstest2014, unknown words not yet
 * replaced) next to exact match and alignment error of our phrases. The contenders are dot, general
 * and concat in this order; number `window` looks through a window (their local-p), with the score
 * number `window_score`. aer: one for each contender. */
void luong_table_show(Run *run, const Contest *contest, const double *aer, int window,
                      int window_score);

#endif
