#include "grade/edition.h"

#include "core/check.h"
#include "grade/folders.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100, LIMIT = 4 << 20 };
static const char include_line[] = "#include \"core/exercise.h\"\n";

/* --- The task as a comment --- */

static void put_words(FILE *out, const char *text, int indent, int *column) {
    while (*text != '\0') {
        int bytes = (int)strcspn(text, " ");
        if (*column + 1 + bytes > WIDTH) {
            *column = fprintf(out, "\n%*s *  ", indent, "") - 1;
        }
        *column += fprintf(out, " %.*s", bytes, text);
        text += bytes;
        text += strspn(text, " ");
    }
}

static void put_part(FILE *out, const char *word, const char *text, int indent) {
    if (strcmp(text, "-") != 0) {
        int column = fprintf(out, "\n%*s * %s", indent, "", word) - 1;
        put_words(out, text, indent, &column);
    }
}

char *edition_comment(const Exercise *exercise, int indent) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    CHECK(out != NULL, "out of memory");
    fprintf(out, "%*s/* Exercise %s, %s.", indent, "", exercise->number, exercise->title);
    put_part(out, "Task:", exercise->task, indent);
    put_part(out, "Shapes:", exercise->shapes, indent);
    put_part(out, "Formula:", exercise->formula, indent);
    put_part(out, "Hint:", exercise->hint, indent + 0);
    fputs(" */\n", out);
    fclose(out);
    return text;
}

/* --- One file --- */

typedef struct Emptying {
    const ExerciseTable *table;
    char unknown[8];
} Emptying;

static char *emptied(void *context, const Region *region) {
    Emptying *emptying = context;
    int at = exercise_table_find(emptying->table, region->number);
    if (at < 0) {
        memcpy(emptying->unknown, region->number, sizeof emptying->unknown);
        return NULL;
    }
    char *comment = edition_comment(&emptying->table->exercise[at], region->indent);
    size_t size = strlen(comment) + 64;
    char *body = check_alloc(size);
    snprintf(body, size, "%s%*sexercise_missing(\"%s\");\n", comment, region->indent, "",
             region->number);
    free(comment);
    return body;
}

/* Where a further include goes: in front of the first one. */
static size_t first_include(const char *text) {
    const char *at = strncmp(text, "#include", 8) == 0 ? text : strstr(text, "\n#include");
    return at == NULL || at == text ? 0 : (size_t)(at - text) + 1;
}

char *edition_text(const ExerciseTable *table, const char *path, const char *text, int *count,
                   Error *error) {
    Marks marks;
    Emptying emptying = {.table = table};
    if (!marks_read(&marks, path, text, error)) {
        return NULL;
    }
    char *emptied_text = marks_replace(&marks, text, emptied, &emptying);
    if (emptying.unknown[0] != '\0') {
        error_set(error, "%s: the table has no exercise %s", path, emptying.unknown);
        free(emptied_text);
        return NULL;
    }
    *count += marks.count;
    if (marks.count == 0) {
        return emptied_text;
    }
    size_t at = first_include(emptied_text), size = strlen(emptied_text) + sizeof include_line;
    char *whole = check_alloc(size);
    snprintf(whole, size, "%.*s%s%s", (int)at, emptied_text, include_line, emptied_text + at);
    free(emptied_text);
    return whole;
}

/* --- The README --- */

/* What is exchanged there: from these words up to those (which stay), mostly about what the edition
 * does not have. */
static const struct {
    const char *from, *to, *instead;
} exchanged[] = {
    {"# attend\n", "\n",
     "# attend\n\n"
     "*This is the student edition: a lesson stops at the first exercise that is not written yet. "
     "The\n"
     "tasks are in [EXERCISES.md](EXERCISES.md), and `make check` names the tests that are not "
     "green yet.*\n"},
    {"; `make check` does so in Chromium", "\n\n", "."},
    {"\n## As an instructor\n", "\n## ",
     "\n## The exercises\n\n"
     "What is to be written calls `exercise_missing()`, and [EXERCISES.md](EXERCISES.md) has all "
     "tasks\n"
     "on one page, with what needs what. `make run-01` runs a lesson as far as it is written,\n"
     "`make run-01 ARGS=\"--only 1.1,1.2\"` just the steps whose exercises are; `make check` "
     "compares with\n"
     "reference values.\n"},
    {"\ntests/ ", "\nplots/ ", "\ntests/        golden/ reference values; what compares with them"},
    {"\n## How the numbers are checked\n", "\n## ", ""},
    {"\nTo measure again: ", "\n## ", ""},
};

char *edition_readme(const char *text) {
    char *edition = strdup(text);
    CHECK(edition != NULL, "out of memory");
    for (size_t i = 0; i < sizeof exchanged / sizeof *exchanged; i++) {
        const char *from = strstr(edition, exchanged[i].from);
        const char *to =
            from != NULL ? strstr(from + strlen(exchanged[i].from), exchanged[i].to) : NULL;
        if (to != NULL) {
            size_t size = strlen(edition) + strlen(exchanged[i].instead) + 1;
            char *next = check_alloc(size);
            snprintf(next, size, "%.*s%s%s", (int)(from - edition), edition, exchanged[i].instead,
                     to);
            free(edition);
            edition = next;
        }
    }
    return edition;
}

/* --- The whole tree --- */

/* What goes along, by the beginning of its path; everything below it, but no hidden files there. */
static const char *const along[] = {"Makefile",
                                    "README.md",
                                    "LICENSE",
                                    ".clang-format",
                                    ".editorconfig",
                                    ".gitignore",
                                    ".ci/",
                                    "common/",
                                    "lessons/",
                                    "plots/summary.c",
                                    "plots/class.c",
                                    "plots/compare.c",
                                    "plots/gallery.c",
                                    "plots/gallery/",
                                    "tests/golden/",
                                    "tests/runner/",
                                    "tests/assert_close.h",
                                    "tests/run_tests.c",
                                    "tests/test_golden.c",
                                    "tests/support/golden_",
                                    "tests/support/recurrent.",
                                    "tests/support/tensors."};

static bool goes_along(const char *path) {
    for (size_t i = 0; i < sizeof along / sizeof *along; i++) {
        if (strncmp(path, along[i], strlen(along[i])) == 0) {
            return true;
        }
    }
    return false;
}

typedef struct Writing {
    const ExerciseTable *table;
    const char *from, *to;
    int count;
    Error *error;
} Writing;

static bool is_source(const char *path) {
    size_t n = strlen(path);
    return n > 2 && strcmp(path + n - 2, ".c") == 0;
}

static bool write_one(void *context, const char *path) {
    Writing *w = context;
    char *text = NULL, *edition = NULL;
    size_t size;
    if (!goes_along(path)) {
        return true;
    }
    char *from = path_join(w->from, path), *to = path_join(w->to, path);
    bool fine = file_read(from, LIMIT, &text, &size, w->error);
    if (fine && is_source(path)) {
        edition = edition_text(w->table, path, text, &w->count, w->error);
        fine = edition != NULL;
    } else if (fine && strcmp(path, "README.md") == 0) {
        edition = edition_readme(text);
    }
    fine = fine && folder_of_file_make(to, w->error) &&
           file_write(to, edition != NULL ? edition : text,
                      edition != NULL ? strlen(edition) : size, w->error) &&
           mode_copy(from, to, w->error);
    free(text);
    free(edition);
    free(from);
    free(to);
    return fine;
}

/* An exercise, behind those that it needs: 2.4 comes before 2.2. */
static void write_exercise(const ExerciseTable *table, int index, bool *written, FILE *out) {
    const Exercise *e = &table->exercise[index];
    if (written[index]) {
        return;
    }
    written[index] = true;
    for (int i = 0; i < table->exercises; i++) {
        if (exercise_table_lists(e->needs, table->exercise[i].number)) {
            write_exercise(table, i, written, out);
        }
    }
    fprintf(out, "\n## %s %s\n\n%s\n\n", e->number, e->title, e->task);
    const char *const parts[][2] = {{"Shapes", e->shapes},
                                    {"Formula", e->formula},
                                    {"Hint", e->hint},
                                    {"Needs first", e->needs}};
    for (int p = 0; p < 4; p++) {
        if (strcmp(parts[p][1], "-") != 0) {
            fprintf(out, "- %s: %s\n", parts[p][0], parts[p][1]);
        }
    }
}

/* EXERCISES.md: all tasks on one page. */
static bool write_list(const ExerciseTable *table, const char *to, Error *error) {
    AtomicFile file;
    char *path = path_join(to, "EXERCISES.md");
    FILE *out = atomic_open(&file, path, error);
    free(path);
    if (out == NULL) {
        return false;
    }
    fputs(
        "# Exercises\n\n"
        "Each of them is one or several places that call `exercise_missing()`, most of them in\n"
        "`common/` and `lessons/`: `grep -rn 'exercise_missing(\"4.1\")' common lessons tests` "
        "finds\nthose of 4.1. Write what is missing, in all of them, and run the lesson (`make "
        "run-04`): it\nstops at the next thing that it needs and that is missing, of whatever "
        "number, and when\nnothing is, its claims turn green. `make check` compares with "
        "reference values. (The second part\nof a number counts the exercises of that lesson, "
        "and not its steps.)\n\n"
        "No exercise needs one that stands below it. Lessons do: lesson 01 needs the softmax and "
        "the\ncontext (2.4 and 2.2) in step 1.3, the loss and Adam (7.4 and 7.6) in 1.4, as every "
        "training does,\nand attention (4.1) in 1.5. Write these early, or run just the steps "
        "whose exercises are written:\n`make run-01 ARGS=\"--only 1.1,1.2\"`.\n",
        out);
    bool written[EXERCISES_MOST] = {false};
    for (int i = 0; i < table->exercises; i++) {
        write_exercise(table, i, written, out);
    }
    return atomic_commit(&file, error);
}

bool edition_write(const ExerciseTable *table, const char *from, const char *to, int *count,
                   Error *error) {
    Writing w = {.table = table, .from = from, .to = to, .error = error};
    if (!folder_empty_or_new(to, error)) {
        return false;
    }
    static const char *const tops[] = {".", ".ci", "common", "lessons", "plots", "tests"};
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
        if (!folder_walk(from, tops[i], i > 1, write_one, &w, error)) {
            return false;
        }
    }
    *count = w.count;
    return write_list(table, to, error);
}
