/* Curves of several runs: the median, and a band from the least to the most. */
#include "lesson/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "show/plot_file.h"
#include "show/run_folder.h"

/* The same plot of all seeds, and the one that is made of them. */
typedef struct Bands {
    PlotFile *files; /* (count) */
    int count;
    double *x, *y, *low, *high; /* of all points of the new plot, series after series */
    double *values;             /* (count), to sort */
    PlotSeries series[PLOT_FILE_SERIES];
    char title[PLOT_FILE_TEXT + 96];
} Bands;

/* Point `i` of series `k` over all seeds. */
static void point_make(const Bands *bands, int k, int i, int at) {
    int finite = 0;
    for (int seed = 0; seed < bands->count; seed++) {
        bands->values[seed] = bands->files[seed].series[k].x[i];
    }
    bands->x[at] = spread_median(bands->values, bands->count);
    for (int seed = 0; seed < bands->count; seed++) {
        double y = bands->files[seed].series[k].y[i];
        if (isfinite(y)) {
            bands->values[finite++] = y;
        }
    }
    bands->y[at] = spread_median(bands->values, finite); /* sorts them */
    bands->low[at] = finite > 0 ? bands->values[0] : NAN;
    bands->high[at] = finite > 0 ? bands->values[finite - 1] : NAN;
}

/* As many points as every seed has. */
static int points_common(const Bands *bands, int k) {
    int n = bands->files[0].series[k].n;
    for (int seed = 1; seed < bands->count; seed++) {
        int other = bands->files[seed].series[k].n;
        n = other < n ? other : n;
    }
    return n;
}

/* Do all seeds have the same series? */
static bool series_alike(const Bands *bands) {
    const Plot *first = &bands->files[0].plot;
    for (int seed = 1; seed < bands->count; seed++) {
        if (bands->files[seed].plot.count != first->count) {
            return false;
        }
    }
    return first->count > 0;
}

/* The range around those of all seeds; 0 0 when one of them says none. */
static void range_join(const Bands *bands, double *low, double *high, bool of_x) {
    for (int seed = 0; seed < bands->count; seed++) {
        const Plot *plot = &bands->files[seed].plot;
        double ends[2] = {of_x ? plot->x_min : plot->y_min, of_x ? plot->x_max : plot->y_max};
        *low = seed == 0 ? ends[0] : fmin(*low, ends[0]);
        *high = seed == 0 ? ends[1] : fmax(*high, ends[1]);
    }
}

static void bands_plot(Run *run, Bands *bands) {
    Plot plot = bands->files[0].plot;
    int used = 0;
    for (int k = 0; k < plot.count; k++) {
        int n = points_common(bands, k);
        for (int i = 0; i < n; i++) {
            point_make(bands, k, i, used + i);
        }
        const PlotSeries *first = &bands->files[0].series[k];
        bands->series[k] = (PlotSeries){.label = first->label,
                                        .x = bands->x + used,
                                        .y = bands->y + used,
                                        .low = bands->low + used,
                                        .high = bands->high + used,
                                        .n = n,
                                        .style = first->style};
        used += n;
    }
    snprintf(bands->title, sizeof bands->title, "%s\n(%d seeds: median, and from least to most)",
             plot.title, bands->count);
    plot.title = bands->title;
    plot.series = bands->series;
    range_join(bands, &plot.y_min, &plot.y_max, false);
    range_join(bands, &plot.x_min, &plot.x_max, true);
    run_plot(run, &plot);
}

/* Room for as many points as the first seed has. */
static void bands_room(Bands *bands) {
    size_t points = 1;
    for (int k = 0; k < bands->files[0].plot.count; k++) {
        points += (size_t)bands->files[0].series[k].n;
    }
    bands->x = check_alloc(4 * points * sizeof *bands->x);
    bands->y = bands->x + points;
    bands->low = bands->y + points;
    bands->high = bands->low + points;
    bands->values = check_alloc((size_t)bands->count * sizeof *bands->values);
}

static void curve_gather(Run *run, const char *const *folders, int count, const char *name) {
    Bands *bands = check_alloc(sizeof *bands);
    Error error = {""};
    int read = 0;
    *bands = (Bands){.count = count, .files = check_alloc((size_t)count * sizeof *bands->files)};
    while (read < count && plot_file_read(folders[read], name, &bands->files[read], &error)) {
        read++;
    }
    if (read < count) {
        run_file_error(run, &error);
    } else if (series_alike(bands)) {
        bands_room(bands);
        bands_plot(run, bands);
    }
    for (int i = 0; i < read; i++) {
        plot_file_free(&bands->files[i]);
    }
    free(bands->files);
    free(bands->x);
    free(bands->values);
    free(bands);
}

/* Is that curve in all of the folders? */
static bool is_everywhere(const char *const *folders, int count, const char *name) {
    for (int i = 0; i < count; i++) {
        if (!plot_file_is(folders[i], name)) {
            return false;
        }
    }
    return true;
}

void spread_curves(Run *run, const char *const *folders, int count) {
    RunFolder first;
    Error error = {""};
    if (!run_folder_read(folders[0], &first, &error)) {
        run_file_error(run, &error);
        return;
    }
    for (int i = 0; i < first.files.count && !run_stopped(run); i++) {
        char name[101];
        if (file_name_stem(first.files.name[i], ".tsv", name, sizeof name) &&
            is_everywhere(folders, count, name)) {
            curve_gather(run, folders, count, name);
        }
    }
    run_folder_free(&first);
}
