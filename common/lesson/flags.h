/* The flags that every lesson has. */
#ifndef LESSON_FLAGS_H
#define LESSON_FLAGS_H

#include "lesson/options.h"
#include "show/terminal.h"

typedef struct Lesson Lesson;

enum { FLAGS_MAX_OPTIONS = 48, FLAGS_TEXT_SIZE = 64 };

typedef struct Flags {
    bool help, list, notes;
    uint64_t seed;
    int steps; /* of every training in the run; 0: as the lesson says */
    bool quick;
    const char *out;        /* folder of the run's files */
    bool step;              /* wait for Enter after each step */
    const char *only;       /* "2.2,2.3", or NULL for all */
    int threads;            /* 1 unless more are asked for: the models are small, and on a machine
                               that does something else, too, waiting for a second thread costs
                               more than it brings */
    const char *break_name; /* the mistake switched on, or NULL */
    bool check_finite;
    bool no_plots, no_color;
    const char *save, *load; /* files with weights, or NULL */
    const char *repeat;      /* folder of a run to be made again, or NULL */
    int runs; /* how many, each with a seed of its own; 1 unless more are asked for */

    char *out_default, *only_joined;                   /* owned */
    char defaults[FLAGS_MAX_OPTIONS][FLAGS_TEXT_SIZE]; /* value of each option before parsing */
} Flags;

/* All options of a lesson in one table: the common ones, which point into `flags`, then its own.
 * Returns their number. A name or letter that is taken twice stops the program. */
int flags_table(const Lesson *lesson, Flags *flags, Option *table);

/* Fills the flags (and the lesson's own variables) from argv and checks --only and --break. */
bool flags_parse(const Lesson *lesson, Flags *flags, int argc, char **argv, Error *error);
void flags_free(Flags *flags);

/* --help, with the defaults that were in force before parsing, and --list. `program` is how the
 * program was called. */
void flags_print_help(const Lesson *lesson, Flags *flags, const char *program,
                      const Terminal *term);
void flags_print_list(const Lesson *lesson, const Terminal *term);

/* --notes: the teacher's notes on all steps, or on those that --only names. */
void flags_print_notes(const Lesson *lesson, const Flags *flags, const Terminal *term);

/* Is this step among those asked for by --only? "2" stands for every step 2.x. */
bool flags_select(const Flags *flags, const char *step_number);

#endif
