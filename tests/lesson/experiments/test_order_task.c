#include "lesson/experiments/library_positions.h"
#include "support/stage.h"

#include "lesson/experiments/order_task.h"

#include <stdlib.h>

static const PositionPlan small = {
    .V = 6, .outputs = 2, .d = 16, .heads = 2, .layers = 1, .max_length = 5};

static OrderTask task_of(PositionModel *m, PositionKind kind) {
    library_model(m, kind, small, 1);
    return order_task_new(m, 5, 40, rng_seeded(2, 2));
}

/* One A, one B, and the answer is what one sees. */
static void test_sequences(void **state) {
    (void)state;
    PositionModel m;
    OrderTask task = task_of(&m, POSITION_NONE);
    int yes = 0;
    for (int n = 0; n < 20; n++) {
        order_draw(&task, &task.rng);
        for (int b = 0; b < 40; b++) {
            int a_at = -1, b_at = -1, as = 0, bs = 0;
            for (int t = 0; t < 5; t++) {
                int id = task.ids[b * 5 + t];
                assert_in_range(id, 0, 5);
                as += id == ORDER_A;
                bs += id == ORDER_B;
                a_at = id == ORDER_A ? t : a_at;
                b_at = id == ORDER_B ? t : b_at;
            }
            assert_true(as == 1 && bs == 1);
            assert_int_equal(task.answer[b], a_at < b_at);
            yes += task.answer[b];
        }
    }
    assert_in_range(yes, 340, 460); /* of 800 */
    order_task_free(&task);
    position_model_free(&m);
}

/* Who knows what: nothing, distances without a direction, places. */
static void test_what_moves_the_answer(void **state) {
    (void)state;
    for (int kind = POSITION_NONE; kind <= POSITION_ALIBI; kind++) {
        PositionModel m;
        OrderTask task = task_of(&m, (PositionKind)kind);
        double swapped = order_swapped(&task, 50), reversed = order_reversed(&task, 50);
        assert_true(kind == POSITION_NONE ? swapped < 1e-5 : swapped > 1e-4);
        assert_true(kind == POSITION_NONE || kind == POSITION_ALIBI ? reversed < 1e-5
                                                                    : reversed > 1e-4);
        Tape tape = tape_new();
        tape.recording = false;
        if (kind == POSITION_NONE) { /* right about one of each pair */
            assert_close(order_accuracy(&task, &tape), 0.5, 0, 0);
        }
        tape_free(&tape);
        order_task_free(&task);
        position_model_free(&m);
    }
}

static void play(Run *run, void *context) {
    const PositionArms arms = {position_names, 4, library_make};
    PositionPlan model = small;
    model.outputs = 0; /* order_compare() knows better */
    order_compare(run, &arms, (OrderPlan){.T = 5, .B = 32, .steps = 150, .model = model}, context);
}

static void test_learns(void **state) {
    (void)state;
    OrderResult by[4];
    Stage stage = stage_play(play, by, "--no-plots");
    assert_int_equal(stage.status, 0);
    assert_close(by[POSITION_NONE].right, 0.5, 0, 0);
    assert_true(by[POSITION_SINUSOIDAL].right > 0.95);
    assert_true(by[POSITION_LEARNED].right > 0.95);
    assert_true(by[POSITION_ROPE].right > 0.95);
    assert_int_equal(by[0].curve.n, 15);
    assert_true(by[POSITION_ROPE].swapped > 1.0 && by[POSITION_NONE].swapped < 1e-5);
    char *text = lesson_file(&stage, "order_learning.tsv", NULL);
    assert_non_null(strstr(text, "sinusoidal"));
    free(text);
    lesson_run_free(&stage);
}

static void test_wrong_sizes(void **state) {
    (void)state;
    PositionModel m;
    OrderTask task = task_of(&m, POSITION_NONE);
    expect_check_message("1 tokens", order_task_new(&m, 1, 4, task.rng));
    m.plan.V = 2;
    expect_check_message("2 tokens", order_task_new(&m, 5, 4, task.rng));
    Run silent = {.silent = true};
    const PositionArms many = {position_names, 9, library_make};
    expect_check_message("9 arms", order_compare(&silent, &many, (OrderPlan){0}, NULL));
    order_task_free(&task);
    position_model_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_what_moves_the_answer),
        cmocka_unit_test(test_learns),
        cmocka_unit_test(test_wrong_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
