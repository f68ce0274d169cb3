#include "support/screen.h"

#include <stdlib.h>
#include <unistd.h>

#include "lesson/claims.h"
#include "support/lesson_run.h"

static ClaimStatus judged(double value, const char *op, double bound) {
    Claims claims = {0};
    ClaimStatus status = claims_add(&claims, "1.1", "id", "text", value, op, bound, 0)->status;
    claims_free(&claims);
    return status;
}

static void test_every_comparison(void **state) {
    (void)state;
    assert_int_equal(judged(1, "<", 2), CLAIM_HOLDS);
    assert_int_equal(judged(2, "<", 2), CLAIM_FAILS);
    assert_int_equal(judged(2, "<=", 2), CLAIM_HOLDS);
    assert_int_equal(judged(3, ">", 2), CLAIM_HOLDS);
    assert_int_equal(judged(2, ">", 2), CLAIM_FAILS);
    assert_int_equal(judged(2, ">=", 2), CLAIM_HOLDS);
    assert_int_equal(judged(1, ">=", 2), CLAIM_FAILS);
    assert_int_equal(judged(2, "==", 2), CLAIM_HOLDS);
    assert_int_equal(judged(2.1, "==", 2), CLAIM_FAILS);
}

static void test_nan_fails_whatever_the_bound(void **state) {
    (void)state;
    static const char *const ops[] = {"<", "<=", ">", ">=", "=="};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        assert_int_equal(judged((double)NAN, ops[i], 1), CLAIM_FAILS);
        assert_int_equal(judged(1, ops[i], (double)NAN), CLAIM_FAILS);
    }
}

static void test_authors_mistakes_stop(void **state) {
    (void)state;
    Claims claims = {0};
    expect_check_message("not with \"=<\"", judged(1, "=<", 2));
    expect_check_message("not with \"~\"",
                         claims_add(&claims, "1.1", "a", "t", 1, "~", 2, CLAIM_NOT_MADE));
    claims_add(&claims, "1.1", "same", "first", 1, "<", 2, CLAIM_HOLDS);
    expect_check_message("two claims are called \"same\": \"first\" and \"second\"",
                         claims_add(&claims, "1.2", "same", "second", 1, "<", 2, CLAIM_HOLDS));
    claims_free(&claims);
}

static void expect_line(const char *text, double value, const char *op, double bound,
                        ClaimStatus status, const char *line) {
    Claims claims = {0};
    Screen screen = screen_new(SCREEN_PIPE);
    claim_show(&screen.term, claims_add(&claims, "1.1", "id", text, value, op, bound, status));
    screen_check(&screen, line);
    screen_free(&screen);
    claims_free(&claims);
}

static void test_lines_say_value_and_bound(void **state) {
    (void)state;
    expect_line("exact match stays below 60 %", 0.4125, "<", 0.6, CLAIM_HOLDS,
                "[holds] exact match stays below 60 %: 41.2 % (bound < 60 %)\n");
    expect_line("at least 95 %", 0.3, ">=", 0.95, CLAIM_HOLDS,
                "[fails] at least 95 %: 30 % (bound >= 95 %)\n");
    expect_line("slope", -1.98765, "<", -1.5, CLAIM_HOLDS, "[holds] slope: -1.99 (bound < -1.5)\n");
    expect_line("operations", 1234567, "<=", 2000000, CLAIM_HOLDS,
                "[holds] operations: 1234567 (bound <= 2000000)\n");
    expect_line("difference", 3.2e-7, "<", 1e-5, CLAIM_HOLDS,
                "[holds] difference: 3.2e-07 (bound < 1e-05)\n");
    expect_line("loss", (double)NAN, "<", 1, CLAIM_HOLDS, "[fails] loss: nan (bound < 1)\n");
    expect_line("needs training", 1, "<", 2, CLAIM_NOT_MADE,
                "[not made] needs training (bound < 2)\n");
    expect_line("a tenth, %", 0.1, "<", 0.5, CLAIM_HOLDS, "[holds] a tenth: 10 % (bound < 50 %)\n");
    expect_line("it takes longer", 3, ">", 2, CLAIM_TIMING,
                "[timing] it takes longer: 3 (bound > 2)\n");
    expect_line("it takes longer", 1, ">", 2, CLAIM_TIMING,
                "[timing] it takes longer: 1 (bound > 2: not met, not judged)\n");
    expect_line("with 10 % held out the loss is small", 1.5, "<", 2, CLAIM_HOLDS,
                "[holds] with 10 % held out the loss is small: 1.5 (bound < 2)\n");
}

/* A reader must see on which side of the bound a close value lies. */
static void test_close_values_show_more_digits(void **state) {
    (void)state;
    expect_line("below 60 %", 0.59998, "<", 0.6, CLAIM_HOLDS,
                "[holds] below 60 %: 59.998 % (bound < 60 %)\n");
    expect_line("below", 1.0004, "<", 1, CLAIM_HOLDS, "[fails] below: 1.0004 (bound < 1)\n");
    expect_line("equal to 60 %", 0.6, "<=", 0.6, CLAIM_HOLDS,
                "[holds] equal to 60 %: 60 % (bound <= 60 %)\n");
}

static void test_colors_of_the_tags(void **state) {
    (void)state;
    static const struct {
        double value;
        ClaimStatus status;
        const char *tag;
    } cases[] = {{1, CLAIM_HOLDS, "\033[32m[holds]\033[0m "},
                 {3, CLAIM_HOLDS, "\033[1;31m[fails]\033[0m "},
                 {1, CLAIM_NOT_MADE, "\033[2m[not made]\033[0m "},
                 {3, CLAIM_TIMING, "\033[2m[timing]\033[0m "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Claims claims = {0};
        Screen screen = screen_new(SCREEN_COLOR);
        const Claim *claim =
            claims_add(&claims, "1.1", "id", "text", cases[i].value, "<", 2, cases[i].status);
        claim_show(&screen.term, claim);
        const char *line = screen_text(&screen);
        assert_ptr_equal(strstr(line, cases[i].tag), line);
        screen_free(&screen);
        claims_free(&claims);
    }
}

static Claims four_claims(void) {
    Claims claims = {0};
    claims_add(&claims, "1.1", "share", "a share\tin %", 0.25, "<", 0.5, CLAIM_HOLDS);
    claims_add(&claims, "1.2", "off", "is off", (double)NAN, ">", 1, CLAIM_HOLDS);
    claims_add(&claims, "1.2", "later", "needs more", 7, "<", 1, CLAIM_NOT_MADE);
    claims_add(&claims, "1.3", "quick", "is quick", 0.125, "<", 0.01, CLAIM_TIMING);
    return claims;
}

static void test_table_of_all(void **state) {
    (void)state;
    Claims claims = four_claims();
    Screen screen = screen_new(SCREEN_PIPE);
    claims_show(&screen.term, &claims);
    screen_check(&screen, "  claim       step  says          value   bound\n"
                          "  ----------  ----  ------------  -----  ------\n"
                          "  [holds]      1.1  a share in %   25 %  < 50 %\n"
                          "  [fails]      1.2  is off          nan     > 1\n"
                          "  [not made]   1.2  needs more        -     < 1\n"
                          "  [timing]     1.3  is quick      0.125  < 0.01\n");
    screen_free(&screen);
    claims_free(&claims);
}

static void read_file(const char *folder, const char *name, char *text, size_t size) {
    char *path = path_join(folder, name);
    FILE *file = fopen(path, "r");
    text[0] = '\0';
    if (file) {
        text[fread(text, 1, size - 1, file)] = '\0';
        fclose(file);
    }
    free(path);
}

static void test_files(void **state) {
    (void)state;
    char folder[LESSON_PATH], text[1024];
    Error error;
    Claims claims = four_claims(), none = {0};
    folder_new(folder);
    assert_true(claims_write(&claims, folder, &error));
    read_file(folder, "claims.tsv", text, sizeof text);
    assert_string_equal(text, "step\tid\ttext\tvalue\top\tbound\tstatus\n"
                              "1.1\tshare\ta share\\tin %\t0.25\t<\t0.5\tholds\n"
                              "1.2\toff\tis off\tnan\t>\t1\tfails\n"
                              "1.2\tlater\tneeds more\t-\t<\t1\tnot_made\n"
                              "1.3\tquick\tis quick\t-\t<\t0.01\ttiming\n");
    read_file(folder, "timing_claims.tsv", text, sizeof text);
    assert_string_equal(text, "step\tid\ttext\tvalue\top\tbound\tstatus\n"
                              "1.3\tquick\tis quick\t0.125\t<\t0.01\ttiming\n");
    assert_true(claims_write(&none, folder, &error)); /* seconds of an earlier run do not stay */
    read_file(folder, "timing_claims.tsv", text, sizeof text);
    assert_string_equal(text, "");
    folder_remove(folder);
    assert_false(claims_write(&claims, folder, &error));
    assert_non_null(strstr(error.text, "claims.tsv"));
    claims_free(&claims);
}

static void test_counts(void **state) {
    (void)state;
    Claims claims = four_claims();
    for (int status = CLAIM_HOLDS; status <= CLAIM_TIMING; status++) {
        assert_int_equal(claims_count(&claims, (ClaimStatus)status), 1);
    }
    for (int i = 0; i < 100; i++) { /* room grows */
        char id[16];
        snprintf(id, sizeof id, "more%d", i);
        claims_add(&claims, "1.4", id, "more", i, "<", 1000, CLAIM_HOLDS);
    }
    assert_int_equal(claims_count(&claims, CLAIM_HOLDS), 101);
    assert_string_equal(claims.list[0].id, "share");
    claims_free(&claims);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_comparison),
        cmocka_unit_test(test_nan_fails_whatever_the_bound),
        cmocka_unit_test(test_authors_mistakes_stop),
        cmocka_unit_test(test_lines_say_value_and_bound),
        cmocka_unit_test(test_close_values_show_more_digits),
        cmocka_unit_test(test_colors_of_the_tags),
        cmocka_unit_test(test_table_of_all),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
