/* The terminal: prose, numbers, small heatmaps and tables that everybody can read.
 *
 * What the other end can show is found out once, in terminal_new(), and every function keeps to it:
 * no escape sequences when NO_COLOR is set, TERM is dumb or the output goes to a pipe or a file; no
 * byte above 127 unless the locale says UTF-8 (accents lose their accent, what has no ASCII form
 * becomes '?'). Control characters, which a data file may contain, never reach the terminal. */
#ifndef SHOW_TERMINAL_H
#define SHOW_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    TERMINAL_MAX_WIDTH = 100, /* no line of prose is longer */
    TERMINAL_PIPE_WIDTH = 80, /* what a pipe or a file gets */
};

typedef struct Terminal {
    FILE *out;
    int handle;   /* where that ends, to be asked for the size of the window */
    bool is_tty;  /* somebody watches: lines may be rewritten in place */
    bool color;   /* escape sequences are welcome */
    bool unicode; /* the locale is UTF-8 */
} Terminal;

/* Looks at `out` and at the environment: NO_COLOR, TERM, LC_ALL, LC_CTYPE, LANG. `no_color` is the
 * flag of that name. */
Terminal terminal_new(FILE *out, bool no_color);

/* Rows and columns of the window: as the terminal says, else as LINES and COLUMNS do, else 24 x 80.
 * Asked anew each time, a window can be resized. */
typedef struct TerminalWindow {
    int rows, columns;
} TerminalWindow;
TerminalWindow terminal_window(const Terminal *term);

/* Columns to write in, 8 .. TERMINAL_MAX_WIDTH; 80 where there is no terminal. */
int terminal_width(const Terminal *term);

/* ---- text ---- */

typedef enum Style {
    STYLE_PLAIN,
    STYLE_BOLD,
    STYLE_DIM,
    STYLE_GREEN,
    STYLE_RED,
    STYLE_YELLOW,
} Style;

/* Writes text as it is, but for what this terminal cannot show. Newlines are kept, tabs become a
 * space. */
void terminal_put(const Terminal *term, Style style, const char *text);

/* The same, printf-style and plain. */
void terminal_print(const Terminal *term, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A paragraph: words are wrapped at the width; a newline in the text starts a new line, and lines
 * that begin with spaces keep them (their continuation lines, too). Ends with a newline. */
void terminal_prose(const Terminal *term, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void terminal_prose_indented(const Terminal *term, Style style, int indent, const char *text);

/* A paragraph behind a styled tag, such as "[holds]"; further lines are indented below it. */
void terminal_prose_tagged(const Terminal *term, Style style, const char *tag, const char *text);

/* What terminal_put would write for this text, on one line, in memory of its own: free() it. Its
 * utf8_width() is the number of columns it will take. */
char *terminal_clean(const Terminal *term, const char *text);

/* The same cut or padded with spaces to exactly `columns` columns (right: spaces first). */
char *terminal_fit(const Terminal *term, const char *text, int columns, bool right);

/* ---- numbers ---- */

/* "name (3)" and the n values on as many lines as they need. */
void terminal_vector(const Terminal *term, const char *name, const float *values, int n);

/* "name (2, 3)" and the numbers in columns, values (rows, cols) row by row. Labels may be NULL.
 * What does not fit the width, or the 24 rows a matrix may take, is left out and marked "...". */
void terminal_matrix(const Terminal *term, const char *name, const float *values, int rows,
                     int cols, const char *const *row_labels, const char *const *col_labels);

/* A small heatmap: a block of colour for each cell, or one of " .:-=+*#%@" where there is no
 * colour, and the value beside it where there is room. Rows are queries from top to bottom, columns
 * are keys. The title names it, a last line says what the ends of the scale stand for. Labels may
 * be NULL. A map with more cells than fit shows averages of neighbours and says so; nan is '?'. */
void terminal_heatmap(const Terminal *term, const char *title, const float *values, int rows,
                      int cols, const char *const *row_labels, const char *const *col_labels);

/* ---- tables ---- */

typedef struct TableRow {
    char *text;  /* cells separated by tabs */
    Style style; /* of the first cell */
} TableRow;

/* A table that is filled row by row and printed once all widths are known. Cells are separated by
 * tabs: table_row(&table, "%d\t%.2f", length, share). Columns of numbers are set to the right. */
typedef struct Table {
    TableRow *rows; /* rows[0] is the header */
    int count, capacity;
} Table;

Table table_new(const char *header);
void table_row(Table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_row_styled(Table *table, Style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints it; where it is too wide, the text of the widest columns is wrapped. */
void terminal_table(const Terminal *term, const Table *table);
void table_free(Table *table);

#endif
