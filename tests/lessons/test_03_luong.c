#include "support/lesson_profile.h"
#include "support/tensors.h"

#include "nn/attention.h"

#include <stdlib.h>

/* ---- the functions of lessons/03_luong.c ---- */

Tensor *score_dot(Tape *tape, Tensor *s, Tensor *h);
Tensor *score_general(Tape *tape, Tensor *w, Tensor *s, Tensor *h);
Tensor *concat_keys(Tape *tape, Tensor *w, Tensor *h);
Tensor *score_concat(Tape *tape, Tensor *w, Tensor *v, Tensor *s, Tensor *keys);

/* ---- what is written out in the lesson is what common/nn does ---- */

/* One look of a state s at the states h by one of the scores. */
typedef struct Look {
    LuongAttention by;
    Tensor *s, *h, *scores, *weights, *context;
} Look;

static Look look_new(Tape *tape, LuongScore score, int B, int S, int Ds, int Dh, uint64_t seed) {
    enum { A = 5 };
    Rng rng = rng_seeded(seed, 1);
    Look look = {.by = {.score = score}};
    look.s = random_variable(tape, &rng, "s", SHAPE(B, Ds));
    look.h = random_variable(tape, &rng, "h", SHAPE(B, S, Dh));
    if (score == LUONG_GENERAL) {
        look.by.w = random_variable(tape, &rng, "w", SHAPE(Ds, Dh));
    } else if (score == LUONG_CONCAT) {
        look.by.w = random_variable(tape, &rng, "w", SHAPE(A, Ds + Dh));
        look.by.v = random_variable(tape, &rng, "v", SHAPE(A));
    }
    return look;
}

static Tensor *inline_scores(Tape *tape, const Look *look) {
    const LuongAttention *by = &look->by;
    switch (by->score) {
    case LUONG_DOT:
        return score_dot(tape, look->s, look->h);
    case LUONG_GENERAL:
        return score_general(tape, by->w, look->s, look->h);
    default:
        return score_concat(tape, by->w, by->v, look->s, concat_keys(tape, by->w, look->h));
    }
}

/* Forward by the lesson's own functions or by those of common/nn, then backward from a random
 * gradient of the context. */
static void look_through(Tape *tape, Look *look, const Mask *mask, bool lesson) {
    look->scores =
        lesson ? inline_scores(tape, look)
               : luong_score(tape, &look->by, look->s, luong_keys(tape, &look->by, look->h));
    Attended attended = attend(tape, look->scores, look->h, mask);
    look->weights = attended.weights;
    look->context = attended.context;
    backward_random(tape, look->context, 7);
}

static void assert_equal_tensors(const Tensor *a, const Tensor *b) {
    if (b != NULL) {
        assert_all_close(a->data, b->data, tensor_size(b), 1e-5, 1e-4);
        assert_all_close(a->grad, b->grad, tensor_size(b), 1e-5, 1e-4);
    }
}

static void compare_looks(LuongScore score, const int size[4], uint64_t seed) {
    int B = size[0], S = size[1], Ds = size[2], Dh = score == LUONG_DOT ? Ds : size[3];
    Tape tape[2] = {tape_new(), tape_new()};
    Look look[2];
    const int length[] = {S, 1, 0};
    for (int lesson = 0; lesson < 2; lesson++) {
        Mask mask = mask_padding(&tape[lesson].arena, length, B, S);
        look[lesson] = look_new(&tape[lesson], score, B, S, Ds, Dh, seed);
        look_through(&tape[lesson], &look[lesson], &mask, lesson);
    }
    assert_shape(look[1].scores, B, S);
    assert_equal_tensors(look[1].scores, look[0].scores);
    assert_equal_tensors(look[1].weights, look[0].weights);
    assert_equal_tensors(look[1].context, look[0].context);
    assert_equal_tensors(look[1].s, look[0].s);
    assert_equal_tensors(look[1].h, look[0].h);
    assert_equal_tensors(look[1].by.w, look[0].by.w);
    assert_equal_tensors(look[1].by.v, look[0].by.v);
    tape_free(&tape[0]);
    tape_free(&tape[1]);
}

static const int sizes[][4] = {{1, 1, 1, 1}, {2, 3, 2, 5}, {3, 7, 5, 8}, {2, 20, 64, 64}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void test_inline_scores_are_nn_luong(void **state) {
    (void)state;
    for (int score = LUONG_DOT; score <= LUONG_CONCAT; score++) {
        for (int i = 0; i < SIZES; i++) {
            compare_looks((LuongScore)score, sizes[i], (uint64_t)i);
        }
    }
}

/* One state, two words, every number by hand. */
static void test_scores_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *s = tape_constant(&tape, "s", (const float[]){1, 2}, SHAPE(1, 2));
    Tensor *h = tape_constant(&tape, "h", (const float[]){3, -1, 0, 2}, SHAPE(1, 2, 2));
    Tensor *w = tape_constant(&tape, "w", (const float[]){0, 1, 2, 3}, SHAPE(2, 2));
    Tensor *both = tape_constant(&tape, "w", (const float[]){1, 0, 0, 1}, SHAPE(1, 4));
    Tensor *v = tape_constant(&tape, "v", (const float[]){2}, SHAPE(1));
    assert_data(score_dot(&tape, s, h), 1e-6, 1, 4);
    assert_data(score_general(&tape, w, s, h), 1e-6, 5, 14); /* (4, 7) . h_i */
    Tensor *scores = score_concat(&tape, both, v, s, concat_keys(&tape, both, h));
    assert_close(scores->data[0], 2 * tanh(0.0), 1e-6, 0); /* s_1 + h_2 */
    assert_close(scores->data[1], 2 * tanh(3.0), 1e-6, 0);
    tape_free(&tape);
}

/* faults 1: another state, another score of that word alone; another question, other scores. */
static void test_scores_depend_on_both(void **state) {
    (void)state;
    for (int score = LUONG_DOT; score <= LUONG_CONCAT; score++) {
        Tape tape = tape_new();
        Look look = look_new(&tape, (LuongScore)score, 1, 4, 6, 6, 9);
        Tensor *before = inline_scores(&tape, &look);
        look.h->data[2 * 6] += 1.0f;
        Tensor *after = inline_scores(&tape, &look);
        for (int i = 0; i < 4; i++) {
            assert_int_equal(fabsf(after->data[i] - before->data[i]) > 1e-4f, i == 2);
        }
        look.s->data[0] += 1.0f;
        Tensor *asked = inline_scores(&tape, &look);
        for (int i = 0; i < 4; i++) {
            assert_true(asked->data[i] != after->data[i]);
        }
        tape_free(&tape);
    }
}

/* The dot product refuses vectors of different size and says so. */
static void test_wrong_shapes(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *s = tape_constant(&tape, "s", NULL, SHAPE(2, 4));
    Tensor *h = tape_constant(&tape, "h", NULL, SHAPE(2, 3, 6));
    expect_check_message("4 != 6", score_dot(&tape, s, h));
    tape_free(&tape);
}

/* ---- the program ---- */

static const LessonProfile profile = {
    .lesson = "03_luong",
    .steps = "3.1 3.2 3.3 3.4 3.5",
    .mistakes = {{"no_scale", "scaled_variance soft"},
                 {"shift_alignment", "row_of_word"},
                 {"no_input_feeding", "input_feeding"}},
    .trained = "dot general concat old window aer_dot aer_general aer_concat aer_old size_128 "
               "slower learns",
    .cheap = "dot_by_hand general_by_hand concat_by_hand input_feeding row_of_word window_size "
             "additive_count sizes variance scaled_variance sharp soft flat median mean",
    .timing = 1,
    .files = "phrases_by_length.tsv phrases_by_length.gp phrases_learning.tsv alignment.png "
             "attention.tsv score_cost.tsv timing_score_cost.tsv scale_variance.tsv "
             "scale_entropy.tsv scale_gradient.tsv scale_learning.tsv",
    .unsaid = {"needs no network of its own here", "Without the scale learning is slower"},
    .alone = "3.2 3.3 3.4",
    .refused = {{"--score additive", "general"},
                {"--embedding 0", "embedding"},
                {"--embedding 513", "512"},
                {"--window 0", "window"},
                {"--window 51", "50"},
                {"--rate nan", "rate"},
                {"--sentence Hello", "--data"},
                {"--data no/such/file.tsv", "no/such/file.tsv"},
                {"--data .", "folder"},
                {"--data /dev/zero", "a pipe or a device"}},
    .accepted = {"--only 3.2 --embedding 1 --window 1 --rate 1 --score dot",
                 "--only 3.2 --embedding 64 --window 50 --rate 1e-6 --score concat"},
    .undrawn = {"", "scale_gradient", "alignment.png"},
    .interrupted = {"--only 3.1,3.2 --embedding 256", "3.2", "dot_by_hand", "dot"},
};

/* A window larger than any source sees all of it, and moves nothing but its own model. */
static void test_window_is_the_window_s(void **state) {
    (void)state;
    LessonRun narrow = lesson_run(profile.lesson, "--quick --only 3.2 --window 1 --no-plots");
    LessonRun wide = lesson_run(profile.lesson, "--quick --only 3.2 --window 50 --no-plots");
    LessonClaims few = lesson_claims(&narrow), many = lesson_claims(&wide);
    double seen[2] = {0, 0};
    for (int i = 0; i < few.count; i++) {
        if (strcmp(few.claim[i].id, "window_size") == 0) {
            seen[0] = strtod(few.claim[i].value, NULL);
            seen[1] = strtod(many.claim[i].value, NULL);
        }
    }
    assert_true(seen[0] >= 1.0 && seen[0] <= 3.0);
    assert_true(seen[1] > 6.0);
    lesson_run_free(&narrow);
    lesson_run_free(&wide);
}

/* A training that is short, but long enough to tell a decoder that learns to look from one that
 * does not. The claims are not made. */
static void test_learns_to_look(void **state) {
    (void)state;
    if (lesson_is_sanitized()) { /* thirty times as slow, and nothing for them to find that --quick
                                  * does not run
                                  */
        skip();
    }
    LessonRun run =
        lesson_run(profile.lesson, "--only 3.2 --embedding 16 --rate 0.01 --steps 300 --no-plots");
    check_lesson_exit(&run, 0);
    assert_string_equal(lesson_claim(&run, "dot"), "not_made");
    char *curves = lesson_file(&run, "phrases_learning.tsv", NULL), *rest = curves;
    int learnt = 0;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        double step, y;
        learnt += sscanf(line, "%*s\t%lf\t%lf", &step, &y) == 2 && step == 300.0 && y > 0.4;
    }
    free(curves);
    assert_int_equal(learnt, 5); /* all of them */
    lesson_run_free(&run);
}

/* ---- one's own data; what a file may look like is tested with lesson 02 and data/pairs ---- */

static const char own[] = "--quick --only 3.5 --data own.tsv";

static void test_data_that_cannot_be_used(void **state) {
    (void)state;
    check_lesson_refused_on(profile.lesson, LESSON_TEXT(""), own, "empty");
    check_lesson_refused_on(profile.lesson, LESSON_TEXT("one column\nonly\n"), own, "own.tsv");
}

static void test_data(void **state) {
    (void)state;
    const char *scores[] = {"dot", "general", "concat"};
    char text[2048] = "";
    for (int i = 0; i < 40; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "go %c%c now\tva %c%c \xc3\xa9t\xc3\xa9\n",
                 'a' + i % 7, 'a' + i % 5, 'a' + i % 7, 'a' + i % 5);
    }
    for (int i = 0; i < 3; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "%s --score %s", own, scores[i]);
        LessonRun run = lesson_run_on(profile.lesson, text, strlen(text), arguments);
        check_lesson_exit(&run, 0);
        assert_non_null(strstr(run.out, "BLEU"));
        assert_string_equal(run.err, "");
        lesson_run_free(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inline_scores_are_nn_luong),
        cmocka_unit_test(test_scores_by_hand),
        cmocka_unit_test(test_scores_depend_on_both),
        cmocka_unit_test(test_wrong_shapes),
        cmocka_unit_test(test_window_is_the_window_s),
        cmocka_unit_test(test_learns_to_look),
        cmocka_unit_test(test_data_that_cannot_be_used),
        cmocka_unit_test(test_data),
        LESSON_TESTS(profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
