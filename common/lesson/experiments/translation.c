#include "lesson/experiments/translation.h"

#include "core/check.h"
#include "nn/beam.h"
#include "nn/decode.h"

#include <stdlib.h>
#include <string.h>

/* ---- decoding one batch ---- */

/* A translator in the middle of a batch, as nn/decode.h wants to see it. */
typedef struct Decoding {
    const Translator *translator;
    Tape *tape;
    int B, S;
    int step;       /* steps taken */
    float *weights; /* (max_steps, B, S); NULL for a model without attention */
    int max_steps;
} Decoding;

static const float *decoding_step(void *decoder, const int *previous, int B) {
    Decoding *decoding = decoder;
    const Translator *translator = decoding->translator;
    Tape *tape = decoding->tape;
    DecoderOutput output = translator->step(translator->model, tape, previous);
    CHECK(output.scores->ndim == 2 && output.scores->dim[0] == B &&
              output.scores->dim[1] == translator->V,
          "translator: scores %s, needed are (%d, %d)", tensor_text(output.scores).text, B,
          translator->V);
    if (output.weights != NULL) {
        size_t n = (size_t)B * (size_t)decoding->S;
        CHECK(tensor_size(output.weights) == n, "translator: weights %s, needed are (%d, %d)",
              tensor_text(output.weights).text, B, decoding->S);
        if (decoding->weights == NULL) {
            size_t all = (size_t)decoding->max_steps * n * sizeof(float);
            decoding->weights = arena_alloc_zeroed(&tape->arena, all);
        }
        memcpy(decoding->weights + (size_t)decoding->step * n, output.weights->data,
               n * sizeof(float));
    }
    decoding->step++;
    return output.scores->data;
}

/* The same for beams. */
static const float *beam_step(void *decoder, const int *parent, const int *previous, int rows) {
    Decoding *decoding = decoder;
    if (parent != NULL) {
        decoding->translator->reorder(decoding->translator->model, parent);
    }
    return decoding_step(decoding, previous, rows);
}

/* What was said about the B sentences of a batch, and which row of the decoder said it. */
typedef struct Spoken {
    int *tokens, *row;  /* (steps, B) */
    int *length, *said; /* (B): tokens before the end, and one more if it came */
} Spoken;

static Spoken spoken_new(Arena *arena, int steps, int B) {
    size_t sentences = (size_t)B * sizeof(int), all = (size_t)steps * sentences;
    Spoken spoken = {arena_alloc(arena, all), arena_alloc(arena, all),
                     arena_alloc(arena, sentences), arena_alloc(arena, sentences)};
    for (int i = 0; i < steps * B; i++) {
        spoken.row[i] = i % B; /* every sentence has its row */
    }
    return spoken;
}

/* The decoder is led through the reference; its own opinion is not asked. */
static void decode_forced(Decoding *decoding, const Batch *batch, Spoken *spoken) {
    for (int t = 0; t < batch->T; t++) {
        decoding_step(decoding, batch->target_input + (long)t * batch->B, batch->B);
    }
    size_t count = (size_t)batch->T * (size_t)batch->B;
    memcpy(spoken->tokens, batch->target_output, count * sizeof *spoken->tokens);
    for (int b = 0; b < batch->B; b++) {
        spoken->said[b] = batch->target_length[b];
        spoken->length[b] = batch->target_length[b] - 1;
    }
}

static void decode_alone(Decoding *decoding, Spoken *spoken) {
    int steps =
        decode_greedy(decoding_step, decoding, decoding->B, decoding->translator->V, VOCAB_START,
                      VOCAB_END, decoding->max_steps, spoken->tokens, spoken->length);
    for (int b = 0; b < decoding->B; b++) {
        spoken->said[b] = spoken->length[b] < steps ? spoken->length[b] + 1 : spoken->length[b];
    }
}

static void decode_beams(Decoding *decoding, int beams, float normalise, Spoken *spoken) {
    int B = decoding->B / beams, steps = decoding->max_steps;
    BeamOptions options = {beams, normalise, VOCAB_START, VOCAB_END, steps};
    BeamResult best = beam_search(beam_step, decoding, B, decoding->translator->V, options);
    for (int b = 0; b < B; b++) {
        spoken->length[b] = best.length[b];
        spoken->said[b] = best.said[b];
        for (int t = 0; t < best.said[b]; t++) {
            spoken->tokens[t * B + b] = best.tokens[(long)b * steps + t];
            spoken->row[t * B + b] = best.row[(long)b * steps + t];
        }
    }
    beam_free(&best);
}

/* ---- what is kept of it ---- */

/* Tokens and weights of sentence b of B, copied out of the batch; its first row there is `first`.
 */
static Translation keep_one(Arena *arena, const Corpus *corpus, const Batch *batch, int first,
                            const Decoding *decoding, const Spoken *spoken, int b, int B) {
    int length = spoken->length[b];
    Translation kept = {.pair = batch->pair[first],
                        .source = corpus_source(corpus, batch->pair[first]),
                        .reference = corpus_target(corpus, batch->pair[first]),
                        .rows = spoken->said[b],
                        .columns = batch->source_length[first]};
    int *output = arena_alloc(arena, (size_t)(length + 1) * sizeof *output);
    for (int t = 0; t < length; t++) {
        output[t] = spoken->tokens[(long)t * B + b];
    }
    kept.output = (Ids){output, length};
    if (decoding->weights != NULL && kept.columns > 0) {
        size_t width = (size_t)kept.columns;
        float *weights = arena_alloc(arena, (size_t)kept.rows * width * sizeof *weights);
        for (int t = 0; t < kept.rows; t++) {
            long row = (long)t * batch->B + spoken->row[(long)t * B + b];
            memcpy(weights + (size_t)t * width, decoding->weights + row * batch->S,
                   width * sizeof *weights);
        }
        kept.weights = weights;
    }
    return kept;
}

/* A batch in which each sentence stands `beams` times, one behind the other. */
static void translate_batch(const Translator *translator, Tape *tape, const Corpus *corpus,
                            const Batch *batch, int beams, TranslateOptions options,
                            Translations *list) {
    int B = batch->B / beams, steps = options.forced ? batch->T : options.max_steps;
    tape_reset(tape);
    Spoken spoken = spoken_new(&tape->arena, steps, B);
    Decoding decoding = {translator, tape, batch->B, batch->S, 0, NULL, steps};
    translator->begin(translator->model, tape, batch);
    if (options.forced) {
        decode_forced(&decoding, batch, &spoken);
    } else if (beams > 1) {
        decode_beams(&decoding, beams, options.normalise, &spoken);
    } else {
        decode_alone(&decoding, &spoken);
    }
    for (int b = 0; b < B; b++) {
        list->item[list->count++] =
            keep_one(&list->arena, corpus, batch, b * beams, &decoding, &spoken, b, B);
    }
}

/* Sentences begin .. end - 1 of those asked for, each `beams` times. */
static const Batch *pick_batch(Batcher *batcher, const int *pairs, int begin, int end, int beams,
                               int *picked) {
    int count = 0;
    for (int i = begin; i < end; i++) {
        for (int k = 0; k < beams; k++) {
            picked[count++] = pairs != NULL ? pairs[i] : i;
        }
    }
    return batcher_pick(batcher, picked, count);
}

Translations translator_translate(const Run *run, const Translator *translator,
                                  const Corpus *corpus, TranslateOptions options) {
    int beams = options.beams > 1 && !options.forced ? options.beams : 1;
    CHECK(options.B >= 1, "translator_translate: B is %d", options.B);
    CHECK(options.beams >= 0, "translator_translate: beams is %d", options.beams);
    CHECK(beams == 1 || translator->reorder != NULL,
          "translator_translate: %d beams, but this model has no reorder()", beams);
    int all = options.pairs != NULL || options.count > 0 ? options.count : corpus->count;
    int count = options.pairs == NULL && all > corpus->count ? corpus->count : all;
    options.max_steps = options.max_steps > 0 ? options.max_steps : corpus->longest_target + 4;
    Translations list = {.arena = arena_new()};
    list.item = arena_alloc(&list.arena, (size_t)(count + 1) * sizeof *list.item);
    Tape tape = tape_new();
    tape.recording = false;
    tape.check_finite = run->flags.check_finite;
    Rng unused = rng_seeded(0, 0); /* pairs come in the order asked for */
    BatchOptions batches = {options.B * beams, translator->source_end, 0};
    Batcher *batcher = batcher_new(corpus, batches, unused);
    int *picked = check_alloc((size_t)batches.B * sizeof *picked);
    for (int i = 0; i < count && !run_stopped(run); i += options.B) {
        int end = i + options.B < count ? i + options.B : count;
        const Batch *batch = pick_batch(batcher, options.pairs, i, end, beams, picked);
        translate_batch(translator, &tape, corpus, batch, beams, options, &list);
    }
    free(picked);
    batcher_free(batcher);
    tape_free(&tape);
    return list;
}

void translations_free(Translations *list) {
    arena_free(&list->arena);
    *list = (Translations){0};
}

/* ---- judging ---- */

Tally translations_exact(const Translations *list, int shortest, int longest) {
    Tally tally = {0};
    for (int i = 0; i < list->count; i++) {
        const Translation *one = &list->item[i];
        if (one->source.length >= shortest && (longest == 0 || one->source.length <= longest)) {
            exact_match_add(&tally, one->output, &one->reference, 1);
        }
    }
    return tally;
}

/* The row of weights read for word t is t + shift. */
static void read_links(const Translation *one, const Phrase *phrase, int shift, int *link) {
    CHECK(one->weights != NULL && phrase->T + shift <= one->rows && shift >= 0,
          "alignment: %d rows of weights for %d words, shift %d", one->rows, phrase->T, shift);
    size_t width = (size_t)one->columns;
    alignment_argmax(one->weights + (size_t)shift * width, phrase->T, one->columns, width, link);
}

Aer translations_alignment_error(const Translations *forced, const Phrase *phrases, int shift) {
    Aer aer = {0};
    int link[PHRASE_LIMIT];
    for (int i = 0; i < forced->count; i++) {
        const Phrase *phrase = &phrases[forced->item[i].pair];
        read_links(&forced->item[i], phrase, shift, link);
        aer_add(&aer, link, phrase->T, phrase->gold[0], phrase->S, PHRASE_LIMIT);
    }
    return aer;
}

double translations_alignment_rate(const Translations *forced, const Phrase *phrases, int shift) {
    Aer aer = translations_alignment_error(forced, phrases, shift);
    return aer_rate(&aer);
}

/* Is the word one of a list with blanks between them? */
static bool is_listed(const char *words, const char *word) {
    size_t size = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += size) {
        if ((at == words || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0')) {
            return true;
        }
    }
    return false;
}

Tally translations_links_right(const Translations *forced, const Phrase *phrases, const char *words,
                               bool others) {
    Tally tally = {0};
    int link[PHRASE_LIMIT];
    for (int i = 0; i < forced->count; i++) {
        const Phrase *phrase = &phrases[forced->item[i].pair];
        read_links(&forced->item[i], phrase, 0, link);
        for (int t = 0; t < phrase->T; t++) {
            bool has_gold = false;
            for (int s = 0; s < phrase->S; s++) {
                has_gold = has_gold || phrase->gold[t][s] != LINK_NONE;
            }
            if (has_gold && is_listed(words, phrase->target[t]) != others) {
                tally_add(&tally, link[t] < phrase->S && phrase->gold[t][link[t]] != LINK_NONE);
            }
        }
    }
    return tally;
}

Tally translations_month_right(const Translations *forced, const Date *dates) {
    Tally tally = {0};
    int link[DATE_TARGET_LENGTH];
    Span month = DATE_TARGET_MONTH;
    for (int i = 0; i < forced->count; i++) {
        const Translation *one = &forced->item[i];
        const Date *date = &dates[one->pair];
        CHECK(one->weights != NULL && one->rows >= month.end,
              "translations_month_right: %d rows of weights", one->rows);
        alignment_argmax(one->weights, month.end, one->columns, (size_t)one->columns, link);
        span_hits_add(&tally, link, month.begin, month.end, date->month.begin, date->month.end);
    }
    return tally;
}

int pair_sources(const PairData *data, int limit, int *pairs) {
    int count = 0;
    while (count < limit && count < data->held_out_sources) {
        pairs[count] = data->reference[count];
        count++;
    }
    return count;
}

PairScores translations_score(const Translations *list, const PairData *data) {
    PairScores scores = {0};
    int most = 1;
    for (int k = 0; k < data->held_out_sources; k++) {
        int here = data->reference[k + 1] - data->reference[k];
        most = here > most ? here : most;
    }
    Ids *references = check_alloc((size_t)most * sizeof *references);
    for (int i = 0, k = 0; i < list->count; i++) {
        while (data->reference[k] != list->item[i].pair) {
            k = (k + 1) % data->held_out_sources;
        }
        int begin = data->reference[k], count = data->reference[k + 1] - begin;
        for (int j = 0; j < count; j++) {
            references[j] = corpus_target(data->held_out, begin + j);
        }
        exact_match_add(&scores.exact, list->item[i].output, references, count);
        bleu_add_references(&scores.bleu, list->item[i].output, references, count);
    }
    free(references);
    return scores;
}
