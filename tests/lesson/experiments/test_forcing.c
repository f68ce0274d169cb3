#include "lesson/experiments/small_transformer.h"
#include "support/tensors.h"

#include "lesson/experiments/forcing.h"

static const Run nobody; /* no flags, nobody who stops it */

typedef struct Answers {
    double leak, source, order, padding, step;
} Answers;

/* Everything that can be asked, of a model with these mistakes. */
static Answers ask(TransformerMistakes mistakes, PositionKind position) {
    SmallTransformer small;
    small_transformer_new(&small, mistakes);
    if (position != POSITION_SINUSOIDAL) {
        small.model.net.source_position.kind = position;
        small.model.net.target_position.kind = position;
    }
    Forced forced = small_traced(&small).forced;
    Answers answers = {forced_leak(&forced), forced_source_effect(&forced),
                       forced_order_effect(&forced), forced_padding_effect(&forced),
                       forced_step_difference(&forced)};
    small_transformer_free(&small);
    return answers;
}

static void test_a_right_model(void **state) {
    (void)state;
    Answers right = ask((TransformerMistakes){0}, POSITION_SINUSOIDAL);
    assert_close(right.leak, 0, 0, 0); /* not one bit */
    assert_true(right.source > 1e-3);
    assert_true(right.order > 1e-3);
    assert_close(right.padding, 0, 1e-5, 0);
    assert_close(right.step, 0, 1e-5, 0);
}

/* Each mistake is found by its question, and not by those that have nothing to do with it. */
static void test_masks(void **state) {
    (void)state;
    Answers none = ask((TransformerMistakes){.no_causal_mask = true}, POSITION_SINUSOIDAL);
    Answers reversed = ask((TransformerMistakes){.reversed_mask = true}, POSITION_SINUSOIDAL);
    assert_true(none.leak > 1e-3 && none.step > 1e-3);
    assert_true(reversed.leak > 1e-3 && reversed.step > 1e-3);
    assert_true(none.padding > 1e-3); /* the padding behind a short target is seen as well */
    Answers padded = ask((TransformerMistakes){.no_pad_mask = true}, POSITION_SINUSOIDAL);
    assert_true(padded.padding > 1e-3);
    assert_close(padded.leak, 0, 0, 0);
    assert_close(padded.step, 0, 1e-5, 0);
}

static void test_source_order_and_shift(void **state) {
    (void)state;
    Answers deaf = ask((TransformerMistakes){.no_cross_attention = true}, POSITION_SINUSOIDAL);
    assert_close(deaf.source, 0, 0, 0);
    assert_close(deaf.leak, 0, 0, 0);
    Answers bag = ask((TransformerMistakes){0}, POSITION_NONE);
    assert_close(bag.order, 0, 1e-5, 0);
    assert_true(bag.source > 1e-3);
    Answers told = ask((TransformerMistakes){.shift_target = true}, POSITION_SINUSOIDAL);
    assert_true(told.leak > 1e-3);
}

/* The next symbol is always that of the source: right for palindromes, and never for the end. */
static Tensor *copying_logits(void *model, Tape *tape, const Batch *batch) {
    const Translator *translator = model;
    int V = translator->V;
    Tensor *y = tape_constant(tape, "y", NULL, SHAPE(batch->B, batch->T, V));
    for (int b = 0; b < batch->B; b++) {
        for (int t = 0; t < batch->T; t++) {
            int id = t < batch->S ? batch->source[t * batch->B + b] : VOCAB_UNK;
            y->data[(b * batch->T + t) * V + id] = 1.0f;
        }
    }
    return y;
}

/* Counted by hand: 4 of 9 answers, whatever the size of a batch; padding does not count. */
static void test_accuracy(void **state) {
    (void)state;
    enum { A = VOCAB_SPECIALS, C };
    const int aca[] = {A, C, A}, ac[] = {A, C}, ca[] = {C, A};
    Corpus *corpus = corpus_new();
    corpus_add(corpus, (Ids){aca, 3}, (Ids){aca, 3}); /* 3 of 4: the end is not said */
    corpus_add(corpus, (Ids){ac, 2}, (Ids){ca, 2});   /* 0 of 3 */
    corpus_add(corpus, (Ids){ca, 1}, (Ids){ca, 1});   /* 1 of 2 */
    Translator translator = {.V = VOCAB_SPECIALS + 2};
    translator.model = &translator;
    Forced forced = {&translator, copying_logits, corpus};
    for (int size = 1; size <= 4; size++) {
        assert_close(forced_accuracy(&nobody, &forced, size, 100), 4.0 / 9.0, 1e-12, 0);
    }
    assert_close(forced_accuracy(&nobody, &forced, 2, 1), 3.0 / 4.0, 1e-12, 0);
    corpus_free(corpus);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_right_model),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_source_order_and_shift),
        cmocka_unit_test(test_accuracy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
