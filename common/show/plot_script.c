#include "show/plot_script.h"

#include <math.h>
#include <string.h>

#include "io/utf8.h"

enum { TITLE_WRAP = 68, AXIS_WRAP = 44, LABEL_WRAP = 52, LABEL_BESIDE = 26 };

/* Colours that stay apart for the colour-blind (M. Okabe and K. Ito, "Color Universal Design",
 * 2008; without their yellow, which a projector loses), each with its own dashes and marks, so that
 * the plot also works in black and white. */
static const struct {
    const char *color, *dashes;
    int mark;
} looks[] = {{"#0072B2", "1", 7},       {"#D55E00", "(9,4)", 5},
             {"#009E73", "(3,3)", 9},   {"#CC79A7", "(12,4,3,4)", 13},
             {"#000000", "(16,5)", 11}, {"#E69F00", "(6,3,2,3)", 4},
             {"#56B4E9", "(2,5)", 6},   {"#7F5C3B", "(12,3,2,3,2,3)", 8}};
enum { LOOKS = sizeof looks / sizeof looks[0] };

/* The dashes and mark of a series: where the colours begin again, they go on by one, so that no two
 * of the first 64 series look the same. */
static int look_shape(int index) {
    return (index + index / LOOKS) % LOOKS;
}

/* k > 0 for a companion of series k - 1. */
static int series_pair(const Plot *plot, int index) {
    return plot->pairs ? plot->pairs[index] : 0;
}

static const char *series_color(const Plot *plot, int index) {
    int pair = plot->series[index].style == PLOT_BARS ? 0 : series_pair(plot, index);
    return looks[(pair > 0 ? pair - 1 : index) % LOOKS].color;
}

static const char *series_dashes(const Plot *plot, int index) {
    int shape = plot->pairs ? series_pair(plot, index) > 0 : look_shape(index);
    return looks[shape].dashes;
}

/* gnuplot has each mark filled, with an odd number, and open, with the even one before it. */
static int series_mark(const Plot *plot, int index) {
    int pair = series_pair(plot, index);
    int mark = looks[look_shape(pair > 0 ? pair - 1 : index)].mark;
    return !plot->pairs ? mark : pair > 0 ? mark - mark % 2 : mark - mark % 2 + 1;
}

/* Where to break a line that starts at `text`: at its own line break, at the last blank before
 * `wrap` characters, or nowhere (its whole length). */
static size_t line_end(const char *text, size_t wrap) {
    size_t end = strcspn(text, "\n");
    size_t most = utf8_prefix(text, wrap);
    if (end <= most) {
        return end;
    }
    for (size_t i = most; i > 0; i--) {
        if (text[i] == ' ') {
            return i;
        }
    }
    return strcspn(text, " \n"); /* one long word: the next blank will do */
}

static void text_quote(FILE *out, const char *text, size_t wrap, bool format) {
    fputc('\'', out);
    while (text && *text) {
        const char *end = text + line_end(text, wrap);
        while (text < end) {
            char one[UTF8_MAX];
            uint32_t code = utf8_next(&text);
            utf8_encode(code < 0x20 || code == 0x7F ? ' ' : code, one);
            /* gnuplot reads a doubled quote wrongly at the start of a text */
            fputs(code == '\'' ? "'.\"'\".'" : code == '%' && format ? "%%" : one, out);
        }
        if (*text) {
            text++; /* the blank or line break itself */
            fputs("'.\"\\n\".'", out);
        }
    }
    fputc('\'', out);
}

void script_text(FILE *out, const char *text, size_t wrap) {
    text_quote(out, text, wrap, false);
}

void script_tick(FILE *out, const char *text) {
    text_quote(out, text, SIZE_MAX, true);
}

static void title_write(FILE *out, const char *title) {
    if (title && *title) {
        fprintf(out, "set title ");
        script_text(out, title, TITLE_WRAP);
        fprintf(out, " font ',22'\n");
    }
}

static void head_write(FILE *out, const Plot *plot) {
    fprintf(out,
            "# Draws %s.png from the numbers in %s.tsv: gnuplot %s.gp\n"
            "reset\n"
            "if (!exists('picture')) picture = '%s.png'\n"
            "if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) \\\n"
            "    set terminal pngcairo noenhanced size 1400,800 font 'sans,18'; \\\n"
            "else \\\n"
            "    set terminal png truecolor noenhanced size 1400,800 giant\n"
            "set output picture\n"
            "set encoding utf8\n"
            "set datafile separator \"\\t\"\n"
            "set border 3 lw 1.5 lc rgb '#404040'\n"
            "set tics nomirror out\n"
            "set grid lt 1 lw 1 lc rgb '#dcdcdc'\n"
            "set format '%%h'\n",
            plot->name, plot->name, plot->name, plot->name);
}

/* What the legend has to hold. */
typedef struct Legend {
    int entries, lines; /* lines of the longest text */
    size_t widest;      /* characters of the widest line */
} Legend;

static void legend_add(Legend *legend, const char *label) {
    if (!label || !*label) {
        return;
    }
    int lines = 0;
    for (;; label++) {
        size_t end = line_end(label, LABEL_WRAP);
        size_t all = utf8_length(label), after = utf8_length(label + end);
        legend->widest = all - after > legend->widest ? all - after : legend->widest;
        lines++;
        label += end;
        if (!*label) {
            break;
        }
    }
    legend->entries++;
    legend->lines = lines > legend->lines ? lines : legend->lines;
}

static Legend legend_measure(const Plot *plot) {
    Legend legend = {0};
    for (int i = 0; i < plot->count; i++) {
        legend_add(&legend, plot->series[i].label);
    }
    for (int i = 0; i < plot->line_count; i++) {
        legend_add(&legend, plot->lines[i].label);
    }
    return legend;
}

static bool legend_below(const Plot *plot) {
    return legend_measure(plot).widest > LABEL_BESIDE;
}

/* The legend stands beside the data, or below them when its texts are long; never over them. */
static void legend_write(FILE *out, const Plot *plot) {
    Legend legend = legend_measure(plot);
    if (legend.entries == 0) {
        fprintf(out, "unset key\n");
        return;
    }
    fprintf(out, "set key %s Left reverse samplen 4 spacing %.2g\n",
            legend_below(plot) ? "below left" : "outside right center", 1.2 * legend.lines + 0.2);
}

/* A tick at the very end of a log axis may be lost to rounding: a hair more makes it sure. */
static void range_write(FILE *out, char axis, bool log, AxisRange range) {
    double hair = log ? 1e-9 : 0;
    fprintf(out, "set %crange [%.15g:%.15g]\n", axis, range.low * (1 - hair),
            range.high * (1 + hair));
}

/* gnuplot keeps room for one line of names; empty lines move the label below the others. It puts a
 * legend below right under the label; an empty line keeps them apart. */
static void x_label_write(FILE *out, const Plot *plot) {
    int names = plot_name_lines(plot);
    bool labelled = plot->x_label && *plot->x_label;
    if (!labelled && (names < 2 || !legend_below(plot))) {
        return;
    }
    fprintf(out, "set xlabel %s", names > 2 ? "\"\\n\\n\"." : names > 1 ? "\"\\n\"." : "");
    script_text(out, plot->x_label, TITLE_WRAP);
    fprintf(out, "%s font ',19'\n", legend_below(plot) ? ".\"\\n\"" : "");
}

/* gnuplot keeps room for one line of it beside the numbers: with each more it moves away a little.
 */
static void y_label_write(FILE *out, const Plot *plot) {
    if (!plot->y_label || !*plot->y_label) {
        return;
    }
    int more = 0;
    const char *end = plot->y_label + line_end(plot->y_label, AXIS_WRAP);
    for (; *end != '\0'; more++) {
        end += 1 + line_end(end + 1, AXIS_WRAP);
    }
    fprintf(out, "set ylabel ");
    script_text(out, plot->y_label, AXIS_WRAP);
    fprintf(out, " font ',19' offset %d,0\n", -more);
}

static void axes_write(FILE *out, const Plot *plot) {
    AxisRange x = plot_range_x(plot), y = plot_range_y(plot);
    title_write(out, plot->title);
    x_label_write(out, plot);
    y_label_write(out, plot);
    if (plot->x_log) {
        fprintf(out, "set logscale x\n");
    }
    if (plot->y_log) {
        fprintf(out, "set logscale y\n");
    }
    range_write(out, 'x', plot->x_log, x);
    range_write(out, 'y', plot->y_log, y);
    plot_ticks_write(out, plot, 'x', x);
    plot_ticks_write(out, plot, 'y', y);
    if (y.empty) {
        fprintf(out, "set label 'no finite values' at graph 0.5, 0.5 center front\n");
    }
}

/* The number of a column as gnuplot sees it: on a log axis NaN (a gap) where there is no place for
 * it, but an error that reaches below the axis ends at its lower end. */
static void value_write(FILE *out, const Plot *plot, int column) {
    if (!plot->y_log) {
        fprintf(out, "column(%d)", column);
    } else if (column == COLUMN_LOW) {
        double bottom = plot_range_y(plot).low;
        fprintf(out, "(column(%d) <= 0 ? %.9g : column(%d))", column, bottom, column);
    } else {
        fprintf(out, "(column(%d) > 0 ? column(%d) : NaN)", column, column);
    }
}

/* Starts a plot of one series: its own rows of the table, and their x, moved aside for bars (a
 * distance) and for series that stand beside one another. */
static void using_write(FILE *out, const Plot *plot, int index, double shift) {
    double beside = plot_beside(plot, index);
    fprintf(out, "data skip 1 using (column(%d) == %d", COLUMN_SERIES, index + 1);
    if (plot->x_log) {
        fprintf(out, " && column(%d) > 0", COLUMN_X);
    }
    fprintf(out, " ? column(%d)", COLUMN_X);
    if (shift != 0) {
        fprintf(out, " + %.4g", shift);
    } else if (beside != 0) {
        fprintf(out, plot->x_log ? " * %.6g" : " + %.6g", plot->x_log ? exp(beside) : beside);
    }
    fprintf(out, " : NaN):(");
}

/* Between two things to plot. */
#define NEXT_PLOT ", \\\n    "

static void entry_title(FILE *out, const char *label) {
    if (label && *label) {
        fprintf(out, " title ");
        script_text(out, label, LABEL_WRAP);
    } else {
        fprintf(out, " notitle");
    }
    fprintf(out, NEXT_PLOT);
}

static bool series_banded(const PlotSeries *s) {
    return s->low && s->high;
}

static void band_write(FILE *out, const Plot *plot, int index) {
    using_write(out, plot, index, 0);
    value_write(out, plot, COLUMN_LOW);
    fprintf(out, "):(");
    value_write(out, plot, COLUMN_HIGH);
    fprintf(out, ") with filledcurves fs transparent solid 0.2 noborder lc rgb '%s' notitle",
            series_color(plot, index));
    fprintf(out, NEXT_PLOT);
}

/* From low to high with a short bar at both ends; gnuplot's own error bars leave a white spot. */
static void whiskers_write(FILE *out, const Plot *plot, int index, double shift) {
    const char *color = plot->beside ? series_color(plot, index) : "#202020";
    if (!series_banded(&plot->series[index])) {
        return;
    }
    using_write(out, plot, index, shift);
    value_write(out, plot, COLUMN_LOW);
    fprintf(out, "):(0):(");
    value_write(out, plot, COLUMN_HIGH);
    fprintf(out, " - ");
    value_write(out, plot, COLUMN_LOW);
    fprintf(out, ") with vectors heads size screen 0.005,90 lw 2 dt 1 lc rgb '%s' notitle", color);
    fprintf(out, NEXT_PLOT);
}

/* Bars of several series share a place of width 0.8. */
static void bars_write(FILE *out, const Plot *plot, int index) {
    int bars = 0, before = 0;
    for (int k = 0; k < plot->count; k++) {
        before += k < index && plot->series[k].style == PLOT_BARS;
        bars += plot->series[k].style == PLOT_BARS;
    }
    double width = 0.8 / bars, shift = width * (before + 0.5) - 0.4;
    using_write(out, plot, index, shift);
    value_write(out, plot, COLUMN_Y);
    fprintf(out, "):(%.4g) with boxes lc rgb '%s' fs solid 0.9 border lt -1", 0.92 * width,
            series_color(plot, index));
    entry_title(out, plot->series[index].label);
    whiskers_write(out, plot, index, shift);
}

static int divisor_common(int a, int b) {
    return b == 0 ? a : divisor_common(b, a % b);
}

/* Every how many points of a curve with many of them a mark stands: marks must not hide the line.
 * gnuplot counts the rows of the whole table; when that number and n have no common divisor the
 * marks of curves that coincide fall on different points, so that each of them is seen. */
static int mark_interval(const Plot *plot, const PlotSeries *s) {
    int sparse = s->n > 40 ? s->n / 20 : 1;
    int apart = sparse > plot->count ? sparse : plot->count;
    if (s->n <= 20) {
        return sparse; /* each of so few points has its mark */
    }
    while (divisor_common(s->n, apart) > 1) {
        apart++;
    }
    return apart <= s->n / 3 ? apart : sparse;
}

static void curve_write(FILE *out, const Plot *plot, int index) {
    const PlotSeries *s = &plot->series[index];
    static const char *const styles[] = {[PLOT_LINES] = "lines",
                                         [PLOT_LINES_POINTS] = "linespoints",
                                         [PLOT_POINTS] = "points",
                                         [PLOT_STEPS] = "steps"};
    if (s->style == PLOT_POINTS || plot->beside) { /* the marks go on top */
        whiskers_write(out, plot, index, 0);
    }
    using_write(out, plot, index, 0);
    value_write(out, plot, COLUMN_Y);
    fprintf(out, ") with %s lc rgb '%s'", styles[s->style], series_color(plot, index));
    if (s->style != PLOT_POINTS) {
        fprintf(out, " lw 3 dt %s", series_dashes(plot, index));
    }
    if (s->style == PLOT_POINTS || s->style == PLOT_LINES_POINTS) {
        fprintf(out, " pt %d ps 1.4", series_mark(plot, index));
    }
    if (s->style == PLOT_LINES_POINTS && mark_interval(plot, s) > 1) {
        fprintf(out, " pi %d", mark_interval(plot, s));
    }
    entry_title(out, s->label);
}

/* A line over the whole width or height, drawn through two points of the range. */
static void reference_write(FILE *out, const Plot *plot, int index) {
    const PlotLine *line = &plot->lines[index];
    static const char *const dashes[] = {"(2,3)", "(8,4)", "(8,3,2,3)"};
    bool shown =
        isfinite(line->at) && (!(line->vertical ? plot->x_log : plot->y_log) || line->at > 0);
    if (!shown) {
        return;
    }
    AxisRange x = plot_range_x(plot), y = plot_range_y(plot);
    double x1 = line->vertical ? line->at : x.low, x2 = line->vertical ? line->at : x.high;
    double y1 = line->vertical ? y.low : line->at, y2 = line->vertical ? y.high : line->at;
    fprintf(out, "'+' using ($0 < 1 ? %.15g : %.15g):($0 < 1 ? %.15g : %.15g) every ::0::1", x1, x2,
            y1, y2);
    fprintf(out, " with lines lw 2.5 dt %s lc rgb '#505050'", dashes[index % 3]);
    entry_title(out, line->label);
}

void plot_script_write(FILE *out, const Plot *plot) {
    head_write(out, plot);
    legend_write(out, plot);
    axes_write(out, plot);
    fprintf(out, "data = '%s.tsv'\nplot ", plot->name);
    for (int i = 0; i < plot->count; i++) { /* bands first, so that they hide no curve */
        PlotStyle style = plot->series[i].style;
        bool whiskers = style == PLOT_BARS || style == PLOT_POINTS || plot->beside;
        if (series_banded(&plot->series[i]) && !whiskers) {
            band_write(out, plot, i);
        }
    }
    for (int i = 0; i < plot->count; i++) {
        if (plot->series[i].style == PLOT_BARS) {
            bars_write(out, plot, i);
        } else {
            curve_write(out, plot, i);
        }
    }
    for (int i = 0; i < plot->line_count; i++) {
        reference_write(out, plot, i);
    }
    fprintf(out, "NaN notitle\nset output\n"); /* always something to plot, even with no series */
}
