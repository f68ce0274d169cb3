#include "grade/submission.h"

#include "core/check.h"
#include "grade/sandbox.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

uint64_t submission_seed(void) {
    uint64_t seed = 0;
    CHECK(getrandom(&seed, sizeof seed, 0) == sizeof seed, "no randomness from the system");
    return seed >> 24; /* short enough to be typed */
}

static double seconds_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool grade(Build *build, const ExerciseTable *table, const char *student, uint64_t seed,
                  const char *only, Verdict *verdict, Error *error) {
    Tree *tree = check_alloc(sizeof *tree);
    char *copy = path_join(build->scratch, "tree");
    bool fine = tree_take(tree, student, build->own, copy, error) &&
                build_tree(build, tree, error) &&
                judge_all(build, table, tree, seed, only, verdict, error);
    free(copy);
    free(tree);
    return fine;
}

/* Who mistypes a number must not be told that everything passed. */
static bool all_known(const ExerciseTable *table, const char *only, Error *error) {
    bool any = only == NULL;
    while (only != NULL && *(only += strspn(only, " ")) != '\0') {
        char number[16];
        size_t n = strcspn(only, " ");
        snprintf(number, sizeof number, "%.*s", (int)n, only);
        if (exercise_table_find(table, number) < 0) {
            return error_set(error, "there is no exercise \"%s\": there are %s to %s", number,
                             table->exercise[0].number,
                             table->exercise[table->exercises - 1].number);
        }
        any = true;
        only += n;
    }
    return any || error_set(error, "no exercise was named");
}

bool submission_grade(const ExerciseTable *table, const char *graded, const char *student,
                      const char *out, uint64_t seed, const char *only, FILE *screen, int *missed,
                      Error *error) {
    if (!sandbox_can_seal()) {
        return error_set(error, "student code is run only where the system can seal it: on Linux, "
                                "x86-64 or arm64");
    }
    if (!all_known(table, only, error)) {
        return false;
    }
    double begin = seconds_now();
    Verdict *verdict = check_alloc((size_t)table->exercises * sizeof *verdict);
    Build build = {.words = 0};
    bool fine = build_begin(&build, ".", graded, error) &&
                grade(&build, table, student, seed, only, verdict, error);
    build_end(&build);
    Grading grading = {student, table, verdict, seed, seconds_now() - begin};
    if (fine) {
        *missed = grading_asked(&grading) - grading_passed(&grading);
        if (screen != NULL) {
            grading_print(&grading, screen);
        }
        char *noted = path_join(out, "submission.txt"); /* grade_all's; it tells of other reports */
        fine = folder_make(out, error);
        unlink(noted);
        free(noted);
        fine = fine && grading_write(&grading, out, error);
    }
    free(verdict);
    return fine;
}
