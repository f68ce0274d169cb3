/* Translating with beam search. */
#include "support/tensors.h"

#include "lesson/experiments/translation.h"

static const Run nobody; /* no flags, nobody who stops it */

enum { A = VOCAB_SPECIALS, B, C, V, ROWS = 512, STEPS = 3 };

#define IDS(...)                                                                                   \
    (Ids) {                                                                                        \
        (const int[]){__VA_ARGS__}, (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int))              \
    }

/* ---- a translator whose every step depends on all before it ---- */

/* A row remembers its story: the source and what was said, as one number. What comes next is a
 * random function of it, and so is the one word of the source that it looks at. */
typedef struct Storyteller {
    uint64_t story[ROWS];
    const Batch *batch;
    int longest_batch; /* rows */
} Storyteller;

static uint64_t story_after(uint64_t story, int token) {
    Rng rng = rng_seeded(story, (uint64_t)token + 1);
    return rng_bits(&rng);
}

static uint64_t story_of(Ids source) {
    uint64_t story = 1;
    for (int s = 0; s < source.length; s++) {
        story = story_after(story, source.id[s]);
    }
    return story;
}

/* Only the three words and the end are ever said. */
static void say(uint64_t story, float *logits) {
    Rng rng = rng_seeded(story, 0);
    for (int v = 0; v < V; v++) {
        float logit = rng_range(&rng, -2, 2);
        logits[v] = v == VOCAB_END || v >= A ? logit : -INFINITY;
    }
}

static int look(uint64_t story, int length) {
    return (int)(story % (uint64_t)length);
}

static void teller_begin(void *model, Tape *tape, const Batch *batch) {
    (void)tape;
    Storyteller *teller = model;
    teller->batch = batch;
    teller->longest_batch = batch->B > teller->longest_batch ? batch->B : teller->longest_batch;
    for (int b = 0; b < batch->B; b++) {
        int source[16];
        for (int s = 0; s < batch->source_length[b]; s++) {
            source[s] = batch->source[s * batch->B + b];
        }
        teller->story[b] = story_of((Ids){source, batch->source_length[b]});
    }
}

static DecoderOutput teller_step(void *model, Tape *tape, const int *previous) {
    Storyteller *teller = model;
    int rows = teller->batch->B, S = teller->batch->S;
    Tensor *scores = tape_constant(tape, "scores", NULL, SHAPE(rows, V));
    Tensor *weights = tape_constant(tape, "weights", NULL, SHAPE(rows, S));
    for (int r = 0; r < rows; r++) {
        teller->story[r] = story_after(teller->story[r], previous[r]);
        say(teller->story[r], scores->data + r * V);
        weights->data[r * S + look(teller->story[r], teller->batch->source_length[r])] = 1.0f;
    }
    return (DecoderOutput){scores, weights};
}

static void teller_reorder(void *model, const int *parent) {
    Storyteller *teller = model;
    uint64_t before[ROWS];
    memcpy(before, teller->story, sizeof before);
    for (int r = 0; r < teller->batch->B; r++) {
        teller->story[r] = before[parent[r]];
    }
}

static Translator teller_translator(Storyteller *teller) {
    *teller = (Storyteller){.batch = NULL};
    return (Translator){.model = teller,
                        .V = V,
                        .begin = teller_begin,
                        .step = teller_step,
                        .reorder = teller_reorder};
}

static Corpus *five_pairs(void) {
    Corpus *corpus = corpus_new();
    corpus_add(corpus, IDS(A, B, C), IDS(A, B, C));
    corpus_add(corpus, IDS(C), IDS(C));
    corpus_add(corpus, IDS(A, B, C, B, A), IDS(A, C));
    corpus_add(corpus, IDS(C, C), IDS(C, C));
    corpus_add(corpus, IDS(B, A, A, B), IDS(B));
    return corpus;
}

static void assert_ids(Ids actual, Ids expected) {
    assert_int_equal(actual.length, expected.length);
    assert_memory_equal(actual.id, expected.id, (size_t)expected.length * sizeof(int));
}

/* ---- */

typedef struct Exhaustive {
    double normalise, score;
    int tokens[STEPS], best[STEPS], length;
} Exhaustive;

static void try_all(Exhaustive *all, uint64_t story, int t, double log_p) {
    float logits[V];
    double sum = 0.0;
    say(story, logits);
    for (int v = 0; v < V; v++) {
        sum += exp((double)logits[v]);
    }
    for (int v = 0; v < V; v++) {
        double here = log_p + (double)logits[v] - log(sum);
        double score = here / pow(t + 1, all->normalise);
        all->tokens[t] = v;
        if (v >= A && t + 1 < STEPS) {
            try_all(all, story_after(story, v), t + 1, here);
        } else if (score > all->score) {
            all->score = score;
            all->length = v == VOCAB_END ? t : t + 1;
            memcpy(all->best, all->tokens, sizeof all->best);
        }
    }
}

/* As wide as the space of beginnings (9, with 4 ways to go on each): the best of all there are. */
static void test_wide_beams_find_the_best(void **state) {
    (void)state;
    Corpus *corpus = five_pairs();
    Storyteller teller;
    Translator translator = teller_translator(&teller);
    for (int normalise = 0; normalise <= 1; normalise++) {
        TranslateOptions options = {
            .B = 5, .max_steps = STEPS, .beams = 36, .normalise = (float)normalise};
        Translations done = translator_translate(&nobody, &translator, corpus, options);
        assert_int_equal(done.count, 5);
        for (int i = 0; i < 5; i++) {
            Exhaustive all = {.normalise = normalise, .score = -INFINITY};
            uint64_t story = story_after(story_of(corpus_source(corpus, i)), VOCAB_START);
            try_all(&all, story, 0, 0.0);
            assert_int_equal(done.item[i].pair, i);
            assert_ids(done.item[i].output, (Ids){all.best, all.length});
        }
        translations_free(&done);
    }
    corpus_free(corpus);
}

/* Row t of the weights is where the decoder looked when it had told the output up to there. */
static void test_weights_follow_the_surviving_beam(void **state) {
    (void)state;
    Corpus *corpus = five_pairs();
    Storyteller teller;
    Translator translator = teller_translator(&teller);
    int unended = 0;
    for (int max_steps = 3; max_steps <= 9; max_steps += 3) {
        TranslateOptions options = {.B = 3, .max_steps = max_steps, .beams = 4, .normalise = 1.0f};
        Translations done = translator_translate(&nobody, &translator, corpus, options);
        for (int i = 0; i < 5; i++) {
            const Translation *one = &done.item[i];
            uint64_t story = story_after(story_of(one->source), VOCAB_START);
            assert_int_equal(one->columns, one->source.length);
            assert_in_range(one->rows - one->output.length, 0, 1);
            unended += one->rows == one->output.length;
            for (int t = 0; t < one->rows; t++) {
                const float *row = one->weights + t * one->columns;
                int at = tensor_argmax(row, one->columns);
                assert_int_equal(at, look(story, one->columns));
                assert_true(row[at] == 1.0f);
                story = t < one->output.length ? story_after(story, one->output.id[t]) : 0;
            }
        }
        translations_free(&done);
    }
    assert_in_range(unended, 1, 14); /* with and without an end */
    corpus_free(corpus);
}

static void assert_same_translation(const Translation *one, const Translation *other) {
    assert_int_equal(one->pair, other->pair);
    assert_ids(one->output, other->output);
    assert_int_equal(one->rows, other->rows);
    assert_int_equal(one->columns, other->columns);
    assert_same_bits(one->weights, other->weights, (size_t)(one->rows * one->columns));
}

/* Alone or beside others, the last batch smaller; all pairs or chosen ones. */
static void test_neighbours_change_nothing(void **state) {
    (void)state;
    Corpus *corpus = five_pairs();
    Storyteller teller;
    Translator translator = teller_translator(&teller);
    const int pairs[] = {4, 0, 4};
    for (int beams = 0; beams <= 3; beams++) {
        TranslateOptions options = {.B = 1, .beams = beams, .normalise = 0.5f};
        Translations alone = translator_translate(&nobody, &translator, corpus, options);
        for (options.B = 2; options.B <= 6; options.B++) {
            Translations done = translator_translate(&nobody, &translator, corpus, options);
            assert_int_equal(done.count, 5);
            for (int i = 0; i < 5; i++) {
                assert_same_translation(&done.item[i], &alone.item[i]);
            }
            translations_free(&done);
        }
        assert_int_equal(teller.longest_batch, 5 * (beams > 0 ? beams : 1));
        options = (TranslateOptions){
            .B = 2, .beams = beams, .normalise = 0.5f, .pairs = pairs, .count = 3};
        Translations chosen = translator_translate(&nobody, &translator, corpus, options);
        for (int i = 0; i < 3; i++) {
            assert_same_translation(&chosen.item[i], &alone.item[pairs[i]]);
        }
        translations_free(&chosen);
        translations_free(&alone);
    }
    corpus_free(corpus);
}

/* faults 22: one beam is greedy decoding, which needs no reorder(); three find another answer now
 * and then. */
static void test_one_beam_is_greedy(void **state) {
    (void)state;
    Corpus *corpus = five_pairs();
    Storyteller teller;
    Translator translator = teller_translator(&teller), simple = translator;
    simple.reorder = NULL;
    TranslateOptions none = {.B = 5}, one = {.B = 5, .beams = 1, .normalise = 1}, three = one;
    three.beams = 3;
    Translations greedy = translator_translate(&nobody, &simple, corpus, none);
    Translations single = translator_translate(&nobody, &simple, corpus, one);
    Translations beams = translator_translate(&nobody, &translator, corpus, three);
    int other = 0;
    for (int i = 0; i < 5; i++) {
        assert_same_translation(&single.item[i], &greedy.item[i]);
        other += !ids_equal(beams.item[i].output, greedy.item[i].output);
    }
    assert_true(other > 0);
    translations_free(&greedy);
    translations_free(&single);
    translations_free(&beams);
    corpus_free(corpus);
}

/* Led through the reference there is nothing to search. */
static void test_forced_needs_no_beams(void **state) {
    (void)state;
    Corpus *corpus = five_pairs();
    Storyteller teller;
    Translator translator = teller_translator(&teller);
    translator.reorder = NULL;
    TranslateOptions plain = {.B = 3, .forced = true}, beams = plain;
    beams.beams = 4;
    Translations forced = translator_translate(&nobody, &translator, corpus, plain);
    Translations same = translator_translate(&nobody, &translator, corpus, beams);
    assert_int_equal(teller.longest_batch, 3);
    for (int i = 0; i < 5; i++) {
        assert_same_translation(&same.item[i], &forced.item[i]);
        assert_ids(same.item[i].output, corpus_target(corpus, i));
    }
    translations_free(&forced);
    translations_free(&same);
    corpus_free(corpus);
}

static void test_what_cannot_be_stops(void **state) {
    (void)state;
    Corpus *corpus = five_pairs();
    Storyteller teller;
    Translator translator = teller_translator(&teller);
    translator.reorder = NULL;
    TranslateOptions options = {.B = 2, .beams = 3};
    expect_check_message("translator_translate: 3 beams, but this model has no reorder()",
                         translator_translate(&nobody, &translator, corpus, options));
    options.beams = -1;
    expect_check_message("translator_translate: beams is -1",
                         translator_translate(&nobody, &translator, corpus, options));
    corpus_free(corpus);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide_beams_find_the_best),
        cmocka_unit_test(test_weights_follow_the_surviving_beam),
        cmocka_unit_test(test_neighbours_change_nothing),
        cmocka_unit_test(test_one_beam_is_greedy),
        cmocka_unit_test(test_forced_needs_no_beams),
        cmocka_unit_test(test_what_cannot_be_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
