/* Curves of the same name over each other. */
#include "show/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/plot_file.h"

enum { MOST = 2 * PLOT_FILE_SERIES, LABEL_SIZE = 160 };

/* Both plots and what becomes of them. */
typedef struct Overlay {
    PlotFile a, b;
    PlotSeries series[MOST];
    int pairs[MOST];
    char labels[MOST][LABEL_SIZE];
    PlotLine lines[2 * PLOT_FILE_LINES];
    char y_label[2 * PLOT_FILE_TEXT];
    Plot plot;
} Overlay;

/* The curve of that label among A's, or -1. */
static int label_find(const Plot *plot, const char *label) {
    for (int i = 0; i < plot->count; i++) {
        if (strcmp(plot->series[i].label, label) == 0) {
            return i;
        }
    }
    return -1;
}

static void series_join(Overlay *overlay, const Plot *from, const char *letter) {
    for (int i = 0; i < from->count; i++) {
        int at = overlay->plot.count++;
        overlay->series[at] = from->series[i];
        const char *label = from->series[i].label;
        snprintf(overlay->labels[at], LABEL_SIZE, "%s%s%.150s", letter, *label ? ": " : "", label);
        overlay->series[at].label = overlay->labels[at];
    }
}

/* Curves of B take the colour of A's of the same label, dashed; two alone have two colours. */
static void pairs_make(Overlay *overlay) {
    int first_b = overlay->a.plot.count;
    for (int i = first_b; i < overlay->plot.count; i++) {
        int partner = label_find(&overlay->a.plot, overlay->b.series[i - first_b].label);
        overlay->pairs[i] = partner >= 0 ? partner + 1 : i + 1;
    }
    bool alone = first_b <= 1 && overlay->b.plot.count <= 1;
    overlay->plot.pairs = alone ? NULL : overlay->pairs;
}

static bool line_known(const Overlay *overlay, const PlotLine *line) {
    for (int i = 0; i < overlay->plot.line_count; i++) {
        const PlotLine *known = &overlay->lines[i];
        if (known->at == line->at && known->vertical == line->vertical &&
            strcmp(known->label, line->label) == 0) {
            return true;
        }
    }
    return false;
}

static void lines_join(Overlay *overlay, const Plot *from) {
    for (int i = 0; i < from->line_count; i++) {
        if (!line_known(overlay, &from->lines[i])) {
            overlay->lines[overlay->plot.line_count++] = from->lines[i];
        }
    }
}

/* The range that holds both, if both say theirs. */
static void ranges_join(double *low, double *high, const double a[2], const double b[2]) {
    bool both = a[0] < a[1] && b[0] < b[1];
    *low = both ? fmin(a[0], b[0]) : 0;
    *high = both ? fmax(a[1], b[1]) : 0;
}

/* Where places at x have names, both runs must mean the same places. */
static bool names_agree(const Plot *a, const Plot *b) {
    for (int i = 0; i < a->x_name_count && i < b->x_name_count; i++) {
        if (strcmp(a->x_names[i], b->x_names[i]) != 0) {
            return false;
        }
    }
    return (a->x_name_count > 0) == (b->x_name_count > 0);
}

static void overlay_make(Overlay *overlay) {
    const Plot *a = &overlay->a.plot, *b = &overlay->b.plot;
    bool more = b->x_name_count > a->x_name_count;
    bool same = strcmp(a->y_label, b->y_label) == 0;
    snprintf(overlay->y_label, sizeof overlay->y_label, same ? "%s" : "A: %s\nB: %s", a->y_label,
             b->y_label);
    overlay->plot = (Plot){.name = a->name,
                           .title = a->title,
                           .x_label = a->x_label,
                           .y_label = overlay->y_label,
                           .x_log = a->x_log && b->x_log,
                           .y_log = a->y_log && b->y_log,
                           .series = overlay->series,
                           .lines = overlay->lines,
                           .x_names = more ? b->x_names : a->x_names,
                           .x_name_count = more ? b->x_name_count : a->x_name_count,
                           .beside = a->beside && b->beside};
    series_join(overlay, a, "A");
    series_join(overlay, b, "B");
    pairs_make(overlay);
    lines_join(overlay, a);
    lines_join(overlay, b);
    bool logs = a->x_log == b->x_log && a->y_log == b->y_log;
    if (logs && !overlay->plot.beside) { /* else they are chosen from the data */
        ranges_join(&overlay->plot.x_min, &overlay->plot.x_max,
                    (const double[]){a->x_min, a->x_max}, (const double[]){b->x_min, b->x_max});
    }
    if (logs) {
        ranges_join(&overlay->plot.y_min, &overlay->plot.y_max,
                    (const double[]){a->y_min, a->y_max}, (const double[]){b->y_min, b->y_max});
    }
}

static void overlay_write(Comparison *c, const Overlay *overlay) {
    Error error = {""};
    bool draw = c->draw && !c->undrawn; /* a gnuplot that failed once is not asked again */
    switch (plot_write(c->out, &overlay->plot, draw, c->stop, &error)) {
    case PLOT_DRAWN:
        c->pictures++;
        break;
    case PLOT_NOT_ASKED:
        break;
    case PLOT_NO_GNUPLOT:
        c->undrawn = c->no_gnuplot = true;
        break;
    case PLOT_GNUPLOT_FAILED:
        c->undrawn = true;
        if (!compare_stopped(c)) {
            compare_problem(c, &error);
        }
        break;
    case PLOT_FAILED:
        compare_problem(c, &error);
        break;
    }
}

/* ---- how they end ---- */

/* The last y there is, or NaN. */
static double series_end(const PlotSeries *s) {
    for (int i = s->n - 1; i >= 0; i--) {
        if (isfinite(s->y[i])) {
            return s->y[i];
        }
    }
    return NAN;
}

static void end_text(char text[32], double value, const char *format) {
    if (isfinite(value)) {
        bool sign = strcmp(format, "+") == 0 && value != 0;
        snprintf(text, 32, sign ? "%+.3g" : "%.4g", value);
    } else {
        snprintf(text, 32, "-");
    }
}

static void ends_add(Table *table, const Comparison *c, const char *name, const PlotSeries *a,
                     const PlotSeries *b) {
    double ends[2] = {a ? series_end(a) : NAN, b ? series_end(b) : NAN};
    char text[3][32];
    end_text(text[0], ends[0], "");
    end_text(text[1], ends[1], "");
    end_text(text[2], ends[1] - ends[0], "+");
    char cut[LABEL_SIZE]; /* a file may hold a label of any length */
    snprintf(cut, sizeof cut, "%.150s", a ? a->label : b->label);
    char *label = terminal_clean(c->term, cut);
    table_row(table, "%s\t%s\t%s\t%s\t%s", name, label, text[0], text[1], text[2]);
    free(label);
}

static void ends_tell(Table *table, const Comparison *c, const Overlay *overlay) {
    const char *name = overlay->a.plot.name;
    for (int i = 0; i < overlay->a.plot.count; i++) {
        int partner = label_find(&overlay->b.plot, overlay->a.series[i].label);
        ends_add(table, c, name, &overlay->a.series[i],
                 partner >= 0 ? &overlay->b.series[partner] : NULL);
        name = "";
    }
    for (int i = 0; i < overlay->b.plot.count; i++) {
        if (label_find(&overlay->a.plot, overlay->b.series[i].label) < 0) {
            ends_add(table, c, name, NULL, &overlay->b.series[i]);
            name = "";
        }
    }
}

/* The least and the most of the ends of all curves; NaN without any. */
static void ends_range(const Plot *plot, double ends[2]) {
    ends[0] = ends[1] = NAN;
    for (int i = 0; i < plot->count; i++) {
        double end = series_end(&plot->series[i]);
        ends[0] = fmin(ends[0], end); /* of a NaN and a number it is the number */
        ends[1] = fmax(ends[1], end);
    }
}

/* Of two lessons the curves say more than the claims: where do they end, for the verdict. */
static void ends_note(Comparison *c, const Overlay *overlay) {
    double a[2], b[2];
    ends_range(&overlay->a.plot, a);
    ends_range(&overlay->b.plot, b);
    if (c->curves <= COMPARE_ENDS && isfinite(a[0]) && isfinite(b[0])) {
        snprintf(c->ends[c->curves - 1], sizeof *c->ends,
                 "%.100s ends between %.3g and %.3g in A, between %.3g and %.3g in B.",
                 overlay->a.plot.name, a[0], a[1], b[0], b[1]);
    }
}

static void curve_compare(Comparison *c, Table *table, const char *name) {
    Error error = {""};
    Overlay *overlay = calloc(1, sizeof *overlay);
    if (!overlay) {
        error_set(&error, "%s: not enough memory", name);
        compare_problem(c, &error);
        return;
    }
    bool ok = plot_file_read(c->a.path, name, &overlay->a, &error) &&
              plot_file_read(c->b.path, name, &overlay->b, &error);
    if (!ok) {
        compare_problem(c, &error);
    } else {
        c->curves++;
        ends_note(c, overlay);
        ends_tell(table, c, overlay);
        if (names_agree(&overlay->a.plot, &overlay->b.plot)) {
            overlay_make(overlay);
            overlay_write(c, overlay);
        } else {
            table_row(table, "\t(other places at x: not drawn)\t\t\t");
        }
    }
    plot_file_free(&overlay->a);
    plot_file_free(&overlay->b);
    free(overlay);
}

void compare_curves(Comparison *c) {
    compare_section(c, "Curves of the same name, and how they end");
    Table table = table_new("curve\tline\tA\tB\tB - A");
    for (int i = 0; i < c->a.files.count && !compare_stopped(c); i++) {
        char name[101], file[128]; /* longer names no plot has */
        if (!file_name_stem(c->a.files.name[i], ".tsv", name, sizeof name)) {
            continue;
        }
        snprintf(file, sizeof file, "%s.tsv", name);
        if (strcmp(file, c->a.files.name[i]) == 0 && names_has(&c->b.files, file) &&
            plot_file_is(c->a.path, name) && plot_file_is(c->b.path, name)) {
            curve_compare(c, &table, name);
        }
    }
    if (table.count > 1) {
        terminal_table(c->term, &table);
    } else {
        terminal_prose(c->term, "None.");
    }
    table_free(&table);
}
