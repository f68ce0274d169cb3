#include "assert_close.h"

#include "lesson/stopwatch.h"
#include "show/progress.h"

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

/* One call to warm up and one that counts, however small the budget. */
static void test_at_least_one(void **state) {
    (void)state;
    Work work = {.microseconds = 3000};
    double best = stopwatch_best(sleep_a_little, &work, 0.0);
    assert_int_equal(work.calls, 2);
    assert_true(best >= 3e-3);
}

/* The budget is used up, and the shortest call, the third, is what counts. (A busy machine may make
 * every call longer, none shorter.) */
static void test_budget(void **state) {
    (void)state;
    Work work = {.microseconds = 10000};
    double begin = progress_clock(), best = stopwatch_best(sleep_a_little, &work, 0.1);
    double seconds = progress_clock() - begin;
    assert_true(seconds >= 0.1 + 1e-2);
    assert_true(best >= 3e-3);
    assert_true(best <= seconds / work.calls);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_least_one),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
