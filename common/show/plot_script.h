/* The gnuplot script of a plot. Used by plot.c only. */
#ifndef SHOW_PLOT_SCRIPT_H
#define SHOW_PLOT_SCRIPT_H

#include "show/plot.h"

/* What one axis shows: a range that holds all data, and whether there was any data. */
typedef struct AxisRange {
    double low, high;
    bool empty;
} AxisRange;

/* Columns of NAME.tsv, counted from one as gnuplot does. */
enum { COLUMN_SERIES = 1, COLUMN_X, COLUMN_Y, COLUMN_LOW, COLUMN_HIGH, COLUMN_LABEL, COLUMN_NAME };

/* Ranges of the axes: as asked for or around everything that is drawn, with a little air. */
AxisRange plot_range_x(const Plot *plot);
AxisRange plot_range_y(const Plot *plot);

/* How far a series of a plot with `beside` stands from its x, in units of the axis (of ln x where
 * it is logarithmic): all of them together take up most of the least distance between two places. 0
 * in other plots. */
double plot_beside(const Plot *plot, int index);

/* Writes "set xtics ..." or "set ytics ..." for an axis ('x' or 'y'): names, powers of ten, or
 * round numbers where a logarithmic axis is short. */
void plot_ticks_write(FILE *out, const Plot *plot, char axis, AxisRange range);

/* Writes the whole script. */
void plot_script_write(FILE *out, const Plot *plot);

/* Writes a text as a gnuplot string expression: single quotes, in which nothing is special, joined
 * by line breaks where the text has them or a line would get longer than `wrap` characters. */
void script_text(FILE *out, const char *text, size_t wrap);

/* The same for a text at an axis, which gnuplot takes for a number format: '%' is doubled.
 * Only the text's own line breaks count. */
void script_tick(FILE *out, const char *text);

/* Lines of the names at the x axis that have most of them. */
int plot_name_lines(const Plot *plot);

#endif
