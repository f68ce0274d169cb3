#include "lesson/experiments/own_pairs.h"

#include "core/check.h"
#include "data/text.h"
#include "lesson/experiments/alignment_sheet.h"
#include "lesson/walkthrough.h"

#include <stdlib.h>

enum {
    SAMPLES = 3,
    JUDGED = 500,
    AT_ONCE = 100,
    DRAWN = 4,
    LONGEST_DRAWN = 12,
    TIMES_SHOWN = 5,
    SENTENCE_ROOM = 200
};

OwnPairs own_pairs_new(void) {
    PairsOptions usual = pairs_defaults();
    return (OwnPairs){.max_words = usual.max_words,
                      .max_pairs = usual.max_pairs,
                      .max_vocab = usual.max_vocab,
                      .min_count = 1, /* small files have no word to spare */
                      .held_out = (float)usual.held_out};
}

void own_pairs_free(OwnPairs *own) {
    if (own->loaded) {
        pairs_data_free(&own->data);
        own->loaded = false;
    }
}

bool own_pairs_load(OwnPairs *own, const Run *run, Error *error) {
    if (own->file == NULL) {
        if (own->sentence != NULL) {
            snprintf(error->text, sizeof error->text,
                     "--sentence needs --data FILE: a model must learn from pairs first");
        }
        return own->sentence == NULL;
    }
    PairsOptions options = {.max_words = own->max_words,
                            .max_pairs = own->max_pairs,
                            .max_vocab = own->max_vocab,
                            .min_count = own->min_count,
                            .held_out = (double)own->held_out,
                            .seed = run->flags.seed};
    own->loaded = pairs_load(own->file, &options, &own->data, &own->report, error);
    return own->loaded;
}

void own_pairs_introduce(Run *run, const OwnPairs *own) {
    const PairData *data = &own->data;
    char *report = pairs_report_text(own->file, &own->report);
    run_say(run, "%s.", report);
    free(report);
    run_say(run,
            "%d pairs are for training, %d (of %d different sentences) are held out: no sentence "
            "is on both sides. The vocabularies come from the training part alone, %d and %d "
            "entries; of the held-out words %.1f and %.1f %% are unknown and read <unk>.",
            data->train->count, data->held_out->count, data->held_out_sources,
            data->source_vocab->size, data->target_vocab->size, 100.0 * data->source_unk,
            100.0 * data->target_unk);
}

/* ---- sentences on the screen ---- */

static const char *sentences(int count) {
    return count == 1 ? "sentence" : "sentences";
}

static char *readable(const Vocab *vocab, Ids ids) {
    char *tokens = vocab_decode(vocab, ids.id, ids.length);
    char *text = text_detokenise(tokens);
    free(tokens);
    return text;
}

static void show_sentence(Run *run, const PairData *data, const Translation *one) {
    char *source = readable(data->source_vocab, one->source);
    char *output = readable(data->target_vocab, one->output);
    char *wanted = readable(data->target_vocab, one->reference);
    if (one->reference.length > 0) {
        run_say(run, "  %s -> %s   (in the file: %s)", source, output, wanted);
    } else {
        run_say(run, "  %s -> %s", source, output);
    }
    free(source);
    free(output);
    free(wanted);
}

/* What the watcher of a training needs. */
typedef struct Watcher {
    const OwnPairs *own;
    const Translator *translator;
} Watcher;

/* Worth showing: more than two words on either side, all of them known. */
static bool is_worth_showing(const Translation *one) {
    return one->source.length > 2 && one->reference.length > 2 &&
           vocab_unk_rate(one->source.id, one->source.length) == 0.0 &&
           vocab_unk_rate(one->reference.id, one->reference.length) == 0.0;
}

static void show_samples(Run *run, void *context, int step) {
    const Watcher *watcher = context;
    const PairData *data = &watcher->own->data;
    int pairs[AT_ONCE], shown = 0;
    TranslateOptions options = {
        .B = AT_ONCE, .pairs = pairs, .count = pair_sources(data, AT_ONCE, pairs)};
    Translations done = translator_translate(run, watcher->translator, data->held_out, options);
    PairScores scores = translations_score(&done, data);
    run_say(run, "  After %d steps, on %d held-out %s: exact match %.1f %%, BLEU %.1f.", step,
            done.count, sentences(done.count), 100.0 * tally_share(scores.exact),
            100.0 * bleu_score(&scores.bleu));
    for (int i = 0; i < done.count && shown < SAMPLES; i++) {
        if (is_worth_showing(&done.item[i])) {
            show_sentence(run, data, &done.item[i]);
            shown++;
        }
    }
    translations_free(&done);
}

FitCurve own_pairs_train(Run *run, const OwnPairs *own, const Translator *translator,
                         TrainingPlan plan) {
    Watcher watcher = {own, translator};
    plan.source = own->data.source_vocab;
    plan.target = own->data.target_vocab;
    plan.held_out = NULL; /* the watcher judges: a source may have several right answers */
    plan.watch = show_samples;
    plan.context = &watcher;
    return translator_train(run, translator, own->data.train, &plan);
}

/* ---- judging ---- */

static const char *verdict(double bleu) {
    return bleu < 0.1    ? "That is hardly a translation yet"
           : bleu < 0.35 ? "That is the gist at best: right words, often the wrong sentence"
           : bleu < 0.6  ? "That is understandable for the most part, and often wrong in detail"
                         : "That is close to what people wrote";
}

/* The first map of the picture is the user's own sentence. */
static void translate_own_sentence(Run *run, const OwnPairs *own, const Translator *translator,
                                   AlignmentSheet *sheet) {
    int ids[SENTENCE_ROOM];
    char *tokens = text_tokenise(own->sentence);
    int length = vocab_encode(own->data.source_vocab, tokens, ids, SENTENCE_ROOM);
    length = length < SENTENCE_ROOM ? length : SENTENCE_ROOM;
    free(tokens);
    if (length == 0) {
        run_say(run, "There is no word in the sentence to translate.");
        return;
    }
    Corpus *corpus = corpus_new();
    corpus_add(corpus, (Ids){ids, length}, (Ids){NULL, 0});
    TranslateOptions options = {.B = 1, .max_steps = 2 * length + 10};
    Translations done = translator_translate(run, translator, corpus, options);
    if (done.count > 0) {
        run_say(run, "Your sentence:");
        show_sentence(run, &own->data, &done.item[0]);
        sheet_add(sheet, "your sentence", &done.item[0], NULL);
    }
    translations_free(&done);
    corpus_free(corpus);
}

/* A few of the longer held-out sentences on the screen, and in the picture. */
static void draw_some(Run *run, const OwnPairs *own, const Translator *translator,
                      const Translations *done, const char *file) {
    AlignmentSheet sheet = sheet_new(own->data.source_vocab, own->data.target_vocab);
    if (own->sentence != NULL) {
        translate_own_sentence(run, own, translator, &sheet);
    }
    run_say(run, "Some of the longer held-out sentences:");
    int shown = 0;
    for (int length = LONGEST_DRAWN; length > 2; length--) {
        for (int i = 0; i < done->count && shown < 2 * DRAWN; i++) {
            const Translation *one = &done->item[i];
            if (one->source.length == length && is_worth_showing(one)) {
                show_sentence(run, &own->data, one);
                if (sheet.count < DRAWN) {
                    sheet_add(&sheet, "held out", one, NULL);
                }
                shown++;
            }
        }
    }
    sheet_show(run, &sheet, 0);
    sheet_write(run, &sheet, file, 2, "Your own pairs: where the decoder looks");
    sheet_free(&sheet);
}

/* Exact match on an even sample of the training part; any answer the file has for a source counts.
 */
static Tally judge_known(const Run *run, const PairData *data, const Translator *translator) {
    const Corpus *train = data->train;
    int pairs[JUDGED], count = train->count < JUDGED ? train->count : JUDGED;
    for (int i = 0; i < count; i++) {
        pairs[i] = (int)((long)i * train->count / count);
    }
    TranslateOptions options = {.B = AT_ONCE, .pairs = pairs, .count = count};
    Translations done = translator_translate(run, translator, train, options);
    Ids *answers = check_alloc((size_t)train->count * sizeof *answers);
    Tally tally = {0};
    for (int i = 0; i < done.count; i++) {
        int known = 0;
        for (int j = 0; j < train->count; j++) {
            if (ids_equal(corpus_source(train, j), done.item[i].source)) {
                answers[known++] = corpus_target(train, j);
            }
        }
        exact_match_add(&tally, done.item[i].output, answers, known);
    }
    free(answers);
    translations_free(&done);
    return tally;
}

void own_pairs_judge(Run *run, const OwnPairs *own, const Translator *translator,
                     const char *file) {
    const PairData *data = &own->data;
    int pairs[JUDGED];
    TranslateOptions options = {
        .B = AT_ONCE, .pairs = pairs, .count = pair_sources(data, JUDGED, pairs)};
    Translations done = translator_translate(run, translator, data->held_out, options);
    Tally known = judge_known(run, data, translator);
    if (done.count > 0 && known.total > 0) {
        PairScores scores = translations_score(&done, data);
        double exact = tally_share(scores.exact), bleu = bleu_score(&scores.bleu);
        draw_some(run, own, translator, &done, file);
        double by_heart = tally_share(known);
        run_say(run,
                "On %d %s it has never seen: exact match %.1f %%, BLEU %.1f. %s. Of the "
                "sentences it was trained on, %.1f %% come out word for word%s",
                done.count, sentences(done.count), 100.0 * exact, 100.0 * bleu, verdict(bleu),
                100.0 * by_heart,
                by_heart > exact + 0.3 ? ": it has learnt the file by heart rather than the "
                                         "language. More pairs would help, more steps would not."
                                       : ".");
    }
    translations_free(&done);
}

/* ---- a whole step ---- */

bool own_pairs_given(Run *run, const OwnPairs *own) {
    if (!own->loaded) {
        run_say(run,
                "Have you sentences of your own? `--only %s --data FILE` learns from a file with "
                "a source, a tab and its translation on each line.",
                run->step->number);
    }
    return own->loaded;
}

void own_pairs_study_by(Run *run, const OwnPairs *own, const Translator *translator,
                        TrainingPlan plan, const char *file) {
    plan.label = "your own pairs";
    plan.B = 64;
    plan.pool = 8;
    plan.clip = 1.0;
    plan.check_every = (plan.steps + TIMES_SHOWN - 1) / TIMES_SHOWN;
    own_pairs_introduce(run, own);
    own_pairs_train(run, own, translator, plan);
    own_pairs_judge(run, own, translator, file);
}

void own_pairs_study(Run *run, const OwnPairs *own, const Translator *translator, float rate,
                     Rng rng, const char *file) {
    TrainingPlan plan = {.steps = run_steps(run, 1000, 10), .rate = rate, .rng = rng};
    own_pairs_study_by(run, own, translator, plan, file);
}
