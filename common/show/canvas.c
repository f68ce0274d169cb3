#include "show/canvas.h"

#include <stdlib.h>

#include "show/font.h"

bool canvas_make(Canvas *canvas, int width, int height, Color background, Error *error) {
    *canvas = (Canvas){.width = width, .height = height};
    canvas->pixels = malloc((size_t)width * (size_t)height * 3);
    if (!canvas->pixels) {
        return error_set(error, "a picture of %d x %d pixels: not enough memory", width, height);
    }
    canvas_fill(canvas, 0, 0, width, height, background);
    return true;
}

void canvas_free(Canvas *canvas) {
    free(canvas->pixels);
    *canvas = (Canvas){0};
}

static uint8_t *pixel_at(Canvas *canvas, int x, int y) {
    bool inside = x >= 0 && y >= 0 && x < canvas->width && y < canvas->height;
    return inside ? canvas->pixels + 3 * ((size_t)y * (size_t)canvas->width + (size_t)x) : NULL;
}

void canvas_dot(Canvas *canvas, int x, int y, Color color) {
    uint8_t *pixel = pixel_at(canvas, x, y);
    if (pixel) {
        pixel[0] = color.red;
        pixel[1] = color.green;
        pixel[2] = color.blue;
    }
}

void canvas_fill(Canvas *canvas, int x, int y, int width, int height, Color color) {
    for (int j = 0; j < height; j++) {
        for (int i = 0; i < width; i++) {
            canvas_dot(canvas, x + i, y + j, color);
        }
    }
}

void canvas_outline(Canvas *canvas, int x, int y, int width, int height, int thick, Color color) {
    canvas_fill(canvas, x, y, width, thick, color);
    canvas_fill(canvas, x, y + height - thick, width, thick, color);
    canvas_fill(canvas, x, y, thick, height, color);
    canvas_fill(canvas, x + width - thick, y, thick, height, color);
}

static void pixel_blend(Canvas *canvas, int x, int y, Color color, int coverage) {
    uint8_t *pixel = coverage > 0 ? pixel_at(canvas, x, y) : NULL;
    if (pixel) {
        const uint8_t ink[3] = {color.red, color.green, color.blue};
        for (int i = 0; i < 3; i++) {
            pixel[i] = (uint8_t)((ink[i] * coverage + pixel[i] * (255 - coverage) + 127) / 255);
        }
    }
}

/* Draws the mask with its reading direction along x or, `up`, against y. Without memory for it the
 * text is left out: a picture that lacks a label beats none. */
static void text_draw(Canvas *canvas, int x, int y, const char *text, int scale, Color color,
                      bool up) {
    TextMask mask;
    if (!text_mask(text, scale, &mask)) {
        return;
    }
    const uint8_t *coverage = mask.coverage;
    for (int j = 0; j < mask.height; j++) {
        for (int i = 0; i < mask.width; i++) {
            int to_x = up ? x + j : x + i, to_y = up ? y - i : y + j;
            pixel_blend(canvas, to_x, to_y, color, *coverage++);
        }
    }
    text_mask_free(&mask);
}

void canvas_text(Canvas *canvas, int x, int y, const char *text, int scale, Color color) {
    text_draw(canvas, x, y, text, scale, color, false);
}

void canvas_text_up(Canvas *canvas, int x, int y, const char *text, int scale, Color color) {
    text_draw(canvas, x, y, text, scale, color, true);
}
