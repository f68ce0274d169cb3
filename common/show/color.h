/* Colours: maps from a number in [0, 1] to red, green and blue.
 *
 * The maps are curves in OKLab (B. Ottosson, "A perceptual color space for image processing",
 * 2020), where equal distances look about equally large. Each is walked at constant speed, so equal
 * steps of the value look like equal steps of the colour. */
#ifndef SHOW_COLOR_H
#define SHOW_COLOR_H

#include <stdint.h>

typedef struct Color {
    uint8_t red, green, blue;
} Color;

typedef enum ColorMap {
    COLOR_SEQUENTIAL, /* nearly white at 0, through green and blue, to a dark violet at 1 */
    COLOR_DIVERGING,  /* blue at 0, white at 0.5, red at 1 */
} ColorMap;

enum { COLOR_STEPS = 256 };

/* A map worked out: entry i is the colour of i / (COLOR_STEPS - 1). */
typedef struct ColorTable {
    Color colors[COLOR_STEPS];
} ColorTable;

/* A point in OKLab: lightness 0 (black) to 1 (white), green-red, blue-yellow. */
typedef struct Lab {
    double lightness, a, b;
} Lab;

ColorTable color_table(ColorMap map);

/* The colour of `value` in [0, 1]; values outside are clamped. `value` must not be NaN. */
Color color_of(const ColorTable *table, double value);

/* OKLab of an sRGB colour; used to measure the maps and to choose readable text colours. */
Lab color_lab(Color color);

/* Black or white, whichever is easier to read on `background`. */
Color color_text_on(Color background);

#endif
