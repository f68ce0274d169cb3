/* run.tsv: how a run came about, as key<TAB>value lines. */
#ifndef LESSON_RECORD_H
#define LESSON_RECORD_H

#include "lesson/run.h"

/* A file that was read, --data say, has its checksum under this and the name of the flag. */
#define RECORD_CHECKSUM "checksum_"

/* Writes run.tsv into the run's folder: lesson, the flags as typed, every flag of the lesson with
 * its value under the flag's name (threads: those in use), checksums of the program and of the
 * files it has read, compiler, cpu, seconds, the steps that ran, the files it wrote, claims, exit
 * code. The line "flags" can be typed again: words that a shell would not leave alone stand in
 * quotes. */
bool record_write(const Run *run, int exit_code, double seconds, Error *error);

/* Notes the checksums of the program and of the files that the flags name, before they are read.
 * What cannot be read is left out: whoever needs it will complain. */
void record_begin(Run *run);

/* Name of the processor as the system gives it, or "unknown". */
void record_cpu(char *text, size_t size);

#endif
