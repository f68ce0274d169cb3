#include "show/wrap.h"

#include <stdlib.h>
#include <string.h>

#include "io/utf8.h"

_Noreturn void memory_gone(void) {
    fputs("error: out of memory\n", stderr);
    abort();
}

void *memory_resize(void *memory, size_t bytes) {
    void *larger = realloc(memory, bytes > 0 ? bytes : 1);
    if (!larger) {
        memory_gone();
    }
    return larger;
}

void *memory_get(size_t bytes) {
    return memory_resize(NULL, bytes);
}

char *text_format(const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t size = length < 0 ? 1 : (size_t)length + 1;
    char *text = memory_get(size);
    text[0] = '\0';
    if (length > 0) {
        vsnprintf(text, size, format, arguments);
    }
    return text;
}

/* ---- lines ---- */

static void add_line(Wrapped *wrapped, const char *text, size_t size) {
    if (wrapped->count == wrapped->capacity) {
        wrapped->capacity = 2 * wrapped->capacity + 4;
        wrapped->line =
            memory_resize(wrapped->line, (size_t)wrapped->capacity * sizeof *wrapped->line);
    }
    char *line = memory_get(size + 1);
    memcpy(line, text, size);
    line[size] = '\0';
    wrapped->line[wrapped->count++] = line;
}

static int width_of(const char *text, size_t size) {
    int width = 0;
    const char *end = text + size;
    while (text < end) {
        width += utf8_code_width(utf8_next(&text));
    }
    return width;
}

/* Length of the word at `text`, spaces before it not included; "41.2 %" is one word. */
static size_t word_length(const char *text) {
    size_t size = strcspn(text, " ");
    if (text[size] == ' ' && text[size + 1] == '%') {
        size += 1 + strcspn(text + size + 1, " ");
    }
    return size;
}

/* A line under construction. */
typedef struct Line {
    char *text;
    size_t size;
    int width, indent;
    bool has_words;
} Line;

static void line_start(Line *line) {
    memset(line->text, ' ', (size_t)line->indent);
    line->size = (size_t)line->indent;
    line->width = line->indent;
    line->has_words = false;
}

static void line_append(Line *line, const char *text, size_t size) {
    memcpy(line->text + line->size, text, size);
    line->size += size;
    line->width += width_of(text, size);
    line->has_words = true;
}

/* Puts a word that no line can hold on as many lines as it needs. */
static void append_long_word(Wrapped *wrapped, Line *line, const char *word, size_t size,
                             int columns) {
    const char *end = word + size;
    while (word < end) {
        const char *next = word;
        int wide = utf8_code_width(utf8_next(&next));
        if (line->has_words && line->width + wide > columns) {
            add_line(wrapped, line->text, line->size);
            line_start(line);
        }
        line_append(line, word, (size_t)(next - word));
        word = next;
    }
}

/* Breaks one line of clean text. */
static void wrap_line(Wrapped *wrapped, const char *text, int columns) {
    size_t lead = strspn(text, " ");
    int indent = lead < (size_t)columns / 2 ? (int)lead : columns / 2;
    Line line = {.text = memory_get(strlen(text) + (size_t)indent + 1), .indent = indent};
    line_start(&line);
    text += lead;
    while (*text) {
        size_t spaces = line.has_words ? strspn(text, " ") : 0;
        const char *word = text + spaces;
        size_t size = word_length(word);
        int width = width_of(word, size);
        if (line.has_words && line.width + (int)spaces + width > columns) {
            add_line(wrapped, line.text, line.size);
            line_start(&line);
        } else if (*word) {
            line_append(&line, text, spaces);
        }
        if (line.width + width <= columns) {
            line_append(&line, word, size);
        } else {
            append_long_word(wrapped, &line, word, size, columns);
        }
        text = word + size;
    }
    add_line(wrapped, line.text, line.has_words ? line.size : 0);
    free(line.text);
}

Wrapped wrap_text(const Terminal *term, const char *text, int columns) {
    Wrapped wrapped = {0};
    columns = columns < 1 ? 1 : columns;
    for (;;) {
        size_t size = strcspn(text, "\n");
        char *raw = strndup(text, size);
        if (!raw) {
            memory_gone();
        }
        char *clean = terminal_clean(term, raw);
        wrap_line(&wrapped, clean, columns);
        free(raw);
        free(clean);
        if (!text[size] || !text[size + 1]) { /* a newline at the very end adds no empty line */
            return wrapped;
        }
        text += size + 1;
    }
}

void wrapped_free(Wrapped *wrapped) {
    for (int i = 0; i < wrapped->count; i++) {
        free(wrapped->line[i]);
    }
    free(wrapped->line);
    *wrapped = (Wrapped){0};
}
