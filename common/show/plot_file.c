#include "show/plot_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char header[] = "series\tx\ty\tlow\thigh\tlabel";

enum { SERIES, X, Y, LOW, HIGH, LABEL, NAME, NUMBERS = 4 };

static char *part_path(const char *folder, const char *name, const char *ending) {
    char file[256];
    snprintf(file, sizeof file, "%s%s", name, ending);
    return path_join(folder, file);
}

bool plot_file_is(const char *folder, const char *name) {
    char *path = part_path(folder, name, ".tsv"), start[sizeof header];
    FILE *file = path ? fopen(path, "rb") : NULL;
    size_t size = file ? fread(start, 1, sizeof start - 1, file) : 0;
    if (file) {
        fclose(file);
    }
    free(path);
    return size == sizeof header - 1 && memcmp(start, header, size) == 0;
}

/* ---- the table ---- */

static bool refuse(const char *path, const TsvTable *table, int row, const char *what,
                   Error *error) {
    return error_set(error, "%s, line %d: %s; this is no curve", path,
                     row < table->rows ? table->line[row] : 1, what);
}

/* The numbers of one line into columns of `rows` each. */
static bool numbers_read(const PlotFile *file, int row) {
    int rows = file->table.rows;
    for (int k = 0; k < NUMBERS; k++) {
        if (!tsv_read_number(tsv_cell(&file->table, row, X + k), &file->numbers[k * rows + row])) {
            return false;
        }
    }
    return true;
}

/* Begins a series with the line `row`. */
static void series_begin(PlotFile *file, int row) {
    double *x = file->numbers + row;
    int rows = file->table.rows;
    file->series[file->plot.count++] = (PlotSeries){.label = tsv_cell(&file->table, row, LABEL),
                                                    .x = x,
                                                    .y = x + rows,
                                                    .low = x + 2 * rows,
                                                    .high = x + 3 * rows,
                                                    .style = PLOT_LINES};
}

static const char *row_read(PlotFile *file, int row) {
    int number, count = file->plot.count;
    if (tsv_width(&file->table, row) < (file->x_named ? NAME + 1 : LABEL + 1)) {
        return "too few columns";
    }
    if (!tsv_read_whole(tsv_cell(&file->table, row, SERIES), 1, 1 << 20, &number)) {
        return "a series that is no number";
    }
    if (!numbers_read(file, row)) {
        return "no number where one belongs";
    }
    if (count == 0 || file->number_of[count - 1] != number) {
        if (count == PLOT_FILE_SERIES) {
            return "too many curves";
        }
        if (count > 0 && number < file->number_of[count - 1]) {
            return "series out of order";
        }
        series_begin(file, row);
        file->number_of[file->plot.count - 1] = number;
    }
    file->series[file->plot.count - 1].n++;
    return NULL;
}

/* A band is one if any of it is there. */
static void bands_settle(PlotFile *file) {
    for (int k = 0; k < file->plot.count; k++) {
        PlotSeries *s = &file->series[k];
        bool banded = false;
        for (int i = 0; i < s->n; i++) {
            banded = banded || (isfinite(s->low[i]) && isfinite(s->high[i]));
        }
        if (!banded) {
            s->low = s->high = NULL;
        }
    }
}

static void names_settle(PlotFile *file) {
    Plot *plot = &file->plot;
    for (int row = 1; file->x_named && row < file->table.rows; row++) {
        double x = file->numbers[row];
        const char *name = tsv_cell(&file->table, row, NAME);
        if (*name && x >= 0 && x < PLOT_FILE_NAMES && x == floor(x)) {
            file->x_names[(int)x] = name;
            plot->x_name_count = (int)x >= plot->x_name_count ? (int)x + 1 : plot->x_name_count;
        }
    }
    for (int i = 0; i < plot->x_name_count; i++) {
        file->x_names[i] = file->x_names[i] ? file->x_names[i] : "";
    }
    plot->x_names = plot->x_name_count > 0 ? file->x_names : NULL;
}

static bool table_read(PlotFile *file, const char *path, Error *error) {
    if (!tsv_read(path, PLOT_FILE_LIMIT, &file->table, error)) {
        return false;
    }
    const TsvTable *table = &file->table;
    file->x_named = tsv_is(table, 0, "series\tx\ty\tlow\thigh\tlabel\tname");
    if (!file->x_named && !tsv_is(table, 0, header)) {
        return refuse(path, table, 0, "the first line is another", error);
    }
    file->numbers = calloc((size_t)table->rows * NUMBERS, sizeof *file->numbers);
    if (!file->numbers) {
        return error_set(error, "%s: not enough memory for this curve", path);
    }
    for (int row = 1; row < table->rows; row++) {
        const char *problem = row_read(file, row);
        if (problem) {
            return refuse(path, table, row, problem, error);
        }
    }
    bands_settle(file);
    names_settle(file);
    return true;
}

/* ---- the script ---- */

/* Reads what script_text() wrote: texts in quotes, joined by dots; "\n" between them is a line
 * break, which reads as a blank. */
static void quoted_read(const char *at, char *text, size_t size) {
    size_t used = 0;
    for (;;) {
        at += strspn(at, " .");
        char quote = *at;
        if (quote != '\'' && quote != '"') {
            break;
        }
        at++;
        size_t length = strcspn(at, quote == '"' ? "\"\n" : "'\n");
        bool broken = quote == '"' && strncmp(at, "\\n", 2) == 0;
        for (size_t i = 0; i < (broken ? 1 : length) && used + 1 < size; i++) {
            text[used++] = broken ? ' ' : at[i];
        }
        at += length;
        if (*at != quote) {
            break;
        }
        at++;
    }
    text[used] = '\0';
    size_t blanks = strspn(text, " ");
    memmove(text, text + blanks, used - blanks + 1);
    for (used -= blanks; used > 0 && text[used - 1] == ' '; used--) {
        text[used - 1] = '\0';
    }
}

static void quoted_after(const char *line, const char *key, char *text) {
    const char *at = strstr(line, key);
    if (at) {
        quoted_read(at + strlen(key), text, PLOT_FILE_TEXT);
    }
}

static void style_read(PlotFile *file, const char *line) {
    static const struct {
        const char *text;
        PlotStyle style;
    } styles[] = {{" with linespoints ", PLOT_LINES_POINTS},
                  {" with lines ", PLOT_LINES},
                  {" with points ", PLOT_POINTS},
                  {" with steps ", PLOT_STEPS},
                  {" with boxes ", PLOT_BARS}};
    const char *at = strstr(line, "(column(1) == ");
    int number;
    if (!at || sscanf(at, "(column(1) == %d", &number) != 1) {
        return;
    }
    for (int k = 0; k < file->plot.count; k++) {
        for (size_t i = 0; file->number_of[k] == number && i < sizeof styles / sizeof *styles;
             i++) {
            if (strstr(line, styles[i].text)) {
                bool moved = strstr(line, "? column(2) : ") == NULL;
                file->series[k].style = styles[i].style;
                file->plot.beside = file->plot.beside || (moved && styles[i].style != PLOT_BARS);
            }
        }
    }
}

static void line_read(PlotFile *file, const char *line) {
    double x[2], y[2];
    int count = file->plot.line_count;
    const char *at = strstr(line, "'+' using ($0 < 1 ? ");
    if (count < PLOT_FILE_LINES && at &&
        sscanf(at, "'+' using ($0 < 1 ? %lf : %lf):($0 < 1 ? %lf : %lf)", &x[0], &x[1], &y[0],
               &y[1]) == 4) {
        bool vertical = x[0] == x[1];
        quoted_after(at, " title ", file->line_labels[count]);
        file->lines[count] = (PlotLine){
            .label = file->line_labels[count], .at = vertical ? x[0] : y[0], .vertical = vertical};
        file->plot.line_count++;
    }
}

static void range_read(const char *line, const char *key, double *low, double *high) {
    double ends[2];
    size_t size = strlen(key);
    if (strncmp(line, key, size) == 0 && sscanf(line + size, "%lf:%lf", &ends[0], &ends[1]) == 2 &&
        isfinite(ends[0]) && isfinite(ends[1]) && ends[0] < ends[1]) {
        *low = ends[0];
        *high = ends[1];
    }
}

static void script_line(PlotFile *file, const char *line) {
    static const char title[] = "set title ", x_label[] = "set xlabel ", y_label[] = "set ylabel ";
    if (strncmp(line, title, sizeof title - 1) == 0) {
        quoted_read(line + sizeof title - 1, file->title, PLOT_FILE_TEXT);
    } else if (strncmp(line, x_label, sizeof x_label - 1) == 0) {
        quoted_read(line + sizeof x_label - 1, file->x_label, PLOT_FILE_TEXT);
    } else if (strncmp(line, y_label, sizeof y_label - 1) == 0) {
        quoted_read(line + sizeof y_label - 1, file->y_label, PLOT_FILE_TEXT);
    }
    file->plot.x_log = file->plot.x_log || strcmp(line, "set logscale x") == 0;
    file->plot.y_log = file->plot.y_log || strcmp(line, "set logscale y") == 0;
    range_read(line, "set xrange [", &file->plot.x_min, &file->plot.x_max);
    range_read(line, "set yrange [", &file->plot.y_min, &file->plot.y_max);
    style_read(file, line);
    line_read(file, line);
}

static void script_read(PlotFile *file, const char *path) {
    char *text = NULL, *rest;
    size_t size;
    if (!file_read(path, PLOT_FILE_SCRIPT, &text, &size, NULL)) {
        return;
    }
    for (char *line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
        script_line(file, line);
    }
    free(text);
}

bool plot_file_read(const char *folder, const char *name, PlotFile *file, Error *error) {
    *file = (PlotFile){.plot = {.count = 0}};
    snprintf(file->name, sizeof file->name, "%s", name);
    snprintf(file->title, sizeof file->title, "%s", name);
    file->plot.name = file->name;
    file->plot.title = file->title;
    file->plot.x_label = file->x_label;
    file->plot.y_label = file->y_label;
    file->plot.series = file->series;
    file->plot.lines = file->lines;
    char *table = part_path(folder, name, ".tsv"), *script = part_path(folder, name, ".gp");
    bool ok = table && script ? table_read(file, table, error)
                              : error_set(error, "%s: not enough memory", name);
    if (ok) {
        script_read(file, script);
    } else {
        plot_file_free(file);
    }
    free(table);
    free(script);
    return ok;
}

void plot_file_free(PlotFile *file) {
    free(file->numbers);
    tsv_free(&file->table);
    *file = (PlotFile){.plot = {.count = 0}};
}
