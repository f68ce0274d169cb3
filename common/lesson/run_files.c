/* The files of a run: pictures, curves, tables. */
#include "lesson/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/check.h"
#include "lesson/interrupt.h"
#include "show/heatmap_numbers.h"

const char *run_file(Run *run, const char *name) {
    for (int i = 0; i < run->file_count; i++) {
        if (strcmp(run->files[i].name, name) == 0) {
            return run->files[i].path;
        }
    }
    if (run->file_count == run->file_capacity) {
        run->file_capacity = 2 * run->file_capacity + 16;
        RunFile *larger = check_alloc((size_t)run->file_capacity * sizeof *larger);
        if (run->file_count > 0) {
            memcpy(larger, run->files, (size_t)run->file_count * sizeof *larger);
        }
        free(run->files);
        run->files = larger;
    }
    char *path = path_join(run->flags.out, name);
    CHECK(path != NULL, "out of memory");
    run->files[run->file_count++] =
        (RunFile){.path = path, .name = path + strlen(path) - strlen(name)};
    return path;
}

/* Nothing is written in steps that nobody asked to see, nor after Ctrl-C: half a training would
 * replace the whole one's pictures. */
static bool writes_nothing(const Run *run) {
    return run->silent || run_stopped(run);
}

static void remember_ending(Run *run, const char *name, const char *ending) {
    char file[256];
    snprintf(file, sizeof file, "%s%s", name, ending);
    run_file(run, file);
}

static bool ctrl_c(void) {
    return interrupt_signal() != 0;
}

bool run_plot(Run *run, const Plot *plot) {
    if (writes_nothing(run)) {
        return false;
    }
    Error error = {""};
    /* a gnuplot that failed or hung once is not asked again: in class, every wait counts */
    bool draw = !run->flags.no_plots && !*run->gnuplot_problem.text;
    PlotResult result = plot_write(run->flags.out, plot, draw, ctrl_c, &error);
    if (result == PLOT_FAILED) {
        run_file_error(run, &error);
        return false;
    }
    remember_ending(run, plot->name, ".tsv");
    remember_ending(run, plot->name, ".gp");
    if (result == PLOT_DRAWN) {
        remember_ending(run, plot->name, ".png");
        return true;
    }
    if (result == PLOT_NO_GNUPLOT) {
        run->no_gnuplot = true;
    } else if (result == PLOT_GNUPLOT_FAILED && !*run->gnuplot_problem.text && !run_stopped(run)) {
        run->gnuplot_problem = error; /* told at the end, unless a full disk explains it */
    }
    return false;
}

void picture_name(char *name, size_t size, const char *file) {
    const char *ending = strrchr(file, '.');
    int stem = ending ? (int)(ending - file) : (int)strlen(file);
    snprintf(name, size, "%.*s", stem, file);
}

/* A picture of an earlier run would show other numbers than those beside it. */
static void remove_undrawn(const Run *run, const char *file) {
    char *path = path_join(run->flags.out, file);
    CHECK(path != NULL, "out of memory");
    unlink(path);
    free(path);
}

/* NAME.map.tsv beside NAME.png. */
static bool write_numbers(Run *run, const char *file, const Heatmap *maps, int count,
                          const char *title) {
    char stem[200], name[256];
    Error error = {""};
    picture_name(stem, sizeof stem, file);
    snprintf(name, sizeof name, "%s%s", stem, HEATMAP_NUMBERS_ENDING);
    char *path = path_join(run->flags.out, name);
    CHECK(path != NULL, "out of memory");
    bool ok = heatmap_write_numbers(path, maps, count, title, &error);
    free(path);
    if (ok) {
        run_file(run, name);
    } else {
        run_file_error(run, &error);
    }
    return ok;
}

bool run_heatmap_png(Run *run, const char *file, const Heatmap *maps, int count, int columns,
                     const char *title) {
    if (writes_nothing(run) || !write_numbers(run, file, maps, count, title)) {
        return false;
    }
    if (run->flags.no_plots) {
        remove_undrawn(run, file);
        return false;
    }
    Error error = {""};
    char *path = path_join(run->flags.out, file);
    CHECK(path != NULL, "out of memory");
    bool ok = heatmap_write_png(path, maps, count, columns, title, &error);
    free(path);
    if (ok) {
        run_file(run, file);
    } else {
        run_file_error(run, &error);
    }
    return ok;
}

bool run_write(Run *run, const char *file, const char *text) {
    if (writes_nothing(run)) {
        return false;
    }
    Error error = {""};
    char *path = path_join(run->flags.out, file);
    CHECK(path != NULL, "out of memory");
    bool ok = file_write(path, text, strlen(text), &error);
    free(path);
    if (ok) {
        run_file(run, file);
    } else {
        run_file_error(run, &error);
    }
    return ok;
}

void run_attention(Run *run, const char *map, int layer, int head, const float *weights,
                   int queries, int keys, const char *const *query_tokens,
                   const char *const *key_tokens) {
    if (!writes_nothing(run)) {
        attention_log_add(&run->attention, map, layer, head, weights, queries, keys, query_tokens,
                          key_tokens);
    }
}
