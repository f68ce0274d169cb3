/* Curves read back from the files that plot_write() left: NAME.tsv and NAME.gp.
 *
 * The numbers come from the table. Titles, logarithmic axes, styles and lines across are looked up
 * in the script, which is read as a text and never run: a folder may come from anybody, and a
 * script may do anything. */
#ifndef SHOW_PLOT_FILE_H
#define SHOW_PLOT_FILE_H

#include "io/tsv.h"
#include "show/plot.h"

enum {
    PLOT_FILE_LIMIT = 1 << 24,  /* bytes of the table */
    PLOT_FILE_SERIES = 64,      /* curves in it */
    PLOT_FILE_LINES = 8,        /* lines across; further ones are left out */
    PLOT_FILE_NAMES = 256,      /* places at x with a name */
    PLOT_FILE_TEXT = 256,       /* bytes of a title or label */
    PLOT_FILE_SCRIPT = 1 << 20, /* bytes of the script that are read */
};

typedef struct PlotFile {
    Plot plot; /* to be drawn again as it is; all it points to belongs to this */
    PlotSeries series[PLOT_FILE_SERIES];
    PlotLine lines[PLOT_FILE_LINES];
    const char *x_names[PLOT_FILE_NAMES];
    char name[128], title[PLOT_FILE_TEXT], x_label[PLOT_FILE_TEXT], y_label[PLOT_FILE_TEXT];
    char line_labels[PLOT_FILE_LINES][PLOT_FILE_TEXT];
    int number_of[PLOT_FILE_SERIES]; /* the number of a series in the table */
    bool x_named;                    /* the table has a column of names */
    double *numbers;
    TsvTable table;
} PlotFile;

/* Is there a table with the header of a curve at folder/NAME.tsv? False for any other file. */
bool plot_file_is(const char *folder, const char *name);

/* Reads folder/NAME.tsv and what folder/NAME.gp adds; without a script (or one nobody understands)
 * curves are lines on linear axes, titled by their name. A series without bands has low and high
 * NULL. Errors, one line with the file and line in it: as tsv_read(), another header, a line with
 * too few cells, no number where one belongs, series out of order, too many of them. The struct
 * points into itself: do not copy it. Release with plot_file_free(). */
bool plot_file_read(const char *folder, const char *name, PlotFile *file, Error *error);
void plot_file_free(PlotFile *file);

#endif
