/* The program: `gallery [DIR]`. What it writes is tested in tests/show and, in a browser, in
 * test_gallery_browser.c. */
#include "../show/gallery_folder.h"

#include <sys/wait.h>

#include "support/shell.h"

static char program[4096];
static char output[1 << 14];

/* Runs it in the folder, keeps what it prints, gives its exit status. */
static int gallery(const char *arguments) {
    char command[8192];
    snprintf(command, sizeof command, "cd '%s' && '%s' %s", scratch_folder(), program, arguments);
    return shell_run(command, output, sizeof output);
}

static void test_it_takes_plots_unless_told_otherwise(void **state) {
    (void)state;
    scratch_text("plots/02_b/run.tsv", "lesson\t02_b\n");
    scratch_text("plots/02_b/claims.tsv", "step\n");
    heatmap_put("plots/02_b/map.png", "x");
    assert_int_equal(gallery(""), 0);
    assert_string_equal(output, "plots/index.html: 1 run, 1 picture\nOpen it in a browser.\n");
    assert_int_equal(gallery("plots/"), 0);
    assert_has(output, "plots/index.html: 1 run");
    scratch_text("other/run.tsv", "x");
    assert_int_equal(gallery("other"), 0);
    assert_has(output, "other/index.html: 0 runs, 0 pictures\nThere is no run yet");
}

/* The parts of plots/gallery/ are in it, whole and in order. */
static void test_style_words_and_scripts_are_in_the_page(void **state) {
    (void)state;
    static const char *const parts[] = {"style.css", "words.html", "page.js", "explorer.js",
                                        "selftest.js"};
    size_t size, part_size;
    place("plots/x");
    assert_int_equal(gallery(""), 0);
    char *page = text_read(place("plots/index.html"), &size), *at = page;
    for (int i = 0; i < 5; i++) {
        char path[64];
        snprintf(path, sizeof path, "plots/gallery/%s", parts[i]);
        char *part = text_read(path, &part_size);
        at = strstr(at, part);
        assert_non_null(at);
        assert_null(strstr(part, "</script"));
        assert_null(strstr(part, "://"));
        free(part);
    }
    free(page);
}

static void test_broken_files_are_counted(void **state) {
    (void)state;
    scratch_text("plots/a/run.tsv", "x");
    scratch_text("plots/a/half.png", "\x89PNG");
    assert_int_equal(gallery(""), 0);
    assert_has(output, "; 2 files could not be shown, the page says why\n");
}

/* One line on stderr and 2; an older page stays as it was. */
static void test_wrong_use_and_folders_that_are_not_there(void **state) {
    (void)state;
    static const char *const wrong[] = {"--help", "a b", "''", "nowhere"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(gallery(wrong[i]), 2);
        assert_memory_equal(output, "gallery: ", 9);
        assert_ptr_equal(strchr(output, '\n'), output + strlen(output) - 1);
    }
    assert_int_equal(mkdir(place("plots/index.html"), 0777), 0);
    assert_int_equal(gallery(""), 2);
    assert_has(output, "plots/index.html: cannot be written");
}

static void test_a_full_disk_keeps_the_older_page(void **state) {
    (void)state;
    scratch_text("plots/index.html", "older");
    char command[8192];
    snprintf(command, sizeof command, "cd '%s' && (trap '' XFSZ; ulimit -f 4; '%s') >/dev/null",
             scratch_folder(), program);
    int status = system(command);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    size_t size;
    char *page = text_read(place("plots/index.html"), &size);
    assert_string_equal(page, "older");
    free(page);
    assert_int_equal(folder_count(scratch_path("plots")), 1);
}

int main(void) {
    if (realpath(BUILD_FOLDER "/plots/gallery", program) == NULL) {
        perror(BUILD_FOLDER "/plots/gallery");
        return 1;
    }
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(test_it_takes_plots_unless_told_otherwise),
        SCRATCH_TEST(test_style_words_and_scripts_are_in_the_page),
        SCRATCH_TEST(test_broken_files_are_counted),
        SCRATCH_TEST(test_wrong_use_and_folders_that_are_not_there),
        SCRATCH_TEST(test_a_full_disk_keeps_the_older_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
