/* What a character becomes where only ASCII can be shown. */
#ifndef SHOW_ASCII_H
#define SHOW_ASCII_H

#include <stdint.h>

/* The nearest ASCII text of a code point: "e" for é, "oe" for œ, "->" for an arrow, "" for a
 * combining accent, "?" where there is none. Valid until the end of the program for everything but
 * ASCII itself, which is written to `own` and returned. */
const char *ascii_of(uint32_t code, char own[2]);

#endif
