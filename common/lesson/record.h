/* run.tsv: how a run came about, as key<TAB>value lines. */
#ifndef LESSON_RECORD_H
#define LESSON_RECORD_H

#include "lesson/run.h"

/* Writes run.tsv into the run's folder: lesson, the flags as typed, every flag of the lesson with
 * its value under the flag's name (threads: those in use), compiler, cpu, seconds, the steps that
 * ran, claims, exit code. */
bool record_write(const Run *run, int exit_code, double seconds, Error *error);

/* Name of the processor as the system gives it, or "unknown". */
void record_cpu(char *text, size_t size);

#endif
