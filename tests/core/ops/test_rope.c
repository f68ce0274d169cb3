#include "support/gradient_check.h"

#include "core/kernels/rows.h"

/* The token at position 0 stays, the one at position 1 is turned by 1 and by 1 / 100 (D = 4). */
static void test_by_hand(void **state) {
    (void)state;
    Tape tape = tape_new();
    const float tokens[] = {1, 0, 1, 0, 1, 0, 0, 1};
    Tensor *x = tape_variable(&tape, "x", tokens, SHAPE(1, 1, 2, 4));
    float c = cosf(1.0f), s = sinf(1.0f), c2 = cosf(0.01f), s2 = sinf(0.01f);
    Tensor *y = op_rope(&tape, x, 0, 0, ROPE_INTERLEAVED);
    assert_data(y, 1e-6, 1, 0, 1, 0, c, s, -s2, c2);
    Tensor *half = op_rope(&tape, x, 0, 0, ROPE_HALF); /* pairs (x0, x2) and (x1, x3) */
    assert_data(half, 1e-6, 1, 0, 1, 0, c, -s2, s, c2);
    Tensor *later = op_rope(&tape, x, 0, 1, ROPE_INTERLEAVED);
    assert_data(later, 1e-6, c, s, c2, s2, cosf(2.0f), sinf(2.0f), -sinf(0.02f), cosf(0.02f));
    backward_ones(&tape, y); /* the other results had no gradient */
    assert_grad(x, 1e-6, 1, 1, 1, 1, c + s, c - s, c2 + s2, c2 - s2);
    tape_free(&tape);
}

/* Angles are exact to float32 up to position 4096 and at every pair, wherever counting begins. */
static void test_angles_stay_exact(void **state) {
    (void)state;
    enum { L = 4097, D = 32, LATE = 4000 };
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(1, 1, L, D));
    for (int i = 0; i < L * D; i += 2) {
        x->data[i] = 1.0f; /* the pair (1, 0) becomes (cos, sin) */
    }
    Tensor *y = op_rope(&tape, x, 0, 0, ROPE_INTERLEAVED);
    for (int t = 0; t < L; t++) {
        for (int i = 0; i < D / 2; i++) {
            double angle = t * pow(10000.0, -2.0 * i / D);
            assert_close((double)y->data[t * D + 2 * i], cos(angle), 1e-7, 0.0);
            assert_close((double)y->data[t * D + 2 * i + 1], sin(angle), 1e-7, 0.0);
        }
    }
    Tensor *part = tape_constant(&tape, "part", x->data, SHAPE(1, 1, L - LATE, D));
    Tensor *late = op_rope(&tape, part, 0, LATE, ROPE_INTERLEAVED);
    assert_all_close(late->data, y->data + LATE * D, tensor_size(late), 1e-7, 0.0);
    tape_free(&tape);
}

/* The score of two tokens depends on how far apart they are and not on where they stand. */
static void test_scores_depend_on_the_offset_alone(void **state) {
    (void)state;
    enum { L = 512, D = 32 };
    Tape tape = tape_new();
    for (uint64_t seed = 1; seed <= 5; seed++) {
        tape_reset(&tape);
        Rng rng = rng_seeded(seed, 0);
        Tensor *q = tape_constant(&tape, "q", NULL, SHAPE(1, 1, L, D));
        Tensor *k = tape_constant(&tape, "k", NULL, SHAPE(1, 1, L, D));
        for (int i = 0; i < D; i++) {
            float q_i = rng_normal(&rng), k_i = rng_normal(&rng);
            for (int t = 0; t < L; t++) { /* the same token everywhere */
                q->data[t * D + i] = q_i;
                k->data[t * D + i] = k_i;
            }
        }
        RopePairs pairs = seed % 2 == 0 ? ROPE_HALF : ROPE_INTERLEAVED;
        const Tensor *turned_q = op_rope(&tape, q, 0, 0, pairs);
        const Tensor *turned_k = op_rope(&tape, k, 0, 0, pairs);
        for (int offset = 0; offset < 64; offset += 9) {
            float least = INFINITY, most = -INFINITY;
            for (int t = offset; t < L; t++) {
                float score = dot(turned_q->data + t * D, turned_k->data + (t - offset) * D, D);
                least = fminf(least, score);
                most = fmaxf(most, score);
            }
            assert_close((double)(most - least), 0.0, 1e-4, 0.0);
        }
        float near = dot(turned_q->data, turned_k->data, D);
        float far = dot(turned_q->data + 9 * D, turned_k->data, D);
        assert_true(fabsf(near - far) > 1e-2f); /* but on the offset it does depend */
    }
    tape_free(&tape);
}

/* Heads side by side or one behind the other: the same numbers in other places; and the second kind
 * of pairs is the first with the columns in another order. */
static void test_layouts_and_pairs_agree(void **state) {
    (void)state;
    enum { B = 2, L = 5, H = 3, D = 6 };
    Tape tape = tape_new();
    Rng rng = rng_seeded(3, 0);
    Tensor *x = random_variable(&tape, &rng, "x", SHAPE(B, L, H * D));
    Tensor *heads = op_split_heads(&tape, x, H);
    for (int pairs = ROPE_INTERLEAVED; pairs <= ROPE_HALF; pairs++) {
        Tensor *a = op_rope(&tape, x, H, 7, (RopePairs)pairs);
        Tensor *b = op_merge_heads(&tape, op_rope(&tape, heads, H, 7, (RopePairs)pairs));
        assert_same_bits(a->data, b->data, tensor_size(a));
    }
    Tensor *mixed = tape_constant(&tape, "mixed", NULL, SHAPE(B, H, L, D));
    for (int n = 0; n < B * H * L * D; n++) { /* columns 0 2 4 1 3 5 */
        int i = n % D;
        mixed->data[n - i + i / 2 + i % 2 * (D / 2)] = heads->data[n];
    }
    const Tensor *a = op_rope(&tape, heads, 0, 7, ROPE_INTERLEAVED);
    const Tensor *b = op_rope(&tape, mixed, 0, 7, ROPE_HALF);
    for (int n = 0; n < B * H * L * D; n++) {
        int i = n % D;
        assert_same_bits(&a->data[n], &b->data[n - i + i / 2 + i % 2 * (D / 2)], 1);
    }
    tape_free(&tape);
}

static Tensor *by_head_graph(Tape *tape, Tensor *const *in, const void *context) {
    return op_rope(tape, in[0], 0, 5, *(const RopePairs *)context);
}

static Tensor *by_token_graph(Tape *tape, Tensor *const *in, const void *context) {
    return op_rope(tape, in[0], 2, 5, *(const RopePairs *)context);
}

static void test_gradients(void **state) {
    (void)state;
    for (RopePairs pairs = ROPE_INTERLEAVED; pairs <= ROPE_HALF; pairs++) {
        gradient_check(by_head_graph, &pairs, INPUT("x", 2, 3, 4, 6));
        gradient_check(by_token_graph, &pairs, INPUT("x", 2, 5, 12));
    }
}

static void test_bad_shapes_stop(void **state) {
    (void)state;
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(2, 3, 12));
    Tensor *y = tape_constant(&tape, "y", NULL, SHAPE(2, 3, 4, 5));
    Tensor *m = tape_constant(&tape, "m", NULL, SHAPE(2, 4));
    expect_exact_message("rope: x (2, 3, 12) does not have 5 heads",
                         op_rope(&tape, x, 5, 0, ROPE_HALF));
    expect_exact_message("rope: x (2, 3, 12) does not have 0 heads",
                         op_rope(&tape, x, 0, 0, ROPE_HALF));
    expect_exact_message("rope: y (2, 3, 4, 5) does not have 2 heads",
                         op_rope(&tape, y, 2, 0, ROPE_HALF));
    expect_exact_message("rope: a head of x (2, 3, 12) has 3 numbers, which do not make pairs",
                         op_rope(&tape, x, 4, 0, ROPE_HALF));
    expect_exact_message("rope: a head of y (2, 3, 4, 5) has 5 numbers, which do not make pairs",
                         op_rope(&tape, y, 0, 0, ROPE_INTERLEAVED));
    expect_exact_message("rope: m (2, 4): needed is (B, H, L, D) or (B, L, H * D)",
                         op_rope(&tape, m, 1, 0, ROPE_HALF));
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_angles_stay_exact),
        cmocka_unit_test(test_scores_depend_on_the_offset_alone),
        cmocka_unit_test(test_layouts_and_pairs_agree),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_bad_shapes_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
