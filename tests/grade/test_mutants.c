/* No wrong solution passes: mutants_*.txt holds at least three for each exercise, among them zeros,
 * constants, the input itself, and what is off by one. */
#include "assert_close.h"
#include "grade/variants.h"

#include <stdlib.h>

static const char *const files[] = {"tests/grade/mutants_1.txt", "tests/grade/mutants_2.txt",
                                    "tests/grade/mutants_3.txt"};
enum { FILES = sizeof files / sizeof *files, LEAST = 3 /* mutants of an exercise */ };

static char *text[FILES];
static Variant mutant[VARIANTS_MOST];
static int mutants;
static Variants variants;

/* "== 1.1 FILE 1 NAME", then the body, up to the next "== ". */
static void read_mutants(char *at) {
    char *line = strstr(at, "\n== ");
    while (line != NULL) {
        *line++ = '\0'; /* ends the body before it */
        assert_true(mutants < VARIANTS_MOST);
        Variant *m = &mutant[mutants++];
        char *body = strchr(line, '\n');
        assert_non_null(body);
        if (sscanf(line, "== %7s %159s %d %63s", m->number, m->path, &m->place, m->name) != 4) {
            fail_msg("cannot read \"%.60s\"", line);
        }
        m->body = body + 1;
        line = strstr(body, "\n== ");
    }
}

static int open_mutants(void **state) {
    (void)state;
    for (int i = 0; i < FILES; i++) {
        size_t size;
        Error error;
        if (!file_read(files[i], 1 << 20, &text[i], &size, &error)) {
            print_error("%s\n", error.text);
            return -1;
        }
        read_mutants(text[i]);
    }
    variants_open(&variants, mutant, mutants, NULL);
    return 0;
}

static int close_mutants(void **state) {
    (void)state;
    variants_close(&variants);
    for (int i = 0; i < FILES; i++) {
        free(text[i]);
    }
    return 0;
}

/* Otherwise they would all fail for another reason than what is wrong with them. */
static void test_without_a_mutant_everything_passes(void **state) {
    (void)state;
    for (int c = 0; c < variants.table.checks; c++) {
        Verdict verdict = variants_judge(&variants, -1, &variants.table.check[c]);
        if (verdict.outcome != OUTCOME_PASSED) {
            fail_msg("%s: %s", variants.table.check[c].shown, verdict.text);
        }
    }
}

/* Is one of its exercise's checks, of its own unit, not content with its answers? */
static bool is_caught(int which) {
    Verdict verdict = {.outcome = OUTCOME_PASSED};
    for (int c = 0; c < variants.table.checks && verdict.outcome == OUTCOME_PASSED; c++) {
        const Check *check = &variants.table.check[c];
        if (strcmp(check->exercise, mutant[which].number) == 0 &&
            strcmp(check->unit, variant_unit(&mutant[which])) == 0) {
            verdict = variants_judge(&variants, which, check);
        }
    }
    if (verdict.outcome != OUTCOME_FAILED) {
        print_error("%s %s (%s): %s: %s\n", mutant[which].number, mutant[which].name,
                    mutant[which].path, outcome_words[verdict.outcome], verdict.text);
    }
    return verdict.outcome == OUTCOME_FAILED;
}

static void test_no_mutant_passes(void **state) {
    (void)state;
    int passed = 0;
    for (int i = 0; i < mutants; i++) {
        passed += !is_caught(i);
    }
    assert_int_equal(passed, 0);
}

static void test_every_exercise_has_mutants(void **state) {
    (void)state;
    for (int e = 0; e < variants.table.exercises; e++) {
        int count = 0;
        for (int i = 0; i < mutants; i++) {
            count += strcmp(mutant[i].number, variants.table.exercise[e].number) == 0;
        }
        if (count < LEAST) {
            fail_msg("%s has %d mutants", variants.table.exercise[e].number, count);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_a_mutant_everything_passes),
        cmocka_unit_test(test_no_mutant_passes),
        cmocka_unit_test(test_every_exercise_has_mutants),
    };
    return cmocka_run_group_tests(tests, open_mutants, close_mutants);
}
