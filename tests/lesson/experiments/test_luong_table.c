#include "support/screen.h"

#include "lesson/experiments/luong_table.h"

enum { CONTENDERS_HERE = 5, WINDOW_HERE = 4 };
static const double errors[CONTENDERS_HERE] = {0.01, 0.02, 0.03, 0.04, 0.05};

static Contest contest_of_five(void) {
    static const char *const labels[] = {"dot", "general", "concat", "old state", "window"};
    Contest contest = {.count = CONTENDERS_HERE};
    for (int i = 0; i < CONTENDERS_HERE; i++) {
        contest.by[i] = (Contender){.label = labels[i], .exact = 0.9 + 0.01 * i};
    }
    return contest;
}

/* Each row has the paper's numbers and ours; the window those of the score it was run with. */
static void test_rows(void **state) {
    (void)state;
    Contest contest = contest_of_five();
    Screen screen = screen_new(SCREEN_PIPE);
    Run run = {.term = screen.term};
    luong_table_show(&run, &contest, errors, WINDOW_HERE, 1);
    const char *text = screen_text(&screen);
    const char *const rows[][5] = {{"dot ", "6.1", "18.6", "0.900", "0.010"},
                                   {"general ", "6.1", "17.3", "0.910", "0.020"},
                                   {"concat ", "not given", "not given", "0.920", "0.030"},
                                   {"window, general ", "5.9", "19.0", "0.940", "0.050"}};
    for (int i = 0; i < 4; i++) {
        const char *line = text, *at = NULL;
        while (line != NULL && at == NULL) { /* the line that begins with the name */
            line = strchr(line, '\n');
            line = line != NULL ? line + 1 : NULL;
            const char *word = line != NULL ? line + strspn(line, " ") : "";
            at = strncmp(word, rows[i][0], strlen(rows[i][0])) == 0 ? word : NULL;
        }
        assert_non_null(at);
        const char *end = strchr(at, '\n');
        for (int k = 1; k < 5; k++) {
            at = strstr(at, rows[i][k]);
            assert_true(at != NULL && at < end);
            at += strlen(rows[i][k]);
        }
    }
    assert_true(screen_widest(text) <= 80);
    screen_free(&screen);
}

static void test_refuses_other_contests(void **state) {
    (void)state;
    Contest contest = contest_of_five();
    Run run = {.silent = true};
    expect_check_message("luong_table: 5 contenders, window 5",
                         luong_table_show(&run, &contest, errors, 5, 1));
    expect_check_message("its score 3", luong_table_show(&run, &contest, errors, WINDOW_HERE, 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_refuses_other_contests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
