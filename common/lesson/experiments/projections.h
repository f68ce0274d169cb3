/* Why queries, keys and values are made by matrices of their own: where does a token look when they
 * are not? Measured on random tokens, nothing is trained. */
#ifndef LESSON_PROJECTIONS_H
#define LESSON_PROJECTIONS_H

#include "lesson/experiments/look.h"
#include "lesson/run.h"

typedef enum ProjectionWay {
    PROJECT_NONE,   /* q = k = v = x */
    PROJECT_SHARED, /* q = k = W x, v = W_v x */
    PROJECT_APART,  /* q = W_q x, k = W_k x, v = W_v x */
} ProjectionWay;

typedef struct ProjectionCase {
    const char *name;
    ProjectionWay way;
    float size;    /* of the tokens: x ~ size N(0, 1), or their length when `unit` */
    bool unit;     /* every token is of length `size` */
    bool unscaled; /* scores are q . k, not q . k / sqrt(d) */
} ProjectionCase;

typedef struct DiagonalShare {
    double weight;    /* of a token on itself, mean; 1 / n when all are alike */
    double largest;   /* share of tokens that look at themselves most */
    double asymmetry; /* mean |s_ij - s_ji| over mean |s_ij - s_kl|, scores of different pairs: 0
                         when i finds j exactly as interesting as j finds i, about 1 when these two
                         have nothing to do with each other */
} DiagonalShare;

enum { PROJECTION_TOKENS = 16, PROJECTION_SIZE = 64 };

/* Over `trials` draws of 16 tokens of size 64, weights from N(0, 1/64). Unless NULL, `map` (16, 16)
 * becomes the weights of the first draw. */
DiagonalShare projections_measure(Looker looker, const ProjectionCase *one, int trials, Rng rng,
                                  float *map);

enum { PROJECTION_CASES = 6 }; /* at most */

/* All cases on the same tokens: a table, and the weights of one draw as projections.png and in
 * attention.tsv. */
void projections_compare(Run *run, Looker looker, const ProjectionCase *cases, int count,
                         int trials, DiagonalShare *shares);

/* The weight on the diagonal against the size of the tokens, for no projection, one and two; the
 * last of them is made in the way given. projection_sizes.png. */
void projections_plot(Run *run, Looker looker, ProjectionWay apart, int trials);

#endif
