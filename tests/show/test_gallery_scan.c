#include "show/gallery_scan.h"

#include "gallery_folder.h"

static GalleryRuns scan(void) {
    GalleryRuns runs;
    Error error = {""};
    if (!gallery_scan(scratch_folder(), &runs, &error)) {
        fail_msg("%s", error.text);
    }
    return runs;
}

static void test_runs_are_folders_with_a_record(void **state) {
    (void)state;
    scratch_text("02_b/run.tsv", "lesson\t02_b\n");
    scratch_text("02_b/x.png", "x");
    scratch_text("02_b/claims.tsv", "x");
    scratch_text("01_a/run.tsv", "lesson\t01_a\n");
    scratch_text("mine/seed_10/run.tsv", "x");
    scratch_text("mine/seed_2/run.tsv", "x");
    scratch_text("mine/deep/er/run.tsv", "x"); /* three levels: too deep */
    scratch_text("gallery/alignment.png", "x");
    scratch_text("both/run.tsv", "x");
    scratch_text("both/inner/run.tsv", "x");
    scratch_text(".hidden/run.tsv", "x");
    scratch_text("run.tsv", "x");
    GalleryRuns runs = scan();
    static const char *const expected[] = {"01_a",       "02_b",        "both",
                                           "both/inner", "mine/seed_2", "mine/seed_10"};
    assert_int_equal(runs.count, 6);
    for (int i = 0; i < 6; i++) {
        assert_string_equal(runs.runs[i].path, expected[i]);
    }
    assert_int_equal(runs.runs[1].files.count, 3);
    assert_string_equal(runs.runs[1].files.name[0], "claims.tsv");
    assert_true(names_has(&runs.runs[1].files, "x.png"));
    assert_false(names_has(&runs.runs[1].files, "y.png"));
    assert_int_equal(runs.runs[2].files.count, 1); /* folders are no files */
    gallery_runs_free(&runs);
}

static void test_odd_things_in_the_way(void **state) {
    (void)state;
    scratch_text("ok/run.tsv", "x");
    assert_int_equal(mkdir(place("a/run.tsv"), 0777), 0); /* a folder of that name is no record */
    place("pipe/x");
    assert_int_equal(mkfifo(place("pipe/run.tsv"), 0666), 0);
    place("gone/x");
    assert_int_equal(symlink("/nowhere/at/all", place("gone/run.tsv")), 0);
    assert_int_equal(symlink("..", place("ok/loop")), 0);
    assert_int_equal(symlink(".", place("self")), 0);
    GalleryRuns runs = scan();
    bool found = false;
    for (int i = 0; i < runs.count; i++) {
        const char *path = runs.runs[i].path;
        assert_true(strstr(path, "pipe") == NULL && strstr(path, "gone") == NULL);
        found = found || strcmp(path, "ok") == 0;
    }
    assert_true(found);
    gallery_runs_free(&runs);
}

static void test_too_many_runs_and_files_are_counted(void **state) {
    (void)state;
    char name[64];
    for (int i = 0; i < GALLERY_MOST_RUNS + 7; i++) {
        snprintf(name, sizeof name, "run_%d/run.tsv", i);
        scratch_text(name, "x");
    }
    for (int i = 0; i < GALLERY_MOST_FILES + 4; i++) {
        snprintf(name, sizeof name, "run_0/%d", i);
        scratch_text(name, "x");
    }
    GalleryRuns runs = scan();
    assert_int_equal(runs.count, GALLERY_MOST_RUNS);
    assert_int_equal(runs.left_out, 7);
    assert_int_equal(runs.runs[0].files.count, GALLERY_MOST_FILES);
    assert_int_equal(runs.runs[0].files.left_out, 5);
    assert_string_equal(runs.runs[10].path, "run_10");
    gallery_runs_free(&runs);
}

static void test_a_folder_that_is_not_there(void **state) {
    (void)state;
    GalleryRuns runs;
    Error error;
    assert_false(gallery_scan(scratch_path("no"), &runs, &error));
    assert_has(error.text, "/no: there is no such folder");
    scratch_text("file", "x");
    assert_false(gallery_scan(scratch_path("file"), &runs, &error));
    GalleryRuns none = scan();
    assert_int_equal(none.count, 0);
    gallery_runs_free(&none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(test_runs_are_folders_with_a_record),
        SCRATCH_TEST(test_odd_things_in_the_way),
        SCRATCH_TEST(test_too_many_runs_and_files_are_counted),
        SCRATCH_TEST(test_a_folder_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
