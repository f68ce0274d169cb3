/* Does attention know the order of its tokens? f(P x) against P f(x) for a random order P, with
 * random weights. */
#ifndef LESSON_PERMUTATION_H
#define LESSON_PERMUTATION_H

#include "lesson/experiments/look.h"
#include "lesson/run.h"

enum { PERMUTATION_TOKENS = 16, PERMUTATION_SIZE = 64 };

/* Largest |f(P x) - P f(x)| over 16 tokens x ~ N(0, 1) of size 64, where f is one self-attention,
 * weights from N(0, 1/64). With `positions` the sinusoids of Vaswani et al. 2017, section 3.5, are
 * added to whatever stands at each place (nn/position.h). 0 when f moves its results with its
 * tokens and does nothing else. */
double permutation_gap(Looker looker, bool positions, Rng rng);

enum { SENTENCE_WORDS = 3, SENTENCE_SIZE = 4 };

/* One self-attention of size 4 over three words that stand in this order: place i holds word
 * order[i]. What comes out for word w goes to y[w], so that two orders can be compared word by
 * word. Words and weights depend on `rng` alone. */
void permutation_sentence(Looker looker, bool positions, const int *order, Rng rng,
                          float y[SENTENCE_WORDS][SENTENCE_SIZE]);

/* "dog bites man" and "man bites dog": what comes out for each of the words, shown one below the
 * other. Returns by how much the two differ at most. */
double permutation_sentences_show(Run *run, Looker looker, bool positions);

#endif
