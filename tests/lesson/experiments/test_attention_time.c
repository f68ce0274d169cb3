#include "lesson/experiments/plain_look.h"
#include "support/stage.h"

#include "core/threads.h"
#include "lesson/experiments/attention_time.h"

#include <stdlib.h>

static void test_takes_time(void **state) {
    (void)state;
    for (int layer = 0; layer < TIMED_LAYERS; layer++) {
        double few = timed_layer((TimedLayer)layer, LOOKER(looks_everywhere), 16, 8, 0.0);
        double many = timed_layer((TimedLayer)layer, LOOKER(looks_everywhere), 2048, 8, 0.0);
        assert_true(few > 0.0);
        assert_true(many > 2.0 * few); /* 128 times the tokens */
    }
}

static void play(Run *run, void *context) {
    static const int lengths[] = {4, 8};
    int *threads = context;
    threads_set(1);
    attention_times_show(run, LOOKER(looks_everywhere), lengths, 2, 8);
    *threads = threads_count();
}

/* Seconds are in timing files alone, and the threads are as they were. */
static void test_shown(void **state) {
    (void)state;
    int threads = 0;
    Stage stage = stage_play(play, &threads, "--quick --no-plots");
    assert_int_equal(threads, 1);
    assert_string_equal(lesson_claim(&stage, "longest_time"), "timing");
    assert_string_equal(lesson_claim(&stage, "rnn_threads"), "timing");
    assert_string_equal(lesson_claim(&stage, "attention_threads"), "timing");
    char *text = lesson_file(&stage, "timing_length.tsv", NULL);
    assert_non_null(text);
    assert_non_null(strstr(text, "attention in blocks, 2 threads"));
    free(text);
    lesson_run_free(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_takes_time),
        cmocka_unit_test(test_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
