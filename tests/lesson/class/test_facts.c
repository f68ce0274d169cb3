/* What a lesson's program says about itself, and what its last run left. */
#include "assert_close.h"

#include <stdlib.h>
#include <unistd.h>

#include "lesson/class/facts.h"
#include "support/lesson_run.h"

static LessonFacts facts_of(const char *list, const char *help) {
    LessonFacts facts = {.title = strdup(""), .duration = strdup("")};
    char *list_copy = strdup(list), *help_copy = strdup(help);
    lesson_facts_read(&facts, list_copy, help_copy);
    free(list_copy);
    free(help_copy);
    return facts;
}

static void test_list_and_help(void **state) {
    (void)state;
    LessonFacts facts =
        facts_of("2.1  One step\n2.10  The  last\n--break no_mask      padding: all\n",
                 "Lesson 02: Look: back\nWhy?\nIt takes about 30 s.\n\nusage\n");
    assert_string_equal(facts.title, "Look: back");
    assert_string_equal(facts.duration, "about 30 s");
    assert_int_equal(facts.steps.count, 2);
    assert_string_equal(facts.steps.list[1].name, "2.10");
    assert_string_equal(facts.steps.list[1].text, "The  last");
    assert_int_equal(facts.mistakes.count, 1);
    assert_string_equal(facts.mistakes.list[0].name, "no_mask");
    assert_string_equal(facts.mistakes.list[0].text, "padding: all");
    assert_int_equal(named_text_find(&facts.steps, "2.10"), 1);
    assert_int_equal(named_text_find(&facts.steps, "2"), 1);
    assert_int_equal(named_text_find(&facts.steps, "1"), 0);
    static const char *const wrong[] = {"0", "3", "-1", "2.2", "", "1x", "no_mask"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(named_text_find(&facts.steps, wrong[i]), -1);
    }
    lesson_facts_free(&facts);
}

static void test_what_makes_no_sense_is_left_out(void **state) {
    (void)state;
    LessonFacts facts = facts_of("\n \nword\n--break\n--break \n", "It takes \nLesson\n");
    assert_int_equal(facts.steps.count, 0);
    assert_int_equal(facts.mistakes.count, 0);
    assert_string_equal(facts.title, "");
    lesson_facts_free(&facts);
    facts = lesson_facts("nowhere/09_gone");
    assert_string_equal(facts.name, "09_gone");
    assert_int_equal(facts.number, 9);
    assert_int_equal(facts.steps.count, 0);
    lesson_facts_free(&facts);
}

static void expect_time_of(bool quick, const char *record, const char *expected) {
    char folder[LESSON_PATH], path[2 * LESSON_PATH], text[96];
    LessonFacts facts = {.duration = (char[]){"about 30 s"}};
    folder_new(folder);
    snprintf(path, sizeof path, "%s/run.tsv", folder);
    if (record != NULL) {
        FILE *file = fopen(path, "w");
        fputs(record, file);
        assert_int_equal(fclose(file), 0);
    }
    lesson_time_text(&facts, folder, quick, text, sizeof text);
    assert_string_equal(text, expected);
    folder_remove(folder);
}

static void expect_time(const char *record, const char *expected) {
    expect_time_of(false, record, expected);
}

static void test_time_of_the_last_run(void **state) {
    (void)state;
    expect_time(NULL, "about 30 s");
    expect_time("seconds\t31.26\nquick\tno\nonly\t-\nstopped_by\t-\n", "31.3 s last time");
    expect_time("seconds\t3\nquick\tyes\nonly\t-\nstopped_by\t-\n", "3.0 s last time, quick");
    expect_time("seconds\t3\nquick\tno\nonly\t2.1\nstopped_by\t-\n", "about 30 s");
    expect_time("seconds\t3\nquick\tno\nonly\t-\nstopped_by\tCtrl-C\n", "about 30 s");
    expect_time("seconds\t-3\n", "about 30 s");
    expect_time("seconds\tlong\n", "about 30 s");
    expect_time("nothing at all", "about 30 s");
}

static void test_time_in_a_quick_class(void **state) {
    (void)state;
    const char *whole = "seconds\t31.26\nquick\tno\nonly\t-\nstopped_by\t-\n";
    const char *quick = "seconds\t3\nquick\tyes\nonly\t-\nstopped_by\t-\n";
    expect_time_of(true, NULL, "a few seconds");
    expect_time_of(true, whole, "a few seconds");
    expect_time_of(true, quick, "3.0 s last time, quick");
    LessonFacts unknown = {.duration = (char[]){""}}; /* a program that could not be asked */
    char text[96];
    lesson_time_text(&unknown, "", true, text, sizeof text);
    assert_string_equal(text, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_and_help),
        cmocka_unit_test(test_what_makes_no_sense_is_left_out),
        cmocka_unit_test(test_time_of_the_last_run),
        cmocka_unit_test(test_time_in_a_quick_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
