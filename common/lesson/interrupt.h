/* Ctrl-C and its relatives. The first one raises a flag that training loops look at, so that a run
 * ends in good order; a second one, for the impatient, ends the program at once. */
#ifndef LESSON_INTERRUPT_H
#define LESSON_INTERRUPT_H

#include <sys/types.h>

#include "show/terminal.h"

/* From now on SIGINT, SIGTERM, SIGHUP and SIGPIPE raise the flag (which starts lowered). A second
 * SIGINT or SIGTERM leaves with exit code 128 + signal after putting the terminal right. */
void interrupt_install(const Terminal *term);

/* Puts back what was there before interrupt_install(). */
void interrupt_remove(void);

/* The signal that came, or 0. The exit code of the run is 128 + this. */
int interrupt_signal(void);

/* Lowers the flag, for a program that goes on after a Ctrl-C: the next one is a first one again. */
void interrupt_forget(void);

/* Waits for a process of ours to end; its status is as waitpid() gives it. A signal that came to us
 * goes on to it, once; but for a Ctrl-C `heard_by_both`, from the terminal, which is forgotten. */
int interrupt_wait(pid_t child, bool heard_by_both);

#endif
