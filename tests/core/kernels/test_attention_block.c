#include "assert_close.h"

#include "core/kernels/attention_block.h"
#include "core/kernels/rows.h"
#include "core/rng.h"

#include <stdlib.h>

/* One head of every combination of a few sizes; calls `check` with each. */
typedef void (*HeadCheck)(const Head *head);

static void for_many_heads(HeadCheck check) {
    static const int sizes[] = {1, 2, 5, 63, 64, 65, 127, 128, 129, 300};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    for (int n = 0; n < SIZES * SIZES * 2; n++) {
        int Lq = sizes[n % SIZES], Lk = sizes[n / SIZES % SIZES];
        const int lengths[] = {Lk, 0, Lk / 2};
        AttentionPlan plan = {.B = 3, .H = 2, .Lq = Lq, .Lk = Lk, .D = 1, .Dv = 1, .scale = 1.0f};
        plan.causal = n >= SIZES * SIZES;
        plan.key_length = lengths;
        for (long index = 0; index < 6; index++) {
            Head head = attention_head(&plan, index);
            assert_int_equal(head.keys, lengths[index / 2]);
            check(&head);
        }
    }
}

static bool may_look(const Head *head, int i, int j) {
    const AttentionPlan *plan = head->plan;
    return j < head->keys && (!plan->causal || j <= i + plan->Lk - plan->Lq);
}

static void check_keys_seen(const Head *head) {
    for (int i = 0; i < head->plan->Lq; i++) {
        int seen = 0;
        for (int j = 0; j < head->plan->Lk; j++) {
            seen += may_look(head, i, j);
        }
        assert_int_equal(keys_seen(head, i), seen);
    }
}

static void test_keys_seen(void **state) {
    (void)state;
    for_many_heads(check_keys_seen);
}

/* Every pair of a query and a key it sees is in exactly one block; a block ends behind the last key
 * that any of its queries sees, and those above the diagonal have no columns at all. */
static void check_blocks(const Head *head) {
    const AttentionPlan *plan = head->plan;
    long pairs = 0, expected = 0;
    for (int i = 0; i < plan->Lq; i += QUERY_BLOCK) {
        for (int j = 0; j < plan->Lk; j += KEY_BLOCK) {
            Block block = attention_block(head, i, j);
            int most = 0;
            for (int r = 0; r < block.rows; r++) {
                int seen = cols_seen(head, &block, r);
                for (int c = 0; c < KEY_BLOCK && j + c < plan->Lk; c++) {
                    assert_true((c < seen) == may_look(head, i + r, j + c));
                }
                pairs += seen;
                most = seen > most ? seen : most;
            }
            assert_int_equal(block.cols, most);
            assert_true(block.width >= block.cols && block.width < block.cols + VEC_LANES);
            assert_true(block.rows * block.width <= BLOCK_FLOATS);
        }
    }
    for (int i = 0; i < plan->Lq; i++) {
        expected += keys_seen(head, i);
    }
    assert_int_equal(pairs, expected);
}

static void test_blocks_cover_what_is_seen(void **state) {
    (void)state;
    for_many_heads(check_blocks);
}

/* Half of a long causal attention is skipped: the blocks' area is little more than the triangle. */
static void test_blocks_above_the_diagonal_are_skipped(void **state) {
    (void)state;
    enum { L = 4096 };
    AttentionPlan plan = {.B = 1, .H = 1, .Lq = L, .Lk = L, .D = 1, .Dv = 1, .causal = true};
    Head head = attention_head(&plan, 0);
    double area = 0.0;
    for (int i = 0; i < L; i += QUERY_BLOCK) {
        for (int j = 0; j < L; j += KEY_BLOCK) {
            Block block = attention_block(&head, i, j);
            area += (double)block.rows * block.cols;
        }
    }
    assert_close(area / L / L, 0.5 + 0.5 * QUERY_BLOCK / L, 1e-9, 0.0);
}

/* Scores in place, -infinity from the first key that is not seen to the end of its vector. */
static void test_scores_of_a_block(void **state) {
    (void)state;
    enum { LQ = 70, LK = 140, D = 3 };
    float q[LQ * D], k[LK * D], scores[BLOCK_FLOATS] BLOCK_ALIGNED;
    Rng rng = rng_seeded(1, 0);
    for (int i = 0; i < LK * D; i++) {
        k[i] = rng_range(&rng, -1, 1);
        q[i % (LQ * D)] = rng_range(&rng, -1, 1);
    }
    const float slope = 0.5f;
    AttentionPlan plan = {
        .B = 1, .H = 1, .Lq = LQ, .Lk = LK, .D = D, .scale = -2.0f, .causal = true};
    plan.q.row = plan.k.row = D;
    plan.slopes = &slope;
    Head head = attention_head(&plan, 0);
    Block block = attention_block(&head, QUERY_BLOCK, KEY_BLOCK);
    assert_int_equal(block.rows, LQ - QUERY_BLOCK);
    assert_int_equal(block.cols, LK - KEY_BLOCK);
    block_scores(&head, &block, q, k, scores);
    for (int r = 0; r < block.rows; r++) {
        int seen = cols_seen(&head, &block, r), position = block.i + r + LK - LQ;
        for (int c = 0; c < whole_vectors(seen); c++) {
            float score = scores[r * block.width + c];
            if (c < seen) {
                double product = (double)dot(q + (block.i + r) * D, k + (block.j + c) * D, D);
                double exact = -2.0 * product - 0.5 * abs(position - block.j - c);
                assert_close((double)score, exact, 1e-5, 0.0);
            } else {
                assert_true(score == -INFINITY);
            }
        }
    }
}

/* As many decisions as there are weights, each by its number in (B, H, Lq, Lk). */
static void test_dropout_is_numbered_like_the_weights(void **state) {
    (void)state;
    enum { B = 2, H = 3, LQ = 66, LK = 131 };
    static float all[B * H * LQ * LK];
    AttentionPlan plan = {
        .B = B, .H = H, .Lq = LQ, .Lk = LK, .D = 1, .Dv = 1, .dropout = {0.5f, 4}};
    dropout_factors(plan.dropout, 0, B * H * LQ * LK, all);
    for (long index = 0; index < B * H; index++) {
        Head head = attention_head(&plan, index);
        for (int i = 0; i < LQ; i += QUERY_BLOCK) {
            for (int j = 0; j < LK; j += KEY_BLOCK) {
                Block block = attention_block(&head, i, j);
                for (int r = 0; r < block.rows; r++) {
                    float factor[KEY_BLOCK];
                    block_dropout(&head, &block, r, block.cols, factor);
                    assert_memory_equal(factor, all + (index * LQ + i + r) * LK + j,
                                        (size_t)block.cols * sizeof *factor);
                }
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_seen),
        cmocka_unit_test(test_blocks_cover_what_is_seen),
        cmocka_unit_test(test_blocks_above_the_diagonal_are_skipped),
        cmocka_unit_test(test_scores_of_a_block),
        cmocka_unit_test(test_dropout_is_numbered_like_the_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
