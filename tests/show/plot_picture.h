/* What the tests of plots share: a folder, a simple plot, and whether gnuplot can draw it. */
#ifndef TESTS_SHOW_PLOT_PICTURE_H
#define TESTS_SHOW_PLOT_PICTURE_H

#include "assert_close.h"

#include <stdlib.h>
#include <unistd.h>

#include "show/plot.h"
#include "show/plot_script.h"
#include "support/lesson_run.h"
#include "support/picture.h"
#include "support/scratch.h"

static const double steps[] = {0, 100, 200, 300}, loss[] = {4, 2, 1, 0.5};
static const double low[] = {3, 1.5, 0.9, 0.4}, high[] = {5, 2.5, 1.1, 0.6};

static inline bool gnuplot_here(void) {
    char all[4096];
    snprintf(all, sizeof all, "%s", getenv("PATH"));
    for (char *rest, *part = strtok_r(all, ":", &rest); part; part = strtok_r(NULL, ":", &rest)) {
        if (access(path_in(part, "gnuplot"), X_OK) == 0) {
            return true;
        }
    }
    return false;
}

static inline Plot plot_simple(const PlotSeries *series, int count) {
    return (Plot){.name = "curve",
                  .title = "A title",
                  .x_label = "step",
                  .y_label = "loss",
                  .series = series,
                  .count = count};
}

/* What one series or a whole plot makes of gnuplot, when there is one: the picture must be drawn.
 */
static inline void assert_drawn(const Plot *plot) {
    Error error = {""};
    if (!gnuplot_here()) {
        skip();
    }
    if (plot_write(scratch_folder(), plot, true, NULL, &error) != PLOT_DRAWN) {
        fail_msg("%s: %s", plot->name, error.text);
    }
    char name[128];
    snprintf(name, sizeof name, "%s.png", plot->name);
    Picture picture = picture_read(scratch_path(name));
    assert_true(picture.width > 600 && picture.height > 400);
    picture_free(&picture);
}

#endif
