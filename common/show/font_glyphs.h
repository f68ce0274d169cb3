/* The hand-drawn part of the built-in font: one bitmap per character. Use it through show/font.h.
 */
#ifndef SHOW_FONT_GLYPHS_H
#define SHOW_FONT_GLYPHS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    FONT_WIDTH = 7,     /* widest character, in dots */
    FONT_HEIGHT = 13,   /* from the accent of a capital down to the tail of a g */
    FONT_CAP_TOP = 3,   /* row of the top of a capital */
    FONT_SMALL_TOP = 5, /* row of the top of an x */
    FONT_BASELINE = 10, /* lowest row of letters without a tail */
};

/* Bit x of row y is set where column x has ink; width counts columns from the left, without the gap
 * to the next character. */
typedef struct Glyph {
    int width;
    uint8_t rows[FONT_HEIGHT];
} Glyph;

/* The bitmap of a character that was drawn by hand; false when there is none. */
bool glyph_drawn(uint32_t code, Glyph *glyph);

#endif
