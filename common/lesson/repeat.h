/* --repeat FOLDER: makes the run in that folder again, from its run.tsv, and says whether the bits
 * agree.
 *
 * All .tsv and .png files that the run has written are compared, but run.tsv and timing_*. Where
 * they differ the reasons that are on record are told: another program, compiler, processor, number
 * of threads, another default of a flag. */
#ifndef LESSON_REPEAT_H
#define LESSON_REPEAT_H

#include "lesson/run.h"

/* What takes the place of recorded flags. A repeated run neither pauses nor saves weights. */
typedef struct RepeatedWith {
    const char *out;
    int threads; /* 1: as recorded */
    bool no_color;
    bool temporary; /* `out` is removed at the end */
} RepeatedWith;

/* `run` is the one that asks: its flags are parsed, nothing has run. `again` runs the lesson with
 * other arguments and returns its exit code. Returns the exit code of the program: 0 when all files
 * agree, 1 when one does not; 2 (with one line on stderr) when there is nothing to repeat: the
 * folder is no run, one of another lesson, one that ended early, or one that read files which have
 * changed since; 128 and more after Ctrl-C. */
int repeat_run(Run *run,
               int (*again)(const Lesson *lesson, int argc, char **argv, const RepeatedWith *with));

#endif
