#include "assert_close.h"

#include <stdlib.h>

#include "data/pairs.h"
#include "support/scratch.h"

/* What came of a file with these bytes. */
typedef struct Outcome {
    bool fine;
    PairList list;
    PairsReport report;
    Error error;
} Outcome;

static Outcome read_bytes(const char *bytes, size_t size, PairsOptions options) {
    Outcome outcome = {0};
    char *path = path_join(scratch_folder(), "pairs.tsv");
    assert_true(file_write(path, bytes, size, &outcome.error));
    outcome.fine = pairs_read(path, &options, &outcome.list, &outcome.report, &outcome.error);
    if (!outcome.fine) {
        assert_non_null(strstr(outcome.error.text, "pairs.tsv"));
        assert_null(strchr(outcome.error.text, '\n'));
    }
    free(path);
    return outcome;
}

#define READ(bytes) read_bytes(bytes, sizeof(bytes) - 1, (PairsOptions){0})

static void assert_pair(const Outcome *outcome, int i, const char *source, const char *target,
                        long line) {
    assert_true(i < outcome->list.count);
    assert_string_equal(outcome->list.pair[i].source, source);
    assert_string_equal(outcome->list.pair[i].target, target);
    assert_int_equal(outcome->list.pair[i].line, line);
}

/* The line was skipped for that reason, first at that line, and the pair around it was read. */
static void assert_skipped(const Outcome *outcome, PairsSkip reason, long count, long first) {
    assert_true(outcome->fine);
    assert_int_equal(outcome->report.skip[reason], count);
    assert_int_equal(outcome->report.first[reason], first);
    for (int other = 0; other < PAIRS_SKIP_REASONS; other++) {
        assert_true(other == (int)reason || outcome->report.skip[other] == 0);
    }
}

static void test_plain_file(void **state) {
    (void)state;
    Outcome outcome = READ("Go.\tVa !\nI'm cold.\tJ'ai froid.\n");
    assert_true(outcome.fine);
    assert_int_equal(outcome.list.count, 2);
    assert_int_equal(outcome.report.lines, 2);
    assert_int_equal(outcome.report.pairs, 2);
    assert_false(outcome.report.bom || outcome.report.crlf);
    assert_pair(&outcome, 0, "go .", "va !", 1);
    assert_pair(&outcome, 1, "i 'm cold .", "j' ai froid .", 2);
    pairs_free(&outcome.list);
    assert_int_equal(outcome.list.count, 0);
}

static void test_fault_31_windows_line_ends(void **state) {
    (void)state;
    Outcome outcome = READ("Go.\tVa\r\nHi.\tSalut\r\n");
    assert_int_equal(outcome.list.count, 2);
    assert_true(outcome.report.crlf);
    assert_int_equal(outcome.report.lines, 2);
    assert_pair(&outcome, 0, "go .", "va", 1);
    assert_pair(&outcome, 1, "hi .", "salut", 2);
    pairs_free(&outcome.list);
}

static void test_fault_31_lone_carriage_returns(void **state) {
    (void)state;
    Outcome outcome = READ("Go.\tVa\rHi.\tSalut\r");
    assert_int_equal(outcome.report.lines, 2);
    assert_false(outcome.report.crlf);
    assert_pair(&outcome, 1, "hi .", "salut", 2);
    pairs_free(&outcome.list);
}

static void test_fault_31_byte_order_mark(void **state) {
    (void)state;
    Outcome outcome = READ("\xEF\xBB\xBFGo.\tVa\n");
    assert_true(outcome.report.bom);
    assert_pair(&outcome, 0, "go .", "va", 1);
    pairs_free(&outcome.list);
    outcome = READ("\xEF\xBB\xBF\nGo.\tVa\n");
    assert_int_equal(outcome.report.empty, 1); /* the mark is no line without a tab */
    pairs_free(&outcome.list);
}

static void test_fault_31_empty_lines(void **state) {
    (void)state;
    Outcome outcome = READ("\nGo.\tVa\n\n   \nHi.\tSalut\n\n");
    assert_int_equal(outcome.report.lines, 6);
    assert_int_equal(outcome.report.empty, 4);
    assert_int_equal(outcome.report.pairs, 2);
    assert_pair(&outcome, 0, "go .", "va", 2);
    assert_pair(&outcome, 1, "hi .", "salut", 5);
    pairs_free(&outcome.list);
}

static void test_fault_31_missing_tab(void **state) {
    (void)state;
    Outcome outcome = READ("Go.\tVa\nno tab here\nnor here\nHi.\tSalut");
    assert_skipped(&outcome, PAIRS_NO_TAB, 2, 2);
    assert_int_equal(outcome.list.count, 2);
    assert_pair(&outcome, 1, "hi .", "salut", 4); /* the last line needs no line end */
    pairs_free(&outcome.list);
}

static void test_fault_31_empty_side(void **state) {
    (void)state;
    Outcome outcome = READ("Go.\tVa\n\tSeul\nAlone\t\n \t \nX\t\xC2\xA0\n\t\n");
    assert_skipped(&outcome, PAIRS_EMPTY_SIDE, 5, 2);
    pairs_free(&outcome.list);
}

static void test_fault_31_third_column(void **state) {
    (void)state;
    Outcome outcome =
        READ("Go.\tVa\tCC-BY 2.0 \xC2\xA9 Tom\nHi.\tSalut\tx\ty\nYes\tOui\nNo\tNon\t\n");
    assert_int_equal(outcome.list.count, 4);
    assert_int_equal(outcome.report.attributed, 3);
    assert_pair(&outcome, 0, "go .", "va", 1);
    assert_pair(&outcome, 1, "hi .", "salut", 2);
    assert_pair(&outcome, 3, "no", "non", 4);
    pairs_free(&outcome.list);
}

static void test_fault_31_invalid_utf8(void **state) {
    (void)state;
    Outcome outcome = READ("Go.\tVa\nTea\tTh\xE9\nOver\t\xC0\xAF\nNul\tN\0ul\nHi.\tSalut\n");
    assert_skipped(&outcome, PAIRS_NOT_UTF8, 3, 2);
    assert_pair(&outcome, 1, "hi .", "salut", 5);
    pairs_free(&outcome.list);
}

static void test_fault_31_line_of_100000_characters(void **state) {
    (void)state;
    enum { LONG = 100000 };
    static const char rest[] = "\tcourt\nGo.\tVa\n";
    char *bytes = malloc(LONG + sizeof rest);
    memset(bytes, 'x', LONG);
    strcpy(bytes + LONG, rest);
    Outcome outcome = read_bytes(bytes, strlen(bytes), (PairsOptions){0});
    assert_skipped(&outcome, PAIRS_FIELD_LONG, 1, 1);
    assert_pair(&outcome, 0, "go .", "va", 2);
    pairs_free(&outcome.list);
    bytes[LONG] = ' '; /* no tab on the long line */
    outcome = read_bytes(bytes, strlen(bytes), (PairsOptions){0});
    assert_skipped(&outcome, PAIRS_NO_TAB, 1, 1);
    pairs_free(&outcome.list);
    free(bytes);
}

static void test_fault_31_long_attribution_does_no_harm(void **state) {
    (void)state;
    char bytes[3 * PAIRS_FIELD_LIMIT] = "Go.\tVa\t";
    memset(bytes + 7, 'x', sizeof bytes - 7);
    Outcome outcome = read_bytes(bytes, sizeof bytes, (PairsOptions){0});
    assert_pair(&outcome, 0, "go .", "va", 1);
    pairs_free(&outcome.list);
}

static void test_fault_31_empty_file_folder_missing(void **state) {
    (void)state;
    Outcome outcome = READ("");
    assert_false(outcome.fine);
    const PairsOptions options = {0};
    assert_false(pairs_read(scratch_folder(), &options, &outcome.list, NULL, &outcome.error));
    assert_non_null(strstr(outcome.error.text, scratch_folder()));
    assert_int_equal(outcome.list.count, 0);
    assert_false(pairs_read("no/such.tsv", &options, &outcome.list, NULL, &outcome.error));
    assert_non_null(strstr(outcome.error.text, "no/such.tsv"));
}

static void test_fault_31_nothing_usable(void **state) {
    (void)state;
    Outcome outcome = READ("one\ntwo\n\tthree\n");
    assert_false(outcome.fine);
    assert_non_null(strstr(outcome.error.text, "3 lines"));
    assert_non_null(strstr(outcome.error.text, "2 without a tab (first: line 1)"));
    assert_non_null(strstr(outcome.error.text, "1 with an empty side (line 3)"));
    assert_non_null(strstr(outcome.error.text, "source<TAB>target"));
    outcome = READ("\n\n");
    assert_false(outcome.fine);
    outcome = READ("\xEF\xBB\xBF");
    assert_false(outcome.fine);
    outcome = READ("\xFF\xFEG\0o\0\t\0V\0a\0\n\0");
    assert_false(outcome.fine);
    assert_non_null(strstr(outcome.error.text, "UTF-16"));
    assert_non_null(strstr(outcome.error.text, "line 1"));
}

static void test_limits(void **state) {
    (void)state;
    static const char bytes[] = "a b c\tx\na\tx y z w\na b\tx\nb\ty\nc\tz\n";
    PairsOptions options = {.max_words = 3};
    Outcome outcome = read_bytes(bytes, sizeof bytes - 1, options);
    assert_skipped(&outcome, PAIRS_MANY_WORDS, 1, 2);
    assert_int_equal(outcome.list.count, 4);
    pairs_free(&outcome.list);
    options = (PairsOptions){.max_pairs = 2};
    outcome = read_bytes(bytes, sizeof bytes - 1, options);
    assert_skipped(&outcome, PAIRS_OVER_LIMIT, 3, 3);
    assert_int_equal(outcome.list.count, 2);
    pairs_free(&outcome.list);
}

static void test_repeated_pairs_are_read_once(void **state) {
    (void)state;
    Outcome outcome = READ("Go.\tVa !\ngo .\tva\xC2\xA0!\nGo.\tMarche.\n");
    assert_skipped(&outcome, PAIRS_DUPLICATE, 1, 2);
    assert_int_equal(outcome.list.count, 2);
    pairs_free(&outcome.list);
}

static void test_report_text(void **state) {
    (void)state;
    PairsReport report = {.lines = 5, .pairs = 2, .empty = 1};
    char *text = pairs_report_text("x.tsv", &report);
    assert_string_equal(text, "x.tsv: 5 lines, 2 pairs, 1 empty line");
    free(text);
    report.skip[PAIRS_NO_TAB] = 2;
    report.first[PAIRS_NO_TAB] = 3;
    report.skip[PAIRS_NOT_UTF8] = 1;
    report.first[PAIRS_NOT_UTF8] = 7;
    report.empty = 0;
    text = pairs_report_text("x.tsv", &report);
    assert_string_equal(text,
                        "x.tsv: 5 lines, 2 pairs; skipped 3: 2 without a tab (first: line 3), "
                        "1 not UTF-8 (line 7)");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(test_plain_file),
        SCRATCH_TEST(test_fault_31_windows_line_ends),
        SCRATCH_TEST(test_fault_31_lone_carriage_returns),
        SCRATCH_TEST(test_fault_31_byte_order_mark),
        SCRATCH_TEST(test_fault_31_empty_lines),
        SCRATCH_TEST(test_fault_31_missing_tab),
        SCRATCH_TEST(test_fault_31_empty_side),
        SCRATCH_TEST(test_fault_31_third_column),
        SCRATCH_TEST(test_fault_31_invalid_utf8),
        SCRATCH_TEST(test_fault_31_line_of_100000_characters),
        SCRATCH_TEST(test_fault_31_long_attribution_does_no_harm),
        SCRATCH_TEST(test_fault_31_empty_file_folder_missing),
        SCRATCH_TEST(test_fault_31_nothing_usable),
        SCRATCH_TEST(test_limits),
        SCRATCH_TEST(test_repeated_pairs_are_read_once),
        cmocka_unit_test(test_report_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
