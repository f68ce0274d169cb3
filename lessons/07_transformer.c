/* Lesson 07. Attention is all you need.
 *
 * A recurrent translator reads word after word, and attention helps it to look back. Vaswani et al.
 * (2017) throw the recurrence out and keep the attention. What is left is this, and nothing else:
 *
 *     encoder layer    x = x + self(norm(x))               every word asks all words of the source
 *                      x = x + ff(norm(x))                 and thinks about what it found
 *
 *     decoder layer    x = x + self(norm(x)), causal       each word asks the words before it,
 *                      x = x + cross(norm(x), memory)      then the source,
 *                      x = x + ff(norm(x))                 and thinks
 *
 * self and cross are multi-head attention (lesson 05), memory is what the encoder made of the
 * source, positions are added to the words at the way in (lesson 06). This is pre-LN; the paper has
 * x = norm(x + f(x)), post-LN: --post-ln.
 *
 * You will see the parts list and a layer in numbers (7.1), dates, learnt letter by letter (7.2),
 * phrases, with every head's map (7.3), a race against lessons 02 and 03 (7.4), and your own
 * sentences (7.5). It takes about 45 seconds; with --quick one.
 *
 * B batch, S source and T target length, d d_model, H heads, V vocabulary. Batches come first:
 * x (B, L, d). */
#include "core/measure.h"
#include "core/optim.h"
#include "lesson/experiments/date_runs.h"
#include "lesson/experiments/layer_by_hand.h"
#include "lesson/experiments/own_pairs.h"
#include "lesson/experiments/parts_list.h"
#include "lesson/experiments/phrase_run.h"
#include "lesson/experiments/race.h"
#include "lesson/lesson.h"
#include "notes/07_transformer.h"

#include <math.h>

/* ---- the new idea ---- */

/* Exercise 7.2. What a sublayer f gets to see, and what becomes of x afterwards: x + f(norm(x)),
 * or, post-LN, norm(x + f(x)). Dropout only where a training asks for it. */
Tensor *way_in(Tape *tape, const LayerConfig *c, const LayerNorm *norm, Tensor *x) {
    return c->post_ln ? x : layernorm_forward(tape, norm, x);
}

/* Exercise 7.2 */
Tensor *way_out(Tape *tape, const LayerConfig *c, const LayerNorm *norm, Tensor *x, Tensor *found,
                Dropout *dropout) {
    Tensor *sum = op_add(tape, x, dropout_forward(tape, found, c->dropout, dropout));
    return c->post_ln ? layernorm_forward(tape, norm, sum) : sum;
}

/* Exercise 7.3. x (B, S, d) -> (B, S, d). `look` says which words are there. */
Tensor *encoder_layer(Tape *tape, const EncoderLayer *l, Tensor *x, Look look, Dropout *dropout) {
    const LayerConfig *c = &l->config;
    Tensor *y = multi_head_self(tape, &l->self, way_in(tape, c, &l->norm1, x), look);
    x = way_out(tape, c, &l->norm1, x, y, dropout);
    y = feed_forward_forward(tape, &l->ff, way_in(tape, c, &l->norm2, x), 0.0f, 0);
    return way_out(tape, c, &l->norm2, x, y, dropout);
}

/* Exercise 7.3. x (B, T, d) -> (B, T, d). The memory: keys and values of the source, (B, S, d)
 * each; NULL is the mistake of leaving the source out. */
Tensor *decoder_layer(Tape *tape, const DecoderLayer *l, Tensor *x, Look self,
                      const CrossMemory *memory, Look cross, Dropout *dropout) {
    const LayerConfig *c = &l->config;
    Tensor *y = multi_head_self(tape, &l->self, way_in(tape, c, &l->norm1, x), self);
    x = way_out(tape, c, &l->norm1, x, y, dropout);
    if (memory != NULL) {
        Tensor *asks = way_in(tape, c, &l->norm2, x);
        y = multi_head_cross_with(tape, &l->cross, asks, *memory, cross);
        x = way_out(tape, c, &l->norm2, x, y, dropout);
    }
    y = feed_forward_forward(tape, &l->ff, way_in(tape, c, &l->norm3, x), 0.0f, 0);
    return way_out(tape, c, &l->norm3, x, y, dropout);
}

/* The way into both stacks: a word's vector times sqrt(d), plus its position. ids (B, L), the first
 * of them at position `start` -> (B, L, d). */
static Tensor *embed(Tape *tape, const TransformerConfig *c, const Embedding *words,
                     const Position *position, const int *ids, int B, int L, int start,
                     Dropout *dropout) {
    Tensor *x = op_embedding(tape, words->table, ids, SHAPE(B, L));
    x = position_add(tape, position, op_scale(tape, x, sqrtf((float)c->layer.d_model)), start);
    return dropout_forward(tape, x, c->layer.dropout, dropout);
}

/* Source ids (B, S), length (B) of them words -> memory (B, S, d). */
Tensor *encode(Tape *tape, const Transformer *net, const int *source, const int *length, int B,
               int S, Dropout *dropout, AttentionTrace *trace) {
    const TransformerConfig *c = &net->config;
    Tensor *x = embed(tape, c, &net->source, &net->source_position, source, B, S, 0, dropout);
    for (int i = 0; i < c->encoder_layers; i++) {
        Look look = {.key_length = length, .weights = trace != NULL ? &trace->encoder[i] : NULL};
        x = encoder_layer(tape, &net->encoder[i], x, look, dropout);
    }
    return c->layer.post_ln ? x : layernorm_forward(tape, &net->encoder_norm, x);
}

/* Target ids in.given (B, T) -> logits (B, T, V). With caches the decoder goes on behind what is in
 * them: that is how it writes word by word. */
Tensor *decode(Tape *tape, const Transformer *net, DecoderInput in, Dropout *dropout,
               AttentionTrace *trace) {
    const TransformerConfig *c = &net->config;
    Tensor *x = embed(tape, c, &net->target, &net->target_position, in.given, in.B, in.T, in.start,
                      dropout);
    for (int i = 0; i < c->decoder_layers; i++) {
        in.self.cache = in.cache != NULL ? &in.cache[i] : NULL;
        in.self.weights = trace != NULL ? &trace->decoder[i] : NULL;
        in.cross.weights = trace != NULL ? &trace->cross[i] : NULL;
        const CrossMemory *memory = in.memory != NULL ? &in.memory[i] : NULL;
        x = decoder_layer(tape, &net->decoder[i], x, in.self, memory, in.cross, dropout);
    }
    x = c->layer.post_ln ? x : layernorm_forward(tape, &net->decoder_norm, x);
    return linear_forward(tape, &net->out, x);
}

/* ---- the model: what lies around it is in lesson/experiments/transformer_translator.h ---- */

typedef struct Attention { /* the lesson */
    int d_model, heads, d_ff, layers;
    bool post_ln;
    float dropout;     /* of 7.5 */
    PhraseRun phrases; /* of 7.3, takes part in 7.4 */
    OwnPairs own;
} Attention;

static TransformerRecipe recipe_of(const Run *run, const Attention *lesson) {
    bool blind = run_broken(run, "no_positions");
    return (TransformerRecipe){
        .config = {.layer = {lesson->d_model, lesson->heads, lesson->d_ff,
                             .post_ln = lesson->post_ln},
                   .encoder_layers = lesson->layers,
                   .decoder_layers = lesson->layers,
                   .position = blind ? POSITION_NONE : POSITION_SINUSOIDAL},
        .encode = encode,
        .decode = decode,
        .smoothing = 0.1f,
        .mistakes = {.no_causal_mask = run_broken(run, "no_causal_mask"),
                     .reversed_mask = run_broken(run, "reversed_mask"),
                     .no_cross_attention = run_broken(run, "no_cross_attention"),
                     .no_pad_mask = run_broken(run, "no_pad_mask"),
                     .shift_target = run_broken(run, "shift_target")}};
}

/* The paper's rate, d^-.5 min(s^-.5, s w^-1.5), up for w steps and down from there, and towards the
 * end of a short training straight to zero. d^-.5 stands in the plan. */
static double warm_100(long step, long total) {
    return schedule_noam(step, 1, 100) * schedule_cooldown(step, total, 0.3);
}

static double warm_4000(long step, long total) {
    (void)total;
    return schedule_noam(step, 1, 4000);
}

/* Adam (.9, .98, 1e-9), as in the paper. */
static TrainingPlan plan_of(const Run *run, const Attention *lesson, int steps, int B) {
    return (TrainingPlan){.steps = steps,
                          .B = B,
                          .rate = 0.25f / sqrtf((float)lesson->d_model),
                          .schedule = warm_100,
                          .beta2 = 0.98f,
                          .eps = 1e-9f,
                          .clip = 1.0,
                          .rng = run_rng(run, "batches")};
}

/* ---- 7.1 ---- */

static const char *const cat[] = {"the", "black", "cat"}, *const chat[] = {"<start>", "le", "chat"};

/* Both layers for "the black cat", d = 4, 2 heads, ff = 6: what is printed piece by piece must be
 * what the functions above return. */
static void print_layers(Run *run, Tape *tape, const EncoderLayer *e, const DecoderLayer *l) {
    Tensor *in = tape_constant(tape, "x", (const float[]){1, -1, 1, -1, 0, 2, 0, 2, 3, 1, 1, 3},
                               SHAPE(1, 3, 4));
    run_say(run, "The encoder's layer. Three words have come in, a row of 4 numbers each:");
    run_matrix_labelled(run, "x", in->data, 3, 4, cat, NULL);
    claim_checked(run, "norm_by_hand", "norm(x) of \"cat\" by hand, -1 for 1: difference",
                  fabs((double)layernorm_forward(tape, &e->norm1, in)->data[9] + 1.0), "<=", 1e-4);
    Tensor *memory = layer_print_self(run, tape, &e->self, &e->norm1, in, false, cat);
    memory = layer_print_thinking(run, tape, &e->ff, &e->norm2, memory, cat);
    Tensor *whole = encoder_layer(tape, e, in, (Look){0}, NULL);
    double off = largest_difference(whole->data, memory->data, 12);
    run_say(run, "The decoder's layer has one thing more in the middle. It has read \"<start> le "
                 "chat\" (the same numbers, to keep it short) and may not look ahead:");
    Mask mask = mask_causal(&tape->arena, 3, 3);
    run_mask(run, "causal mask, 1 = may look", &mask);
    Tensor *x = layer_print_self(run, tape, &l->self, &l->norm1, in, true, chat);
    run_say(run, "Cross-attention: the question comes from the decoder, keys and values from what "
                 "the encoder has returned:");
    CrossMemory source = multi_head_memory(tape, &l->cross, memory);
    x = layer_print_cross(run, tape, &l->cross, &l->norm2, x, source, chat, cat);
    x = layer_print_thinking(run, tape, &l->ff, &l->norm3, x, chat);
    whole = decoder_layer(tape, l, in, (Look){.causal = true}, &source, (Look){0}, NULL);
    off = fmax(off, largest_difference(whole->data, x->data, 12));
    claim_checked(run, "layers_by_hand", "both layers, piece by piece or at once: difference", off,
                  "<=", 1e-6);
}

static void show_parts(Run *run, void *context) {
    const Attention *lesson = context;
    run_say(
        run,
        "What it is made of: the model of this lesson (d = %d, ff = %d) with the words of 7.3, and "
        "the base model of the paper (d = 512, ff = 2048) with 32,000 on either side. The latter "
        "is counted, not trained. The number of heads appears nowhere: they share d among them.",
        lesson->d_model, lesson->d_ff);
    parts_list_with_base(run, recipe_of(run, lesson).config, 70, 94, 32000);
    Tape tape = tape_new();
    Params params = params_new();
    Rng rng = run_rng(run, "7.1 weights");
    LayerConfig small = {.d_model = 4, .heads = 2, .d_ff = 6};
    EncoderLayer encoder = encoder_layer_new(&params, "encoder", small);
    DecoderLayer decoder = decoder_layer_new(&params, "decoder", small);
    params_allocate(&params, &rng);
    tape.recording = false;
    print_layers(run, &tape, &encoder, &decoder);
    tape_free(&tape);
    params_free(&params);
}

/* ---- 7.2 ---- */

/* What can be known of a Transformer before it has learnt anything. */
static void check_untrained(Run *run, const Forced *forced) {
    run_say(run, "Before it learns, five questions that cost nothing. Every mistake of --list is "
                 "found by one of them, and without a step of training:");
    claim_checked(run, "future", "another answer at step t moves a score up to step t by",
                  forced_leak(forced), "==", 0);
    claim_checked(run, "source", "another letter in the source moves a score by",
                  forced_source_effect(forced), ">", 1e-3);
    claim_checked(run, "order", "two letters exchanged move a score by",
                  forced_order_effect(forced), ">", 1e-3);
    claim_checked(run, "padding", "beside a longer date, a score moves by",
                  forced_padding_effect(forced), "<=", 1e-5);
    claim_checked(run, "word_by_word", "written letter by letter, a score differs by",
                  forced_step_difference(forced), "<=", 1e-5);
}

enum { OURS, PAPER, UNMASKED, PRE, POST, TRAININGS };

static void claim_dates(Run *run, const DateRun *by) {
    const ForcedTraining *ours = &by[OURS].training, *unmasked = &by[UNMASKED].training;
    double led = forced_training_right(ours, 100), alone = forced_training_exact(ours, 100);
    double pre = by[PRE].training.exact, paper = by[PAPER].training.exact;
    claim_trained(run, "led_100", "after 100 steps, led: letters right, %", led, ">", 0.65);
    claim_trained(run, "alone_100", "after 100 steps, alone: dates right, %", alone, "<", 0.3);
    claim_trained(run, "dates_800", "800 steps: dates right, %", pre, ">", 0.97);
    claim_trained(run, "dates", "1000 steps: dates right, %", ours->exact, ">", 0.985);
    claim_trained(run, "paper_700", "warm-up 4000, 700 steps: dates right, %", paper, "<", 0.6);
    claim_trained(run, "unmasked_led", "no mask, led: letters right, %",
                  forced_training_right(unmasked, 200), ">", 0.99);
    claim_trained(run, "unmasked", "no mask, alone: dates right, %", unmasked->exact, "<", 0.01);
    claim_trained(run, "unmasked_loss", "no mask: loss at step 200 less that with the mask",
                  unmasked->curve.loss[1] - ours->curve.loss[1], "<", 0.0);
    claim_trained(run, "norms", "800 steps: post-LN and pre-LN differ by, %",
                  fabs(by[POST].training.exact - pre), "<", 0.04);
    run_conclude(run,
                 "After 100 steps %.0f %% of the letters are right, led; alone, %.0f %% of the "
                 "dates: of its ten letters one wrong one spoils a date. Without a causal mask the "
                 "first number is perfect, the loss lower (%.2f where an honest one is %.2f; with "
                 "label smoothing no loss gets near 0), and the second number stays 0: it copies "
                 "the answer, and alone there is none.",
                 100.0 * led, 100.0 * alone, unmasked->curve.loss[1], ours->curve.loss[1]);
    run_conclude(run,
                 "Warm-up must fit the run: the paper's 4000 steps of it have %.0f %% of the dates "
                 "right after 700. Its d^-.5 = .044 is a factor, not the rate: that peaks at %.1e, "
                 "and with 2000 or 8000 steps at %.1e or %.1e, so another warm-up is another rate "
                 "as well. Pre-LN or post-LN? With layers this few, no matter.",
                 100.0 * paper, schedule_noam(4000, 512, 4000), schedule_noam(2000, 512, 2000),
                 schedule_noam(8000, 512, 8000));
}

static void show_dates(Run *run, void *context) {
    static const int steps[] = {1000, 700, 200, 800, 800};
    static const char *const names[] = {"warm-up 100", "warm-up 4000", "no mask", "pre-LN",
                                        "post-LN"};
    const Attention *lesson = context;
    DateRun by[TRAININGS];
    Task task = date_runs_task(run);
    for (int i = 0; i < TRAININGS; i++) {
        by[i].label = names[i];
        by[i].recipe = recipe_of(run, lesson);
        by[i].plan = plan_of(run, lesson, run_steps(run, steps[i], 2), 32);
    }
    by[PAPER].plan.schedule = warm_4000;
    by[PAPER].plan.rate *= 4.0f;
    by[UNMASKED].recipe.mistakes.no_causal_mask = true;
    by[PRE].recipe.config.layer.post_ln = false;
    by[POST].recipe.config.layer.post_ln = true;
    run_say(run, "Lesson 02 again: dates in ten formats become 1988-03-05, letter by letter. Five "
                 "trainings with the same first weights and batches. \"Warm-up 4000\" has the "
                 "paper's rate, without a cool-down; \"no mask\" is stopped after 200 steps.");
    date_runs_make(run, by, TRAININGS, &task);
    check_untrained(run, &by[OURS].training.forced);
    date_runs_train(run, by, TRAININGS);
    run_say(run, "Led (teacher forcing): all right letters before it are given, how many letters "
                 "are right? That is what the loss sees. Alone (free running): it goes on from its "
                 "own letters, how many dates are right? In percent, of the first 200 and 300 of "
                 "the held-out dates; at the end of a training, below, of all of them:");
    date_runs_show(run, by, PRE, "dates_learning", "Dates: led by the right letters, and alone");
    date_runs_show(run, by + PRE, 2, "dates_norm", "Dates: where the norm is");
    claim_dates(run, by);
    date_runs_free(by, TRAININGS);
    task_free(&task);
}

/* ---- 7.3 ---- */

enum { PHRASES_B = 64 };

static void show_phrases(Run *run, void *context) {
    Attention *lesson = context;
    PhraseRun *p = &lesson->phrases;
    run_say(run, "English to French, as in lessons 02 and 03. Given and answer are the same words, "
                 "one step apart:");
    phrase_run_train(run, p, recipe_of(run, lesson),
                     plan_of(run, lesson, run_steps(run, 600, 4), PHRASES_B));
    run_say(run,
            "Beam search keeps the 2 or 4 most probable beginnings instead of one; a sentence of n "
            "words is judged by its log probability / n^%.1f, or short ones would win.",
            (double)p->beams.normalise);
    phrase_run_beams(run, p);
    const double(*exact)[BEAM_SIZES] = p->beams.exact;
    claim_trained(run, "phrases", "phrases right, %", exact[PHRASES_END][0], ">=", 0.95);
    claim_trained(run, "beam_early", "early: 4 beams better than greedy by, %",
                  exact[PHRASES_EARLY][2] - exact[PHRASES_EARLY][0], ">=", 0.0);
    claim_trained(run, "beam_end", "at the end: 4 beams and greedy differ by, %",
                  fabs(exact[PHRASES_END][2] - exact[PHRASES_END][0]), "<=", 0.02);
    Traced traced = transformer_translator_traced(&p->model, &p->translator, p->task.held_out);
    HeadErrors errors = heads_alignment(run, &traced, p->task.phrases, 0);
    double best = errors.rate[errors.best], worst = errors.rate[errors.worst];
    run_say(run, "Cross-attention against the gold alignment, head by head, 0 is perfect:");
    heads_alignment_show(run, &errors);
    heads_draw(run, &traced, &p->task, p->chosen, &errors, "heads");
    claim_trained(run, "head_aligns", "alignment error of the best head", best, "<=", 0.2);
    claim_trained(run, "heads_differ", "alignment error, worst head less best", worst - best, ">",
                  0.1);
    run_conclude(
        run,
        "No head was told to align words; layer %d, head %d does best. The errors of the "
        "others, in a model that is right, go up to %.2f: a map shows where one head looks, not "
        "what the model knows.",
        errors.best / errors.heads, errors.best % errors.heads, worst);
}

/* ---- 7.4 ---- */

static void show_race(Run *run, void *context) {
    enum { FEW = 8, MANY = 16 };
    Attention *lesson = context;
    PhraseRun *p = &lesson->phrases;
    int steps = run_steps(run, 600, 4);
    if (p->task.train == NULL) {
        return; /* 7.3 was interrupted */
    }
    run_say(run, "The translators of lessons 02 and 03 learn the same phrases, in the same "
                 "batches, for as many steps:");
    Race race = race_new(&p->task, PHRASES_B);
    for (int kind = 0; kind < RACER_TRANSFORMER; kind++) {
        race_recurrent(run, &race, (RacerKind)kind, steps, 32);
    }
    race_add(&race, RACER_TRANSFORMER, p->translator, &p->curve);
    race_judge(run, &race);
    race_show(run, &race);
    race_show_paths(run, &race, FEW, MANY);
    race_claims(run, &race, FEW, MANY);
    race_free(&race);
}

/* ---- 7.5 ---- */

static void show_own(Run *run, void *context) {
    Attention *lesson = context;
    PairData *data = &lesson->own.data;
    if (own_pairs_given(run, &lesson->own)) {
        TransformerTranslator model;
        TransformerRecipe recipe = recipe_of(run, lesson);
        recipe.config.layer.dropout = lesson->dropout;
        Translator translator = transformer_translator_new(
            &model, recipe, data->source_vocab->size, data->target_vocab->size,
            data->held_out->longest_target + 8, run_rng(run, "weights"));
        own_pairs_study_by(run, &lesson->own, &translator,
                           plan_of(run, lesson, run_steps(run, 3000, 10), 64), "own_alignment.png");
        params_free(&model.params);
    }
}

static bool read_own_data(Run *run, void *context, Error *error) {
    Attention *lesson = context;
    if (lesson->d_model % lesson->heads != 0) {
        snprintf(
            error->text, sizeof error->text,
            "--d-model %d is not divisible by --heads %d: each head gets d-model / heads columns",
            lesson->d_model, lesson->heads);
        return false;
    }
    return own_pairs_load(&lesson->own, run, error);
}

int main(int argc, char **argv) {
    Attention lesson = {.d_model = 64,
                        .heads = 4,
                        .d_ff = 256,
                        .layers = 2,
                        .dropout = 0.2f,
                        .own = own_pairs_new()};
    const Option options[] = {
        OPTION_INT("d-model", 0, &lesson.d_model, 4, 512, "size of a word"),
        OPTION_INT("heads", 0, &lesson.heads, 1, 8, "of each attention"),
        OPTION_INT("d-ff", 0, &lesson.d_ff, 1, 2048, "hidden units of the feed-forward networks"),
        OPTION_INT("layers", 0, &lesson.layers, 1, 4, "of encoder and decoder each"),
        OPTION_FLAG("post-ln", 0, &lesson.post_ln, "norm(x + f(x)), as in the paper"),
        OPTION_FLOAT("dropout", 0, &lesson.dropout, 0, 0.9, "of 7.5, where sentences come again"),
        OWN_PAIRS_OPTIONS(lesson.own),
    };
    const Step steps[] = {
        {"7.1", "The parts, and a layer by hand", show_parts, NULL},
        {"7.2", "Dates: led, and alone", show_dates, NULL},
        {"7.3", "Phrases: beams, and every head", show_phrases, NULL},
        {"7.4", "The race", show_race, "7.3"},
        {"7.5", "Your own sentences", show_own, NULL},
    };
    const Mistake mistakes[] = {
        {"no_causal_mask", "while it learns, the decoder sees the words it is to write"},
        {"reversed_mask", "the decoder sees its word and those behind it, not those before"},
        {"no_cross_attention", "the decoder never looks at the source"},
        {"no_pad_mask", "padding is looked at, as if it were words"},
        {"no_positions", "nobody knows where a word stands"},
        {"shift_target", "the decoder is given the very word it is to answer"},
    };
    const Lesson about = {
        .number = "07",
        .name = "transformer",
        .title = "Attention is all you need",
        .question = "What is left when the recurrence goes?",
        .duration = "about 45 s",
        LESSON_TABLES(steps, mistakes, options),
        LESSON_NOTES(notes),
        .judged_with = "d-model heads d-ff layers post-ln",
        .examples = "--only 7.2 --break no_causal_mask\n--only 7.2 --post-ln\n"
                    "--only 7.5 --data pairs.tsv",
        .context = &lesson,
        .validate = read_own_data,
    };
    int code = walkthrough_run(&about, argc, argv);
    own_pairs_free(&lesson.own);
    phrase_run_free(&lesson.phrases);
    return code;
}
