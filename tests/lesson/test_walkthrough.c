#include "support/screen.h"

#include <signal.h>
#include <stdlib.h>

#include "lesson/child.h"
#include "lesson/tiny_lesson.h"

static const char claims_path[] = "plots/01_tiny/claims.tsv";

static void expect_part(const char *text, const char *part) {
    if (!strstr(text, part)) {
        fail_msg("\"%s\" is missing in:\n%s", part, text);
    }
}

static void expect_no_part(const char *text, const char *part) {
    if (strstr(text, part)) {
        fail_msg("\"%s\" should not be in:\n%s", part, text);
    }
}

static void expect_claims(const Child *child, const char *const *parts) {
    char *text = child_file(child, claims_path);
    assert_non_null(text);
    for (; *parts; parts++) {
        expect_part(text, *parts);
    }
    free(text);
}

static void test_a_whole_run(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = ""});
    assert_int_equal(child.code, 0);
    assert_string_equal(child.err, "");
    static const char *const parts[] = {
        "Lesson 01: The smallest lesson\nWhat does a frame have to hold?\nIt takes about 1 s.\n",
        "\n1.1  Numbers\n",
        "\n1.2  Training\n",
        "\n1.3  Looking\n",
        "\n1.4  Timing\n",
        "[holds] the weights of a row add up to 100 %: 100 % (bound == 100 %)\n",
        "[timing] measuring nothing",
        "  training  40/40  loss",
        "cube[1] (2, 2)\n  5  6\n",
        "What this run has shown\n",
        "\n6 of 6 claims hold.\n",
        "Pictures in plots/01_tiny: "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        expect_part(child.out, parts[i]);
    }
    expect_claims(&child, (const char *const[]){
                              "step\tid\ttext\tvalue\top\tbound\tstatus\n1.1\tsum\t",
                              "\t==\t1\tholds\n", "1.4\tfast\t", "\t-\t<\t-1\ttiming\n", NULL});
    expect_no_part(child.out, "\033");
    assert_in_range(screen_widest(child.out), 60, 100);
    child_free(&child);
}

/* What is printed, too, is the same for the same seed: two logs can be compared. */
static void test_same_seed_same_text_and_claims(void **state) {
    (void)state;
    Child one = child_run((Call){.flags = "--seed 3 --no-plots --only 1.2,1.3 --threads 1"});
    Child two = child_run((Call){.flags = "--seed 3 --no-plots --only 1.2 --only 1.3 -t2"});
    Child other = child_run((Call){.flags = "--seed 4 --no-plots --only 1.2,1.3"});
    assert_string_equal(one.out, two.out);
    assert_string_not_equal(one.out, other.out);
    child_free(&one);
    child_free(&two);
    child_free(&other);
}

static void test_only_runs_silently_what_it_needs(void **state) {
    (void)state;
    Child whole = child_run((Call){.flags = ""}), only = child_run((Call){.flags = "--only 1.3"});
    assert_int_equal(only.code, 0);
    expect_no_part(only.out, "1.2  Training");
    expect_no_part(only.out, "Training begins");
    expect_no_part(only.out, "loss");
    expect_no_part(only.out, "Numbers\n");
    expect_part(only.out, "\n1.3  Looking\n");
    char *all = child_file(&whole, claims_path), *some = child_file(&only, claims_path);
    const char *mine = strstr(some, "\n1.3\tweight\t");
    assert_non_null(mine);
    expect_part(all, mine); /* the same bits as in the whole run */
    expect_no_part(some, "1.2\t");
    char *picture = child_file(&only, "plots/01_tiny/attention.png"),
         *whole_picture = child_file(&whole, "plots/01_tiny/attention.png");
    assert_non_null(picture);
    assert_string_equal(picture, whole_picture);
    char *record = child_file(&only, "plots/01_tiny/run.tsv");
    expect_part(record, "steps_run\t1.2 1.3\n");
    free(all);
    free(some);
    free(picture);
    free(whole_picture);
    free(record);
    child_free(&whole);
    child_free(&only);
}

static void test_only_of_a_whole_lesson_is_all(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--only 1 --quick --no-plots"});
    expect_part(child.out, "1.1  Numbers");
    expect_part(child.out, "1.2  Training");
    expect_part(child.out, "1.4  Timing");
    child_free(&child);
}

static void test_quick_does_not_claim_what_it_has_not_trained(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--quick"});
    assert_int_equal(child.code, 0);
    expect_part(child.out, "[not made] the loss falls below 5 % of what it was (bound < 5 %)\n");
    expect_part(child.out, "3 of 6 claims hold, 3 were not made.\n");
    expect_part(child.out, "A quick run:");
    expect_claims(&child, (const char *const[]){"1.1\tsum\tthe weights of a row add up to 100 "
                                                "%\t1\t==\t1\tholds\n",
                                                "what it was\t-\t<\t0.05\tnot_made\n",
                                                "1.3\tweight\t", "\t-\t<\t2\tnot_made\n", NULL});
    child_free(&child);
}

/* Fewer steps: not made, also in the step that rests on that training; more: made. */
static void test_steps_given_by_the_user(void **state) {
    (void)state;
    Child fewer = child_run((Call){.flags = "--steps 39"});
    assert_int_equal(fewer.code, 0);
    expect_part(fewer.out, "[not made] the loss falls");
    expect_part(fewer.out, "[not made] the weight ends");
    expect_part(fewer.out, "  training  39/39  loss");
    Child more = child_run((Call){.flags = "--steps 41"});
    expect_part(more.out, "[holds] the loss falls");
    expect_part(more.out, "[holds] the weight ends");
    Child both = child_run((Call){.flags = "--steps 50 --quick"}); /* other things are small, too */
    expect_part(both.out, "[not made] the loss falls");
    expect_part(both.out, "  training  50/50  loss");
    child_free(&fewer);
    child_free(&more);
    child_free(&both);
}

static void test_bounds_are_for_the_default_options(void **state) {
    (void)state;
    Child other = child_run((Call){.flags = "--rate 0.9"}); /* the loss might well not fall */
    assert_int_equal(other.code, 0);
    expect_part(other.out, "were set for the default --rate");
    expect_part(other.out, "[not made] the loss falls");
    expect_part(other.out, "[holds] the weights of a row add up to"); /* cheap ones are made */
    Child free_one = child_run((Call){.flags = "--score concat"});    /* claims do not rest on it */
    expect_part(free_one.out, "[holds] the loss falls");
    assert_null(strstr(free_one.out, "were set for the default"));
    child_free(&other);
    child_free(&free_one);
}

static void test_a_failing_claim_is_exit_1(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--break wrong_sum --quick --no-plots"});
    assert_int_equal(child.code, 1);
    assert_string_equal(child.err, "");
    expect_part(child.out,
                "[fails] the weights of a row add up to 100 %: 150 % (bound == 100 %)\n");
    expect_part(child.out, "This run is broken on purpose (--break wrong_sum): ");
    expect_part(child.out, "2 of 6 claims hold, 1 fails, 3 were not made. Exit code 1.\n");
    child_free(&child);
    child = child_run((Call){.flags = "--break upside_down"});
    assert_int_equal(child.code, 1);
    child_free(&child);
}

static void test_a_claim_about_nan_fails(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--break nan_value --quick --no-plots"});
    assert_int_equal(child.code, 1);
    expect_part(child.out, "[fails] this is a number: nan (bound < 1e+09)\n");
    expect_claims(&child, (const char *const[]){"\tnan\t<\t1000000000\tfails\n", NULL});
    child_free(&child);
}

static void test_timing_is_never_red(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--only 1.4"});
    assert_int_equal(child.code, 0); /* although its bound does not hold */
    char *timing = child_file(&child, "plots/01_tiny/timing_claims.tsv");
    assert_non_null(timing);
    expect_part(timing, "1.4\tfast\tmeasuring nothing takes a negative time\t");
    expect_no_part(timing, "\t-\t<");
    expect_no_part(timing, "count");
    expect_part(child.out, "\n1 of 1 claim holds.\n");
    free(timing);
    child_free(&child);
}

static void test_authors_mistakes_stop(void **state) {
    (void)state;
    expect_check_message("step 1.2 needs \"1.1 1.3\"", tiny_lesson_wrong("needs"));
    expect_check_message("two steps 1.1", tiny_lesson_wrong("twice"));
}

static int wrong_claim(int argc, char **argv) {
    (void)argc;
    (void)argv;
    return tiny_lesson_wrong("claim");
}

static int wrong_mistake(int argc, char **argv) {
    (void)argc;
    (void)argv;
    return tiny_lesson_wrong("mistake");
}

static int wrong_in_threads(int argc, char **argv) {
    (void)argc;
    (void)argv;
    return tiny_lesson_wrong("threads");
}

static void test_an_error_in_several_threads_ends_once(void **state) {
    (void)state;
    for (int i = 0; i < 10; i++) {
        Child child = child_run((Call){.flags = "", .main = wrong_in_threads});
        if (child.code != 3) {
            fail_msg("code %d\n%s\n%s", child.code, child.out, child.err);
        }
        assert_string_equal(child.err, "error: nobody can do this\n");
        char *record = child_file(&child, "plots/01_tiny/run.tsv");
        expect_part(record, "exit_code\t3\n");
        free(record);
        char *log = child_file(&child, "plots/01_tiny/attention.tsv"); /* as after Ctrl-C */
        assert_non_null(log);
        free(log);
        child_free(&child);
    }
}

static void test_authors_mistakes_inside_a_step_stop(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "", .main = wrong_claim});
    assert_int_equal(child.code, 3);
    expect_part(child.err, "error: two claims are called \"same\": \"once\" and \"twice\"\n");
    expect_part(child.out, "What this run has shown"); /* what there was until then */
    expect_part(child.out, "This run ended early (an error of the program)");
    char *record = child_file(&child, "plots/01_tiny/run.tsv");
    expect_part(record, "stopped_by\tan error of the program\nexit_code\t3\n");
    free(record);
    child_free(&child);
    child = child_run((Call){.flags = "", .main = wrong_mistake});
    assert_int_equal(child.code, 3);
    expect_part(child.err, "lists no mistake called \"unheard_of\"");
    child_free(&child);
}

static void test_check_finite_names_the_operation(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--check-finite --die --quick"});
    assert_int_equal(child.code, 3);
    assert_false(child.by_signal);
    expect_part(child.err, "error: scale");
    child_free(&child);
    child = child_run((Call){.flags = "--die --quick"});
    assert_int_equal(child.code, 0);
    child_free(&child);
}

/* faults 30 */
static void test_plain_ascii_in_the_c_locale(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "", .environment = "LC_ALL=C"});
    assert_true(screen_is_ascii(child.out));
    expect_part(child.out, "l'eleve and \"oeuvre\".\n");
    expect_part(child.out, "cafe");
    child_free(&child);
    child = child_run((Call){.flags = ""});
    expect_part(child.out, "caf\xC3\xA9");
    child_free(&child);
}

static void test_on_a_terminal_there_is_color_and_time(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--delay 20", .columns = 80});
    assert_int_equal(child.code, 0);
    expect_part(child.out, "\033[32m[holds]\033[0m ");
    expect_part(child.out, "\033[48;5;");
    expect_part(child.out, "\r  training [");
    expect_part(child.out, "(1.2 took ");
    expect_part(child.out, "\nIt took ");
    child_free(&child);
}

/* faults 30: nothing of that when it is not wanted. */
static void test_no_escape_sequences_when_unwanted(void **state) {
    (void)state;
    static const struct {
        const char *flags, *environment;
        bool bar;
    } cases[] = {{"--delay 5", "NO_COLOR=1", true},
                 {"--delay 5 --no-color", "", true},
                 {"--delay 5", "TERM=dumb", false},
                 {"--delay 5", "TERM=", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Child child = child_run(
            (Call){.flags = cases[i].flags, .environment = cases[i].environment, .columns = 80});
        assert_int_equal(child.code, 0);
        expect_no_part(child.out, "\033");
        assert_int_equal(strstr(child.out, "\r  training [") != NULL, cases[i].bar);
        child_free(&child);
    }
    Child set_empty =
        child_run((Call){.flags = "--only 1.1", .environment = "NO_COLOR=", .columns = 80});
    expect_part(set_empty.out, "\033[1m");
    child_free(&set_empty);
}

static void test_silent_steps_show_a_bar_and_wipe_it(void **state) {
    (void)state;
    Child child = child_run((Call){.flags = "--only 1.3 --delay 10", .columns = 80});
    expect_part(child.out, "\r  training [");
    char wiped[128];
    snprintf(wiped, sizeof wiped, "\r%79s\r\r\n", ""); /* the newline before the heading of 1.3 */
    expect_part(child.out, wiped);
    expect_no_part(child.out, "Training begins");
    child_free(&child);
}

/* Every line a terminal shows, between newlines and returns, without the escape sequences. */
static int widest_shown(const char *text) {
    char *plain = malloc(strlen(text) + 1), *end = plain;
    for (; *text; text++) {
        if (*text == '\033') {
            text += strcspn(text, "m");
        } else {
            *end++ = *text == '\r' ? '\n' : *text;
        }
    }
    *end = '\0';
    int widest = screen_widest(plain);
    free(plain);
    return widest;
}

static void test_windows_of_every_width(void **state) {
    (void)state;
    static const int widths[] = {40, 80, 100, 200};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        Child child = child_run((Call){.flags = "--delay 5 --quick", .columns = widths[i]});
        assert_int_equal(child.code, 0);
        assert_in_range(widest_shown(child.out), 30, widths[i] < 100 ? widths[i] : 100);
        child_free(&child);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_whole_run),
        cmocka_unit_test(test_same_seed_same_text_and_claims),
        cmocka_unit_test(test_only_runs_silently_what_it_needs),
        cmocka_unit_test(test_only_of_a_whole_lesson_is_all),
        cmocka_unit_test(test_quick_does_not_claim_what_it_has_not_trained),
        cmocka_unit_test(test_steps_given_by_the_user),
        cmocka_unit_test(test_bounds_are_for_the_default_options),
        cmocka_unit_test(test_a_failing_claim_is_exit_1),
        cmocka_unit_test(test_a_claim_about_nan_fails),
        cmocka_unit_test(test_timing_is_never_red),
        cmocka_unit_test(test_authors_mistakes_stop),
        cmocka_unit_test(test_authors_mistakes_inside_a_step_stop),
        cmocka_unit_test(test_an_error_in_several_threads_ends_once),
        cmocka_unit_test(test_check_finite_names_the_operation),
        cmocka_unit_test(test_plain_ascii_in_the_c_locale),
        cmocka_unit_test(test_on_a_terminal_there_is_color_and_time),
        cmocka_unit_test(test_no_escape_sequences_when_unwanted),
        cmocka_unit_test(test_silent_steps_show_a_bar_and_wipe_it),
        cmocka_unit_test(test_windows_of_every_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
