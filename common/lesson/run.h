/* What a lesson's steps talk to: the run they are part of.
 *
 *     static void show_bottleneck(Run *run, void *context) {
 *         Recall *recall = context;
 *         int steps = run_steps(run, 1500, 40);
 *         Rng rng = run_rng(run, "2.2");
 *         ...
 *         Progress progress = run_progress(run, "without attention", steps);
 *         for (int step = 1; step <= steps && !run_stopped(run); step++) {
 *             float loss = train_step(...);
 *             progress_update(&progress, step, loss, NULL, 0);
 *         }
 *         progress_end(&progress);
 *         run_say(run, "With %d symbols in one vector ...", 10);
 *         claim_trained(run, "without_10", "without attention exact match stays below 25 %",
 *                       exact, "<", 0.25);
 *     }
 *
 * Every function keeps quiet in a step that runs only because another one needs it. */
#ifndef LESSON_RUN_H
#define LESSON_RUN_H

#include "core/mask.h"
#include "core/rng.h"
#include "core/tensor.h"
#include "lesson/attention_log.h"
#include "lesson/claims.h"
#include "lesson/flags.h"
#include "show/heatmap.h"
#include "show/pager.h"
#include "show/plot.h"
#include "show/progress.h"
#include "show/terminal.h"

typedef struct Run Run;
typedef struct Step Step;
typedef struct Weights Weights; /* lesson/weights.h */

typedef struct RunFile {
    char *path;
    const char *name; /* within the path */
} RunFile;

struct Run {
    const Lesson *lesson;
    Flags flags;
    int argc; /* the command line as it was typed, for run.tsv */
    char **argv;
    Terminal term;
    Terminal bar;        /* the same, but the screen itself: for the progress of one of several
                            runs, and for hints at a pause */
    Pager *pager;        /* which stops `term` when the window is full, or NULL */
    char which[32];      /* "2 of 5", of one of several runs (lesson/several.h) */
    char bar_label[128]; /* of its progress line */

    const Step *step;         /* the one that runs */
    bool silent;              /* it runs only because another needs it */
    const char *other_option; /* one of Lesson.judged_with that is not its default, or NULL */
    bool *shortened;          /* for each step: was a training shorter than the lesson says? */
    bool *done;               /* for each step: has it run to its end? */

    char *checksums;  /* of the program and of what it reads, as lines of run.tsv */
    Weights *weights; /* NULL without --save and --load */

    Claims claims;
    AttentionLog attention;
    size_t attention_written; /* how much of it is in attention.tsv */
    Table table;              /* the one being filled by run_table_row() */

    RunFile *files; /* in order of creation */
    int file_count, file_capacity;
    int files_lost;        /* that could not be written; the first was reported */
    bool no_gnuplot;       /* curves were left undrawn */
    Error gnuplot_problem; /* the first, when it failed */
    bool failed;           /* an error of the user's: exit code 2 */
    bool broken_off;       /* by an error of the programmer's: exit code 3 */
    bool temporary;        /* its folder is removed at its end: a repetition */
    bool quit;             /* q at a pause */
    bool no_more_pauses;   /* nobody is there to press Enter */
    double started;        /* on progress_clock() */
    double waited;         /* seconds spent at pauses */
};

/* ---- what the user asked for ---- */

/* Steps of a training: --steps if given, else `quick` under --quick, else `full`. Fewer than `full`
 * means that the claims of this step (and of steps that need it) made with claim_trained() are
 * listed as not made. */
int run_steps(Run *run, int full, int quick);

/* For trainings that turn out to be shorter than run_steps() said: the same for the claims. */
void run_shortened(Run *run);

/* Sizes of anything else that may be smaller under --quick (sentences, sequences, lengths). */
int run_size(const Run *run, int full, int quick);

/* Random numbers for one purpose, such as "2.2 weights": they depend on --seed and the text alone,
 * so a step draws the same ones whether others ran before it or not. */
Rng run_rng(const Run *run, const char *purpose);

/* Was --break NAME given? A name that is not in the lesson's list stops the program. */
bool run_broken(const Run *run, const char *name);

/* True after Ctrl-C, after an input error or when nobody listens any more: every loop that takes
 * longer than a moment ends early then. */
bool run_stopped(const Run *run);

/* The user gave something that cannot be used (a file, a combination of flags): prints the one line
 * to stderr; the remaining steps are skipped and the exit code is 2. Return from the step after it.
 */
void run_input_error(Run *run, const Error *error);

/* One line on stderr with the lesson's name before it. */
void run_complain(Run *run, const char *text);

/* Why the run ended early: "Ctrl-C", "an input error", "q at a pause"; "-" when it did not. */
const char *run_ending(const Run *run);

/* Seconds since it began, but for those at pauses, in which a teacher talks. */
double run_seconds(const Run *run);

/* ---- saying and showing ---- */

/* A paragraph, wrapped at the width of the terminal. */
void run_say(Run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A paragraph that draws a conclusion only a full training allows: said when claim_trained() would
 * make its claim, and when nothing was broken on purpose. */
void run_conclude(Run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Lines as they are, not wrapped: formulas, sentences, aligned text. Add the newline. */
void run_print(Run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An empty line. */
void run_gap(Run *run);

/* Numbers under "name (shape)". A tensor of 3 or 4 dimensions is shown matrix by matrix. */
void run_tensor(Run *run, const char *name, const Tensor *tensor);
void run_vector(Run *run, const char *name, const float *values, int n);
void run_matrix(Run *run, const char *name, const float *values, int rows, int cols);
void run_matrix_labelled(Run *run, const char *name, const float *values, int rows, int cols,
                         const char *const *row_labels, const char *const *col_labels);

/* A mask, matrix by matrix, 1 = may look. */
void run_mask(Run *run, const char *name, const Mask *mask);

/* A small heatmap in the terminal: queries down, keys across; labels may be NULL. */
void run_heatmap(Run *run, const char *title, const float *values, int rows, int cols,
                 const char *const *row_labels, const char *const *col_labels);

/* A table, cells separated by tabs: run_table(run, "length\twith\twithout"), then a
 * run_table_row(run, "%d\t%.2f\t%.2f", ...) for each row, then run_table_end(run). */
void run_table(Run *run, const char *header);
void run_table_row(Run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
void run_table_end(Run *run);

/* A progress line; go on with progress_update() and progress_end(). */
Progress run_progress(Run *run, const char *label, int total);

/* ---- files of the run ---- */

/* Path of a file in the run's folder, remembered for the list at the end. Valid until the run ends.
 * Names of files that hold seconds start with "timing_". */
const char *run_file(Run *run, const char *name);

/* Each of the following writes files into the run's folder. When that fails, one line goes to
 * stderr (for the first failure of a run), the lesson goes on, and the exit code will be 2. After
 * Ctrl-C nothing new is written. False when there is no new picture or file. */

/* Curves or bars: NAME.tsv, NAME.gp and, with gnuplot, NAME.png. Without gnuplot the end of the run
 * says how to draw them. */
bool run_plot(Run *run, const Plot *plot);

/* A picture of one or several heatmaps, `columns` in a row, and its numbers: NAME.png and
 * NAME.map.tsv (show/heatmap_numbers.h). `file` ends in ".png". */
bool run_heatmap_png(Run *run, const char *file, const Heatmap *maps, int count, int columns,
                     const char *title);

/* A file the lesson writes by itself, at run_file(), could not be written: as above. */
void run_file_error(Run *run, const Error *error);

/* Any other file, such as sample translations. */
bool run_write(Run *run, const char *file, const char *text);

/* The name of a picture, its file without ".png", cut to `size`. */
void picture_name(char *name, size_t size, const char *file);

/* One attention map (queries, keys) for attention.tsv, which is written after each step. `map` is
 * the name of the picture that shows it, "heads_encoder" (lesson/attention_log.h). */
void run_attention(Run *run, const char *map, int layer, int head, const float *weights,
                   int queries, int keys, const char *const *query_tokens,
                   const char *const *key_tokens);

/* ---- claims ---- */

/* Measured against its bound, printed with it, green or red: op is "<" "<=" ">" ">=" or "==". `id`
 * is short, a word for programs, and occurs once in a lesson; `text` is the sentence. When the text
 * contains a '%' and the bound is a fraction, value and bound are shown as percent (.41: 41 %). A
 * NaN fails. */

/* Needs the full training: not made under --quick, with fewer --steps or after Ctrl-C. */
void claim_trained(Run *run, const char *id, const char *text, double value, const char *op,
                   double bound);

/* Can be checked in a moment (an identity, a sum, a shape): always made, but after Ctrl-C. */
void claim_checked(Run *run, const char *id, const char *text, double value, const char *op,
                   double bound);

/* About time: shown, never red, never in the exit code. */
void claim_timing(Run *run, const char *id, const char *text, double value, const char *op,
                  double bound);

#endif
