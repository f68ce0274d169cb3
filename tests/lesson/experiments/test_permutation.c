#include "lesson/experiments/plain_look.h"
#include "support/stage.h"

#include "lesson/experiments/permutation.h"

static void test_gap(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        Rng rng = rng_seeded(seed, 1);
        assert_true(permutation_gap(LOOKER(looks_everywhere), false, rng) <= 1e-5);
        assert_true(permutation_gap(LOOKER(looks_everywhere), true, rng) > 0.5);
        assert_true(permutation_gap(LOOKER(looks_back), false, rng) > 0.5);
    }
}

/* By word, not by place: what is the same word in both orders is at the same index. */
static void test_sentence(void **state) {
    (void)state;
    static const int orders[][SENTENCE_WORDS] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}};
    float y[3][SENTENCE_WORDS][SENTENCE_SIZE], placed[2][SENTENCE_WORDS][SENTENCE_SIZE];
    for (int i = 0; i < 3; i++) {
        permutation_sentence(LOOKER(looks_everywhere), false, orders[i], rng_seeded(3, 1), y[i]);
    }
    assert_all_close(y[1][0], y[0][0], SENTENCE_WORDS * SENTENCE_SIZE, 1e-6, 1e-5);
    assert_all_close(y[2][0], y[0][0], SENTENCE_WORDS * SENTENCE_SIZE, 1e-6, 1e-5);
    assert_true(fabsf(y[0][0][0] - y[0][1][0]) > 1e-4f); /* the words are different ones */
    for (int i = 0; i < 2; i++) {
        permutation_sentence(LOOKER(looks_everywhere), true, orders[i], rng_seeded(3, 1),
                             placed[i]);
    }
    assert_true(fabsf(placed[0][0][0] - placed[1][0][0]) > 1e-4f);
}

static void play(Run *run, void *context) {
    double *moved = context;
    moved[0] = permutation_sentences_show(run, LOOKER(looks_everywhere), false);
    moved[1] = permutation_sentences_show(run, LOOKER(looks_everywhere), true);
}

static void test_shown(void **state) {
    (void)state;
    double moved[2];
    Stage stage = stage_play(play, moved, "");
    assert_true(moved[0] <= 1e-6);
    assert_true(moved[1] > 1e-2);
    lesson_run_free(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_sentence),
        cmocka_unit_test(test_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
