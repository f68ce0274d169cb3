/* Recall across a gap: the smallest task that needs a memory. A sequence begins with one of K
 * symbols; what follows are distractors, from K other symbols, that say nothing; at the end the
 * first symbol is asked for. Chance is 1/K. (After Hochreiter and Schmidhuber 1997, experiment 2.)
 */
#ifndef DATA_RECALL_H
#define DATA_RECALL_H

#include "core/rng.h"

enum { RECALL_SYMBOLS = 8, RECALL_VOCABULARY = 2 * RECALL_SYMBOLS };

/* Draws B sequences of one symbol and `gap` distractors: ids (gap + 1, B), time-major, the symbols
 * numbered 0 .. K-1 and the distractors K .. 2K-1; the first symbol again in answer (B). */
void recall_draw(Rng *rng, int gap, int B, int *ids, int *answer);

#endif
