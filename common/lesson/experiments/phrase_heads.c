#include "lesson/experiments/phrase_heads.h"

#include "core/check.h"
#include "lesson/experiments/alignment_sheet.h"
#include "lesson/experiments/head_removal.h"
#include "lesson/experiments/head_sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PHRASE_ROOM = PHRASE_LIMIT + 2 }; /* tokens of the longest row */

const char *const phrase_site_names[PHRASE_SITES] = {"encoder", "decoder", "across"};

/* ---- the model on a batch ---- */

/* Logits (B, T, V) for a batch; trace may be NULL. */
static Tensor *logits_of(const PhraseTrial *trial, Tape *tape, const Batch *batch,
                         AttentionTrace *trace) {
    batch_rows(batch->source, batch->S, batch->B, trial->source);
    batch_rows(batch->target_input, batch->T, batch->B, trial->input);
    Tensor *memory = transformer_encode(tape, &trial->model, trial->source, batch->source_length,
                                        batch->B, batch->S, NULL, trace);
    return transformer_decode(tape, &trial->model, trial->input, batch->B, batch->T, memory,
                              batch->source_length, NULL, trace);
}

static Tensor *loss_of(Tape *tape, Tensor *logits, const Batch *batch) {
    int *right = arena_alloc(&tape->arena, (size_t)batch->B * (size_t)batch->T * sizeof(int));
    batch_rows(batch->target_output, batch->T, batch->B, right);
    return op_cross_entropy(tape, logits, right, (CrossEntropy){.ignore = VOCAB_PAD});
}

static Tensor *phrase_loss(void *model, Tape *tape) {
    PhraseTrial *trial = model;
    const Batch *batch = batcher_next(trial->batches);
    return loss_of(tape, logits_of(trial, tape, batch, NULL), batch);
}

/* ---- the held-out phrases ---- */

static const Batch *held_out_batch(const PhraseTrial *trial) {
    return batcher_range(trial->held_out, 0, trial->task.held_out->count);
}

static double loss_now(void *model) {
    PhraseTrial *trial = model;
    Tape tape = tape_new();
    tape.recording = false;
    const Batch *batch = held_out_batch(trial);
    double loss = (double)loss_of(&tape, logits_of(trial, &tape, batch, NULL), batch)->data[0];
    tape_free(&tape);
    return loss;
}

/* Share of the words that get the highest score. */
static double share_right(const Tensor *logits, const Batch *batch) {
    int V = tensor_cols(logits), right = 0;
    for (int b = 0; b < batch->B; b++) {
        for (int t = 0; t < batch->target_length[b]; t++) {
            const float *row = logits->data + ((long)b * batch->T + t) * V;
            right += tensor_argmax(row, V) == batch->target_output[t * batch->B + b];
        }
    }
    return (double)right / batch->tokens;
}

/* The weights of one layer at one site. */
static Tensor *traced(const AttentionTrace *trace, PhraseSite site, int layer) {
    return site == SITE_ENCODER   ? trace->encoder[layer]
           : site == SITE_DECODER ? trace->decoder[layer]
                                  : trace->cross[layer];
}

static const MultiHead *attention_of(const PhraseTrial *trial, PhraseSite site, int layer) {
    const Transformer *model = &trial->model;
    return site == SITE_ENCODER   ? &model->encoder[layer].self
           : site == SITE_DECODER ? &model->decoder[layer].self
                                  : &model->decoder[layer].cross;
}

static HeadBatch maps_of(const Tensor *weights, PhraseSite site, const Batch *batch) {
    bool asks_french = site != SITE_ENCODER, shows_french = site == SITE_DECODER;
    return (HeadBatch){
        .B = batch->B,
        .H = weights->dim[1],
        .Lq = weights->dim[2],
        .Lk = weights->dim[3],
        .query_length = asks_french ? batch->target_length : batch->source_length,
        .key_length = shows_french ? batch->target_length : batch->source_length,
        .causal = shows_french,
    };
}

static void study_maps(PhraseTrial *trial) {
    Tape tape = tape_new();
    tape.recording = false;
    AttentionTrace trace;
    const Batch *batch = held_out_batch(trial);
    trial->accuracy = share_right(logits_of(trial, &tape, batch, &trace), batch);
    for (int i = 0; i < PHRASE_SITES * PHRASE_LAYERS; i++) {
        PhraseSite site = (PhraseSite)(i / PHRASE_LAYERS);
        int layer = i % PHRASE_LAYERS;
        const Tensor *weights = traced(&trace, site, layer);
        HeadMeasures measures[PHRASE_HEADS];
        HeadBatch maps = maps_of(weights, site, batch);
        head_measure_all(weights->data, maps, measures);
        for (int h = 0; h < maps.H; h++) {
            trial->head[site][layer][h].measures = measures[h];
        }
    }
    tape_free(&tape);
}

static void study_rises(Run *run, PhraseTrial *trial) {
    int H = trial->plan.heads, count = PHRASE_SITES * PHRASE_LAYERS * H;
    trial->loss = loss_now(trial);
    for (int i = 0; i < count && !run_stopped(run); i++) {
        PhraseSite site = (PhraseSite)(i / (PHRASE_LAYERS * H));
        int layer = i / H % PHRASE_LAYERS;
        PhraseHead *head = &trial->head[site][layer][i % H];
        head->rise =
            head_rise(attention_of(trial, site, layer), i % H, loss_now, trial, trial->loss);
        head->kind = head_class_of(&head->measures, head->rise);
    }
    for (int s = 0; s < PHRASE_SITES; s++) {
        const MultiHead *layers[PHRASE_LAYERS];
        for (int i = 0; i < PHRASE_LAYERS; i++) {
            layers[i] = attention_of(trial, (PhraseSite)s, i);
        }
        trial->rise[s] = heads_rise(layers, PHRASE_LAYERS, loss_now, trial, trial->loss);
    }
}

/* ---- training ---- */

static Transformer small_transformer(Params *params, const PhraseHeadsPlan *plan,
                                     const Task *task) {
    TransformerConfig config = {
        .layer = {.d_model = plan->d_model, .heads = plan->heads, .d_ff = plan->d_ff},
        .encoder_layers = PHRASE_LAYERS,
        .decoder_layers = PHRASE_LAYERS,
        .position = POSITION_SINUSOIDAL};
    return transformer_new(params, "", task->source->size, task->target->size, config);
}

PhraseHeadsPlan phrase_heads_plan(Run *run, int d_model, int heads) {
    return (PhraseHeadsPlan){.d_model = d_model,
                             .heads = heads,
                             .d_ff = 2 * d_model,
                             .B = 64,
                             .steps = run_steps(run, 500, 2),
                             .train = run_size(run, 20000, 300),
                             .held_out = run_size(run, 200, 12),
                             .rate = 3e-3f};
}

PhraseTrial *phrase_train(Run *run, const PhraseHeadsPlan *plan) {
    CHECK(plan->heads <= PHRASE_HEADS, "phrase_heads: %d heads; the most is %d", plan->heads,
          PHRASE_HEADS);
    PhraseTrial *trial = check_alloc(sizeof *trial);
    *trial = (PhraseTrial){.plan = *plan,
                           .task = task_phrases(plan->train, plan->held_out, run->flags.seed),
                           .params = params_new()};
    Rng weights = run_rng(run, "phrase weights");
    int B = plan->B > plan->held_out ? plan->B : plan->held_out;
    trial->model = small_transformer(&trial->params, plan, &trial->task);
    params_allocate(&trial->params, &weights);
    BatchOptions train = {.B = plan->B, .pool = 16}, all = {.B = plan->held_out};
    trial->batches = batcher_new(trial->task.train, train, run_rng(run, "phrase batches"));
    trial->held_out = batcher_new(trial->task.held_out, all, run_rng(run, "phrase held out"));
    trial->source = check_alloc((size_t)B * PHRASE_ROOM * sizeof(int));
    trial->input = check_alloc((size_t)B * PHRASE_ROOM * sizeof(int));
    Fit fit = {.label = "phrases",
               .params = &trial->params,
               .loss = phrase_loss,
               .model = trial,
               .steps = plan->steps,
               .rate = plan->rate,
               .schedule = fit_warm_cool,
               .clip = 1.0,
               .source = trial->task.source,
               .target = trial->task.target};
    fit_train(run, &fit);
    study_maps(trial);
    study_rises(run, trial);
    return trial;
}

void phrase_free(PhraseTrial *trial) {
    params_free(&trial->params);
    batcher_free(trial->batches);
    batcher_free(trial->held_out);
    task_free(&trial->task);
    free(trial->source);
    free(trial->input);
    free(trial);
}

/* ---- showing ---- */

int phrase_count(const PhraseTrial *trial, PhraseSite site, HeadClass kind) {
    int count = 0;
    for (int s = 0; s < PHRASE_SITES; s++) {
        for (int i = 0; i < PHRASE_LAYERS * trial->plan.heads; i++) {
            const PhraseHead *head = &trial->head[s][i / trial->plan.heads][i % trial->plan.heads];
            count += head->kind == kind && (site == PHRASE_SITES || (int)site == s);
        }
    }
    return count;
}

void phrase_table(Run *run, const PhraseTrial *trial) {
    run_table(run, "where\tlayer\thead\tdiagonal\tvertical\tentropy\tloss without it\tclass");
    for (int s = 0; s < PHRASE_SITES; s++) {
        for (int i = 0; i < PHRASE_LAYERS * trial->plan.heads; i++) {
            int layer = i / trial->plan.heads, h = i % trial->plan.heads;
            const PhraseHead *head = &trial->head[s][layer][h];
            const HeadMeasures *m = &head->measures;
            run_table_row(run, "%s\t%d\t%d\t%.2f\t%.2f\t%.2f\t%+.3f\t%s", phrase_site_names[s],
                          layer, h, m->diagonal, m->vertical, m->entropy, head->rise,
                          head_label(head->kind, m).text);
        }
    }
    run_table_end(run);
}

void phrase_sheet(Run *run, const PhraseTrial *trial, PhraseSite site, int pair, const char *file,
                  const char *title) {
    Tape tape = tape_new();
    tape.recording = false;
    AttentionTrace trace;
    const Batch *batch = batcher_range(trial->held_out, pair, pair + 1);
    logits_of(trial, &tape, batch, &trace);
    HeadBatch maps = maps_of(traced(&trace, site, 0), site, batch);
    HeadSheet sheet = head_sheet_new(PHRASE_LAYERS, maps.H, maps.Lq, maps.Lk);
    const int *rows = site == SITE_CROSS ? batch->target_output : batch->target_input;
    const char **english = axis_tokens(&tape.arena, trial->task.source, batch->source, batch->S);
    const char **french = axis_tokens(&tape.arena, trial->task.target, rows, batch->T);
    sheet.row_labels = site == SITE_ENCODER ? english : french;
    sheet.col_labels = site == SITE_DECODER ? french : english;
    sheet.row_axis = site == SITE_ENCODER   ? "query"
                     : site == SITE_DECODER ? "query: word read last"
                                            : "query: word to be written";
    for (int i = 0; i < PHRASE_LAYERS * maps.H; i++) {
        int layer = i / maps.H, h = i % maps.H;
        const PhraseHead *head = &trial->head[site][layer][h];
        head_sheet_layer(&sheet, layer, traced(&trace, site, layer), 0);
        head_sheet_title(&sheet, layer, h, head_label(head->kind, &head->measures).text);
    }
    head_sheet_write(run, file, &sheet, 0, title);
    head_sheet_free(&sheet);
    tape_free(&tape);
}

void phrase_sheets(Run *run, const PhraseTrial *trial) {
    int chosen[1] = {0};
    sheet_choose_phrases(trial->task.phrases, trial->task.held_out->count, 1, chosen);
    phrase_sheet(run, trial, SITE_ENCODER, chosen[0], "phrase_encoder.png",
                 "Encoder: English looks at English");
    phrase_sheet(run, trial, SITE_CROSS, chosen[0], "phrase_across.png",
                 "Across: French looks at English");
}

void phrase_claims(Run *run, const PhraseTrial *trial) {
    int all = PHRASE_SITES * PHRASE_LAYERS * trial->plan.heads;
    double dead = (double)phrase_count(trial, PHRASE_SITES, HEAD_DEAD) / all;
    claim_trained(run, "phrases", "French words right, %", trial->accuracy, ">", 0.98);
    claim_trained(run, "dead_alone", "heads without which, one at a time, the loss rises < 0.01, %",
                  dead, ">", 0.4);
    claim_trained(run, "encoder", "the loss rises without all heads of the encoder by",
                  trial->rise[SITE_ENCODER], "<", 0.2);
    claim_trained(run, "decoder", "the loss rises without the decoder's look back by",
                  trial->rise[SITE_DECODER], ">", 0.3);
    claim_trained(run, "across", "the loss rises without its look at the source by",
                  trial->rise[SITE_CROSS], ">", 1);
}
