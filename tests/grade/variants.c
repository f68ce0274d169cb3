#include "grade/variants.h"

#include "assert_close.h"
#include "core/check.h"
#include "grade/marks.h"
#include "grade/submission.h"

#include <stdlib.h>
#include <sys/stat.h>

static const char mark[16] = "which variant: "; /* in front of the number, in the program */
static const char source[] = "common/core/variant_number.c";
static const char declaration[] =
    "extern const volatile struct { char mark[16]; int number; } variant_chosen;\n";

static void must(bool fine, const Error *error) {
    if (!fine) {
        fail_msg("%s", error->text);
    }
}

const char *variant_unit(const Variant *variant) {
    static char unit[TREE_PATH];
    if (strncmp(variant->path, "lessons/", 8) != 0) {
        return "library";
    }
    snprintf(unit, sizeof unit, "%.*s", (int)strlen(variant->path) - 10, variant->path + 8);
    return unit;
}

/* --- The text with all variants in it --- */

typedef struct Filling {
    const Variants *v;
    const char *path, *text;
    int seen[VARIANTS_MOST]; /* of each variant: regions of its number so far */
    bool placed[VARIANTS_MOST];
} Filling;

/* if (the number is 1) { .. } else if (it is 2) { .. } else { the solution } */
static char *all_variants(void *context, const Region *region) {
    Filling *f = context;
    char *body = NULL;
    size_t size;
    FILE *out = open_memstream(&body, &size);
    CHECK(out != NULL, "out of memory");
    bool any = false;
    for (int i = 0; i < f->v->count; i++) {
        const Variant *variant = &f->v->variant[i];
        if (strcmp(variant->path, f->path) == 0 && strcmp(variant->number, region->number) == 0 &&
            ++f->seen[i] == variant->place) {
            fprintf(out, "if (variant_chosen.number == %d) {\n%s\n} else ", i + 1, variant->body);
            f->placed[i] = any = true;
        }
    }
    fprintf(out, "{\n%.*s\n}\n", (int)(region->end - region->begin), f->text + region->begin);
    fclose(out);
    if (!any) {
        free(body);
        return NULL;
    }
    return body;
}

static void write_source(Variants *v, const char *path, const char *text) {
    Error error;
    char *copy = NULL, folder[600];
    snprintf(folder, sizeof folder, "%s/tree", v->build.scratch);
    copy = path_join(folder, path);
    must(file_write(copy, text, strlen(text), &error), &error);
    free(copy);
    for (int i = 0; i < v->tree.sources; i++) {
        if (strcmp(v->tree.source[i].path, path) == 0) {
            v->tree.source[i].state = SOURCE_CHANGED;
            return;
        }
    }
    assert_true(v->tree.sources < TREE_MOST);
    Source *added = &v->tree.source[v->tree.sources++];
    *added = (Source){.state = SOURCE_CHANGED};
    strcpy(added->path, path);
}

static void fill_file(Variants *v, const char *path, const char *first) {
    static Marks marks;
    Error error;
    char *text, *filled;
    size_t size;
    must(file_read(path, TREE_FILE, &text, &size, &error) && marks_read(&marks, path, text, &error),
         &error);
    Filling filling = {.v = v, .path = path, .text = text};
    filled = marks_replace(&marks, text, all_variants, &filling);
    for (int i = 0; i < v->count; i++) {
        if (strcmp(v->variant[i].path, path) == 0 && !filling.placed[i]) {
            fail_msg("%s has no place %d of exercise %s", path, v->variant[i].place,
                     v->variant[i].number);
        }
    }
    size = strlen(first) + sizeof declaration + strlen(filled);
    char *whole = check_alloc(size);
    snprintf(whole, size, "%s%s%s", first, declaration, filled);
    write_source(v, path, whole);
    free(whole);
    free(filled);
    free(text);
}

/* --- Building --- */

static void add_worker(Variants *v, const char *unit) {
    const Check *checks[CHECKS_MOST];
    char why[400];
    int count = 0;
    for (int i = 0; i < v->units; i++) {
        if (strcmp(v->worker[i].unit, unit) == 0) {
            return;
        }
    }
    for (int c = 0; c < v->table.checks; c++) {
        if (strcmp(v->table.check[c].unit, unit) == 0) {
            checks[count++] = &v->table.check[c];
        }
    }
    assert_true(count > 0 && v->units < VARIANT_UNITS);
    v->worker[v->units].unit = checks[0]->unit;
    if (!build_worker(&v->build, &v->tree, checks, count, v->worker[v->units].program, why)) {
        fail_msg("%s: %s", unit, why);
    }
    v->units++;
}

void variants_open(Variants *v, const Variant *variant, int count, const char *first) {
    Error error;
    char tree[600], number[300];
    assert_true(count <= VARIANTS_MOST);
    *v = (Variants){.variant = variant, .count = count};
    must(exercise_table_read(&v->table, "tests/grade", &error), &error);
    must(build_begin(&v->build, ".", BUILD_FOLDER "/graded", &error), &error);
    snprintf(tree, sizeof tree, "%s/tree", v->build.scratch);
    must(tree_take(&v->tree, ".", ".", tree, &error), &error);
    for (int i = 0; i < count; i++) {
        bool done = false;
        for (int before = 0; before < i; before++) {
            done = done || strcmp(variant[before].path, variant[i].path) == 0;
        }
        if (!done) {
            fill_file(v, variant[i].path, first != NULL ? first : "");
        }
    }
    snprintf(number, sizeof number,
             "const volatile struct { char mark[16]; int number; } "
             "variant_chosen = {\"%s\", 0};\n",
             mark);
    write_source(v, source, number);
    must(build_tree(&v->build, &v->tree, &error), &error);
    for (int i = 0; i < v->tree.sources; i++) {
        if (v->tree.source[i].state == SOURCE_BROKEN) {
            fail_msg("%s", v->tree.source[i].error);
        }
    }
    for (int i = 0; i < count; i++) {
        add_worker(v, variant_unit(&variant[i]));
    }
}

void variants_close(Variants *v) {
    build_end(&v->build);
    exercise_table_free(&v->table);
}

/* --- Judging --- */

/* The worker again, with the number in it. */
static void choose(const char *program, int number, const char *to) {
    Error error;
    char *bytes = NULL;
    size_t size;
    int found = 0;
    must(file_read(program, 64 << 20, &bytes, &size, &error), &error);
    for (size_t i = 0; i + sizeof mark + sizeof number <= size; i++) {
        if (memcmp(bytes + i, mark, sizeof mark) == 0) {
            memcpy(bytes + i + sizeof mark, &number, sizeof number);
            found++;
        }
    }
    if (found != 1) {
        fail_msg("%s: %d places for the number of the variant", program, found);
    }
    must(file_write(to, bytes, size, &error), &error);
    assert_int_equal(chmod(to, 0755), 0);
    free(bytes);
}

Verdict variants_judge(Variants *v, int which, const Check *check) {
    Verdict verdict = {.outcome = OUTCOME_NOT_ASKED};
    Error error;
    char program[700];
    snprintf(program, sizeof program, "%s/variant", v->build.scratch);
    for (int i = 0; i < v->units; i++) {
        if (strcmp(v->worker[i].unit, check->unit) == 0) {
            choose(v->worker[i].program, which + 1, program);
            must(judge_check(&v->build, check, program, submission_seed(), &verdict, &error),
                 &error);
            return verdict;
        }
    }
    fail_msg("no worker of %s", check->unit);
    return verdict;
}
