#include "support/stage.h"

#include "lesson/experiments/by_place.h"

#include <math.h>
#include <stdlib.h>

static const char *const names[] = {"one", "two",   "three", "four", "five",
                                    "six", "seven", "eight", "nine"};

static ByPlace table(void) {
    ByPlace all = by_place_new(names, 2, (const int[]){0, 2, 3, 5, 6});
    const double y[] = {NAN, 0.5, 0.25, 0.125, 0.375, 1, 10, 20, 30, 40, 50, 60};
    memcpy(all.y, y, sizeof y);
    return all;
}

static void test_means(void **state) {
    (void)state;
    ByPlace empty = by_place_new(names, 1, (const int[]){0, 1, 2, 3, 4});
    assert_true(isnan(by_place_mean(&empty, 0, 0)));
    by_place_free(&empty);
    ByPlace all = table();
    assert_int_equal(all.n, 6);
    assert_close(by_place_mean(&all, 0, 0), 0.5, 0, 0); /* the place without a value is left out */
    assert_close(by_place_mean(&all, 0, 2), 0.25, 0, 0);
    assert_close(by_place_mean(&all, 1, 2), 45, 0, 0);
    assert_close(by_place_mean(&all, 1, 3), 60, 0, 0);
    assert_ptr_equal(by_place_row(&all, 1), all.y + 6);
    by_place_free(&all);
}

static void play(Run *run, void *context) {
    static const PlaceClaim claims[] = {{"low", 0, 2, "<", 0.3}, {"high", 1, 0, ">", 16}};
    ByPlace all = table();
    (void)context;
    all.trained = 3;
    all.guessing = 0.1;
    by_place_show(run, &all, "places", "By place", "right", 4);
    by_place_claims(run, &all, "right at", ", %", claims, 1);
    by_place_claims(run, &all, "nats at", "", claims + 1, 1);
    by_place_free(&all);
}

static void test_shown(void **state) {
    (void)state;
    Stage stage = stage_play(play, NULL, "--no-plots");
    assert_int_equal(stage.status, 1); /* "high" fails: 15 */
    assert_string_equal(lesson_claim(&stage, "low"), "holds");
    assert_string_equal(lesson_claim(&stage, "high"), "fails");
    LessonClaims made = lesson_claims(&stage);
    assert_string_equal(made.claim[0].text, "one: right at 3 to 4, %");
    assert_string_equal(made.claim[1].text, "two: nats at 0 to 1");
    char *numbers = lesson_file(&stage, "places.tsv", NULL);
    char *script = lesson_file(&stage, "places.gp", NULL);
    /* places 0 .. 3 and 4 .. 5 as one point each */
    assert_non_null(strstr(numbers, "\n2\t1.5\t25\t"));
    assert_non_null(strstr(numbers, "\n2\t4.5\t55\t"));
    assert_non_null(strstr(numbers, "\n1\t4.5\t0.6875\t"));
    assert_non_null(strstr(script, "2.5"));
    assert_non_null(strstr(script, "guessing"));
    free(numbers);
    free(script);
    lesson_run_free(&stage);
}

static void test_wrong_parts(void **state) {
    (void)state;
    expect_check_message("9 models", by_place_new(names, 9, (const int[]){0, 1, 2, 3, 4}));
    expect_check_message("part 2", by_place_new(names, 1, (const int[]){0, 1, 1, 3, 4}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_shown),
        cmocka_unit_test(test_wrong_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
