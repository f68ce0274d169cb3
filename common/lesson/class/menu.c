#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/check.h"
#include "lesson/ask.h"
#include "lesson/class/class.h"
#include "lesson/interrupt.h"

enum { ANSWER_SIZE = 64, CELL_SIZE = 128, TIME_SIZE = 96, TWO_COLUMNS = 39 };

/* ---- questions ---- */

/* Asks and gets the answer without blanks around it. False when there is none: Ctrl-C, or the end
 * of the class. */
static bool ask(Class *class, const char *hint, char answer[ANSWER_SIZE]) {
    char line[ANSWER_SIZE];
    AskResult result = ask_line(class->term, hint, line, sizeof line);
    answer[0] = '\0';
    if (result == ASK_SIGNAL && interrupt_signal() == SIGINT) {
        interrupt_forget();
        class_say(class, STYLE_PLAIN, "(q ends the class)");
        return false;
    }
    if (result != ASK_LINE) {
        class->over = true;
        return false;
    }
    const char *begin = line + strspn(line, " \t\r");
    size_t size = strlen(begin);
    while (size > 0 && strchr(" \t\r", begin[size - 1])) {
        size--;
    }
    snprintf(answer, ANSWER_SIZE, "%.*s", (int)size, begin);
    if (!isatty(STDIN_FILENO) && *answer) { /* a terminal has shown it already */
        class_say(class, STYLE_PLAIN, "(%s)", answer);
    }
    return true;
}

/* The number of a lesson as it was typed, "3" or "03": its index, or -1 after saying so. */
static int find_lesson(const Class *class, const char *typed) {
    char *end;
    long number = strtol(typed, &end, 10);
    for (int i = 0; i < class->count && end != typed && *end == '\0'; i++) {
        if (class->lessons[i].number == number) {
            return i;
        }
    }
    class_say(class, STYLE_PLAIN, "There is no lesson \"%s\".", typed);
    return -1;
}

/* Shows a list of names and asks for one of them: its index, or -1. */
static int choose(Class *class, const NamedTexts *texts, const char *title) {
    char answer[ANSWER_SIZE], hint[128], tag[CELL_SIZE];
    int widest = 0;
    for (int i = 0; i < texts->count; i++) {
        int width = (int)strlen(texts->list[i].name);
        widest = width > widest ? width : widest;
    }
    class_say(class, STYLE_BOLD, "\n%s", title);
    for (int i = 0; i < texts->count; i++) {
        snprintf(tag, sizeof tag, "  %2d  %-*.80s ", i + 1, widest, texts->list[i].name);
        terminal_prose_tagged(class->term, STYLE_PLAIN, tag, texts->list[i].text);
    }
    snprintf(hint, sizeof hint, "-- 1 to %d, Enter: none of them -- ", texts->count);
    if (texts->count == 0 || !ask(class, hint, answer) || !*answer) {
        return -1;
    }
    int chosen = named_text_find(texts, answer);
    if (chosen < 0) {
        class_say(class, STYLE_PLAIN, "\"%s\" is not among them.", answer);
    }
    return chosen;
}

/* ---- what can be chosen ---- */

static int next_lesson(const Class *class) {
    return class->last + 1 < class->count ? class->last + 1 : -1;
}

static const LessonFacts *last_facts(const Class *class) {
    return &class->lessons[class->last];
}

static void do_next(Class *class) {
    class_lesson(class, next_lesson(class), (ClassPart){.only = NULL});
}

static void do_again(Class *class) {
    class_lesson(class, class->last, (ClassPart){.only = NULL});
}

static void do_step(Class *class) {
    const LessonFacts *facts = last_facts(class);
    char title[CELL_SIZE];
    snprintf(title, sizeof title, "The steps of %s", facts->name);
    int step = choose(class, &facts->steps, title);
    if (step >= 0) {
        class_lesson(class, class->last, (ClassPart){.only = facts->steps.list[step].name});
    }
}

static void do_break(Class *class) {
    const LessonFacts *facts = last_facts(class);
    char title[CELL_SIZE], answer[ANSWER_SIZE] = "";
    snprintf(title, sizeof title, "What can be broken in %s", facts->name);
    int mistake = choose(class, &facts->mistakes, title);
    if (mistake < 0) {
        return;
    }
    bool quick = class_has_flag(class, "--quick") || class_has_flag(class, "-q");
    if (!quick) {
        char hint[CELL_SIZE + TIME_SIZE], time[TIME_SIZE];
        class_time_text(class, class->last, time, sizeof time);
        snprintf(hint, sizeof hint, "-- Enter: quick, a few seconds   f: in full%s%s%s -- ",
                 *time ? " (" : "", time, *time ? ")" : "");
        if (!ask(class, hint, answer)) {
            return;
        }
    }
    class_lesson(class, class->last,
                 (ClassPart){.mistake = facts->mistakes.list[mistake].name,
                             .quick = !quick && tolower((unsigned char)answer[0]) != 'f'});
}

static void do_notes(Class *class) {
    int next = next_lesson(class);
    class_notes(class, next >= 0 ? next : class->last);
}

/* "bahdanau" of "02_bahdanau". */
static const char *program_name(const LessonFacts *facts) {
    const char *line = strchr(facts->name, '_');
    return line != NULL ? line + 1 : facts->name;
}

static void show_table(const Class *class) {
    Table table = table_new("lesson\tprogram\twhat it is called\ttime");
    char time[TIME_SIZE];
    for (int i = 0; i < class->count; i++) {
        class_time_text(class, i, time, sizeof time);
        const LessonFacts *facts = &class->lessons[i];
        table_row(&table, "%02d\t%s\t%s\t%s", facts->number, program_name(facts), facts->title,
                  time);
    }
    terminal_print(class->term, "\n");
    terminal_table(class->term, &table);
    table_free(&table);
}

static void do_other(Class *class) {
    char answer[ANSWER_SIZE];
    show_table(class);
    if (ask(class, "\n-- number of a lesson, Enter: none -- ", answer) && *answer) {
        int lesson = find_lesson(class, answer);
        if (lesson >= 0) {
            class_lesson(class, lesson, (ClassPart){.only = NULL});
        }
    }
}

static void do_quit(Class *class) {
    class->over = true;
}

/* ---- the menu ---- */

typedef struct Choice {
    char letter;
    const char *word, *text; /* what may be typed in full; what it does, %s: the lesson */
    bool of_last;            /* about the lesson that ran last: only when there is one */
    void (*act)(Class *class);
} Choice;

static const Choice choices[] = {
    {'n', "next", "%s", false, do_next},
    {'a', "again", "%s again", true, do_again},
    {'s', "step", "one step of it again", true, do_step},
    {'b', "break", "break something in it", true, do_break},
    {'t', "notes", "notes on %s", false, do_notes},
    {'l', "lesson", "another lesson", false, do_other},
    {'q', "quit", "end the class", false, do_quit},
};

static bool is_offered(const Class *class, const Choice *choice) {
    return (!choice->of_last || class->last >= 0) &&
           (choice->act != do_next || next_lesson(class) >= 0);
}

static void choice_text(const Class *class, const Choice *choice, char text[CELL_SIZE]) {
    int next = next_lesson(class);
    int about = choice->of_last || next < 0 ? class->last : next;
    char what[CELL_SIZE - 16];
    snprintf(what, sizeof what, choice->text, class->lessons[about].name);
    snprintf(text, CELL_SIZE, "  %-6s %s",
             choice->act == do_next ? "Enter" : (char[2]){choice->letter, '\0'}, what);
}

/* In two columns, where the window is wide enough for them. */
static void show_choices(const Class *class) {
    bool two = terminal_width(class->term) >= 2 * TWO_COLUMNS, left = true;
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        char text[CELL_SIZE];
        if (is_offered(class, &choices[i])) {
            choice_text(class, &choices[i], text);
            bool beside = two && left;
            terminal_print(class->term, "%-*s%s", beside ? TWO_COLUMNS : 0, text,
                           beside ? "" : "\n");
            left = !left;
        }
    }
    if (two && !left) {
        terminal_print(class->term, "\n");
    }
}

static void show_menu(const Class *class) {
    int next = next_lesson(class);
    if (next >= 0) {
        char time[TIME_SIZE];
        const LessonFacts *facts = &class->lessons[next];
        class_time_text(class, next, time, sizeof time);
        /* The title last, without a full stop: it may be a question. */
        class_say(class, STYLE_PLAIN, "Next is lesson %02d%s%s%s%s%s", facts->number,
                  *time ? " (" : "", time, *time ? ")" : "", *facts->title ? ": " : "",
                  facts->title);
    } else {
        class_say(class, STYLE_PLAIN, "That was the last lesson.");
    }
    show_choices(class);
}

static const Choice *find_choice(const Class *class, const char *answer) {
    char word[ANSWER_SIZE];
    size_t size = strlen(answer);
    for (size_t i = 0; i <= size; i++) {
        word[i] = (char)tolower((unsigned char)answer[i]);
    }
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        bool letter = word[0] == choices[i].letter && word[1] == '\0';
        if ((letter || strcmp(word, choices[i].word) == 0) && is_offered(class, &choices[i])) {
            return &choices[i];
        }
    }
    return NULL;
}

static void one_turn(Class *class) {
    char answer[ANSWER_SIZE];
    show_menu(class);
    if (!ask(class, "-- what next? -- ", answer)) {
        return;
    }
    const Choice *choice = find_choice(class, *answer ? answer : "n");
    if (choice != NULL) {
        choice->act(class);
    } else if (isdigit((unsigned char)answer[0])) {
        int lesson = find_lesson(class, answer);
        if (lesson >= 0) {
            class_lesson(class, lesson, (ClassPart){.only = NULL});
        }
    } else if (*answer) {
        class_say(class, STYLE_PLAIN, "\"%s\" is not among the choices.", answer);
    }
}

/* ---- the class ---- */

int class_run(const Terminal *term, char **programs, int count, char **flags, int flag_count) {
    Class class = {
        .term = term, .count = count, .flags = flags, .flag_count = flag_count, .last = -1};
    class.lessons = check_alloc((size_t)count * sizeof *class.lessons);
    class.foreground = foreground_take();
    for (int i = 0; i < count; i++) {
        class.lessons[i] = lesson_facts(programs[i]);
    }
    show_table(&class);
    terminal_print(term, "\n");
    while (!class.over && (interrupt_signal() == 0 || interrupt_signal() == SIGINT)) {
        one_turn(&class);
    }
    foreground_give_back(&class.foreground);
    for (int i = 0; i < count; i++) {
        lesson_facts_free(&class.lessons[i]);
    }
    free(class.lessons);
    int number = interrupt_signal();
    return number != 0 && number != SIGINT ? 128 + number : 0;
}
