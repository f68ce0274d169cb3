/* Where everything in a picture of heatmaps goes. Used by heatmap.c and heatmap_draw.c only. */
#ifndef SHOW_HEATMAP_LAYOUT_H
#define SHOW_HEATMAP_LAYOUT_H

#include "show/heatmap.h"

enum { LABEL_SIZE = 128, LINE_SIZE = 256, LINES_MAX = 3 };

/* A text broken into lines. */
typedef struct Lines {
    int count;
    char text[LINES_MAX][LINE_SIZE];
} Lines;

/* One map with its labels. Sizes and places are in pixels. */
typedef struct Frame {
    const Heatmap *map;
    double low, high;           /* values of the first and last colour */
    int row_widest, col_widest; /* widest labels, in dots of the font */
    int row_dots, col_dots;     /* the same, cut to what the picture has room for */
    int row_step, col_step;     /* every how many rows and columns a label stands */
    bool turned;                /* column labels are read upwards */
    bool row_named, col_named;  /* labels and axis name stand here, not at another map only */
    Lines title;
    int left, top, right; /* room for texts around the cells; `right` is a colour bar of its own */
    int x, y, width, height; /* the field of cells */
    int slot_x, slot_width;  /* what the map may take up from left to right */
} Frame;

typedef struct Layout {
    Frame *frames;
    int count, columns, rows;
    int scale, title_scale; /* pixels per dot of the font */
    int name_scale;         /* the same for the titles of the maps */
    int name_width;         /* pixels a line of such a title may take up, if its slot has them */
    int cell_width, cell_height;
    int squeeze_width, squeeze_height; /* size of a field with more cells than pixels */
    int width, height;                 /* of the picture */
    Lines title;
    bool shared_bar; /* one colour bar for all */
    bool rows_alike; /* in every row of the grid all maps have the same row labels */
    bool cols_alike; /* in every column all have the same column labels */
    int sharing;     /* 1: only the first map of a row shows them; 2: also for columns */
    bool marked;     /* some cells are outlined, so that there is a legend */
    int bar_x, bar_y, bar_height, bar_width, legend_y;
} Layout;

/* Works everything out; release with layout_free() whatever the result. */
bool layout_make(Layout *layout, const Heatmap *maps, int count, int columns, const char *title,
                 Error *error);

void layout_free(Layout *layout);

/* Pixels between the borders of things. */
int layout_gap(const Layout *layout);

/* Pixels from one line of text to the next. */
int layout_line(int scale);

/* Dots of the widest number beside a colour bar of this height. */
int bar_dots(double low, double high, int ticks);

/* How many numbers at most stand beside a colour bar of that many pixels. */
int bar_ticks(int height, int scale);

/* The text of row or column `index`: its label with blanks and control characters made visible, or
 * its number when there are no labels. */
void label_text(const char *const *labels, int index, char out[LABEL_SIZE]);

/* Breaks a text at blanks into at most `lines` lines of `dots` dots; the rest is cut with an
 * ellipsis. NULL gives no line. */
void lines_break(Lines *out, const char *text, int dots, int lines);

/* The values of the first and last colour: the map's own or chosen from its data. */
void range_choose(const Heatmap *map, double *low, double *high);

#endif
