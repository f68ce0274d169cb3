/* Beam search on a decoder that remembers all it said, against greedy decoding and against a search
 * through all sequences there are. Toys by hand: test_beam_by_hand.c. */
#include "support/tensors.h"

#include "nn/beam.h"
#include "nn/decode.h"

#include <stdlib.h>

enum { START = 0, END = 1, V = 4, ROWS = 512, STEPS = 8 };

/* ---- a decoder whose scores depend on all that was said ---- */

/* What is likely next is a random function of the story so far, a number of its own for each one;
 * it is the state that a row carries, so a row that goes on from the wrong parent says other
 * things. */
typedef struct Teller {
    uint64_t seed[8];                /* (B): of each sequence; they differ in everything */
    int K;                           /* rows of one sequence */
    float spread;                    /* of the logits */
    float end_bias;                  /* added to the end token's */
    uint64_t story[ROWS];            /* of each row now ... */
    uint64_t noted[STEPS + 1][ROWS]; /* ... and at each step */
    float scores[ROWS * V];
    int calls, parents; /* calls so far, and how many of them brought parents */
} Teller;

static uint64_t continue_story(uint64_t story, int token) {
    Rng rng = rng_seeded(story, (uint64_t)token + 1);
    return rng_bits(&rng);
}

static void tell(const Teller *teller, uint64_t story, float *logits) {
    Rng rng = rng_seeded(story, 0);
    for (int v = 0; v < V; v++) {
        logits[v] = rng_range(&rng, -teller->spread, teller->spread);
    }
    logits[END] += teller->end_bias;
}

static const float *teller_step(void *decoder, const int *parent, const int *previous, int rows) {
    Teller *teller = decoder;
    uint64_t before[ROWS];
    memcpy(before, teller->story, sizeof before);
    teller->parents += parent != NULL;
    for (int r = 0; r < rows; r++) {
        int from = parent != NULL ? parent[r] : r;
        assert_int_equal(from / teller->K, r / teller->K); /* of the same sequence */
        uint64_t story = teller->calls == 0 ? teller->seed[r / teller->K] : before[from];
        teller->story[r] = continue_story(story, previous[r]);
        teller->noted[teller->calls][r] = teller->story[r];
        tell(teller, teller->story[r], teller->scores + r * V);
    }
    teller->calls++;
    return teller->scores;
}

static Teller *teller_new(int K, uint64_t seed) {
    Teller *teller = check_alloc(sizeof *teller);
    teller->K = K;
    teller->spread = 2.0f;
    for (int b = 0; b < 8; b++) {
        teller->seed[b] = 1000 * seed + (uint64_t)b;
    }
    return teller;
}

static double log_probability(const float *logits, int v) {
    double sum = 0.0;
    for (int i = 0; i < V; i++) {
        sum += exp((double)logits[i]);
    }
    return (double)logits[v] - log(sum);
}

/* ---- the best of all sequences there are ---- */

typedef struct Exhaustive {
    const Teller *teller;
    int max_steps;
    double normalise, score, log_p;
    int tokens[STEPS], best[STEPS], length;
} Exhaustive;

static void try_all(Exhaustive *search, uint64_t story, int t, double log_p) {
    float logits[V];
    tell(search->teller, story, logits);
    for (int v = 0; v < V; v++) {
        double here = log_p + log_probability(logits, v);
        double score = here / pow(t + 1, search->normalise);
        search->tokens[t] = v;
        if (v != END && t + 1 < search->max_steps) {
            try_all(search, continue_story(story, v), t + 1, here);
        } else if (score > search->score) {
            search->score = score;
            search->log_p = here;
            search->length = v == END ? t : t + 1;
            memcpy(search->best, search->tokens, sizeof search->best);
        }
    }
}

/* Wide enough for every beginning: 3 + 9 + 27 tokens that do not end, and 4 ways to go on. */
static void test_as_wide_as_the_space_it_finds_the_best(void **state) {
    (void)state;
    const float normalise[] = {0.0f, 0.6f, 1.0f, 2.0f};
    int lengths[5] = {0};
    for (uint64_t trial = 0; trial < 40; trial++) {
        Teller *teller = teller_new(108, trial);
        BeamOptions options = {108, normalise[trial % 4], START, END, 4};
        BeamResult result = beam_search(teller_step, teller, 3, V, options);
        for (int b = 0; b < 3; b++) {
            Exhaustive all = {.teller = teller,
                              .max_steps = 4,
                              .normalise = (double)options.normalise,
                              .score = -INFINITY};
            try_all(&all, continue_story(teller->seed[b], START), 0, 0.0);
            assert_int_equal(result.length[b], all.length);
            assert_memory_equal(result.tokens + 4 * b, all.best, (size_t)all.length * sizeof(int));
            assert_close(result.score[b], all.score, 1e-9, 1e-9);
            assert_close(result.log_probability[b], all.log_p, 1e-9, 1e-9);
            lengths[all.length]++;
        }
        beam_free(&result);
        free(teller);
    }
    for (int n = 0; n < 5; n++) {
        assert_true(lengths[n] > 0); /* outputs of every length were among them */
    }
}

/* ---- beam 1 ---- */

static const float *greedy_step(void *decoder, const int *previous, int B) {
    return teller_step(decoder, NULL, previous, B);
}

/* faults 22: token by token what greedy decoding says, for any normalisation. */
static void test_one_beam_is_greedy(void **state) {
    (void)state;
    const float normalise[] = {0.0f, 1.0f, 0.6f};
    int ended = 0;
    for (uint64_t trial = 0; trial < 60; trial++) {
        Teller *beam = teller_new(1, trial), *greedy = teller_new(1, trial);
        int tokens[STEPS * 5], length[5];
        decode_greedy(greedy_step, greedy, 5, V, START, END, STEPS, tokens, length);
        BeamResult result = beam_search(teller_step, beam, 5, V,
                                        (BeamOptions){1, normalise[trial % 3], START, END, STEPS});
        for (int b = 0; b < 5; b++) {
            assert_int_equal(result.length[b], length[b]);
            assert_int_equal(result.said[b], length[b] < STEPS ? length[b] + 1 : STEPS);
            for (int t = 0; t < result.said[b]; t++) {
                int said = t < length[b] ? result.tokens[b * STEPS + t] : END;
                assert_int_equal(said, tokens[t * 5 + b]);
                assert_int_equal(result.row[b * STEPS + t], b);
            }
            ended += length[b] < STEPS;
        }
        assert_int_equal(beam->calls, greedy->calls);
        assert_int_equal(beam->parents, 0); /* nothing to copy */
        beam_free(&result);
        free(beam);
        free(greedy);
    }
    assert_in_range(ended, 100, 290);
}

/* ---- a batch ---- */

static void same_result(const BeamResult *one, const BeamResult *all, int b, int K) {
    assert_int_equal(one->length[0], all->length[b]);
    assert_int_equal(one->said[0], all->said[b]);
    for (int t = 0; t < one->said[0]; t++) {
        assert_int_equal(one->row[t], all->row[b * STEPS + t] - b * K);
    }
    assert_memory_equal(one->tokens, all->tokens + b * STEPS, (size_t)one->length[0] * sizeof(int));
    assert_memory_equal(one->score, all->score + b, sizeof(double));
    assert_memory_equal(one->log_probability, all->log_probability + b, sizeof(double));
}

/* Each sequence alone gives what it gives beside four others that take more steps or fewer, bit for
 * bit. */
static void test_neighbours_change_nothing(void **state) {
    (void)state;
    int fewest = STEPS, most = 0;
    for (int K = 1; K <= 5; K += 2) {
        for (uint64_t trial = 0; trial < 8; trial++) {
            BeamOptions options = {K, 0.5f * (float)(trial % 3), START, END, STEPS};
            Teller *together = teller_new(K, trial);
            BeamResult all = beam_search(teller_step, together, 5, V, options);
            for (int b = 0; b < 5; b++) {
                Teller *alone = teller_new(K, trial);
                alone->seed[0] = together->seed[b];
                BeamResult one = beam_search(teller_step, alone, 1, V, options);
                same_result(&one, &all, b, K);
                fewest = alone->calls < fewest ? alone->calls : fewest;
                most = alone->calls > most ? alone->calls : most;
                beam_free(&one);
                free(alone);
            }
            beam_free(&all);
            free(together);
        }
    }
    assert_true(fewest < most);
}

/* What was noted for row[t] at step t is the story that the output tells. */
static void test_rows_belong_to_the_output(void **state) {
    (void)state;
    enum { K = 3 };
    int moves = 0;
    for (uint64_t trial = 0; trial < 20; trial++) {
        Teller *teller = teller_new(K, trial);
        teller->end_bias = -1.0f;
        BeamResult result =
            beam_search(teller_step, teller, 4, V, (BeamOptions){K, 1.0f, START, END, STEPS});
        for (int b = 0; b < 4; b++) {
            uint64_t story = continue_story(teller->seed[b], START);
            for (int t = 0; t < result.said[b]; t++) {
                int row = result.row[b * STEPS + t];
                assert_true(teller->noted[t][row] == story);
                story = continue_story(story, result.tokens[b * STEPS + t]);
                moves += t > 0 && row != result.row[b * STEPS + t - 1];
            }
        }
        assert_true(teller->parents > 0);
        beam_free(&result);
        free(teller);
    }
    assert_true(moves > 20); /* beams did change places */
}

/* ---- ends ---- */

static void test_ends_at_the_first_step(void **state) {
    (void)state;
    Teller *teller = teller_new(4, 1);
    teller->end_bias = 50.0f;
    BeamResult result =
        beam_search(teller_step, teller, 2, V, (BeamOptions){4, 1.0f, START, END, STEPS});
    for (int b = 0; b < 2; b++) {
        assert_int_equal(result.length[b], 0);
        assert_int_equal(result.said[b], 1);
        assert_close(result.score[b], 0.0, 1e-6, 0);
    }
    assert_int_equal(teller->calls, 1);
    beam_free(&result);
    free(teller);
}

static void test_one_that_never_ends(void **state) {
    (void)state;
    for (int K = 1; K <= 4; K++) {
        for (int max_steps = 1; max_steps <= STEPS; max_steps++) {
            Teller *teller = teller_new(K, 2);
            teller->end_bias = -INFINITY;
            BeamResult result = beam_search(teller_step, teller, 1, V,
                                            (BeamOptions){K, 1.0f, START, END, max_steps});
            assert_int_equal(result.length[0], max_steps);
            assert_int_equal(result.said[0], max_steps);
            assert_int_equal(teller->calls, max_steps);
            assert_close(result.score[0], result.log_probability[0] / max_steps, 1e-12, 0);
            beam_free(&result);
            free(teller);
        }
    }
}

/* ---- more ---- */

static void test_more_beams_than_tokens(void **state) {
    (void)state;
    Teller *teller = teller_new(50, 3);
    BeamResult result =
        beam_search(teller_step, teller, 2, V, (BeamOptions){50, 0.0f, START, END, 1});
    for (int b = 0; b < 2; b++) { /* one step: simply the most probable token */
        float logits[V];
        tell(teller, continue_story(teller->seed[b], START), logits);
        int best = tensor_argmax(logits, V);
        assert_int_equal(result.length[b], best != END);
        assert_close(result.score[b], log_probability(logits, best), 1e-9, 0);
    }
    beam_free(&result);
    free(teller);
}

static void test_bad_options_stop(void **state) {
    (void)state;
    BeamOptions good = {2, 1.0f, START, END, 3}, bad = good;
    bad.beams = 0;
    expect_check_message("beam_search: B 1, V 4, beams 0 and max_steps 3",
                         beam_search(teller_step, NULL, 1, V, bad));
    bad = good;
    bad.max_steps = 0;
    expect_check_message("beams 2 and max_steps 0", beam_search(teller_step, NULL, 1, V, bad));
    expect_check_message("B 0, V 4", beam_search(teller_step, NULL, 0, V, good));
    expect_check_message("B 1, V 0", beam_search(teller_step, NULL, 1, 0, good));
    expect_check_message("the end token 1 is not one of 1",
                         beam_search(teller_step, NULL, 1, 1, good));
    bad = good;
    bad.normalise = -0.5f;
    expect_check_message("normalise is -0.5; it must be",
                         beam_search(teller_step, NULL, 1, V, bad));
    bad.normalise = NAN;
    expect_check_message("normalise is nan", beam_search(teller_step, NULL, 1, V, bad));
    bad = good;
    bad.beams = 2000000000;
    expect_check_message("2000000000 beams of 2 sequences are too many",
                         beam_search(teller_step, NULL, 2, V, bad));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_wide_as_the_space_it_finds_the_best),
        cmocka_unit_test(test_one_beam_is_greedy),
        cmocka_unit_test(test_neighbours_change_nothing),
        cmocka_unit_test(test_rows_belong_to_the_output),
        cmocka_unit_test(test_ends_at_the_first_step),
        cmocka_unit_test(test_one_that_never_ends),
        cmocka_unit_test(test_more_beams_than_tokens),
        cmocka_unit_test(test_bad_options_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
