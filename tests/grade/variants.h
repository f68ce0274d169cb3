/* Many versions of the same places in one worker: all of them are compiled at once, and a number in
 * the finished program says which one runs. So a hundred wrong solutions cost one build. */
#ifndef GRADE_VARIANTS_H
#define GRADE_VARIANTS_H

#include "grade/judge.h"

typedef struct Variant {
    char number[8], path[TREE_PATH], name[64]; /* exercise, file, and what to call it */
    int place;                                 /* 1: the first region of that number in the file */
    const char *body;                          /* what stands there instead */
} Variant;

enum { VARIANTS_MOST = 256, VARIANT_UNITS = 12 };

typedef struct Variants {
    ExerciseTable table;
    Build build;
    Tree tree;
    const Variant *variant;
    int count, units;
    struct {
        const char *unit;
        char program[600];
    } worker[VARIANT_UNITS];
} Variants;

/* Builds the project with all variants in it, and a worker for each unit that one of them is in
 * (or, for common/, "library"). `first` (or NULL) goes to the top of each file. Fails the test with
 * what the compiler says if one of them cannot be built. */
void variants_open(Variants *v, const Variant *variant, int count, const char *first);
void variants_close(Variants *v);

/* The unit whose checks are to judge a variant. */
const char *variant_unit(const Variant *variant);

/* Judges one check with variant[which], or, with -1, the project as it is. */
Verdict variants_judge(Variants *v, int which, const Check *check);

#endif
