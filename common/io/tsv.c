#include "io/tsv.h"

#include <math.h>
#include <stdlib.h>

void tsv_put(FILE *out, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '\t':
            fputs("\\t", out);
            break;
        case '\n':
            fputs("\\n", out);
            break;
        case '\r':
            fputs("\\r", out);
            break;
        case '\\':
            fputs("\\\\", out);
            break;
        default:
            putc(*text, out);
        }
    }
}

/* The shortest decimal text that reads back as the same number, looked for from one digit on. */
static void put_shortest(FILE *out, double value, int most_digits, bool single) {
    if (!isfinite(value)) { /* printf may write "-nan", depending on the machine */
        fputs(isnan(value) ? "nan" : value > 0 ? "inf" : "-inf", out);
        return;
    }
    if (value == floor(value) && fabs(value) < 1e15) { /* counts are exact */
        fprintf(out, "%.0f", value == 0 ? 0.0 : value);
        return;
    }
    char text[40];
    for (int digits = 1; digits <= most_digits; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value) {
            break;
        }
    }
    fputs(text, out);
}

void tsv_number(FILE *out, double value) {
    put_shortest(out, value, 17, false);
}

void tsv_float(FILE *out, float value) {
    put_shortest(out, (double)value, 9, true);
}
