#include "show/color.h"

#include <math.h>
#include <stdbool.h>

/* sRGB byte to linear light and back (IEC 61966-2-1). */
static double linear_of(uint8_t byte) {
    double s = byte / 255.0;
    return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

static uint8_t byte_of(double linear) {
    double s = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return (uint8_t)lround(255 * fmin(fmax(s, 0), 1));
}

/* The two matrices of OKLab: linear sRGB to cone responses, their cube roots to L, a, b. */
Lab color_lab(Color color) {
    double r = linear_of(color.red), g = linear_of(color.green), b = linear_of(color.blue);
    double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return (Lab){0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

/* The way back, to linear red, green and blue, which lie in [0, 1] when sRGB has such a colour. */
static void lab_linear(Lab lab, double rgb[3]) {
    double l = lab.lightness + 0.3963377774 * lab.a + 0.2158037573 * lab.b;
    double m = lab.lightness - 0.1055613458 * lab.a - 0.0638541728 * lab.b;
    double s = lab.lightness - 0.0894841775 * lab.a - 1.2914855480 * lab.b;
    l = l * l * l, m = m * m * m, s = s * s * s;
    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

static Color lab_color(Lab lab) {
    double rgb[3];
    lab_linear(lab, rgb);
    return (Color){byte_of(rgb[0]), byte_of(rgb[1]), byte_of(rgb[2])};
}

static bool lab_shown(Lab lab) {
    double rgb[3];
    lab_linear(lab, rgb);
    bool low = rgb[0] >= 0 && rgb[1] >= 0 && rgb[2] >= 0;
    return low && rgb[0] <= 1 && rgb[1] <= 1 && rgb[2] <= 1;
}

/* A place given by lightness, chroma (distance from grey) and hue in degrees. Where sRGB has no
 * such colour the chroma gives way: clamping the channels instead would spoil the even steps. */
static Lab lab_polar(double lightness, double chroma, double degrees) {
    double angle = degrees * (3.14159265358979323846 / 180);
    double low = 0, high = chroma;
    Lab lab = {lightness, chroma * cos(angle), chroma * sin(angle)};
    for (int i = 0; i < 30 && !lab_shown(lab); i++) {
        double middle = (low + high) / 2;
        Lab tried = {lightness, middle * cos(angle), middle * sin(angle)};
        if (lab_shown(tried)) {
            low = middle;
        } else {
            high = middle;
        }
        lab = i < 29 ? lab : (Lab){lightness, low * cos(angle), low * sin(angle)};
    }
    return lab;
}

/* One point of the way a map takes through OKLab, t in [0, 1]. */
static Lab path_at(ColorMap map, double t) {
    if (map == COLOR_DIVERGING) { /* lightness falls alike from white (t = .5) to both ends */
        double far = fabs(2 * t - 1);
        double chroma = 0.145 * sin(far * 1.6);
        return lab_polar(1 - 0.58 * far, chroma, t < 0.5 ? 255 : 30);
    }
    /* Lightness falls all the way, so the map also works in grey and in print; the hue turns from
     * yellow through green and blue to violet, which helps to tell middle values apart. */
    double chroma = 0.012 + 0.083 * sin(3.14159265358979323846 * t);
    return lab_polar(0.985 - 0.745 * t, chroma + 0.07 * t * t, 115 + 175 * t);
}

static double lab_distance(Lab p, Lab q) {
    double dl = p.lightness - q.lightness, da = p.a - q.a, db = p.b - q.b;
    return sqrt(dl * dl + da * da + db * db);
}

/* Walks from path_at(from) to path_at(to) at constant speed and puts the colours of `count` evenly
 * spaced places into `out`, both ends included. */
static void path_walk(ColorMap map, double from, double to, Color *out, int count) {
    enum { FINE = 2000 };
    double travelled[FINE + 1];
    travelled[0] = 0;
    Lab here = path_at(map, from);
    for (int i = 1; i <= FINE; i++) {
        Lab next = path_at(map, from + (to - from) * i / FINE);
        travelled[i] = travelled[i - 1] + lab_distance(here, next);
        here = next;
    }
    for (int i = 0, j = 0; i < count; i++) {
        double goal = travelled[FINE] * i / (count - 1);
        while (j < FINE - 1 && travelled[j + 1] < goal) {
            j++;
        }
        double part = (goal - travelled[j]) / (travelled[j + 1] - travelled[j]);
        out[i] = lab_color(path_at(map, from + (to - from) * (j + part) / FINE));
    }
}

ColorTable color_table(ColorMap map) {
    ColorTable table;
    if (map == COLOR_DIVERGING) { /* two arms of equal length, so that zero sits in the middle */
        enum { HALF = COLOR_STEPS / 2 };
        path_walk(map, 0, 0.5, table.colors, HALF);
        path_walk(map, 0.5, 1, table.colors + HALF, HALF);
    } else {
        path_walk(map, 0, 1, table.colors, COLOR_STEPS);
    }
    return table;
}

Color color_of(const ColorTable *table, double value) {
    double clamped = fmin(fmax(value, 0), 1);
    return table->colors[lround(clamped * (COLOR_STEPS - 1))];
}

Color color_text_on(Color background) {
    bool light = color_lab(background).lightness > 0.65;
    return light ? (Color){20, 20, 20} : (Color){255, 255, 255};
}
