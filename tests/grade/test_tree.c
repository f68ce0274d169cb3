/* A student's folder is data: only plain sources of plain names are taken from it. */
#include "support/lesson_run.h"
#include "assert_close.h"
#include "grade/folders.h"
#include "grade/tree.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[LESSON_PATH];
static Tree tree;

static char *in_folder(const char *path) {
    return path_join(folder, path);
}

static void put(const char *path, const char *text) {
    Error error;
    char *full = in_folder(path);
    if (!folder_of_file_make(full, &error) || !file_write(full, text, strlen(text), &error)) {
        fail_msg("%s", error.text);
    }
    free(full);
}

/* "student" is a submission, "own" the instructor's project. */
static int make_folders(void **state) {
    (void)state;
    folder_new(folder);
    put("own/common/core/a.c", "int a;\n");
    put("own/common/core/b.c", "int b;\n");
    put("own/common/core/a.h", "extern int a;\n");
    put("own/lessons/01_rnn.c", "int main;\n");
    put("student/common/core/a.c", "int a;\n");
    put("student/common/core/b.c", "int b; /* mine */\n");
    put("student/common/core/a.h", "extern int a;\n");
    put("student/lessons/01_rnn.c", "\n\nexercise_missing(\"4.1\");\n");
    return 0;
}

static int remove_folders(void **state) {
    (void)state;
    folders_remove(folder);
    return 0;
}

static bool take(Error *error) {
    char *student = in_folder("student"), *own = in_folder("own"), *copy = in_folder("copy");
    folders_remove(copy);
    bool fine = tree_take(&tree, student, own, copy, error);
    free(student), free(own), free(copy);
    return fine;
}

static const Source *source(const char *path) {
    for (int i = 0; i < tree.sources; i++) {
        if (strcmp(tree.source[i].path, path) == 0) {
            return &tree.source[i];
        }
    }
    fail_msg("%s was not taken", path);
    return NULL;
}

static bool copied(const char *path) {
    char *full = in_folder(path);
    bool there = access(full, F_OK) == 0;
    free(full);
    return there;
}

static void test_sources_are_compared(void **state) {
    (void)state;
    Error error;
    assert_true(take(&error));
    assert_int_equal(tree.sources, 3);
    assert_int_equal(source("common/core/a.c")->state, SOURCE_SAME);
    assert_int_equal(source("common/core/b.c")->state, SOURCE_CHANGED);
    assert_true(tree.same_headers);
    assert_int_equal(tree.opens, 1);
    assert_int_equal(tree_open_place(&tree, "4.1")->line, 3);
    assert_null(tree_open_place(&tree, "4.2"));
    put("student/common/core/a.h", "extern float a;\n");
    assert_true(take(&error));
    assert_false(tree.same_headers);
    char *header = in_folder("student/common/core/a.h");
    assert_int_equal(unlink(header), 0);
    free(header);
    assert_true(take(&error));
    assert_false(tree.same_headers);
}

static void test_what_is_not_there_is_said(void **state) {
    (void)state;
    Error error;
    char *path = in_folder("student/common/core/a.c");
    assert_int_equal(unlink(path), 0);
    free(path);
    assert_true(take(&error));
    assert_int_equal(source("common/core/a.c")->state, SOURCE_BROKEN);
    assert_string_equal(source("common/core/a.c")->error, "common/core/a.c is missing");
    char *lessons = in_folder("student/lessons");
    folders_remove(lessons);
    free(lessons);
    assert_false(take(&error));
    assert_non_null(strstr(error.text, "student/lessons: this is no submission"));
}

static void test_odd_names_and_kinds_are_left_out(void **state) {
    (void)state;
    Error error;
    static const char *const odd[] = {"a b.c",  "a'b.c", "a\nb.c",   "$(id).c", "a;b.c", "\xff.c",
                                      ".hid.c", "a..c",  "notes.md", "x.o",     "c",     "a.C"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char path[100];
        snprintf(path, sizeof path, "student/common/core/%s", odd[i]);
        put(path, "int odd;\n");
    }
    put("student/common/.git/config.c", "int hidden;\n");
    put("student/Makefile", "all:\n");
    put("student/tests/grade/checks.tsv", "mine\n");
    char *pipe_path = in_folder("student/common/core/pipe.c");
    assert_int_equal(mkfifo(pipe_path, 0644), 0); /* reading it would wait for ever */
    free(pipe_path);
    assert_true(take(&error));
    assert_false(copied("copy/Makefile"));
    assert_false(copied("copy/tests"));
    for (int i = 0; i < tree.sources; i++) {
        const char *path = tree.source[i].path;
        bool known = strcmp(path, "common/core/a.c") == 0 || strcmp(path, "common/core/b.c") == 0 ||
                     strcmp(path, "common/core/.hid.c") == 0 ||
                     strcmp(path, "lessons/01_rnn.c") == 0;
        if (!known) {
            fail_msg("%s was taken", path);
        }
    }
}

/* Links to the solution, to a secret, to a folder above, and to themselves: none is followed. */
static void test_links_are_not_followed(void **state) {
    (void)state;
    Error error;
    static const char *const links[][2] = {{"student/common/core/a.c", "own/common/core/a.c"},
                                           {"student/common/passwd.h", "/etc/passwd"},
                                           {"student/common/nn", "own/common/core"},
                                           {"student/common/up", "."},
                                           {"student/lessons/own.c", "own/lessons/01_rnn.c"}};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        char *at = in_folder(links[i][0]), *to = in_folder(links[i][1]);
        unlink(at);
        assert_int_equal(symlink(links[i][1][0] == '/' ? links[i][1] : to, at), 0);
        free(at), free(to);
    }
    assert_true(take(&error));
    assert_int_equal(source("common/core/a.c")->state, SOURCE_BROKEN);
    assert_false(copied("copy/common/passwd.h"));
    assert_false(copied("copy/common/nn/a.c"));
    assert_false(copied("copy/common/up/own/common/core/a.c"));
    assert_false(copied("copy/lessons/own.c"));
    char *common = in_folder("student/lessons"), *own = in_folder("own/lessons");
    folders_remove(common); /* the link goes, not what it leads to */
    assert_int_equal(symlink(own, common), 0);
    assert_false(take(&error));
    free(common), free(own);
    assert_true(copied("own/lessons/01_rnn.c"));
}

static void test_sizes_are_bounded(void **state) {
    (void)state;
    Error error;
    char *large = malloc(TREE_FILE + 100);
    memset(large, ' ', TREE_FILE + 99);
    large[TREE_FILE + 99] = '\0';
    put("student/common/core/b.c", large);
    assert_true(take(&error));
    assert_int_equal(source("common/core/b.c")->state, SOURCE_BROKEN); /* as if it were missing */
    large[TREE_FILE - 1] = '\0';
    for (int i = 0; i <= TREE_ALL / TREE_FILE; i++) {
        char path[100];
        snprintf(path, sizeof path, "student/common/core/large_%d.c", i);
        put(path, large);
    }
    assert_false(take(&error));
    assert_non_null(strstr(error.text, "more than 16 MB"));
    free(large);
}

static void test_depth_is_bounded(void **state) {
    (void)state;
    Error error;
    put("student/common/1/2/3/4/5/6/7/8/9/10/deep.c", "int deep;\n");
    assert_false(take(&error));
    assert_non_null(strstr(error.text, "nested deeper"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sources_are_compared, make_folders, remove_folders),
        cmocka_unit_test_setup_teardown(test_what_is_not_there_is_said, make_folders,
                                        remove_folders),
        cmocka_unit_test_setup_teardown(test_odd_names_and_kinds_are_left_out, make_folders,
                                        remove_folders),
        cmocka_unit_test_setup_teardown(test_links_are_not_followed, make_folders, remove_folders),
        cmocka_unit_test_setup_teardown(test_sizes_are_bounded, make_folders, remove_folders),
        cmocka_unit_test_setup_teardown(test_depth_is_bounded, make_folders, remove_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
