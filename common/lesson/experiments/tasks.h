/* Tasks: sequences to learn from, sequences held out, and what is known about them. The lessons on
 * translation share three. */
#ifndef LESSON_TASKS_H
#define LESSON_TASKS_H

#include "data/corpus.h"
#include "data/dates.h"
#include "data/phrases.h"

typedef struct Task {
    Vocab *source, *target;
    Corpus *train, *held_out;

    /* of the held-out pairs, where the task has them; else NULL */
    const Phrase *phrases; /* with gold alignments */
    Date *dates;           /* with the places of year, month and day */

    PhraseData *phrase_data;
} Task;

/* a b c -> c b a: `train` rows of shortest .. longest symbols out of `symbols` (at most 26),
 * drawn anew each; held out: `each` rows of each of the lengths, which take turns. */
Task task_reversal(int train, int symbols, int shortest, int longest, int each, const int *lengths,
                   int length_count, Rng rng);

/* English phrases to French; see data/phrases.h. */
Task task_phrases(int train, int held_out, uint64_t seed);

/* Dates in ten formats to one, character by character; no day is on both sides. */
Task task_dates(int train, int held_out, Rng rng);

/* The first held-out date of that format (0 .. DATE_FORMATS - 1); 0 when there is none. */
int task_find_date(const Task *task, int format);

void task_free(Task *task);

#endif
