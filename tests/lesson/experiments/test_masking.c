#include "support/picture.h"
#include "support/stage.h"
#include "support/tensors.h"

#include "lesson/experiments/masking.h"

#include <stdlib.h>

static void test_patterns(void **state) {
    (void)state;
    static const bool expected[PATTERNS][9] = {
        [SEES_ALL] = {1, 1, 1, 1, 1, 1, 1, 1, 1},
        [SEES_PAST] = {1, 0, 0, 1, 1, 0, 1, 1, 1}, /* faults 7: not symmetric */
        [SEES_FUTURE] = {1, 1, 1, 0, 1, 1, 0, 0, 1},
        [SEES_BEFORE] = {0, 0, 0, 1, 0, 0, 1, 1, 0},
    };
    Arena arena = arena_new();
    for (int i = 0; i < PATTERNS; i++) {
        Mask mask = mask_pattern(&arena, (Pattern)i, 3);
        assert_int_equal(mask.batch, 1);
        assert_int_equal(mask.queries, 3);
        assert_int_equal(mask.keys, 3);
        assert_memory_equal(mask.may_look, expected[i], sizeof expected[i]);
    }
    Mask core = mask_causal(&arena, 5, 5), ours = mask_pattern(&arena, SEES_PAST, 5);
    assert_memory_equal(core.may_look, ours.may_look, 25 * sizeof(bool));
    arena_free(&arena);
}

static Tensor *weights_of(Tape *tape, Pattern pattern, Masking how, uint64_t seed) {
    Rng rng = rng_seeded(seed, 1);
    Tensor *scores = random_variable(tape, &rng, "scores", SHAPE(2, 3, 5, 5));
    Mask mask = mask_pattern(&tape->arena, pattern, 5);
    return masked_weights(tape, scores, &mask, how);
}

/* While every row has something to look at, -infinity and -1e9 do what leaving out does. */
static void test_fills_agree_where_no_row_is_empty(void **state) {
    (void)state;
    for (int pattern = SEES_ALL; pattern <= SEES_FUTURE; pattern++) {
        Tape tape = tape_new();
        Tensor *ours = weights_of(&tape, (Pattern)pattern, MASK_OUT, 1);
        for (int how = MASK_INFINITY; how <= MASK_BILLION; how++) {
            Tensor *theirs = weights_of(&tape, (Pattern)pattern, (Masking)how, 1);
            assert_all_close(theirs->data, ours->data, tensor_size(ours), 1e-6, 1e-5);
            for (size_t i = 0; i < tensor_size(ours); i++) { /* hidden is exactly 0 in both */
                assert_int_equal(theirs->data[i] == 0.0f, ours->data[i] == 0.0f);
            }
        }
        tape_free(&tape);
    }
}

/* faults 6: scores [0 0 0], last masked: [.5 .5 0]. */
static void test_three_zeros(void **state) {
    (void)state;
    for (int how = MASK_OUT; how <= MASK_BILLION; how++) {
        Tape tape = tape_new();
        Tensor *scores = tape_constant(&tape, "scores", NULL, SHAPE(1, 1, 3));
        const bool may[] = {true, true, false};
        /* one query, three keys: a square mask of equal rows serves */
        Tensor *square = tape_constant(&tape, "scores", NULL, SHAPE(1, 3, 3));
        const bool rows[] = {1, 1, 0, 1, 1, 0, 1, 1, 0};
        Mask one = {1, 1, 3, may}, three = {1, 3, 3, rows};
        if (how == MASK_OUT) {
            assert_data(masked_weights(&tape, scores, &one, MASK_OUT), 1e-7, .5f, .5f, 0);
        }
        assert_data(masked_weights(&tape, square, &three, (Masking)how), 1e-7, .5f, .5f, 0, .5f,
                    .5f, 0, .5f, .5f, 0);
        /* faults 5: one row of key padding for every query */
        assert_data(masked_weights(&tape, square, &one, (Masking)how), 1e-7, .5f, .5f, 0, .5f, .5f,
                    0, .5f, .5f, 0);
        tape_free(&tape);
    }
}

/* Softmax down the columns, and zeros afterwards: by hand, for scores of zero. */
static void test_mistakes_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *scores = tape_constant(&tape, "scores", NULL, SHAPE(1, 3, 3));
    Mask mask = mask_pattern(&tape.arena, SEES_PAST, 3);
    const float third = 1.0f / 3;
    assert_data(masked_weights(&tape, scores, &mask, MASK_LATE), 1e-6, third, 0, 0, third, third, 0,
                third, third, third);
    assert_data(masked_weights(&tape, scores, &mask, MASK_AXIS), 1e-6, third, 0, 0, third, .5f, 0,
                third, .5f, 1);
    tape_free(&tape);
}

static void test_no_mask_is_plain_softmax(void **state) {
    (void)state;
    for (int how = MASK_OUT; how <= MASK_LATE; how++) {
        Tape tape = tape_new();
        Rng rng = rng_seeded(5, 1);
        Tensor *scores = random_variable(&tape, &rng, "scores", SHAPE(2, 4, 4));
        Tensor *a = masked_weights(&tape, scores, NULL, (Masking)how),
               *b = op_softmax(&tape, scores);
        assert_same_bits(a->data, b->data, tensor_size(b));
        tape_free(&tape);
    }
}

/* faults 2: over the wrong axis one query gives all keys the weight 1. */
static void test_axis(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *one = tape_constant(&tape, "scores", (const float[]){1, 3}, SHAPE(1, 1, 2));
    assert_data(masked_weights(&tape, one, NULL, MASK_AXIS), 0, 1, 1);
    Tensor *right = masked_weights(&tape, one, NULL, MASK_OUT);
    assert_close(right->data[0] + right->data[1], 1, 1e-6, 0);
    assert_true(right->data[0] < right->data[1]);
    tape_free(&tape);
}

static void test_rows_off_from_one(void **state) {
    (void)state;
    assert_close(rows_off_from_one((const float[]){.5f, .5f, .25f, .5f}, 2), .25, 1e-7, 0);
    assert_close(rows_off_from_one((const float[]){.5f, .5f, .25f, .75f}, 2), 0, 0, 0);
    assert_close(rows_off_from_one((const float[]){2, .5f, 1, 0}, 2), 1.5, 1e-7, 0);
    assert_true(isnan(rows_off_from_one((const float[]){NAN, .5f, 1, 0}, 2)));
    assert_true(isnan(rows_off_from_one((const float[]){1, 0, 1, NAN}, 2)));
}

/* faults 4 */
static void test_empty_row(void **state) {
    (void)state;
    float row[3];
    assert_close(empty_row(MASK_OUT, row), 0, 0, 0);
    assert_all_close(row, ((const float[]){0, 0, 0}), 3, 0, 0);
    assert_true(isinf(empty_row(MASK_INFINITY, row)));
    assert_true(isnan(row[0]) && isnan(row[1]) && isnan(row[2]));
    assert_close(empty_row(MASK_BILLION, row), 2, 1e-6, 0); /* (1 + 2 + 3) / 3 */
    assert_all_close(row, ((const float[]){1 / 3.0f, 1 / 3.0f, 1 / 3.0f}), 3, 1e-6, 0);
}

static void play(Run *run, void *context) {
    static const char *const words[] = {"one", "two"};
    (void)context;
    empty_rows_show(run, MASK_OUT);
    mask_patterns_show(run, 4);
    mask_effect_show(run, "effect.png", (const float[]){.5f, .5f, .5f, .5f},
                     (const float[]){1, 0, .5f, .5f}, 2, words);
}

static void test_shown(void **state) {
    (void)state;
    Stage stage = stage_play(play, NULL, "");
    assert_string_equal(lesson_claim(&stage, "empty_zero"), "holds");
    assert_string_equal(lesson_claim(&stage, "empty_inf"), "holds");
    assert_string_equal(lesson_claim(&stage, "empty_1e9"), "holds");
    char *files = lesson_file_names(&stage);
    assert_non_null(strstr(files, "masks.png\n"));
    assert_non_null(strstr(files, "effect.png\n"));
    free(files);
    char *weights = lesson_file(&stage, "attention.tsv", NULL);
    assert_non_null(weights);
    assert_non_null(strstr(weights, "0\t1\tone\ttwo\t0.5\teffect: everybody sees all\n"));
    assert_non_null(strstr(weights, "0\t1\tone\ttwo\t0\teffect: with the mask\n"));
    free(weights);
    lesson_run_free(&stage);
}

static void play_broken(Run *run, void *context) {
    (void)context;
    empty_rows_show(run, MASK_BILLION);
}

static void test_a_wrong_treatment_fails(void **state) {
    (void)state;
    Stage stage = stage_play(play_broken, NULL, "");
    assert_string_equal(lesson_claim(&stage, "empty_zero"), "fails");
    assert_int_equal(stage.status, 1);
    lesson_run_free(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_fills_agree_where_no_row_is_empty),
        cmocka_unit_test(test_three_zeros),
        cmocka_unit_test(test_mistakes_by_hand),
        cmocka_unit_test(test_no_mask_is_plain_softmax),
        cmocka_unit_test(test_axis),
        cmocka_unit_test(test_rows_off_from_one),
        cmocka_unit_test(test_empty_row),
        cmocka_unit_test(test_shown),
        cmocka_unit_test(test_a_wrong_treatment_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
