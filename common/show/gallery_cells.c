#include "show/gallery_cells.h"

#include <stdlib.h>
#include <string.h>

/* Undoes \t, \n, \r and \\ in place. */
static void cell_unescape(char *cell) {
    char *to = cell;
    for (const char *from = cell; *from != '\0'; from++) {
        static const char letters[] = "tnr\\", meant[] = "\t\n\r\\";
        const char *known = from[0] == '\\' && from[1] != '\0' ? strchr(letters, from[1]) : NULL;
        *to++ = known != NULL ? meant[known - letters] : *from;
        from += known != NULL;
    }
    *to = '\0';
}

void cells_clean(char *text, size_t size) {
    for (char *zero; (zero = memchr(text, '\0', size)) != NULL; *zero = '?') {
        size -= (size_t)(zero - text);
        text = zero;
    }
}

int cells_next(char **text, char **cells, int room) {
    if (**text == '\0') {
        return -1;
    }
    char *line = *text;
    size_t length = strcspn(line, "\n");
    *text += length + (line[length] == '\n');
    line[length] = '\0';
    if (length > 0 && line[length - 1] == '\r') {
        line[length - 1] = '\0';
    }
    int count = 0;
    if (*line == '\0') {
        return 0;
    }
    while (line != NULL && count < room) {
        char *tab = strchr(line, '\t');
        if (tab != NULL) {
            *tab++ = '\0';
        }
        cell_unescape(line);
        cells[count++] = line;
        line = tab;
    }
    return count;
}

bool cells_read(Cells *cells, const char *path, size_t limit, int most_rows, Error *error) {
    size_t size;
    *cells = (Cells){0};
    if (!file_read(path, limit, &cells->text, &size, error)) {
        return false;
    }
    cells_clean(cells->text, size);
    cells->row = malloc((size_t)most_rows * sizeof *cells->row);
    cells->width = malloc((size_t)most_rows * sizeof *cells->width);
    if (cells->row == NULL || cells->width == NULL) {
        cells_free(cells);
        return error_set(error, "%s: not enough memory to read it", path);
    }
    char *text = cells->text, *beyond[1];
    for (int width = 0; width >= 0;) {
        bool full = cells->rows == most_rows;
        width = full ? cells_next(&text, beyond, 1)
                     : cells_next(&text, cells->row[cells->rows], CELLS_MOST_COLUMNS);
        if (width > 0 && full) {
            cells->left_out++;
        } else if (width > 0) {
            cells->width[cells->rows++] = width;
        }
    }
    return true;
}

void cells_free(Cells *cells) {
    free(cells->text);
    free(cells->row);
    free(cells->width);
    *cells = (Cells){0};
}

const char *cells_named(const Cells *cells, int row, const char *name) {
    for (int i = 0; cells->rows > 0 && i < cells->width[0] && i < cells->width[row]; i++) {
        if (strcmp(cells->row[0][i], name) == 0) {
            return cells->row[row][i];
        }
    }
    return "";
}

const char *cells_value(const Cells *cells, const char *key) {
    for (int i = 0; i < cells->rows; i++) {
        if (cells->width[i] > 1 && strcmp(cells->row[i][0], key) == 0) {
            return cells->row[i][1];
        }
    }
    return NULL;
}
