/* Grades one submission; README.md, "As an instructor", says how to use it.
 *
 *     grade BUILD STUDENT OUT [SEED [EXERCISES]]
 *     grade BUILD --reference            builds the instructor's own workers
 *
 * Exit status: 0 when every exercise passed, 1 when one did not, 2 when there is no verdict. */
#include "grade/submission.h"

#include <stdlib.h>
#include <string.h>

static int fail(const Error *error) {
    fprintf(stderr, "grade: %s\n", error->text);
    return 2;
}

static int reference(const ExerciseTable *table, const char *graded) {
    Build build;
    Error error;
    bool fine = build_begin(&build, ".", graded, &error);
    for (int c = 0; c < table->checks && fine; c++) {
        const char *unit = table->check[c].unit;
        bool first = true;
        for (int before = 0; before < c; before++) {
            first = first && strcmp(table->check[before].unit, unit) != 0;
        }
        fine = !first || build_reference(&build, table, unit, &error);
    }
    build_end(&build);
    return fine ? 0 : fail(&error);
}

/* A number, or one that nobody can foresee. */
static bool seed_of(const char *text, uint64_t *seed) {
    char *end = NULL;
    *seed = text == NULL || text[0] == '\0' ? submission_seed() : strtoull(text, &end, 10);
    return end == NULL || (*end == '\0' && text[0] >= '0' && text[0] <= '9');
}

int main(int argc, char **argv) {
    static ExerciseTable table;
    Error error;
    uint64_t seed;
    int missed = 0;
    if (argc < 3 || (argc < 4 && strcmp(argv[2], "--reference") != 0) || argc > 6 ||
        !seed_of(argc > 4 ? argv[4] : NULL, &seed)) {
        fputs("usage: make grade STUDENT=folder [OUT=folder] [SEED=number] [ONLY=\"4.1 4.2\"]\n",
              stderr);
        return 2;
    }
    if (!exercise_table_read(&table, "tests/grade", &error)) {
        return fail(&error);
    }
    if (argc == 3) {
        return reference(&table, argv[1]);
    }
    const char *only = argc > 5 && argv[5][0] != '\0' ? argv[5] : NULL;
    if (!submission_grade(&table, argv[1], argv[2], argv[3], seed, only, stdout, &missed, &error)) {
        return fail(&error);
    }
    printf("The same in %s: grade.tsv, grade.json, grade.xml\n", argv[3]);
    exercise_table_free(&table);
    return missed == 0 ? 0 : 1;
}
