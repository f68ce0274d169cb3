#include "lesson/experiments/library_positions.h"
#include "support/stage.h"

#include "lesson/experiments/char_task.h"

#include <stdlib.h>

/* "ab" and "cd" in turn: after a and c all is known, before them nothing is. */
static CharText text_of_pairs(int pairs) {
    char *all = calloc((size_t)(2 * pairs + 1), 1);
    Rng rng = rng_seeded(3, 3);
    for (int i = 0; i < pairs; i++) {
        memcpy(all + 2 * i, rng_below(&rng, 2) ? "ab" : "cd", 2);
    }
    CharText text;
    Error error;
    assert_true(chars_make(&text, "pairs", all, CHAR_TASK_HELD_OUT, 16, &error));
    free(all);
    return text;
}

static const PositionPlan small = {
    .causal = true, .V = 4, .d = 16, .heads = 2, .layers = 1, .max_length = 16};

typedef struct Play {
    CharText text;
    ByPlace nats;
    double before, after, by_place;
} Play;

static void play(Run *run, void *context) {
    Play *found = context;
    const PositionArms arms = {position_names, 4, library_make};
    CharPlan plan = {.text = &found->text,
                     .L = 8,
                     .B = 16,
                     .steps = 120,
                     .rate = 1e-2f,
                     .windows = 50,
                     .model = small};
    plan.model.V = 0; /* the text knows better */
    found->nats = by_place_new(position_names, 4, (const int[]){0, 4, 8, 12, 16});
    char_compare(run, &arms, plan, &found->nats);
    PositionModel m;
    library_make(run, &m, POSITION_NONE, small);
    CharTask task = char_task_new(&m, &found->text, 8, 16, run_rng(run, "text windows"));
    Tape tape = tape_new();
    tape.recording = false;
    found->before = char_nats(&task, &tape);
    char_learn(run, &task, "none", 120, 1e-2f);
    found->after = char_nats(&task, &tape);
    double nats[8], sum = 0.0;
    char_by_place(&task, 8, 64, nats);
    for (int t = 0; t < 8; t++) {
        sum += nats[t] / 8;
    }
    found->by_place = sum;
    tape_free(&tape);
    char_task_free(&task);
    position_model_free(&m);
}

static void test_learns(void **state) {
    (void)state;
    Play found = {.text = text_of_pairs(500)};
    Stage stage = stage_play(play, &found, "--no-plots");
    assert_int_equal(stage.status, 0);
    assert_true(found.before > 1.1);                   /* ln 4 = 1.39 */
    assert_close(found.after, 0.5 * log(2.0), 0.1, 0); /* half of the characters, 1 bit each */
    assert_close(found.by_place, found.after, 1e-9, 0);
    for (int kind = POSITION_NONE; kind <= POSITION_ROPE; kind++) {
        assert_close(by_place_mean(&found.nats, kind, 0), 0.5 * log(2.0), 0.15, 0);
    }
    assert_int_equal(found.nats.trained, 8);
    char *numbers = lesson_file(&stage, "text_by_place.tsv", NULL);
    assert_non_null(strstr(numbers, "learned"));
    free(numbers);
    by_place_free(&found.nats);
    chars_free(&found.text);
    lesson_run_free(&stage);
}

/* No more windows than asked for, and never past the end. */
static void test_few_windows(void **state) {
    (void)state;
    CharText text = text_of_pairs(100); /* 40 characters held out */
    PositionModel m;
    library_model(&m, POSITION_NONE, small, 1);
    CharTask task = char_task_new(&m, &text, 8, 2, rng_seeded(1, 1));
    double few[16], many[16];
    for (int windows = 1; windows < 60; windows++) {
        char_by_place(&task, 16, windows, many);
        for (int t = 0; t < 16; t++) {
            assert_true(isfinite(many[t]) && many[t] > 0.0);
        }
        if (windows == 1) {
            memcpy(few, many, sizeof few);
        }
    }
    assert_true(memcmp(few, many, sizeof few) != 0);
    char_task_free(&task);
    position_model_free(&m);
    chars_free(&text);
}

static void test_texts(void **state) {
    (void)state;
    CharText text;
    Error error;
    assert_true(char_task_text(&text, NULL, 128, &error));
    assert_true(text.length > 15000 && text.length < 30000);
    assert_close((double)(text.length - text.train) / text.length, 0.2, 1e-3, 0);
    chars_free(&text);
    assert_false(char_task_text(&text, "no/such/file", 128, &error));
    assert_non_null(strstr(error.text, "no/such/file"));
    assert_false(char_task_text(&text, NULL, 100000, &error));
}

static void test_wrong_model(void **state) {
    (void)state;
    CharText text = text_of_pairs(100);
    PositionPlan plan = small;
    PositionModel m;
    plan.V = 5;
    library_model(&m, POSITION_NONE, plan, 1);
    expect_check_message("4 characters, the model 5",
                         char_task_new(&m, &text, 8, 2, rng_seeded(1, 1)));
    position_model_free(&m);
    chars_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learns),
        cmocka_unit_test(test_few_windows),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_wrong_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
