#include "grade/exercise_table.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 8, FILE_LIMIT = 1 << 20 };

/* Takes the next line that holds something and cuts it at its tabs; false at the end. */
static bool next_row(char **at, int *line, char **field, int *count) {
    while (**at != '\0') {
        char *row = *at;
        ++*line;
        *at += strcspn(*at, "\n");
        if (**at == '\n') {
            *(*at)++ = '\0';
        }
        if (row[0] == '\0' || row[0] == '#') {
            continue;
        }
        for (*count = 0; row != NULL && *count < COLUMNS_MOST; ++*count) {
            field[*count] = strsep(&row, "\t");
        }
        return true;
    }
    return false;
}

static bool add_exercise(ExerciseTable *table, char **f, Error *error) {
    if (table->exercises == EXERCISES_MOST || strlen(f[0]) > 7) {
        return error_set(error, "too many exercises, or too long a number: %s", f[0]);
    }
    if (exercise_table_find(table, f[0]) >= 0) {
        return error_set(error, "exercise %s stands there twice", f[0]);
    }
    table->exercise[table->exercises++] = (Exercise){f[0], f[1], f[2], f[3], f[4], f[5], f[6]};
    return true;
}

static bool add_check(ExerciseTable *table, char **f, Error *error) {
    if (table->checks == CHECKS_MOST || exercise_table_find(table, f[0]) < 0) {
        return error_set(error, "too many checks, or none of the exercises: %s", f[0]);
    }
    table->check[table->checks++] = (Check){f[0], f[1], f[2], f[3], f[4]};
    return true;
}

static bool read_rows(ExerciseTable *table, int which, const char *path, int columns,
                      Error *error) {
    size_t size;
    if (!file_read(path, FILE_LIMIT, &table->text[which], &size, error)) {
        return false;
    }
    char *at = table->text[which], *field[COLUMNS_MOST];
    int line = 0, count;
    bool (*add)(ExerciseTable *, char **, Error *) = which == 0 ? add_exercise : add_check;
    for (bool first = true; next_row(&at, &line, field, &count); first = false) {
        Error why;
        if (count != columns) {
            return error_set(error, "%s:%d: %d columns instead of %d", path, line, count, columns);
        }
        if (!first && !add(table, field, &why)) {
            return error_set(error, "%s:%d: %s", path, line, why.text);
        }
    }
    return true;
}

static bool every_exercise_is_checked(const ExerciseTable *table, Error *error) {
    for (int i = 0; i < table->exercises; i++) {
        const Exercise *one = &table->exercise[i];
        bool found = false;
        for (int c = 0; c < table->checks; c++) {
            found = found || strcmp(table->check[c].exercise, one->number) == 0;
        }
        if (!found) {
            return error_set(error, "exercise %s has no check", one->number);
        }
        char word[8];
        for (const char *at = one->needs; sscanf(at, " %7s", word) == 1 && word[0] != '-';) {
            at += strspn(at, " ");
            at += strlen(word);
            if (exercise_table_find(table, word) < 0) {
                return error_set(error, "exercise %s needs %s, which is not there", one->number,
                                 word);
            }
        }
    }
    return true;
}

bool exercise_table_read(ExerciseTable *table, const char *folder, Error *error) {
    *table = (ExerciseTable){.exercises = 0};
    char *exercises = path_join(folder, "exercises.tsv"), *checks = path_join(folder, "checks.tsv");
    bool fine = read_rows(table, 0, exercises, 7, error) && read_rows(table, 1, checks, 5, error) &&
                every_exercise_is_checked(table, error);
    free(exercises);
    free(checks);
    return fine;
}

void exercise_table_free(ExerciseTable *table) {
    free(table->text[0]);
    free(table->text[1]);
    *table = (ExerciseTable){.exercises = 0};
}

int exercise_table_find(const ExerciseTable *table, const char *number) {
    for (int i = 0; i < table->exercises; i++) {
        if (strcmp(table->exercise[i].number, number) == 0) {
            return i;
        }
    }
    return -1;
}

bool exercise_table_lists(const char *needs, const char *number) {
    size_t n = strlen(number);
    for (const char *at = needs; (at = strstr(at, number)) != NULL; at++) {
        if ((at == needs || at[-1] == ' ') && (at[n] == '\0' || at[n] == ' ')) {
            return true;
        }
    }
    return false;
}
