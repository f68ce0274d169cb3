/* Output that stops when the window is full, and goes on when the reader has seen it.
 *
 *     Pager *pager = pager_new(&term, ask_reader, context);
 *     Terminal paged = term;
 *     paged.out = pager_stream(pager);
 *     terminal_prose(&paged, ...);
 *     pager_free(pager);
 *
 * Whatever is printed passes through unchanged. Lines are counted as the terminal will show them:
 * escape sequences take no room, lines wider than the window take several rows, a line that is
 * rewritten in place (\r) is one. A page leaves two rows of the window free: for the line that the
 * reader ends with Enter, and for the progress of a training that need not wait for a reader. */
#ifndef SHOW_PAGER_H
#define SHOW_PAGER_H

#include "show/terminal.h"

typedef struct Pager Pager;

/* Called when a page is full and more is to come. It waits until the reader wants more and returns
 * true; false: no more stops until pager_restart(). It may print to the terminal itself, not to the
 * pager's stream. */
typedef bool (*PagerAsk)(void *context);

/* A pager before `term`, whose window is measured anew each time: it can be resized. NULL where the
 * system has no streams of one's own making. */
Pager *pager_new(const Terminal *term, PagerAsk ask, void *context);

/* Where to print. It is sent line by line and when flushed. Errors show at the terminal's stream.
 */
FILE *pager_stream(const Pager *pager);

/* The reader has seen all of it, such as after a pause: a new page begins here. NULL is allowed. */
void pager_restart(Pager *pager);

/* Sends what is left. NULL is allowed. */
void pager_free(Pager *pager);

#endif
