/* Runs gnuplot as a child process, without a shell. */
#ifndef SHOW_GNUPLOT_H
#define SHOW_GNUPLOT_H

#include "io/file.h"

typedef enum GnuplotResult {
    GNUPLOT_DRAWN,
    GNUPLOT_MISSING, /* no program of that name on PATH */
    GNUPLOT_FAILED,  /* it ended with an error, took too long or drew nothing */
} GnuplotResult;

/* Has somebody pressed Ctrl-C? Asked again and again while gnuplot is at work. */
typedef bool (*GnuplotStop)(void);

/* Runs `script` (a file name without its folder) inside `folder` and lets it draw folder/`picture`.
 * The script finds the name of the file to draw in its variable `picture`; that is a temporary one,
 * renamed when it holds a whole PNG. gnuplot is ended after `seconds`, and at once when
 * `stop` (may be NULL) says so, with all it has started. It runs in a process group of its own, so
 * that Ctrl-C in the terminal does not leave a half-drawn picture. Unless the
 * picture was drawn the error has one line, with gnuplot's own message where it gave one. */
GnuplotResult gnuplot_run(const char *folder, const char *script, const char *picture, int seconds,
                          GnuplotStop stop, Error *error);

#endif
