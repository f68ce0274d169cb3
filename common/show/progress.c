#include "show/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/utf8.h"
#include "show/wrap.h"

/* Seconds between two drawings of the line, and between two lines in a pipe where a training is so
 * slow that a fifth of it takes longer than anybody believes it is still alive. */
static const double draw_every = 0.1, line_every = 20;

enum { PIPE_LINES = 5, LONGEST_LABEL = 28, LONGEST_BAR = 24, SHORTEST_BAR = 6 };

double progress_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

Progress progress_begin(const Terminal *term, const char *label, int total, bool fleeting) {
    double now = progress_clock();
    return (Progress){.term = term,
                      .label = label,
                      .total = total > 0 ? total : 1,
                      .fleeting = fleeting,
                      .started = now,
                      .drawn = term->is_tty ? now - draw_every : now,
                      .loss = NAN};
}

/* ---- the words ---- */

static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static void append_number(char *text, size_t size, double value) {
    bool plain = value == 0 || (fabs(value) >= 0.01 && fabs(value) < 1e5);
    append(text, size, plain ? "%.3f" : "%.2e", value);
}

/* "  750/1500  loss 0.213  exact 0.620" */
static void state_text(const Progress *progress, char *text, size_t size) {
    char total[16];
    int digits = snprintf(total, sizeof total, "%d", progress->total);
    append(text, size, "  %*d/%s", digits, progress->step, total);
    if (!isnan(progress->loss)) {
        append(text, size, "  loss ");
        append_number(text, size, progress->loss);
    }
    if (progress->metric_name && !isnan(progress->metric)) {
        append(text, size, "  %s ", progress->metric_name);
        append_number(text, size, progress->metric);
    }
}

/* "  12 s left", once there is something to judge by. */
static void time_left_text(const Progress *progress, double now, char *text, size_t size) {
    double spent = now - progress->started;
    if (progress->step < 1 || spent < 0.5) {
        return;
    }
    double left = spent * (progress->total - progress->step) / progress->step;
    if (left < 0.5) {
        return;
    }
    if (left < 99.5) {
        append(text, size, "  %.0f s left", left);
    } else if (left < 5940) {
        append(text, size, "  %.0f min left", left / 60);
    } else {
        append(text, size, "  %.1f h left", left / 3600);
    }
}

/* "  label [####----]": the bar in the columns that are left over, or none. */
static void label_text(const Progress *progress, int columns, char *text, size_t size) {
    char *clean = terminal_clean(progress->term, progress->label);
    char label[4 * LONGEST_LABEL + 8];
    int used =
        2 + utf8_shorten(label, sizeof label, clean, LONGEST_LABEL, !progress->term->unicode);
    free(clean);
    append(text, size, "  %s", label);
    int bar = columns - used - 3;
    bar = bar < LONGEST_BAR ? bar : LONGEST_BAR;
    if (bar < SHORTEST_BAR) {
        return;
    }
    int full = (int)((double)bar * progress->step / progress->total);
    const char *done = progress->term->unicode ? "\xE2\x96\x88" : "#";
    const char *open = progress->term->unicode ? "\xE2\x96\x91" : "-";
    append(text, size, " [");
    for (int i = 0; i < bar; i++) {
        append(text, size, "%s", i < full ? done : open);
    }
    append(text, size, "]");
}

/* ---- drawing ---- */

/* Writes over the line that stands there. Spaces wipe its rest: no escape sequence is needed. The
 * last column stays free, since some terminals start a new line once it is filled. */
static void draw_line(Progress *progress, const char *text) {
    int columns = terminal_width(progress->term) - 1;
    char *fitted = terminal_fit(progress->term, text, columns, false);
    fprintf(progress->term->out, "\r%s", fitted);
    free(fitted);
}

static void draw_bar(Progress *progress, double now) {
    char state[256] = "", left[64] = "", line[1024] = "";
    int columns = terminal_width(progress->term) - 1;
    state_text(progress, state, sizeof state);
    time_left_text(progress, now, left, sizeof left);
    char *clean = terminal_clean(progress->term, state);
    label_text(progress, columns - utf8_width(clean) - (int)strlen(left), line, sizeof line);
    append(line, sizeof line, "%s%s", clean, left);
    free(clean);
    draw_line(progress, line);
    fflush(progress->term->out);
    progress->drawn = now;
    progress->line = true;
}

/* One plain line, such as a pipe gets and as stays on the terminal at the end. */
static void plain_line(const Progress *progress, const char *note, char *text, size_t size) {
    char state[256] = "";
    state_text(progress, state, sizeof state);
    snprintf(text, size, "  %s%s%s", progress->label, state, note);
}

static void report_in_pipe(Progress *progress, double now) {
    int fifths = (int)((long)progress->step * PIPE_LINES / progress->total);
    if (progress->fleeting || (fifths <= progress->fifths && now - progress->drawn < line_every)) {
        return;
    }
    char line[512];
    plain_line(progress, "", line, sizeof line);
    terminal_print(progress->term, "%s\n", line);
    fflush(progress->term->out);
    progress->fifths = fifths;
    progress->reported = progress->step;
    progress->drawn = now;
}

void progress_update(Progress *progress, int step, double loss, const char *metric_name,
                     double metric) {
    double now = progress_clock();
    progress->step = step < progress->total ? step : progress->total;
    progress->loss = loss;
    if (metric_name) {
        progress->metric_name = metric_name;
        progress->metric = metric;
    }
    if (!progress->term->is_tty) {
        report_in_pipe(progress, now);
    } else if (now - progress->drawn >= draw_every) {
        draw_bar(progress, now);
    }
}

void progress_hide(Progress *progress) {
    if (progress->line) {
        draw_line(progress, "");
        putc('\r', progress->term->out);
        progress->line = false;
        progress->drawn = 0; /* due again at once */
    }
}

void progress_end(Progress *progress) {
    const Terminal *term = progress->term;
    char line[512];
    bool early = progress->step < progress->total;
    plain_line(progress, early ? "  stopped early" : "", line, sizeof line);
    if (term->is_tty && progress->line) {
        draw_line(progress, progress->fleeting ? "" : line);
        putc(progress->fleeting ? '\r' : '\n', term->out);
    } else if (!progress->fleeting && progress->step > 0 &&
               (term->is_tty || early || progress->reported < progress->step)) {
        terminal_print(term, "%s\n", line);
    }
    fflush(term->out);
    progress->line = false;
}
