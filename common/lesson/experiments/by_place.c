#include "lesson/experiments/by_place.h"

#include "core/check.h"

#include <math.h>
#include <stdlib.h>

ByPlace by_place_new(const char *const *names, int models, const int part[BY_PLACE_PARTS + 1]) {
    CHECK(models >= 1 && models <= LINES_MOST, "by_place: %d models; 1 .. %d are possible", models,
          LINES_MOST);
    ByPlace all = {.names = names, .models = models, .n = part[BY_PLACE_PARTS], .guessing = NAN};
    for (int k = 0; k <= BY_PLACE_PARTS; k++) {
        CHECK(k == 0 ? part[k] >= 0 : part[k] > part[k - 1], "by_place: part %d is empty", k);
        all.part[k] = part[k];
    }
    size_t cells = (size_t)models * (size_t)all.n;
    all.y = check_alloc(cells * sizeof *all.y);
    for (size_t i = 0; i < cells; i++) {
        all.y[i] = NAN;
    }
    return all;
}

void by_place_free(ByPlace *all) {
    free(all->y);
}

double *by_place_row(const ByPlace *all, int model) {
    return all->y + (long)model * all->n;
}

static double mean_of(const double *y, int from, int to) {
    double sum = 0.0;
    int count = 0;
    for (int t = from; t < to; t++) {
        if (!isnan(y[t])) {
            sum += y[t];
            count++;
        }
    }
    return count > 0 ? sum / count : NAN;
}

double by_place_mean(const ByPlace *all, int model, int part) {
    return mean_of(by_place_row(all, model), all->part[part], all->part[part + 1]);
}

static void show_table(Run *run, const ByPlace *all) {
    char header[160];
    const int *part = all->part;
    snprintf(header, sizeof header, "positions\tplaces %d-%d\t%d-%d\t%d-%d\t%d-%d", part[0],
             part[1] - 1, part[1], part[2] - 1, part[2], part[3] - 1, part[3], part[4] - 1);
    run_table(run, header);
    for (int i = 0; i < all->models; i++) {
        run_table_row(run, "%s\t%.3f\t%.3f\t%.3f\t%.3f", all->names[i], by_place_mean(all, i, 0),
                      by_place_mean(all, i, 1), by_place_mean(all, i, 2), by_place_mean(all, i, 3));
    }
    run_table_end(run);
}

/* A scale from 0 to 1 for shares; else the plot chooses. */
static void draw(Run *run, const ByPlace *all, Plot plot, const double *x, const double *y,
                 int points) {
    PlotLine lines[2];
    plot.lines = lines;
    if (all->trained > 0) {
        lines[plot.line_count++] = (PlotLine){"longest trained on", all->trained - 0.5, true};
    }
    if (!isnan(all->guessing)) {
        lines[plot.line_count++] = (PlotLine){"guessing", all->guessing, false};
        plot.y_max = 1.05;
    }
    run_lines(run, plot, all->names, all->models, x, y, points);
}

void by_place_show(Run *run, const ByPlace *all, const char *name, const char *title,
                   const char *y_label, int bin) {
    int points = (all->n + bin - 1) / bin;
    double *x = check_alloc((size_t)(all->models + 1) * (size_t)points * sizeof *x);
    double *y = x + points;
    for (int k = 0; k < points; k++) {
        int from = k * bin, to = from + bin < all->n ? from + bin : all->n;
        x[k] = 0.5 * (from + to - 1);
        for (int i = 0; i < all->models; i++) {
            y[i * points + k] = mean_of(by_place_row(all, i), from, to);
        }
    }
    show_table(run, all);
    Plot plot = {.name = name, .title = title, .x_label = "place", .y_label = y_label};
    draw(run, all, plot, x, y, points);
    free(x);
}

void by_place_claims(Run *run, const ByPlace *all, const char *what, const char *unit,
                     const PlaceClaim *claims, int count) {
    for (int i = 0; i < count; i++) {
        const PlaceClaim *claim = &claims[i];
        char text[128];
        snprintf(text, sizeof text, "%s: %s %d to %d%s", all->names[claim->model], what,
                 all->part[claim->part], all->part[claim->part + 1] - 1, unit);
        claim_trained(run, claim->id, text, by_place_mean(all, claim->model, claim->part),
                      claim->op, claim->bound);
    }
}
