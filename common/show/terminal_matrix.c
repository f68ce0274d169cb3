/* Matrices and vectors of the terminal: numbers in columns under their name and shape. */
#include "show/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/utf8.h"
#include "show/wrap.h"

enum { MAX_ROWS = 24, MAX_LABEL = 14, INDENT = 2, GAP = 2, NUMBER_SIZE = 32 };

/* One format for a whole matrix, so that its columns can be compared. */
typedef enum Notation { WHOLE, THREE_DECIMALS, ONE_DECIMAL, SCIENTIFIC } Notation;

static Notation choose_notation(const float *values, size_t n) {
    double largest = 0;
    bool whole = true;
    for (size_t i = 0; i < n; i++) {
        double size = fabs((double)values[i]);
        if (isfinite(size)) {
            largest = size > largest ? size : largest;
            whole = whole && size == floor(size);
        }
    }
    if (whole && largest < 1e7) {
        return WHOLE;
    }
    if (largest < 0.01 || largest >= 1e6) {
        return SCIENTIFIC;
    }
    return largest >= 1000 ? ONE_DECIMAL : THREE_DECIMALS;
}

/* "-0.000" has lost its number and should lose its sign. */
static const char *without_idle_sign(const char *text) {
    return text[0] == '-' && strspn(text + 1, "0.") == strlen(text + 1) ? text + 1 : text;
}

static void number_text(char text[NUMBER_SIZE], float value, Notation notation) {
    char raw[NUMBER_SIZE];
    if (isnan(value)) {
        snprintf(raw, sizeof raw, "nan");
    } else if (isinf(value)) {
        snprintf(raw, sizeof raw, value > 0 ? "inf" : "-inf");
    } else if (notation == SCIENTIFIC) {
        snprintf(raw, sizeof raw, value == 0 ? "0" : "%.2e", (double)value);
    } else {
        int decimals = notation == WHOLE ? 0 : notation == ONE_DECIMAL ? 1 : 3;
        snprintf(raw, sizeof raw, "%.*f", decimals, (double)value);
    }
    snprintf(text, NUMBER_SIZE, "%s", without_idle_sign(raw));
}

static int widest_number(const float *values, size_t n, Notation notation) {
    int widest = 1;
    for (size_t i = 0; i < n; i++) {
        char text[NUMBER_SIZE];
        number_text(text, values[i], notation);
        int width = (int)strlen(text);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static int widest_label(const Terminal *term, const char *const *labels, int n) {
    int widest = 0;
    for (int i = 0; labels && i < n; i++) {
        char *clean = terminal_clean(term, labels[i]);
        int width = utf8_width(clean);
        widest = width > widest ? width : widest;
        free(clean);
    }
    return widest < MAX_LABEL ? widest : MAX_LABEL;
}

/* How a matrix is laid out. */
typedef struct Layout {
    const Terminal *term;
    Notation notation;
    int label;            /* columns of the row labels, 0: none */
    int cell;             /* columns of a number or of its label above it */
    int rows, cols;       /* shown */
    bool more_rows, more; /* left out: rows, columns */
} Layout;

static Layout layout_new(const Terminal *term, const float *values, int rows, int cols,
                         const char *const *row_labels, const char *const *col_labels) {
    Layout at = {.term = term, .rows = rows, .cols = cols};
    size_t n = (size_t)rows * (size_t)cols;
    at.notation = choose_notation(values, n);
    at.cell = widest_number(values, n, at.notation);
    int above = widest_label(term, col_labels, cols);
    at.cell = above > at.cell ? above : at.cell;
    at.label = widest_label(term, row_labels, rows);
    int room = terminal_width(term) - INDENT - (at.label > 0 ? at.label + GAP : 0) + GAP;
    if (cols * (at.cell + GAP) > room) {
        at.more = true;
        at.cols = (room - (int)strlen("...") - GAP) / (at.cell + GAP);
        at.cols = at.cols < 1 ? 1 : at.cols;
    }
    if (rows > MAX_ROWS) {
        at.more_rows = true;
        at.rows = MAX_ROWS - 1;
    }
    return at;
}

static void put_fitted(const Terminal *term, const char *text, int columns, bool right) {
    char *fitted = terminal_fit(term, text, columns, right);
    fputs(fitted, term->out);
    free(fitted);
}

static void print_labels_above(const Layout *at, const char *const *labels) {
    fprintf(at->term->out, "%*s", INDENT + (at->label > 0 ? at->label + GAP : 0), "");
    for (int c = 0; c < at->cols; c++) {
        fprintf(at->term->out, "%*s", c > 0 ? GAP : 0, "");
        put_fitted(at->term, labels[c], at->cell, true);
    }
    fputs(at->more ? "  ...\n" : "\n", at->term->out);
}

static void print_row(const Layout *at, const float *row, const char *label) {
    fprintf(at->term->out, "%*s", INDENT, "");
    if (at->label > 0) {
        put_fitted(at->term, label, at->label, false);
        fprintf(at->term->out, "%*s", GAP, "");
    }
    for (int c = 0; c < at->cols; c++) {
        char text[NUMBER_SIZE];
        number_text(text, row[c], at->notation);
        fprintf(at->term->out, "%*s%*s", c > 0 ? GAP : 0, "", at->cell, text);
    }
    fputs(at->more ? "  ...\n" : "\n", at->term->out);
}

void terminal_matrix(const Terminal *term, const char *name, const float *values, int rows,
                     int cols, const char *const *row_labels, const char *const *col_labels) {
    terminal_put(term, STYLE_BOLD, name);
    fprintf(term->out, " (%d, %d)\n", rows, cols);
    Layout at = layout_new(term, values, rows, cols, row_labels, col_labels);
    if (col_labels) {
        print_labels_above(&at, col_labels);
    }
    for (int r = 0; r < at.rows; r++) {
        print_row(&at, values + (size_t)r * (size_t)cols, row_labels ? row_labels[r] : "");
    }
    if (at.more_rows) {
        fprintf(term->out, "%*s... (%d more rows)\n", INDENT, "", rows - at.rows);
    }
}

void terminal_vector(const Terminal *term, const char *name, const float *values, int n) {
    terminal_put(term, STYLE_BOLD, name);
    fprintf(term->out, " (%d)\n", n);
    Notation notation = choose_notation(values, (size_t)n);
    int cell = widest_number(values, (size_t)n, notation);
    int a_line = (terminal_width(term) - INDENT + GAP) / (cell + GAP);
    a_line = a_line < 1 ? 1 : a_line;
    int shown = n > MAX_ROWS * a_line ? (MAX_ROWS - 1) * a_line : n;
    for (int i = 0; i < shown; i++) {
        char text[NUMBER_SIZE];
        number_text(text, values[i], notation);
        bool last = i % a_line == a_line - 1 || i == shown - 1;
        fprintf(term->out, "%*s%*s%s", i % a_line == 0 ? INDENT : GAP, "", cell, text,
                last ? "\n" : "");
    }
    if (shown < n) {
        fprintf(term->out, "%*s... (%d more)\n", INDENT, "", n - shown);
    }
}
