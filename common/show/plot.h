/* Curves and bars, drawn by gnuplot where it is installed.
 *
 * A plot is written as two files that stay beside the picture: NAME.tsv (the numbers) and NAME.gp
 * (a script that reads them); `gnuplot NAME.gp` inside the folder draws NAME.png, today or in ten
 * years. Labels come out as typed: nothing in them is markup. Numbers that are seconds belong into
 * a plot whose name starts with "timing_". */
#ifndef SHOW_PLOT_H
#define SHOW_PLOT_H

#include "show/gnuplot.h"

typedef enum PlotStyle {
    PLOT_LINES,        /* a line through the points */
    PLOT_LINES_POINTS, /* the same with a mark on every point */
    PLOT_POINTS,       /* marks alone */
    PLOT_STEPS,        /* a staircase */
    PLOT_BARS,         /* bars; several such series stand side by side */
} PlotStyle;

/* One curve. Points are drawn in the order given; a NaN or infinite y, or one that a log axis
 * cannot show, leaves a gap. n may be 0. */
typedef struct PlotSeries {
    const char *label;
    const double *x, *y;      /* (n) each */
    const double *low, *high; /* (n) each, an error band (whiskers for bars, points, and
                               * series that stand beside one another), or both NULL */
    int n;
    PlotStyle style;
} PlotSeries;

/* A straight line across the plot, such as a theory or chance level. */
typedef struct PlotLine {
    const char *label; /* NULL: not in the legend */
    double at;         /* y of a horizontal line, x of a vertical one */
    bool vertical;
} PlotLine;

typedef struct Plot {
    const char *name; /* file name without ending: letters, digits, '_' and '-' */
    const char *title, *x_label, *y_label;
    bool x_log, y_log;
    double x_min, x_max, y_min, y_max; /* ranges; equal: chosen from the data */
    const PlotSeries *series;
    int count;
    const PlotLine *lines;
    int line_count;
    const char *const *x_names; /* texts at x = 0, 1, 2 ... instead of numbers, or NULL */
    int x_name_count;
    bool beside; /* few places at x, each for all series: their marks stand beside one another
                    around it, so that equal values do not hide each other */
    const int
        *pairs; /* (count) or NULL: k > 0 makes a series the companion of series k - 1, in its
                   colour but dashed and with open marks; 0: solid (bars keep their colours) */
} Plot;

typedef enum PlotResult {
    PLOT_FAILED,         /* .tsv or .gp could not be written: the error says why */
    PLOT_DRAWN,          /* .tsv, .gp and .png are there */
    PLOT_NOT_ASKED,      /* .tsv and .gp are there; `draw` was false */
    PLOT_NO_GNUPLOT,     /* .tsv and .gp are there; no gnuplot on PATH */
    PLOT_GNUPLOT_FAILED, /* .tsv and .gp are there; the error has gnuplot's own first line */
} PlotResult;

/* Writes folder/NAME.tsv and folder/NAME.gp (the folder must exist) and, when `draw`, lets gnuplot
 * make folder/NAME.png from them, unless `stop` (see gnuplot.h; may be NULL) ends it. For every
 * result but PLOT_DRAWN and PLOT_NOT_ASKED the error has one line that says what happened. When no
 * picture is drawn an older one of that name is removed: it would show other numbers than those
 * beside it. NAME.tsv has the columns series (1, 2, ...), x, y, low, high (NaN where there is
 * none), label and, with x_names, name; tab, newline and backslash in texts are written as \t, \n
 * and \\. */
PlotResult plot_write(const char *folder, const Plot *plot, bool draw, GnuplotStop stop,
                      Error *error);

/* One line that says how to draw the plots of a folder later: "to draw the curves: install gnuplot,
 * then: cd FOLDER && gnuplot *.gp", without the installing where gnuplot is there (but failed). */
void plot_later(const char *folder, bool installed, char *text, size_t size);

#endif
