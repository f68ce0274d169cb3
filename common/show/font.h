/* The built-in bitmap font: proportional, capitals 8 dots high, drawn for this project.
 *
 * It covers ASCII, Latin-1, the French letters U+0152, U+0153 and U+0178, typographic quotes and
 * dashes, the ellipsis, the euro, arrows and a few mathematical signs. Accented letters are built
 * from a letter and an accent, written as one code point or as two. Everything else, control
 * characters included, is drawn as a crossed box. */
#ifndef SHOW_FONT_H
#define SHOW_FONT_H

#include <stddef.h>

#include "show/font_glyphs.h"

/* Dots between two characters. */
enum { FONT_GAP = 1 };

/* Largest scale of text_mask. */
enum { FONT_MAX_SCALE = 4 };

/* The bitmap of a code point; returns false, with the box as the bitmap, when the font has none. */
bool font_glyph(uint32_t code, Glyph *glyph);

/* Takes the next character off the text, together with the combining accents that follow it; false
 * at the end of the text. */
bool font_next(const char **text, Glyph *glyph);

/* Width of a text in dots, without a gap behind it. */
int font_width(const char *text);

/* Copies the text, shortened to at most `width` dots with an ellipsis at its end where necessary.
 * `size` (at least 4) also bounds it. Returns its width in dots. */
int font_shorten(char *out, size_t size, const char *text, int width);

/* A text drawn in grey: coverage 0 to 255 for each pixel, (height, width) row by row. */
typedef struct TextMask {
    int width, height;
    uint8_t *coverage;
} TextMask;

/* Draws a text at 1 to FONT_MAX_SCALE pixels per dot, FONT_HEIGHT * scale pixels high; larger than
 * 1 its outlines are smoothed. Release with text_mask_free(); false when memory runs out. */
bool text_mask(const char *text, int scale, TextMask *mask);

void text_mask_free(TextMask *mask);

#endif
