/* Choosing the next token at random: temperature, top-k (Fan, Lewis and Dauphin 2018) and top-p
 * (Holtzman et al. 2020). */
#ifndef NN_SAMPLING_H
#define NN_SAMPLING_H

#include "core/rng.h"

/* All zero: the most probable token, always. {1, 0, 0}: the model's own probabilities. */
typedef struct Sampling {
    float temperature; /* logits are divided by it: below 1 bolder, above 1 more even; 0: all of the
                          probability goes to the most probable token */
    int top_k;         /* keep the k most probable tokens; 0, or more than there are: all */
    float top_p;       /* keep the fewest tokens whose probabilities add up to p; 0 or 1: all */
} Sampling;

/* The probabilities of the V tokens after temperature, then top-k, then top-p, sum 1; top-p counts
 * with the probabilities that top-k left, which add up to 1 again. Of equal logits the lower token
 * counts as the more probable. A logit of -inf is a token that may never be said; NaN, +inf,
 * nothing but -inf, and settings outside of 0 <= temperature < inf, 0 <= top_k, 0 <= top_p <= 1
 * stop with a message. `probability` may not be `logits`. */
void sampling_probabilities(const float *logits, int V, Sampling sampling, float *probability);

/* One token drawn from them; takes exactly one number from `rng`. */
int sampling_draw(const float *logits, int V, Sampling sampling, Rng *rng);

#endif
