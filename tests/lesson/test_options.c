#include "assert_close.h"

#include <stdlib.h>

#include "lesson/options.h"

typedef struct Values {
    int units, score;
    float rate;
    uint64_t seed;
    bool loud;
    const char *data, *only;
} Values;

static const char *const scores[] = {"dot", "general", "concat", NULL};

/* Parses the words of `line` (split at blanks, "_" stands for a blank); the values stay in *v. */
static bool parse(const char *line, Values *v, char **joined, Error *error) {
    static char text[512];
    char *argv[32] = {"program"};
    int argc = 1;
    *v = (Values){.units = 8, .rate = 0.5f, .seed = 1};
    const Option options[] = {
        OPTION_INT("units", 'u', &v->units, -5, 64, "units"),
        OPTION_FLOAT("rate", 'r', &v->rate, 0.001, 2, "rate"),
        OPTION_SEED("seed", 's', &v->seed, "seed"),
        OPTION_CHOICE("score", 0, &v->score, scores, "score"),
        OPTION_FLAG("loud", 'l', &v->loud, "loud"),
        OPTION_TEXT("data", 'd', &v->data, "FILE", "data"),
        OPTION_LIST("only", 0, &v->only, "STEP", "only"),
    };
    snprintf(text, sizeof text, "%s", line);
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        for (char *at = word; (at = strchr(at, '_'));) {
            *at = ' ';
        }
        argv[argc++] = word;
    }
    return options_parse(options, COUNT_OF(options), argc, argv, joined, error);
}

static Values accept(const char *line) {
    Values v;
    char *joined = NULL;
    Error error = {""};
    if (!parse(line, &v, &joined, &error)) {
        fail_msg("%s was refused: %s", line, error.text);
    }
    free(joined);
    return v;
}

static void refuse(const char *line, const char *message) {
    Values v;
    char *joined = NULL;
    Error error = {""};
    assert_false(parse(line, &v, &joined, &error));
    assert_string_equal(error.text, message);
    assert_null(strchr(error.text, '\n'));
    free(joined);
}

static void test_values_of_every_kind(void **state) {
    (void)state;
    Values v = accept("--units 12 --rate 1e-2 --seed 18446744073709551615 --score concat --loud "
                      "--data a_b.tsv");
    assert_int_equal(v.units, 12);
    assert_close((double)v.rate, 0.01, 1e-9, 0);
    assert_true(v.seed == UINT64_MAX);
    assert_int_equal(v.score, 2);
    assert_true(v.loud);
    assert_string_equal(v.data, "a b.tsv");
}

static void test_defaults_and_short_forms(void **state) {
    (void)state;
    Values v = accept("");
    assert_int_equal(v.units, 8);
    assert_false(v.loud);
    assert_null(v.data);
    v = accept("-lu 3 -r2 --uni=-5");
    assert_true(v.loud);
    assert_int_equal(v.units, -5);
    assert_close((double)v.rate, 2, 1e-9, 0);
    v = accept("--units +7 --units 9"); /* the last one counts */
    assert_int_equal(v.units, 9);
}

/* getopt keeps a place inside "-lu": the next call must not start from there. */
static void test_parsing_again_starts_afresh(void **state) {
    (void)state;
    refuse("-lz", "unknown flag -z; --help lists all flags");
    assert_int_equal(accept("-u 5").units, 5);
}

static void test_lists_are_joined(void **state) {
    (void)state;
    Values v;
    char *joined = NULL;
    Error error = {""};
    assert_true(parse("--only 2.1 --only 2.3,2.4 --only 2.5", &v, &joined, &error));
    assert_string_equal(v.only, "2.1,2.3,2.4,2.5");
    free(joined);
}

static void test_bad_numbers_name_what_is_allowed(void **state) {
    (void)state;
    refuse("--units abc", "--units abc: not a whole number; allowed: whole numbers from -5 to 64");
    refuse("--units 3.5", "--units 3.5: not a whole number; allowed: whole numbers from -5 to 64");
    refuse("--units 12x", "--units 12x: not a whole number; allowed: whole numbers from -5 to 64");
    refuse("--units=", "--units : not a whole number; allowed: whole numbers from -5 to 64");
    refuse("--units=_7", "--units  7: not a whole number; allowed: whole numbers from -5 to 64");
    refuse("--units 65", "--units 65: out of range; allowed: whole numbers from -5 to 64");
    refuse("--units 99999999999999999999",
           "--units 99999999999999999999: out of range; allowed: whole numbers from -5 to 64");
    refuse("--rate fast", "--rate fast: not a number; allowed: numbers from 0.001 to 2");
    refuse("--rate nan", "--rate nan: not a number; allowed: numbers from 0.001 to 2");
    refuse("--rate inf", "--rate inf: out of range; allowed: numbers from 0.001 to 2");
    refuse("--rate 0", "--rate 0: out of range; allowed: numbers from 0.001 to 2");
    refuse("--seed -1",
           "--seed -1: out of range; allowed: whole numbers from 0 to 18446744073709551615");
    refuse("--seed 18446744073709551616",
           "--seed 18446744073709551616: out of range; allowed: whole numbers from 0 to "
           "18446744073709551615");
}

static void test_choices_and_texts(void **state) {
    (void)state;
    refuse("--score dott",
           "--score dott: no such choice, did you mean dot?; allowed: dot, general, concat");
    refuse("--score bilinear", "--score bilinear: no such choice; allowed: dot, general, concat");
    refuse("--data=", "--data: an empty text, where a FILE is needed");
    refuse("--data --loud", "--data needs a value, and --loud is a flag");
    refuse("--data", "--data needs a value; allowed: any FILE");
    refuse("-u", "--units needs a value; allowed: whole numbers from -5 to 64");
    refuse("--loud=yes", "--loud takes no value");
}

static void test_unknown_flags(void **state) {
    (void)state;
    refuse("--untis 3", "unknown flag --untis; did you mean --units? (--help lists all flags)");
    refuse("--untis=3", "unknown flag --untis; did you mean --units? (--help lists all flags)");
    refuse("--hidden 3", "unknown flag --hidden; --help lists all flags");
    refuse("--s 3", "--s can mean --seed or --score");
    refuse("-x", "unknown flag -x; --help lists all flags");
    refuse("left --loud", "\"left\" is no flag; flags begin with -- (--help lists them)");
    refuse("--loud -- left", "\"left\" is no flag; flags begin with -- (--help lists them)");
}

/* An error stays one line of reasonable length, whatever was typed. */
static void test_odd_words_stay_one_line(void **state) {
    (void)state;
    char line[400];
    memset(line, 'x', sizeof line);
    memcpy(line, "--units ", 8);
    line[sizeof line - 1] = '\0';
    Values v;
    Error error = {""};
    assert_false(parse(line, &v, NULL, &error));
    assert_in_range(strlen(error.text), 50, 250);
    assert_false(parse("--a\nb\033", &v, NULL, &error));
    assert_string_equal(error.text, "unknown flag --a b ; --help lists all flags");
}

static void test_closest_word(void **state) {
    (void)state;
    static const char *const words[] = {"steps", "step", "seed", "no-plots"};
    assert_string_equal(closest_word("setps", words, 4), "steps");
    assert_string_equal(closest_word("sede", words, 4), "seed");
    assert_string_equal(closest_word("no-plot", words, 4), "no-plots");
    assert_string_equal(closest_word("stepp", words, 4), "steps");
    assert_null(closest_word("banana", words, 4));
    assert_null(closest_word("x", words, 4));
    assert_null(closest_word("", words, 4));
}

static void test_values_as_text(void **state) {
    (void)state;
    Values v = accept("--rate 0.003 --score general");
    const char *no_text = NULL;
    const Option rate = OPTION_FLOAT("rate", 0, &v.rate, 0, 1, ""),
                 score = OPTION_CHOICE("score", 0, &v.score, scores, ""),
                 loud = OPTION_FLAG("loud", 0, &v.loud, ""),
                 text = OPTION_TEXT("data", 0, &no_text, "FILE", "");
    char shown[32];
    option_value_text(&rate, shown, sizeof shown);
    assert_string_equal(shown, "0.003");
    option_value_text(&score, shown, sizeof shown);
    assert_string_equal(shown, "general");
    option_value_text(&loud, shown, sizeof shown);
    assert_string_equal(shown, "no");
    option_value_text(&text, shown, sizeof shown);
    assert_string_equal(shown, "-");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_every_kind),
        cmocka_unit_test(test_defaults_and_short_forms),
        cmocka_unit_test(test_parsing_again_starts_afresh),
        cmocka_unit_test(test_lists_are_joined),
        cmocka_unit_test(test_bad_numbers_name_what_is_allowed),
        cmocka_unit_test(test_choices_and_texts),
        cmocka_unit_test(test_unknown_flags),
        cmocka_unit_test(test_odd_words_stay_one_line),
        cmocka_unit_test(test_closest_word),
        cmocka_unit_test(test_values_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
