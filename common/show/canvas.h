/* A picture in memory: red, green and blue for every pixel, (height, width, 3) row by row, the
 * origin at the top left. Everything drawn is cut at the borders. */
#ifndef SHOW_CANVAS_H
#define SHOW_CANVAS_H

#include <stdbool.h>

#include "io/file.h"
#include "show/color.h"

/* What a picture says about itself to those who cannot see it: stored in the file, not drawn. Each
 * may be NULL. */
typedef struct CanvasNotes {
    const char *title, *maps, *rows, *columns, *outlines;
} CanvasNotes;

typedef struct Canvas {
    int width, height;
    uint8_t *pixels;
    CanvasNotes notes; /* not owned */
} Canvas;

/* A canvas in one colour, at least 1 x 1; release with canvas_free(). */
bool canvas_make(Canvas *canvas, int width, int height, Color background, Error *error);

void canvas_free(Canvas *canvas);

/* Sets one pixel, or does nothing outside the canvas. */
void canvas_dot(Canvas *canvas, int x, int y, Color color);

/* A filled rectangle. */
void canvas_fill(Canvas *canvas, int x, int y, int width, int height, Color color);

/* The border of a rectangle, `thick` pixels wide, lying inside it. */
void canvas_outline(Canvas *canvas, int x, int y, int width, int height, int thick, Color color);

/* A text whose box of FONT_HEIGHT * scale pixels has its top left corner at (x, y). */
void canvas_text(Canvas *canvas, int x, int y, const char *text, int scale, Color color);

/* A text turned to be read upwards: it starts at (x, y), which is the bottom left corner of its
 * box, and that box is FONT_HEIGHT * scale pixels wide. */
void canvas_text_up(Canvas *canvas, int x, int y, const char *text, int scale, Color color);

/* Writes the canvas as a PNG file, the same bytes for the same pixels and notes (which become text
 * chunks named Title, Maps, Rows, Columns and Outlines). On an error (folder missing
 * or not writable, disk full) no file is left behind. */
bool canvas_write_png(const Canvas *canvas, const char *path, Error *error);

#endif
