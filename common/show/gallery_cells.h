/* Reading the .tsv files of a run: lines cut at their tabs. Nothing in them is trusted. */
#ifndef SHOW_GALLERY_CELLS_H
#define SHOW_GALLERY_CELLS_H

#include "io/file.h"

/* Puts a '?' for every zero byte, which would hide what comes behind it. */
void cells_clean(char *text, size_t size);

/* Takes one line from `*text`, which moves behind it, and cuts it in place: \t, \n, \r and \\ in a
 * cell become what they stand for, a return before the newline goes. Cells beyond `room` are
 * dropped. Returns the number of cells, 0 for an empty line, -1 at the end of the text. */
int cells_next(char **text, char **cells, int room);

enum { CELLS_MOST_COLUMNS = 16 };

/* A small file of cells. */
typedef struct Cells {
    char *text; /* what the cells point into */
    char *(*row)[CELLS_MOST_COLUMNS];
    int *width; /* (rows): cells of each */
    int rows;
    int left_out; /* lines beyond the bound */
} Cells;

/* Reads at most `most_rows` lines of a file of at most `limit` bytes; empty lines are skipped. */
bool cells_read(Cells *cells, const char *path, size_t limit, int most_rows, Error *error);
void cells_free(Cells *cells);

/* The cell in the column that row 0 calls `name`; "" when there is none. */
const char *cells_named(const Cells *cells, int row, const char *name);

/* The second cell of the row whose first is `key`; NULL when there is none. */
const char *cells_value(const Cells *cells, const char *key);

#endif
