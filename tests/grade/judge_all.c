/* All exercises of a submission: which worker answers which check, and what the checks of an
 * exercise say together. */
#include "core/check.h"
#include "grade/judge.h"
#include "grade/marks.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A worker that knows all checks of a unit that are asked, if it could be built: that saves linking
 * one for each. Only what no other file can be to blame for is believed of it. */
typedef struct Shared {
    const char *unit;
    bool usable;
    char program[600];
} Shared;

/* Seconds, by the clock, of waiting for answers that were not right, for one submission. */
enum { UNITS_MOST = 16, SHARED_LEAST = 3 /* checks */, WAITING_MOST = 600 };

typedef struct Bench {
    Build *build;
    const ExerciseTable *table;
    const Tree *tree;
    uint64_t seed;
    const char *only;
    Shared shared[UNITS_MOST];
    int units;
    double waited;
} Bench;

static bool is_asked(const Bench *bench, const char *number) {
    return bench->only == NULL || exercise_table_lists(bench->only, number);
}

/* The unit's worker, linked when it is first asked for. */
static Shared *shared_worker(Bench *bench, const char *unit) {
    const Check *checks[CHECKS_MOST];
    char why[400];
    int count = 0;
    for (int i = 0; i < bench->units; i++) {
        if (strcmp(bench->shared[i].unit, unit) == 0) {
            return &bench->shared[i];
        }
    }
    CHECK(bench->units < UNITS_MOST, "more than %d units", UNITS_MOST);
    Shared *shared = &bench->shared[bench->units++];
    *shared = (Shared){.unit = unit};
    for (int c = 0; c < bench->table->checks; c++) {
        const Check *check = &bench->table->check[c];
        if (strcmp(check->unit, unit) == 0 && is_asked(bench, check->exercise)) {
            checks[count++] = check;
        }
    }
    shared->usable = count >= SHARED_LEAST &&
                     build_worker(bench->build, bench->tree, checks, count, shared->program, why);
    return shared;
}

static double clock_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Who sleeps instead of answering, or before a wrong answer, does so again and again: not for
 * ever. */
static bool ask(Bench *bench, const Check *check, const char *program, Verdict *v, Error *error) {
    if (bench->waited > WAITING_MOST) {
        *v = (Verdict){.outcome = OUTCOME_OUT_OF_TIME};
        snprintf(v->text, sizeof v->text, "%s was not tried: what came before it has used up %d s",
                 check->shown, WAITING_MOST);
        return true;
    }
    double begin = clock_seconds();
    bool fine = judge_check(bench->build, check, program, bench->seed, v, error);
    bench->waited += v->outcome != OUTCOME_PASSED ? clock_seconds() - begin : 0.0;
    return fine;
}

/* "in exercise 7.6: " when the line that the compiler names ("common/core/optim.c:104:9: error:
 * ..") stands in another exercise than this one; else nothing. The path counts only where it is
 * that of a source, and the marks are as the student left them: words to the reader, and nothing
 * more. */
static void name_exercise(const Bench *bench, const char *own, const char *why, char words[32]) {
    char folder[600], number[8], *text;
    size_t size;
    Error ignored;
    words[0] = '\0';
    snprintf(folder, sizeof folder, "%s/tree", bench->build->scratch);
    for (int i = 0; i < bench->tree->sources; i++) {
        const char *path = bench->tree->source[i].path;
        size_t length = strlen(path);
        if (strncmp(why, path, length) != 0 || why[length] != ':') {
            continue;
        }
        char *full = path_join(folder, path);
        bool read = file_read(full, TREE_FILE, &text, &size, &ignored);
        if (read && marks_number_at(text, strtol(why + length + 1, NULL, 10), number) &&
            strcmp(number, own) != 0) {
            snprintf(words, 32, "in exercise %s: ", number);
        }
        free(text);
        free(full);
    }
}

static bool judge_with_own_worker(Bench *bench, const Check *check, Verdict *v, Error *error) {
    char program[600], why[400], where[32];
    if (!build_worker(bench->build, bench->tree, &check, 1, program, why)) {
        *v = (Verdict){.outcome = OUTCOME_NOT_COMPILED};
        name_exercise(bench, check->exercise, why, where);
        snprintf(v->text, sizeof v->text, "%s: %s%s", check->shown, where, why);
        return true;
    }
    bool fine = ask(bench, check, program, v, error);
    unlink(program); /* there may be many, and large ones */
    return fine;
}

/* With the shared worker first. Right answers are right, and what is not written is not written;
 * anything else may come from a file that this check does not need: then its own worker decides,
 * and where that says something else the shared one is of no use any more. */
static bool judge_one(Bench *bench, const Check *check, Verdict *v, Error *error) {
    Shared *shared = shared_worker(bench, check->unit);
    if (!shared->usable) {
        return judge_with_own_worker(bench, check, v, error);
    }
    if (!ask(bench, check, shared->program, v, error)) {
        return false;
    }
    bool open = tree_open_place(bench->tree, check->exercise) != NULL;
    if (v->outcome == OUTCOME_PASSED || (v->outcome == OUTCOME_NOT_WRITTEN && open) ||
        (v->outcome == OUTCOME_NEEDS && bench->tree->opens > 0)) {
        return true;
    }
    Outcome before = v->outcome;
    bool fine = judge_with_own_worker(bench, check, v, error);
    shared->usable = v->outcome == before;
    return fine;
}

static bool judge_exercise(Bench *bench, const Exercise *exercise, Verdict *v, Error *error) {
    *v = (Verdict){.outcome = OUTCOME_PASSED};
    for (int c = 0; c < bench->table->checks && v->outcome == OUTCOME_PASSED; c++) {
        const Check *check = &bench->table->check[c];
        if (strcmp(check->exercise, exercise->number) == 0 && !judge_one(bench, check, v, error)) {
            return false;
        }
    }
    const OpenPlace *open = tree_open_place(bench->tree, exercise->number);
    if (open != NULL && (v->outcome == OUTCOME_PASSED || v->outcome == OUTCOME_NEEDS ||
                         v->outcome == OUTCOME_NOT_WRITTEN)) {
        v->outcome = OUTCOME_NOT_WRITTEN;
        snprintf(v->text, sizeof v->text, "still to be written: %s, line %d", open->path,
                 open->line);
        int places = 0;
        for (int i = 0; i < bench->tree->opens; i++) {
            places += strcmp(bench->tree->open[i].number, exercise->number) == 0;
        }
        if (places > 1) {
            size_t n = strlen(v->text);
            snprintf(v->text + n, sizeof v->text - n, ", and %d more place%s", places - 1,
                     places > 2 ? "s" : "");
        }
    }
    return true;
}

/* A wrong answer may come from another exercise that this one rests on: then that is said. */
static void name_needs(const ExerciseTable *table, int i, Verdict *verdict) {
    Verdict *v = &verdict[i];
    char before[700];
    if (v->outcome != OUTCOME_FAILED && v->outcome != OUTCOME_CRASHED &&
        v->outcome != OUTCOME_OUT_OF_TIME) {
        return;
    }
    for (int k = 0; k < table->exercises; k++) {
        const char *number = table->exercise[k].number;
        if (k != i && verdict[k].outcome != OUTCOME_PASSED &&
            verdict[k].outcome != OUTCOME_NOT_ASKED &&
            exercise_table_lists(table->exercise[i].needs, number)) {
            snprintf(before, sizeof before, "%.690s", v->text);
            snprintf(v->text, sizeof v->text, "needs exercise %s, which has not passed. (%s)",
                     number, before);
            v->outcome = OUTCOME_NEEDS;
            return;
        }
    }
}

bool judge_all(Build *build, const ExerciseTable *table, const Tree *tree, uint64_t seed,
               const char *only, Verdict *verdict, Error *error) {
    Bench bench = {build, table, tree, seed, only, {{NULL, false, ""}}, 0, 0.0};
    for (int i = 0; i < table->exercises; i++) {
        const Exercise *exercise = &table->exercise[i];
        verdict[i] = (Verdict){.outcome = OUTCOME_NOT_ASKED};
        if (is_asked(&bench, exercise->number) &&
            !judge_exercise(&bench, exercise, &verdict[i], error)) {
            return false;
        }
    }
    for (int i = 0; i < table->exercises; i++) {
        name_needs(table, i, verdict);
    }
    return true;
}
