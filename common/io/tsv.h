/* .tsv files: text in a cell, numbers in a cell, and whole tables read back. */
#ifndef IO_TSV_H
#define IO_TSV_H

#include <stdio.h>

#include "io/file.h"

/* ---- writing ---- */

/* Writes the text with tab, newline, return and backslash as \t, \n, \r and \\. */
void tsv_put(FILE *out, const char *text);

/* The shortest decimal text from which the same number is read back: "0.25", "nan", a whole number
 * in full. */
void tsv_number(FILE *out, double value);

/* The same for a float32, for which fewer digits do. */
void tsv_float(FILE *out, float value);

/* ---- reading ---- */

/* A table in memory. Lines may differ in their number of cells; empty lines are left out. */
typedef struct TsvTable {
    char *text;   /* what the cells point into */
    char **cells; /* of all lines, one after the other */
    int *first;   /* (rows + 1): where in `cells` a line begins */
    int *line;    /* (rows): its number in the file, from 1 */
    int rows;
} TsvTable;

/* Reads a file of at most `limit` bytes, all its cells as they were before tsv_put(). A byte order
 * mark and returns at the ends of lines are skipped. Errors: as file_read(), and a zero byte, which
 * no text has; then the table is empty. Release with tsv_free(). */
bool tsv_read(const char *path, size_t limit, TsvTable *table, Error *error);
void tsv_free(TsvTable *table);

/* How many cells line `row` has, from 0; and one of them, "" where the line ends before it. */
int tsv_width(const TsvTable *table, int row);
const char *tsv_cell(const TsvTable *table, int row, int column);

/* The cell of a line in the column that the first line calls `name`; "" when there is none. */
const char *tsv_named(const TsvTable *table, int row, const char *name);

/* The second cell of the first line that begins with `key`, or NULL. */
const char *tsv_value(const TsvTable *table, const char *key);

/* Are the cells of a line exactly these, given with tabs between them? */
bool tsv_is(const TsvTable *table, int row, const char *cells);

/* A table too large to hold at once, line by line: takes one from `*text`, which moves behind it,
 * and cuts it in place into cells, as they were before tsv_put(). Cells beyond `room` are dropped.
 * Returns how many there are, 0 for an empty line, -1 at the end of the text. */
int tsv_next(char **text, char **cells, int room);

/* The number that is the whole of a cell; "nan", "inf" and "-inf" are some. */
bool tsv_read_number(const char *cell, double *value);

/* The same for a whole number from `least` to `most`. */
bool tsv_read_whole(const char *cell, long least, long most, int *value);

#endif
