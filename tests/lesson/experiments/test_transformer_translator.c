#include "lesson/experiments/small_transformer.h"
#include "support/stage.h"
#include "support/tensors.h"

#include <stdlib.h>

static const Run nobody; /* no flags, nobody who stops it */

static Batcher *held_out_batches(const SmallTransformer *small, int size) {
    return batcher_new(small->task.held_out, (BatchOptions){.B = size}, rng_seeded(0, 0));
}

/* The loss is the mean of what the scores say of the right answers, padding not counted. */
static void test_loss(void **state) {
    (void)state;
    SmallTransformer small;
    small_transformer_new(&small, (TransformerMistakes){0});
    Batcher *batcher = held_out_batches(&small, 4);
    const Batch *batch = batcher_range(batcher, 0, 4);
    Tape tape = tape_new();
    float loss = small.translator.loss(&small.model, &tape, batch)->data[0];
    Tensor *scores = transformer_translator_logits(&small.model, &tape, batch);
    Tensor *logs = op_log_softmax(&tape, scores);
    double sum = 0.0;
    int V = small.translator.V, count = 0;
    assert_shape(scores, 4, batch->T, V);
    for (int b = 0; b < 4; b++) {
        for (int t = 0; t < batch->target_length[b]; t++) {
            sum -= (double)logs->data[(b * batch->T + t) * V + batch->target_output[t * 4 + b]];
            count++;
        }
    }
    assert_close(loss, sum / count, 1e-5, 0);
    batcher_free(batcher);
    tape_free(&tape);
    small_transformer_free(&small);
}

/* Greedy translation, beam of 1 and step by step through caches: the same words (faults 22). */
static void test_one_beam_is_greedy(void **state) {
    (void)state;
    SmallTransformer small;
    small_transformer_new(&small, (TransformerMistakes){0});
    Translations greedy = translator_translate(&nobody, &small.translator, small.task.held_out,
                                               (TranslateOptions){.B = 5});
    Translations one = translator_translate(&nobody, &small.translator, small.task.held_out,
                                            (TranslateOptions){.B = 3, .beams = 1});
    assert_int_equal(greedy.count, small.task.held_out->count);
    for (int i = 0; i < greedy.count; i++) {
        assert_true(ids_equal(greedy.item[i].output, one.item[i].output));
        assert_int_equal(greedy.item[i].columns, greedy.item[i].source.length);
    }
    translations_free(&greedy);
    translations_free(&one);
    small_transformer_free(&small);
}

/* With beams the caches follow their sentences: what a beam search finds is the same whether a
 * sentence is alone or among others. */
static void test_beams_keep_their_caches(void **state) {
    (void)state;
    SmallTransformer small;
    small_transformer_new(&small, (TransformerMistakes){0});
    TranslateOptions together = {.B = 6, .beams = 3, .normalise = 0.6f}, alone = together;
    alone.B = 1;
    Translations all =
        translator_translate(&nobody, &small.translator, small.task.held_out, together);
    Translations each =
        translator_translate(&nobody, &small.translator, small.task.held_out, alone);
    for (int i = 0; i < all.count; i++) {
        assert_true(ids_equal(all.item[i].output, each.item[i].output));
    }
    translations_free(&all);
    translations_free(&each);
    small_transformer_free(&small);
}

/* Between two steps the rows change places: what follows is what it would have been for the other.
 */
static void test_reorder(void **state) {
    (void)state;
    SmallTransformer small;
    small_transformer_new(&small, (TransformerMistakes){0});
    const int pairs[] = {0, 0}, first[] = {VOCAB_SPECIALS, VOCAB_SPECIALS + 1};
    const int next[] = {VOCAB_SPECIALS + 2, VOCAB_SPECIALS + 2}, swap[] = {1, 0};
    Batcher *batcher = held_out_batches(&small, 2);
    Tape tape = tape_new();
    tape.recording = false;
    Tensor *scores[2];
    for (int swapped = 0; swapped < 2; swapped++) {
        small.translator.begin(&small.model, &tape, batcher_pick(batcher, pairs, 2));
        small.translator.step(&small.model, &tape, first);
        if (swapped) {
            small.translator.reorder(&small.model, swap);
        }
        scores[swapped] = small.translator.step(&small.model, &tape, next).scores;
    }
    size_t V = (size_t)small.translator.V;
    assert_same_bits(scores[1]->data, scores[0]->data + V, V);
    assert_same_bits(scores[1]->data + V, scores[0]->data, V);
    assert_true(memcmp(scores[0]->data, scores[0]->data + V, V * sizeof(float)) != 0);
    batcher_free(batcher);
    tape_free(&tape);
    small_transformer_free(&small);
}

/* faults 20: the answers are no part of the input, unless by the mistake that is made for it. */
static void test_the_answer_is_not_given(void **state) {
    (void)state;
    for (int mistake = 0; mistake < 2; mistake++) {
        SmallTransformer small;
        small_transformer_new(&small, (TransformerMistakes){.shift_target = mistake == 1});
        Batcher *batcher = held_out_batches(&small, 1);
        const Batch *batch = batcher_range(batcher, 0, 1);
        Tape tape = tape_new();
        Tensor *before = transformer_translator_logits(&small.model, &tape, batch);
        for (int t = 0; t < batch->T; t++) {
            batch->target_output[t] = VOCAB_SPECIALS;
        }
        Tensor *after = transformer_translator_logits(&small.model, &tape, batch);
        bool same = memcmp(before->data, after->data, tensor_size(after) * sizeof(float)) == 0;
        assert_int_equal(same, mistake == 0);
        batcher_free(batcher);
        tape_free(&tape);
        small_transformer_free(&small);
    }
}

/* Dropout: another one at each step of a training, none in evaluation. */
static void test_dropout(void **state) {
    (void)state;
    SmallTransformer small;
    TransformerRecipe recipe = small_recipe((TransformerMistakes){0});
    small_transformer_new(&small, (TransformerMistakes){0});
    params_free(&small.model.params);
    recipe.config.layer.dropout = 0.3f;
    small.translator = transformer_translator_new(&small.model, recipe, small.task.source->size,
                                                  small.task.target->size, 8, rng_seeded(3, 4));
    Batcher *batcher = held_out_batches(&small, 4);
    const Batch *batch = batcher_range(batcher, 0, 4);
    float loss[2][2];
    for (int training = 0; training < 2; training++) {
        Tape tape = tape_new();
        tape.recording = training == 1;
        loss[training][0] = small.translator.loss(&small.model, &tape, batch)->data[0];
        loss[training][1] = small.translator.loss(&small.model, &tape, batch)->data[0];
        tape_free(&tape);
    }
    assert_true(loss[0][0] == loss[0][1]);
    assert_true(loss[1][0] != loss[1][1]);
    batcher_free(batcher);
    small_transformer_free(&small);
}

/* Trained on a few pairs it knows them by heart, forced or alone. */
static void train(Run *run, void *context) {
    SmallTransformer *small = context;
    TrainingPlan plan = {.label = "small", .steps = 400, .B = 8, .rate = 1e-2f, .clip = 1.0};
    plan.rng = rng_seeded(5, 5);
    translator_train(run, &small->translator, small->task.held_out, &plan);
}

static void test_learns(void **state) {
    (void)state;
    SmallTransformer small;
    small_transformer_new(&small, (TransformerMistakes){0});
    Stage stage = stage_play(train, &small, "--no-plots");
    lesson_run_free(&stage);
    Translations done = translator_translate(&nobody, &small.translator, small.task.held_out,
                                             (TranslateOptions){.B = 4});
    assert_true(tally_share(translations_exact(&done, 0, 0)) > 0.9);
    translations_free(&done);
    small_transformer_free(&small);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_one_beam_is_greedy),
        cmocka_unit_test(test_beams_keep_their_caches),
        cmocka_unit_test(test_reorder),
        cmocka_unit_test(test_the_answer_is_not_given),
        cmocka_unit_test(test_dropout),
        cmocka_unit_test(test_learns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
