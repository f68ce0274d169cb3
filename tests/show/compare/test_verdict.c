/* The verdict in words. */
#include "support/two_runs.h"

static void claims_put(const TwoRuns *two, char run, const char *lines) {
    char text[2048];
    snprintf(text, sizeof text, "%s%s", CLAIMS_HEADER, lines);
    two_runs_put(two, run, "claims.tsv", text);
}

static void expect_verdict(TwoRuns *two, const char *part) {
    const char *text = two_runs_say(two, compare_verdict);
    char flat[4096];
    snprintf(flat, sizeof flat, "%s", text);
    for (char *at = flat; *at; at++) {
        *at = *at == '\n' ? ' ' : *at; /* lines are wrapped */
    }
    assert_part(flat, part);
}

static void test_the_same_to_the_bit(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'A', "run.tsv", "lesson\t02_tiny\nseed\t9\n"); /* whatever was asked for */
    expect_verdict(&two, "The same to the bit: all tables and pictures (1) are equal");
    two_runs_put(&two, 'A', "x.png", "drawn");
    expect_verdict(&two, "The same numbers to the bit. 1 picture differs or is in one folder "
                         "only (the first is x.png)");
    two_runs_free(&two);
}

static void test_worse_and_better(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    claims_put(&two, 'A', "1.1\ta\tright, %\t0.95\t>\t0.9\tholds\n1.2\tb\tx\t1\t<\t2\tholds\n");
    claims_put(&two, 'B', "1.1\ta\tright, %\t0.45\t>\t0.9\tfails\n1.2\tb\tx\t0.5\t<\t2\tholds\n");
    expect_verdict(&two, "B is worse. 1 of 2 claims that both measured hold in A only, 0 in B "
                         "only. 1 moved to the better, 1 to the worse: farther on the good side of "
                         "their own bounds, or less far");
    expect_verdict(&two, "worse:  right: 95 % in A, 45 % in B (bound > 90 %); holds in A only "
                         "  better: x: 1 in A, 0.5 in B (bound < 2)");
    expect_verdict(&two, "0 are equal to the byte, 1 are not.");
    expect_verdict(&two, "a run with --runs 5 tells");
    claims_put(&two, 'A', "1.1\ta\tright, %\t0.45\t>\t0.9\tfails\n");
    claims_put(&two, 'B', "1.1\ta\tright, %\t0.95\t>\t0.9\tholds\n");
    expect_verdict(&two, "B is better.");
    claims_put(&two, 'A', "1.1\ta\tx\t1\t<\t2\tholds\n1.2\tb\tx\t3\t<\t2\tfails\n");
    claims_put(&two, 'B', "1.1\ta\tx\t3\t<\t2\tfails\n1.2\tb\tx\t1\t<\t2\tholds\n");
    expect_verdict(&two, "Better in some, worse in others. 1 of 2 claims that both measured hold "
                         "in A only, 1 in B only.");
    claims_put(&two, 'B', "1.1\ta\tright, %\t0.95\t>\t0.9\tholds\n");
    claims_put(&two, 'A', "1.1\ta\tright, %\t0.91\t>\t0.9\tholds\n");
    expect_verdict(&two, "B is a little better. Of 1 claims that both measured 1 hold in both");
    claims_put(&two, 'A', "1.1\ta\tright, %\t0.9501\t>\t0.9\tholds\n");
    expect_verdict(&two, "Neither better nor worse.");
    claims_put(&two, 'A', "1.1\ta\tright, %\t0.99\t>\t0.9\tholds\n");
    expect_verdict(&two, "B is a little worse.");
    two_runs_free(&two);
}

/* A run with another option makes the cheap claims only: that these agree says nothing. */
static void test_claims_of_one_run_only(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    claims_put(&two, 'A',
               "1.1\ta\tx\t1\t<\t2\tholds\n1.2\tb\ty\t3\t<\t2\tfails\n"
               "1.3\tc\tz\t1\t<\t2\tholds\n1.4\td\tw\t-\t<\t2\tnot_made\n");
    claims_put(&two, 'B',
               "1.1\ta\tx\t1\t<\t2\tholds\n1.2\tb\ty\t-\t<\t2\tnot_made\n"
               "1.4\td\tw\t-\t<\t2\tnot_made\n1.5\te\tv\t1\t<\t2\tholds\n");
    expect_verdict(&two, "Not the same; the claims cannot tell. Of 1 claims");
    expect_verdict(&two, "3 claims were made in one of the two only: a run that is quick");
    claims_put(&two, 'B', "1.1\ta\tx\t-\t<\t2\tnot_made\n1.3\tc\tz\t-\t<\t2\tnot_made\n");
    claims_put(&two, 'A', "1.1\ta\tx\t1\t<\t2\tholds\n");
    expect_verdict(&two, "no claim was measured in both");
    expect_verdict(&two, "1 claim was made in one of the two only");
    two_runs_free(&two);
}

static void flags_and_verdict(Comparison *c) {
    compare_flags(c);
    compare_verdict(c);
}

/* What another seed does is chance; what another rate does may be. */
static void test_only_another_seed(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    claims_put(&two, 'A', "1.1\ta\tx\t1\t<\t2\tholds\n");
    claims_put(&two, 'B', "1.1\ta\tx\t1.5\t<\t2\tholds\n");
    static const char *const records[][2] = {
        {"lesson\t02_tiny\nseed\t2\n", "Only the seed differs, so this is what chance does"},
        {"lesson\t02_tiny\nseed\t2\nrate\t1\n", "Whether another seed alone would have done as"},
        {"lesson\t02_tiny\nseed\t1\nrate\t1\n", "Whether another seed alone would have done as"}};
    for (int i = 0; i < 3; i++) {
        two_runs_put(&two, 'B', "run.tsv", records[i][0]);
        assert_part(two_runs_say(&two, flags_and_verdict), records[i][1]);
    }
    two_runs_free(&two);
}

static void curves_and_verdict(Comparison *c) {
    compare_curves(c);
    compare_verdict(c);
}

static void test_two_lessons_are_told_by_their_curves(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'B', "run.tsv", "lesson\t07_other\nseed\t1\n");
    two_runs_put(&two, 'A', "c.tsv",
                 CURVE_HEADER "1\t1\t0.5\tNaN\tNaN\tone\n2\t1\t0.75\tNaN\tNaN\ttwo\n");
    two_runs_put(&two, 'B', "c.tsv",
                 CURVE_HEADER "1\t1\t9\tNaN\tNaN\tone\n1\t2\t1\tNaN\tNaN\tone\n");
    assert_part(two_runs_say(&two, curves_and_verdict),
                "\nc ends between 0.5 and 0.75 in A, between 1 and 1 in B.\n");
    two_runs_free(&two);
}

static void test_nothing_to_judge_by(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    claims_put(&two, 'B', "2.1\tsum\tit adds up\t-\t==\t1\tnot_made\n");
    expect_verdict(&two, "Not the same, and no claim was measured in both");
    two_runs_put(&two, 'B', "run.tsv", "lesson\t07_other\nseed\t1\n");
    expect_verdict(&two, "Two lessons, so neither is better as a whole. They have 0 curves in");
    two_runs_free(&two);
}

/* Eight claims of five seeds from 1 to 3, bound 10, and one run beside them. */
static void seeds_put(const TwoRuns *two, const double values[8]) {
    char spread[2048] = SPREAD_HEADER, medians[2048] = "", run[2048] = "";
    for (int i = 0; i < 8; i++) {
        size_t used = strlen(spread);
        snprintf(spread + used, sizeof spread - used, "1.1\tc%d\tx\t<\t10\t5\t5\t5\t1\t2\t3\n", i);
        used = strlen(medians);
        snprintf(medians + used, sizeof medians - used, "1.1\tc%d\tx\t2\t<\t10\tholds\n", i);
        used = strlen(run);
        snprintf(run + used, sizeof run - used, "1.1\tc%d\tx\t%g\t<\t10\t%s\n", i, values[i],
                 values[i] < 10 ? "holds" : "fails");
    }
    two_runs_put(two, 'A', "run.tsv", "lesson\t02_tiny\nseed\t1\nruns\t5\n");
    two_runs_put(two, 'A', "spread.tsv", spread);
    claims_put(two, 'A', medians);
    claims_put(two, 'B', run);
}

static void test_within_the_spread_of_the_seeds(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    seeds_put(&two, (const double[]){1, 1.5, 2, 2.5, 3, 2, 3.5, 0.5});
    expect_verdict(&two, "The same within the spread of the seeds. Outside of it: 2 of 8 claims "
                         "(by chance alone about 2.7), 0 far outside.");
    seeds_put(&two, (const double[]){4, 4, 4, 4, 4, 4, 4, 2}); /* 7 of 8 are no chance */
    expect_verdict(&two, "Not the same as another seed. Outside the spread of the seeds: 7 of 8 ");
    expect_verdict(&two, "B is a little worse.");
    seeds_put(&two, (const double[]){2, 2, 2, 2, 2, 2, 2, 6}); /* one, but far */
    expect_verdict(&two, "Not the same as another seed. Outside the spread of the seeds: 1 of 8 "
                         "claims (by chance alone about 2.7), 1 far outside.");
    seeds_put(&two, (const double[]){2, 2, 2, 2, 2, 2, 2, -2}); /* far below is far, too */
    expect_verdict(&two, "1 of 8 claims (by chance alone about 2.7), 1 far outside.");
    seeds_put(&two, (const double[]){2, 2, 2, 2, 2, 2, 2, 11});
    expect_verdict(&two, "B is worse. 1 of 8 claims");
    two_runs_free(&two);
}

/* Whichever of the two has several seeds; of two that have, the fewer count. */
static void test_seeds_on_either_side(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    static const double near[] = {1, 1.5, 2, 2.5, 3, 2, 3.5, 0.5};
    static const int seeds[][2] = {{5, 1}, {1, 5}, {5, 3}, {3, 5}};
    static const char *const chance[] = {"about 2.7)", "about 2.7)", "about 4.0)", "about 4.0)"};
    for (int i = 0; i < 4; i++) {
        for (int b = 0; b < 2; b++) {
            char record[64], claims[1024] = "", spread[1024] = SPREAD_HEADER;
            int n = seeds[i][b];
            snprintf(record, sizeof record, "lesson\t02_tiny\nseed\t1\nruns\t%d\n", n);
            for (int k = 0; k < 8; k++) {
                size_t used = strlen(claims);
                snprintf(claims + used, sizeof claims - used, "1.1\tc%d\tx\t%g\t<\t10\tholds\n", k,
                         n > 1 ? 2 : near[k]);
                used = strlen(spread);
                snprintf(spread + used, sizeof spread - used,
                         "1.1\tc%d\tx\t<\t10\t%d\t%d\t%d\t1\t2\t3\n", k, n, n, n);
            }
            claims_put(&two, b ? 'B' : 'A', claims);
            two_runs_put(&two, b ? 'B' : 'A', "run.tsv", record);
            two_runs_put(&two, b ? 'B' : 'A', "spread.tsv", spread);
            two_runs_put(&two, 'B', "more.tsv", "x"); /* not the same to the bit */
        }
        expect_verdict(&two, chance[i]);
        expect_verdict(&two, "The same within the spread of the seeds.");
    }
    two_runs_free(&two);
}

/* All values within the spread, and yet a claim that A holds and B does not: no verdict of "same".
 */
static void test_within_the_spread_and_lost(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    seeds_put(&two, (const double[]){2, 2, 2, 2, 2, 2, 2, 2});
    claims_put(&two, 'B', "1.1\tc0\tx\t2.5\t<\t10\tfails\n");
    expect_verdict(&two, "Not the same as another seed.");
    expect_verdict(&two, "B is worse.");
    two_runs_free(&two);
}

static void test_ctrl_c(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two.stopped = true;
    expect_verdict(&two, "None: the comparison was ended early.");
    two_runs_free(&two);
}

/* Of two lessons with many curves in common the first are told. */
static void test_many_curves_of_two_lessons(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'B', "run.tsv", "lesson\t07_other\nseed\t1\n");
    for (int i = 0; i < COMPARE_ENDS + 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "c%d.tsv", i);
        two_runs_put(&two, 'A', name, CURVE_HEADER "1\t1\t0.5\tNaN\tNaN\tone\n");
        two_runs_put(&two, 'B', name, CURVE_HEADER "1\t1\t0.5\tNaN\tNaN\tone\n");
    }
    const char *text = two_runs_say(&two, curves_and_verdict);
    assert_part(text, "They have 9 curves in");
    assert_part(text, "\nc5 ends between 0.5 and 0.5 in A");
    assert_no_part(text, "\nc6 ends");
    two_runs_free(&two);
}

/* Seeds that all give the same say nothing about chance, and a hair beside them is not far. */
static void test_seeds_without_a_spread(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    seeds_put(&two, (const double[]){2, 2, 2, 2, 2, 2, 2, 2});
    two_runs_put(&two, 'A', "spread.tsv", SPREAD_HEADER "1.1\tc0\tx\t<\t10\t5\t5\t5\t2\t2\t2\n");
    expect_verdict(&two, "Neither better nor worse.");
    claims_put(&two, 'B', "1.1\tc0\tx\t2.5\t<\t10\tholds\n");
    expect_verdict(&two, "Outside of it: 1 of 1 claim (by chance alone about 0.3), 0 far outside.");
    claims_put(&two, 'B', "1.1\tc0\tx\t3.5\t<\t10\tholds\n");
    expect_verdict(&two, "1 far outside.");
    two_runs_free(&two);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_to_the_bit),
        cmocka_unit_test(test_worse_and_better),
        cmocka_unit_test(test_claims_of_one_run_only),
        cmocka_unit_test(test_only_another_seed),
        cmocka_unit_test(test_two_lessons_are_told_by_their_curves),
        cmocka_unit_test(test_nothing_to_judge_by),
        cmocka_unit_test(test_within_the_spread_of_the_seeds),
        cmocka_unit_test(test_seeds_without_a_spread),
        cmocka_unit_test(test_seeds_on_either_side),
        cmocka_unit_test(test_within_the_spread_and_lost),
        cmocka_unit_test(test_ctrl_c),
        cmocka_unit_test(test_many_curves_of_two_lessons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
