/* Heatmaps as PNG files: attention weights with the tokens on both axes.
 *
 * Rows are queries and run from top to bottom, columns are keys and run from left to right; a word
 * that occurs twice keeps two rows or columns. The text is drawn with the built-in font of
 * show/font.h, so no font and no library but libpng is needed, and the same values always give the
 * same bytes. */
#ifndef SHOW_HEATMAP_H
#define SHOW_HEATMAP_H

#include "io/file.h"
#include "show/color.h"

/* No picture is larger than this on either side, in pixels. */
enum { HEATMAP_MAX_SIDE = 1600 };

/* One map. Only values, rows and cols are required; the rest may be left zero. */
typedef struct Heatmap {
    const char *title;
    const float *values; /* (rows, cols), row by row; what is not finite is hatched grey */
    int rows, cols;
    const char *const *row_labels; /* rows texts or NULL: numbered ticks */
    const char *const *col_labels; /* cols texts or NULL: numbered ticks */
    const char *row_axis;          /* name of the rows, e.g. "query (decoder step)" */
    const char *col_axis;          /* name of the columns, e.g. "key (source)" */
    float min, max; /* values of the first and last colour; equal: chosen from the data, from 0 when
                       none is negative (sequential) or alike on both sides of 0 (diverging) */
    ColorMap map;
    const unsigned char *marks; /* (rows, cols) or NULL: cells that are not 0 get an outline, such
                                   as those of a gold alignment */
    const char *marks_label;    /* what the outlined cells are; NULL: "gold alignment" */
    bool show_values;           /* write the value into each cell where it fits */
} Heatmap;

/* Draws `count` maps as a grid with `columns` maps in a row (row by row; fewer than one counts as
 * one) and the title above all of them (may be NULL). Maps of equal colour range share one colour
 * bar, so give the heads of a layer the same min and max: then they can be compared, too.
 * Where that allows larger text or larger maps, labels that all maps of a row or column of the grid
 * have in common are written once. Cells are as large as the picture allows; a map with more cells
 * than pixels shows block averages. Titles and names of axes are stored in the file as well, as
 * text for whoever shows it (see canvas.h). Errors: nothing to draw, more maps than fit, an
 * unwritable folder, a full disk; then no file is left behind. */
bool heatmap_write_png(const char *path, const Heatmap *maps, int count, int columns,
                       const char *title, Error *error);

#endif
