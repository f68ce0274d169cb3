/* Round numbers for axes and colour bars. */
#ifndef SHOW_TICKS_H
#define SHOW_TICKS_H

#include <stddef.h>

/* The smallest step of the form 1, 2 or 5 times a power of ten that cuts `span` (> 0) into at most
 * `count` (>= 1) pieces. */
double tick_step(double span, int count);

/* The smallest multiple of `step` that is not below `value`, allowing for rounding errors. */
double tick_first(double value, double step);

/* Writes a multiple of `step` with just the decimals the step needs; very large and very small
 * numbers with an exponent. */
void tick_text(char *out, size_t size, double value, double step);

#endif
