/* The tests of lessons must not believe anything: lesson_run.h against "lessons" that are small
 * shell scripts, and against claims.tsv files that lie. */
#include "support/lesson_run.h"

#include <stdlib.h>
#include <sys/stat.h>

/* ---- a folder with one lesson in it: a script ---- */

typedef struct Bench {
    char folder[LESSON_PATH];
} Bench;

static int bench_open(void **state) {
    Bench *bench = calloc(1, sizeof *bench);
    folder_new(bench->folder);
    setenv("LESSON_FOLDER", bench->folder, 1);
    *state = bench;
    return 0;
}

static int bench_close(void **state) {
    Bench *bench = *state;
    unsetenv("LESSON_FOLDER");
    folder_remove(bench->folder);
    free(bench);
    return 0;
}

static void write_script(const Bench *bench, const char *name, const char *text) {
    char path[2 * LESSON_PATH];
    snprintf(path, sizeof path, "%s/%s", bench->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", text);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static bool exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

static void test_what_a_program_says_and_does(void **state) {
    write_script(*state, "01_x",
                 "echo \"said $* in $(ls | wc -l) files\"; echo loud >&2; mkdir -p plots/01_x; "
                 "echo 7 > plots/01_x/b.tsv; echo 8 > plots/01_x/a.tsv; cat; exit 3");
    LessonRun run = lesson_run("01_x", "--quick  --seed 3");
    assert_int_equal(run.status, 3);
    assert_string_equal(run.out, "said --quick --seed 3 in 0 files\n");
    assert_string_equal(run.err, "loud\n");
    char *names = lesson_file_names(&run);
    size_t size = 0;
    char *file = lesson_file(&run, "a.tsv", &size);
    assert_string_equal(names, "a.tsv\nb.tsv\n");
    assert_string_equal(file, "8\n");
    assert_int_equal(size, 2);
    assert_null(lesson_file(&run, "c.tsv", NULL));
    assert_true(run.memory > 0.0 && run.seconds > 0.0);
    char folder[LESSON_PATH];
    snprintf(folder, sizeof folder, "%s", run.folder);
    assert_true(exists(folder));
    lesson_run_free(&run);
    assert_false(exists(folder));
    free(names);
    free(file);
}

static void test_files_where_out_says(void **state) {
    write_script(*state, "01_x", "mkdir -p here/there; echo 1 > here/there/z.tsv");
    LessonRun run = lesson_run("01_x", "--out here/there --quick");
    char *names = lesson_file_names(&run);
    assert_string_equal(names, "z.tsv\n");
    free(names);
    lesson_run_free(&run);
}

static void test_environment_and_folder(void **state) {
    Bench *bench = *state;
    write_script(bench, "01_x", "echo \"$ONE ${HOME-gone}\"; ls");
    const char *const environment[] = {"ONE=1", "HOME", NULL};
    LessonSetting setting = {.folder = bench->folder, .environment = environment};
    LessonRun run = lesson_run_in("01_x", "", setting);
    assert_string_equal(run.out, "1 gone\n01_x\n");
    lesson_run_free(&run);
    assert_true(exists(bench->folder));
}

static void test_signals(void **state) {
    write_script(*state, "01_x", "kill -SEGV $$");
    LessonRun run = lesson_run("01_x", "");
    assert_int_equal(run.status, 128 + 11);
    lesson_run_free(&run);
    write_script(*state, "01_y",
                 "trap 'exit 130' INT; echo at 1.2; sleep 1; echo 1.2; sleep 20 & wait");
    run = lesson_run_in("01_y", "", (LessonSetting){.interrupt_at = "1.2"});
    assert_int_equal(run.status, 130);
    assert_true(run.seconds > 1.4);
    assert_true(run.seconds < 15.0);
    lesson_run_free(&run);
}

/* ---- claims.tsv ---- */

#define HEADER "step\tid\ttext\tvalue\top\tbound\tstatus\n"

static LessonClaims claims_of(const Bench *bench, const char *text) {
    LessonRun run = {0};
    snprintf(run.files, sizeof run.files, "%s", bench->folder);
    char path[2 * LESSON_PATH];
    snprintf(path, sizeof path, "%s/claims.tsv", bench->folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return lesson_claims(&run);
}

static void test_good_claims(void **state) {
    LessonClaims claims = claims_of(*state, HEADER "1.1\ta\tfirst one\t0.5\t<\t1\tholds\n"
                                                   "1.2\tb\tsecond\t0.5\t>=\t0.9\tfails\n"
                                                   "1.2\tc\tthird\t-\t>\t.9\tnot_made\n"
                                                   "1.3\td\tfourth\t-\t<\t2\ttiming\n"
                                                   "1.3\te\tfifth\tnan\t<\t2\tfails\n"
                                                   "1.3\tf\tsixth\t5\t==\t5\tholds\n");
    assert_string_equal(claims.problem, "");
    assert_int_equal(claims.count, 6);
    assert_string_equal(claims.claim[1].text, "second");
    LessonRun run = {0};
    snprintf(run.files, sizeof run.files, "%s", ((Bench *)*state)->folder);
    assert_string_equal(lesson_claim(&run, "b"), "fails");
    assert_string_equal(lesson_claim(&run, "d"), "timing");
    assert_string_equal(lesson_claim(&run, "z"), "missing");
    assert_int_equal(lesson_claim_count(&run, "holds"), 2);
}

static void test_claims_that_lie(void **state) {
    static const char *const lies[][2] = {
        {HEADER "1.1\ta\ttext\t2\t<\t1\tholds\n", "not what the numbers say"},
        {HEADER "1.1\ta\ttext\t0\t<\t1\tfails\n", "not what the numbers say"},
        {HEADER "1.1\ta\ttext\tnan\t<\t1\tholds\n", "not what the numbers say"},
        {HEADER "1.1\ta\ttext\t-\t<\t1\tholds\n", "not what the numbers say"},
        {HEADER "1.1\ta\ttext\t0\t~\t1\tholds\n", "not what the numbers say"},
        {HEADER "1.1\ta\ttext\t0\t<\t1\tperhaps\n", "unknown status"},
        {HEADER "1.1\ta\ttext\t0\t<\t1\n", "not seven columns"},
        {HEADER "1.1\ta\ttext\t0\t<\t1\tholds\tmore\n", "not seven columns"},
        {HEADER "1.1\t\ttext\t0\t<\t1\tholds\n", "empty column"},
        {HEADER "1.1\ta\tt\t0\t<\t1\tholds\n1.2\ta\tt\t0\t<\t1\tholds\n", "twice"},
        {HEADER, "no claim"},
        {"1.1\ta\ttext\t0\t<\t1\tholds\n", "begins with"},
        {"", "begins with"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        LessonClaims claims = claims_of(*state, lies[i][0]);
        if (strstr(claims.problem, lies[i][1]) == NULL) {
            fail_msg("lie %zu: \"%s\" does not say \"%s\"", i, claims.problem, lies[i][1]);
        }
    }
}

static void test_no_claims_file(void **state) {
    LessonRun run = {0};
    snprintf(run.files, sizeof run.files, "%s/nothing", ((Bench *)*state)->folder);
    LessonClaims claims = lesson_claims(&run);
    assert_string_equal(claims.problem, "there is no claims.tsv");
}

#define with_bench(test) cmocka_unit_test_setup_teardown(test, bench_open, bench_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        with_bench(test_what_a_program_says_and_does),
        with_bench(test_files_where_out_says),
        with_bench(test_environment_and_folder),
        with_bench(test_signals),
        with_bench(test_good_claims),
        with_bench(test_claims_that_lie),
        with_bench(test_no_claims_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
