/* Tables read back. */
#include "io/tsv.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Turns \t, \n, \r and \\ into what they stand for, in place. */
static void unescape(char *cell) {
    char *to = cell;
    for (const char *from = cell; *from; from++) {
        const char *escaped = *from == '\\' && from[1] ? strchr("t\tn\nr\r\\\\", from[1]) : NULL;
        *to++ = escaped ? escaped[1] : *from;
        from += escaped != NULL;
    }
    *to = '\0';
}

/* How many lines and cells the text has at most. */
static void text_measure(const char *text, size_t *lines, size_t *cells) {
    *lines = *cells = 1;
    for (; *text; text++) {
        *lines += *text == '\n';
        *cells += *text == '\n' || *text == '\t';
    }
}

/* Takes the next line, without its end, from `*text`, which moves behind it. */
static char *line_take(char **text) {
    char *line = *text;
    size_t size = strcspn(line, "\n");
    *text += size + (line[size] == '\n');
    line[size] = '\0';
    if (size > 0 && line[size - 1] == '\r') {
        line[size - 1] = '\0';
    }
    return line;
}

/* Cuts a line that is not empty into at most `room` cells. */
static int line_cut(char *line, char **cells, int room) {
    int count = 0;
    while (line && count < room) {
        cells[count] = strsep(&line, "\t");
        unescape(cells[count++]);
    }
    return count;
}

int tsv_next(char **text, char **cells, int room) {
    if (!**text) {
        return -1;
    }
    char *line = line_take(text);
    return *line ? line_cut(line, cells, room) : 0;
}

static void text_split(TsvTable *table, char *text) {
    int cells = 0;
    for (int number = 1; *text; number++) {
        char *line = line_take(&text);
        if (*line) {
            table->line[table->rows] = number;
            table->first[table->rows++] = cells;
            cells += line_cut(line, table->cells + cells, INT_MAX);
        }
    }
    table->first[table->rows] = cells;
}

bool tsv_read(const char *path, size_t limit, TsvTable *table, Error *error) {
    static const char mark[] = "\xEF\xBB\xBF";
    size_t size, lines, cells;
    *table = (TsvTable){0};
    if (!file_read(path, limit, &table->text, &size, error)) {
        return false;
    }
    if (strlen(table->text) != size) {
        tsv_free(table);
        return error_set(error, "%s: this is no table: it has a zero byte in it", path);
    }
    text_measure(table->text, &lines, &cells);
    table->cells = malloc(cells * sizeof *table->cells);
    table->first = malloc((lines + 1) * sizeof *table->first);
    table->line = malloc(lines * sizeof *table->line);
    if (!table->cells || !table->first || !table->line) {
        tsv_free(table);
        return error_set(error, "%s: not enough memory for this table", path);
    }
    bool marked = strncmp(table->text, mark, sizeof mark - 1) == 0;
    text_split(table, table->text + (marked ? sizeof mark - 1 : 0));
    return true;
}

void tsv_free(TsvTable *table) {
    free(table->text);
    free(table->cells);
    free(table->first);
    free(table->line);
    *table = (TsvTable){0};
}

int tsv_width(const TsvTable *table, int row) {
    return row >= 0 && row < table->rows ? table->first[row + 1] - table->first[row] : 0;
}

const char *tsv_cell(const TsvTable *table, int row, int column) {
    bool there = column >= 0 && column < tsv_width(table, row);
    return there ? table->cells[table->first[row] + column] : "";
}

const char *tsv_named(const TsvTable *table, int row, const char *name) {
    for (int column = 0; column < tsv_width(table, 0); column++) {
        if (strcmp(tsv_cell(table, 0, column), name) == 0) {
            return tsv_cell(table, row, column);
        }
    }
    return "";
}

const char *tsv_value(const TsvTable *table, const char *key) {
    for (int row = 0; row < table->rows; row++) {
        if (tsv_width(table, row) > 1 && strcmp(tsv_cell(table, row, 0), key) == 0) {
            return tsv_cell(table, row, 1);
        }
    }
    return NULL;
}

bool tsv_is(const TsvTable *table, int row, const char *cells) {
    int column = 0;
    for (bool more = true; more; column++) {
        size_t size = strcspn(cells, "\t");
        const char *cell = tsv_cell(table, row, column);
        if (strlen(cell) != size || memcmp(cell, cells, size) != 0) {
            return false;
        }
        more = cells[size] == '\t';
        cells += size + more;
    }
    return tsv_width(table, row) == column;
}

bool tsv_read_number(const char *cell, double *value) {
    char *end;
    *value = strtod(cell, &end);
    return end != cell && *end == '\0' && !isspace((unsigned char)*cell);
}

bool tsv_read_whole(const char *cell, long least, long most, int *value) {
    char *end;
    errno = 0;
    long number = strtol(cell, &end, 10);
    bool whole = end != cell && *end == '\0' && !isspace((unsigned char)*cell) && errno == 0;
    *value = whole && number >= least && number <= most ? (int)number : 0;
    return whole && number >= least && number <= most;
}
