/* --help, --list and --notes. */
#include <stdlib.h>
#include <string.h>

#include "lesson/flags.h"
#include "lesson/walkthrough.h"
#include "show/wrap.h"

enum { PAGE = 79, HELP_COLUMN = 24, LONGEST_PROGRAM = 30, NARROWEST_COLUMN = 20, NOTE_INDENT = 5 };

static void append(char *text, size_t size, const char *more) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

/* " (1 to 1024; default 64)": what the value may be and what it is when not given. */
static void append_range(char *text, size_t size, const Option *option, const char *fallback) {
    char range[256] = "";
    bool has_default = strcmp(fallback, "-") != 0;
    if (option->kind == OPTION_IS_FLAG) {
        return;
    }
    if (option->kind == OPTION_IS_INT || option->kind == OPTION_IS_FLOAT) {
        bool whole = option->kind == OPTION_IS_INT;
        snprintf(range, sizeof range, whole ? "%.0f to %.0f" : "%g to %g", option->min,
                 option->max);
        has_default = atof(fallback) >= option->min; /* 0 steps: the help says what that means */
    }
    for (int i = 0; option->kind == OPTION_IS_CHOICE && option->choices[i]; i++) {
        append(range, sizeof range, i > 0 ? ", " : "");
        append(range, sizeof range, option->choices[i]);
    }
    if (has_default) {
        append(range, sizeof range, *range ? "; default " : "default ");
        append(range, sizeof range, fallback);
    }
    if (*range) {
        append(text, size, " (");
        append(text, size, range);
        append(text, size, ")");
    }
}

/* "  -o, --out DIR         folder for ...", the right column wrapped. */
static void print_option(const Terminal *term, const Option *option, const char *fallback) {
    char left[64], letter[8] = "    ", right[512] = "";
    if (option->letter) {
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    }
    snprintf(left, sizeof left, "  %s--%s%s%s", letter, option->name, option->value_name ? " " : "",
             option->value_name ? option->value_name : "");
    append(right, sizeof right, option->help);
    append_range(right, sizeof right, option, fallback);

    Wrapped lines = wrap_text(term, right, PAGE - HELP_COLUMN);
    bool beside = strlen(left) < HELP_COLUMN;
    if (!beside) {
        terminal_print(term, "%s\n", left);
    }
    for (int i = 0; i < lines.count; i++) {
        terminal_print(term, "%-*s%s\n", HELP_COLUMN, beside && i == 0 ? left : "", lines.line[i]);
    }
    wrapped_free(&lines);
}

static void print_wrapped(const Terminal *term, const char *text) {
    Wrapped lines = wrap_text(term, text, PAGE);
    for (int i = 0; i < lines.count; i++) {
        terminal_print(term, "%s\n", lines.line[i]);
    }
    wrapped_free(&lines);
}

/* The lesson's own examples, or three that every lesson can offer. */
static void print_examples(const Lesson *lesson, const char *program, const Terminal *term) {
    terminal_put(term, STYLE_BOLD, "Examples\n");
    const char *examples = lesson->examples ? lesson->examples : "";
    while (*examples) {
        size_t size = strcspn(examples, "\n");
        terminal_print(term, "  %s %.*s\n", program, (int)size, examples);
        examples += size + (examples[size] == '\n');
    }
    terminal_print(term, "  %s --quick\n", program);
    if (lesson->step_count > 1) {
        terminal_print(term, "  %s --only %s --seed 7\n", program, lesson->steps[1].number);
    }
    if (lesson->mistake_count > 0) {
        terminal_print(term, "  %s --break %s --out plots/broken\n", program,
                       lesson->mistakes[0].name);
    }
}

void flags_print_help(const Lesson *lesson, Flags *flags, const char *program,
                      const Terminal *term) {
    Option table[FLAGS_MAX_OPTIONS];
    int count = flags_table(lesson, flags, table);
    int common = count - lesson->option_count;
    const char *slash = strrchr(program, '/');
    if (strlen(program) > LONGEST_PROGRAM && slash) {
        program = slash + 1;
    }
    char title[256];
    snprintf(title, sizeof title, "Lesson %s: %s\n", lesson->number, lesson->title);
    terminal_put(term, STYLE_BOLD, title);
    print_wrapped(term, lesson->question);
    terminal_print(term, "It takes %s.\n\n", lesson->duration);
    terminal_print(term, "usage: %s [flags]\n\n", program);
    if (count > common) {
        terminal_put(term, STYLE_BOLD, "Flags of this lesson\n");
    }
    for (int i = common; i < count; i++) {
        print_option(term, &table[i], flags->defaults[i]);
    }
    terminal_put(term, STYLE_BOLD, count > common ? "\nFlags of every lesson\n" : "Flags\n");
    for (int i = 0; i < common; i++) {
        print_option(term, &table[i], flags->defaults[i]);
    }
    terminal_print(term, "\n");
    print_examples(lesson, program, term);
    terminal_put(term, STYLE_BOLD, "\nExit status\n");
    print_wrapped(term, "  0 when no claim fails, 1 when one does, 2 for wrong flags, unusable "
                        "input or a file that could not be written, 3 for errors in the code, "
                        "130 after Ctrl-C.");
}

/* "--break NAME  what it does": in a pipe on one line, for programs; on a terminal the right column
 * is wrapped, or goes below where the window is too narrow for two. */
static void print_mistake(const Terminal *term, const Mistake *mistake, int widest) {
    char left[128];
    snprintf(left, sizeof left, "--break %-*s ", widest, mistake->name);
    if (!term->is_tty) {
        terminal_print(term, "%s %s\n", left, mistake->effect);
    } else if (terminal_width(term) - (int)strlen(left) - 1 >= NARROWEST_COLUMN) {
        terminal_prose_tagged(term, STYLE_PLAIN, left, mistake->effect);
    } else {
        terminal_print(term, "--break %s\n", mistake->name);
        terminal_prose_indented(term, STYLE_PLAIN, 4, mistake->effect);
    }
}

void flags_print_list(const Lesson *lesson, const Terminal *term) {
    int widest = 0;
    for (int i = 0; i < lesson->mistake_count; i++) {
        int width = (int)strlen(lesson->mistakes[i].name);
        widest = width > widest ? width : widest;
    }
    for (int i = 0; i < lesson->step_count; i++) {
        terminal_print(term, "%s  %s\n", lesson->steps[i].number, lesson->steps[i].title);
    }
    for (int i = 0; i < lesson->mistake_count; i++) {
        print_mistake(term, &lesson->mistakes[i], widest);
    }
}

void flags_print_notes(const Lesson *lesson, const Flags *flags, const Terminal *term) {
    for (int i = 0; i < lesson->note_count; i++) {
        if (flags_select(flags, lesson->notes[i].step)) {
            char heading[256];
            snprintf(heading, sizeof heading, "%s  %s\n", lesson->steps[i].number,
                     lesson->steps[i].title);
            terminal_put(term, STYLE_BOLD, heading);
            terminal_prose_indented(term, STYLE_PLAIN, NOTE_INDENT, lesson->notes[i].text);
            terminal_print(term, "\n");
        }
    }
    if (lesson->note_count == 0) {
        terminal_prose(term, "There are no notes on this lesson.");
    }
}
