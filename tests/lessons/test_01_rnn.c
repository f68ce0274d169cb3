#include "support/lesson_profile.h"
#include "support/tensors.h"

#include "nn/rnn.h"

/* ---- the functions of lessons/01_rnn.c ---- */

typedef struct Cell {
    Tensor *W; /* (H, H) */
    Tensor *U; /* (H, I) */
    Tensor *b; /* (H) */
} Cell;

void cell_forward(const Cell *cell, const float *x, const float *before, float *h);
void cell_backward(const Cell *cell, const float *x, const float *before, const float *h,
                   const float *dh, float *dh_before);

/* ---- the cell written out in the lesson is the one of common/nn ---- */

typedef struct Pair {
    Tape tape;
    int T, I, H;
    Cell cell;
    Rnn rnn;   /* the same weights; its two biases add up to the cell's */
    Tensor *x; /* (T, 1, I) */
} Pair;

static Tensor *copy_tensor(Tape *tape, const Tensor *tensor) {
    return tape_variable(tape, tensor->name, tensor->data, tensor->ndim, tensor->dim);
}

static Pair pair_new(int T, int I, int H, uint64_t seed) {
    Pair p = {.tape = tape_new(), .T = T, .I = I, .H = H};
    Rng rng = rng_seeded(seed, 1);
    p.cell = (Cell){random_variable(&p.tape, &rng, "W", SHAPE(H, H)),
                    random_variable(&p.tape, &rng, "U", SHAPE(H, I)),
                    random_variable(&p.tape, &rng, "b", SHAPE(H))};
    p.rnn = (Rnn){.w_ih = copy_tensor(&p.tape, p.cell.U),
                  .w_hh = copy_tensor(&p.tape, p.cell.W),
                  .b_ih = random_variable(&p.tape, &rng, "b_ih", SHAPE(H)),
                  .b_hh = copy_tensor(&p.tape, p.cell.b),
                  .input = I,
                  .hidden = H};
    for (int i = 0; i < H; i++) {
        p.rnn.b_hh->data[i] -= p.rnn.b_ih->data[i];
    }
    for (int i = 0; i < H * H; i++) { /* no chaos: rounding errors must not grow */
        p.cell.W->data[i] /= sqrtf((float)H);
        p.rnn.w_hh->data[i] = p.cell.W->data[i];
    }
    p.x = random_variable(&p.tape, &rng, "x", SHAPE(T, 1, I));
    return p;
}

static const int sizes[][3] = {{1, 1, 1}, {3, 1, 2}, {7, 5, 13}, {20, 16, 33}}; /* T, I, H */
enum { SIZES = sizeof sizes / sizeof *sizes };

static void test_inline_cell_is_nn_rnn(void **state) {
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        Pair p = pair_new(sizes[s][0], sizes[s][1], sizes[s][2], (uint64_t)s + 1);
        Tensor *y = rnn_forward(&p.tape, &p.rnn, p.x, NULL, (SequenceOptions){0});
        float h[2][33] = {{0}};
        for (int t = 0; t < p.T; t++) {
            cell_forward(&p.cell, p.x->data + t * p.I, h[t % 2], h[(t + 1) % 2]);
            assert_all_close(h[(t + 1) % 2], y->data + t * p.H, (size_t)p.H, 1e-5, 1e-5);
        }
        tape_free(&p.tape);
    }
}

static void test_inline_bptt_is_nn_rnn(void **state) {
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        Pair p = pair_new(sizes[s][0], sizes[s][1], sizes[s][2], (uint64_t)s + 11);
        int T = p.T, I = p.I, H = p.H;
        Tensor *h0 = tape_variable(&p.tape, "h0", NULL, SHAPE(1, H));
        Tensor *y = rnn_forward(&p.tape, &p.rnn, p.x, h0, (SequenceOptions){0});
        Rng rng = rng_seeded((uint64_t)s, 2);
        float dh[2][33] = {{0}}, zero[33] = {0};
        fill_random(dh[T % 2], (size_t)H, -1.0f, 1.0f, &rng);
        memcpy(y->grad + (T - 1) * H, dh[T % 2], (size_t)H * sizeof(float));
        tape_backward_from(&p.tape, y);
        for (int t = T; t >= 1; t--) {
            const float *before = t > 1 ? y->data + (t - 2) * H : zero;
            cell_backward(&p.cell, p.x->data + (t - 1) * I, before, y->data + (t - 1) * H,
                          dh[t % 2], dh[(t - 1) % 2]);
        }
        assert_all_close(dh[0], h0->grad, (size_t)H, 1e-5, 1e-5);
        assert_all_close(p.cell.W->grad, p.rnn.w_hh->grad, (size_t)(H * H), 1e-5, 1e-5);
        assert_all_close(p.cell.U->grad, p.rnn.w_ih->grad, (size_t)(H * I), 1e-5, 1e-5);
        assert_all_close(p.cell.b->grad, p.rnn.b_ih->grad, (size_t)H, 1e-5, 1e-5);
        tape_free(&p.tape);
    }
}

/* All steps share W, U and b: their gradients are added to, never overwritten. */
static void test_inline_bptt_accumulates(void **state) {
    (void)state;
    Pair p = pair_new(1, 3, 5, 21);
    float h[5], zero[5] = {0}, dh[5] = {1, -2, 3, -4, 5}, dh_before[5] = {9, 9, 9, 9, 9}, once[25];
    cell_forward(&p.cell, p.x->data, p.cell.b->data, h);
    cell_backward(&p.cell, p.x->data, p.cell.b->data, h, dh, dh_before);
    memcpy(once, p.cell.W->grad, sizeof once);
    cell_backward(&p.cell, p.x->data, p.cell.b->data, h, dh, dh_before);
    for (int i = 0; i < 25; i++) {
        assert_close(p.cell.W->grad[i], 2.0 * (double)once[i], 1e-6, 1e-6);
    }
    cell_backward(&p.cell, p.x->data, zero, h, zero, dh_before);
    assert_all_close(dh_before, zero, 5, 0, 0); /* this one is overwritten */
    tape_free(&p.tape);
}

/* ---- the program ---- */

static const LessonProfile profile = {
    .lesson = "01_rnn",
    .steps = "1.1 1.2 1.3 1.4 1.5",
    .mistakes = {{"no_clip", "longest"},
                 {"bptt_truncate", "bptt_states bptt_weights theory rho_1 rho_4 lstm_3"},
                 {"wrong_order", "bptt_states bptt_weights"}},
    .trained = "rnn_near lstm_1_near gru_0_near lstm_3_near lstm_5_near gru_2_near lstm_3_far "
               "attention_near attention_far clipped unclipped",
    .cheap = "push bptt_states bptt_weights theory rho_1 rho_4 lstm_0 lstm_3 gru_0 rho_1.5 "
             "attention chain_rnn chain_attention longest",
    .timing = 1,
    .files = "gradient_decay.tsv gradient_decay.gp gradient_decay_long.tsv recall.tsv "
             "serial_chain.tsv timing_serial_cost.tsv clipping.tsv",
    .alone = "1.3 1.5",
    .refused = {{"--hidden 0", "hidden"},
                {"--hidden 257", "256"},
                {"--hidden 12.5", "hidden"},
                {"--distractors 0", "distractors"},
                {"--distractors 201", "200"},
                {"--repeats 10", "9"},
                {"--rate -1", "rate"},
                {"--rate nan", "rate"},
                {"--data some.tsv", "data"}},
    .accepted = {"--only 1.4 --hidden 1 --distractors 1 --rate 1e-6",
                 "--only 1.4 --hidden 256 --distractors 7 --rate 1"},
    .undrawn = {"--only 1.3", "gradient_decay", NULL},
    .interrupted = {"--only 1.1,1.4 --distractors 200 --hidden 256", "1.4", "push", NULL},
};

/* --steps shortens every training: what rests on one is not made, what is cheap is. */
static void test_fewer_steps(void **state) {
    (void)state;
    LessonRun run = lesson_run(profile.lesson, "--steps 2 --repeats 1 --only 1.4,1.5 --no-plots");
    check_lesson_exit(&run, 0);
    assert_string_equal(lesson_claim(&run, "clipped"), "not_made");
    assert_string_equal(lesson_claim(&run, "attention_near"), "not_made");
    assert_string_equal(lesson_claim(&run, "longest"), "holds");
    lesson_run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inline_cell_is_nn_rnn),
        cmocka_unit_test(test_inline_bptt_is_nn_rnn),
        cmocka_unit_test(test_inline_bptt_accumulates),
        cmocka_unit_test(test_fewer_steps),
        LESSON_TESTS(profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
