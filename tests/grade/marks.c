#define _GNU_SOURCE /* mempcpy */
#include "grade/marks.h"

#include "core/check.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char begins[] = "/* Exercise ", ends[] = "/* End of exercise ";

/* One line of the text, without its newline. */
typedef struct Line {
    const char *text;
    size_t length, indent;
    int number; /* from 1 */
} Line;

typedef struct Reader {
    const char *path, *text, *next;
    int line;
    Error *error;
} Reader;

static bool next_line(Reader *reader, Line *line) {
    if (*reader->next == '\0') {
        return false;
    }
    line->text = reader->next;
    line->length = strcspn(reader->next, "\n");
    line->indent = strspn(line->text, " ");
    line->number = ++reader->line;
    reader->next += line->length + (line->text[line->length] == '\n');
    return true;
}

static bool line_starts(const Line *line, const char *with) {
    return line->indent + strlen(with) <= line->length &&
           strncmp(line->text + line->indent, with, strlen(with)) == 0;
}

static bool line_ends(const Line *line, const char *with) {
    size_t n = strlen(with);
    return line->length >= n && strncmp(line->text + line->length - n, with, n) == 0;
}

static bool wrong(const Reader *reader, int line, const char *what) {
    return error_set(reader->error, "%s:%d: %s", reader->path, line, what);
}

/* "4.1" behind the words of a mark. */
static bool read_number(const Line *line, const char *words, char number[8]) {
    const char *at = line->text + line->indent + strlen(words);
    size_t n = strspn(at, "0123456789.");
    n -= n > 0 && at[n - 1] == '.'; /* the end of the sentence */
    if (n < 3 || n > 7 || !isdigit((unsigned char)at[0]) || memchr(at, '.', n) == NULL) {
        return false;
    }
    memcpy(number, at, n);
    number[n] = '\0';
    return true;
}

static bool skip_comment(Reader *reader, Line line) {
    while (!line_ends(&line, "*/")) {
        if (!next_line(reader, &line)) {
            return false;
        }
    }
    return true;
}

/* The body of the next function: from the line behind its "{" to the one before its "}". */
static bool read_function(Reader *reader, int mark, Region *region) {
    Line line;
    do {
        if (!next_line(reader, &line)) {
            return wrong(reader, mark, "no function follows this mark");
        }
        if (line_starts(&line, "/*") && !skip_comment(reader, line)) {
            return wrong(reader, mark, "a comment without end follows this mark");
        }
        if (line_ends(&line, ";") || line_ends(&line, "}")) {
            return wrong(reader, mark, "no function follows this mark");
        }
    } while (!line_ends(&line, "{"));
    region->begin = (size_t)(reader->next - reader->text);
    region->indent = 4;
    do {
        if (!next_line(reader, &line)) {
            return wrong(reader, mark, "the function behind this mark does not end");
        }
        if (line_starts(&line, begins)) {
            return wrong(reader, line.number, "an exercise within an exercise");
        }
    } while (line.length != 1 || line.text[0] != '}');
    region->end = (size_t)(line.text - reader->text);
    return true;
}

/* The lines up to the comment that ends the exercise; that comment goes, too. */
static bool read_lines(Reader *reader, const Line *mark, Region *region) {
    Line line;
    char number[8];
    region->begin = (size_t)(reader->next - reader->text);
    region->indent = (int)mark->indent;
    do {
        if (!next_line(reader, &line) || line.length == 1) {
            return wrong(reader, mark->number, "this exercise is not ended in its function");
        }
        if (line_starts(&line, begins)) {
            return wrong(reader, line.number, "an exercise within an exercise");
        }
    } while (!line_starts(&line, ends));
    if (!read_number(&line, ends, number) || strcmp(number, region->number) != 0) {
        return wrong(reader, line.number, "ends another exercise than the one that was begun");
    }
    region->end = (size_t)(reader->next - reader->text);
    return true;
}

bool marks_read(Marks *marks, const char *path, const char *text, Error *error) {
    Reader reader = {path, text, text, 0, error};
    Line line;
    marks->count = 0;
    while (next_line(&reader, &line)) {
        if (line_starts(&line, ends)) {
            return wrong(&reader, line.number, "ends an exercise that was not begun");
        }
        if (!line_starts(&line, begins)) {
            continue;
        }
        Line mark = line;
        if (marks->count == MARKS_MOST) {
            return wrong(&reader, mark.number, "more exercises than a file may have");
        }
        Region *region = &marks->region[marks->count++];
        if (!read_number(&mark, begins, region->number)) {
            return wrong(&reader, mark.number, "an exercise without a number like 4.1");
        }
        if (!skip_comment(&reader, line)) {
            return wrong(&reader, mark.number, "a comment without end");
        }
        if (!(mark.indent == 0 ? read_function(&reader, mark.number, region)
                               : read_lines(&reader, &mark, region))) {
            return false;
        }
    }
    return true;
}

bool marks_number_at(const char *text, long line, char number[8]) {
    Reader reader = {.text = text, .next = text};
    Line at;
    bool inside = false;
    while (reader.line < line && next_line(&reader, &at)) {
        if (line_starts(&at, begins)) {
            inside = read_number(&at, begins, number);
        } else if (line_starts(&at, ends) || (at.length > 0 && at.text[0] == '}')) {
            inside = false;
        }
    }
    return inside && reader.line == line;
}

char *marks_replace(const Marks *marks, const char *text, MarksBody body, void *context) {
    char *bodies[MARKS_MOST] = {NULL};
    size_t size = strlen(text) + 1;
    for (int i = 0; i < marks->count; i++) {
        bodies[i] = body(context, &marks->region[i]);
        size += bodies[i] != NULL ? strlen(bodies[i]) : 0;
    }
    char *all = check_alloc(size), *to = all;
    size_t from = 0;
    for (int i = 0; i < marks->count; i++) {
        const Region *region = &marks->region[i];
        if (bodies[i] != NULL) {
            to = mempcpy(to, text + from, region->begin - from);
            to = mempcpy(to, bodies[i], strlen(bodies[i]));
            from = region->end;
            free(bodies[i]);
        }
    }
    strcpy(to, text + from);
    return all;
}
