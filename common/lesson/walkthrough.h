/* A lesson as a table of contents, and the walk through it.
 *
 *     int main(int argc, char **argv) {
 *         Recall recall = {.hidden = 64};
 *         const Option options[] = {
 *             OPTION_INT("hidden", 'H', &recall.hidden, 1, 1024, "units of the state")};
 *         const Step steps[] = {
 *             {"2.1", "One decoder step by hand", show_one_step, NULL},
 *             {"2.2", "The bottleneck", show_bottleneck, NULL},
 *             {"2.3", "What the model looks at", show_alignment, "2.2"},
 *         };
 *         const Mistake mistakes[] = {{"no_pad_mask", "padding gets attention, too"}};
 *         const Lesson lesson = {
 *             .number = "02", .name = "bahdanau", .title = "Let the decoder look back",
 *             .question = "Why should a whole sentence fit into one vector?",
 *             .duration = "about 30 s",
 *             LESSON_TABLES(steps, mistakes, options),
 *             .context = &recall};
 *         return walkthrough_run(&lesson, argc, argv);
 *     }
 */
#ifndef LESSON_WALKTHROUGH_H
#define LESSON_WALKTHROUGH_H

#include "lesson/run.h"

struct Step {
    const char *number, *title; /* "2.2", "The bottleneck" */
    void (*run)(Run *run, void *context);
    const char *needs; /* "2.1 2.2": run silently first under --only; NULL: nothing */
};

typedef struct Mistake {
    const char *name, *effect; /* "no_pad_mask", "padding gets attention, too" */
} Mistake;

/* What --notes says to the teacher about a step, in 2 to 4 sentences: what to ask the class, the
 * usual wrong answer, how long the step takes on one core. */
typedef struct Note {
    const char *step, *text;
} Note;

struct Lesson {
    const char *number, *name; /* "02", "bahdanau" */
    const char *title;         /* "Let the decoder look back" */
    const char *question;      /* the one it answers */
    const char *duration;      /* "about 30 s" */
    const Step *steps;
    int step_count;
    const Mistake *mistakes;
    int mistake_count;
    const Note *notes; /* one for each step, in their order; or none at all */
    int note_count;
    const Option *options; /* its own */
    int option_count;
    const char *judged_with; /* "hidden rate": those of them whose defaults the bounds of the
                                trained claims were set for; with other values these claims are
                                not made. NULL: none */
    const char
        *examples; /* lines for the help, flags only: "--score dot --only 3.2\n..."; or NULL */
    void *context; /* handed to every step */

    /* Checks what a single flag cannot know (d_model divisible by heads) and reads what the run
     * cannot do without (--data FILE), before anything is printed. NULL: nothing to check. */
    bool (*validate)(Run *run, void *context, Error *error);
};

/* The three tables of a lesson and how many there are of each, within its initialiser. */
#define LESSON_TABLES(the_steps, the_mistakes, the_options)                                        \
    .steps = (the_steps), .step_count = COUNT_OF(the_steps), .mistakes = (the_mistakes),           \
    .mistake_count = COUNT_OF(the_mistakes), .options = (the_options),                             \
    .option_count = COUNT_OF(the_options)

/* Is the word in the list "2.2 2.3" (or "hidden, rate")? A list of NULL has none. */
bool word_in_list(const char *list, const char *word);

#define LESSON_NOTES(the_notes) .notes = (the_notes), .note_count = COUNT_OF(the_notes)

/* Does step `step` name step `other` among its needs? Both count from 0. */
bool step_needs(const Lesson *lesson, int step, int other);

/* Runs the lesson and returns the exit code of the program: 0 when no claim fails, 1 when one does,
 * 2 for wrong flags, unusable input or a file that could not be written, 130 after Ctrl-C (143
 * after SIGTERM). */
int walkthrough_run(const Lesson *lesson, int argc, char **argv);

#endif
