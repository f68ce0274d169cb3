#include "assert_close.h"

#include <stdlib.h>

#include "lesson/attention_log.h"
#include "support/lesson_run.h"

static char *read_log(const char *folder) {
    char *path = path_join(folder, "attention.tsv"), *bytes;
    size_t size;
    Error error;
    assert_true(file_read(path, 1 << 20, &bytes, &size, &error));
    free(path);
    return bytes;
}

static bool write_log(const AttentionLog *log, const char *folder, Error *error) {
    char *path = path_join(folder, "attention.tsv");
    bool ok = attention_log_write(log, path, error);
    free(path);
    return ok;
}

static void test_one_line_for_each_weight(void **state) {
    (void)state;
    char folder[LESSON_PATH];
    Error error;
    AttentionLog log = {0};
    folder_new(folder);
    const float weights[] = {0.75f, 0.25f, 0, 0.1f, 0.2f, 0.7f};
    const char *const queries[] = {"le", "a\tb\\"}, *const keys[] = {"the", "\xC3\xA9t\xC3\xA9",
                                                                     "x\ny"};
    attention_log_add(&log, "heads\tone", 1, 3, weights, 2, 3, queries, keys);
    attention_log_add(&log, "", 0, 0, weights + 1, 1, 1, keys, queries);
    assert_true(write_log(&log, folder, &error));
    char *text = read_log(folder);
    assert_string_equal(text, "layer\thead\tquery\tkey\tquery_token\tkey_token\tweight\tmap\n"
                              "1\t3\t0\t0\tle\tthe\t0.75\theads\\tone\n"
                              "1\t3\t0\t1\tle\t\xC3\xA9t\xC3\xA9\t0.25\theads\\tone\n"
                              "1\t3\t0\t2\tle\tx\\ny\t0\theads\\tone\n"
                              "1\t3\t1\t0\ta\\tb\\\\\tthe\t0.1\theads\\tone\n"
                              "1\t3\t1\t1\ta\\tb\\\\\t\xC3\xA9t\xC3\xA9\t0.2\theads\\tone\n"
                              "1\t3\t1\t2\ta\\tb\\\\\tx\\ny\t0.7\theads\\tone\n"
                              "0\t0\t0\t0\tthe\tle\t0.25\t\n");
    free(text);
    attention_log_free(&log);
    folder_remove(folder);
}

static void test_many_maps_and_none(void **state) {
    (void)state;
    char folder[LESSON_PATH];
    Error error;
    AttentionLog log = {0};
    folder_new(folder);
    assert_true(write_log(&log, folder, &error));
    char *text = read_log(folder);
    assert_string_equal(text, "layer\thead\tquery\tkey\tquery_token\tkey_token\tweight\tmap\n");
    free(text);
    const float weight = 1;
    const char *const token[] = {"t"};
    for (int i = 0; i < 3000; i++) {
        attention_log_add(&log, "m", i, 0, &weight, 1, 1, token, token);
    }
    assert_true(write_log(&log, folder, &error));
    text = read_log(folder);
    assert_non_null(strstr(text, "\n0\t0\t0\t0\tt\tt\t1\tm\n"));
    assert_non_null(strstr(text, "\n2999\t0\t0\t0\tt\tt\t1\tm\n"));
    free(text);
    attention_log_free(&log);
    folder_remove(folder);
    assert_false(write_log(&log, folder, &error));
    assert_non_null(strstr(error.text, "attention.tsv"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_line_for_each_weight),
        cmocka_unit_test(test_many_maps_and_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
