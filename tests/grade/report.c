#include "grade/report.h"

#include "io/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80, INDENT = 6 };

int grading_passed(const Grading *grading) {
    int passed = 0;
    for (int i = 0; i < grading->table->exercises; i++) {
        passed += grading->verdict[i].outcome == OUTCOME_PASSED;
    }
    return passed;
}

int grading_asked(const Grading *grading) {
    int asked = 0;
    for (int i = 0; i < grading->table->exercises; i++) {
        asked += grading->verdict[i].outcome != OUTCOME_NOT_ASKED;
    }
    return asked;
}

/* The next character as bytes; what is not UTF-8, or no character of a text, is a question mark. */
static uint32_t next_character(const char **text, char bytes[UTF8_MAX]) {
    uint32_t code = utf8_next(text);
    bool fine = code >= ' ' && (code < 0x7F || code > 0x9F) && code != UTF8_REPLACEMENT &&
                (code & 0xFFFEu) != 0xFFFEu;
    utf8_encode(fine ? code : '?', bytes);
    return code;
}

/* A line of text for the screen or a table: nothing in it steers a terminal or ends a field. */
static void put_plain(FILE *out, const char *text) {
    char bytes[UTF8_MAX];
    while (*text != '\0') {
        bool blank = *text == '\t' || *text == '\n' || *text == '\r';
        next_character(&text, bytes);
        fputs(blank ? " " : bytes, out);
    }
}

/* --- The screen --- */

static void print_wrapped(FILE *out, const char *text) {
    int column = fprintf(out, "%*s", INDENT, "");
    while (*text != '\0') {
        int n = (int)strcspn(text, " ");
        if (column > INDENT && column + 1 + n > WIDTH) {
            column = fprintf(out, "\n%*s", INDENT, "") - 1;
        } else if (column > INDENT) {
            fputc(' ', out);
            column++;
        }
        column += n;
        for (const char *end = text + n; text < end; text++) { /* verdicts are plain ASCII */
            fputc(*text >= ' ' && *text <= '~' ? *text : '?', out);
        }
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

void grading_print(const Grading *grading, FILE *out) {
    fprintf(out, "%-5s %-40s %s\n", "", "exercise", "verdict");
    for (int i = 0; i < grading->table->exercises; i++) {
        const Exercise *exercise = &grading->table->exercise[i];
        const Verdict *verdict = &grading->verdict[i];
        if (verdict->outcome == OUTCOME_NOT_ASKED) {
            continue;
        }
        fprintf(out, "%-5s %-40s %s\n", exercise->number, exercise->title,
                outcome_words[verdict->outcome]);
        if (verdict->text[0] != '\0') {
            print_wrapped(out, verdict->text);
        }
    }
    fprintf(out, "\n%d of %d exercises passed: ", grading_passed(grading), grading_asked(grading));
    put_plain(out, grading->student);
    fprintf(out, " (seed %llu, %.1f s)\n", (unsigned long long)grading->seed, grading->seconds);
}

/* --- The files --- */

static void write_tsv(const Grading *g, FILE *out) {
    fputs("exercise\ttitle\tverdict\tpoints\ttext\n", out);
    for (int i = 0; i < g->table->exercises; i++) {
        const Verdict *v = &g->verdict[i];
        fprintf(out, "%s\t%s\t%s\t%d\t", g->table->exercise[i].number, g->table->exercise[i].title,
                outcome_keys[v->outcome], v->outcome == OUTCOME_PASSED);
        put_plain(out, v->text);
        fputc('\n', out);
    }
}

static void put_json(FILE *out, const char *text) {
    char bytes[UTF8_MAX];
    fputc('"', out);
    while (*text != '\0') {
        uint32_t code = next_character(&text, bytes);
        fprintf(out, "%s%s", code == '"' || code == '\\' ? "\\" : "", bytes);
    }
    fputc('"', out);
}

static void write_json(const Grading *g, FILE *out) {
    fputs("{\n  \"student\": ", out);
    put_json(out, g->student);
    fprintf(out, ",\n  \"seed\": \"%llu\",\n  \"passed\": %d,\n  \"of\": %d,\n  \"exercises\": [",
            (unsigned long long)g->seed, grading_passed(g), grading_asked(g));
    for (int i = 0; i < g->table->exercises; i++) {
        const Verdict *v = &g->verdict[i];
        fprintf(out, "%s\n    {\"number\": ", i > 0 ? "," : "");
        put_json(out, g->table->exercise[i].number);
        fputs(", \"title\": ", out);
        put_json(out, g->table->exercise[i].title);
        fprintf(out, ", \"verdict\": \"%s\", \"points\": %d, \"text\": ", outcome_keys[v->outcome],
                v->outcome == OUTCOME_PASSED);
        put_json(out, v->text);
        fputc('}', out);
    }
    fputs("\n  ]\n}\n", out);
}

static void put_xml(FILE *out, const char *text) {
    char bytes[UTF8_MAX];
    while (*text != '\0') {
        uint32_t c = next_character(&text, bytes);
        fputs(c == '<'   ? "&lt;"
              : c == '>' ? "&gt;"
              : c == '&' ? "&amp;"
              : c == '"' ? "&quot;"
                         : bytes,
              out);
    }
}

static void write_xml(const Grading *g, FILE *out) {
    int all = g->table->exercises, asked = grading_asked(g);
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"");
    put_xml(out, g->student);
    fprintf(out, "\" tests=\"%d\" failures=\"%d\" errors=\"0\" time=\"%.1f\">\n", asked,
            asked - grading_passed(g), g->seconds);
    for (int i = 0; i < all; i++) {
        const Verdict *v = &g->verdict[i];
        if (v->outcome == OUTCOME_NOT_ASKED) {
            continue;
        }
        fprintf(out, "  <testcase classname=\"exercises\" name=\"%s ",
                g->table->exercise[i].number);
        put_xml(out, g->table->exercise[i].title);
        if (v->outcome == OUTCOME_PASSED) {
            fputs("\"/>\n", out);
            continue;
        }
        fprintf(out, "\">\n    <failure type=\"%s\" message=\"", outcome_keys[v->outcome]);
        put_xml(out, v->text);
        fputs("\"/>\n  </testcase>\n", out);
    }
    fputs("</testsuite>\n", out);
}

bool grading_write(const Grading *grading, const char *folder, Error *error) {
    static const struct {
        const char *name;
        void (*write)(const Grading *, FILE *);
    } files[] = {{"grade.json", write_json}, {"grade.xml", write_xml}, {"grade.tsv", write_tsv}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        AtomicFile file;
        char *path = path_join(folder, files[i].name);
        FILE *out = atomic_open(&file, path, error);
        free(path);
        if (out == NULL) {
            return false;
        }
        files[i].write(grading, out);
        if (!atomic_commit(&file, error)) {
            return false;
        }
    }
    return true;
}
