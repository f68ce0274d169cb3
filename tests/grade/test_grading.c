/* Whole gradings: the student edition has nothing right and says so, the solution everything, a
 * class is graded once, and one spoilt file spoils only its own. */
#include "support/lesson_run.h"
#include "assert_close.h"
#include "grade/edition.h"
#include "grade/folders.h"
#include "grade/submission.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static ExerciseTable table;
static char folder[LESSON_PATH];

static void must(bool fine, const Error *error) {
    if (!fine) {
        fail_msg("%s", error->text);
    }
}

static int read_table(void **state) {
    (void)state;
    Error error;
    folder_new(folder);
    return exercise_table_read(&table, "tests/grade", &error) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    folders_remove(folder);
    exercise_table_free(&table);
    return 0;
}

static char *report(const char *name) {
    char *path = path_join(folder, name), *text;
    size_t size;
    Error error;
    must(file_read(path, 1 << 20, &text, &size, &error), &error);
    free(path);
    return text;
}

static int count(const char *text, const char *word) {
    int n = 0;
    for (; (text = strstr(text, word)) != NULL; text++) {
        n++;
    }
    return n;
}

static int shell(const char *format, const char *a, const char *b) {
    char command[8 * LESSON_PATH];
    snprintf(command, sizeof command, format, a, b);
    int status = system(command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* The class of below once more, with copies of the workers: what was graded is kept as long as they
 * are the same, and not when a solution or a call has changed. (A folder of workers alone cannot
 * grade, and says so quickly.) */
static void a_changed_worker_grades_anew(void) {
    static const char again[] = BUILD_FOLDER
        "/tests/grade/grade_all '%s/copy' '%s/class' \"$OUT/out\" 1 >\"$OUT/again\" 2>&1";
    setenv("OUT", folder, true);
    assert_int_equal(
        shell("mkdir '%s/copy' && cp -r " BUILD_FOLDER "/graded/workers '%s/copy'", folder, folder),
        0);
    for (int changed = 0; changed < 2; changed++) {
        if (changed) {
            assert_int_equal(shell("echo x >>'%s/copy/workers/library'%s", folder, ""), 0);
        }
        assert_int_equal(shell(again, folder, folder), 2);
        char *screen = report("again");
        assert_int_equal(count(screen, "(kept)"), changed ? 0 : 1);
        free(screen);
    }
}

/* A class of two: a student edition in which nothing has been done, and a folder without sources.
 */
static void test_a_class_is_graded_once(void **state) {
    (void)state;
    Error error;
    int places = 0;
    char student[2 * LESSON_PATH];
    static const char grade_all[] = BUILD_FOLDER "/tests/grade/grade_all " BUILD_FOLDER
                                                 "/graded %s/class %s/out 2 >" /* a folder each */;
    char command[4 * LESSON_PATH];
    snprintf(student, sizeof student, "%s/class/Ada L", folder);
    must(edition_write(&table, ".", student, &places, &error), &error);
    assert_int_equal(
        shell("mkdir '%s/class/Nobody' && echo x >'%s/class/notes.txt'", folder, folder), 0);
    snprintf(command, sizeof command, "%s%s/first 2>&1", grade_all, folder);
    assert_int_equal(shell(command, folder, folder), 2); /* somebody could not be graded */
    char *tsv = report("out/Ada L/grade.tsv"), *json = report("out/Ada L/grade.json");
    char *xml = report("out/Ada L/grade.xml"), *class = report("out/class.tsv");
    char *screen = report("first");
    assert_int_equal(count(tsv, "\tnot_written\t0\t"), table.exercises);
    assert_int_equal(count(json, "\"verdict\": \"not_written\", \"points\": 0"), table.exercises);
    assert_int_equal(count(xml, "<failure type=\"not_written\""), table.exercises);
    assert_int_equal(count(class, "\n"), 3);
    assert_int_equal(count(class, "\tnot_written"), table.exercises);
    assert_int_equal(count(class, "\tnot_graded"), table.exercises);
    assert_non_null(strstr(screen, "Nobody: "));
    assert_non_null(strstr(screen, "\nAda L                      0 of 29, missing 1.1 1.2 "));
    assert_null(strstr(screen, "(kept)"));
    free(tsv), free(json), free(xml), free(class), free(screen);

    snprintf(command, sizeof command, "%s%s/second 2>&1", grade_all, folder);
    assert_int_equal(shell(command, folder, folder), 2);
    screen = report("second");
    assert_int_equal(count(screen, "(kept)"), 1);
    free(screen);
    a_changed_worker_grades_anew();
}

/* One of them cannot take the name of the class's report, nor bring a report along. */
static void test_a_class_has_its_own_names(void **state) {
    (void)state;
    static const char grade_all[] =
        BUILD_FOLDER "/tests/grade/grade_all " BUILD_FOLDER "/graded %s/names %s/names_out 2 >";
    char command[4 * LESSON_PATH];
    assert_int_equal(shell("mkdir -p '%s/names/class.tsv' '%s/names/A'", folder, folder), 0);
    assert_int_equal(shell("ln -s A '%s/names/B%s'", folder, ""), 0);
    assert_int_equal(shell("mkdir '%s/names/%s'", folder, "Zo\xC3\xAB"), 0);
    snprintf(command, sizeof command, "%s%s/said 2>&1", grade_all, folder);
    assert_int_equal(shell(command, folder, folder), 2);
    char *screen = report("said"), *class = report("names_out/class.tsv");
    assert_int_equal(count(class, "\n"), 3);
    assert_non_null(strstr(screen, "/A/common: this is no submission"));
    assert_non_null(strstr(screen, "\nA                         not graded\n")); /* in a column */
    assert_non_null(strstr(screen, "\nZo\xC3\xAB                       not graded\n"));
    assert_non_null(strstr(screen, "class.tsv is left out"));
    assert_non_null(strstr(screen, "B is left out: it is a link"));
    free(screen), free(class);
    snprintf(command, sizeof command,
             BUILD_FOLDER "/tests/grade/grade_all " BUILD_FOLDER "/graded %%s/names %%s/names/out "
                          "2>%s/said",
             folder);
    assert_int_equal(shell(command, folder, folder), 2);
    screen = report("said");
    assert_non_null(strstr(screen, "lies in the folder of the submissions"));
    free(screen);
}

/* What grade_all noted about a folder's reports is no longer true when others are written there. */
static void test_a_note_goes_with_its_reports(void **state) {
    (void)state;
    Error error;
    int missed;
    char *note = path_join(folder, "submission.txt");
    must(file_write(note, "x\n", 2, &error), &error);
    must(submission_grade(&table, BUILD_FOLDER "/graded", ".", folder, 1, "7.5", NULL, &missed,
                          &error),
         &error);
    assert_int_not_equal(access(note, F_OK), 0);
    free(note);
}

static void test_the_solution_passes(void **state) {
    (void)state;
    Error error;
    int missed = 99;
    must(submission_grade(&table, BUILD_FOLDER "/graded", ".", folder, submission_seed(), NULL,
                          NULL, &missed, &error),
         &error);
    char *tsv = report("grade.tsv"), *xml = report("grade.xml");
    assert_int_equal(missed, 0);
    assert_int_equal(count(tsv, "\tpassed\t1\t"), table.exercises);
    assert_int_equal(count(xml, "<failure"), 0);
    free(tsv), free(xml);
}

/* metrics.c ends every program that it is linked into, before anything is asked; mask.c does not
 * compile; loss.c is gone. What needs none of them passes all the same. */
static void test_a_spoilt_file_spoils_its_own_only(void **state) {
    (void)state;
    static const char *const expected[][2] = {{"2.3", "not_compiled"},
                                              {"2.5", "failed"},
                                              {"7.4", "not_compiled"},
                                              {"7.5", "passed"},
                                              {"7.6", "passed"}};
    Error error;
    int missed = 0;
    char student[2 * LESSON_PATH];
    snprintf(student, sizeof student, "%s/spoilt", folder);
    assert_int_equal(shell("mkdir '%s' && cp -r common lessons '%s'", student, student), 0);
    assert_int_equal(
        shell("cd '%s/common' && printf '#include <stdlib.h>\\n__attribute__((constructor)) static "
              "void early(void) { exit(0); }\\n' | cat - data/metrics.c >x && mv x data/metrics.c "
              "&& echo 'no C' >>core/mask.c && rm core/ops/loss.c%s",
              student, ""),
        0);
    must(submission_grade(&table, BUILD_FOLDER "/graded", student, folder, 7,
                          "1.3 2.3 2.5 7.4 7.5 7.6", NULL, &missed, &error),
         &error);
    char *tsv = report("grade.tsv");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        int exercise = exercise_table_find(&table, expected[i][0]);
        char line[200];
        snprintf(line, sizeof line, "\n%s\t%s\t%s\t", expected[i][0],
                 table.exercise[exercise].title, expected[i][1]);
        if (strstr(tsv, line) == NULL) {
            fail_msg("%s is not %s:\n%s", expected[i][0], expected[i][1], tsv);
        }
    }
    assert_int_equal(missed, 3);
    free(tsv);
}

/* 7.6 does not compile, and takes along what shares its file: they are told whose line it is. */
static void test_a_neighbour_is_told_which_exercise_is_to_blame(void **state) {
    (void)state;
    static const char *const own = "\tnot_compiled\t0\tadam_step(): common/core/optim.c:";
    Error error;
    int missed = 0;
    char student[2 * LESSON_PATH];
    snprintf(student, sizeof student, "%s/neighbours", folder);
    assert_int_equal(shell("mkdir '%s' && cp -r common lessons '%s'", student, student), 0);
    assert_int_equal(
        shell("sed -i 's/float g = r/float g = = r/' '%s/common/core/optim.c'%s", student, ""), 0);
    must(submission_grade(&table, BUILD_FOLDER "/graded", student, folder, 7, "1.3 7.5 7.6", NULL,
                          &missed, &error),
         &error);
    char *tsv = report("grade.tsv");
    assert_int_equal(missed, 3);
    assert_int_equal(count(tsv, ": in exercise 7.6: common/core/optim.c:"), 2);
    if (strstr(tsv, own) == NULL) {
        fail_msg("no \"%s\" in:\n%s", own, tsv);
    }
    free(tsv);
}

static void test_no_submission_is_no_verdict(void **state) {
    (void)state;
    Error error;
    int missed;
    assert_false(submission_grade(&table, BUILD_FOLDER "/graded", "/nowhere", folder, 1, NULL, NULL,
                                  &missed, &error));
    assert_non_null(strstr(error.text, "/nowhere"));
    static const char *const wrong[] = {"9.9", "1.1 9.9", "1.1,1.2", "1", " "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(submission_grade(&table, BUILD_FOLDER "/graded", ".", folder, 1, wrong[i],
                                      NULL, &missed, &error));
        assert_non_null(strstr(error.text, "exercise"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_class_is_graded_once),
        cmocka_unit_test(test_a_class_has_its_own_names),
        cmocka_unit_test(test_a_note_goes_with_its_reports),
        cmocka_unit_test(test_the_solution_passes),
        cmocka_unit_test(test_a_spoilt_file_spoils_its_own_only),
        cmocka_unit_test(test_a_neighbour_is_told_which_exercise_is_to_blame),
        cmocka_unit_test(test_no_submission_is_no_verdict),
    };
    return cmocka_run_group_tests(tests, read_table, remove_folder);
}
