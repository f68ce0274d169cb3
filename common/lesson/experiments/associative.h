/* Associative recall: a list of pairs is shown, then one of the keys; its value is to be named.
 *
 *     k7 v2   k41 v9   k3 v0   ...   and then: k41?   ->   v9
 *
 * The smallest task that attention was made for: look up by content. Each pair is one vector
 * x_i = e(key) + e(value), the question one vector e(key); one attention step answers:
 *
 *     a = softmax(factor * (W_q e) . (W_k x_i))      answer = W_o sum_i a_i W_v x_i
 *
 * with nothing around it, no residual and no second layer, so that what the factor does to learning
 * is what one sees. Used for the scale of the dot product (Vaswani et al. 2017, section 3.2.1). */
#ifndef LESSON_ASSOCIATIVE_H
#define LESSON_ASSOCIATIVE_H

#include "lesson/run.h"

typedef struct AssociativePlan {
    const char *label; /* of the progress line */
    int pairs;         /* shown in each sequence, all of different keys */
    int keys, values;  /* to choose from */
    int d_model;       /* size of the vectors */
    int d_k;           /* size of queries and keys */
    int B;             /* sequences in a batch */
    int steps;         /* of training */
    int check_every;   /* steps between two tests */
    int test;          /* sequences of a test */
    float rate;        /* Adam's, constant; gradients clipped to 1 */
    float factor;      /* the scores are multiplied by it: 1, or 1 / sqrt(d_k) */
} AssociativePlan;

enum { ASSOCIATIVE_POINTS = 256 };

typedef struct AssociativeCurve {
    int n;
    double step[ASSOCIATIVE_POINTS];
    double accuracy[ASSOCIATIVE_POINTS]; /* on new sequences, 0 .. 1 */
} AssociativeCurve;

/* 16 pairs out of 64 keys and 10 values, d_model 64, 64 sequences in a batch, rate 2e-3, about 200
 * tests of `test` sequences each: some seconds for 600 steps. Label, d_k and factor are left open.
 */
AssociativePlan associative_plan(int steps, int test);

/* Trains from fresh weights on sequences that never repeat; `name` names the random numbers. Goes
 * on to the last step even when all is learnt, unless the run is stopped. */
AssociativeCurve associative_train(Run *run, const AssociativePlan *plan, const char *name);

/* First step at which the accuracy reached `share`; `never` where it did not. */
double associative_reaching(const AssociativeCurve *curve, double share, double never);

/* Several d_k, each with its scores divided by d_k to the power of `powers[0]` and of `powers[1]`
 * (so 1/2 is the scale of Vaswani et al., 0 none), from the same weights and on the same sequences.
 * Fills in reached[i][j], the step at which d_k[i] with powers[j] had 95 % right (NaN: never); a
 * table, and the curves as NAME.png. At most 4 sizes. The plan's label, d_k and factor are ignored.
 */
void associative_compare(Run *run, AssociativePlan plan, const int *d_k, int sizes,
                         const float powers[2], const char *const names[2], double reached[][2],
                         const char *name);

#endif
