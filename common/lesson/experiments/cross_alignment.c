#include "lesson/experiments/cross_alignment.h"

#include "core/check.h"
#include "lesson/experiments/head_sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- alignment ---- */

/* One more sentence: b of the batch, with the maps (B, H, T, S) of a layer. */
static void add_sentence(Aer *aer, const float *map, const Batch *batch, const Phrase *phrase,
                         int columns, int shift) {
    int link[PHRASE_LIMIT];
    size_t width = (size_t)batch->S;
    alignment_argmax(map + (size_t)shift * width, phrase->T, columns, width, link);
    aer_add(aer, link, phrase->T, phrase->gold[0], phrase->S, PHRASE_LIMIT);
}

/* The mean over the heads of sequence b, into `mean` (T, S). */
static void mean_map(const Tensor *weights, int b, float *mean) {
    int H = weights->dim[1];
    long map = (long)weights->dim[2] * weights->dim[3];
    const float *first = weights->data + (long)b * H * map;
    for (long i = 0; i < map; i++) {
        mean[i] = 0.0f;
        for (int h = 0; h < H; h++) {
            mean[i] += first[h * map + i] / (float)H;
        }
    }
}

static void add_batch(Aer *aer, const Traced *traced, Tape *tape, const Batch *batch,
                      const Phrase *phrases, int shift) {
    const TransformerConfig *config = &traced->net->config;
    int layers = config->decoder_layers, H = config->layer.heads;
    long map = (long)batch->T * batch->S;
    float *mean = arena_alloc(&tape->arena, (size_t)map * sizeof *mean);
    for (int b = 0; b < batch->B; b++) {
        const Phrase *phrase = &phrases[batch->pair[b]];
        int columns = batch->source_length[b];
        for (int i = 0; i < layers * H; i++) {
            const float *maps = traced->trace->cross[i / H]->data;
            add_sentence(&aer[i], maps + ((long)b * H + i % H) * map, batch, phrase, columns,
                         shift);
        }
        mean_map(traced->trace->cross[layers - 1], b, mean);
        add_sentence(&aer[layers * H], mean, batch, phrase, columns, shift);
    }
}

static HeadErrors errors_of(const TransformerConfig *config, const Aer *aer) {
    HeadErrors errors = {.layers = config->decoder_layers, .heads = config->layer.heads};
    int count = errors.layers * errors.heads;
    for (int i = 0; i < count; i++) {
        errors.rate[i] = aer[i].proposed > 0 ? aer_rate(&aer[i]) : NAN;
        errors.best = errors.rate[i] < errors.rate[errors.best] ? i : errors.best;
        errors.worst = errors.rate[i] > errors.rate[errors.worst] ? i : errors.worst;
    }
    errors.mean = aer[count].proposed > 0 ? aer_rate(&aer[count]) : NAN;
    return errors;
}

HeadErrors heads_alignment(const Run *run, const Traced *traced, const Phrase *phrases, int shift) {
    enum { AT_ONCE = 50 };
    const TransformerConfig *config = &traced->net->config;
    const Translator *translator = traced->forced.translator;
    const Corpus *corpus = traced->forced.corpus;
    int count = config->decoder_layers * config->layer.heads;
    CHECK(count <= HEADS_MOST, "heads_alignment: %d heads, at most %d", count, HEADS_MOST);
    Aer *aer = check_alloc((size_t)(count + 1) * sizeof *aer);
    Tape tape = tape_new();
    tape.recording = false;
    BatchOptions options = {AT_ONCE, translator->source_end, 0};
    Batcher *batcher = batcher_new(corpus, options, rng_seeded(0, 0));
    for (int i = 0; i < corpus->count && !run_stopped(run); i += AT_ONCE) {
        const Batch *batch = batcher_range(batcher, i, i + AT_ONCE);
        tape_reset(&tape);
        traced->forced.logits(translator->model, &tape, batch);
        if (traced->trace->cross[0] != NULL) {
            add_batch(aer, traced, &tape, batch, phrases, shift);
        }
    }
    HeadErrors errors = errors_of(config, aer);
    batcher_free(batcher);
    tape_free(&tape);
    free(aer);
    return errors;
}

void heads_alignment_show(Run *run, const HeadErrors *errors) {
    char row[1024] = "alignment error";
    for (int h = 0; h < errors->heads; h++) {
        size_t used = strlen(row);
        snprintf(row + used, sizeof row - used, "\thead %d", h);
    }
    run_table(run, row);
    for (int layer = 0; layer < errors->layers; layer++) {
        snprintf(row, sizeof row, "layer %d", layer);
        for (int h = 0; h < errors->heads; h++) {
            size_t used = strlen(row);
            snprintf(row + used, sizeof row - used, "\t%.3f",
                     errors->rate[layer * errors->heads + h]);
        }
        run_table_row(run, "%s", row);
    }
    run_table_end(run);
}

/* ---- pictures ---- */

typedef struct Axes {
    const char *const *row, *const *col;
    int rows, cols;
    const char *row_axis, *col_axis;
} Axes;

static HeadSheet sheet_of(const Traced *traced, Tensor *const *weights, int layers, Axes axes) {
    HeadSheet sheet = head_sheet_new(layers, traced->net->config.layer.heads, axes.rows, axes.cols);
    for (int i = 0; i < layers; i++) {
        head_sheet_layer(&sheet, i, weights[i], 0);
    }
    sheet.row_labels = axes.row;
    sheet.col_labels = axes.col;
    sheet.row_axis = axes.row_axis;
    sheet.col_axis = axes.col_axis;
    return sheet;
}

static void write_sheet(Run *run, HeadSheet *sheet, const char *prefix, const char *which,
                        const char *title) {
    char file[64];
    snprintf(file, sizeof file, "%s_%s.png", prefix, which);
    head_sheet_write(run, file, sheet, 0, title);
    head_sheet_free(sheet);
}

static void draw_cross(Run *run, const Traced *traced, Axes axes, const HeadErrors *errors,
                       const char *prefix) {
    int layers = traced->net->config.decoder_layers, heads = traced->net->config.layer.heads;
    HeadSheet sheet = sheet_of(traced, traced->trace->cross, layers, axes);
    for (int i = 0; i < layers * heads && errors != NULL; i++) {
        char error[32];
        snprintf(error, sizeof error, "error %.2f", errors->rate[i]);
        head_sheet_title(&sheet, i / heads, i % heads, error);
    }
    if (errors != NULL) {
        head_sheet_show(run, &sheet, errors->best / heads, errors->best % heads);
    }
    write_sheet(run, &sheet, prefix, "cross", "Cross-attention: where the decoder looks");
}

void heads_draw(Run *run, const Traced *traced, const Task *task, int pair,
                const HeadErrors *errors, const char *prefix) {
    const TransformerConfig *config = &traced->net->config;
    const Translator *translator = traced->forced.translator;
    Tape tape = tape_new();
    tape.recording = false;
    BatchOptions options = {1, translator->source_end, 0};
    Batcher *batcher = batcher_new(traced->forced.corpus, options, rng_seeded(0, 0));
    const Batch *batch = batcher_pick(batcher, &pair, 1);
    traced->forced.logits(translator->model, &tape, batch);
    const char **source = axis_tokens(&tape.arena, task->source, batch->source, batch->S);
    const char **given = axis_tokens(&tape.arena, task->target, batch->target_input, batch->T);
    const char **written = axis_tokens(&tape.arena, task->target, batch->target_output, batch->T);
    Axes in = {source, source, batch->S, batch->S, "query: asks", "key: looked at"};
    HeadSheet encoder = sheet_of(traced, traced->trace->encoder, config->encoder_layers, in);
    write_sheet(run, &encoder, prefix, "encoder", "The encoder looks at the source");
    Axes back = {given, given, batch->T, batch->T, "query: word read last", "key: looked at"};
    HeadSheet decoder = sheet_of(traced, traced->trace->decoder, config->decoder_layers, back);
    write_sheet(run, &decoder, prefix, "decoder", "The decoder looks at what is written");
    if (traced->trace->cross[0] != NULL) {
        Axes across = {written,
                       source,
                       batch->T,
                       batch->S,
                       "query: word to be written",
                       "key: word looked at"};
        draw_cross(run, traced, across, errors, prefix);
    }
    batcher_free(batcher);
    tape_free(&tape);
}
