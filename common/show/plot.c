#include "show/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/utf8.h"
#include "show/gnuplot.h"
#include "show/plot_script.h"

enum { GNUPLOT_SECONDS = 15 };

/* A text in one field of the table. */
static void field_write(FILE *out, const char *text) {
    while (text && *text) {
        char one[UTF8_MAX];
        uint32_t code = utf8_next(&text);
        utf8_encode(code, one);
        fputs(code == '\t'   ? "\\t"
              : code == '\n' ? "\\n"
              : code == '\r' ? "\\r"
              : code == '\\' ? "\\\\"
                             : one,
              out);
    }
}

/* "nan" and "-nan" are printed differently by different machines; "NaN" is what gnuplot reads. */
static void number_write(FILE *out, double number) {
    if (isfinite(number)) {
        fprintf(out, "\t%.9g", number);
    } else {
        fputs("\tNaN", out);
    }
}

static void table_write(FILE *out, const Plot *plot) {
    fprintf(out, "series\tx\ty\tlow\thigh\tlabel%s\n", plot->x_names ? "\tname" : "");
    for (int k = 0; k < plot->count; k++) {
        const PlotSeries *s = &plot->series[k];
        for (int i = 0; i < s->n; i++) {
            fprintf(out, "%d", k + 1);
            number_write(out, s->x[i]);
            number_write(out, s->y[i]);
            number_write(out, s->low ? s->low[i] : NAN);
            number_write(out, s->high ? s->high[i] : NAN);
            fputc('\t', out);
            field_write(out, s->label);
            if (plot->x_names) {
                double x = s->x[i];
                bool named = x >= 0 && x < plot->x_name_count && x == floor(x);
                fputc('\t', out);
                field_write(out, named ? plot->x_names[(int)x] : "");
            }
            fputc('\n', out);
        }
    }
}

/* Writes folder/NAME + ending with the given writer. */
static bool part_write(const char *folder, const Plot *plot, const char *ending,
                       void (*write)(FILE *, const Plot *), Error *error) {
    char name[256];
    snprintf(name, sizeof name, "%s%s", plot->name, ending);
    char *path = path_join(folder, name);
    AtomicFile file;
    FILE *out = path ? atomic_open(&file, path, error) : NULL;
    free(path);
    if (!out) {
        return path ? false : error_set(error, "%s: not enough memory", name);
    }
    write(out, plot);
    return atomic_commit(&file, error);
}

static bool plot_check(const Plot *plot, Error *error) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const char *name = plot->name ? plot->name : "";
    size_t length = strlen(name);
    if (length < 1 || length > 100 || strspn(name, allowed) != length) {
        return error_set(
            error, "plot '%s': its name needs 1 to 100 letters, digits, '_' and '-' only", name);
    }
    for (int i = 0; i < plot->count; i++) {
        const PlotSeries *s = &plot->series[i];
        if (s->n < 0 || (s->n > 0 && (!s->x || !s->y)) || !s->low != !s->high) {
            return error_set(error, "plot %s: series %d lacks its numbers", name, i + 1);
        }
    }
    return true;
}

PlotResult plot_write(const char *folder, const Plot *plot, bool draw, GnuplotStop stop,
                      Error *error) {
    if (!plot_check(plot, error) || !part_write(folder, plot, ".tsv", table_write, error) ||
        !part_write(folder, plot, ".gp", plot_script_write, error)) {
        return PLOT_FAILED;
    }
    char script[256], picture[256];
    snprintf(script, sizeof script, "%s.gp", plot->name);
    snprintf(picture, sizeof picture, "%s.png", plot->name);
    PlotResult result = PLOT_NOT_ASKED;
    if (draw) {
        GnuplotResult drawn = gnuplot_run(folder, script, picture, GNUPLOT_SECONDS, stop, error);
        result = drawn == GNUPLOT_DRAWN     ? PLOT_DRAWN
                 : drawn == GNUPLOT_MISSING ? PLOT_NO_GNUPLOT
                                            : PLOT_GNUPLOT_FAILED;
    }
    char *old = result == PLOT_DRAWN ? NULL : path_join(folder, picture);
    if (old) {
        unlink(old);
        free(old);
    }
    return result;
}

void plot_later(const char *folder, bool installed, char *text, size_t size) {
    bool here = !folder || !*folder || strcmp(folder, ".") == 0;
    /* blanks would break the line for a shell; a quote itself is left to the user */
    const char *quote = here || !strpbrk(folder, " \t\n\\$`\"*?[&;|<>()#!") ? "" : "'";
    snprintf(text, size, "to draw the curves: %s%s%s%s%s%sgnuplot *.gp",
             installed ? "" : "install gnuplot, then: ", here ? "" : "cd ", quote,
             here ? "" : folder, quote, here ? "" : " && ");
}
