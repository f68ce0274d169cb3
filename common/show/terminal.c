#include "show/terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "io/utf8.h"
#include "show/ascii.h"
#include "show/wrap.h"

enum { NARROWEST = 8, WINDOW_ROWS = 24 };

static bool mentions_utf8(const char *locale) {
    for (; *locale; locale++) {
        if (strncasecmp(locale, "utf-8", 5) == 0 || strncasecmp(locale, "utf8", 4) == 0) {
            return true;
        }
    }
    return false;
}

/* The first of the three that is set and not empty decides, as in setlocale(3). Their text is
 * enough for us: the locale itself need not be installed. */
static bool locale_is_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) {
            return mentions_utf8(value);
        }
    }
    return false;
}

Terminal terminal_new(FILE *out, bool no_color) {
    const char *name = getenv("TERM");
    const char *no_color_wish = getenv("NO_COLOR");
    bool able = name && *name && strcmp(name, "dumb") != 0;
    bool is_tty = able && isatty(fileno(out));
    return (Terminal){.out = out,
                      .handle = fileno(out),
                      .is_tty = is_tty,
                      .color = is_tty && !no_color && !(no_color_wish && *no_color_wish),
                      .unicode = locale_is_utf8()};
}

/* A serial line or a careless program does not know (0): a variable may, else `usual` must do. */
static int window_side(int asked, const char *variable, int usual) {
    if (asked <= 0) {
        const char *value = getenv(variable);
        asked = value ? atoi(value) : 0;
    }
    return asked > 0 ? asked : usual;
}

TerminalWindow terminal_window(const Terminal *term) {
    struct winsize window = {0};
    bool known = ioctl(term->handle, TIOCGWINSZ, &window) == 0;
    return (TerminalWindow){
        .rows = window_side(known ? window.ws_row : 0, "LINES", WINDOW_ROWS),
        .columns = window_side(known ? window.ws_col : 0, "COLUMNS", TERMINAL_PIPE_WIDTH)};
}

int terminal_width(const Terminal *term) {
    if (!term->is_tty && !isatty(term->handle)) { /* TERM=dumb still has a window */
        return TERMINAL_PIPE_WIDTH;
    }
    int width = terminal_window(term).columns;
    return width < NARROWEST ? NARROWEST : width > TERMINAL_MAX_WIDTH ? TERMINAL_MAX_WIDTH : width;
}

/* ---- text ---- */

/* Control characters, and the marks that turn the direction of writing: a data file must not steer
 * the terminal. */
static bool is_unsafe(uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

/* Copies the text into `out` as it can be shown, newlines included when `keep_lines`. */
static void write_clean(const Terminal *term, FILE *out, const char *text, bool keep_lines) {
    for (uint32_t code = utf8_next(&text); code; code = utf8_next(&text)) {
        char own[2], encoded[UTF8_MAX];
        if (code == '\n' && keep_lines) {
            putc('\n', out);
        } else if (code == '\n' || code == '\t' || code == '\r') {
            putc(' ', out);
        } else if (is_unsafe(code)) {
            putc('?', out);
        } else if (!term->unicode) {
            fputs(ascii_of(code, own), out);
        } else {
            utf8_encode(code, encoded);
            fputs(encoded, out);
        }
    }
}

static const char *style_code(Style style) {
    switch (style) {
    case STYLE_BOLD:
        return "\033[1m";
    case STYLE_DIM:
        return "\033[2m";
    case STYLE_GREEN:
        return "\033[32m";
    case STYLE_RED:
        return "\033[1;31m";
    case STYLE_YELLOW:
        return "\033[33m";
    case STYLE_PLAIN:
        break;
    }
    return "";
}

/* The style covers the text but not the newlines around it: a line never begins in the colour of
 * the one before, whatever happens in between. */
void terminal_put(const Terminal *term, Style style, const char *text) {
    size_t lead = strspn(text, "\n"), end = strlen(text);
    while (end > lead && text[end - 1] == '\n') {
        end--;
    }
    if (!term->color || style == STYLE_PLAIN || lead == end) {
        write_clean(term, term->out, text, true);
        return;
    }
    char *middle = strndup(text + lead, end - lead);
    if (!middle) {
        memory_gone();
    }
    fprintf(term->out, "%.*s%s", (int)lead, text, style_code(style));
    write_clean(term, term->out, middle, true);
    fputs("\033[0m", term->out);
    fputs(text + end, term->out);
    free(middle);
}

void terminal_print(const Terminal *term, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = text_format(format, arguments);
    va_end(arguments);
    terminal_put(term, STYLE_PLAIN, text);
    free(text);
}

char *terminal_clean(const Terminal *term, const char *text) {
    char *clean = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&clean, &size);
    if (!stream) {
        memory_gone();
    }
    write_clean(term, stream, text, false);
    if (fclose(stream) != 0) {
        memory_gone();
    }
    return clean;
}

char *terminal_fit(const Terminal *term, const char *text, int columns, bool right) {
    char *clean = terminal_clean(term, text);
    size_t size = strlen(clean) + (size_t)(columns > 0 ? columns : 0) + UTF8_MAX + 1;
    char *cut = memory_get(size), *fitted = memory_get(size);
    int used = utf8_shorten(cut, size, clean, columns, !term->unicode);
    int gap = used < columns ? columns - used : 0;
    snprintf(fitted, size, "%*s%s%*s", right ? gap : 0, "", cut, right ? 0 : gap, "");
    free(clean);
    free(cut);
    return fitted;
}

/* ---- prose ---- */

void terminal_prose_indented(const Terminal *term, Style style, int indent, const char *text) {
    Wrapped lines = wrap_text(term, text, terminal_width(term) - indent);
    for (int i = 0; i < lines.count; i++) {
        if (*lines.line[i]) {
            fprintf(term->out, "%*s", indent, "");
            terminal_put(term, style, lines.line[i]);
        }
        putc('\n', term->out);
    }
    wrapped_free(&lines);
}

void terminal_prose_tagged(const Terminal *term, Style style, const char *tag, const char *text) {
    char *clean = terminal_clean(term, tag);
    int indent = utf8_width(clean) + 1;
    Wrapped lines = wrap_text(term, text, terminal_width(term) - indent);
    terminal_put(term, style, clean);
    for (int i = 0; i < lines.count; i++) {
        fprintf(term->out, "%*s%s\n", i == 0 ? 1 : indent, "", lines.line[i]);
    }
    wrapped_free(&lines);
    free(clean);
}

void terminal_prose(const Terminal *term, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = text_format(format, arguments);
    va_end(arguments);
    terminal_prose_indented(term, STYLE_PLAIN, 0, text);
    free(text);
}
