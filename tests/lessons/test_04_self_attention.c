#include "support/lesson_profile.h"
#include "support/tensors.h"

#include "lesson/experiments/masking.h"
#include "nn/dot_product.h"

#include <stdlib.h>

/* ---- the functions of lessons/04_self_attention.c ---- */

typedef struct Projections {
    Tensor *w_q, *w_k, *w_v;
} Projections;

typedef struct SelfAttention {
    Tensor *q, *k, *v;
    Tensor *scores, *weights;
    Tensor *y;
} SelfAttention;

SelfAttention self_attention(Tape *tape, const Projections *w, Tensor *x, const Mask *mask,
                             Masking how);

/* ---- what is written out in the lesson is what nn/dot_product.h and op_attention do ---- */

enum { B = 3, D = 6, DK = 4, DV = 5 };

typedef enum Way { WAY_LESSON, WAY_COMPOSED, WAY_BLOCKS, WAYS } Way;

/* One self-attention of x by one of the ways, and its way back. */
typedef struct Attempt {
    Tape tape;
    Tensor *x, *y, *weights;
    Projections w;
} Attempt;

static Tensor *one_head(Tape *tape, Tensor *x) {
    return op_reshape(tape, x, SHAPE(x->dim[0], 1, x->dim[1], x->dim[2]));
}

static void attend_by(Way way, Attempt *run, int L, bool causal, const int *length) {
    Tape *tape = &run->tape;
    Mask mask = dot_product_mask(&tape->arena, B, L, L, causal, length);
    if (way == WAY_LESSON) {
        SelfAttention a = self_attention(tape, &run->w, run->x, &mask, MASK_OUT);
        run->y = a.y;
        run->weights = a.weights;
        assert_shape(a.scores, B, L, L);
        return;
    }
    Tensor *q = one_head(tape, op_linear(tape, run->x, run->w.w_q, NULL));
    Tensor *k = one_head(tape, op_linear(tape, run->x, run->w.w_k, NULL));
    Tensor *v = one_head(tape, op_linear(tape, run->x, run->w.w_v, NULL));
    if (way == WAY_COMPOSED) {
        DotProduct a = dot_product_attention(tape, q, k, v, (DotProductOptions){.mask = &mask});
        run->y = a.y;
        run->weights = a.weights;
    } else {
        AttentionOptions options = {
            .causal = causal, .key_length = length, .weights = &run->weights};
        run->y = op_attention(tape, q, k, v, options);
    }
}

static Attempt run_by(Way way, int L, bool causal, const int *length) {
    Attempt run = {.tape = tape_new()};
    Rng rng = rng_seeded((uint64_t)L, 1);
    run.x = random_variable(&run.tape, &rng, "x", SHAPE(B, L, D));
    run.w.w_q = random_variable(&run.tape, &rng, "w_q", SHAPE(DK, D));
    run.w.w_k = random_variable(&run.tape, &rng, "w_k", SHAPE(DK, D));
    run.w.w_v = random_variable(&run.tape, &rng, "w_v", SHAPE(DV, D));
    attend_by(way, &run, L, causal, length);
    backward_random(&run.tape, run.y, 7);
    return run;
}

static void assert_same(const Tensor *a, const Tensor *b, bool grad) {
    assert_int_equal(tensor_size(a), tensor_size(b));
    assert_all_close(a->data, b->data, tensor_size(b), 1e-5, 1e-4);
    if (grad) {
        assert_all_close(a->grad, b->grad, tensor_size(b), 1e-5, 1e-4);
    }
}

static void compare_ways(int L, bool causal, const int *length) {
    Attempt lesson = run_by(WAY_LESSON, L, causal, length);
    for (int way = WAY_COMPOSED; way < WAYS; way++) {
        Attempt other = run_by((Way)way, L, causal, length);
        assert_same(lesson.y, other.y, false);
        assert_same(lesson.weights, other.weights, false);
        assert_same(lesson.x, other.x, true);
        assert_same(lesson.w.w_q, other.w.w_q, true);
        assert_same(lesson.w.w_k, other.w.w_k, true);
        assert_same(lesson.w.w_v, other.w.w_v, true);
        tape_free(&other.tape);
    }
    tape_free(&lesson.tape);
}

static void test_inline_attention_is_nn_attention(void **state) {
    (void)state;
    static const int lengths[] = {1, 2, 7, 33, 70};
    for (int i = 0; i < 5; i++) {
        int L = lengths[i];
        const int real[B] = {L, 1, L > 1 ? L / 2 : 0};
        compare_ways(L, false, NULL);
        compare_ways(L, true, NULL);
        compare_ways(L, false, real);
        compare_ways(L, true, real);
    }
}

/* Two tokens of one number each, all by hand. */
static void test_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", (const float[]){1, 2}, SHAPE(1, 2, 1));
    Projections w = {tape_constant(&tape, "w_q", (const float[]){1, 1, 0, 0}, SHAPE(4, 1)),
                     tape_constant(&tape, "w_k", (const float[]){1, 0, 3, 0}, SHAPE(4, 1)),
                     tape_constant(&tape, "w_v", (const float[]){10}, SHAPE(1, 1))};
    SelfAttention a = self_attention(&tape, &w, x, NULL, MASK_OUT);
    assert_data(a.q, 0, 1, 1, 0, 0, 2, 2, 0, 0);
    assert_data(a.k, 0, 1, 0, 3, 0, 2, 0, 6, 0);
    assert_data(a.v, 0, 10, 20);
    assert_data(a.scores, 1e-6, .5f, 1, 1, 2); /* q k / sqrt(4) */
    float e = expf(0.5f) / (1 + expf(0.5f)), f = expf(1) / (1 + expf(1));
    assert_data(a.weights, 1e-6, 1 - e, e, 1 - f, f);
    assert_data(a.y, 1e-5, 10 + 10 * e, 10 + 10 * f);
    Mask past = mask_pattern(&tape.arena, SEES_PAST, 2);
    assert_data(self_attention(&tape, &w, x, &past, MASK_OUT).weights, 1e-6, 1, 0, 1 - f, f);
    tape_free(&tape);
}

/* faults 2 (one query, two keys: different weights that sum to 1) and 5 (ids [5 7 0 0]: the same
 * two columns are left out for every query), 4 (nothing but padding: zero, and no gradient). */
static void test_padding(void **state) {
    (void)state;
    static const int real[B] = {4, 2, 0};
    Attempt run = run_by(WAY_LESSON, 4, false, real);
    for (int b = 0; b < B; b++) {
        for (int i = 0; i < 4; i++) {
            const float *row = run.weights->data + (b * 4 + i) * 4;
            float sum = row[0] + row[1] + row[2] + row[3];
            assert_close(sum, real[b] > 0, 1e-6, 0);
            for (int j = 0; j < 4; j++) {
                assert_int_equal(row[j] > 0.0f, j < real[b]);
            }
            assert_int_equal(row[0] != row[1], real[b] > 0);
        }
    }
    for (int i = 0; i < 4 * DV; i++) {
        assert_true(run.y->data[2 * 4 * DV + i] == 0.0f);
    }
    for (int i = 0; i < 4 * D; i++) {
        assert_true(run.x->grad[2 * 4 * D + i] == 0.0f);
    }
    tape_free(&run.tape);
}

/* faults 8: another token later changes no bit before it, recording or not. */
static void test_the_future_is_hidden(void **state) {
    (void)state;
    enum { L = 5 };
    for (int recording = 0; recording < 2; recording++) {
        for (int t = 1; t < L; t++) {
            Tape tape = tape_new();
            tape.recording = recording;
            Rng rng = rng_seeded(3, 1);
            Tensor *x = random_variable(&tape, &rng, "x", SHAPE(1, L, D));
            Projections w = {random_variable(&tape, &rng, "w_q", SHAPE(DK, D)),
                             random_variable(&tape, &rng, "w_k", SHAPE(DK, D)),
                             random_variable(&tape, &rng, "w_v", SHAPE(DV, D))};
            Mask past = mask_pattern(&tape.arena, SEES_PAST, L);
            Tensor *before = self_attention(&tape, &w, x, &past, MASK_OUT).y;
            x->data[t * D] += 1.0f;
            Tensor *after = self_attention(&tape, &w, x, &past, MASK_OUT).y;
            assert_same_bits(after->data, before->data, (size_t)(t * DV));
            assert_true(after->data[t * DV] != before->data[t * DV]);
            tape_free(&tape);
        }
    }
}

static void test_wrong_shapes(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(1, 3, 4));
    Tensor *right = tape_constant(&tape, "w", NULL, SHAPE(2, 4));
    Tensor *wide = tape_constant(&tape, "w_q", NULL, SHAPE(2, 5));
    Tensor *long_one = tape_constant(&tape, "w_k", NULL, SHAPE(3, 4));
    Mask small = mask_pattern(&tape.arena, SEES_PAST, 2);
    expect_check_message(
        "w_q (2, 5) transposed: 4 != 5",
        self_attention(&tape, &(Projections){wide, right, right}, x, NULL, MASK_OUT));
    expect_check_message(
        "2 != 3", self_attention(&tape, &(Projections){right, long_one, right}, x, NULL, MASK_OUT));
    expect_check_message(
        "with a mask (1, 2, 2)",
        self_attention(&tape, &(Projections){right, right, right}, x, &small, MASK_OUT));
    tape_free(&tape);
}

/* ---- the program ---- */

static const LessonProfile profile = {
    .lesson = "04_self_attention",
    .steps = "4.1 4.2 4.3 4.4 4.5 4.6",
    .mistakes = {{"no_mask", "later causal_order leak"},
                 {"reversed_mask", "later leak"},
                 {"empty_row_inf", "empty_zero empty_leak"},
                 {"empty_row_1e9", "empty_zero empty_leak"},
                 {"mask_after_softmax", "rows leak"},
                 {"softmax_axis", "rows leak"},
                 {"no_projections", "apart asymmetric"}},
    .trained = "causal_free none_free reversed_free none_loss reversed_early digits_causal "
               "digits_none digits_reversed digits_zero digits_1e9",
    .cheap = "score_by_hand y_by_hand rows later itself apart short largest symmetric asymmetric "
             "dog dog_placed no_order positions causal_order flat rnn gates cnn one_over_n square "
             "recurrent_work scores_work attention_work in_order recurrent_order path "
             "recurrent_path crossing empty_zero empty_inf empty_1e9 leak empty_leak nan",
    .timing = 3,
    .files = "four_words.png attention.tsv projections.png projection_sizes.tsv distance.tsv "
             "distance_by_length.tsv timing_length.tsv masks.png additions.tsv random_digits.tsv",
    .unsaid = {"Without a mask it is the lowest of all", "the best test of a mask"},
    .alone = "4.2 4.4 4.6",
    .refused = {{"--heads 3", "--d-model 64"},
                {"--heads 0", "64"},
                {"--d-model 513", "512"},
                {"--layers 5", "4"},
                {"--rate nan", "rate"}},
    .accepted = {"--only 4.6 --d-model 1 --heads 1 --layers 1 --rate 1",
                 "--only 4.6 --d-model 128 --heads 64 --layers 4 --rate 1e-6 --steps 1"},
    .undrawn = {"", "distance", "four_words.png"},
    .interrupted = {"--only 4.1,4.6 --d-model 512", "4.6", "rows", "causal_free"},
};

/* faults 7: the mask is printed, and it is not symmetric. */
static void test_mask_is_printed(void **state) {
    (void)state;
    LessonRun run = lesson_run(profile.lesson, "--quick --only 4.1 --no-plots");
    assert_non_null(strstr(run.out, "  1  0  0  0\n  1  1  0  0\n  1  1  1  0\n  1  1  1  1\n"));
    lesson_run_free(&run);
    run = lesson_run(profile.lesson, "--quick --only 4.1 --no-plots --break reversed_mask");
    assert_non_null(strstr(run.out, "  1  1  1  1\n  0  1  1  1\n  0  0  1  1\n  0  0  0  1\n"));
    lesson_run_free(&run);
}

/* faults 27: "cat" looks at "the", not the other way round. */
static void test_queries_and_keys(void **state) {
    (void)state;
    LessonRun run = lesson_run(profile.lesson, "--quick --only 4.1 --no-plots");
    char *text = lesson_file(&run, "attention.tsv", NULL);
    assert_non_null(text);
    const char *masked = strstr(text, "\tfour_words: with the mask\n");
    assert_non_null(masked);
    assert_non_null(strstr(masked, "\t0\t1\tthe\tcat\t0\tfour_words: with the mask\n"));
    const char *back = strstr(masked, "\t1\t0\tcat\tthe\t");
    assert_non_null(back);
    assert_close(strtod(back + strlen("\t1\t0\tcat\tthe\t"), NULL), 1 / (1 + exp(2 / sqrt(2))),
                 1e-6, 0); /* scores 0 and 2 / sqrt(2) */
    free(text);
    lesson_run_free(&run);
}

/* Every map of its two pictures of weights is in attention.tsv, under the title of its panel. */
static void test_every_map_is_recorded(void **state) {
    (void)state;
    static const char *const maps[] = {"four_words: everybody sees all",
                                       "four_words: with the mask",
                                       "projections: x itself",
                                       "projections: x itself, of length 1",
                                       "projections: one matrix for q and k",
                                       "projections: W_q and W_k"};
    LessonRun run = lesson_run(profile.lesson, "--quick --only 4.1,4.2 --no-plots");
    char *text = lesson_file(&run, "attention.tsv", NULL), ending[64];
    assert_non_null(text);
    const char *at = text;
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) { /* in the order of the panels */
        snprintf(ending, sizeof ending, "\t%s\n", maps[i]);
        int weights = 0;
        for (const char *next; (next = strstr(at, ending)) != NULL; at = next + 1) {
            weights++;
        }
        assert_int_equal(weights, i < 2 ? 4 * 4 : 16 * 16);
    }
    free(text);
    lesson_run_free(&run);
}

/* The demonstration of nan does not stop a run that checks for it; the mistake does. */
static void test_check_finite(void **state) {
    (void)state;
    LessonRun run = lesson_run(profile.lesson, "--quick --only 4.6 --no-plots --check-finite");
    check_lesson_exit(&run, 0);
    assert_string_equal(lesson_claim(&run, "nan"), "holds");
    lesson_run_free(&run);
}

/* A hundred steps are enough to tell who looks. The claims are not made. */
static void test_a_hundred_steps(void **state) {
    (void)state;
    if (lesson_is_sanitized()) { /* thirty times as slow, and nothing more for them to find */
        skip();
    }
    LessonRun run = lesson_run(profile.lesson, "--only 4.6 --steps 100 --no-plots");
    check_lesson_exit(&run, 0);
    assert_string_equal(lesson_claim(&run, "digits_none"), "not_made");
    assert_true(lesson_curve_end(&run, "random_digits.tsv", "causal") > 2.25);
    assert_true(lesson_curve_end(&run, "random_digits.tsv", "no mask") < 1.0);
    assert_true(lesson_curve_end(&run, "random_digits.tsv", "reversed") < 1.0);
    assert_true(lesson_curve_end(&run, "random_digits.tsv", "empty row: zero") > 2.25);
    assert_true(lesson_curve_end(&run, "additions.tsv", "causal") > 1.0);
    assert_true(lesson_curve_end(&run, "additions.tsv", "no mask") < 0.3);
    assert_true(lesson_curve_end(&run, "additions.tsv", "reversed") < 0.3);
    lesson_run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inline_attention_is_nn_attention),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_padding),
        cmocka_unit_test(test_the_future_is_hidden),
        cmocka_unit_test(test_wrong_shapes),
        cmocka_unit_test(test_mask_is_printed),
        cmocka_unit_test(test_queries_and_keys),
        cmocka_unit_test(test_every_map_is_recorded),
        cmocka_unit_test(test_check_finite),
        cmocka_unit_test(test_a_hundred_steps),
        LESSON_TESTS(profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
