#include "support/lesson_profile.h"
#include "support/tensors.h"

#include "lesson/experiments/position_model.h"
#include "lesson/lesson.h"

#include <stdlib.h>

/* ---- the functions of lessons/06_positions.c ---- */

enum { SINE_FIRST, COSINE_FIRST, WAVE_EACH };

void sinusoidal(float *pe, int start, int L, int d, int form);
void sinusoidal_move(float *moved, const float *row, int k, int d);
void rope(float *x, int p, int D);
float alibi_slope(int h, int H);
float alibi(float score, int i, int j, float slope);
Tensor *enter(const PositionModel *m, Tape *tape, Tensor *words);
Tensor *look(const PositionModel *m, Tape *tape, Tensor *q, Tensor *k, Tensor *v, Tensor **weights);

/* ---- what is written out in the lesson is what nn/position.h and op_rope() do ---- */

/* faults 12 and 13 */
static void test_sinusoid_by_hand(void **state) {
    (void)state;
    float four[2 * 4], five[2 * 5], one[3];
    sinusoidal(four, 0, 2, 4, SINE_FIRST);
    const double expected[] = {0, 1, 0, 1, 0.841471, 0.540302, 0.00999983, 0.99995};
    for (int i = 0; i < 8; i++) {
        assert_close(four[i], expected[i], 1e-6, 0);
    }
    sinusoidal(five, 0, 2, 5, SINE_FIRST); /* three sines, two cosines */
    for (int i = 0; i < 5; i++) {
        assert_close(five[i], i % 2, 0, 0);
    }
    assert_close(five[9], sin(pow(10000.0, -0.8)), 1e-9, 1e-6);
    sinusoidal(one, 0, 3, 1, SINE_FIRST);
    assert_close(one[2], sin(2.0), 1e-6, 0);
    sinusoidal(four, 1, 1, 4, WAVE_EACH); /* the mistake is one */
    assert_true(fabs((double)four[1] - 0.540302) > 0.1);
}

static void test_sinusoid_is_nn_position(void **state) {
    (void)state;
    static const int sizes[][3] = {{0, 1, 1}, {0, 7, 5}, {3, 20, 8}, {1000, 9, 33}, {0, 128, 64}};
    static float pe[128 * 64], wanted[128 * 64];
    for (int i = 0; i < 5; i++) {
        int start = sizes[i][0], L = sizes[i][1], d = sizes[i][2];
        sinusoidal(pe, start, L, d, SINE_FIRST);
        sinusoidal_table(wanted, start, L, d);
        assert_all_close(pe, wanted, (size_t)(L * d), 1e-6, 0);
        if (d % 2 == 0) {
            sinusoidal(pe, start, L, d, COSINE_FIRST);
            for (int j = 0; j < L * d; j++) {
                assert_close(pe[j], wanted[j ^ 1], 1e-6, 0);
            }
        }
    }
}

/* PE(p + k) = M_k PE(p); of an odd d all but the last column. */
static void test_move(void **state) {
    (void)state;
    for (int d = 1; d <= 33; d += 8) {
        float pe[50 * 33], moved[33] = {0};
        sinusoidal(pe, 0, 50, d, SINE_FIRST);
        for (int p = 0; p < 30; p++) {
            for (int k = 0; k < 20; k++) {
                sinusoidal_move(moved, pe + p * d, k, d);
                assert_all_close(moved, pe + (p + k) * d, (size_t)(d - d % 2), 1e-6, 0);
            }
        }
    }
}

static void test_rope_is_op_rope(void **state) {
    (void)state;
    static const int sizes[][5] = {{1, 1, 1, 2, 0}, {2, 3, 5, 4, 0}, {2, 2, 7, 16, 90}};
    for (int i = 0; i < 3; i++) {
        int B = sizes[i][0], H = sizes[i][1], L = sizes[i][2], D = sizes[i][3];
        Tape tape = tape_new();
        Rng rng = rng_seeded(7, (uint64_t)i);
        Tensor *x = random_constant(&tape, &rng, "x", SHAPE(B, H, L, D));
        Tensor *wanted = op_rope(&tape, x, H, sizes[i][4], ROPE_INTERLEAVED);
        for (int row = 0; row < B * H * L; row++) {
            rope(x->data + row * D, sizes[i][4] + row % L, D);
        }
        assert_all_close(x->data, wanted->data, tensor_size(x), 1e-6, 1e-5);
        tape_free(&tape);
    }
}

/* Softmax of the penalised scores gives the weights of op_attention(). */
static void test_alibi_is_op_attention(void **state) {
    (void)state;
    enum { H = 4, L = 6, D = 3 };
    float slopes[16], ours[16];
    for (int heads = 1; heads <= 16; heads *= 2) {
        alibi_slopes(slopes, heads);
        for (int h = 1; h <= heads; h++) {
            ours[h - 1] = alibi_slope(h, heads);
        }
        assert_all_close(ours, slopes, (size_t)heads, 0, 1e-6);
    }
    Tape tape = tape_new();
    Rng rng = rng_seeded(8, 1);
    Tensor *q = random_constant(&tape, &rng, "q", SHAPE(1, H, L, D));
    Tensor *k = random_constant(&tape, &rng, "k", SHAPE(1, H, L, D)), *weights;
    alibi_slopes(slopes, H);
    op_attention(&tape, q, k, k, (AttentionOptions){.slopes = slopes, .weights = &weights});
    Tensor *scores = op_scale(&tape, op_matmul_nt(&tape, q, k), 1.0f / sqrtf((float)D));
    for (int n = 0; n < H * L * L; n++) {
        scores->data[n] = alibi(scores->data[n], n / L % L, n % L, slopes[n / (L * L)]);
    }
    Tensor *wanted = op_softmax(&tape, scores);
    assert_all_close(wanted->data, weights->data, tensor_size(weights), 1e-5, 1e-4);
    tape_free(&tape);
}

/* ---- the two functions that are all that differs ---- */

static const Mistake mistakes[] = {
    {"pe_batch_axis", ""}, {"pe_not_scaled", ""}, {"rope_on_values", ""}};
static const Lesson lesson_of_mistakes = {.number = "06", .mistakes = mistakes, .mistake_count = 3};

enum { B = 4, L = 6, V = 6, D = 16, H = 2, LAYERS = 2 };

static void model_of(PositionModel *m, const Run *run, PositionKind kind, bool causal) {
    Rng rng = rng_seeded(5, 5);
    position_model_new(m,
                       (PositionPlan){.kind = kind,
                                      .causal = causal,
                                      .V = V,
                                      .d = D,
                                      .heads = H,
                                      .layers = LAYERS,
                                      .max_length = 2 * L,
                                      .enter = enter,
                                      .look = look,
                                      .context = run},
                       &rng);
}

static void draw_ids(int *ids) {
    Rng rng = rng_seeded(6, 6);
    for (int i = 0; i < B * L; i++) {
        ids[i] = (int)rng_below(&rng, V);
    }
}

static Tensor *library_logits(const PositionModel *m, Tape *tape, const int *ids, bool causal) {
    Tensor *words = op_embedding(tape, m->words.table, ids, SHAPE(B, L));
    Tensor *x = position_add(tape, &m->position, op_scale(tape, words, sqrtf((float)D)), 0);
    for (int i = 0; i < LAYERS; i++) {
        x = encoder_layer_forward(tape, &m->layer[i], x,
                                  (Look){.causal = causal, .position = &m->position}, NULL);
    }
    return linear_forward(tape, &m->out, layernorm_forward(tape, &m->norm, x));
}

/* Forward and backward, each kind, both ways of looking. */
static void test_models_are_those_of_nn(void **state) {
    (void)state;
    const Run run = {.lesson = &lesson_of_mistakes};
    int ids[B * L];
    draw_ids(ids);
    for (int i = 0; i < 10; i++) {
        PositionModel m;
        model_of(&m, &run, (PositionKind)(i / 2), i % 2 == 1);
        Tape tape = tape_new(), other = tape_new();
        Tensor *logits = position_model_logits(&m, &tape, ids, B, L);
        backward_random(&tape, logits, 9);
        float *grad = copy_of(m.params.grad, m.params.size);
        params_zero_grad(&m.params);
        Tensor *wanted = library_logits(&m, &other, ids, i % 2 == 1);
        backward_random(&other, wanted, 9);
        assert_all_close(logits->data, wanted->data, tensor_size(wanted), 1e-5, 1e-4);
        assert_all_close(grad, m.params.grad, m.params.size, 1e-4, 1e-3);
        free(grad);
        tape_free(&tape);
        tape_free(&other);
        position_model_free(&m);
    }
}

/* faults 14: equal rows of a batch, as many as you like, get equal encodings. */
static void test_rows_of_a_batch(void **state) {
    (void)state;
    Run run = {.lesson = &lesson_of_mistakes};
    PositionModel m;
    model_of(&m, &run, POSITION_SINUSOIDAL, true);
    int ids[B * L];
    for (int i = 0; i < B * L; i++) {
        ids[i] = i % L;
    }
    for (int broken = 0; broken < 2; broken++) {
        run.flags.break_name = broken ? "pe_batch_axis" : NULL;
        Tape tape = tape_new();
        Tensor *x = enter(&m, &tape, op_embedding(&tape, m.words.table, ids, SHAPE(B, L)));
        int equal = 0;
        for (int b = 1; b < B; b++) {
            equal += memcmp(x->data, x->data + b * L * D, L * D * sizeof(float)) == 0;
        }
        assert_int_equal(equal, broken ? 0 : B - 1);
        tape_free(&tape);
    }
    position_model_free(&m);
}

/* A learned table has an end, and the message says where. */
static void test_learned_past_its_table(void **state) {
    (void)state;
    const Run run = {.lesson = &lesson_of_mistakes};
    PositionModel m;
    model_of(&m, &run, POSITION_LEARNED, true);
    Tape tape = tape_new();
    Tensor *words = tape_constant(&tape, "words", NULL, SHAPE(1, 2 * L, D));
    assert_shape(enter(&m, &tape, words), 1, 2 * L, D);
    m.start = 1;
    expect_exact_message("position: 13 wanted, the learned table has 12", enter(&m, &tape, words));
    tape_free(&tape);
    position_model_free(&m);
}

/* ---- the program ---- */

static const LessonProfile profile = {
    .lesson = "06_positions",
    .steps = "6.1 6.2 6.3 6.4",
    .mistakes = {{"pe_exponent", "cos_1 move"},
                 {"pe_batch_axis", "rows"},
                 {"pe_not_scaled", "scale"},
                 {"rope_on_values", "rope_moved"},
                 {"no_positions", "told refused"}},
    .trained = "order_none order_alibi order_told order_cosine order_causal copy_sine copy_learned "
               "copy_rope copy_cosine copy_alibi copy_none sine_2 learned_2 rope_2 rope_4 alibi_in "
               "alibi_far sine_far learned_far rope_in rope_next text_rope_far text_none "
               "text_cosine",
    .cheap = "cos_1 move rope_near rope_far slopes rope_moved alibi_moved rows scale blind told "
             "causal mirror refused",
    .files = "positions.png order_learning.tsv order_learning.gp copy_by_place.tsv copy_maps.png "
             "attention.tsv text_by_place.tsv text_by_place.gp",
    .unsaid = {"Not so here", "train short, test long"},
    .alone = "6.1 6.2 6.3 6.4",
    .refused = {{"--text no/such/file.txt", "no/such/file.txt"},
                {"--text .", "folder"},
                {"--length 7", "8"},
                {"--length 129", "128"},
                {"--d-model 60", "multiple of 8"},
                {"--heads 0", "heads"},
                {"--heads 17", "16"},
                {"--rate 0", "rate"}},
    .accepted = {"--only 6.4 --length 8 --d-model 2 --heads 1 --rate 1",
                 "--only 6.4 --length 128 --d-model 32 --heads 16 --rate 1e-6"},
    .undrawn = {"", "text_by_place", "copy_maps.png"},
    .interrupted = {"--only 6.1,6.4 --d-model 256", "6.4", "cos_1 scale", "alibi_far"},
};

/* ---- a text of one's own ---- */

static const char own[] = "--quick --only 6.4 --length 8 --text own.tsv";

static void test_text_that_cannot_be_used(void **state) {
    (void)state;
    check_lesson_refused_on(profile.lesson, LESSON_TEXT(""), own, "empty");
    check_lesson_refused_on(profile.lesson, LESSON_TEXT("caf\xe9 au lait\n"), own, "UTF-8");
    check_lesson_refused_on(profile.lesson, LESSON_TEXT("a\0b"), own, "NUL");
    check_lesson_refused_on(profile.lesson, LESSON_TEXT("Too short to learn from.\n"), own,
                            "short");
}

static char *long_text(const char *line, int times) {
    char *text = calloc(strlen(line) * (size_t)times + 1, 1);
    for (int i = 0; i < times; i++) {
        strcat(text, line);
    }
    return text;
}

/* A byte order mark, Windows line ends, other letters: all are text. */
static void test_text(void **state) {
    (void)state;
    char *text = long_text("\xef\xbb\xbf\xce\xb1 \xce\xb2\xce\xb3, \xc3\xa9t\xc3\xa9\r\n", 40);
    LessonRun run = lesson_run_on(profile.lesson, text, strlen(text), own);
    check_lesson_exit(&run, 0);
    assert_string_equal(run.err, "");
    assert_non_null(strstr(run.out, "own.tsv"));
    lesson_run_free(&run);
    free(text);
}

/* Bounds were set for the built-in text: of another no more than what always holds is claimed. */
static void test_another_text_is_not_judged(void **state) {
    (void)state;
    char *text = long_text("The cat sat on the mat, and the dog sat on the cat.\n", 60);
    LessonRun run = lesson_run_on(profile.lesson, text, strlen(text),
                                  "--only 6.4 --steps 400 --d-model 8 --length 8 --no-plots "
                                  "--text own.tsv");
    check_lesson_exit(&run, 0);
    assert_non_null(strstr(run.out, "[not made] ALiBi: nats at 16 to 31"));
    assert_non_null(strstr(run.out, "[holds] learned: a place too many is refused"));
    assert_null(strstr(run.out, "train short, test long"));
    lesson_run_free(&run);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sinusoid_by_hand),
        cmocka_unit_test(test_sinusoid_is_nn_position),
        cmocka_unit_test(test_move),
        cmocka_unit_test(test_rope_is_op_rope),
        cmocka_unit_test(test_alibi_is_op_attention),
        cmocka_unit_test(test_models_are_those_of_nn),
        cmocka_unit_test(test_rows_of_a_batch),
        cmocka_unit_test(test_learned_past_its_table),
        cmocka_unit_test(test_text_that_cannot_be_used),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_another_text_is_not_judged),
        LESSON_TESTS(profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
