/* The texts and numbers of a heatmap: labels, broken titles, colour ranges. */
#include <math.h>
#include <string.h>

#include "io/utf8.h"
#include "show/font.h"
#include "show/heatmap_layout.h"
#include "show/ticks.h"

/* Adds the text to the label if there is room for all of it. */
static void label_add(char out[LABEL_SIZE], const char *text) {
    if (strlen(out) + strlen(text) < LABEL_SIZE) {
        strcat(out, text);
    }
}

void label_text(const char *const *labels, int index, char out[LABEL_SIZE]) {
    if (!labels) {
        snprintf(out, LABEL_SIZE, "%d", index);
        return;
    }
    const char *text = labels[index] ? labels[index] : "";
    bool blank = strspn(text, " ") == strlen(text);
    out[0] = '\0';
    for (uint32_t code = utf8_next(&text); code; code = utf8_next(&text)) {
        char one[UTF8_MAX];
        utf8_encode(code, one);
        label_add(out, code == '\n'           ? "\\n"
                       : code == '\t'         ? "\\t"
                       : code == '\r'         ? "\\r"
                       : blank && code == ' ' ? "\xE2\x90\xA3" /* a space is a token, too */
                                              : one);
    }
}

/* Bytes of the longest start of `text` that ends at a blank and is at most `dots` wide; 0 when not
 * even the first word fits. */
static size_t line_fit(const char *text, int dots) {
    char part[LINE_SIZE];
    size_t fits = 0, length = strlen(text);
    for (size_t end = 1; end <= length && end < sizeof part; end++) {
        if (text[end] == ' ' || text[end] == '\n' || text[end] == '\0') {
            memcpy(part, text, end);
            part[end] = '\0';
            if (font_width(part) > dots) {
                break;
            }
            fits = end;
            if (text[end] == '\n') {
                break;
            }
        }
    }
    return fits;
}

void lines_break(Lines *out, const char *text, int dots, int lines) {
    out->count = 0;
    while (text && out->count < lines) {
        text += strspn(text, " \n");
        if (!*text) {
            return;
        }
        char *line = out->text[out->count++];
        size_t fits = line_fit(text, dots);
        bool last = out->count == lines && strlen(text) > fits;
        if (fits == 0 || last) { /* a word longer than the line also takes the rest with it */
            size_t end = strcspn(text, "\n");
            char rest[2 * LINE_SIZE];
            end = utf8_truncate(text, end < sizeof rest - 8 ? end : sizeof rest - 8);
            snprintf(rest, sizeof rest, "%.*s%s", (int)end, text,
                     last && text[end] ? " \xE2\x80\xA6" : "");
            font_shorten(line, LINE_SIZE, rest, dots);
            return;
        }
        memcpy(line, text, fits);
        line[fits] = '\0';
        text += fits;
    }
}

void range_choose(const Heatmap *map, double *low, double *high) {
    *low = map->min;
    *high = map->max;
    if (*low != *high) {
        return;
    }
    *low = INFINITY;
    *high = -INFINITY;
    size_t cells = (size_t)map->rows * (size_t)map->cols;
    for (size_t i = 0; i < cells; i++) {
        if (isfinite(map->values[i])) {
            *low = fmin(*low, map->values[i]);
            *high = fmax(*high, map->values[i]);
        }
    }
    if (*low > *high) { /* not one finite value */
        *low = 0;
        *high = 1;
    }
    if (map->map == COLOR_DIVERGING) {
        *high = fmax(fabs(*low), fabs(*high));
        *low = -*high;
    } else if (*low >= 0) {
        *low = 0;
    }
    if (*low == *high) { /* zero everywhere, or the same negative number */
        *high = *low < 0 ? 0 : 1;
        *low = map->map == COLOR_DIVERGING ? -1 : *low;
    }
}

int bar_ticks(int height, int scale) {
    int ticks = height / (2 * layout_line(scale));
    return ticks < 2 ? 2 : ticks > 6 ? 6 : ticks;
}

int bar_dots(double low, double high, int ticks) {
    char text[32];
    int widest = 0;
    double step = tick_step(high - low, ticks);
    for (double at = tick_first(low, step); at <= high + step * 1e-6; at += step) {
        tick_text(text, sizeof text, at, step);
        int dots = font_width(text);
        widest = dots > widest ? dots : widest;
    }
    return widest;
}
