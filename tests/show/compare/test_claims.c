/* Claims of two runs beside each other. */
#include "support/two_runs.h"

static RunClaim claim_of(const char *op, double value, double bound) {
    return (RunClaim){.text = "t",
                      .op = op,
                      .bound = bound,
                      .value = value,
                      .spread = {1, 1, value, value, value}};
}

static void expect_move(const char *op, double a, double b, double bound, ClaimMove move) {
    RunClaim of_a = claim_of(op, a, bound), of_b = claim_of(op, b, bound);
    if (claim_move(&of_a, &of_b) != move) {
        fail_msg("%g -> %g (bound %s %g) is no %d", a, b, op, bound, (int)move);
    }
}

static void test_better_is_on_the_good_side_of_the_bound(void **state) {
    (void)state;
    expect_move(">", 0.90, 0.95, 0.9, MOVE_BETTER);
    expect_move(">=", 0.95, 0.90, 0.9, MOVE_WORSE);
    expect_move("<", 0.90, 0.95, 0.9, MOVE_WORSE);
    expect_move("<=", 0.95, 0.50, 0.9, MOVE_BETTER);
    expect_move("==", 0.5, 0.9, 1, MOVE_BETTER);
    expect_move("==", 1, 1.2, 1, MOVE_WORSE);
    expect_move(">", 0.900, 0.908, 0.9, MOVE_NONE); /* less than a percent of the bound */
    expect_move("<", 1e-9, 3e-9, 0, MOVE_WORSE);    /* at a bound of 0: of the value */
    expect_move("<", 0, 0, 0, MOVE_NONE);
    expect_move("<", (double)NAN, 1, 1, MOVE_NONE);
}

static void test_values_as_the_lessons_print_them(void **state) {
    (void)state;
    RunClaim share = {.text = "right, %", .bound = 0.9}, count = {.text = "steps, %", .bound = 90},
             number = {.text = "loss", .bound = 0.9};
    char text[VALUE_SIZE];
    claim_value_text(text, &share, 0.4119, false, 3);
    assert_string_equal(text, "41.2 %");
    claim_value_text(text, &share, -0.05, true, 2);
    assert_string_equal(text, "-5 %");
    claim_value_text(text, &count, 88, false, 3);
    assert_string_equal(text, "88");
    claim_value_text(text, &number, 0.4119, true, 3);
    assert_string_equal(text, "+0.412");
    claim_value_text(text, &number, (double)NAN, false, 3);
    assert_string_equal(text, "nan");
}

static void test_outside_the_seeds(void **state) {
    (void)state;
    RunFolder one = {.runs = 1}, five = {.runs = 5};
    RunClaim single = claim_of("<", 3, 9), seeds = claim_of("<", 2, 9);
    seeds.spread = (ClaimSpread){5, 5, 1, 2, 2.5};
    assert_true(claim_outside(&five, &one, &seeds, &single));
    assert_true(claim_outside(&one, &five, &single, &seeds));
    assert_false(claim_outside(&one, &one, &single, &single));
    single.spread.median = 2.5;
    assert_false(claim_outside(&five, &one, &seeds, &single));
    RunClaim other = seeds;
    other.spread = (ClaimSpread){5, 5, 2, 3, 4}; /* 2 within, 3 outside */
    assert_true(claim_outside(&five, &five, &seeds, &other));
    other.spread = (ClaimSpread){1, 1, 9, 9, 9}; /* one seed of five made it: no spread */
    assert_false(claim_outside(&five, &one, &other, &single));
    assert_false(claim_outside(&one, &five, &single, &other));
}

static void claims_part(Comparison *c) {
    compare_claims(c);
}

static void test_the_table(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'A', "claims.tsv",
                 CLAIMS_HEADER "2.1\ta\tright, %\t0.5\t<\t0.9\tholds\n"
                               "2.2\tb\tlost\t1\t<\t2\tholds\n"
                               "2.3\tc\tslow\t-\t<\t2\ttiming\n2.4\td\tmore\t-\t<\t2\tnot_made\n"
                               "2.5\te\talone\t1\t<\t2\tholds\n"
                               "2.6\tf\tclose\t0.12341\t<\t2\tfails\n");
    two_runs_put(&two, 'B', "claims.tsv",
                 CLAIMS_HEADER "2.1\ta\tright, %\t0.625\t<\t0.9\tholds\n"
                               "2.2\tb\tlost\t3\t<\t2\tfails\n"
                               "2.3\tc\tslow\t-\t<\t2\ttiming\n2.4\td\tmore\t1\t<\t2\tholds\n"
                               "2.7\tg\tnew\t1\t<\t2\tholds\n"
                               "2.6\tf\tclose\t0.12342\t<\t2\tholds\n");
    const char *text = two_runs_say(&two, claims_part);
    assert_part(text, "   2.1  right     50 %   62.5 %   +12 %  both\n");
    assert_part(text, "   2.2  lost         1        3      +2  A only\n");
    assert_part(text, "   2.3  slow         -        -       -  not judged\n");
    assert_part(text, "   2.4  more         -        1       -  B only\n");
    assert_part(text, "   2.5  alone        1        -       -  A only\n");
    assert_part(text, "   2.6  close  0.12341  0.12342  +1e-05  B only\n");
    assert_part(text, "   2.7  new          -        1       -  B only\n");
    two_runs_free(&two);
}

/* What is lost is red, what is won green, the rest plain. */
static void test_colours(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two.color = true;
    two_runs_put(&two, 'A', "claims.tsv",
                 CLAIMS_HEADER "2.1\ta\tx\t1\t<\t2\tholds\n2.2\tb\tx\t3\t<\t2\tfails\n"
                               "2.3\tc\tx\t1\t<\t2\tholds\n");
    two_runs_put(&two, 'B', "claims.tsv",
                 CLAIMS_HEADER "2.1\ta\tx\t3\t<\t2\tfails\n2.2\tb\tx\t1\t<\t2\tholds\n"
                               "2.3\tc\tx\t1\t<\t2\tholds\n");
    const char *text = two_runs_say(&two, claims_part);
    assert_part(text, "\033[1;31m2.1");
    assert_part(text, "\033[32m2.2");
    assert_no_part(text, "m2.3");
    two_runs_free(&two);
}

static void test_the_table_of_seeds(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'A', "run.tsv", "lesson\t02_tiny\nseed\t1\nruns\t5\n");
    two_runs_put(&two, 'A', "spread.tsv",
                 SPREAD_HEADER "2.1\tsum\tit\t<\t1\t5\t5\t4\t0.25\t0.75\t1.5\n");
    const char *text = two_runs_say(&two, claims_part);
    assert_part(text, "step  says           A  B  B - A    A's seeds     holds");
    assert_part(text, "2.1  it adds up  0.75  1  +0.25  0.25 .. 1.5  4/5, 1/1\n");
    two_runs_free(&two);
}

/* The same id is not enough: "blind" of 02 is about articles, that of 06 about exchanged words. */
static void test_two_lessons_share_what_is_meant_alike(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'A', "claims.tsv",
                 CLAIMS_HEADER "2.1\ta\tattention: dates right\t1\t<\t2\tholds\n"
                               "2.2\tb\tx\t1\t<\t2\tholds\n"
                               "2.3\tc\tboth say\t1\t<\t2\tholds\n"
                               "2.4\td\tnone: x\t1\t<\t2\tholds\n");
    two_runs_put(&two, 'B', "run.tsv", "lesson\t07_other\nseed\t1\n");
    two_runs_put(&two, 'B', "claims.tsv",
                 CLAIMS_HEADER "7.1\ta\t9 steps: dates right\t1\t<\t2\tholds\n"
                               "7.2\te\tonly there\t1\t<\t2\tholds\n"
                               "7.3\tc\tboth say\t1\t<\t2\tholds\n"
                               "7.4\td\tnone: another\t1\t<\t2\tholds\n");
    const char *text = two_runs_say(&two, claims_part);
    assert_part(text, "A: attention: dates right; B: 9 steps: dates right");
    assert_part(text, "2.3  both say");
    assert_part(text, "2 claims of A and 2 of B have no counterpart");
    assert_no_part(text, " x ");
    assert_no_part(text, "only there");
    assert_no_part(text, "none: ");
    two_runs_put(&two, 'B', "run.tsv", "lesson\t02_tiny\nseed\t1\n"); /* another version of it */
    assert_part(two_runs_say(&two, claims_part), "A: none: x; B: none: another");
    two_runs_free(&two);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_better_is_on_the_good_side_of_the_bound),
        cmocka_unit_test(test_values_as_the_lessons_print_them),
        cmocka_unit_test(test_outside_the_seeds),
        cmocka_unit_test(test_the_table),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_the_table_of_seeds),
        cmocka_unit_test(test_two_lessons_share_what_is_meant_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
