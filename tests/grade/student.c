/* Writes the student edition: student OUT. The project is the folder it runs in. */
#include "grade/edition.h"

int main(int argc, char **argv) {
    static ExerciseTable table;
    Error error;
    int count = 0;
    if (argc != 2 || argv[1][0] == '\0') {
        fputs("usage: make student OUT=folder\n", stderr);
        return 2;
    }
    if (!exercise_table_read(&table, "tests/grade", &error) ||
        !edition_write(&table, ".", argv[1], &count, &error)) {
        fprintf(stderr, "student: %s\n", error.text);
        return 2;
    }
    printf("%s: the student edition, %d exercises in %d places (EXERCISES.md lists them)\n",
           argv[1], table.exercises, count);
    exercise_table_free(&table);
    return 0;
}
