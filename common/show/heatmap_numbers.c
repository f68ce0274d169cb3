#include "show/heatmap_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 2, VALUES = 3 }; /* columns: map, part, name, then the values */

static const char header[] = "map\tpart\tname";

/* ---- writing ---- */

static void line_begin(FILE *out, int map, const char *part, const char *name) {
    if (map < 0) {
        fprintf(out, "-\t%s\t", part);
    } else {
        fprintf(out, "%d\t%s\t", map, part);
    }
    tsv_put(out, name ? name : "");
}

static void head_write(FILE *out, int index, const Heatmap *map) {
    if (map->title) {
        line_begin(out, index, "title", map->title);
        putc('\n', out);
    }
    if (map->row_axis || map->col_axis) {
        line_begin(out, index, "axes", map->row_axis);
        putc('\t', out);
        tsv_put(out, map->col_axis ? map->col_axis : "");
        putc('\n', out);
    }
    line_begin(out, index, "scale", map->map == COLOR_DIVERGING ? "diverging" : "sequential");
    putc('\t', out);
    tsv_float(out, map->min);
    putc('\t', out);
    tsv_float(out, map->max);
    putc('\n', out);
    if (map->col_labels) {
        line_begin(out, index, "columns", "");
        for (int c = 0; c < map->cols; c++) {
            putc('\t', out);
            tsv_put(out, map->col_labels[c]);
        }
        putc('\n', out);
    }
}

static void map_write(FILE *out, int index, const Heatmap *map) {
    head_write(out, index, map);
    for (int marks = 0; marks < (map->marks ? 2 : 1); marks++) {
        for (int r = 0; r < map->rows; r++) {
            line_begin(out, index, marks ? "mark" : "row",
                       map->row_labels ? map->row_labels[r] : NULL);
            for (int c = 0; c < map->cols; c++) {
                size_t at = (size_t)r * (size_t)map->cols + (size_t)c;
                putc('\t', out);
                if (marks) {
                    putc(map->marks[at] ? '1' : '0', out);
                } else {
                    tsv_float(out, map->values[at]);
                }
            }
            putc('\n', out);
        }
    }
}

bool heatmap_write_numbers(const char *path, const Heatmap *maps, int count, const char *title,
                           Error *error) {
    AtomicFile file;
    FILE *out = atomic_open(&file, path, error);
    if (!out) {
        return false;
    }
    fprintf(out, "%s\n", header);
    if (title) {
        line_begin(out, -1, "title", title);
        putc('\n', out);
    }
    for (int i = 0; i < count; i++) {
        map_write(out, i, &maps[i]);
    }
    return atomic_commit(&file, error);
}

/* ---- reading ---- */

static bool refuse(const char *path, const TsvTable *table, int row, const char *what,
                   Error *error) {
    return error_set(error, "%s, line %d: %s; these are not the numbers of a heatmap", path,
                     table->line[row], what);
}

static bool part_is(const TsvTable *table, int row, const char *part) {
    return strcmp(tsv_cell(table, row, 1), part) == 0;
}

static bool scale_read(Heatmap *map, const TsvTable *table, int row) {
    double low, high;
    bool diverging = strcmp(tsv_cell(table, row, NAME), "diverging") == 0;
    bool read = tsv_read_number(tsv_cell(table, row, VALUES), &low) &&
                tsv_read_number(tsv_cell(table, row, VALUES + 1), &high);
    if (!read || !isfinite(low) || !isfinite(high) || low > high || fabs(low) > 1e30 ||
        fabs(high) > 1e30) {
        return false;
    }
    map->map = diverging ? COLOR_DIVERGING : COLOR_SEQUENTIAL;
    map->min = (float)low;
    map->max = (float)high;
    return true;
}

/* One line of values or marks into row `r` of the map. */
static const char *values_read(const Heatmap *map, const TsvTable *table, int row, int r,
                               float *values, unsigned char *marks) {
    if (tsv_width(table, row) != map->cols + VALUES) {
        return "not as many columns as in the first row of this map";
    }
    for (int c = 0; c < map->cols; c++) {
        double value;
        size_t at = (size_t)r * (size_t)map->cols + (size_t)c;
        if (!tsv_read_number(tsv_cell(table, row, VALUES + c), &value)) {
            return "a value that is no number";
        }
        if (marks) {
            marks[at] = value != 0;
        } else {
            values[at] = (float)value;
        }
    }
    return NULL;
}

/* Counts the rows of the map whose lines are first .. end - 1, and makes room for it. */
static const char *map_measure(Heatmap *map, const TsvTable *table, int first, int end) {
    int marks = 0;
    for (int row = first; row < end; row++) {
        if (part_is(table, row, "row") && map->rows++ == 0) {
            map->cols = tsv_width(table, row) - VALUES;
        }
        marks += part_is(table, row, "mark");
    }
    if (map->rows < 1 || map->cols < 1) {
        return "a map without values";
    }
    if (marks != 0 && marks != map->rows) {
        return "a map with marks for some of its rows only";
    }
    size_t cells = (size_t)map->rows * (size_t)map->cols;
    map->values = calloc(cells, sizeof *map->values);
    map->marks = marks > 0 ? calloc(cells, 1) : NULL;
    map->row_labels = calloc((size_t)map->rows, sizeof *map->row_labels);
    bool room = map->values && map->row_labels && (marks == 0 || map->marks);
    return room ? NULL : "not enough memory for it";
}

/* A line that is neither a row nor a mark. */
static const char *head_read(Heatmap *map, const TsvTable *table, int row) {
    if (part_is(table, row, "title")) {
        map->title = tsv_cell(table, row, NAME);
        return NULL;
    }
    if (part_is(table, row, "axes")) {
        map->row_axis = tsv_cell(table, row, NAME);
        map->col_axis = tsv_cell(table, row, VALUES);
        return NULL;
    }
    if (part_is(table, row, "scale")) {
        return scale_read(map, table, row) ? NULL : "a scale that is none";
    }
    if (part_is(table, row, "columns")) {
        map->col_labels = (const char *const *)table->cells + table->first[row] + VALUES;
        return tsv_width(table, row) == map->cols + VALUES ? NULL : "not a label for each column";
    }
    return "a part that nobody knows";
}

/* The map whose lines are first .. end - 1; *row is where reading stopped. */
static const char *map_read(Heatmap *map, const TsvTable *table, int first, int end, int *row) {
    const char *problem = map_measure(map, table, *row = first, end);
    bool labelled = false;
    const char **labels = (const char **)map->row_labels;
    for (int r = 0, m = 0; !problem && *row < end; ++*row) {
        if (part_is(table, *row, "row")) {
            labels[r] = tsv_cell(table, *row, NAME);
            labelled = labelled || *labels[r];
            problem = values_read(map, table, *row, r++, (float *)map->values, NULL);
        } else if (part_is(table, *row, "mark")) {
            problem = values_read(map, table, *row, m++, NULL, (unsigned char *)map->marks);
        } else {
            problem = head_read(map, table, *row);
        }
        if (problem) {
            return problem;
        }
    }
    if (!problem && !labelled) {
        free(labels);
        map->row_labels = NULL;
    }
    return problem;
}

/* Which map the line belongs to; -2 when that is no number. */
static int map_of(const TsvTable *table, int row) {
    int map;
    if (strcmp(tsv_cell(table, row, 0), "-") == 0) {
        return -1;
    }
    return tsv_read_whole(tsv_cell(table, row, 0), 0, 1 << 20, &map) ? map : -2;
}

/* All maps, one after the other. */
static const char *maps_read(HeatmapFile *file, int *row) {
    const TsvTable *table = &file->table;
    int end;
    for (*row = 1; *row < table->rows; *row = end) {
        end = *row + 1;
        if (map_of(table, *row) == -1) {
            file->title = tsv_cell(table, *row, NAME);
            continue;
        }
        if (map_of(table, *row) != file->count) {
            return "the maps are not numbered one after the other";
        }
        while (end < table->rows && map_of(table, end) == file->count) {
            end++;
        }
        const char *problem = map_read(&file->maps[file->count++], table, *row, end, row);
        if (problem) {
            return problem;
        }
    }
    return file->count > 0 ? NULL : "there is no map";
}

bool heatmap_read_numbers(const char *path, HeatmapFile *file, Error *error) {
    *file = (HeatmapFile){.title = ""};
    if (!tsv_read(path, HEATMAP_FILE_LIMIT, &file->table, error)) {
        return false;
    }
    int row = 0;
    const char *problem = tsv_is(&file->table, 0, header) ? NULL : "the first line is another";
    /* a line or more for each map, so there are no more of them than lines */
    file->maps = calloc((size_t)file->table.rows + 1, sizeof *file->maps);
    if (!file->maps) {
        problem = "not enough memory for it";
    } else if (!problem) {
        problem = maps_read(file, &row);
    }
    if (problem) {
        row = row < file->table.rows ? row : file->table.rows - 1;
        if (file->table.rows > 0) {
            refuse(path, &file->table, row, problem, error);
        } else {
            error_set(error, "%s: there is nothing in it", path);
        }
        heatmap_file_free(file);
        return false;
    }
    return true;
}

void heatmap_file_free(HeatmapFile *file) {
    for (int i = 0; i < file->count; i++) {
        free((float *)file->maps[i].values);
        free((unsigned char *)file->maps[i].marks);
        free((char **)file->maps[i].row_labels);
    }
    free(file->maps);
    tsv_free(&file->table);
    *file = (HeatmapFile){.title = ""};
}
