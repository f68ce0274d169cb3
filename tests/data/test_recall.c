#include "assert_close.h"

#include "data/recall.h"

enum { K = RECALL_SYMBOLS };

static void test_a_symbol_then_distractors(void **state) {
    (void)state;
    enum { GAP = 6, B = 40 };
    int ids[(GAP + 1) * B], answer[B];
    Rng rng = rng_seeded(1, 1);
    recall_draw(&rng, GAP, B, ids, answer);
    for (int b = 0; b < B; b++) {
        assert_in_range(answer[b], 0, K - 1);
        assert_int_equal(ids[b], answer[b]); /* time-major: step 0 of sequence b */
        for (int t = 1; t <= GAP; t++) {
            assert_in_range(ids[t * B + b], K, RECALL_VOCABULARY - 1);
        }
    }
}

static void test_every_symbol_occurs_equally_often(void **state) {
    (void)state;
    enum { GAP = 1, B = 8000 };
    static int ids[(GAP + 1) * B], answer[B];
    int count[RECALL_VOCABULARY] = {0};
    Rng rng = rng_seeded(2, 1);
    recall_draw(&rng, GAP, B, ids, answer);
    for (int i = 0; i < (GAP + 1) * B; i++) {
        count[ids[i]]++;
    }
    for (int i = 0; i < RECALL_VOCABULARY; i++) {
        assert_in_range(count[i], 850, 1150); /* 1000 +- 5 deviations */
    }
}

/* The distractors say nothing about the answer: for each of them all answers are as likely. */
static void test_distractors_say_nothing(void **state) {
    (void)state;
    enum { GAP = 1, B = 32000 };
    static int ids[(GAP + 1) * B], answer[B];
    int count[K][K] = {{0}};
    Rng rng = rng_seeded(3, 1);
    recall_draw(&rng, GAP, B, ids, answer);
    for (int b = 0; b < B; b++) {
        count[ids[B + b] - K][answer[b]]++;
    }
    for (int i = 0; i < K * K; i++) {
        assert_in_range(count[i / K][i % K], 380, 620); /* 500 +- 5 deviations */
    }
}

static void test_same_seed_same_sequences(void **state) {
    (void)state;
    int ids[2][12], answer[2][4];
    for (int i = 0; i < 2; i++) {
        Rng rng = rng_seeded(4, 9);
        recall_draw(&rng, 2, 4, ids[i], answer[i]);
    }
    assert_memory_equal(ids[0], ids[1], sizeof ids[0]);
    assert_memory_equal(answer[0], answer[1], sizeof answer[0]);
}

static void test_no_gap_and_nonsense(void **state) {
    (void)state;
    int ids[3] = {-1, -1, -1}, answer[3];
    Rng rng = rng_seeded(5, 1);
    recall_draw(&rng, 0, 3, ids, answer);
    assert_memory_equal(ids, answer, sizeof ids);
    expect_check_message("recall_draw: a gap of -1", recall_draw(&rng, -1, 3, ids, answer));
    expect_check_message("0 sequences", recall_draw(&rng, 1, 0, ids, answer));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_symbol_then_distractors),
        cmocka_unit_test(test_every_symbol_occurs_equally_often),
        cmocka_unit_test(test_distractors_say_nothing),
        cmocka_unit_test(test_same_seed_same_sequences),
        cmocka_unit_test(test_no_gap_and_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
