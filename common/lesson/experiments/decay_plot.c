#include "lesson/experiments/decay_plot.h"

#include "core/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

void decay_plot(Run *run, const char *name, const DecayCase *cases, int count, int T, int B,
                int reach, const char *purpose, double *slope) {
    size_t points = (size_t)T;
    double *distance = check_alloc(points * sizeof *distance), lowest = 1.0;
    double *length = check_alloc((size_t)count * points * sizeof *length);
    PlotSeries *series = check_alloc((size_t)count * sizeof *series);
    for (int d = 0; d < T; d++) {
        distance[d] = d;
    }
    for (int i = 0; i < count; i++) {
        double *y = length + (size_t)i * points;
        double s = decay_measure(&cases[i], T, B, reach, run_rng(run, purpose), y);
        if (slope != NULL) {
            slope[i] = s;
        }
        for (int d = 0; d < T; d++) {
            y[d] = pow(10.0, y[d]); /* what is below 1e-308 ends its curve */
            lowest = fmin(lowest, y[d]);
        }
        series[i] = (PlotSeries){.label = cases[i].label, .x = distance, .y = y, .n = T};
    }
    const PlotLine float32_ends = {.label = "float32 ends here", .at = (double)FLT_MIN};
    run_plot(run, &(Plot){.name = name,
                          .title = "How far back does the gradient of the last state reach?",
                          .x_label = "distance: steps between a state and the last one",
                          .y_label = "length of dL/dh",
                          .y_log = true,
                          .series = series,
                          .count = count,
                          .lines = &float32_ends,
                          .line_count = lowest < float32_ends.at});
    free(distance);
    free(length);
    free(series);
}
