/* A question to whoever sits before the program: a hint, then a line from standard input. */
#ifndef LESSON_ASK_H
#define LESSON_ASK_H

#include "show/terminal.h"

typedef enum AskResult {
    ASK_LINE,   /* a line came */
    ASK_END,    /* the input is at its end; `line` has what stood before it, mostly nothing */
    ASK_SIGNAL, /* interrupt_signal() is not 0 */
} AskResult;

/* Shows the hint, which begins with newlines if it is to stand alone, and waits for a line; what of
 * it fits goes to `line`, without its newline. Nothing is read beyond that line, so that programs
 * can take turns at one input. The hint goes to `term`; when that is a file and somebody sits at a
 * terminal, to standard error, since nobody would see it. */
AskResult ask_line(const Terminal *term, const char *hint, char *line, size_t size);

#endif
