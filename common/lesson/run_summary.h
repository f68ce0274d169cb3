/* The words at the end of a run: claims, files, how to draw what was left undrawn, why it ended
 * early. */
#ifndef LESSON_RUN_SUMMARY_H
#define LESSON_RUN_SUMMARY_H

#include "lesson/run.h"

void run_summary(const Run *run, int exit_code);

#endif
