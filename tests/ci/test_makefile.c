/* The Makefile, on a small house of two lessons that we build, change and break. */
#include "assert_close.h"

#include <stdlib.h>
#include <unistd.h>

#include "support/shell.h"

static char folder[512];
static char output[1 << 16];

/* Runs a shell command in the house, keeps what it prints, gives its exit status. */
static int house(const char *line) {
    char command[2048];
    const char *path = getenv("PATH"), *compiler = getenv("CC");
    snprintf(command, sizeof command,
             "cd '%s' && env -i PATH='%.1000s' %s%s%s CFLAGS=-O0 MARCH= sh -c '%s'", folder, path,
             compiler ? "CC='" : "", compiler ? compiler : "", compiler ? "'" : "", line);
    return shell_run(command, output, sizeof output);
}

static void assert_house(const char *line, int status) {
    int got = house(line);
    if (got != status) {
        fail_msg("\"%s\" ends with %d, expected %d:\n%s", line, got, status, output);
    }
}

static bool says(const char *text) {
    return strstr(output, text) != NULL;
}

static void assert_says(const char *text) {
    if (!says(text)) {
        fail_msg("make does not say \"%s\" but:\n%s", text, output);
    }
}

static void file_put(const char *name, const char *text) {
    char path[1024];
    snprintf(path, sizeof path, "%.500s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static const char lesson_text[] =
    "#include \"core/answer.h\"\n#include <stdio.h>\n"
    "int lesson_answer(void);\nint lesson_answer(void) { return ANSWER; }\n"
    "int main(int argc, char **argv) {\n"
    "    for (int i = 1; i < argc; i++) printf(\"<%s>\", argv[i]);\n"
    "    FILE *file = fopen(\"plots/01_one/claims.tsv\", \"w\");\n"
    "    if (file) fprintf(file, \"1.1\\tid\\ttext\\t1\\t<\\t2\\tholds\\n\"), fclose(file);\n"
    "    printf(\"the answer is %d\\n\", lesson_answer());\n    return ANSWER != 42;\n}\n";

static const char test_text[] =
    "#include \"assert_close.h\"\nint lesson_answer(void);\n"
    "static void test_answer(void **s) { (void)s; assert_int_equal(lesson_answer(), 42); }\n"
    "int main(void) {\n    const struct CMUnitTest tests[] = {cmocka_unit_test(test_answer)};\n"
    "    return cmocka_run_group_tests(tests, NULL, NULL);\n}\n";

static int house_make(void **state) {
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.300s/attend-make-XXXXXX", parent ? parent : "/tmp");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    char command[2048];
    snprintf(command, sizeof command,
             "house='%s' && mkdir -p \"$house/tests/lessons\" \"$house/lessons\" "
             "\"$house/plots/01_one\" \"$house/common/core\" && cp -r Makefile .ci \"$house\" && "
             "cp -r tests/run_tests.c tests/runner tests/assert_close.h \"$house/tests\" && "
             "cp plots/summary.c \"$house/plots\" && "
             "cp common/core/check.c common/core/check.h \"$house/common/core\"",
             folder);
    if (system(command) != 0) {
        return -1;
    }
    file_put(".ci/setup", "exit 0\n"); /* it has tests of its own, and might install things */
    file_put("common/core/answer.h", "#define ANSWER 42\n");
    file_put("lessons/01_one.c", lesson_text);
    file_put("lessons/02_two.c", "int main(void) { return 0; }\n");
    file_put("tests/lessons/test_01_one.c", test_text);
    return 0;
}

static int house_remove(void **state) {
    (void)state;
    char command[1024];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void test_a_bare_make_builds_and_a_second_does_nothing(void **state) {
    (void)state;
    assert_house("make", 0);
    assert_house("test -x build/lessons/01_one && test -x build/tests/lessons/test_01_one", 0);
    assert_house("make", 0);
    assert_string_equal(output, "");
}

static void test_a_changed_header_rebuilds_what_includes_it(void **state) {
    (void)state;
    assert_house("make check-01", 0);
    assert_says("1 passed, 0 failed\n");
    file_put("common/core/answer.h", "#define ANSWER 43\n");
    assert_house("make check-01", 2);
    assert_says("test_01_one: test_answer\n");
    assert_says("0 passed, 1 failed\n");
    assert_false(says("02_two.c"));
}

static void test_other_flags_rebuild_everything(void **state) {
    (void)state;
    assert_house("make build/lessons/01_one", 0);
    assert_house("make build/lessons/01_one CFLAGS=-O1", 0);
    assert_says("cc lessons/01_one.c");
    assert_says("cc common/core/check.c");
    assert_house("make build/lessons/01_one CFLAGS=-O1", 0);
    assert_false(says("cc "));
}

static void test_a_source_that_goes_leaves_the_library(void **state) {
    (void)state;
    file_put("common/core/gone.c", "int gone(void);\nint gone(void) { return 1; }\n");
    assert_house("make build/libattend.a && ar t build/libattend.a", 0);
    assert_says("gone.o");
    assert_house("rm common/core/gone.c && make build/libattend.a >/dev/null && "
                 "ar t build/libattend.a",
                 0);
    assert_false(says("gone.o"));
}

/* The class gets every lesson, also one that does not build, and the flags for them. */
static void test_class_gets_all_lessons_and_the_flags(void **state) {
    (void)state;
    file_put("plots/class.c", "#include <stdio.h>\nint main(int argc, char **argv) {\n"
                              "    for (int i = 1; i < argc; i++) printf(\"<%s>\", argv[i]);\n"
                              "    return 0;\n}\n");
    file_put("lessons/03_three.c", "this is no C\n");
    assert_house("make class ARGS=\"--data \\\"my file\\\"\"", 0);
    assert_says("<build/lessons/01_one><build/lessons/02_two><build/lessons/03_three>"
                "<--><--data><my file>");
    assert_house("rm lessons/03_three.c plots/class.c", 0);
}

/* A folder that somebody else has named is a folder, and nothing that make or a shell runs. */
static void test_names_of_folders_are_only_names(void **state) {
    (void)state;
    file_put("plots/gallery.c", "#include <stdio.h>\nint main(int argc, char **argv) {\n"
                                "    for (int i = 1; i < argc; i++) printf(\"<%s>\", argv[i]);\n"
                                "    return 0;\n}\n");
    assert_house("make gallery DIR=\"a \\$(shell touch spoilt) \\$(touch spoilt) \\$HOME\"", 0);
    assert_says("<a $(shell touch spoilt) $(touch spoilt) $HOME>");
    assert_house("DIR=\"\\$(shell touch spoilt)/y\" make gallery", 0);
    assert_says("<$(shell touch spoilt)/y>");
    assert_house("make gallery DIR=\"a\nb\"", 2);
    assert_says("a name has more than one line: \"a b\".");
    assert_false(says("yntax error"));
    assert_house("test ! -e spoilt && rm plots/gallery.c", 0);
}

static void test_flags_reach_the_lesson_with_their_spaces(void **state) {
    (void)state;
    assert_house("make run-01 ARGS=\"--data \\\"my file\\\" --seed 2\"", 0);
    assert_says("<--data><my file><--seed><2>the answer is 42\n");
    assert_house("make run-1", 0);
    assert_house("make run-09", 2);
    assert_says("there is no lesson 09; there are: 01_one 02_two");
}

static void test_lessons_behind_a_failing_one_still_run(void **state) {
    (void)state;
    file_put("common/core/answer.h", "#define ANSWER 41\n");
    assert_house("make run", 2);
    assert_says("=== 02_two ===");
    assert_says("lesson                  seconds");
    file_put("common/core/answer.h", "#define ANSWER 42\n");
    assert_house("make run", 0);
    assert_says("2 lessons, 1 of 1 claims held");
}

/* Nobody may take the program of yesterday for today's. */
static void test_what_no_longer_builds_is_not_run(void **state) {
    (void)state;
    assert_house("make", 0);
    file_put("lessons/01_one.c", "int main(void) { return undeclared; }\n");
    assert_house("make run", 2);
    assert_says("01_one: did not build");
    assert_says("=== 02_two ===");
    assert_false(says("the answer is"));
    assert_house("make check", 2);
    assert_says("test_01_one: did not build\n0 passed, 1 failed\n");
}

static void test_a_house_without_lessons_says_so(void **state) {
    (void)state;
    assert_house("rm lessons/*.c && make run", 0);
    assert_says("There are no lessons yet");
}

static void test_clean_takes_only_what_was_built(void **state) {
    (void)state;
    assert_house("mkdir own && touch own/notes && make BUILD=own && make BUILD=own clean", 0);
    assert_house("ls own", 0);
    assert_string_equal(output, "notes\n");
    assert_house("make && make clean && test ! -e build && test -d plots/01_one", 0);
    assert_house("make clean all && test -x build/lessons/02_two", 0);
}

static void test_help_names_every_target(void **state) {
    (void)state;
    assert_house("mkdir tests/bench && touch tests/bench/one.c && make help", 0);
    static const char *const targets[] = {
        "all",  "run",   "run-NN", "check", "check-NN",  "bench",        "format",
        "lint", "setup", "clean",  "help",  "setup-dev", "check-golden", "gallery"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        char line[64];
        snprintf(line, sizeof line, "make %s ", targets[i]);
        assert_says(line);
    }
    assert_house("rm -r tests/bench && make help", 0); /* what is not there is not listed */
    assert_false(says("bench"));
    assert_false(says("grade"));
}

static void test_compare_asks_for_two_runs(void **state) {
    (void)state;
    assert_house("make compare", 2);
    assert_says("which two runs?");
    assert_house("make compare A=plots/01_one", 2);
    assert_says("which two runs?");
}

/* OUT=folder is for the program that is run: nothing is built there. */
static void test_out_does_not_move_what_is_built(void **state) {
    (void)state;
    file_put("plots/compare.c", "#include <stdio.h>\nint main(int argc, char **argv) {\n"
                                "    for (int i = 1; i < argc; i++) printf(\"<%s>\", argv[i]);\n"
                                "    return 0;\n}\n");
    assert_house("make compare A=\"one run\" B=two OUT=\"else where\" ARGS=--no-plots", 0);
    assert_says("<--out><else where><--no-plots><one run><two>");
    assert_house("test -x build/plots/compare && test ! -e else", 0);
}

static void test_without_openmp_it_builds_in_silence(void **state) {
    (void)state;
    file_put("no_openmp", "#!/bin/sh\nfor a; do [ \"$a\" != -fopenmp ] || exit 1; done\n"
                          "exec cc \"$@\"\n");
    file_put("common/core/loop.c", "void loop(int *x);\nvoid loop(int *x) {\n"
                                   "#pragma omp parallel for\n"
                                   "    for (int i = 0; i < 4; i++) x[i] = i;\n}\n");
    assert_house("chmod +x no_openmp && make CC=./no_openmp", 0);
    assert_false(says("warning"));
    assert_house("grep ^OPENMP build/config.mk", 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define HOUSE_TEST(test) cmocka_unit_test_setup_teardown(test, house_make, house_remove)
        HOUSE_TEST(test_a_bare_make_builds_and_a_second_does_nothing),
        HOUSE_TEST(test_a_changed_header_rebuilds_what_includes_it),
        HOUSE_TEST(test_other_flags_rebuild_everything),
        HOUSE_TEST(test_a_source_that_goes_leaves_the_library),
        HOUSE_TEST(test_flags_reach_the_lesson_with_their_spaces),
        HOUSE_TEST(test_names_of_folders_are_only_names),
        HOUSE_TEST(test_class_gets_all_lessons_and_the_flags),
        HOUSE_TEST(test_lessons_behind_a_failing_one_still_run),
        HOUSE_TEST(test_what_no_longer_builds_is_not_run),
        HOUSE_TEST(test_a_house_without_lessons_says_so),
        HOUSE_TEST(test_clean_takes_only_what_was_built),
        HOUSE_TEST(test_help_names_every_target),
        HOUSE_TEST(test_compare_asks_for_two_runs),
        HOUSE_TEST(test_out_does_not_move_what_is_built),
        HOUSE_TEST(test_without_openmp_it_builds_in_silence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
