#include "support/lesson_profile.h"
#include "support/tensors.h"

#include "io/file.h"
#include "nn/attention.h"

#include <stdlib.h>

/* ---- the functions of lessons/02_bahdanau.c ---- */

Tensor *bahdanau_score(Tape *tape, Tensor *v, Tensor *q, Tensor *keys, bool with_tanh);
Tensor *bahdanau_weights(Tape *tape, Tensor *scores, const Mask *mask, bool over_words);
Tensor *bahdanau_context(Tape *tape, Tensor *weights, Tensor *h);

/* ---- what is written out in the lesson is what common/nn does ---- */

/* One look back at h with its weights, in both forms. */
typedef struct Look {
    Tensor *w_q, *w_k, *v, *s, *h; /* v is (1, A) in the lesson and (A) in nn */
    Tensor *scores, *weights, *context;
} Look;

static Look look_new(Tape *tape, int B, int S, int H, int A, bool lesson, uint64_t seed) {
    Rng rng = rng_seeded(seed, 1);
    Look look = {.w_q = random_variable(tape, &rng, "w_q", SHAPE(A, H)),
                 .w_k = random_variable(tape, &rng, "w_k", SHAPE(A, H)),
                 .s = random_variable(tape, &rng, "s", SHAPE(B, H)),
                 .h = random_variable(tape, &rng, "h", SHAPE(B, S, H))};
    look.v = lesson ? random_variable(tape, &rng, "v", SHAPE(1, A))
                    : random_variable(tape, &rng, "v", SHAPE(A));
    return look;
}

/* Forward by the lesson's own functions or by those of common/nn, then backward from a random
 * gradient of the context. */
static void look_through(Tape *tape, Look *look, const Mask *mask, bool lesson) {
    if (lesson) {
        Tensor *q = op_linear(tape, look->s, look->w_q, NULL);
        Tensor *keys = op_linear(tape, look->h, look->w_k, NULL);
        look->scores = bahdanau_score(tape, look->v, q, keys, true);
        look->weights = bahdanau_weights(tape, look->scores, mask, true);
        look->context = bahdanau_context(tape, look->weights, look->h);
    } else {
        AdditiveAttention attention = {.w_q = look->w_q, .w_k = look->w_k, .v = look->v};
        Tensor *keys = additive_keys(tape, &attention, look->h);
        look->scores = additive_score(tape, &attention, look->s, keys);
        Attended attended = attend(tape, look->scores, look->h, mask);
        look->weights = attended.weights;
        look->context = attended.context;
    }
    backward_random(tape, look->context, 7);
}

static void assert_equal_tensors(const Tensor *a, const Tensor *b) {
    assert_all_close(a->data, b->data, tensor_size(b), 1e-5, 1e-4);
    assert_all_close(a->grad, b->grad, tensor_size(b), 1e-5, 1e-4);
}

static const int sizes[][4] = {{1, 1, 1, 1}, {2, 3, 2, 5}, {3, 7, 5, 8}, {2, 20, 64, 64}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void test_inline_look_is_nn_attention(void **state) {
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        int B = sizes[i][0], S = sizes[i][1], H = sizes[i][2], A = sizes[i][3];
        Tape tape[2] = {tape_new(), tape_new()};
        Look look[2];
        int length[3] = {S, 1, 0};
        Mask mask = mask_padding(&tape[0].arena, length, B, S);
        for (int lesson = 0; lesson < 2; lesson++) {
            look[lesson] = look_new(&tape[lesson], B, S, H, A, lesson, (uint64_t)i);
            look_through(&tape[lesson], &look[lesson], &mask, lesson);
        }
        assert_equal_tensors(look[1].scores, look[0].scores);
        assert_equal_tensors(look[1].weights, look[0].weights);
        assert_equal_tensors(look[1].context, look[0].context);
        assert_equal_tensors(look[1].w_q, look[0].w_q);
        assert_equal_tensors(look[1].w_k, look[0].w_k);
        assert_equal_tensors(look[1].v, look[0].v);
        assert_equal_tensors(look[1].s, look[0].s);
        assert_equal_tensors(look[1].h, look[0].h);
        tape_free(&tape[0]);
        tape_free(&tape[1]);
    }
}

/* ---- faults ---- */

/* faults 10: two keys of size 2 by hand, with and without tanh. */
static void test_score_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *v = tape_constant(&tape, "v", (const float[]){2, -1}, SHAPE(1, 2));
    Tensor *q = tape_constant(&tape, "q", (const float[]){0.5f, 1}, SHAPE(1, 2));
    Tensor *keys = tape_constant(&tape, "k", (const float[]){0.5f, -1, 1, 0.25f}, SHAPE(1, 2, 2));
    Tensor *scores = bahdanau_score(&tape, v, q, keys, true);
    assert_shape(scores, 1, 2);
    assert_close(scores->data[0], 2 * tanh(1.0) - tanh(0.0), 1e-6, 0);
    assert_close(scores->data[1], 2 * tanh(1.5) - tanh(1.25), 1e-6, 0);
    assert_data(bahdanau_score(&tape, v, q, keys, false), 1e-6, 2, 1.75f);
    tape_free(&tape);
}

/* faults 2: one query, two keys: two different weights that add up to 1; the mistake gives 1, 1. */
static void test_softmax_over_the_words(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *scores = tape_constant(&tape, "e", (const float[]){0, 1}, SHAPE(1, 2));
    double e = exp(1.0);
    Tensor *right = bahdanau_weights(&tape, scores, NULL, true);
    assert_close(right->data[0], 1 / (1 + e), 1e-6, 0);
    assert_close(right->data[1], e / (1 + e), 1e-6, 0);
    assert_data(bahdanau_weights(&tape, scores, NULL, false), 1e-6, 1, 1);
    tape_free(&tape);
}

/* faults 5 and 7: the mask hides keys, of the sentence it belongs to; true = may look. */
static void test_mask_hides_padding(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *scores = tape_constant(&tape, "e", NULL, SHAPE(2, 4));
    Mask mask = mask_padding(&tape.arena, (const int[]){2, 4}, 2, 4);
    assert_data(bahdanau_weights(&tape, scores, &mask, true), 1e-7, 0.5f, 0.5f, 0, 0, 0.25f, 0.25f,
                0.25f, 0.25f);
    tape_free(&tape);
}

/* faults 1: another state, other weights; the states in another order, the weights with them. */
static void test_weights_depend_on_the_states(void **state) {
    (void)state;
    enum { S = 5, H = 4, A = 3 };
    Tape tape = tape_new();
    Look look = look_new(&tape, 1, S, H, A, true, 3);
    look_through(&tape, &look, NULL, true);
    Look turned = look, changed = look;
    turned.h = tape_variable(&tape, "h", NULL, SHAPE(1, S, H));
    for (int s = 0; s < S; s++) {
        memcpy(turned.h->data + s * H, look.h->data + (S - 1 - s) * H, H * sizeof(float));
    }
    look_through(&tape, &turned, NULL, true);
    for (int s = 0; s < S; s++) {
        assert_close(turned.weights->data[s], look.weights->data[S - 1 - s], 1e-6, 1e-5);
    }
    assert_all_close(turned.context->data, look.context->data, H, 1e-6, 1e-5);
    changed.h = tape_variable(&tape, "h", look.h->data, SHAPE(1, S, H));
    changed.h->data[2 * H] += 1.0f;
    look_through(&tape, &changed, NULL, true);
    for (int s = 0; s < S; s++) {
        assert_true(fabsf(changed.weights->data[s] - look.weights->data[s]) > 1e-4f);
    }
    tape_free(&tape);
}

/* faults 3: two words alone and padded to four give the same context and the same gradients, and
 * padding receives none. */
static void test_padding_is_not_seen(void **state) {
    (void)state;
    enum { H = 4, A = 3 };
    Tape tape[2] = {tape_new(), tape_new()};
    Look alone = look_new(&tape[0], 1, 2, H, A, true, 4);
    Look padded = look_new(&tape[1], 1, 4, H, A, true, 4);
    for (int i = 0; i < 4 * H; i++) {
        padded.h->data[i] = i < 2 * H ? alone.h->data[i] : 100.0f;
    }
    memcpy(padded.v->data, alone.v->data, A * sizeof(float));
    Mask mask = mask_padding(&tape[1].arena, (const int[]){2}, 1, 4);
    look_through(&tape[0], &alone, NULL, true);
    look_through(&tape[1], &padded, &mask, true);
    assert_equal_tensors(padded.context, alone.context);
    assert_equal_tensors(padded.w_q, alone.w_q);
    assert_equal_tensors(padded.w_k, alone.w_k);
    assert_equal_tensors(padded.v, alone.v);
    assert_data(padded.weights, 1e-6, alone.weights->data[0], alone.weights->data[1], 0, 0);
    assert_all_close(padded.h->grad, alone.h->grad, 2 * H, 1e-5, 1e-4);
    for (int i = 2 * H; i < 4 * H; i++) {
        assert_close(padded.h->grad[i], 0.0, 0, 0);
    }
    tape_free(&tape[0]);
    tape_free(&tape[1]);
}

/* faults 4: nothing to look at: context and gradients of zero, never nan. */
static void test_nothing_to_look_at(void **state) {
    (void)state;
    enum { H = 4, A = 3 };
    Tape tape = tape_new();
    Look look = look_new(&tape, 2, 3, H, A, true, 5);
    Mask mask = mask_padding(&tape.arena, (const int[]){0, 3}, 2, 3);
    look_through(&tape, &look, &mask, true);
    for (int i = 0; i < H; i++) {
        assert_close(look.context->data[i], 0.0, 0, 0);
        assert_close(look.s->grad[i], 0.0, 0, 0);
        assert_true(look.context->data[H + i] != 0.0f);
    }
    for (int i = 0; i < 3 * H; i++) {
        assert_close(look.h->grad[i], 0.0, 0, 0);
    }
    for (int i = 0; i < A * H; i++) {
        assert_true(isfinite(look.w_k->grad[i]) && isfinite(look.w_q->grad[i]));
    }
    tape_free(&tape);
}

static void test_wrong_shapes(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *v = tape_constant(&tape, "v", NULL, SHAPE(1, 3));
    Tensor *q = tape_constant(&tape, "q", NULL, SHAPE(2, 4));
    Tensor *keys = tape_constant(&tape, "keys", NULL, SHAPE(2, 5, 3));
    expect_check_message("q (2, 4)", bahdanau_score(&tape, v, q, keys, true));
    tape_free(&tape);
}

/* ---- the program ---- */

static const LessonProfile profile = {
    .lesson = "02_bahdanau",
    .steps = "2.1 2.2 2.3 2.4 2.5",
    .mistakes = {{"no_pad_mask", "padding_invariance"},
                 {"no_tanh", "score_by_hand"},
                 {"ignore_encoder", "encoder_matters"},
                 {"softmax_axis", "weights_sum"}},
    .trained = "vector_10 attention_10 attention_25 phrases vector aer aer_gap aer_shifted "
               "links blind one_way dates dates_vector month month_one_way",
    .cheap = "score_by_hand encoder_matters weights_sum padding_invariance",
    .files = "reversal_by_length.tsv reversal_by_length.gp reversal_alignment.png "
             "phrases_by_length.tsv phrases_learning.tsv phrases_alignment.png "
             "dates_learning.tsv dates_alignment.png attention.tsv",
    .unsaid = {"Learnt from translations"},
    .alone = "2.1 2.3 2.4",
    .refused = {{"--embedding 0", "embedding"},
                {"--embedding 513", "512"},
                {"--rate 0", "rate"},
                {"--sentence Hello", "--data"},
                {"--max-words 0", "max-words"},
                {"--held-out 1", "held-out"},
                {"--data no/such/file.tsv", "no/such/file.tsv"},
                {"--data .", "folder"},
                {"--data /dev/zero", "a pipe or a device"}},
    .accepted = {"--only 2.3 --embedding 1 --rate 1"},
    .undrawn = {"--only 2.3", "phrases_learning", "phrases_alignment.png"},
    .interrupted = {"--only 2.1,2.3 --embedding 256", "2.3", "score_by_hand", "phrases"},
};

/* A training that is short, but long enough to tell a decoder that learns from one that does not:
 * the wrong shift of the target, a loss without its attention. The claims are not made. Sanitizers
 * make it twenty times slower: there it only has to run. */
static void test_attention_learns_dates(void **state) {
    (void)state;
    LessonRun run = lesson_run(
        profile.lesson, lesson_is_sanitized() ? "--only 2.4 --steps 2 --no-plots --threads 1"
                                              : "--only 2.4 --steps 200 --no-plots --threads 1");
    check_lesson_exit(&run, 0);
    assert_string_equal(lesson_claim(&run, "dates"), "not_made");
    double with = lesson_curve_end(&run, "dates_learning.tsv", "attention");
    double without = lesson_curve_end(&run, "dates_learning.tsv", "one vector");
    if (!lesson_is_sanitized() && (!(with > 0.8) || !(without < 0.5))) {
        print_error("exact match after 200 steps: with attention %g, without %g\n", with, without);
        fail();
    }
    lesson_run_free(&run);
}

/* ---- one's own data ---- */

static LessonRun run_on(const char *text, size_t size, const char *arguments) {
    char all[256];
    snprintf(all, sizeof all, "--quick --only 2.5 --data own.tsv %s", arguments);
    return lesson_run_on(profile.lesson, text, size, all);
}

static void refuse_data(const char *text, size_t size, const char *says) {
    check_lesson_refused_on(profile.lesson, text, size, "--quick --only 2.5 --data own.tsv", says);
}

static void test_data_that_cannot_be_used(void **state) {
    (void)state;
    refuse_data(LESSON_TEXT(""), "empty");
    refuse_data(LESSON_TEXT("no tab\nnone here\n"), "tab");
    refuse_data(LESSON_TEXT("\t\n"), "");
    refuse_data(LESSON_TEXT("one\tun\n"), "");
    refuse_data(LESSON_TEXT("\xff\xfe\tun\n"), "UTF-8");
}

/* faults 31: all oddities in one file, in which some good lines are left. */
static void test_odd_data(void **state) {
    (void)state;
    static const char odd[] =
        "\xEF\xBB\xBFGo.\tVa !\tattribution\r\n\r\nHi.\tSalut \xC3\xA0 toi !\r\nno tab\r\n"
        "\tempty\r\nbad \xff bytes\tmal\r\nI see.\tJe vois.\r\nYou see.\tTu vois.\r\n"
        "We see.\tNous voyons.\r\nI go.\tJe vais.\r\nYou go.\tTu vas.\r\nGo.\tMarche.\r\n"
        "a\0b\tnul\r\nThey see the sea.\tIls voient la mer.\r\nlast line\tsans fin";
    LessonRun run = run_on(LESSON_TEXT(odd), "--held-out 0.4");
    check_lesson_exit(&run, 0);
    assert_non_null(strstr(run.out, "15 lines"));
    check_lesson_text(&run, 100);
    lesson_run_free(&run);
}

static void test_own_data_and_a_sentence(void **state) {
    (void)state;
    static const char pairs[] = "the red cat\tle chat rouge\nthe red dog\tle chien rouge\n"
                                "the old cat\tle vieux chat\nthe old dog\tle vieux chien\n"
                                "a red cat\tun chat rouge\na red dog\tun chien rouge\n"
                                "an old cat\tun vieux chat\nan old dog\tun vieux chien\n";
    LessonRun run = run_on(LESSON_TEXT(pairs), "--steps 150 --rate 0.01 --sentence cat");
    check_lesson_exit(&run, 0);
    assert_non_null(strstr(run.out, "Your sentence:"));
    assert_non_null(strstr(run.out, "BLEU"));
    assert_non_null(strstr(run.out, "100.0 % come out word"));
    assert_non_null(strstr(run.out, "own_alignment.png"));
    lesson_run_free(&run);
}

/* The split and everything behind it depend on the seed and nothing else. */
static void test_own_data_same_bits(void **state) {
    (void)state;
    static const char pairs[] = "one\tun\ntwo\tdeux\nthree\ttrois\nfour\tquatre\nfive\tcinq\n"
                                "one two\tun deux\ntwo three\tdeux trois\none four\tun quatre\n";
    LessonRun a = run_on(LESSON_TEXT(pairs), "--threads 1"),
              b = run_on(LESSON_TEXT(pairs), "--threads 2");
    check_lesson_exit(&a, 0);
    assert_string_equal(a.out, b.out);
    lesson_run_free(&a);
    lesson_run_free(&b);
}

/* The same number of other words: nothing but the words can tell. */
static void test_own_data_saved_and_loaded(void **state) {
    (void)state;
    static const char *const pairs[] = {
        "one\tun\ntwo\tdeux\nthree\ttrois\nfour\tquatre\nfive\tcinq\none two\tun deux\n",
        "one\tein\ntwo\tzwei\nthree\tdrei\nfour\tvier\nfive\tfunf\none two\tein zwei\n"};
    char folder[LESSON_PATH], path[LESSON_PATH + 16];
    folder_new(folder);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%c.tsv", folder, "ab"[i]);
        assert_true(file_write(path, pairs[i], strlen(pairs[i]), NULL));
    }
    LessonSetting there = {.folder = folder};
    LessonRun run = lesson_run_in(profile.lesson,
                                  "--quick --only 2.5 --data a.tsv --save own.safetensors", there);
    check_lesson_exit(&run, 0);
    lesson_run_free(&run);
    run = lesson_run_in(profile.lesson, "--quick --only 2.5 --data a.tsv --load own.safetensors",
                        there);
    check_lesson_exit(&run, 0);
    lesson_run_free(&run);
    run = lesson_run_in(profile.lesson, "--quick --only 2.5 --data b.tsv --load own.safetensors",
                        there);
    check_lesson_exit(&run, 2);
    if (strstr(run.err, "2.5/your own pairs:target: another vocabulary") == NULL) {
        check_lesson_fail(&run, "the vocabulary is another one");
    }
    lesson_run_free(&run);
    folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inline_look_is_nn_attention),
        cmocka_unit_test(test_score_by_hand),
        cmocka_unit_test(test_softmax_over_the_words),
        cmocka_unit_test(test_mask_hides_padding),
        cmocka_unit_test(test_weights_depend_on_the_states),
        cmocka_unit_test(test_padding_is_not_seen),
        cmocka_unit_test(test_nothing_to_look_at),
        cmocka_unit_test(test_wrong_shapes),
        cmocka_unit_test(test_attention_learns_dates),
        cmocka_unit_test(test_data_that_cannot_be_used),
        cmocka_unit_test(test_odd_data),
        cmocka_unit_test(test_own_data_and_a_sentence),
        cmocka_unit_test(test_own_data_same_bits),
        cmocka_unit_test(test_own_data_saved_and_loaded),
        LESSON_TESTS(profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
