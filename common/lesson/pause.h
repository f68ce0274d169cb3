/* The pause after a step: the teacher talks, then presses Enter. */
#ifndef LESSON_PAUSE_H
#define LESSON_PAUSE_H

#include "lesson/run.h"

/* Shows a hint and waits for a line on standard input. One that begins with q or Q ends the run
 * (run->quit); the end of the input ends all pauses (run->no_more_pauses); a signal ends this one.
 */
void pause_for_enter(Run *run);

#endif
