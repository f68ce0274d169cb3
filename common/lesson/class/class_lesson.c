/* Starting a lesson, and saying how it ended. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "lesson/class/class.h"
#include "show/run_folder.h"
#include "show/wrap.h"

enum { ADDED_WORDS = 10, FOLDER_SIZE = 256, TEXT_SIZE = 640, SIGNALLED = 128, CTRL_C = 130 };

void class_say(const Class *class, Style style, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = text_format(format, arguments);
    va_end(arguments);
    terminal_prose_indented(class->term, style, 0, text);
    fflush(class->term->out);
    free(text);
}

bool class_has_flag(const Class *class, const char *flag) {
    size_t size = strlen(flag);
    for (int i = 0; i < class->flag_count; i++) {
        const char *word = class->flags[i];
        if (strncmp(word, flag, size) == 0 && (word[size] == '\0' || word[size] == '=')) {
            return true;
        }
    }
    return false;
}

/* ---- the folder of a run ---- */

static void folder_of(const LessonFacts *facts, ClassPart part, char folder[FOLDER_SIZE]) {
    if (part.mistake != NULL) {
        snprintf(folder, FOLDER_SIZE, "plots/broken/%02d_%.100s", facts->number, part.mistake);
    } else if (part.only != NULL) {
        snprintf(folder, FOLDER_SIZE, "plots/again/%02d_%.100s", facts->number, part.only);
    } else {
        snprintf(folder, FOLDER_SIZE, "plots/%.100s", facts->name);
    }
}

/* Does the user want all files elsewhere? Then nothing is known of what a run left. */
static bool goes_elsewhere(const Class *class) {
    return class_has_flag(class, "--out") || class_has_flag(class, "-o");
}

void class_time_text(const Class *class, int lesson, char *text, size_t size) {
    char folder[FOLDER_SIZE];
    const LessonFacts *facts = &class->lessons[lesson];
    folder_of(facts, (ClassPart){.only = NULL}, folder);
    bool quick = class_has_flag(class, "--quick") || class_has_flag(class, "-q");
    lesson_time_text(facts, goes_elsewhere(class) ? "" : folder, quick, text, size);
}

/* ---- the end of a run ---- */

static int record_count(const TsvTable *record, const char *key) {
    const char *value = tsv_value(record, key);
    return value != NULL ? atoi(value) : 0;
}

/* "14 claims hold, 1 fails, 2 were not made; 31.0 s": from the record of the run, or "". */
static void results_text(const char *folder, char *text, size_t size) {
    Error error = {""};
    TsvTable record;
    text[0] = '\0';
    if (!run_record_read(folder, &record, &error)) {
        return;
    }
    int hold = record_count(&record, "claims_hold"), fail = record_count(&record, "claims_fail"),
        not_made = record_count(&record, "claims_not_made");
    const char *seconds = tsv_value(&record, "seconds");
    char failing[48] = "", missing[48] = "";
    if (fail > 0) {
        snprintf(failing, sizeof failing, ", %d %s", fail, fail == 1 ? "fails" : "fail");
    }
    if (not_made > 0) {
        snprintf(missing, sizeof missing, ", %d not made", not_made);
    }
    const char *stopped = tsv_value(&record, "stopped_by");
    bool early = stopped != NULL && strcmp(stopped, "-") != 0;
    snprintf(text, size, " %d %s%s%s%s; it took %.1f s.", hold,
             hold == 1 ? "claim holds" : "claims hold", failing, missing,
             early ? ", until it was stopped" : "", seconds != NULL ? atof(seconds) : 0);
    tsv_free(&record);
}

/* How it ended in words; `*well` when nothing is to be worried about. */
static void ending_text(const char *name, Ending ending, ClassPart part, char *text, bool *well) {
    bool broken = part.mistake != NULL;
    *well = false;
    if (ending.error != 0) {
        snprintf(text, TEXT_SIZE, "%s could not be started: %s.", name, strerror(ending.error));
    } else if (ending.signal != 0) {
        bool asked = ending.signal == SIGTERM || ending.signal == SIGHUP;
        snprintf(text, TEXT_SIZE, "%s %s: %s.", name, asked ? "was ended" : "crashed",
                 strsignal(ending.signal));
    } else if (ending.code == 0) {
        snprintf(text, TEXT_SIZE, "%s%s has ended%s.", name, broken ? ", broken on purpose," : "",
                 broken ? ", and no claim turned red" : "");
        *well = true;
    } else if (ending.code == 1 && broken) {
        snprintf(text, TEXT_SIZE,
                 "%s, broken on purpose (%s), has ended with red claims, as it should.", name,
                 part.mistake);
        *well = true;
    } else if (ending.code == 1) {
        snprintf(text, TEXT_SIZE, "%s has failed: a claim does not hold (exit status 1).", name);
    } else if (ending.code == 2) {
        snprintf(text, TEXT_SIZE,
                 "%s has failed: wrong use or input, see its line above (exit "
                 "status 2).",
                 name);
    } else if (ending.code == 3) {
        snprintf(text, TEXT_SIZE, "%s has stopped before its end, see its line above.", name);
    } else if (ending.code == CTRL_C) {
        snprintf(text, TEXT_SIZE, "%s was ended by Ctrl-C.", name);
        *well = true;
    } else if (ending.code > SIGNALLED && ending.code < SIGNALLED + 65) {
        snprintf(text, TEXT_SIZE, "%s was ended: %s.", name, strsignal(ending.code - SIGNALLED));
    } else {
        snprintf(text, TEXT_SIZE, "%s has failed with exit status %d.", name, ending.code);
    }
}

static void say_ending(const Class *class, const LessonFacts *facts, ClassPart part,
                       const char *folder, Ending ending) {
    char text[TEXT_SIZE], results[160] = "";
    bool well;
    ending_text(facts->name, ending, part, text, &well);
    bool through = ending.error == 0 && ending.signal == 0 && ending.code <= 1;
    if (through && !goes_elsewhere(class)) {
        results_text(folder, results, sizeof results);
    }
    if (ending.signal != 0 && class->term->color) {
        fputs("\033[0m", class->term->out); /* whatever colour it has left there */
    }
    class_say(class, well ? STYLE_BOLD : STYLE_RED, "\n%s%s", text, results);
}

/* ---- the run ---- */

/* The program, `added` words that come before the user's own (a later flag wins), and those; ends
 * with NULL. free() the list, not the words. */
static char **command_words(const Class *class, const LessonFacts *facts,
                            const char *const *added) {
    size_t room = (size_t)(class->flag_count + ADDED_WORDS + 2);
    char **words = check_alloc(room * sizeof *words);
    int count = 0;
    words[count++] = (char *)(uintptr_t)facts->program;
    while (*added != NULL) {
        words[count++] = (char *)(uintptr_t)*added++;
    }
    for (int i = 0; i < class->flag_count; i++) {
        words[count++] = class->flags[i];
    }
    return words;
}

void class_lesson(Class *class, int lesson, ClassPart part) {
    const LessonFacts *facts = &class->lessons[lesson];
    const char *added[ADDED_WORDS] = {"--step"};
    char folder[FOLDER_SIZE];
    int count = 1;
    folder_of(facts, part, folder);
    if (part.only != NULL || part.mistake != NULL) {
        added[count++] = "--out";
        added[count++] = folder;
        added[count++] = part.only ? "--only" : "--break";
        added[count++] = part.only ? part.only : part.mistake;
    }
    if (part.quick) {
        added[count++] = "--quick";
    }
    char **words = command_words(class, facts, added);
    terminal_print(class->term, "\n");
    Ending ending = process_run(&class->foreground, words);
    free(words);
    class->last = lesson;
    say_ending(class, facts, part, folder, ending);
}

void class_notes(Class *class, int lesson) {
    const LessonFacts *facts = &class->lessons[lesson];
    const char *plain = class_has_flag(class, "--no-color") ? "--no-color" : NULL;
    const char *const words[] = {facts->program, "--notes", plain,
                                 NULL}; /* none of the flags for runs */
    terminal_print(class->term, "\n");
    Ending ending = process_run(&class->foreground, (char *const *)(uintptr_t)words);
    if (ending.error != 0 || ending.signal != 0 || ending.code != 0) {
        class_say(class, STYLE_RED, "%s has shown no notes.", facts->name);
    }
}
