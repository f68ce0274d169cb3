#include "support/lesson_run.h"
#include "support/picture.h"

#include <stdlib.h>

#include "lesson/record_read.h"

static char folder[LESSON_PATH];

static int folder_setup(void **state) {
    (void)state;
    folder_new(folder);
    return 0;
}

static int folder_teardown(void **state) {
    (void)state;
    folder_remove(folder);
    return 0;
}

static bool read_this(const char *text, size_t size, Record *record, Error *error) {
    assert_true(file_write(path_in(folder, "run.tsv"), text, size, error));
    return record_read(folder, record, error);
}

static void test_lines(void **state) {
    (void)state;
    static const char text[] =
        "lesson\t01\nflags\ta\\tb\\\\c\\n\\r\\x\n\nempty\t\nlesson\t02\nlast\t1\t2";
    Record record;
    Error error = {""};
    assert_true(read_this(text, sizeof text - 1, &record, &error));
    assert_int_equal(record.count, 5);
    assert_string_equal(record_value(&record, "lesson"), "01");
    assert_string_equal(record_value(&record, "flags"), "a\tb\\c\n\r\\x");
    assert_string_equal(record_value(&record, "empty"), "");
    assert_string_equal(record_value(&record, "last"), "1\t2");
    assert_null(record_value(&record, "none"));
    record_free(&record);
}

static void expect_refusal(const char *text, size_t size, const char *says) {
    Record record;
    Error error = {""};
    assert_false(read_this(text, size, &record, &error));
    assert_non_null(strstr(error.text, "no folder of a run"));
    assert_non_null(strstr(error.text, says));
    assert_null(record.text);
}

static void test_what_is_no_record(void **state) {
    (void)state;
    expect_refusal("no tab\n", 7, "other lines");
    expect_refusal("a\tb\nno tab", 10, "other lines");
    expect_refusal("a\tb\0c\td\n", 8, "other lines");
    expect_refusal("\n\n", 2, "other lines");
    expect_refusal("", 0, "empty");
    char *large = calloc(1, (1 << 20) + 1);
    memset(large, 'a', (1 << 20) + 1);
    expect_refusal(large, (1 << 20) + 1, "larger than the limit");
    free(large);
    Record record;
    Error error = {""};
    assert_false(record_read("no/such/folder", &record, &error));
    assert_string_equal(error.text, "no/such/folder: no folder of a run: no/such/folder/run.tsv: "
                                    "there is no such file");
}

/* The words of a line, joined by "|". */
static void expect_words(const char *flags, const char *joined) {
    int count;
    char all[256] = "", **words = record_words(flags, &count);
    for (int i = 0; words != NULL && i < count; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s|", words[i]);
        free(words[i]);
    }
    assert_int_equal(words == NULL, joined == NULL);
    assert_string_equal(all, joined != NULL ? joined : "");
    free(words);
}

static void test_words(void **state) {
    (void)state;
    expect_words("-", "");
    expect_words("", "");
    expect_words("--quick  -n 3 ", "--quick|-n|3|");
    expect_words("--out 'a b' ''", "--out|a b||");
    expect_words("'it'\\''s' a'b 'c", "it's|ab c|");
    expect_words("'\\n'", "\\n|");
    expect_words("a 'b", NULL);
    expect_words("'", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_what_is_no_record),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, folder_setup, folder_teardown);
}
