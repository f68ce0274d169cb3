/* The inputs of a check, drawn at random: words of the form NAME=WHAT, separated by spaces.
 *
 *     B=2            a whole number; or an expression of earlier ones, from left to right: H*D+1
 *     B=1..3         one of those, drawn
 *     flag=0|1       each of them in turn
 *     eps=0.1:0.6    a number between them
 *     x=n(B,S)       (B, S) numbers from N(0, 1); x=n(B,S)*8: eight times as large
 *     x=s(B,S)       about half of them, the others 0
 *     x=u(B,S)       from -1 to 1; x=p(B,S): from 0.05 to 1
 *     len=i(B;0..S)  (B) whole numbers
 *
 * Numbers have two decimals, so that a report can show them as they are. */
#ifndef GRADE_INPUTS_H
#define GRADE_INPUTS_H

#include "core/rng.h"
#include "grade/items.h"
#include "io/file.h"

/* Draws those of one trial. The first one (0) takes the low end of every range of sizes, so that
 * what is shown first is small. The numbers are of malloc: inputs_free(). False with an error for
 * what cannot be read. */
bool inputs_draw(Items *inputs, const char *spec, Rng *rng, int trial, Error *error);
void inputs_free(Items *inputs);

/* "B = 1, x (1, 3) = [0.25, -1.3, ..]": at most `most` characters, long arrays cut. */
void inputs_say(const Items *inputs, char *text, size_t most);

#endif
