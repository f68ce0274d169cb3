/* Attacks on what comes before running: names of the worker overridden, code that runs before main,
 * and a compiler that is to read what it must not, or never to end. Each is a build of its own.
 *
 * They stand in common/data/metrics.c, around the right answers to exercises 2.5 and 2.6. */
#include "assert_close.h"
#include "core/check.h"
#include "grade/judge.h"
#include "grade/submission.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char victim[] = "common/data/metrics.c";
static ExerciseTable table;
static Build build;
static Tree tree;
static char *text; /* of the file, as it is */

static int open_bench(void **state) {
    (void)state;
    Error error;
    char copy[600];
    size_t size;
    bool fine = exercise_table_read(&table, "tests/grade", &error) &&
                build_begin(&build, ".", BUILD_FOLDER "/graded", &error);
    snprintf(copy, sizeof copy, "%s/tree", build.scratch);
    fine = fine && tree_take(&tree, ".", ".", copy, &error) && build_tree(&build, &tree, &error) &&
           file_read(victim, TREE_FILE, &text, &size, &error);
    if (!fine) {
        print_error("%s\n", error.text);
    }
    return fine ? 0 : -1;
}

static int close_bench(void **state) {
    (void)state;
    build_end(&build);
    exercise_table_free(&table);
    free(text);
    return 0;
}

/* Grades one exercise with something in front of the file. */
static Verdict attack(const char *before, const char *number) {
    static Verdict verdict[EXERCISES_MOST];
    char path[1024];
    Error error;
    size_t size = strlen(text) + strlen(before) + 2;
    char *whole = check_alloc(size);
    snprintf(whole, size, "%s\n%s", before, text);
    snprintf(path, sizeof path, "%s/tree/%s", build.scratch, victim);
    bool fine = file_write(path, whole, strlen(whole), &error);
    free(whole);
    for (int i = 0; i < tree.sources && fine; i++) {
        fine = strcmp(tree.source[i].path, victim) != 0 ||
               build_source(&build, &tree.source[i], &error);
    }
    if (!fine || !judge_all(&build, &table, &tree, submission_seed(), number, verdict, &error)) {
        fail_msg("%s", error.text);
    }
    return verdict[exercise_table_find(&table, number)];
}

static void expect(const char *before, const char *number, Outcome outcome, const char *words) {
    Verdict verdict = attack(before, number);
    if (verdict.outcome != outcome || strstr(verdict.text, words) == NULL) {
        fail_msg("%s: \"%s\": %s; expected \"%s\": ..%s..", before, outcome_words[verdict.outcome],
                 verdict.text, outcome_words[outcome], words);
    }
}

static void test_as_it_is_it_passes(void **state) {
    (void)state;
    expect("", "2.6", OUTCOME_PASSED, "");
}

/* Another file's exercise does not notice. */
static void test_code_before_main_gains_nothing(void **state) {
    (void)state;
    static const char early[] = "#include <stdio.h>\n#include <stdlib.h>\n"
                                "__attribute__((constructor)) static void first(void)"
                                "{ puts(\"[  PASSED  ] 29 test(s).\"); exit(0); }";
    expect(early, "2.6", OUTCOME_FAILED, "without an answer");
    expect("__attribute__((section(\".preinit_array\"), used)) static void *first = (void *)1;",
           "2.6", OUTCOME_CRASHED, "SIGSEGV");
}

static void test_overriding_names_gains_nothing(void **state) {
    (void)state;
    static const char *const tricks[] = {
        "int main(void) { return 0; }\n",
        "int worker_checks[9];\n",
        "struct Call; void check_aer(struct Call *c) { (void)c; }\n",
        "struct Call; void answer_number(struct Call *c, const char *n, double v) { (void)c; }\n",
        "#include <unistd.h>\nssize_t write(int f, const void *b, size_t n) { return (ssize_t)n; }",
        "#include <unistd.h>\nssize_t read(int f, void *b, size_t n) { return 0; }",
    };
    for (size_t i = 0; i < sizeof tricks / sizeof *tricks; i++) {
        assert_int_not_equal(attack(tricks[i], "2.6").outcome, OUTCOME_PASSED);
    }
}

static void test_macros_are_the_students_own(void **state) {
    (void)state;
    expect("#define CHECK(...)\n#define assert(x)\n#define main lesson_main\n"
           "#define aer_rate other_rate\n",
           "2.6", OUTCOME_NOT_COMPILED, "aer_rate()");
    assert_int_not_equal(attack("#define double int\n", "2.6").outcome, OUTCOME_PASSED);
}

static void test_the_compiler_includes_nothing_from_outside(void **state) {
    (void)state;
    char include[700], file[600], own[600];
    expect("#include \"/etc/passwd\"\n", "2.6", OUTCOME_NOT_COMPILED, "error");
    expect("#include \"../../../../../../../../etc/fstab\"\n", "2.6", OUTCOME_NOT_COMPILED,
           "error");
    snprintf(file, sizeof file, "%s/obj/solution.h", build.scratch);
    FILE *out = fopen(file, "w");
    fputs("/* what the instructor has */\n", out);
    fclose(out);
    assert_int_equal(chmod(file, 0644), 0);
    snprintf(include, sizeof include, "#include \"%s\"\n", file);
    expect(include, "2.6", OUTCOME_NOT_COMPILED, "not part of the project");
    assert_non_null(realpath("common/core/check.h", own)); /* of the instructor's, not its own */
    snprintf(include, sizeof include, "#include \"%s\"\n", own);
    assert_int_equal(attack(include, "2.6").outcome, OUTCOME_NOT_COMPILED);
    expect("#include \"metrics.c\"\n", "2.6", OUTCOME_NOT_COMPILED, "");
}

static void test_the_assembler_reads_no_files(void **state) {
    (void)state;
    static const char *const tricks[] = {
        "__asm__(\".incbin \\\"/etc/passwd\\\"\");\n",
        "__asm__(\".InCbIn\\t\\\"/etc/passwd\\\"\");\n",
        "__asm__(\".include \\\"/etc/passwd\\\"\");\n",
        "__asm__(\".macro f x\\n.inc\\\\x \\\"/etc/passwd\\\"\\n.endm\\nf bin\");\n",
        /* other names of .irp, and a name in two pieces */
        "__asm__(\".irep x, inc\\n.\\\\x\\\\()bin \\\"/etc/passwd\\\"\\n.endr\");\n",
        "__asm__(\".irep x, inc\\n.\\\\x\\\\()lude \\\"/dev/null\\\"\\n.endr\");\n",
        ("__asm__(\"\\\".mac\\\"\\\"ro\\\" f x\\n.inc\\\\x \\\"/etc/passwd\\\"\\n.endm\\nf "
         "bin\");\n"),
    };
    for (size_t i = 0; i < sizeof tricks / sizeof *tricks; i++) {
        expect(tricks[i], "2.6", OUTCOME_NOT_COMPILED, "assembler");
    }
}

/* A program can name a file that the kernel runs in its place: here the one with the answers. */
static void test_no_other_program_answers(void **state) {
    (void)state;
    char worker[600], trick[900];
    build_reference_path(&build, "library", worker);
    snprintf(trick, sizeof trick,
             "#define aer_rate right_rate\n__asm__(\".pushsection .interp,\\\"aR\\\"\\n"
             ".asciz \\\"%s\\\"\\n"
             ".popsection\");\n"
             "#include \"data/metrics.h\"\n#undef aer_rate\n"
             "double aer_rate(const Aer *aer) { return 0.0; }\n#define aer_rate right_rate\n",
             worker);
    Verdict verdict = attack(trick, "2.6");
    assert_int_not_equal(verdict.outcome, OUTCOME_PASSED);
    assert_int_not_equal(verdict.outcome, OUTCOME_NOT_COMPILED);
}

/* What the linker quotes may hold anything. */
static void test_names_cannot_steer_the_terminal(void **state) {
    (void)state;
    static const char red[] = "__asm__(\".pushsection .init_array,\\\"aw\\\"\\n"
                              ".quad \\\"\\033[31mred\\\"\\n.popsection\");\n";
    Verdict verdict = attack(red, "2.6");
    assert_int_equal(verdict.outcome, OUTCOME_NOT_COMPILED);
    assert_non_null(strstr(verdict.text, "?[31mred"));
    assert_null(strchr(verdict.text, '\033'));
}

/* An object that says it was to be compiled when it is linked, with options of its own. The second
 * time the name is written so that nobody sees it: then the linker must not care. */
static void test_the_linker_takes_no_options(void **state) {
    (void)state;
    expect("__asm__(\".section .gnu.lto_.opts,\\\"e\\\",@progbits\\n.asciz "
           "\\\"-fplugin=x.so\\\"\\n\"\n"
           "\".text\");\n",
           "2.6", OUTCOME_NOT_COMPILED, "assembler");
    Outcome outcome =
        attack("__asm__(\".section \\\".gnu\\\\056lto_.opts\\\",\\\"e\\\",@progbits\\n\"\n"
               "\".asciz \\\"-fplugin=x.so\\\"\\n.text\");\n",
               "2.6")
            .outcome;
    assert_true(outcome == OUTCOME_NOT_COMPILED || outcome == OUTCOME_PASSED);
}

static void test_the_compiler_is_bounded(void **state) {
    (void)state;
    expect("#define A(x) x x x x x x x x x x x x x x x x\n#define B(x) A(A(A(A(A(x)))))\n"
           "static const char huge[] = B(B(\"0123456789abcdef\"));\n",
           "2.6", OUTCOME_NOT_COMPILED, "");
    expect("const char huge[1L << 33] = {1};\n", "2.6", OUTCOME_NOT_COMPILED, "");
    expect("__asm__(\".space 0x7fffffff, 1\");\n", "2.6", OUTCOME_NOT_COMPILED, "");
}

/* The linker's seconds count like the compiler's, and without any left nothing is linked. */
static void test_the_linker_is_bounded(void **state) {
    (void)state;
    static Verdict verdict[EXERCISES_MOST];
    Error error;
    expect("", "2.6", OUTCOME_PASSED, "");
    double used = build.used;
    for (int late = 0; late < 2; late++) {
        build.used += late ? 1e6 : 0.0;
        assert_true(judge_all(&build, &table, &tree, submission_seed(), "2.6", verdict, &error));
        const Verdict *v = &verdict[exercise_table_find(&table, "2.6")];
        assert_int_equal(v->outcome, late ? OUTCOME_NOT_COMPILED : OUTCOME_PASSED);
        assert_true(late ? strstr(v->text, "took too long") != NULL : build.used > used);
    }
    build.used = used;
}

static void test_what_does_not_compile_fails_who_needs_it(void **state) {
    (void)state;
    static const char broken[] = "this is no C\n";
    expect(broken, "2.6", OUTCOME_NOT_COMPILED, "common/data/metrics.c:1");
    expect(broken, "2.5", OUTCOME_NOT_COMPILED, "common/data/metrics.c:1");
    expect(broken, "6.1", OUTCOME_PASSED, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_it_is_it_passes),
        cmocka_unit_test(test_code_before_main_gains_nothing),
        cmocka_unit_test(test_overriding_names_gains_nothing),
        cmocka_unit_test(test_macros_are_the_students_own),
        cmocka_unit_test(test_the_compiler_includes_nothing_from_outside),
        cmocka_unit_test(test_the_assembler_reads_no_files),
        cmocka_unit_test(test_no_other_program_answers),
        cmocka_unit_test(test_names_cannot_steer_the_terminal),
        cmocka_unit_test(test_the_linker_takes_no_options),
        cmocka_unit_test(test_the_compiler_is_bounded),
        cmocka_unit_test(test_the_linker_is_bounded),
        cmocka_unit_test(test_what_does_not_compile_fails_who_needs_it), /* the library loses it */
    };
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
