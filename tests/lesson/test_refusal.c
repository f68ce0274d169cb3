#include "assert_close.h"

#include "core/check.h"
#include "lesson/refusal.h"

static void count_up_to(void *context) {
    int *count = context;
    for (int i = 0; i < 3; i++) {
        CHECK(*count < 5, "count: %d is too many", *count);
        ++*count;
    }
}

static void test_what_went_well(void **state) {
    (void)state;
    int count = 0;
    Refusal refusal = refusal_of(count_up_to, &count);
    assert_false(refusal.refused);
    assert_string_equal(refusal.message, "");
    assert_int_equal(count, 3);
}

/* The work stops at the check, the program does not; and that again and again. */
static void test_message(void **state) {
    (void)state;
    int count = 3;
    for (int i = 0; i < 3; i++) {
        Refusal refusal = refusal_of(count_up_to, &count);
        assert_true(refusal.refused);
        assert_string_equal(refusal.message, "count: 5 is too many");
        assert_int_equal(count, 5);
    }
    count = 0;
    assert_false(refusal_of(count_up_to, &count).refused);
}

static int told;

static void tell(const char *message) {
    (void)message;
    told++;
}

/* Whoever handled checks before does so again afterwards. */
static void test_handler_is_put_back(void **state) {
    (void)state;
    CheckHandler before = check_handler_set(tell);
    int count = 4;
    refusal_of(count_up_to, &count);
    assert_int_equal(told, 0);
    assert_ptr_equal(check_handler_set(before), tell);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_went_well),
        cmocka_unit_test(test_message),
        cmocka_unit_test(test_handler_is_put_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
