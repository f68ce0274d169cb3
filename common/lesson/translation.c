#include "lesson/translation.h"

#include "core/check.h"
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

/* The decoder is led through the reference; its own opinion is not asked. */
static void decode_forced(Decoding *decoding, const Batch *batch, int *tokens, int *length) {
    for (int t = 0; t < batch->T; t++) {
        decoding_step(decoding, batch->target_input + (long)t * batch->B, batch->B);
    }
    size_t count = (size_t)batch->T * (size_t)batch->B;
    memcpy(tokens, batch->target_output, count * sizeof *tokens);
    for (int b = 0; b < batch->B; b++) {
        length[b] = batch->target_length[b] - 1;
    }
}

/* ---- what is kept of it ---- */

/* Tokens and weights of sequence b, copied out of the batch. */
static Translation keep_one(Arena *arena, const Corpus *corpus, const Batch *batch, int b,
                            const Decoding *decoding, const int *tokens, int length) {
    Translation kept = {.pair = batch->pair[b],
                        .source = corpus_source(corpus, batch->pair[b]),
                        .reference = corpus_target(corpus, batch->pair[b]),
                        .rows = length < decoding->step ? length + 1 : length,
                        .columns = batch->source_length[b]};
    int *output = arena_alloc(arena, (size_t)(length + 1) * sizeof *output);
    for (int t = 0; t < length; t++) {
        output[t] = tokens[(long)t * batch->B + b];
    }
    kept.output = (Ids){output, length};
    if (decoding->weights != NULL && kept.columns > 0) {
        size_t width = (size_t)kept.columns;
        float *weights = arena_alloc(arena, (size_t)kept.rows * width * sizeof *weights);
        for (int t = 0; t < kept.rows; t++) {
            const float *row = decoding->weights + ((long)t * batch->B + b) * batch->S;
            memcpy(weights + (size_t)t * width, row, width * sizeof *weights);
        }
        kept.weights = weights;
    }
    return kept;
}

static void translate_batch(const Translator *translator, Tape *tape, const Corpus *corpus,
                            const Batch *batch, int max_steps, bool forced, Translations *list) {
    int B = batch->B, steps = forced ? batch->T : max_steps;
    tape_reset(tape);
    int *tokens = arena_alloc(&tape->arena, (size_t)steps * (size_t)B * sizeof *tokens);
    int *length = arena_alloc(&tape->arena, (size_t)B * sizeof *length);
    Decoding decoding = {translator, tape, B, batch->S, 0, NULL, steps};
    translator->begin(translator->model, tape, batch);
    if (forced) {
        decode_forced(&decoding, batch, tokens, length);
    } else {
        decode_greedy(decoding_step, &decoding, B, translator->V, VOCAB_START, VOCAB_END, steps,
                      tokens, length);
    }
    for (int b = 0; b < B; b++) {
        list->item[list->count++] =
            keep_one(&list->arena, corpus, batch, b, &decoding, tokens, length[b]);
    }
}

Translations translator_translate(const Run *run, const Translator *translator,
                                  const Corpus *corpus, TranslateOptions options) {
    CHECK(options.B >= 1, "translator_translate: B is %d", options.B);
    int all = options.pairs != NULL || options.count > 0 ? options.count : corpus->count;
    int count = options.pairs == NULL && all > corpus->count ? corpus->count : all;
    int max_steps = options.max_steps > 0 ? options.max_steps : corpus->longest_target + 4;
    Translations list = {.arena = arena_new()};
    list.item = arena_alloc(&list.arena, (size_t)(count + 1) * sizeof *list.item);
    Tape tape = tape_new();
    tape.recording = false;
    tape.check_finite = run->flags.check_finite;
    Rng unused = rng_seeded(0, 0); /* pairs come in the order asked for */
    Batcher *batcher =
        batcher_new(corpus, (BatchOptions){options.B, translator->source_end, 0}, unused);
    for (int i = 0; i < count && !run_stopped(run); i += options.B) {
        int end = i + options.B < count ? i + options.B : count;
        const Batch *batch = options.pairs != NULL
                                 ? batcher_pick(batcher, options.pairs + i, end - i)
                                 : batcher_range(batcher, i, end);
        translate_batch(translator, &tape, corpus, batch, max_steps, options.forced, &list);
    }
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
