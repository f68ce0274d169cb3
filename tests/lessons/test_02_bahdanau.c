#include "support/lesson_checks.h"
#include "support/tensors.h"

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

static void look_inline(Tape *tape, Look *look, const Mask *mask) {
    Tensor *q = op_linear(tape, look->s, look->w_q, NULL);
    Tensor *keys = op_linear(tape, look->h, look->w_k, NULL);
    look->scores = bahdanau_score(tape, look->v, q, keys, true);
    look->weights = bahdanau_weights(tape, look->scores, mask, true);
    look->context = bahdanau_context(tape, look->weights, look->h);
}

static void look_nn(Tape *tape, Look *look, const Mask *mask) {
    AdditiveAttention attention = {.w_q = look->w_q, .w_k = look->w_k, .v = look->v};
    Tensor *keys = additive_keys(tape, &attention, look->h);
    look->scores = additive_score(tape, &attention, look->s, keys);
    Attended attended = attend(tape, look->scores, look->h, mask);
    look->weights = attended.weights;
    look->context = attended.context;
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
        Tape tape = tape_new();
        int length[3] = {S, 1, S / 2}; /* 0 for the third of S = 1 */
        Mask mask = mask_padding(&tape.arena, length, B, S);
        Look written = look_new(&tape, B, S, H, A, true, (uint64_t)i);
        Look called = look_new(&tape, B, S, H, A, false, (uint64_t)i);
        look_inline(&tape, &written, &mask);
        look_nn(&tape, &called, &mask);
        Rng rng = rng_seeded((uint64_t)i, 2);
        fill_random(called.context->grad, (size_t)(B * H), -1.0f, 1.0f, &rng);
        memcpy(written.context->grad, called.context->grad, (size_t)(B * H) * sizeof(float));
        tape_backward_from(&tape, written.context);
        memset(written.weights->grad, 0, 0);
        /* the walk above also went through the other form, whose gradients were set: so once is
         * enough */
        assert_equal_tensors(written.scores, called.scores);
        assert_equal_tensors(written.weights, called.weights);
        assert_equal_tensors(written.w_q, called.w_q);
        assert_equal_tensors(written.w_k, called.w_k);
        assert_equal_tensors(written.v, called.v);
        assert_equal_tensors(written.s, called.s);
        assert_equal_tensors(written.h, called.h);
        tape_free(&tape);
    }
}
