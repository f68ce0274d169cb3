/* Greedy against beam search, at several moments of a training. */
#ifndef LESSON_BEAMS_H
#define LESSON_BEAMS_H

#include "lesson/experiments/translation.h"

enum { BEAM_SIZES = 3, BEAM_MOMENTS = 2 };

extern const int beam_sizes[BEAM_SIZES]; /* 1 (greedy), 2, 4 */

typedef struct BeamComparison {
    const Translator *translator;
    const Corpus *corpus;
    int pairs;       /* its first so many */
    float normalise; /* see nn/beam.h */
    double exact[BEAM_MOMENTS][BEAM_SIZES], bleu[BEAM_MOMENTS][BEAM_SIZES];
} BeamComparison;

/* Translates with each number of beams and notes exact match and BLEU as those of that moment. */
void beams_compare(const Run *run, BeamComparison *beams, int moment);

/* The table, a column for each moment. */
void beams_show(Run *run, const BeamComparison *beams, const char *const *moments);

/* Exact match and BLEU of translations whose sources have one right answer each, 0 .. 1. */
double translations_bleu(const Translations *list);
double translations_right(const Translations *list);

#endif
