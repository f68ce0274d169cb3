/* The parts of .ci/lint that are our own, on a small house that we build and spoil. */
#include "assert_close.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/shell.h"

static char folder[512];
static char output[8192];

static int shell(const char *format) {
    char command[2048];
    snprintf(command, sizeof command, format, folder);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void file_put(const char *name, const char *text) {
    char path[1024];
    snprintf(path, sizeof path, "%.500s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Runs one part of lint there, keeps what it prints, gives its exit status. */
static int lint(const char *part) {
    char command[1024];
    snprintf(command, sizeof command, "sh '%s/.ci/lint' %s", folder, part);
    return shell_run(command, output, sizeof output);
}

static int house_make(void **state) {
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.300s/attend-lint-XXXXXX", parent ? parent : "/tmp");
    if (mkdtemp(folder) == NULL ||
        shell("cd '%s' && mkdir -p .ci common/core/ops common/nn common/data common/io "
              "common/show common/lesson lessons") != 0 ||
        shell("cp .ci/lint '%s/.ci/'") != 0) {
        return -1;
    }
    file_put("common/core/ops/matmul.c", "#include \"core/ops.h\"\n#include <stdio.h>\n");
    file_put("common/nn/rnn.c", "#include \"core/ops.h\"\n");
    file_put("common/data/pairs.c", "#include \"core/rng.h\"\n#include \"io/file.h\"\n");
    file_put("common/show/plot.c", "#include \"io/file.h\"\n");
    file_put("common/lesson/run.c", "#include \"show/plot.h\"\n#include \"nn/rnn.h\"\n");
    file_put("lessons/01_memory.c", "#include \"lesson/run.h\"\n#include \"core/ops.h\"\n");
    return 0;
}

static int house_remove(void **state) {
    (void)state;
    return shell("rm -rf '%s'");
}

static void test_a_tidy_house_passes(void **state) {
    (void)state;
    assert_int_equal(lint("rooms"), 0);
    assert_string_equal(output, "");
    assert_int_equal(lint("paths"), 0);
    assert_string_equal(output, "");
}

/* The file gets the include behind a good line; lint must name the file, the line and the room. */
static void assert_forbidden(const char *file, const char *room, const char *include) {
    char text[256], line[512];
    snprintf(text, sizeof text, "\n#  include \"%s\"\n", include);
    snprintf(line, sizeof line, "%s:2: %s may not include \"%s\"\n", file, room, include);
    file_put(file, text);
    assert_int_not_equal(lint("rooms"), 0);
    if (strstr(output, line) == NULL) {
        fail_msg("lint does not say \"%s\" but:\n%s", line, output);
    }
}

static void test_a_room_that_looks_up_is_named(void **state) {
    (void)state;
    assert_forbidden("common/core/ops/matmul.c", "core", "nn/rnn.h");
    assert_forbidden("common/core/tape.c", "core", "io/file.h");
    assert_forbidden("common/nn/rnn.c", "nn", "data/batch.h");
    assert_forbidden("common/io/file.c", "io", "core/check.h");
    assert_forbidden("common/show/plot.c", "show", "core/tensor.h");
    assert_forbidden("common/data/pairs.c", "data", "core/tensor.h");
    assert_forbidden("common/data/pairs.h", "data", "show/plot.h");
}

static void test_includes_are_written_from_the_root_of_common(void **state) {
    (void)state;
    assert_forbidden("common/show/font.c", "show", "font.h");
    assert_forbidden("common/nn/lstm.c", "nn", "../core/ops.h");
}

static void test_a_path_of_a_machine_is_named(void **state) {
    (void)state;
    /* Put together here, or lint would find it in this very file. */
    char text[64];
    snprintf(text, sizeof text, "see /%s/somebody/notes.txt\n", "home");
    file_put("lessons/notes.md", text);
    assert_int_not_equal(lint("paths"), 0);
    assert_non_null(strstr(output, "lessons/notes.md:1:"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define HOUSE_TEST(test) cmocka_unit_test_setup_teardown(test, house_make, house_remove)
        HOUSE_TEST(test_a_tidy_house_passes),
        HOUSE_TEST(test_a_room_that_looks_up_is_named),
        HOUSE_TEST(test_includes_are_written_from_the_root_of_common),
        HOUSE_TEST(test_a_path_of_a_machine_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
