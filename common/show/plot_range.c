/* What the axes of a plot show. */
#include <math.h>

#include "show/plot_script.h"

/* The largest number an axis is made for, and one over the smallest of a logarithmic axis: beyond
 * it the ends of the range would overflow. */
#define HUGE_NUMBER 1e280

/* Share of the distance between two places that the marks of a plot with `beside` take up. */
#define BESIDE_SHARE 0.7

static void range_add(AxisRange *range, bool log, double value) {
    if (!(fabs(value) <= HUGE_NUMBER) || (log && value < 1 / HUGE_NUMBER)) {
        return; /* NaN, too */
    }
    range->low = range->empty ? value : fmin(range->low, value);
    range->high = range->empty ? value : fmax(range->high, value);
    range->empty = false;
}

/* Whether the axis can show this point of a series at all. */
static bool point_shown(const Plot *plot, const PlotSeries *s, int i) {
    bool x = isfinite(s->x[i]) && (!plot->x_log || s->x[i] > 0);
    return x && isfinite(s->y[i]) && (!plot->y_log || s->y[i] > 0);
}

static bool range_asked(double low, double high, bool log) {
    return isfinite(low) && isfinite(high) && low < high && (!log || low > 0);
}

/* Without data: any range will do, as long as gnuplot accepts it. */
static AxisRange range_empty(bool log) {
    return (AxisRange){log ? 0.1 : 0, log ? 10 : 1, true};
}

/* A logarithmic axis ends at powers of ten when it is long and with a little air when it is short.
 */
static void range_widen_log(AxisRange *range) {
    if (range->high / range->low >= 30) {
        range->low = pow(10, floor(log10(range->low) + 1e-9));
        range->high = pow(10, ceil(log10(range->high) - 1e-9));
    } else {
        double air = fmax(exp(0.06 * (log(range->high) - log(range->low))), 1.1);
        range->low /= air;
        range->high *= air;
    }
}

/* A linear one gets 4 % of air, but starts at 0 rather than close to it. */
static void range_widen(AxisRange *range) {
    double span = range->high - range->low;
    if (span <= 1e-9 * fabs(range->high)) { /* a constant, but for rounding */
        span = range->high != 0 ? fabs(range->high) : 1;
    }
    bool from_zero = range->low >= 0 && range->low < 0.3 * range->high;
    bool to_zero = range->high <= 0 && range->high > 0.3 * range->low;
    range->low = from_zero ? 0 : range->low - 0.04 * span;
    range->high = to_zero ? 0 : range->high + 0.04 * span;
}

/* The least distance between two places on the x axis, in units of plot_beside(); 1 when there is
 * only one place. */
static double places_distance(const Plot *plot) {
    double least = INFINITY;
    for (int k = 0; k < plot->count; k++) {
        for (int i = 0; i < plot->series[k].n; i++) {
            for (int m = 0; m < plot->count; m++) {
                for (int j = 0; j < plot->series[m].n; j++) {
                    double a = plot->series[k].x[i], b = plot->series[m].x[j];
                    double distance = plot->x_log ? log(b / a) : b - a;
                    bool places = isfinite(distance) && (!plot->x_log || a > 0);
                    least = places && distance > 0 ? fmin(least, distance) : least;
                }
            }
        }
    }
    return isfinite(least) ? least : 1;
}

double plot_beside(const Plot *plot, int index) {
    if (!plot->beside) {
        return 0;
    }
    return places_distance(plot) * BESIDE_SHARE * ((index + 0.5) / plot->count - 0.5);
}

/* A plot with `beside` needs room for the marks left of its first place and right of its last. */
static AxisRange range_beside(const Plot *plot, AxisRange range) {
    double room = places_distance(plot) / 2;
    return plot->x_log ? (AxisRange){range.low / exp(room), range.high * exp(room), false}
                       : (AxisRange){range.low - room, range.high + room, false};
}

AxisRange plot_range_x(const Plot *plot) {
    if (range_asked(plot->x_min, plot->x_max, plot->x_log)) {
        return (AxisRange){plot->x_min, plot->x_max, false};
    }
    AxisRange range = {.empty = true};
    bool bars = false;
    for (int k = 0; k < plot->count; k++) {
        const PlotSeries *s = &plot->series[k];
        bars = bars || (s->style == PLOT_BARS && s->n > 0);
        for (int i = 0; i < s->n; i++) {
            range_add(&range, plot->x_log, s->x[i]);
        }
    }
    for (int i = 0; i < plot->line_count; i++) {
        range_add(&range, plot->x_log, plot->lines[i].vertical ? plot->lines[i].at : NAN);
    }
    if (range.empty) {
        return range_empty(plot->x_log);
    }
    if (plot->beside) {
        return range_beside(plot, range);
    }
    if ((bars || plot->x_names) && !plot->x_log) { /* half a place on both sides */
        return (AxisRange){range.low - 0.6, range.high + 0.6, false};
    }
    if (plot->x_log) {
        double air = fmax(exp(0.03 * (log(range.high) - log(range.low))), 1.05);
        return (AxisRange){range.low / air, range.high * air, false};
    }
    double span = range.high - range.low;
    span = span > 1e-9 * fabs(range.high) ? span : fmax(fabs(range.high), 1);
    return (AxisRange){range.low - 0.02 * span, range.high + 0.02 * span, false};
}

AxisRange plot_range_y(const Plot *plot) {
    AxisRange range = {.empty = true};
    for (int k = 0; k < plot->count; k++) {
        const PlotSeries *s = &plot->series[k];
        for (int i = 0; i < s->n; i++) {
            if (point_shown(plot, s, i)) {
                range_add(&range, plot->y_log, s->y[i]);
                range_add(&range, plot->y_log, s->low ? s->low[i] : NAN);
                range_add(&range, plot->y_log, s->high ? s->high[i] : NAN);
                range_add(&range, plot->y_log, s->style == PLOT_BARS ? 0 : NAN);
            }
        }
    }
    bool empty = range.empty;
    for (int i = 0; i < plot->line_count; i++) {
        range_add(&range, plot->y_log, plot->lines[i].vertical ? NAN : plot->lines[i].at);
    }
    if (range.empty) {
        range = range_empty(plot->y_log);
    } else if (plot->y_log) {
        range_widen_log(&range);
    } else {
        range_widen(&range);
    }
    if (range_asked(plot->y_min, plot->y_max, plot->y_log)) {
        range = (AxisRange){plot->y_min, plot->y_max, false};
    }
    range.empty = empty;
    return range;
}
