/* Text as pixels: dots at scale 1, smoothed outlines above. */
#include <stdlib.h>

#include "show/font.h"

/* A field of dots, one byte each, 0 or 1. Reading outside it gives 0. */
typedef struct Dots {
    int width, height;
    uint8_t *at;
} Dots;

static bool dots_make(Dots *dots, int width, int height) {
    dots->width = width;
    dots->height = height;
    dots->at = calloc((size_t)width * (size_t)height + 1, 1);
    return dots->at != NULL;
}

static int dot_get(const Dots *dots, int x, int y) {
    bool inside = x >= 0 && y >= 0 && x < dots->width && y < dots->height;
    return inside ? dots->at[(size_t)y * (size_t)dots->width + (size_t)x] : 0;
}

static void dot_set(Dots *dots, int x, int y, int dot) {
    dots->at[(size_t)y * (size_t)dots->width + (size_t)x] = (uint8_t)dot;
}

static bool text_dots(const char *text, Dots *dots) {
    if (!dots_make(dots, font_width(text), FONT_HEIGHT)) {
        return false;
    }
    Glyph glyph;
    for (int left = 0; font_next(&text, &glyph); left += glyph.width + FONT_GAP) {
        for (int y = 0; y < FONT_HEIGHT; y++) {
            for (int x = 0; x < glyph.width; x++) {
                dot_set(dots, left + x, y, glyph.rows[y] >> x & 1);
            }
        }
    }
    return true;
}

/* Doubles the field and rounds its corners: a quarter of a dot takes the colour of the two
 * neighbours it touches when they agree and their opposites differ. (This is the rule known as EPX,
 * E. Johnston 1992, and as Scale2x.) Replaces `dots`. With `fill_only` dots are added but none
 * taken away: in the first doubling that keeps the square corners which tell a D from an O. */
static bool dots_double(Dots *dots, bool fill_only) {
    Dots twice;
    if (!dots_make(&twice, 2 * dots->width, 2 * dots->height)) {
        return false;
    }
    for (int y = 0; y < dots->height; y++) {
        for (int x = 0; x < dots->width; x++) {
            int dot = dot_get(dots, x, y);
            int up = dot_get(dots, x, y - 1), down = dot_get(dots, x, y + 1);
            int left = dot_get(dots, x - 1, y), right = dot_get(dots, x + 1, y);
            bool corner = up != down && left != right && !(dot && fill_only);
            dot_set(&twice, 2 * x, 2 * y, corner && up == left ? up : dot);
            dot_set(&twice, 2 * x + 1, 2 * y, corner && up == right ? up : dot);
            dot_set(&twice, 2 * x, 2 * y + 1, corner && down == left ? down : dot);
            dot_set(&twice, 2 * x + 1, 2 * y + 1, corner && down == right ? down : dot);
        }
    }
    free(dots->at);
    *dots = twice;
    return true;
}

enum { FINE = 8 /* three doublings */, SAMPLES = 4 };

/* How much of an output pixel the fine dots cover, by 4 x 4 samples in it. */
static uint8_t pixel_cover(const Dots *fine, int x, int y, int scale) {
    int hits = 0;
    for (int j = 0; j < SAMPLES; j++) {
        for (int i = 0; i < SAMPLES; i++) {
            int fine_x = (2 * (SAMPLES * x + i) + 1) * FINE / (2 * SAMPLES * scale);
            int fine_y = (2 * (SAMPLES * y + j) + 1) * FINE / (2 * SAMPLES * scale);
            hits += dot_get(fine, fine_x, fine_y);
        }
    }
    return (uint8_t)(hits * 255 / (SAMPLES * SAMPLES));
}

bool text_mask(const char *text, int scale, TextMask *mask) {
    Dots dots;
    *mask = (TextMask){0};
    if (!text_dots(text, &dots)) {
        return false;
    }
    mask->width = dots.width * scale;
    mask->height = dots.height * scale;
    mask->coverage = malloc((size_t)mask->width * (size_t)mask->height + 1);
    bool ok = mask->coverage && dots_double(&dots, true) && dots_double(&dots, false) &&
              dots_double(&dots, false);
    for (int y = 0; ok && y < mask->height; y++) {
        for (int x = 0; x < mask->width; x++) {
            uint8_t plain = dot_get(&dots, x * FINE + FINE / 2, y * FINE + FINE / 2) ? 255 : 0;
            mask->coverage[(size_t)y * (size_t)mask->width + (size_t)x] =
                scale == 1 ? plain : pixel_cover(&dots, x, y, scale);
        }
    }
    free(dots.at);
    if (!ok) {
        text_mask_free(mask);
    }
    return ok;
}

void text_mask_free(TextMask *mask) {
    free(mask->coverage);
    *mask = (TextMask){0};
}
