/* The line "flags" of run.tsv, cut into words again. What it says is not trusted. */
#ifndef LESSON_FLAG_WORDS_H
#define LESSON_FLAG_WORDS_H

/* The words, their quotes resolved, in memory of their own: each of them, and the list, is to be
 * freed. "-" stands for none. NULL where a quote does not end. `*count` says how many. */
char **flag_words(const char *flags, int *count);

#endif
