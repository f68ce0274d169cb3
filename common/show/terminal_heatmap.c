/* Small heatmaps in the terminal. */
#include "show/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/utf8.h"
#include "show/color.h"
#include "show/wrap.h"

enum {
    INDENT = 2,
    MAX_ROWS = 40,
    MAX_ROW_LABEL = 16,
    MAX_COL_LABEL = 12, /* letters of a label written downwards */
    NARROW = 2,         /* columns of a cell that is only a spot of colour */
    WIDE = 7,
    WIDEST = 9 /* and of one that has room for its number */
};

static const char shades[] = " .:-=+*#%@";

/* The map as it will be drawn. */
typedef struct Picture {
    const Terminal *term;
    float *values; /* (rows, cols), averages where cells had to be joined */
    int rows, cols;
    char **row_labels, **col_labels; /* clean, or NULL */
    int label;                       /* columns of the row labels */
    int cell;                        /* columns of a cell */
    double low, high;                /* what the ends of the scale stand for */
    ColorTable colors;
} Picture;

/* ---- size: joining cells until they fit ---- */

/* Averages over blocks of (down, across) cells; the last ones may be smaller. */
static void join_cells(Picture *picture, const float *values, int rows, int cols, int down,
                       int across) {
    picture->rows = (rows + down - 1) / down;
    picture->cols = (cols + across - 1) / across;
    picture->values = memory_get((size_t)picture->rows * (size_t)picture->cols * sizeof(float));
    for (int r = 0; r < picture->rows; r++) {
        for (int c = 0; c < picture->cols; c++) {
            double sum = 0;
            int n = 0;
            for (int y = r * down; y < (r + 1) * down && y < rows; y++) {
                for (int x = c * across; x < (c + 1) * across && x < cols; x++, n++) {
                    sum += (double)values[(size_t)y * (size_t)cols + (size_t)x];
                }
            }
            picture->values[r * picture->cols + c] = (float)(sum / n);
        }
    }
}

/* Labels of the joined cells: the first one's of each block. */
static char **clean_labels(const Terminal *term, const char *const *labels, int n, int every) {
    char **clean = memory_get((size_t)n * sizeof *clean);
    for (int i = 0; i < n; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i * every);
        clean[i] = terminal_clean(term, labels ? labels[i * every] : number);
    }
    return clean;
}

static int widest_of(char *const *labels, int n) {
    int widest = 0;
    for (int i = 0; i < n; i++) {
        int width = utf8_width(labels[i]);
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* Wide cells when words fit above them, else narrow ones with words running downwards. */
static int choose_cell(const Picture *picture, int room) {
    int cell = widest_of(picture->col_labels, picture->cols) + 1;
    cell = cell < WIDE ? WIDE : cell > WIDEST ? WIDEST : cell;
    return picture->cols * cell <= room ? cell : picture->cols * NARROW <= room ? NARROW : 1;
}

static void choose_scale(Picture *picture) {
    picture->low = INFINITY;
    picture->high = -INFINITY;
    for (int i = 0; i < picture->rows * picture->cols; i++) {
        double value = (double)picture->values[i];
        if (isfinite(value)) {
            picture->low = value < picture->low ? value : picture->low;
            picture->high = value > picture->high ? value : picture->high;
        }
    }
    if (picture->low > picture->high) { /* nothing finite at all */
        picture->low = picture->high = 0;
    }
    if (picture->low >= 0) {
        picture->low = 0;
    } else { /* zero in the middle */
        double size = fabs(picture->low) > picture->high ? fabs(picture->low) : picture->high;
        picture->low = -size;
        picture->high = size;
    }
    if (picture->high <= picture->low) {
        picture->high = picture->low + 1;
    }
}

/* ---- cells ---- */

/* 0 .. 1 on the scale. */
static double place(const Picture *picture, double value) {
    double at = (value - picture->low) / (picture->high - picture->low);
    return at < 0 ? 0 : at > 1 ? 1 : at;
}

static int squared_distance(Color a, Color b) {
    int red = a.red - b.red, green = a.green - b.green, blue = a.blue - b.blue;
    return red * red + green * green + blue * blue;
}

/* Colour i of those that terminals with 256 colours agree about: 216 in a cube of 6 x 6 x 6, then
 * 24 greys. */
static Color palette_color(int i) {
    static const uint8_t levels[6] = {0, 95, 135, 175, 215, 255};
    if (i >= 216) {
        uint8_t grey = (uint8_t)(8 + 10 * (i - 216));
        return (Color){grey, grey, grey};
    }
    return (Color){levels[i / 36 % 6], levels[i / 6 % 6], levels[i % 6]};
}

/* The number of the nearest of them, as escape sequences count: from 16 on. */
static int palette_index(Color color) {
    int best = 0;
    for (int i = 1; i < 240; i++) {
        if (squared_distance(palette_color(i), color) <
            squared_distance(palette_color(best), color)) {
            best = i;
        }
    }
    return 16 + best;
}

/* ".83", "-.50", "1.00", or "." for what rounds to nothing, where that is enough of a number. */
static void value_text(const Picture *picture, double value, char text[16]) {
    if (picture->high >= 9.995) {
        snprintf(text, 16, fabs(value) < 99999 ? "%.0f" : "%.0e", value);
    } else if (fabs(value) < 0.005) {
        snprintf(text, 16, ".");
    } else {
        char raw[12];
        snprintf(raw, sizeof raw, "%.2f", fabs(value));
        snprintf(text, 16, "%s%s", value < 0 ? "-" : "", raw[0] == '0' ? raw + 1 : raw);
    }
}

static void put_color_cell(const Picture *picture, double value, const char *text) {
    Color color = color_of(&picture->colors, place(picture, value));
    Color ink = color_text_on(color);
    fprintf(picture->term->out, "\033[48;5;%d;38;5;%dm%*s\033[0m", palette_index(color),
            palette_index(ink), picture->cell, text);
}

/* "##  .83 ": shade, number, gap; or the shade alone in a narrow cell. */
static void put_shade_cell(const Picture *picture, double value, const char *text) {
    char shade = shades[(int)(place(picture, value) * (double)(sizeof shades - 2) + 0.5)];
    int number = picture->cell >= WIDE ? 4 : 0;
    int gap = picture->cell >= WIDE;
    for (int i = number + gap; i < picture->cell; i++) {
        putc(shade, picture->term->out);
    }
    fprintf(picture->term->out, "%*s%*s", number, text, gap, "");
}

static void put_cell(const Picture *picture, int r, int c) {
    double value = (double)picture->values[r * picture->cols + c];
    char text[16] = "", padded[24];
    if (isnan(value)) {
        fprintf(picture->term->out, "%-*s", picture->cell, "?");
        return;
    }
    if (picture->cell >= WIDE) {
        value_text(picture, value, text);
    }
    snprintf(padded, sizeof padded, "%s ", text);
    if (picture->term->color) {
        put_color_cell(picture, value, picture->cell >= WIDE ? padded : "");
    } else {
        put_shade_cell(picture, value, text);
    }
}

/* ---- around the cells ---- */

static void put_margin(const Picture *picture) {
    fprintf(picture->term->out, "%*s", INDENT + picture->label + 1, "");
}

static void print_words_across(const Picture *picture) {
    put_margin(picture);
    for (int c = 0; c < picture->cols; c++) {
        char *word = terminal_fit(picture->term, picture->col_labels[c], picture->cell - 1, true);
        fprintf(picture->term->out, "%s ", word);
        free(word);
    }
    putc('\n', picture->term->out);
}

/* Labels written downwards, one letter a line, standing on their cells. */
static void print_words_down(const Picture *picture) {
    int tall = widest_of(picture->col_labels, picture->cols);
    tall = tall < MAX_COL_LABEL ? tall : MAX_COL_LABEL;
    const char **rest = memory_get((size_t)picture->cols * sizeof *rest);
    char **word = memory_get((size_t)picture->cols * sizeof *word);
    for (int c = 0; c < picture->cols; c++) {
        word[c] = terminal_fit(picture->term, picture->col_labels[c], tall, true);
        rest[c] = word[c];
    }
    for (int line = 0; line < tall; line++) {
        put_margin(picture);
        for (int c = 0; c < picture->cols; c++) {
            char letter[UTF8_MAX] = " ";
            uint32_t code = utf8_next(&rest[c]);
            while (code && utf8_code_width(code) == 0) { /* an accent of its own: no line for it */
                code = utf8_next(&rest[c]);
            }
            bool wide = utf8_code_width(code) > picture->cell;
            utf8_encode(code == 0 ? ' ' : wide ? '?' : code, letter);
            int gap = picture->cell - utf8_width(letter);
            fprintf(picture->term->out, "%s%*s", letter, gap > 0 ? gap : 0, "");
        }
        putc('\n', picture->term->out);
    }
    for (int c = 0; c < picture->cols; c++) {
        free(word[c]);
    }
    free(word);
    free(rest);
}

/* Numbers instead of words over narrow cells: every fifth, since they would run together. */
static void print_ticks(const Picture *picture, int every) {
    int step = 10 / picture->cell;
    put_margin(picture);
    for (int c = 0; c < picture->cols; c += step) {
        bool fits = c + step <= picture->cols;
        int room = picture->cell * (fits ? step : picture->cols - c);
        char number[16];
        int width = snprintf(number, sizeof number, "%d", c * every);
        fprintf(picture->term->out, "%-*s", room, width <= room ? number : "");
    }
    putc('\n', picture->term->out);
}

static void print_scale(const Picture *picture) {
    bool narrow = terminal_width(picture->term) < 40;
    fprintf(picture->term->out, "%*s%.3g ", INDENT + (narrow ? 0 : picture->label + 1), "",
            picture->low);
    if (picture->term->color) {
        int steps = narrow ? 10 : 20;
        for (int i = 0; i < steps; i++) {
            Color color = color_of(&picture->colors, i / (steps - 1.0));
            fprintf(picture->term->out, "\033[48;5;%dm \033[0m", palette_index(color));
        }
    } else {
        fprintf(picture->term->out, "\"%s\"", shades);
    }
    fprintf(picture->term->out, " %.3g\n", picture->high);
}

static void print_rows(const Picture *picture) {
    for (int r = 0; r < picture->rows; r++) {
        char *label = terminal_fit(picture->term, picture->row_labels[r], picture->label, true);
        fprintf(picture->term->out, "%*s%s ", INDENT, "", label);
        free(label);
        for (int c = 0; c < picture->cols; c++) {
            put_cell(picture, r, c);
        }
        putc('\n', picture->term->out);
    }
}

static void free_labels(char **labels, int n) {
    for (int i = 0; i < n; i++) {
        free(labels[i]);
    }
    free(labels);
}

void terminal_heatmap(const Terminal *term, const char *title, const float *values, int rows,
                      int cols, const char *const *row_labels, const char *const *col_labels) {
    int width = terminal_width(term);
    int most = width - INDENT - 1 - (width / 3 < MAX_ROW_LABEL ? width / 3 : MAX_ROW_LABEL);
    int down = (rows + MAX_ROWS - 1) / MAX_ROWS, across = (cols + most - 1) / most;
    Picture picture = {.term = term};
    join_cells(&picture, values, rows, cols, down, across);
    picture.row_labels = clean_labels(term, row_labels, picture.rows, down);
    picture.col_labels = clean_labels(term, col_labels, picture.cols, across);
    int label = widest_of(picture.row_labels, picture.rows);
    picture.label = label < MAX_ROW_LABEL ? label : MAX_ROW_LABEL;
    picture.label = picture.label < width / 3 ? picture.label : width / 3;
    picture.cell = choose_cell(&picture, width - INDENT - picture.label - 1);
    choose_scale(&picture);
    picture.colors = color_table(picture.low < 0 ? COLOR_DIVERGING : COLOR_SEQUENTIAL);

    terminal_put(term, STYLE_BOLD, title);
    fprintf(term->out, " (%d, %d)\n", rows, cols);
    if (down > 1 || across > 1) {
        char note[64];
        snprintf(note, sizeof note, "each cell is the mean of %d x %d", down, across);
        terminal_prose_indented(term, STYLE_PLAIN, INDENT, note);
    }
    if (picture.cell >= WIDE) {
        print_words_across(&picture);
    } else if (col_labels && across == 1) {
        print_words_down(&picture);
    } else {
        print_ticks(&picture, across);
    }
    print_rows(&picture);
    print_scale(&picture);
    free_labels(picture.row_labels, picture.rows);
    free_labels(picture.col_labels, picture.cols);
    free(picture.values);
}
