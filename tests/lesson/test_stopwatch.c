#include "assert_close.h"

#include "lesson/stopwatch.h"

#include <unistd.h>

typedef struct Work {
    int calls;
    int microseconds; /* of every call but the third, which takes a third of it */
} Work;

static void sleep_a_little(void *context) {
    Work *work = context;
    work->calls++;
    usleep((useconds_t)(work->calls == 3 ? work->microseconds / 3 : work->microseconds));
}

/* One call to warm up and three that count, however small the budget. */
static void test_at_least_three(void **state) {
    (void)state;
    Work work = {.microseconds = 3000};
    double best = stopwatch_best(sleep_a_little, &work, 0.0);
    assert_int_equal(work.calls, 4);
    assert_true(best >= 1e-3); /* the shortest one slept 1 ms; a busy machine may make it longer */
}

static void test_budget(void **state) {
    (void)state;
    Work work = {.microseconds = 1000};
    stopwatch_best(sleep_a_little, &work, 0.03);
    assert_in_range(work.calls, 5, 31);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_least_three),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
