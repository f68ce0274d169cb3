/* A program on a terminal of its own, and a test that sits before it: it reads what is there and
 * types.
 *
 *     Tty tty = tty_start(words, (TtySetting){.rows = 24, .columns = 80});
 *     tty_expect(&tty, "what next? -- ");
 *     tty_type(&tty, "q\n");
 *     assert_int_equal(tty_end(&tty), 0);
 *     tty_free(&tty); */
#ifndef TESTS_SUPPORT_TTY_H
#define TESTS_SUPPORT_TTY_H

#include "assert_close.h"

#include <sys/types.h>

enum { TTY_SECONDS = 60 };

typedef struct TtySetting {
    int rows, columns;              /* of the window */
    const char *folder;             /* to run in; NULL: where the test runs */
    const char *const *environment; /* "NAME=value" to set, "NAME" to unset; ends with NULL */
} TtySetting;

typedef struct Tty {
    pid_t pid;
    int handle;  /* our end */
    char *text;  /* all that it has printed, with what was typed as the terminal echoes it */
    size_t size; /* of it */
    size_t seen; /* how much of it tty_expect() has passed */
    bool ended;
} Tty;

/* Starts words[0] (a path) with the words behind it; the list ends with NULL. UTF-8 and colours are
 * on unless the environment says otherwise. */
Tty tty_start(const char *const *words, TtySetting setting);

/* Waits until the text has come, behind that of the last call. Fails the test when the program ends
 * without it, or after TTY_SECONDS. */
void tty_expect(Tty *tty, const char *text);

/* Waits for a hint, which ends with "-- " and after which nothing more comes. False when the
 * program has ended instead. */
bool tty_hint(Tty *tty);

/* As if typed: "\n" is Enter, "\003" Ctrl-C, "\004" the end of the input. */
void tty_type(Tty *tty, const char *text);

/* Does the terminal work line by line and show what is typed, as it did before? */
bool tty_is_cooked(const Tty *tty);

/* Waits for the end: the exit status, or 128 + the signal that ended it. */
int tty_end(Tty *tty);

/* Ends the program if it still runs. */
void tty_free(Tty *tty);

#endif
