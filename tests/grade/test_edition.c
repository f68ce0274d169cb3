/* The student edition: every exercise is empty, nothing else is missing, and nothing of a solution
 * is left anywhere. */
#include "support/lesson_run.h"
#include "assert_close.h"
#include "grade/edition.h"
#include "grade/folders.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[LESSON_PATH];
static ExerciseTable table;
static int places;

static void must(bool fine, const Error *error) {
    if (!fine) {
        fail_msg("%s", error->text);
    }
}

static int write_edition(void **state) {
    (void)state;
    Error error;
    folder_new(folder);
    bool fine = exercise_table_read(&table, "tests/grade", &error) &&
                edition_write(&table, ".", folder, &places, &error);
    if (!fine) {
        print_error("%s\n", error.text);
    }
    return fine ? 0 : -1;
}

static int remove_edition(void **state) {
    (void)state;
    folders_remove(folder);
    exercise_table_free(&table);
    return 0;
}

static bool there(const char *path) {
    char *full = path_join(folder, path);
    bool found = access(full, F_OK) == 0;
    free(full);
    return found;
}

static void test_only_what_a_student_needs_goes_along(void **state) {
    (void)state;
    static const char *const with[] = {"Makefile",
                                       "EXERCISES.md",
                                       ".ci/setup",
                                       ".ci/probe",
                                       "common/nn/beam.c",
                                       "common/core/exercise.h",
                                       "lessons/07_transformer.c",
                                       "plots/summary.c",
                                       "tests/test_golden.c"};
    static const char *const without[] = {
        ".git",          "build",       "grade",
        "tests/grade",   "tests/core",  "tests/nn",
        "tests/lessons", "tests/bench", "tests/support/composed_attention.c"};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
        assert_true(there(with[i]));
    }
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        assert_false(there(without[i]));
    }
    assert_true(places >= 60);
    assert_true(table.exercises >= 20);
}

static void test_the_readme_is_about_exercises_not_about_grading(void **state) {
    (void)state;
    Error error;
    char *path = path_join(folder, "README.md"), *text = NULL;
    size_t size;
    must(file_read(path, 1 << 20, &text, &size, &error), &error);
    assert_non_null(strstr(text, "\n## The exercises\n"));
    assert_null(strstr(text, "As an instructor"));
    assert_null(strstr(text, "make grade"));
    assert_int_equal(strncmp(text, "# attend\n\n*This is the student edition: ", 39), 0);
    assert_null(strstr(text, "bench"));
    assert_null(strstr(text, "grade/"));
    assert_null(strstr(text, "Chromium"));
    assert_null(strstr(text, "How the numbers are checked"));
    assert_non_null(strstr(text, "--only 1.1,1.2"));
    assert_non_null(strstr(text, "\n## How fast, and why\n"));
    assert_non_null(strstr(text, "\nplots/        the table of a run"));
    assert_non_null(strstr(text, "\n## Sources\n"));
    assert_non_null(strstr(text, "\n## As a student\n")); /* what stands before and behind it */
    assert_non_null(strstr(text, "\n## How to read the code\n"));
    free(text);
    free(path);

    char *same = edition_readme("# other\n\n## Chapter\n");
    assert_string_equal(same, "# other\n\n## Chapter\n");
    free(same);
}

/* EXERCISES.md has each once, behind all that it needs. */
static void test_what_is_needed_stands_above(void **state) {
    (void)state;
    Error error;
    char *path = path_join(folder, "EXERCISES.md"), *text = NULL, heading[16];
    const char *at[EXERCISES_MOST];
    size_t size;
    must(file_read(path, 1 << 20, &text, &size, &error), &error);
    free(path);
    for (int i = 0; i < table.exercises; i++) {
        snprintf(heading, sizeof heading, "\n## %s ", table.exercise[i].number);
        at[i] = strstr(text, heading);
        assert_non_null(at[i]);
        assert_null(strstr(at[i] + 1, heading));
    }
    for (int i = 0; i < table.exercises; i++) {
        for (int k = 0; k < table.exercises; k++) {
            bool needed = exercise_table_lists(table.exercise[i].needs, table.exercise[k].number);
            assert_true(!needed || at[k] < at[i]);
        }
    }
    free(text);
}

/* Its Makefile speaks of what is there, and names what is not. */
static void test_make_help_lists_what_there_is(void **state) {
    (void)state;
    char command[2 * LESSON_PATH], said[8192] = "";
    snprintf(command, sizeof command, "cd '%s' && make help 2>&1; make -n check-04 2>&1", folder);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    said[fread(said, 1, sizeof said - 1, out)] = '\0';
    pclose(out);
    assert_non_null(strstr(said, "\nmake check "));
    assert_non_null(strstr(said, "\n     OUT=folder          where compare writes\n"));
    assert_null(strstr(said, "bench"));
    assert_null(strstr(said, "grad"));
    assert_null(strstr(said, "check-NN"));
    assert_non_null(strstr(said, "this edition has no tests of lessons; `make check` runs"));
}

static void test_a_folder_that_holds_something_is_refused(void **state) {
    (void)state;
    Error error;
    int count;
    assert_false(edition_write(&table, ".", folder, &count, &error));
    assert_non_null(strstr(error.text, "is not empty"));
}

/* ---- traces ---- */

enum { LINES_MOST = 2000 };
static struct {
    char *text;
    const char *number;
} line[LINES_MOST];
static int lines, leaks;

/* Keeps those lines of a solution that nobody writes by accident. */
static void keep_lines(char *text, const char *number) {
    for (char *one; (one = strsep(&text, "\n")) != NULL;) {
        one += strspn(one, " ");
        bool telling = strlen(one) >= 30 && strchr(one, '=') != NULL &&
                       strncmp(one, "for (", 5) != 0 && strncmp(one, "int ", 4) != 0 &&
                       strncmp(one, "/*", 2) != 0 && strncmp(one, "* ", 2) != 0;
        telling = telling || (strncmp(one, "return ", 7) == 0 && strlen(one) >= 30);
        if (telling && lines < LINES_MOST) {
            line[lines].text = strdup(one);
            line[lines++].number = number;
        }
    }
}

static bool read_solution(void *context, const char *path) {
    (void)context;
    char *text;
    size_t size, n = strlen(path);
    Error error;
    Marks marks;
    if (n < 2 || strcmp(path + n - 2, ".c") != 0) {
        return true;
    }
    must(file_read(path, 1 << 20, &text, &size, &error), &error);
    must(marks_read(&marks, path, text, &error), &error);
    for (int i = 0; i < marks.count; i++) {
        const Region *region = &marks.region[i];
        char *body = strndup(text + region->begin, region->end - region->begin);
        keep_lines(body, table.exercise[exercise_table_find(&table, region->number)].number);
        free(body);
    }
    free(text);
    return true;
}

static bool look_for_lines(void *context, const char *path) {
    (void)context;
    char *text = NULL, *full = path_join(folder, path);
    size_t size;
    Error error;
    if (file_read(full, 4 << 20, &text, &size, &error)) {
        for (int i = 0; i < lines; i++) {
            if (strstr(text, line[i].text) != NULL) {
                print_error("%s still has of %s: %s\n", path, line[i].number, line[i].text);
                leaks++;
            }
        }
    }
    free(text);
    free(full);
    return true;
}

static void test_no_line_of_a_solution_is_left(void **state) {
    (void)state;
    Error error;
    must(folder_walk(".", "common", true, read_solution, NULL, &error), &error);
    must(folder_walk(".", "lessons", true, read_solution, NULL, &error), &error);
    must(folder_walk(".", "tests/support", true, read_solution, NULL, &error), &error);
    assert_true(lines > 100);
    must(folder_walk(folder, ".", true, look_for_lines, NULL, &error), &error);
    for (int i = 0; i < lines; i++) {
        free(line[i].text);
    }
    assert_int_equal(leaks, 0);
}

/* ---- building ---- */

static bool compile_emptied(void *context, const char *path) {
    (void)context;
    char *text = NULL, *full = path_join(folder, path), command[2048];
    const char *compiler = getenv("CC");
    size_t size, n = strlen(path);
    Error error;
    bool emptied = strcmp(path + n - 2, ".c") == 0 &&
                   file_read(full, 1 << 20, &text, &size, &error) &&
                   strstr(text, "#include \"core/exercise.h\"\n") != NULL &&
                   strstr(path, "exercise.c") == NULL;
    free(text);
    free(full);
    snprintf(command, sizeof command,
             "cd '%s' && %s -std=gnu11 -O1 -Wall -Wextra -Wshadow -Werror -Wno-unknown-pragmas "
             "-Icommon -Itests -S '%s' -o /dev/null",
             folder, compiler != NULL ? compiler : "cc", path);
    if (emptied && system(command) != 0) {
        print_error("%s does not compile without a warning\n", path);
        leaks++;
    }
    return true;
}

static void test_every_emptied_file_compiles_without_a_warning(void **state) {
    (void)state;
    Error error;
    leaks = 0;
    must(folder_walk(folder, "common", true, compile_emptied, NULL, &error), &error);
    must(folder_walk(folder, "lessons", true, compile_emptied, NULL, &error), &error);
    must(folder_walk(folder, "tests", true, compile_emptied, NULL, &error), &error);
    assert_int_equal(leaks, 0);
}

/* Whatever a file includes went along, too; the pages of the gallery are made while building. */
static bool look_for_includes(void *context, const char *path) {
    (void)context;
    static const char *const above[] = {"common", "tests", "plots"};
    char *text = NULL, *full = path_join(folder, path), name[200], place[500];
    size_t size, n = strlen(path);
    Error error;
    if (n > 2 && path[n - 2] == '.' && file_read(full, 4 << 20, &text, &size, &error)) {
        for (const char *at = text; (at = strstr(at, "\n#include \"")) != NULL; at++) {
            assert_int_equal(sscanf(at, "\n#include \"%199[^\"]", name), 1);
            snprintf(place, sizeof place, "%.*s/%s", (int)(strrchr(path, '/') - path), path, name);
            bool found = there(place) || strstr(name, ".inc") != NULL;
            for (size_t i = 0; i < sizeof above / sizeof *above && !found; i++) {
                snprintf(place, sizeof place, "%s/%s", above[i], name);
                found = there(place);
            }
            if (!found) {
                print_error("%s includes %s, which is not there\n", path, name);
                leaks++;
            }
        }
    }
    free(text);
    free(full);
    return true;
}

static void test_nothing_that_is_included_is_missing(void **state) {
    (void)state;
    Error error;
    leaks = 0;
    for (int i = 0; i < 4; i++) {
        static const char *const rooms[] = {"common", "lessons", "plots", "tests"};
        must(folder_walk(folder, rooms[i], true, look_for_includes, NULL, &error), &error);
    }
    assert_int_equal(leaks, 0);
}

static void test_the_task_stands_in_every_place(void **state) {
    (void)state;
    char *path = path_join(folder, "lessons/04_self_attention.c"), *text;
    size_t size;
    Error error;
    must(file_read(path, 1 << 20, &text, &size, &error), &error);
    free(path);
    assert_non_null(strstr(text, "/* Exercise 4.1, scaled dot-product attention.\n     * Task: "));
    assert_non_null(strstr(text, "     * Formula: y = softmax(q k^T / sqrt(d_k)) v;"));
    assert_non_null(strstr(text, "\n    exercise_missing(\"4.1\");\n}\n"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_what_a_student_needs_goes_along),
        cmocka_unit_test(test_the_readme_is_about_exercises_not_about_grading),
        cmocka_unit_test(test_what_is_needed_stands_above),
        cmocka_unit_test(test_make_help_lists_what_there_is),
        cmocka_unit_test(test_a_folder_that_holds_something_is_refused),
        cmocka_unit_test(test_no_line_of_a_solution_is_left),
        cmocka_unit_test(test_every_emptied_file_compiles_without_a_warning),
        cmocka_unit_test(test_nothing_that_is_included_is_missing),
        cmocka_unit_test(test_the_task_stands_in_every_place),
    };
    return cmocka_run_group_tests(tests, write_edition, remove_edition);
}
