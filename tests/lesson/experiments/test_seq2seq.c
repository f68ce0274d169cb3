#include "support/stage.h"
#include "support/tensors.h"

#include "lesson/experiments/seq2seq.h"
#include "lesson/experiments/tasks.h"

/* The simplest model: adds the last word to what it had, and looks at one word after the other. */
typedef struct Adder {
    Seq2seq base;
    Tensor *s;
    int steps;
} Adder;

static void adder_look_at(Seq2seq *base, Tape *tape, Tensor *first) {
    (void)tape;
    Adder *m = (Adder *)base;
    m->s = first;
    m->steps = 0;
}

static Tensor *adder_advance(Seq2seq *base, Tape *tape, Tensor *y) {
    Adder *m = (Adder *)base;
    int B = base->h->dim[0], S = base->h->dim[1];
    m->s = op_add(tape, m->s, op_concat(tape, 1, (Tensor *[]){y, y}, 2));
    base->weights = tape_constant(tape, "a", NULL, SHAPE(B, S));
    for (int b = 0; b < B; b++) {
        base->weights->data[b * S + m->steps % S] = 1.0f;
    }
    m->steps++;
    return m->s;
}

static Translator adder_new(Adder *m) {
    Rng rng = rng_seeded(4, 1);
    *m = (Adder){.base = seq2seq_new(9, 7, 3, 6)};
    m->base.look_at = adder_look_at;
    m->base.advance = adder_advance;
    params_allocate(&m->base.params, &rng);
    return seq2seq_translator(&m->base);
}

static int ids_source[] = {5, 6, 7, VOCAB_PAD};            /* (2, 2): "5 7", "6" */
static int ids_input[] = {VOCAB_START, VOCAB_START, 5, 6}; /* (2, 2) */
static int ids_output[] = {5, 6, 6, VOCAB_PAD};
static int lengths[] = {2, 1};

static Batch small_batch(void) {
    return (Batch){.B = 2,
                   .S = 2,
                   .T = 2,
                   .source = ids_source,
                   .source_length = lengths,
                   .target_input = ids_input,
                   .target_output = ids_output,
                   .target_length = lengths,
                   .tokens = 3};
}

/* Step by step with the right words, the scores give the loss: the mean over the three answers
 * that are no padding. */
static void test_loss_is_that_of_the_steps(void **state) {
    (void)state;
    Adder m;
    Translator translator = adder_new(&m);
    Batch batch = small_batch();
    Tape tape = tape_new();
    double sum = 0.0;
    translator.begin(&m, &tape, &batch);
    assert_shape(m.base.h, 2, 2, 6);
    assert_true(m.base.mask.may_look[0] && m.base.mask.may_look[1] && m.base.mask.may_look[2]);
    assert_false(m.base.mask.may_look[3]);
    assert_data(m.base.weights, 0, 0, 0, 0, 0); /* it has not looked yet */
    for (int t = 0; t < 2; t++) {
        DecoderOutput out = translator.step(&m, &tape, ids_input + 2 * t);
        Tensor *log_p = op_log_softmax(&tape, out.scores);
        assert_shape(out.scores, 2, 7);
        assert_true(out.weights == m.base.weights && out.weights->data[t] == 1.0f);
        for (int b = 0; b < 2; b++) {
            int answer = ids_output[2 * t + b];
            sum -= answer != VOCAB_PAD ? (double)log_p->data[b * 7 + answer] : 0.0;
        }
    }
    Tensor *loss = translator.loss(&m, &tape, &batch);
    assert_close(loss->data[0], sum / 3.0, 1e-5, 1e-5);
    tape_backward(&tape, loss);
    assert_true(params_find(&m.base.params, "bridge.w")->grad[0] != 0.0f); /* all the way back */
    params_free(&m.base.params);
    tape_free(&tape);
}

/* faults 8: another word later changes no score before it. */
static void test_the_future_is_not_seen(void **state) {
    (void)state;
    Adder m;
    Translator translator = adder_new(&m);
    Batch batch = small_batch();
    Tape tape = tape_new();
    const float *first[2];
    for (int i = 0; i < 2; i++) {
        const int later[] = {5 + i, 6};
        translator.begin(&m, &tape, &batch);
        first[i] = translator.step(&m, &tape, ids_input).scores->data;
        translator.step(&m, &tape, later);
    }
    assert_same_bits(first[0], first[1], 14);
    params_free(&m.base.params);
    tape_free(&tape);
}

/* faults 3: a sentence alone and beside a longer one has the same states and the same scores. */
static void test_padding_changes_nothing(void **state) {
    (void)state;
    Adder m;
    Translator translator = adder_new(&m);
    Batch both = small_batch(), alone = both;
    int source[] = {6}, length[] = {1}, start[] = {VOCAB_START};
    alone.B = alone.S = 1;
    alone.source = source;
    alone.source_length = length;
    Tape tape = tape_new();
    translator.begin(&m, &tape, &both);
    Tensor *beside = translator.step(&m, &tape, ids_input).scores;
    translator.begin(&m, &tape, &alone);
    Tensor *scores = translator.step(&m, &tape, start).scores;
    assert_all_close(beside->data + 7, scores->data, 7, 1e-5, 1e-5);
    params_free(&m.base.params);
    tape_free(&tape);
}

/* A row goes on from its parent's state: the scores that come then are those that the same words
 * give when every row has heard them from the beginning. */
static void test_reorder(void **state) {
    (void)state;
    Adder m;
    Translator translator = adder_new(&m);
    assert_null(translator.reorder); /* nobody said what there is to reorder */
    m.base.kept[0] = &m.s;
    translator = seq2seq_translator(&m.base);
    Batch batch = small_batch();
    int source[] = {6, 6, 6}, one_word[] = {1, 1, 1};
    batch.B = 3;
    batch.S = 1;
    batch.source = source;
    batch.source_length = one_word;
    Tape tape = tape_new();
    tape.recording = false;
    translator.begin(&m, &tape, &batch);
    translator.step(&m, &tape, (const int[]){3, 4, 5});
    translator.reorder(&m, (const int[]){2, 2, 0});
    assert_shape(m.s, 3, 6);
    const float *moved = translator.step(&m, &tape, (const int[]){3, 4, 3}).scores->data;
    translator.begin(&m, &tape, &batch);
    translator.step(&m, &tape, (const int[]){5, 5, 3});
    const float *direct = translator.step(&m, &tape, (const int[]){3, 4, 3}).scores->data;
    assert_same_bits(moved, direct, 21);
    assert_true(memcmp(direct, direct + 14, 7 * sizeof *direct) != 0);
    params_free(&m.base.params);
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loss_is_that_of_the_steps),
        cmocka_unit_test(test_the_future_is_not_seen),
        cmocka_unit_test(test_padding_changes_nothing),
        cmocka_unit_test(test_reorder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
