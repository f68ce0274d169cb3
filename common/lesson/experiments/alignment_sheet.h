/* Alignment sheets: pictures of where a model looked, several on one page.
 *
 *     AlignmentSheet sheet = sheet_new(source_vocab, target_vocab);
 *     sheet_add(&sheet, "reads both ways", &done.item[3], &phrases->held_out_phrase[3]);
 *     sheet_add(&sheet, "reads left to right", &other.item[3], &phrases->held_out_phrase[3]);
 *     sheet_show(run, &sheet, 0);
 *     sheet_write(run, &sheet, "alignment.png", 2, "Where the decoder looks");
 *     sheet_free(&sheet);
 */
#ifndef LESSON_ALIGNMENT_SHEET_H
#define LESSON_ALIGNMENT_SHEET_H

#include "data/phrases.h"
#include "data/vocab.h"
#include "lesson/experiments/translation.h"
#include "lesson/run.h"

enum { SHEET_MAPS = 16 };

typedef struct AlignmentSheet {
    const Vocab *source, *target; /* not owned */
    Heatmap map[SHEET_MAPS];
    int count;
    Arena arena; /* holds labels and copies of the weights */
} AlignmentSheet;

AlignmentSheet sheet_new(const Vocab *source, const Vocab *target);
void sheet_free(AlignmentSheet *sheet);

/* Adds the map of one translation: a row for each word of the output (its end token last), a column
 * for each word of the source. The weights are copied, the title is not. `gold`, unless NULL,
 * outlines the sure links of the sentence's gold alignment: for forced translations, whose rows are
 * those of the reference. A translation without weights adds nothing. */
void sheet_add(AlignmentSheet *sheet, const char *title, const Translation *translation,
               const Phrase *gold);

/* Chooses `count` of n phrases for a picture and writes their numbers: those that are put into
 * another order in French and have an accent there, a short one (6 to 9 words) and a long one (12
 * to 14) in turn. Returns how many it found. */
int sheet_choose_phrases(const Phrase *phrases, int n, int count, int *chosen);

/* Map i in the terminal. */
void sheet_show(Run *run, const AlignmentSheet *sheet, int i);

/* All maps as one picture, `columns` in a row and one colour scale 0 .. 1; each also goes to
 * attention.tsv (layer 0, head 0). An empty sheet writes nothing. */
bool sheet_write(Run *run, const AlignmentSheet *sheet, const char *file, int columns,
                 const char *title);

#endif
