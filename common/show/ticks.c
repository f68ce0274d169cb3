#include "show/ticks.h"

#include <math.h>
#include <stdio.h>

double tick_step(double span, int count) {
    static const double round_numbers[] = {1, 2, 5};
    double least = span / count;
    double power = pow(10, floor(log10(least)));
    for (int i = 0; i < 3; i++) {
        if (round_numbers[i] * power >= least * (1 - 1e-9)) {
            return round_numbers[i] * power;
        }
    }
    return 10 * power;
}

double tick_first(double value, double step) {
    return ceil(value / step - 1e-6) * step;
}

void tick_text(char *out, size_t size, double value, double step) {
    if (fabs(value) < step * 1e-6) {
        value = 0; /* a sum of rounding errors, and never "-0" */
    }
    int decimals = (int)-floor(log10(step) + 1e-9);
    if (step < 1e-4 || step >= 1e5) {
        snprintf(out, size, "%.6g", value);
    } else {
        snprintf(out, size, "%.*f", decimals > 0 ? decimals : 0, value);
    }
}
