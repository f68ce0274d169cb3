/* Two small tasks made of digits, for models that read from left to right.
 *
 * Additions of two two-digit numbers; the answer is written backwards, ones first, so that a model
 * can carry:   27+58=580   means 27 + 58 = 085. And random digits, of which nobody can know the
 * next: whoever does has looked. */
#ifndef DATA_DIGITS_H
#define DATA_DIGITS_H

#include "core/rng.h"

/* The digits are 0 .. 9. */
enum { DIGITS_PLUS = 10, DIGITS_EQUALS, DIGITS_START, DIGITS_VOCABULARY };

enum {
    ADDITION_QUESTION = 6, /* "27+58=" */
    ADDITION_ANSWER = 3,   /* "580" */
    ADDITION_LENGTH = ADDITION_QUESTION + ADDITION_ANSWER,
    ADDITION_COUNT = 100 * 100, /* additions there are: 00+00 .. 99+99 */
};

/* Addition number 100 a + b as ids: a, plus, b, equals, and the three digits of a + b from the ones
 * to the hundreds. */
void addition_write(int number, int ids[ADDITION_LENGTH]);

/* B sequences of a start symbol and n random digits: ids (B, n + 1), row by row. */
void digits_draw(Rng *rng, int B, int n, int *ids);

/* ids as text, "27+58=580" ('>' is the start); `text` has room for n + 1 bytes. */
void digits_text(const int *ids, int n, char *text);

#endif
