#include "support/screen.h"

#include <stdlib.h>

#include "io/utf8.h"

Screen screen_new(ScreenKind kind) {
    FILE *out = tmpfile(); /* a file: it has a handle, and is no terminal */
    assert_non_null(out);
    return (Screen){.term = {.out = out,
                             .handle = fileno(out),
                             .is_tty = kind == SCREEN_PLAIN || kind == SCREEN_COLOR,
                             .color = kind == SCREEN_COLOR,
                             .unicode = kind != SCREEN_PIPE_ASCII}};
}

const char *screen_text(Screen *screen) {
    FILE *out = screen->term.out;
    fflush(out);
    long size = ftell(out);
    rewind(out);
    free(screen->text);
    screen->text = calloc(1, (size_t)size + 1);
    assert_int_equal(fread(screen->text, 1, (size_t)size, out), size);
    fseek(out, 0, SEEK_END);
    return screen->text;
}

void screen_check(Screen *screen, const char *expected) {
    assert_string_equal(screen_text(screen), expected);
}

void screen_free(Screen *screen) {
    fclose(screen->term.out);
    free(screen->text);
    *screen = (Screen){0};
}

int screen_widest(const char *text) {
    int widest = 0;
    while (*text) {
        char line[4096];
        size_t size = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)size, text);
        int width = utf8_width(line);
        widest = width > widest ? width : widest;
        text += size + (text[size] == '\n');
    }
    return widest;
}

bool screen_is_ascii(const char *text) {
    for (; *text; text++) {
        if (*text != '\n' && (*text < ' ' || *text > '~')) {
            return false;
        }
    }
    return true;
}
