#include "assert_close.h"

#include "show/ticks.h"

static void test_steps_are_round(void **state) {
    (void)state;
    static const struct {
        double span;
        int count;
        double step;
    } cases[] = {{1, 5, 0.2},       {1, 4, 0.5},   {1, 10, 0.1},   {10, 5, 2},
                 {0.9, 5, 0.2},     {100, 1, 100}, {7, 6, 2},      {3e-7, 3, 1e-7},
                 {1e-30, 2, 5e-31}, {512, 20, 50}, {100.1, 1, 200}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_close(tick_step(cases[i].span, cases[i].count), cases[i].step, 0, 1e-9);
    }
}

static void test_first_tick_lies_inside(void **state) {
    (void)state;
    assert_close(tick_first(0.31, 0.2), 0.4, 1e-12, 0);
    assert_close(tick_first(0.4, 0.2), 0.4, 1e-12, 0);
    assert_close(tick_first(3 * 0.1, 0.1), 0.3, 1e-12, 0); /* 0.30000000000000004 */
    assert_close(tick_first(-0.31, 0.2), -0.2, 1e-12, 0);
    assert_close(tick_first(0, 5), 0, 0, 0);
}

static void assert_tick(double value, double step, const char *expected) {
    char text[32];
    tick_text(text, sizeof text, value, step);
    assert_string_equal(text, expected);
}

static void test_numbers_have_just_enough_decimals(void **state) {
    (void)state;
    assert_tick(0.6000000000000001, 0.2, "0.6");
    assert_tick(1, 0.5, "1.0");
    assert_tick(0.25, 0.05, "0.25");
    assert_tick(100, 20, "100");
    assert_tick(-3e-17, 0.1, "0.0"); /* and not "-0.0" */
    assert_tick(-0.5, 0.5, "-0.5");
    assert_tick(3e-7, 1e-7, "3e-07");
    assert_tick(2e6, 1e6, "2e+06");
    assert_tick(0.001, 0.001, "0.001");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_are_round),
        cmocka_unit_test(test_first_tick_lies_inside),
        cmocka_unit_test(test_numbers_have_just_enough_decimals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
