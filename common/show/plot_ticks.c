/* The ticks of a plot's axes and their texts. */
#include <math.h>
#include <string.h>

#include "io/utf8.h"
#include "show/plot_script.h"
#include "show/ticks.h"

enum { TICKS_MOST = 12 };

/* On a logarithmic x axis the places that were measured, such as 16, 32, 64, make the best ticks,
 * if they are few and far enough apart. Returns how many there are, sorted, or 0. */
static int ticks_measured(const Plot *plot, AxisRange range, double ticks[TICKS_MOST]) {
    int count = 0;
    for (int k = 0; k < plot->count; k++) {
        for (int i = 0; i < plot->series[k].n; i++) {
            double x = plot->series[k].x[i];
            int at = 0;
            while (at < count && ticks[at] < x) {
                at++;
            }
            if (!isfinite(x) || x <= 0 || (at < count && ticks[at] == x)) {
                continue;
            }
            if (count == TICKS_MOST) {
                return 0;
            }
            memmove(ticks + at + 1, ticks + at, (size_t)(count - at) * sizeof *ticks);
            ticks[at] = x;
            count++;
        }
    }
    double least = log(range.high / range.low) / (TICKS_MOST + 4);
    for (int i = 1; i < count; i++) {
        if (log(ticks[i] / ticks[i - 1]) < least) {
            return 0;
        }
    }
    return count >= 2 ? count : 0;
}

static void tick_write(FILE *out, double at, int *written) {
    fprintf(out, "%s'%.6g' %.9g", (*written)++ > 0 ? ", " : "", at, at);
}

/* Ticks of a logarithmic axis that is too short for powers of ten alone. */
static void ticks_short_log(FILE *out, AxisRange range) {
    int written = 0;
    if (range.high / range.low < 4) { /* so short that it is nearly linear */
        double step = tick_step(range.high - range.low, 6);
        for (double at = tick_first(range.low, step); at <= range.high; at += step) {
            tick_write(out, at, &written);
        }
        return;
    }
    static const double digits[] = {1, 2, 5};
    for (double power = pow(10, floor(log10(range.low))); power <= range.high; power *= 10) {
        for (int i = 0; i < 3; i++) {
            double at = digits[i] * power;
            if (at >= range.low && at <= range.high) {
                tick_write(out, at, &written);
            }
        }
    }
}

/* A power of ten as people write it: 0.001 to 10000 in full where that is all there is, else with
 * raised digits, which are characters of their own and so need no markup. */
static void power_write(FILE *out, int power, bool in_full) {
    static const char *const raised[] = {
        "\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",     "\xE2\x81\xB4",
        "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7", "\xE2\x81\xB8", "\xE2\x81\xB9"};
    char digits[16];
    if (in_full) {
        fprintf(out, "'%g'", pow(10, power));
        return;
    }
    snprintf(digits, sizeof digits, "%d", power);
    fprintf(out, "'10");
    for (const char *c = digits; *c; c++) {
        fputs(*c == '-' ? "\xE2\x81\xBB" : raised[*c - '0'], out);
    }
    fputc('\'', out);
}

/* Powers of ten, where there are many only every second, fifth, tenth ...; where there are few with
 * small ticks between them. */
static void ticks_decades(FILE *out, AxisRange range) {
    double low = log10(range.low), high = log10(range.high);
    int step = (int)fmax(tick_step(high - low, TICKS_MOST), 1);
    bool in_full = low > -4.1 && high < 5.1;
    const char *comma = "";
    for (int power = (int)tick_first(low, step); power <= high + 1e-6; power += step) {
        fprintf(out, "%s", comma);
        power_write(out, power, in_full);
        fprintf(out, " 1e%d", power);
        comma = ", ";
    }
    for (int power = (int)floor(low); step == 1 && high - low < 8 && power <= high; power++) {
        for (int digit = 2; digit <= 9; digit++) {
            fprintf(out, "%s'' %de%d 1", comma, digit, power);
            comma = ", ";
        }
    }
}

static size_t names_widest(const Plot *plot) {
    size_t widest = 0;
    for (int i = 0; i < plot->x_name_count; i++) {
        size_t length = plot->x_names[i] ? utf8_length(plot->x_names[i]) : 0;
        widest = length > widest ? length : widest;
    }
    return widest;
}

/* Names that would not fit side by side are turned. */
static bool names_turned(const Plot *plot) {
    return names_widest(plot) * (size_t)plot->x_name_count > 72;
}

/* How far: short ones stand upright under their places, longer ones, which would take the height of
 * the plot, hang at a slant. */
static const char *names_turn(const Plot *plot) {
    enum { SHORT = 4 };
    return !names_turned(plot)           ? ""
           : names_widest(plot) <= SHORT ? "rotate by 90 right "
                                         : "rotate by -35 ";
}

int plot_name_lines(const Plot *plot) {
    int most = 1;
    for (int i = 0; plot->x_names && i < plot->x_name_count; i++) {
        int lines = 1;
        for (const char *c = plot->x_names[i]; c && *c; c++) {
            lines += *c == '\n';
        }
        most = lines > most ? lines : most;
    }
    return plot->x_names && names_turned(plot) ? 1 : most;
}

static void ticks_names(FILE *out, const Plot *plot) {
    fprintf(out, "set xtics %s(", names_turn(plot));
    for (int i = 0; i < plot->x_name_count; i++) {
        fprintf(out, "%s", i > 0 ? ", " : "");
        script_tick(out, plot->x_names[i]);
        fprintf(out, " %d", i);
    }
    fprintf(out, ")\n");
}

void plot_ticks_write(FILE *out, const Plot *plot, char axis, AxisRange range) {
    double measured[TICKS_MOST];
    bool log = axis == 'x' ? plot->x_log : plot->y_log;
    int count = axis == 'x' && log ? ticks_measured(plot, range, measured) : 0;
    if (axis == 'x' && plot->x_names && plot->x_name_count > 0) {
        ticks_names(out, plot);
    } else if (count > 0) {
        fprintf(out, "set xtics (");
        for (int i = 0, written = 0; i < count; i++) {
            tick_write(out, measured[i], &written);
        }
        fprintf(out, ")\n");
    } else if (log) {
        fprintf(out, "set %ctics (", axis);
        if (range.high / range.low < 200) {
            ticks_short_log(out, range);
        } else {
            ticks_decades(out, range);
        }
        fprintf(out, ")\n");
    }
}
