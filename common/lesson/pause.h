/* Pauses: after a step the teacher talks, then presses Enter; a text that is longer than the window
 * stops when that is full. */
#ifndef LESSON_PAUSE_H
#define LESSON_PAUSE_H

#include "lesson/run.h"

/* Shows a hint and waits for a line on standard input. One that begins with q or Q ends the run
 * (run->quit); the end of the input ends all pauses (run->no_more_pauses); a signal ends this one.
 */
void pause_for_enter(Run *run);

/* With --step, --help, --list and --notes on a terminal (both ends of it: somebody reads and can
 * press Enter): from now on run->term stops at the end of each page. Else nothing changes. */
void paging_begin(Run *run);
void paging_end(Run *run);

#endif
