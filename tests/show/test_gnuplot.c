#include "assert_close.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "show/gnuplot.h"
#include "support/lesson_run.h"
#include "support/picture.h"

/* Each test has a folder for plots and one that stands alone on PATH, with a gnuplot of its own. */
static char folder[LESSON_PATH], programs[LESSON_PATH];
static char *path_before;

static int folders_setup(void **state) {
    (void)state;
    folder_new(folder);
    folder_new(programs);
    path_before = strdup(getenv("PATH"));
    return setenv("PATH", programs, 1);
}

static int folders_teardown(void **state) {
    (void)state;
    setenv("PATH", path_before, 1);
    free(path_before);
    folder_remove(folder);
    folder_remove(programs);
    return 0;
}

/* A shell script in place of gnuplot. */
static void gnuplot_be(const char *script) {
    char text[2048];
    Error error;
    const char *path = path_in(programs, "gnuplot");
    snprintf(text, sizeof text, "#!/bin/sh\nPATH=/bin:/usr/bin\n%s\n", script);
    assert_true(file_write(path, text, strlen(text), &error));
    assert_int_equal(chmod(path, 0755), 0);
}

/* The smallest whole PNG, as printf takes it. */
#define PNG_BYTES                                                                                  \
    "\\211PNG\\r\\n\\032\\n\\0\\0\\0\\015IHDR\\0\\0\\0\\001\\0\\0\\0\\001\\010\\0\\0\\0\\0:~"      \
    "\\233U"                                                                                       \
    "\\0\\0\\0\\012IDATx\\332c`\\0\\0\\0\\002\\0\\001\\345\\047\\336\\374"
#define PNG_END "\\0\\0\\0\\0IEND\\256B`\\202"

static void assert_one_line(const Error *error, const char *what) {
    if (!strstr(error->text, what)) {
        fail_msg("\"%s\" does not say \"%s\"", error->text, what);
    }
    assert_null(strchr(error->text, '\n'));
}

static void assert_fails(const char *script, int seconds, const char *what) {
    Error error = {""};
    gnuplot_be(script);
    assert_int_equal(gnuplot_run(folder, "a.gp", "a.png", seconds, NULL, &error), GNUPLOT_FAILED);
    assert_one_line(&error, what);
    assert_int_equal(folder_count(folder), 0);
}

/* faults.md 26: gnuplot missing from PATH. */
static void test_no_gnuplot(void **state) {
    (void)state;
    Error error = {""};
    assert_int_equal(gnuplot_run(folder, "a.gp", "a.png", 5, NULL, &error), GNUPLOT_MISSING);
    assert_one_line(&error, "not installed");
    setenv("PATH", "", 1);
    assert_int_equal(gnuplot_run(folder, "a.gp", "a.png", 5, NULL, &error), GNUPLOT_MISSING);
    unsetenv("PATH");
    assert_int_equal(gnuplot_run(folder, "a.gp", "a.png", 5, NULL, &error), GNUPLOT_MISSING);
}

static void test_what_is_no_program_is_not_run(void **state) {
    (void)state;
    Error error = {""};
    assert_int_equal(mkdir(path_in(programs, "gnuplot"), 0755), 0);
    assert_int_equal(gnuplot_run(folder, "a.gp", "a.png", 5, NULL, &error), GNUPLOT_MISSING);
    assert_int_equal(rmdir(path_in(programs, "gnuplot")), 0);
    assert_true(file_write(path_in(programs, "gnuplot"), "x", 1, &error));
    assert_int_equal(gnuplot_run(folder, "a.gp", "a.png", 5, NULL, &error), GNUPLOT_MISSING);
}

static void test_draws_inside_the_folder(void **state) {
    (void)state;
    Error error = {""};
    gnuplot_be("pwd -P > told; echo \"$0 $*\" >> told; cat >> told\n"
               "eval \"$3\"; printf '" PNG_BYTES PNG_END "' > \"$picture\"");
    if (gnuplot_run(folder, "a.gp", "a.png", 20, NULL, &error) != GNUPLOT_DRAWN) {
        fail_msg("%s", error.text);
    }
    Picture picture = picture_read(path_in(folder, "a.png"));
    assert_int_equal(picture.width, 1);
    picture_free(&picture);
    assert_int_equal(folder_count(folder), 2); /* the picture and what was told */
    char *told = text_read(path_in(folder, "told"), NULL), *real = realpath(folder, NULL);
    assert_int_equal(strncmp(told, real, strlen(real)), 0);
    assert_non_null(strstr(told, "a.gp"));
    assert_non_null(strstr(told, "-d")); /* nobody's own settings */
    free(real);
    free(told);
}

/* A relative entry of PATH means the folder the program was started in, not the one it plots in. */
static void test_relative_path_entry(void **state) {
    (void)state;
    Error error = {""};
    char before[LESSON_PATH];
    gnuplot_be("eval \"$3\"; printf '" PNG_BYTES PNG_END "' > \"$picture\"");
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(programs), 0);
    setenv("PATH", "nowhere:.", 1);
    GnuplotResult result = gnuplot_run(folder, "a.gp", "a.png", 20, NULL, &error);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(result, GNUPLOT_DRAWN);
}

static void test_its_own_message_is_passed_on(void **state) {
    (void)state;
    assert_fails("echo; echo 'gnuplot> plot x'; echo '         ^'\n"
                 "echo '\"a.gp\" line 3: undefined variable: x' >&2; echo more; exit 1",
                 20, "could not draw a.gp: \"a.gp\" line 3: undefined variable: x");
    assert_fails("echo 'broken library' >&2; exit 3", 20, "could not draw a.gp: broken library");
    assert_fails("echo '\"a.gp\" line 2: warning: odd'; echo '\"a.gp\" line 9: wrong'; exit 1", 20,
                 "a.gp\" line 9: wrong"); /* a warning is not the reason */
    assert_fails("exit 1", 20, "no reason given");
}

static void test_endless_chatter_does_not_matter(void **state) {
    (void)state;
    assert_fails("i=0; while [ $i -lt 3000 ]; do echo 'a line of noise that fills a pipe'; "
                 "i=$((i+1)); done; exit 1",
                 60, "a line of noise");
}

/* faults.md 26: a full disk can leave half a picture without an error. */
static void test_half_a_picture_is_none(void **state) {
    (void)state;
    assert_fails("eval \"$3\"; printf '" PNG_BYTES "' > \"$picture\"", 20, "no whole picture");
    assert_fails("exit 0", 20, "no whole picture");
    assert_fails("eval \"$3\"; echo text > \"$picture\"", 20, "no whole picture");
}

static double clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The process whose number a script has left in the file "pid" is dead, or will be in a moment. */
static void assert_gone(void) {
    char *pid = text_read(path_in(programs, "pid"), NULL);
    int tries = 0;
    while (kill(atoi(pid), 0) == 0 && tries++ < 200) { /* until init has noticed */
        char stat_path[64];
        snprintf(stat_path, sizeof stat_path, "/proc/%d/stat", atoi(pid));
        FILE *stat_file = fopen(stat_path, "r");
        char kind = 'X';
        if (stat_file) {
            if (fscanf(stat_file, "%*d %*s %c", &kind) != 1) {
                kind = 'X';
            }
            fclose(stat_file);
        }
        if (kind == 'Z' || kind == 'X') {
            break; /* dead, only not collected */
        }
        usleep(10000);
    }
    assert_true(tries < 200);
    free(pid);
}

/* One that never ends is ended, with what it has started, whether it talks or not. */
static void test_time_limit(void **state) {
    (void)state;
    static const char *const scripts[] = {"sleep 100 & echo $! > \"$OLDPWD/pid\"; wait",
                                          "while :; do echo noise; done",
                                          "exec >/dev/null 2>&1; exec sleep 100"};
    char text[2 * LESSON_PATH];
    for (size_t i = 0; i < 3; i++) {
        double start = clock_now();
        snprintf(text, sizeof text, "OLDPWD='%s'; %s", programs, scripts[i]);
        assert_fails(text, 1, "took more than 1 seconds");
        assert_true(clock_now() - start < 20);
    }
    assert_gone();
}

/* Pressed as soon as gnuplot is at work, which it shows by a file "pid". */
static bool pressed(void) {
    char *pid = NULL;
    size_t size = 0;
    bool at_work = file_read(path_in(programs, "pid"), 100, &pid, &size, NULL);
    free(pid);
    return at_work;
}

/* Ctrl-C: it and what it has started are ended at once, long before its time is over. */
static void test_stopped(void **state) {
    (void)state;
    static const char *const scripts[] = {
        "sleep 100 & echo $! > \"$OLDPWD/pid\"; wait",
        "echo $$ > \"$OLDPWD/pid\"; while :; do echo noise; done",
        "trap '' INT TERM; echo $$ > \"$OLDPWD/pid\"; exec >/dev/null 2>&1; sleep 100"};
    char text[2 * LESSON_PATH];
    for (size_t i = 0; i < 3; i++) {
        Error error = {""};
        double start = clock_now();
        snprintf(text, sizeof text, "OLDPWD='%s'; %s", programs, scripts[i]);
        gnuplot_be(text);
        assert_int_equal(gnuplot_run(folder, "a.gp", "a.png", 60, pressed, &error), GNUPLOT_FAILED);
        assert_true(clock_now() - start < 20);
        assert_one_line(&error, "gnuplot was stopped before it had drawn a.gp");
        assert_gone();
        assert_int_equal(folder_count(folder), 0);
        assert_int_equal(unlink(path_in(programs, "pid")), 0);
    }
}

static void test_a_signal_is_named(void **state) {
    (void)state;
    assert_fails("kill -SEGV $$", 20, "signal 11");
}

static void test_unusable_program(void **state) {
    (void)state;
    Error error = {""};
    assert_true(file_write(path_in(programs, "gnuplot"), "#!/no/such/shell\n", 17, &error));
    assert_int_equal(chmod(path_in(programs, "gnuplot"), 0755), 0);
    assert_int_equal(gnuplot_run(folder, "a.gp", "a.png", 20, NULL, &error), GNUPLOT_FAILED);
    assert_one_line(&error, "cannot be run");
    assert_int_equal(folder_count(folder), 0);
}

static void test_missing_folder(void **state) {
    (void)state;
    Error error = {""};
    gnuplot_be("exit 0");
    assert_int_equal(gnuplot_run(path_in(folder, "no"), "a.gp", "a.png", 20, NULL, &error),
                     GNUPLOT_FAILED);
    assert_one_line(&error, "no/a.png");
}

#define IN_FOLDERS(test) cmocka_unit_test_setup_teardown(test, folders_setup, folders_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDERS(test_no_gnuplot),
        IN_FOLDERS(test_what_is_no_program_is_not_run),
        IN_FOLDERS(test_draws_inside_the_folder),
        IN_FOLDERS(test_relative_path_entry),
        IN_FOLDERS(test_its_own_message_is_passed_on),
        IN_FOLDERS(test_endless_chatter_does_not_matter),
        IN_FOLDERS(test_half_a_picture_is_none),
        IN_FOLDERS(test_time_limit),
        IN_FOLDERS(test_stopped),
        IN_FOLDERS(test_a_signal_is_named),
        IN_FOLDERS(test_unusable_program),
        IN_FOLDERS(test_missing_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
