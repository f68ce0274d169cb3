/* How sharp is a softmax over dot products? For q and k with components from N(0, 1), the product
 * q . k has the variance d: the longer the vectors, the larger the scores, the more of the weight
 * goes to a single key (Vaswani et al. 2017, section 3.2.1, footnote 4). Measured, not trained. */
#ifndef LESSON_SOFTMAX_SCALE_H
#define LESSON_SOFTMAX_SCALE_H

#include "lesson/run.h"

typedef struct SoftmaxScale {
    double variance;        /* of factor * q . k */
    double largest;         /* largest weight, mean over the questions */
    double entropy;         /* of the weights, in nats; the most is ln(keys) */
    double gradient_median; /* of the size of d weights / d scores: the Frobenius norm of the */
    double gradient_mean;   /* softmax's Jacobian, diag(a) - a a^T, over the questions */
} SoftmaxScale;

/* Frobenius norm of the Jacobian of n weights a, J_ij = a_i (1[i = j] - a_j). */
double softmax_jacobian_size(const float *a, int n);

/* `questions` queries of size d, each against `keys` keys of its own, all scores multiplied by
 * `factor`. */
SoftmaxScale softmax_scale(int d, int keys, int questions, float factor, Rng *rng);

enum { SCALE_SIZES = 5, SCALE_MOST = 4 }; /* d = 4, 16, 64, 256, 1024 */

/* One way to scale: the scores are divided by d to the power of `power`: 0 leaves them alone, 1/2
 * divides by sqrt(d). */
typedef struct ScoreScale {
    const char *name;
    float power;
    SoftmaxScale at[SCALE_SIZES]; /* filled in by softmax_scale_compare() */
} ScoreScale;

/* Measures each of the scales (at most SCALE_MOST) for all sizes, on the same vectors, and shows
 * them: a table, and scale_variance.png, scale_entropy.png and scale_gradient.png (its median, and
 * the mean of the first scale). */
void softmax_scale_compare(Run *run, ScoreScale *scales, int count, int keys, int questions);

#endif
