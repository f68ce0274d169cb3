/* The folder of a run: a good one, and all that is none. */
#include "assert_close.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "show/run_folder.h"
#include "support/scratch.h"

static void drop(const char *name) {
    assert_int_equal(unlink(scratch_path(name)), 0);
}

#define HEADER "step\tid\ttext\tvalue\top\tbound\tstatus\n"
#define GOOD "2.1\tsum\tit adds up\t0.5\t<\t1\tholds\n2.2\tslow\tit takes\t-\t<\t3\ttiming\n"
#define SPREAD "step\tid\ttext\top\tbound\tseeds\tmade\tholds\tmin\tmedian\tmax\n"

static int folder_begin(void **state) {
    scratch_begin(state);
    scratch_text("run.tsv", "lesson\t02_bahdanau\nseed\t7\nflags\t--data 'a b'\n");
    scratch_text("claims.tsv", HEADER GOOD);
    return 0;
}

static RunFolder read_good(void) {
    RunFolder run;
    Error error = {""};
    if (!run_folder_read(scratch_folder(), &run, &error)) {
        fail_msg("%s", error.text);
    }
    return run;
}

static void test_a_run_is_read(void **state) {
    (void)state;
    scratch_text("b.png", "x");
    scratch_text(".hidden", "x");
    RunFolder run = read_good();
    assert_string_equal(run_folder_key(&run, "flags"), "--data 'a b'");
    assert_null(run_folder_key(&run, "heads"));
    assert_int_equal(run.claim_count, 2);
    assert_int_equal(run.runs, 1);
    const RunClaim *sum = run_folder_claim(&run, "sum"), *slow = run_folder_claim(&run, "slow");
    assert_true(sum->value == 0.5 && sum->bound == 1 && sum->measured && sum->spread.holds == 1);
    assert_true(!slow->measured && isnan(slow->value));
    assert_null(run_folder_claim(&run, "none"));
    assert_int_equal(run.files.count, 3);
    assert_string_equal(run.files.name[0], "b.png");
    assert_true(names_has(&run.files, "run.tsv"));
    assert_false(names_has(&run.files, ".hidden"));
    run_folder_free(&run);
}

static void test_a_run_of_several_seeds_is_read(void **state) {
    (void)state;
    scratch_text("run.tsv", "lesson\t02_bahdanau\nseed\t7\nruns\t5\n");
    scratch_text("spread.tsv", SPREAD "2.1\tsum\tit adds up\t<\t1\t5\t5\t4\t0.25\t0.5\t1.5\n");
    RunFolder run = read_good();
    assert_int_equal(run.runs, 5);
    const ClaimSpread *spread = &run_folder_claim(&run, "sum")->spread;
    assert_int_equal(spread->made, 5);
    assert_int_equal(spread->holds, 4);
    assert_true(spread->min == 0.25 && spread->median == 0.5 && spread->max == 1.5);
    run_folder_free(&run);
    scratch_text("run.tsv",
                 "lesson\t02_bahdanau\nseed\t7\nruns\t1\n"); /* a later run, with one seed */
    run = read_good();
    assert_int_equal(run_folder_claim(&run, "sum")->spread.made, 1);
    run_folder_free(&run);
}

static void refused_at(const char *path, const char *says) {
    RunFolder run;
    Error error = {""};
    if (run_folder_read(path, &run, &error) || !strstr(error.text, says) ||
        !strstr(error.text, path)) {
        fail_msg("the error should say \"%s\", not \"%s\"", says, error.text);
    }
    assert_null(run.files.name);
}

static void refused(const char *says) {
    refused_at(scratch_folder(), says);
}

/* faults 31: missing, a file, empty, half. */
static void test_a_folder_that_is_no_run(void **state) {
    (void)state;
    refused_at("/nonexistent/run", "there is no such folder");
    refused_at(scratch_path("run.tsv"), "a file, where the folder of a run is needed");
    drop("claims.tsv");
    refused("half a run: claims.tsv is missing");
    drop("run.tsv");
    refused("no run: there is no file in it");
    scratch_text("other.txt", "x");
    refused("no run: neither run.tsv nor claims.tsv is there");
    scratch_text("claims.tsv", HEADER GOOD);
    refused("half a run: run.tsv is missing");
}

static void test_tables_that_are_none(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"", "claims.tsv: the file is empty"},
        {"step\tid\n", "claims.tsv, line 1: the first line is another"},
        {HEADER "2.1\tsum\tit\t1\t<\t1\n", "claims.tsv, line 2: not seven columns"},
        {HEADER GOOD "2.1\tb\tit\t1\t!\t1\tholds\n", "line 4: an operator that is none"},
        {HEADER "2.1\tb\tit\t1\t<\tone\tholds\n", "a bound that is no number"},
        {HEADER "2.1\tb\tit\t-\t<\t1\tholds\n", "a value that is no number"},
        {HEADER "2.1\tb\tit\t1\t<\t1\tperhaps\n", "a status that is none"},
        {HEADER GOOD GOOD, "line 4: an id that occurs twice"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        scratch_text("claims.tsv", bad[i][0]);
        refused(i == 0 ? "empty" : bad[i][1]);
    }
    scratch_text("claims.tsv", HEADER GOOD);
    scratch_text("run.tsv", "lesson\t02\nseed\n");
    refused("run.tsv, line 2: no key and value");
    scratch_text("run.tsv", "lesson\t02\nseed\t1\t2\n");
    refused("run.tsv, line 2: no key and value");
    scratch_text("run.tsv", "lesson\t02\nseed\t1\nruns\t0\n");
    refused("no number of runs");
    scratch_text("run.tsv", "seed\t1\n");
    refused("run.tsv: no line \"lesson\"");
    scratch_text("run.tsv", "lesson\t02\nseed\t1\nruns\tmany\n");
    refused("no number of runs");
}

static void test_spreads_that_are_none(void **state) {
    (void)state;
    scratch_text("run.tsv", "lesson\t02\nseed\t1\nruns\t5\n");
    refused("spread.tsv");
    static const char *const bad[][2] = {
        {"x\n", "line 1: the first line is another"},
        {SPREAD "2.1\tsum\n", "line 2: not eleven columns"},
        {SPREAD "2.1\tsun\tit\t<\t1\t5\t5\t4\t1\t1\t1\n", "a claim that is not in claims.tsv"},
        {SPREAD "2.1\tsum\tit\t<\t1\t4\t5\t4\t1\t1\t1\n", "seeds that are not counted"},
        {SPREAD "2.1\tsum\tit\t<\t1\t5\t5\t6\t1\t1\t1\n", "seeds that are not counted"},
        {SPREAD "2.1\tsum\tit\t<\t1\t6\t5\t4\t1\t1\t1\n", "seeds that are not counted"},
        {SPREAD "2.1\tsum\tit\t<\t1\t5\t5\t4\t-\t-\t-\n", "a spread without numbers"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        scratch_text("spread.tsv", bad[i][0]);
        refused(bad[i][1]);
    }
    scratch_text("spread.tsv", SPREAD "2.2\tslow\tit\t<\t1\t5\t0\t0\t-\t-\t-\n");
    RunFolder run = read_good();
    assert_int_equal(run_folder_claim(&run, "slow")->spread.made, 0);
    run_folder_free(&run);
}

static void test_what_is_too_large(void **state) {
    (void)state;
    assert_int_equal(truncate(scratch_path("claims.tsv"), (off_t)1 << 29),
                     0); /* half a gigabyte that takes no room */
    refused("claims.tsv");
    FILE *claims = fopen(scratch_path("claims.tsv"), "w");
    fputs(HEADER, claims);
    for (int i = 0; i < RUN_FOLDER_CLAIMS; i++) {
        fprintf(claims, "1\t%d\tx\t1\t<\t2\tholds\n", i);
    }
    assert_int_equal(fclose(claims), 0);
    refused("claims.tsv: more than 4096 lines");
    scratch_text("claims.tsv", HEADER GOOD);
    for (int i = 0; i < RUN_FOLDER_FILES; i++) {
        char name[32];
        snprintf(name, sizeof name, "%d.png", i);
        FILE *out = fopen(scratch_path(name), "w");
        assert_non_null(out);
        fclose(out);
    }
    refused("more than 4096 files");
}

static void test_stems(void **state) {
    (void)state;
    char name[8];
    assert_true(file_name_stem("a.map.tsv", ".map.tsv", name, sizeof name));
    assert_string_equal(name, "a");
    assert_true(file_name_stem("0123456789.gp", ".gp", name, sizeof name));
    assert_string_equal(name, "0123456");
    assert_false(file_name_stem("a.tsv", ".gp", name, sizeof name));
    assert_false(file_name_stem(".gp", ".gp", name, sizeof name));
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define FOLDER_TEST(test) cmocka_unit_test_setup_teardown(test, folder_begin, scratch_end)
        FOLDER_TEST(test_a_run_is_read),
        FOLDER_TEST(test_a_run_of_several_seeds_is_read),
        FOLDER_TEST(test_a_folder_that_is_no_run),
        FOLDER_TEST(test_tables_that_are_none),
        FOLDER_TEST(test_spreads_that_are_none),
        FOLDER_TEST(test_what_is_too_large),
        cmocka_unit_test(test_stems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
