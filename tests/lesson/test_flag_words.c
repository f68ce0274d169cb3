#include "assert_close.h"

#include <stdlib.h>

#include "lesson/flag_words.h"

/* The words of a line, joined by "|". */
static void expect_words(const char *flags, const char *joined) {
    int count;
    char all[256] = "", **words = flag_words(flags, &count);
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
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
