#include "lesson/class/facts.h"

#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "io/tsv.h"
#include "lesson/class/process.h"
#include "show/run_folder.h"

static char *text_copy(const char *text) {
    char *copy = strdup(text);
    CHECK(copy != NULL, "out of memory");
    return copy;
}

/* ---- what the program says ---- */

static void texts_add(NamedTexts *texts, const char *name, const char *text) {
    size_t size = (size_t)(texts->count + 1) * sizeof *texts->list;
    texts->list = realloc(texts->list, size);
    CHECK(texts->list != NULL, "out of memory");
    texts->list[texts->count++] = (NamedText){text_copy(name), text_copy(text)};
}

static void texts_free(NamedTexts *texts) {
    for (int i = 0; i < texts->count; i++) {
        free(texts->list[i].name);
        free(texts->list[i].text);
    }
    free(texts->list);
}

/* "2.2  The bottleneck" or "--break no_pad_mask  padding gets attention, too". */
static void read_list_line(LessonFacts *facts, char *line) {
    static const char mark[] = "--break ";
    bool mistake = strncmp(line, mark, sizeof mark - 1) == 0;
    char *name = line + (mistake ? sizeof mark - 1 : 0);
    char *end = name + strcspn(name, " ");
    if (end == name || *end == '\0') {
        return;
    }
    char *text = end + strspn(end, " ");
    *end = '\0';
    texts_add(mistake ? &facts->mistakes : &facts->steps, name, text);
}

/* "Lesson 02: Let the decoder look back" and "It takes about 30 s." */
static void read_help_line(LessonFacts *facts, char *line) {
    static const char takes[] = "It takes ";
    char *colon = strstr(line, ": ");
    if (strncmp(line, "Lesson ", 7) == 0 && colon != NULL && !*facts->title) {
        free(facts->title);
        facts->title = text_copy(colon + 2);
    } else if (strncmp(line, takes, sizeof takes - 1) == 0 && !*facts->duration) {
        size_t size = strlen(line);
        line[size - (line[size - 1] == '.')] = '\0';
        free(facts->duration);
        facts->duration = text_copy(line + sizeof takes - 1);
    }
}

void lesson_facts_read(LessonFacts *facts, char *list, char *help) {
    for (char *line; (line = strsep(&list, "\n")) != NULL;) {
        read_list_line(facts, line);
    }
    for (char *line; (line = strsep(&help, "\n")) != NULL;) {
        read_help_line(facts, line);
    }
}

static char *ask_program(const char *program, const char *flag) {
    char *words[] = {text_copy(program), text_copy(flag), NULL};
    char *said = process_output(words);
    free(words[0]);
    free(words[1]);
    return said;
}

LessonFacts lesson_facts(const char *program) {
    LessonFacts facts = {.program = program, .title = text_copy(""), .duration = text_copy("")};
    const char *slash = strrchr(program, '/');
    snprintf(facts.name, sizeof facts.name, "%s", slash ? slash + 1 : program);
    facts.number = atoi(facts.name);
    char *list = ask_program(program, "--list"), *help = ask_program(program, "--help");
    lesson_facts_read(&facts, list, help);
    free(list);
    free(help);
    return facts;
}

void lesson_facts_free(LessonFacts *facts) {
    free(facts->title);
    free(facts->duration);
    texts_free(&facts->steps);
    texts_free(&facts->mistakes);
}

int named_text_find(const NamedTexts *texts, const char *typed) {
    for (int i = 0; i < texts->count; i++) {
        if (strcmp(texts->list[i].name, typed) == 0) {
            return i;
        }
    }
    char *end;
    long number = strtol(typed, &end, 10);
    bool whole = end != typed && *end == '\0';
    return whole && number >= 1 && number <= texts->count ? (int)number - 1 : -1;
}

/* ---- what its last run left ---- */

static bool record_says(const TsvTable *record, const char *key, const char *value) {
    const char *found = tsv_value(record, key);
    return found != NULL && strcmp(found, value) == 0;
}

void lesson_time_text(const LessonFacts *facts, const char *folder, bool quick, char *text,
                      size_t size) {
    Error error = {""};
    TsvTable record;
    double seconds = -1;
    snprintf(text, size, "%s", quick && *facts->duration ? "a few seconds" : facts->duration);
    if (!run_record_read(folder, &record, &error)) {
        return;
    }
    const char *number = tsv_value(&record, "seconds");
    bool whole = record_says(&record, "only", "-") && record_says(&record, "stopped_by", "-");
    bool was_quick = record_says(&record, "quick", "yes");
    if (whole && (was_quick || !quick) && number != NULL && tsv_read_number(number, &seconds) &&
        seconds >= 0) {
        snprintf(text, size, "%.1f s last time%s", seconds, was_quick ? ", quick" : "");
    }
    tsv_free(&record);
}
