#include "lesson/lines.h"

#include "core/check.h"

bool run_lines(Run *run, Plot plot, const char *const *labels, int count, const double *x,
               const double *y, int n) {
    PlotSeries series[LINES_MOST];
    CHECK(count <= LINES_MOST, "run_lines: %d lines; the most is %d", count, LINES_MOST);
    for (int i = 0; i < count; i++) {
        series[i] = (PlotSeries){
            .label = labels[i], .x = x, .y = y + i * n, .n = n, .style = PLOT_LINES_POINTS};
    }
    plot.series = series;
    plot.count = count;
    return run_plot(run, &plot);
}
