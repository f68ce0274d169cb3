#include "lesson/run.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "lesson/interrupt.h"
#include "lesson/walkthrough.h"
#include "lesson/weights.h"
#include "show/wrap.h"

/* ---- what the user asked for ---- */

static int step_index(const Run *run) {
    CHECK(run->step != NULL, "this belongs into a step of the lesson");
    return (int)(run->step - run->lesson->steps);
}

int run_steps(Run *run, int full, int quick) {
    int index = step_index(run);
    int steps = run->flags.steps > 0 ? run->flags.steps : run->flags.quick ? quick : full;
    if (steps < full) {
        run->shortened[index] = true;
    }
    return steps;
}

void run_shortened(Run *run) {
    run->shortened[step_index(run)] = true;
}

int run_size(const Run *run, int full, int quick) {
    return run->flags.quick ? quick : full;
}

/* FNV-1a (Fowler, Noll and Vo, 1991): the text becomes the number of a stream. */
Rng run_rng(const Run *run, const char *purpose) {
    uint64_t stream = UINT64_C(0xcbf29ce484222325);
    for (const char *at = purpose; *at; at++) {
        stream = (stream ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    }
    return rng_seeded(run->flags.seed, stream);
}

bool run_broken(const Run *run, const char *name) {
    for (int i = 0; i < run->lesson->mistake_count; i++) {
        if (strcmp(run->lesson->mistakes[i].name, name) == 0) {
            return run->flags.break_name && strcmp(run->flags.break_name, name) == 0;
        }
    }
    check_fail("run_broken: lesson %s lists no mistake called \"%s\"", run->lesson->number, name);
}

bool run_stopped(const Run *run) {
    return run->failed || run->broken_off || interrupt_signal() != 0;
}

/* One line on stderr, below whatever stands on the terminal. */
void run_complain(Run *run, const char *text) {
    fflush(run->term.out);
    Terminal errors = terminal_new(stderr, run->flags.no_color);
    char *line = terminal_clean(&errors, text);
    fprintf(stderr, "%s_%s: %s\n", run->lesson->number, run->lesson->name, line);
    free(line);
}

void run_input_error(Run *run, const Error *error) {
    if (!run->failed) {
        run_complain(run, error->text);
    }
    run->failed = true;
}

void run_file_error(Run *run, const Error *error) {
    if (run->files_lost == 0) {
        run_complain(run, error->text);
    }
    run->files_lost++;
}

const char *run_ending(const Run *run) {
    switch (interrupt_signal()) {
    case 0:
        return run->broken_off ? "an error of the program"
               : run->failed   ? "an input error"
               : run->quit     ? "q at a pause"
                               : "-";
    case SIGINT:
        return "Ctrl-C";
    case SIGTERM:
        return "SIGTERM";
    case SIGHUP:
        return "SIGHUP";
    default:
        return "nobody reads the output any more";
    }
}

double run_seconds(const Run *run) {
    return progress_clock() - run->started - run->waited;
}

/* Was a training that this step rests on shorter than the lesson says? */
static bool step_shortened(const Run *run, int index) {
    if (run->shortened[index]) {
        return true;
    }
    for (int i = 0; i < index; i++) {
        if (step_needs(run->lesson, index, i) && step_shortened(run, i)) {
            return true;
        }
    }
    return false;
}

/* Did this step get less than the training that its claims need? */
static bool falls_short(const Run *run) {
    return run->flags.quick || run->other_option != NULL || weights_other(run) != NULL ||
           run_stopped(run) || step_shortened(run, step_index(run));
}

/* ---- saying and showing ---- */

/* A step that another one needs runs without a word. So does what is left of a step that was
 * stopped: its models are not trained, and it would show their numbers. */
static bool is_quiet(const Run *run) {
    return run->silent || run_stopped(run);
}

static void say(Run *run, const char *format, va_list arguments) {
    char *text = text_format(format, arguments);
    terminal_prose_indented(&run->term, STYLE_PLAIN, 0, text);
    free(text);
}

void run_say(Run *run, const char *format, ...) {
    if (!is_quiet(run)) {
        va_list arguments;
        va_start(arguments, format);
        say(run, format, arguments);
        va_end(arguments);
    }
}

void run_conclude(Run *run, const char *format, ...) {
    if (!is_quiet(run) && !run->flags.break_name && !falls_short(run)) {
        va_list arguments;
        va_start(arguments, format);
        say(run, format, arguments);
        va_end(arguments);
    }
}

void run_print(Run *run, const char *format, ...) {
    if (is_quiet(run)) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    char *text = text_format(format, arguments);
    va_end(arguments);
    terminal_put(&run->term, STYLE_PLAIN, text);
    free(text);
}

void run_gap(Run *run) {
    run_print(run, "\n");
}

void run_vector(Run *run, const char *name, const float *values, int n) {
    if (!is_quiet(run)) {
        terminal_vector(&run->term, name, values, n);
    }
}

void run_matrix(Run *run, const char *name, const float *values, int rows, int cols) {
    run_matrix_labelled(run, name, values, rows, cols, NULL, NULL);
}

void run_matrix_labelled(Run *run, const char *name, const float *values, int rows, int cols,
                         const char *const *row_labels, const char *const *col_labels) {
    if (!is_quiet(run)) {
        terminal_matrix(&run->term, name, values, rows, cols, row_labels, col_labels);
    }
}

void run_tensor(Run *run, const char *name, const Tensor *tensor) {
    if (tensor->ndim == 1) {
        run_vector(run, name, tensor->data, tensor->dim[0]);
        return;
    }
    int cols = tensor_cols(tensor), rows = tensor->dim[tensor->ndim - 2];
    if (tensor->ndim == 2) {
        run_matrix(run, name, tensor->data, rows, cols);
        return;
    }
    int inner = tensor->ndim == 4 ? tensor->dim[1] : 1;
    int matrices = (int)(tensor_rows(tensor) / (size_t)rows);
    for (int i = 0; i < matrices; i++) { /* "q[1]", "q[1][0]" */
        char label[128];
        if (tensor->ndim == 3) {
            snprintf(label, sizeof label, "%s[%d]", name, i);
        } else {
            snprintf(label, sizeof label, "%s[%d][%d]", name, i / inner, i % inner);
        }
        size_t size = (size_t)rows * (size_t)cols;
        run_matrix(run, label, tensor->data + (size_t)i * size, rows, cols);
    }
}

void run_mask(Run *run, const char *name, const Mask *mask) {
    int rows = mask->batch * mask->queries;
    float *values = check_alloc((size_t)rows * (size_t)mask->keys * sizeof *values);
    for (int i = 0; i < rows * mask->keys; i++) {
        values[i] = mask->may_look[i] ? 1.0f : 0.0f;
    }
    Tensor picture = {.data = values, .ndim = 2, .dim = {rows, mask->keys, 1, 1}, .name = name};
    if (mask->batch > 1 && mask->queries > 1) {
        picture.ndim = 3;
        picture.dim[0] = mask->batch;
        picture.dim[1] = mask->queries;
        picture.dim[2] = mask->keys;
    }
    run_tensor(run, name, &picture);
    free(values);
}

void run_heatmap(Run *run, const char *title, const float *values, int rows, int cols,
                 const char *const *row_labels, const char *const *col_labels) {
    if (!is_quiet(run)) {
        terminal_heatmap(&run->term, title, values, rows, cols, row_labels, col_labels);
    }
}

void run_table(Run *run, const char *header) {
    table_free(&run->table);
    run->table = table_new(header);
}

void run_table_row(Run *run, const char *format, ...) {
    CHECK(run->table.count > 0, "run_table_row: no table was begun with run_table()");
    va_list arguments;
    va_start(arguments, format);
    char *text = text_format(format, arguments);
    va_end(arguments);
    table_row(&run->table, "%s", text);
    free(text);
}

void run_table_end(Run *run) {
    CHECK(run->table.count > 0, "run_table_end: no table was begun with run_table()");
    if (!is_quiet(run)) {
        terminal_table(&run->term, &run->table);
    }
    table_free(&run->table);
}

Progress run_progress(Run *run, const char *label, int total) {
    if (*run->which) { /* one of several runs: on the terminal alone, and gone at its end */
        snprintf(run->bar_label, sizeof run->bar_label, "%s: %s %s", run->which, run->step->number,
                 label);
        return progress_begin(&run->bar, run->bar_label, total, true);
    }
    return progress_begin(&run->term, label, total, run->silent);
}

/* ---- claims ---- */

static void claim(Run *run, const char *id, const char *text, double value, const char *op,
                  double bound, ClaimStatus status) {
    if (run->silent) {
        return;
    }
    const Claim *made =
        claims_add(&run->claims, run->step->number, id, text, value, op, bound, status);
    claim_show(&run->term, made);
}

void claim_trained(Run *run, const char *id, const char *text, double value, const char *op,
                   double bound) {
    claim(run, id, text, value, op, bound, falls_short(run) ? CLAIM_NOT_MADE : CLAIM_HOLDS);
}

void claim_checked(Run *run, const char *id, const char *text, double value, const char *op,
                   double bound) {
    claim(run, id, text, value, op, bound, run_stopped(run) ? CLAIM_NOT_MADE : CLAIM_HOLDS);
}

void claim_timing(Run *run, const char *id, const char *text, double value, const char *op,
                  double bound) {
    claim(run, id, text, value, op, bound, run_stopped(run) ? CLAIM_NOT_MADE : CLAIM_TIMING);
}
