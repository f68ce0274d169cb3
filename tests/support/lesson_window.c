#include "support/lesson_window.h"

#include <limits.h>
#include <stdlib.h>

#include "support/lesson_run.h"
#include "support/screen.h"
#include "support/tty.h"

enum { ROWS = 24, COLUMNS = 80 };

/* Takes the escape sequences out of the text, in place. */
static void strip(char *text) {
    char *end = text;
    while (*text) {
        if (*text == '\033') {
            text += strcspn(text, "m");
            text += *text == 'm';
        } else {
            *end++ = *text++;
        }
    }
    *end = '\0';
}

/* Checks what was printed since the last hint; changes the text. */
static void check_page(const char *lesson, char *page) {
    int newlines = 0;
    strip(page);
    for (char *at = page; *at; at++) {
        newlines += *at == '\n';
        *at = *at == '\r' ? '\n' : *at; /* each drawing of a line by itself */
    }
    if (newlines > ROWS) { /* that of the Enter before it, and one less than the window has rows */
        fail_msg("%s: %d rows between two hints:\n%s", lesson, newlines, page);
    }
    if (screen_widest(page) > COLUMNS) {
        fail_msg("%s: a line of %d columns:\n%s", lesson, screen_widest(page), page);
    }
}

void check_lesson_window(const char *lesson) {
    char given[PATH_MAX], program[PATH_MAX], folder[LESSON_PATH];
    const char *base = getenv("LESSON_FOLDER");
    snprintf(given, sizeof given, "%s/%s", base ? base : BUILD_FOLDER "/lessons", lesson);
    assert_non_null(realpath(given, program));
    folder_new(folder);
    const char *words[] = {program, "--quick", "--step", "--no-plots", NULL};
    Tty tty = tty_start(words, (TtySetting){ROWS, COLUMNS, folder, NULL});
    for (size_t page = 0; tty_hint(&tty); page = tty.seen) {
        char *text = strdup(tty.text + page);
        check_page(lesson, text);
        free(text);
        tty_type(&tty, "\n");
    }
    int code = tty_end(&tty);
    if (code != 0) {
        fail_msg("%s ends with %d:\n%s", lesson, code, tty.text);
    }
    tty_free(&tty);
    folder_remove(folder);
}
