#include "lesson/walkthrough.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/check.h"
#include "core/threads.h"
#include "io/folder.h"
#include "lesson/interrupt.h"
#include "lesson/pause.h"
#include "lesson/record.h"
#include "lesson/repeat.h"
#include "lesson/run_summary.h"
#include "lesson/several.h"
#include "lesson/streams.h"
#include "lesson/weights.h"

/* ---- which steps run ---- */

bool word_in_list(const char *list, const char *word) {
    for (const char *at = list; at && *at;) {
        at += strspn(at, " ,");
        size_t size = strcspn(at, " ,");
        if (size == strlen(word) && strncmp(at, word, size) == 0) {
            return true;
        }
        at += size;
    }
    return false;
}

bool step_needs(const Lesson *lesson, int step, int other) {
    return word_in_list(lesson->steps[step].needs, lesson->steps[other].number);
}

/* A table of contents with a hole in it is the author's mistake. */
static void check_lesson(const Lesson *lesson) {
    CHECK(lesson->note_count == 0 || lesson->note_count == lesson->step_count,
          "lesson %s has %d notes for %d steps", lesson->number, lesson->note_count,
          lesson->step_count);
    for (int i = 0; i < lesson->note_count; i++) {
        CHECK(strcmp(lesson->notes[i].step, lesson->steps[i].number) == 0,
              "lesson %s: the note on %s stands where that on %s should", lesson->number,
              lesson->notes[i].step, lesson->steps[i].number);
    }
    for (int i = 0; i < lesson->step_count; i++) {
        int wanted = 0, found = 0;
        const char *at = lesson->steps[i].needs;
        while (at && *(at += strspn(at, " ,"))) {
            at += strcspn(at, " ,");
            wanted++;
        }
        for (int j = 0; j < i; j++) {
            found += step_needs(lesson, i, j);
            CHECK(strcmp(lesson->steps[i].number, lesson->steps[j].number) != 0,
                  "lesson %s has two steps %s", lesson->number, lesson->steps[i].number);
        }
        CHECK(found == wanted, "lesson %s, step %s needs \"%s\": not all of these come before it",
              lesson->number, lesson->steps[i].number, lesson->steps[i].needs);
    }
}

/* Marks the steps that --only asks for, and (needed) those they rest on. */
static void choose_steps(const Run *run, bool *asked, bool *needed) {
    const Lesson *lesson = run->lesson;
    for (int i = lesson->step_count - 1; i >= 0; i--) { /* needs point backwards */
        asked[i] = flags_select(&run->flags, lesson->steps[i].number);
        for (int j = 0; j < i; j++) {
            needed[j] = needed[j] || ((asked[i] || needed[i]) && step_needs(lesson, i, j));
        }
    }
}

/* ---- before, between and after ---- */

static void print_banner(Run *run) {
    const Lesson *lesson = run->lesson;
    const Terminal *term = &run->term;
    char title[256], note[512];
    snprintf(title, sizeof title, "Lesson %s: %s\n", lesson->number, lesson->title);
    terminal_put(term, STYLE_BOLD, title);
    terminal_prose(term, "%s", lesson->question);
    bool whole = !run->flags.quick && !run->flags.only && run->flags.steps == 0;
    if (whole) {
        terminal_prose(term, "It takes %s.", lesson->duration);
    } else if (run->flags.quick) {
        terminal_prose(term, "A quick run: everything is small, and claims that need the full "
                             "training are not made.");
    }
    if (run->other_option != NULL && !run->flags.quick) {
        terminal_prose(term,
                       "The bounds of the claims were set for the default --%s: those that "
                       "need a training are not made.",
                       run->other_option);
    }
    if (run->flags.load != NULL) {
        const char *other = weights_other(run);
        terminal_prose(term, "Nothing is trained: the weights are those of %s.%s%s%s",
                       run->flags.load, other ? " This run has " : "", other ? other : "",
                       other ? ": claims that need a training are not made." : "");
    }
    for (int i = 0; i < lesson->mistake_count; i++) {
        if (run_broken(run, lesson->mistakes[i].name)) {
            snprintf(note, sizeof note, "This run is broken on purpose (--break %s): %s.",
                     lesson->mistakes[i].name, lesson->mistakes[i].effect);
            terminal_prose_indented(term, STYLE_RED, 0, note);
        }
    }
}

/* attention.tsv keeps up with the steps, so that Ctrl-C in a later one loses nothing. */
static void write_attention(Run *run) {
    if (run->attention.size == run->attention_written) {
        return;
    }
    Error error = {""};
    if (attention_log_write(&run->attention, run_file(run, "attention.tsv"), &error)) {
        run->attention_written = run->attention.size;
    } else {
        run_file_error(run, &error);
    }
}

static void run_one_step(Run *run, int index, bool silent) {
    const Step *step = &run->lesson->steps[index];
    double started = run_seconds(run);
    run->step = step;
    run->silent = silent;
    if (!silent) {
        char heading[256];
        snprintf(heading, sizeof heading, "\n%s  %s\n\n", step->number, step->title);
        terminal_put(&run->term, STYLE_BOLD, heading);
    }
    step->run(run, run->lesson->context);
    run->done[index] = !run_stopped(run);
    write_attention(run);
    weights_write(run);
    if (!silent && run->term.is_tty && !run_stopped(run)) {
        char took[64];
        snprintf(took, sizeof took, "(%s took %.1f s)\n", step->number, run_seconds(run) - started);
        terminal_put(&run->term, STYLE_DIM, took);
    }
    if (!silent && run->flags.step && !run_stopped(run)) {
        pause_for_enter(run);
    }
    run->silent = false;
}

static void run_chosen_steps(Run *run) {
    int count = run->lesson->step_count;
    bool *asked = check_alloc((size_t)count), *needed = check_alloc((size_t)count);
    choose_steps(run, asked, needed);
    for (int i = 0; i < count && !run_stopped(run) && !run->quit; i++) {
        if (asked[i] || needed[i]) {
            run_one_step(run, i, !asked[i]);
        }
    }
    free(asked);
    free(needed);
}

static int exit_code(const Run *run) {
    if (interrupt_signal() != 0) {
        return 128 + interrupt_signal();
    }
    int red = claims_count(&run->claims, CLAIM_FAILS);
    return run->failed || run->files_lost > 0 ? 2 : run->broken_off ? 3 : red > 0;
}

/* ---- the run ---- */

/* The spread of former runs with several seeds would be taken for this one's. */
static void remove_spread(const Run *run) {
    char *stale = path_join(run->flags.out, "spread.tsv");
    if (stale) {
        remove(stale);
    }
    free(stale);
}

/* Did bad input or Ctrl-C end it before anything was written, in a folder that has a run? That run
 * stays as it is: its claims and its record belong to its pictures. */
static bool leaves_earlier_run(const Run *run) {
    char *record = path_join(run->flags.out, "run.tsv");
    bool leaves =
        record != NULL && run_stopped(run) && run->file_count == 0 && access(record, F_OK) == 0;
    free(record);
    return leaves;
}

static void write_results(Run *run) {
    Error error = {""};
    if (run->flags.runs == 1) {
        remove_spread(run);
    }
    if (claims_write(&run->claims, run->flags.out, &error)) {
        run_file(run, "claims.tsv");
        if (claims_count(&run->claims, CLAIM_TIMING) > 0) {
            run_file(run, "timing_claims.tsv");
        }
    } else {
        run_file_error(run, &error);
    }
    if (record_write(run, exit_code(run), run_seconds(run), &error)) {
        run_file(run, "run.tsv");
    } else {
        run_file_error(run, &error);
    }
}

static void run_finish(Run *run) {
    Error error = {""};
    run->step = NULL;
    weights_end(run);
    if (!leaves_earlier_run(run)) {
        write_results(run);
    }
    if (*run->gnuplot_problem.text && run->files_lost == 0) {
        run_complain(run, run->gnuplot_problem.text);
    }
    run_summary(run, exit_code(run));
    fflush(run->term.out); /* a pager's: its end is in standard output now */
    if (!streams_finish() && interrupt_signal() == 0) {
        error_set(&error, "standard output could not be written: %s", strerror(errno));
        run_file_error(run, &error);
    }
}

static void run_free(Run *run) {
    for (int i = 0; i < run->file_count; i++) {
        free(run->files[i].path);
    }
    free(run->files);
    free(run->shortened);
    free(run->done);
    weights_free(run);
    free(run->checksums);
    table_free(&run->table);
    claims_free(&run->claims);
    attention_log_free(&run->attention);
    flags_free(&run->flags);
}

static Run *at_work; /* the run whose steps are being taken: an error handler has no context */

/* Several threads may meet the same error: the first goes on, the others wait for the end. */
static void first_thread_only(const char *message) {
    static atomic_flag taken = ATOMIC_FLAG_INIT;
    static _Thread_local bool mine;
    if (mine) { /* another error, at the end itself */
        check_handler_set(NULL);
        check_fail("%s", message);
    }
    while (atomic_flag_test_and_set(&taken)) {
        pause();
    }
    mine = true;
}

/* An error of the programmer in a step: a wrong shape, a nan that --check-finite has found, an
 * exercise that is not written. What was shown until then is kept, as after Ctrl-C. */
static void end_at_error(const char *message) {
    Run *run = at_work;
    first_thread_only(message);
    fflush(run->term.out);
    fprintf(stderr, "%serror: %s\n", run->term.is_tty ? "\n" : "", message);
    run->broken_off = true;
    if (run->temporary) { /* half a repetition, in which nobody will look */
        folder_discard(run->flags.out);
    } else {
        write_attention(run);
        weights_write(run);
        run_finish(run);
    }
    _exit(exit_code(run));
}

static int run_whole(Run *run) {
    Error error = {""};
    threads_set(run->flags.threads);
    if (!folder_make(run->flags.out, &error)) {
        run_input_error(run, &error);
        return 2;
    }
    interrupt_install(&run->bar);
    print_banner(run);
    at_work = run;
    CheckHandler handler = check_handler_set(end_at_error);
    run_chosen_steps(run);
    check_handler_set(handler);
    run_finish(run);
    int code = exit_code(run);
    interrupt_remove();
    return code;
}

/* What can be refused is, before anything is printed: 0, or 2 after the one line that says why. */
static int run_prepare(Run *run) {
    Error error = {""};
    const Lesson *lesson = run->lesson;
    record_begin(run);
    bool ok = (lesson->validate == NULL || lesson->validate(run, lesson->context, &error)) &&
              weights_begin(run, &error);
    if (!ok) {
        run_input_error(run, &error);
    }
    return ok ? 0 : 2;
}

static int help_or_list(Run *run, const char *program) {
    if (run->flags.help) {
        flags_print_help(run->lesson, &run->flags, program, &run->term);
    } else if (run->flags.notes) {
        flags_print_notes(run->lesson, &run->flags, &run->term);
    } else {
        flags_print_list(run->lesson, &run->term);
    }
    fflush(run->term.out);
    return streams_finish() ? 0 : 2;
}

/* ---- claims that are made for the defaults only ---- */

typedef struct OptionTexts {
    char text[FLAGS_MAX_OPTIONS][24];
} OptionTexts;

static OptionTexts option_texts(const Lesson *lesson) {
    OptionTexts texts;
    for (int i = 0; i < lesson->option_count; i++) {
        option_value_text(&lesson->options[i], texts.text[i], sizeof texts.text[i]);
    }
    return texts;
}

/* The first of Lesson.judged_with that has another value than before, or NULL. */
static const char *changed_option(const Lesson *lesson, const OptionTexts *before) {
    OptionTexts now = option_texts(lesson);
    for (int i = 0; i < lesson->option_count; i++) {
        const char *name = lesson->options[i].name;
        if (strcmp(now.text[i], before->text[i]) != 0 && word_in_list(lesson->judged_with, name)) {
            return name;
        }
    }
    return NULL;
}

/* The flags of a run that is repeated, but for what is asked for now. */
static bool take_over(Run *run, const RepeatedWith *with, Error *error) {
    Flags *flags = &run->flags;
    flags->out = with->out;
    run->temporary = with->temporary;
    flags->threads = with->threads > 1 ? with->threads : flags->threads;
    flags->no_color = flags->no_color || with->no_color;
    flags->step = false;
    flags->save = NULL;
    if (flags->runs > 1) {
        return error_set(error,
                         "this folder holds %d runs, one for each seed: repeat one of those in it, "
                         "such as seed_%llu",
                         flags->runs, (unsigned long long)flags->seed);
    }
    return flags->repeat == NULL || error_set(error, "a repetition cannot be repeated");
}

static int run_lesson(const Lesson *lesson, int argc, char **argv, const RepeatedWith *with) {
    Error error = {""};
    Run run = {.lesson = lesson, .argc = argc, .argv = argv, .started = progress_clock()};
    streams_prepare();
    check_lesson(lesson);
    run.shortened = check_alloc((size_t)lesson->step_count);
    run.done = check_alloc((size_t)lesson->step_count);
    OptionTexts defaults = option_texts(lesson);
    bool usable = flags_parse(lesson, &run.flags, argc, argv, &error);
    usable = usable && (with == NULL || take_over(&run, with, &error));
    run.other_option = changed_option(lesson, &defaults);
    run.term = run.bar = terminal_new(stdout, run.flags.no_color);
    paging_begin(&run);
    int code = 2;
    if (!usable) {
        run_input_error(&run, &error);
    } else if (run.flags.help || run.flags.list || run.flags.notes) {
        code = help_or_list(&run, argv[0]);
    } else if (run.flags.repeat != NULL) {
        code = repeat_run(&run, run_lesson);
    } else if (run.flags.runs > 1) {
        code = several_run(&run, (SeveralWork){run_prepare, run_whole, run_finish, exit_code});
    } else {
        code = run_prepare(&run);
        code = code == 0 ? run_whole(&run) : code;
    }
    paging_end(&run);
    run_free(&run);
    return code;
}

int walkthrough_run(const Lesson *lesson, int argc, char **argv) {
    return run_lesson(lesson, argc, argv, NULL);
}
