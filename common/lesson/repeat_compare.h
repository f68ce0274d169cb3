/* For --repeat: two folders of the same run. */
#ifndef LESSON_REPEAT_COMPARE_H
#define LESSON_REPEAT_COMPARE_H

#include "io/tsv.h"
#include "show/terminal.h"

/* Compares all files that run.tsv lists in either of them, but what may differ, byte by byte, and
 * says in words what agrees, what does not, and how the two runs came about differently. True when
 * all agree. */
bool repeat_compare(const Terminal *term, const char *before_folder, const TsvTable *before,
                    const char *now_folder, const TsvTable *now);

/* A file of a run in memory of its own; NULL for a name that leads out of the folder. */
char *repeat_path(const char *folder, const char *name);

#endif
