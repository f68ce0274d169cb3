/* What is in a folder, in order, and the end of one. */
#include "assert_close.h"

#include <sys/stat.h>
#include <unistd.h>

#include "io/folder.h"
#include "support/lesson_run.h"
#include "support/picture.h"
#include "support/scratch.h"

static void test_numbers_in_names_count(void **state) {
    (void)state;
    assert_true(name_order("seed_2", "seed_10") < 0);
    assert_true(name_order("seed_10", "seed_2") > 0);
    assert_true(name_order("02_a", "2_a") != 0);
    assert_int_equal(name_order("a1b2", "a1b2"), 0);
    assert_true(name_order("a007", "a8") < 0);
    assert_true(name_order("a7", "a008") < 0);
    assert_true(name_order("a", "a1") < 0);
    assert_true(name_order("a", "b") < 0);
    assert_true(name_order("99999999999999999999", "100000000000000000000") < 0);
    assert_true(name_order("\xC3\xA9", "z") > 0);
}

static void expect_names(const Names *names, const char *all) {
    char joined[256] = "";
    for (int i = 0; i < names->count; i++) {
        size_t used = strlen(joined);
        snprintf(joined + used, sizeof joined - used, "%s%s", i > 0 ? " " : "", names->name[i]);
    }
    assert_string_equal(joined, all);
}

/* Links count as what they lead to, a pipe as nothing; hidden names are passed over. */
static void test_files_and_folders_apart(void **state) {
    (void)state;
    Names names;
    scratch_text("f10", "x");
    scratch_text("f9", "");
    scratch_text(".hidden", "x");
    scratch_text("sub/inner", "x");
    scratch_text(".dots/inner", "x");
    assert_int_equal(mkfifo(scratch_path("pipe"), 0666), 0);
    assert_int_equal(symlink("f9", scratch_path("to_file")), 0);
    assert_int_equal(symlink("sub", scratch_path("to_folder")), 0);
    assert_int_equal(symlink("gone", scratch_path("to_nothing")), 0);
    assert_true(names_read(scratch_folder(), ENTRY_FILE, 9, &names, NULL));
    expect_names(&names, "f9 f10 to_file");
    assert_int_equal(names.left_out, 0);
    assert_true(names_has(&names, "f10"));
    assert_false(names_has(&names, "f1"));
    names_free(&names);
    assert_null(names.name);
    assert_true(names_read(scratch_folder(), ENTRY_FOLDER, 9, &names, NULL));
    expect_names(&names, "sub to_folder");
    names_free(&names);
    assert_true(path_is(scratch_path("f9"), ENTRY_FILE));
    assert_false(path_is(scratch_path("f9"), ENTRY_FOLDER));
    assert_false(path_is(scratch_path("sub"), ENTRY_FILE));
    assert_false(path_is(scratch_path("pipe"), ENTRY_FILE));
    assert_false(path_is(scratch_path("to_nothing"), ENTRY_FILE));
}

/* More than there is room for in the first piece of memory; the first in order are kept. */
static void test_what_is_too_much_is_counted(void **state) {
    (void)state;
    Names names;
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", 99 - i);
        scratch_text(name, "x");
    }
    assert_true(names_read(scratch_folder(), ENTRY_FILE, 3, &names, NULL));
    expect_names(&names, "0 1 2");
    assert_int_equal(names.left_out, 97);
    names_free(&names);
    assert_true(names_read(scratch_folder(), ENTRY_FILE, 100, &names, NULL));
    assert_int_equal(names.count, 100);
    assert_string_equal(names.name[99], "99");
    names_free(&names);
}

static void expect_refusal(const char *path, const char *says) {
    Names names;
    Error error = {""};
    assert_false(names_read(path, ENTRY_FILE, 9, &names, &error));
    if (strstr(error.text, path) == NULL || strstr(error.text, says) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", error.text, says);
    }
    assert_int_equal(names.count, 0);
    assert_null(names.name);
}

static void test_what_is_no_folder(void **state) {
    (void)state;
    Names names;
    expect_refusal(scratch_path("gone"), "there is no such folder");
    expect_refusal(scratch_text("file", "x"), "this is a file, and a folder is needed");
    assert_int_equal(mkdir(scratch_path("empty"), 0777), 0);
    assert_true(names_read(scratch_path("empty"), ENTRY_FILE, 9, &names, NULL));
    assert_int_equal(names.count, 0);
    names_free(&names);
}

/* All of it goes, but nothing that a link leads to. */
static void test_a_folder_is_discarded(void **state) {
    (void)state;
    scratch_text("kept/file", "x");
    scratch_text("gone/a/b/file", "x");
    scratch_text("gone/.hidden", "x");
    assert_int_equal(symlink("../kept", scratch_path("gone/link")), 0);
    folder_discard(scratch_path("gone"));
    assert_int_equal(folder_count(scratch_folder()), 1);
    assert_true(path_is(scratch_path("kept/file"), ENTRY_FILE));
    folder_discard(scratch_path("never/was"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_in_names_count),  SCRATCH_TEST(test_files_and_folders_apart),
        SCRATCH_TEST(test_what_is_too_much_is_counted), SCRATCH_TEST(test_what_is_no_folder),
        SCRATCH_TEST(test_a_folder_is_discarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
