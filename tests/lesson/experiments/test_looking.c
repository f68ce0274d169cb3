#include "assert_close.h"

#include "lesson/experiments/looking.h"

/* Two words of two rows, one of one row, none of those without weights. */
static void test_words_seen(void **state) {
    (void)state;
    const float two[] = {0.5f, 0.5f, 0, 0.25f, 0.75f, 0}, one[] = {0, 1};
    Translation item[] = {{.weights = two, .rows = 2, .columns = 3},
                          {.weights = one, .rows = 1, .columns = 2},
                          {.rows = 7, .columns = 3}};
    Translations list = {.count = 3, .item = item};
    assert_close(translations_words_seen(&list), 5.0 / 3.0, 1e-12, 0);
}

static void test_nothing_seen(void **state) {
    (void)state;
    Translations none = {0};
    assert_close(translations_words_seen(&none), 0.0, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_seen),
        cmocka_unit_test(test_nothing_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
