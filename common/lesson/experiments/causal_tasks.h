/* What a causal mask is good for, trained: a small decoder (lesson/experiments/small_decoder.h)
 * learns to add, or to name the next of some random digits, with whatever way of looking it is
 * given.
 *
 * Trained, it is given the right answer up to each symbol and asked for the next (teacher forcing):
 * the answer is in its input, and the mask is all that hides it. Tested running free, it reads what
 * it wrote itself. */
#ifndef LESSON_CAUSAL_TASKS_H
#define LESSON_CAUSAL_TASKS_H

#include "data/digits.h"
#include "lesson/experiments/look.h"
#include "lesson/fit.h"

enum { RANDOM_DIGITS = 12 };

/* The decoder and its training: Adam with a constant rate, gradients clipped to 1. */
typedef struct CausalPlan {
    int d_model, heads, layers; /* the feed-forward network has 4 d_model hidden units */
    int B;                      /* sequences in a batch */
    int steps;                  /* of training */
    float rate;                 /* Adam's */
    int held;                   /* additions never trained on: some of these are the test */
    int test;                   /* how many of them are asked */
} CausalPlan;

/* d_model 64, 4 heads, 2 layers, 64 sequences in a batch, 1000 steps, rate 2e-3; 1000 additions
 * held out, all of them asked: some 3 seconds for each training of additions. */
CausalPlan causal_plan(void);

typedef struct CausalResult {
    FitCurve curve; /* loss against steps */
    double loss;    /* teacher-forced, in nats a symbol: of additions never seen, or of new
                       random digits */
    double forced;  /* additions: share of answers that are all right when forced */
    double exact;   /* additions: share that are all right running free */
    char question[ADDITION_QUESTION + 1]; /* one of those held out, */
    char answer[ADDITION_ANSWER + 1];     /* the right answer, */
    char free[ADDITION_ANSWER + 1];       /* and what it wrote running free */
} CausalResult;

/* Additions (data/digits.h): which are held out, the weights and the batches depend on the seed
 * alone, so that only the way of looking differs. */
CausalResult addition_train(Run *run, const char *label, Looker looker, CausalPlan plan);

/* 12 random digits, each to be predicted from those before it: ln 10 = 2.303 nats for whoever does
 * not look ahead. held and test of the plan are ignored. */
CausalResult random_digits_train(Run *run, const char *label, Looker looker, CausalPlan plan);

/* The same untrained, for a moment's test: the last of the digits is changed. Returns by how much
 * the logits of the positions before it move at most; 0 when nobody looks ahead, infinite when
 * anything is not a number. */
double random_digits_leak(Run *run, Looker looker, CausalPlan plan);

#endif
