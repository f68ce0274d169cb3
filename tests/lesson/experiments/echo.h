/* A translator that needs no learning, or hardly any: it says what it reads. What the tests of
 * training, translating and judging expect of it can be worked out by hand. */
#ifndef TESTS_LESSON_ECHO_H
#define TESTS_LESSON_ECHO_H

#include "lesson/experiments/translation.h"

/* Its only weight is w, which begins at 1; its loss is w^2. While w is above .5 it says nothing at
 * all, below it repeats the source. At step t it looks at source token t + `ahead` alone (the first
 * or the last one when there is none there). */
typedef struct Echo {
    Params params;
    Tensor *w; /* (1) */
    int V;
    int ahead;
    bool blind;   /* no weights, as a model without attention */
    bool endless; /* never says its end token, but the first symbol for ever */
    int wrong;    /* 1: scores of a wrong shape; 2: weights of a wrong shape */

    /* of the batch in hand */
    const Batch *batch;
    int step;
    int begun, stepped; /* calls so far */
} Echo;

Echo *echo_new(int V);
void echo_free(Echo *echo);

/* From now on w is 0: it has learnt all there is to learn. */
void echo_teach(Echo *echo);

Translator echo_translator(Echo *echo);

#endif
