/* A terminal whose output a test can read. */
#ifndef TESTS_SUPPORT_SCREEN_H
#define TESTS_SUPPORT_SCREEN_H

#include "assert_close.h"
#include "show/terminal.h"

typedef struct Screen {
    Terminal term;
    char *text; /* of the last screen_text() */
} Screen;

typedef enum ScreenKind {
    SCREEN_PIPE,       /* plain text in UTF-8, 80 columns */
    SCREEN_PIPE_ASCII, /* the same where the locale is C */
    SCREEN_PLAIN,      /* a terminal without colour, as wide as the variable COLUMNS says */
    SCREEN_COLOR,      /* a terminal with everything */
} ScreenKind;

/* Functions that print get &screen.term. Do not copy it. */
Screen screen_new(ScreenKind kind);

/* All that was printed until now; good until the next call. */
const char *screen_text(Screen *screen);

/* Fails unless exactly this was printed. */
void screen_check(Screen *screen, const char *expected);

void screen_free(Screen *screen);

/* Columns of the widest line of a text. */
int screen_widest(const char *text);

/* Are all bytes printable ASCII or newlines? */
bool screen_is_ascii(const char *text);

#endif
