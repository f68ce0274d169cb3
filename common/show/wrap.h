/* Lines that fit: text broken between words. Used by prose and by the cells of tables. */
#ifndef SHOW_WRAP_H
#define SHOW_WRAP_H

#include <stdarg.h>

#include "show/terminal.h"

typedef struct Wrapped {
    char **line; /* clean text (see terminal_clean), without newlines */
    int count, capacity;
} Wrapped;

/* Breaks the text so that no line takes more than `columns` columns (at least one). Newlines in the
 * text are kept; a line's leading spaces are repeated before its continuation lines; a number stays
 * with the "%" behind it; a word that is too long for a line is cut. */
Wrapped wrap_text(const Terminal *term, const char *text, int columns);
void wrapped_free(Wrapped *wrapped);

/* vsnprintf into memory of its own: free() it. */
char *text_format(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* malloc for the few bytes a line needs. Running out of memory there ends the program with a line
 * on stderr: nothing could be said any more. */
void *memory_get(size_t bytes);
void *memory_resize(void *memory, size_t bytes);
_Noreturn void memory_gone(void);

#endif
