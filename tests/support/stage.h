/* A lesson of one step, for tests of what lessons share: functions that take a Run. */
#ifndef TESTS_SUPPORT_STAGE_H
#define TESTS_SUPPORT_STAGE_H

#include "lesson/lesson.h"
#include "support/lesson_run.h"

/* What became of it: status, folder, files and what lesson_claim() and lesson_file() read; out and
 * err are empty, because nothing that is said on a stage is kept. Release with lesson_run_free().
 */
typedef LessonRun Stage;

/* Runs `play` as step 9.1 of a lesson, in this process, with these flags ("--quick --seed 3") and
 * an empty folder for its files. `play` stores what is to be tested in `context` and asserts
 * nothing: an assertion that fails would not come back. */
Stage stage_play(void (*play)(Run *run, void *context), void *context, const char *flags);

#endif
