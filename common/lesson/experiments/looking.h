/* How much of the source a decoder looks at. */
#ifndef LESSON_LOOKING_H
#define LESSON_LOOKING_H

#include "lesson/experiments/translation.h"

/* Source words with a weight above zero, mean over all rows of all translations; those without
 * weights do not count. 0 when there is no row. */
double translations_words_seen(const Translations *list);

#endif
