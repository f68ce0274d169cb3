#include "lesson/experiments/plain_look.h"
#include "support/stage.h"

#include "core/measure.h"
#include "lesson/experiments/distance.h"

#include <stdlib.h>

static void reach(Reader reader, int n, double *log_norm) {
    reader_reach(reader, LOOKER(looks_everywhere), n, 4, rng_seeded(1, 1), log_norm);
}

static void test_slopes(void **state) {
    (void)state;
    double y[40];
    reach(READER_ATTENTION, 40, y);
    assert_true(fabs(10 * slope_of(y, 10, 40)) < 0.15);
    reach(READER_RNN, 40, y);
    assert_close(10 * slope_of(y, 10, 40), -3.5, 0.6, 0);
    reach(READER_LSTM, 40, y);
    assert_close(10 * slope_of(y, 10, 40), -2.1, 0.4, 0);
    reach(READER_GRU, 40, y);
    assert_close(10 * slope_of(y, 10, 40), -2.1, 0.4, 0);
}

/* Nothing at all beyond the field, something everywhere inside. */
static void test_cnn_ends(void **state) {
    (void)state;
    double y[24];
    reach(READER_CNN, 24, y);
    for (int d = 0; d < 24; d++) {
        assert_int_equal(isfinite(y[d]), d < READER_FIELD);
    }
    double few[5]; /* a sequence shorter than the field */
    reach(READER_CNN, 5, few);
    for (int d = 0; d < 5; d++) {
        assert_true(isfinite(few[d]));
    }
}

/* One token that looks at itself: y = W_v x, so |dL/dx| = |W_v^T v|, about 1 for |v| = 1. */
static void test_one_token(void **state) {
    (void)state;
    double y[1];
    reach(READER_ATTENTION, 1, y);
    assert_close(y[0], 0, 0.1, 0);
}

/* The last token sees the others through the looker: what it may not see has no gradient. */
static void test_looker_decides(void **state) {
    (void)state;
    static const PlainLook ahead = {SEES_FUTURE, MASK_OUT};
    double y[6];
    reader_reach(READER_ATTENTION, LOOKER(ahead), 6, 2, rng_seeded(1, 1), y);
    assert_true(isfinite(y[0]));
    for (int d = 1; d < 6; d++) {
        assert_true(isinf(y[d]) && y[d] < 0);
    }
}

typedef struct Play {
    double slope[READERS], typical[3], power;
} Play;

static void play(Run *run, void *context) {
    Play *found = context;
    static const int lengths[] = {16, 64, 256};
    readers_compare(run, LOOKER(looks_everywhere), 32, 2, found->slope);
    found->power = attention_by_length(run, LOOKER(looks_everywhere), lengths, 3, found->typical);
}

static void test_shown(void **state) {
    (void)state;
    Play found;
    Stage stage = stage_play(play, &found, "--no-plots");
    assert_close(found.slope[READER_CNN], READER_FIELD - 1, 0, 0);
    assert_true(found.slope[READER_RNN] < found.slope[READER_LSTM]);
    assert_true(found.slope[READER_LSTM] < found.slope[READER_ATTENTION]);
    assert_close(found.power, -1, 0.12, 0);
    assert_close(found.typical[0] / found.typical[2], 16, 5, 0);
    const char *files[] = {"distance.tsv", "distance_by_length.tsv"};
    for (int i = 0; i < 2; i++) {
        char *text = lesson_file(&stage, files[i], NULL);
        assert_non_null(text);
        free(text);
    }
    lesson_run_free(&stage);
}

static void test_too_much(void **state) {
    (void)state;
    Run silent = {.silent = true};
    double slope[READERS];
    expect_check_message("12 tokens; it takes 13 to 1024",
                         readers_compare(&silent, LOOKER(looks_back), 12, 1, slope));
    expect_check_message(
        "1 lengths", attention_by_length(&silent, LOOKER(looks_back), (const int[]){4}, 1, slope));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slopes),    cmocka_unit_test(test_cnn_ends),
        cmocka_unit_test(test_one_token), cmocka_unit_test(test_looker_decides),
        cmocka_unit_test(test_shown),     cmocka_unit_test(test_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
