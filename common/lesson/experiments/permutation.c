#include "lesson/experiments/permutation.h"

#include "core/measure.h"
#include "core/params.h"
#include "nn/position.h"

#include <math.h>
#include <string.h>

/* words (n, d) in that order through f: y (n, d), row i is what came out at place i. The weights
 * are drawn from `rng`, which is a copy: the same each time. */
static void attend_in_order(Looker looker, bool positions, const float *words, const int *order,
                            int n, int d, Rng rng, float *y) {
    Tape tape = tape_new();
    Init normal = init_normal(1.0f / sqrtf((float)d));
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(1, n, d)), *made[3];
    if (positions) {
        sinusoidal_table(x->data, 0, n, d);
    }
    for (int i = 0; i < n * d; i++) {
        x->data[i] += words[order[i / d] * d + i % d];
    }
    for (int i = 0; i < 3; i++) {
        Tensor *w = tape_constant(&tape, "w", NULL, SHAPE(d, d));
        normal.fill(w, &normal, &rng);
        made[i] = op_linear(&tape, x, w, NULL);
    }
    Tensor *out = looker.look(looker.how, &tape, made[0], made[1], made[2], NULL);
    memcpy(y, out->data, (size_t)(n * d) * sizeof *y);
    tape_free(&tape);
}

static void draw_words(float *words, int n, Rng *rng) {
    for (int i = 0; i < n; i++) {
        words[i] = rng_normal(rng);
    }
}

double permutation_gap(Looker looker, bool positions, Rng rng) {
    enum { N = PERMUTATION_TOKENS, D = PERMUTATION_SIZE };
    float words[N * D], plain[N * D], moved[N * D], expected[N * D];
    int order[N], as_they_are[N];
    draw_words(words, N * D, &rng);
    rng_permutation(&rng, N, order);
    for (int i = 0; i < N; i++) {
        as_they_are[i] = i;
    }
    attend_in_order(looker, positions, words, as_they_are, N, D, rng, plain);
    attend_in_order(looker, positions, words, order, N, D, rng, moved);
    for (int i = 0; i < N; i++) {
        memcpy(expected + i * D, plain + order[i] * D, D * sizeof *expected);
    }
    return largest_difference(moved, expected, N * D);
}

void permutation_sentence(Looker looker, bool positions, const int *order, Rng rng,
                          float y[SENTENCE_WORDS][SENTENCE_SIZE]) {
    enum { N = SENTENCE_WORDS, D = SENTENCE_SIZE };
    float words[N * D], by_place[N * D];
    draw_words(words, N * D, &rng);
    attend_in_order(looker, positions, words, order, N, D, rng, by_place);
    for (int i = 0; i < N; i++) {
        memcpy(y[order[i]], by_place + i * D, D * sizeof(float));
    }
}

double permutation_sentences_show(Run *run, Looker looker, bool positions) {
    static const char *const words[SENTENCE_WORDS] = {"dog", "bites", "man"};
    static const int orders[2][SENTENCE_WORDS] = {{0, 1, 2}, {2, 1, 0}};
    float y[2][SENTENCE_WORDS][SENTENCE_SIZE];
    for (int i = 0; i < 2; i++) {
        permutation_sentence(looker, positions, orders[i], run_rng(run, "sentence"), y[i]);
    }
    run_matrix_labelled(run, "dog bites man: y", y[0][0], SENTENCE_WORDS, SENTENCE_SIZE, words,
                        NULL);
    run_matrix_labelled(run, "man bites dog: y, the words in the order above", y[1][0],
                        SENTENCE_WORDS, SENTENCE_SIZE, words, NULL);
    return largest_difference(y[0][0], y[1][0], SENTENCE_WORDS * SENTENCE_SIZE);
}
