/* Lesson 03. A dot product is enough.
 *
 * Bahdanau compares the state s of the decoder with a state h_i of the encoder by a small network.
 * Luong, Pham and Manning (2015) ask whether the score needs a network of its own:
 *
 *     dot        score = s . h_i
 *     general    score = s . W h_i
 *     concat     score = v . tanh(W [s; h_i])                  Bahdanau's, in other words
 *
 * and turn the order round. The decoder first makes its new state s_t, then asks with it, and what
 * it found comes back as part of its next input (input feeding):
 *
 *     s_t = GRU([y; h~_{t-1}], s_{t-1})
 *     c   = sum_i a_i h_i,  a = softmax(score(s_t, h_i))
 *     h~_t = tanh(W_c [c; s_t])                                the next word is read from h~_t
 *
 * You will see: one step in numbers (3.1), translation with each of the scores and with a window
 * instead of the whole source (3.2), what each score costs (3.3), why a dot product of long vectors
 * must be scaled (3.4), your own sentences (3.5). It takes about 40 seconds; with --quick two.
 *
 * B batch, S source and T target length, E embedding, H states (D where it is any size), V
 * vocabulary. */
#include "core/measure.h"
#include "lesson/alignment_sheet.h"
#include "lesson/associative.h"
#include "lesson/contest.h"
#include "lesson/lesson.h"
#include "lesson/own_pairs.h"
#include "lesson/lines.h"
#include "lesson/score_cost.h"
#include "lesson/softmax_scale.h"
#include "nn/attention.h"
#include "nn/encoder.h"
#include "nn/linear.h"

#include <math.h>
#include <string.h>

/* ---- the new idea: three scores, each for states s (B, D) and h (B, S, D) -> (B, S) ---- */

/* s . h_i: one number for each word of the source. */
Tensor *score_dot(Tape *tape, Tensor *s, Tensor *h) {
    int B = h->dim[0], S = h->dim[1], D = s->dim[1];
    Tensor *products = op_matmul_nt(tape, op_reshape(tape, s, SHAPE(B, 1, D)), h); /* (B, 1, S) */
    return op_reshape(tape, products, SHAPE(B, S));
}

/* s . W h_i = (s W) . h_i with w (Ds, Dh): turn the one question, not the S words. */
Tensor *score_general(Tape *tape, Tensor *w, Tensor *s, Tensor *h) {
    return score_dot(tape, op_matmul(tape, s, w), h);
}

/* v . tanh(W [s; h_i]) with w (A, Ds + Dh) and v (A). W [s; h] = W_1 s + W_2 h, so the half that
 * belongs to the words is done once per sentence: keys (B, S, A). The rest is lesson 02. */
Tensor *concat_keys(Tape *tape, Tensor *w, Tensor *h) {
    int all = tensor_cols(w);
    return op_linear(tape, h, op_slice_last(tape, w, all - tensor_cols(h), all), NULL);
}

Tensor *score_concat(Tape *tape, Tensor *w, Tensor *v, Tensor *s, Tensor *keys) {
    Tensor *q = op_linear(tape, s, op_slice_last(tape, w, 0, tensor_cols(s)), NULL); /* (B, A) */
    return op_additive_score(tape, q, keys, v);
}

/* Local attention, Luong's "local-p": somebody says where to look, place (B, 1) from 0 (the first
 * word) to 1 (the last). Seen are the words within D of p = place (length - 1), and trusted less
 * the farther off: their weights are multiplied by exp(-(i - p)^2 / (2 sigma^2)), sigma = D / 2. */
Tensor *local_weights(Tape *tape, Tensor *scores, Tensor *place, const int *length, int D) {
    int B = scores->dim[0], S = scores->dim[1];
    Tensor *last = tape_constant(tape, "last", NULL, SHAPE(B, 1));
    Tensor *i = tape_constant(tape, "i", NULL, SHAPE(B, S, 1));
    bool *seen = arena_alloc(&tape->arena, (size_t)B * (size_t)S * sizeof *seen);
    for (int b = 0; b < B; b++) {
        last->data[b] = (float)(length[b] - 1);
        for (int s = 0; s < S; s++) {
            float off = (float)s - place->data[b] * last->data[b];
            i->data[b * S + s] = (float)s;
            seen[b * S + s] = s < length[b] && fabsf(off) <= (float)D;
        }
    }
    Tensor *p = op_mul(tape, place, last);                          /* (B, 1) */
    Tensor *off = op_add_middle(tape, i, op_scale(tape, p, -1.0f)); /* i - p, (B, S, 1) */
    Tensor *bell = op_exp(tape, op_scale(tape, op_mul(tape, off, off), -2.0f / (float)(D * D)));
    return op_mul(tape, op_masked_softmax(tape, scores, &(Mask){B, 1, S, seen}),
                  op_reshape(tape, bell, SHAPE(B, S)));
}

/* ---- the model around it ---- */

static const char *const score_names[] = {"dot", "general", "concat", NULL};
enum { SCORES = 3 };

typedef struct Model {
    const Run *run; /* knows about --break */
    int window;     /* D of local attention; 0: it sees everything */
    bool old_state; /* asks with s_{t-1}, as Bahdanau does, instead of s_t */
    int V, H;
    Params params;
    Encoder encoder;         /* GRU both ways, E -> H */
    Linear bridge;           /* H -> H: from the encoder's last state to the decoder's first */
    LuongAttention score;    /* which, and its weights */
    Linear place_1, place_2; /* H -> H -> 1: where the window lies */
    Embedding words;         /* (V, E) of the target */
    Gru decoder;             /* E + H -> H */
    Linear combine;          /* 2 H -> H: W_c */
    Linear out;              /* H -> V */

    /* of the batch in hand */
    const int *length;           /* (B) of the sources */
    Mask mask;                   /* (B, 1, S): true = a word, may be looked at */
    Tensor *h;                   /* (B, S, H) states of the encoder */
    Tensor *keys;                /* (B, S, H): what concat makes of them; else h itself */
    Tensor *s, *context, *found; /* (B, H) each: s_t, c, h~_t */
    Tensor *weights;             /* (B, S) */
} Model;

static void model_declare(Model *m, const Run *run, int V_source, int V, int H, int score,
                          int window, Rng rng) {
    *m = (Model){.run = run, .window = window, .V = V, .H = H, .params = params_new()};
    m->encoder = encoder_new(&m->params, "encoder", V_source, H / 2, H, true);
    m->bridge = linear_new(&m->params, "bridge", H, H, true);
    m->score = luong_new(&m->params, "score", (LuongScore)score, H, H, H);
    if (window > 0) {
        m->place_1 = linear_new(&m->params, "place_1", H, H, false);
        m->place_2 = linear_new(&m->params, "place_2", H, 1, false);
    }
    m->words = embedding_new(&m->params, "words", V, H / 2);
    m->decoder = gru_new(&m->params, "decoder", H / 2 + H, H, 0.0f);
    m->combine = linear_new(&m->params, "combine", 2 * H, H, false);
    m->out = linear_new(&m->params, "out", H, V, true);
    params_allocate(&m->params, &rng);
}

/* Once per sentence: what the decoder looks at, and its first state (B, H). */
static void model_look_at(Model *m, Tape *tape, Tensor *h, const int *length, Tensor *first) {
    m->h = h;
    m->length = length;
    m->mask = mask_padding(&tape->arena, length, h->dim[0], h->dim[1]);
    m->keys = m->score.score == LUONG_CONCAT ? concat_keys(tape, m->score.w, h) : h;
    m->s = first;
    m->found = tape_constant(tape, "h~", NULL, SHAPE(h->dim[0], m->H));
    m->weights = tape_constant(tape, "a", NULL, SHAPE(h->dim[0], h->dim[1]));
}

static void model_begin(void *model, Tape *tape, const Batch *batch) {
    Model *m = model;
    Encoded source =
        encoder_forward(tape, &m->encoder, batch->source, batch->source_length, batch->S, batch->B);
    model_look_at(m, tape, source.states, batch->source_length,
                  op_tanh(tape, linear_forward(tape, &m->bridge, source.last)));
}

static Tensor *model_score(const Model *m, Tape *tape, Tensor *s) {
    switch (m->score.score) {
    case LUONG_DOT:
        return score_dot(tape, s, m->h);
    case LUONG_GENERAL:
        return score_general(tape, m->score.w, s, m->h);
    default:
        return score_concat(tape, m->score.w, m->score.v, s, m->keys);
    }
}

/* One step of the decoder: from the last word y (B, E) to h~ (B, H). */
static Tensor *model_advance(Model *m, Tape *tape, Tensor *y) {
    int B = m->h->dim[0], S = m->h->dim[1], H = m->H;
    Tensor *asks = m->s, *fed = m->found;
    if (run_broken(m->run, "no_input_feeding")) {
        fed = tape_constant(tape, "zero", NULL, SHAPE(B, H));
    }
    m->s = gru_step_fused(tape, &m->decoder, op_concat(tape, 1, (Tensor *[]){y, fed}, 2), m->s);
    asks = m->old_state ? asks : m->s;
    Tensor *scores = model_score(m, tape, asks);
    if (m->window > 0) {
        Tensor *hidden = op_tanh(tape, linear_forward(tape, &m->place_1, m->s));
        Tensor *place = op_sigmoid(tape, linear_forward(tape, &m->place_2, hidden));
        m->weights = local_weights(tape, scores, place, m->length, m->window);
    } else {
        m->weights = op_masked_softmax(tape, scores, &m->mask);
    }
    Tensor *c = op_matmul(tape, op_reshape(tape, m->weights, SHAPE(B, 1, S)), m->h);
    m->context = op_reshape(tape, c, SHAPE(B, H));
    Tensor *both = op_concat(tape, 1, (Tensor *[]){m->context, m->s}, 2);
    m->found = op_tanh(tape, linear_forward(tape, &m->combine, both));
    return m->found;
}

/* Training: the decoder is given the right words and must answer each with the next one. */
static Tensor *model_loss(void *model, Tape *tape, const Batch *batch) {
    Model *m = model;
    int T = batch->T;
    Tensor **found = arena_alloc(&tape->arena, (size_t)T * sizeof *found);
    model_begin(m, tape, batch);
    Tensor *y = embedding_forward(tape, &m->words, batch->target_input, T, batch->B);
    for (int t = 0; t < T; t++) {
        found[t] = model_advance(m, tape, op_index(tape, y, t));
    }
    Tensor *logits = linear_forward(tape, &m->out, op_stack(tape, found, T)); /* (T, B, V) */
    return op_cross_entropy(tape, logits, batch->target_output,
                            (CrossEntropy){.ignore = VOCAB_PAD});
}

/* Translating: it is given its own words. */
static DecoderOutput model_step(void *model, Tape *tape, const int *previous) {
    Model *m = model;
    Tensor *before = m->weights;
    Tensor *y = embedding_step(tape, &m->words, previous, m->s->dim[0]);
    Tensor *scores = linear_forward(tape, &m->out, model_advance(m, tape, y)); /* (B, V) */
    return (DecoderOutput){scores, run_broken(m->run, "shift_alignment") ? before : m->weights};
}

static Translator translator(Model *m) {
    return (Translator){m, &m->params, m->V, false, model_loss, model_begin, model_step};
}

/* ---- 3.1 ---- */

/* "the black cat" has been read: states for a pocket calculator. */
static const char *const words[] = {"the", "black", "cat"};
static const float cat_h[] = {-1, 0.5f, 0, -1, 1.5f, 1}; /* (1, 3, 2) */
static const float cat_s[] = {1, -0.5f};                 /* (1, 2) */

static void print_scores(Run *run, Tape *tape, Tensor *s, Tensor *h) {
    Tensor *w = tape_constant(tape, "W", (const float[]){0, 2, 1, 0}, SHAPE(2, 2));
    Tensor *w_both =
        tape_constant(tape, "W", (const float[]){1, 0, 1, 1, 0, -1, 0, 1}, SHAPE(2, 4));
    Tensor *v = tape_constant(tape, "v", (const float[]){2, 1}, SHAPE(2));
    Tensor *dot = score_dot(tape, s, h), *general = score_general(tape, w, s, h);
    Tensor *concat = score_concat(tape, w_both, v, s, concat_keys(tape, w_both, h));
    run_say(run, "How alike are two vectors? The shortest answer is their dot product. Three words "
                 "have been read and left a state each; the decoder has made its new state s:");
    run_matrix_labelled(run, "h", h->data, 3, 2, words, NULL);
    run_tensor(run, "s", s);
    run_say(run, "Multiply and add: for \"the\" that is 1 (-1) + (-0.5) 0.5 = %g.",
            (double)dot->data[0]);
    run_matrix_labelled(run, "dot: s . h", dot->data, 1, 3, NULL, words);
    run_say(run, "A matrix in between lets the decoder ask in a language of its own:");
    run_tensor(run, "W", w);
    run_matrix_labelled(run, "general: s . W h", general->data, 1, 3, NULL, words);
    run_say(run, "And with a layer of tanh it is Bahdanau's score again, of s and h joined:");
    run_tensor(run, "W", w_both);
    run_tensor(run, "v", v);
    run_matrix_labelled(run, "concat: v . tanh(W [s; h])", concat->data, 1, 3, NULL, words);
    claim_checked(run, "dot_by_hand", "dot scores -1.25, 0.5, 1: largest difference",
                  largest_difference(dot->data, (float[]){-1.25f, 0.5f, 1.0f}, 3), "<=", 1e-6);
    claim_checked(run, "general_by_hand", "general scores 1.5, -2, 1.25: largest difference",
                  largest_difference(general->data, (float[]){1.5f, -2.0f, 1.25f}, 3), "<=", 1e-6);
    claim_checked(run, "concat_by_hand", "concat score of cat differs from 2 tanh(3.5) + tanh(1.5)",
                  fabs((double)concat->data[2] - (2.0 * tanh(3.5) + tanh(1.5))), "<=", 1e-5);
}

/* One whole step after the score, and two checks of it that a --break turns red. */
static void print_step(Run *run, Model *m, Tape *tape, Tensor *s, Tensor *h) {
    const int three = 3, word = 5, next = 6;
    Tensor *after[2];
    for (int fed = 0; fed < 2; fed++) { /* the same step, but something else was found before */
        model_look_at(m, tape, h, &three, s);
        m->found->data[0] = (float)fed;
        model_step(m, tape, &word);
        after[fed] = m->s;
    }
    run_say(run,
            "From here on all three go the same way; a decoder with random weights and the "
            "dot product. It makes its new state s, asks, and joins what it finds with what it "
            "knows. The next word is read from h~, and h~ is part of the next input:");
    run_tensor(run, "s = GRU([y; h~ of the step before], s of the step before)", m->s);
    run_matrix_labelled(run, "a = softmax(s . h)", m->weights->data, 1, 3, NULL, words);
    run_tensor(run, "c = a_1 h_1 + a_2 h_2 + a_3 h_3", m->context);
    run_tensor(run, "h~ = tanh(W_c [c; s])", m->found);
    claim_checked(run, "input_feeding", "had it found something else before, s would move by",
                  largest_difference(after[0]->data, after[1]->data, 2), ">", 0.01);
    DecoderOutput second = model_step(m, tape, &next);
    Attended again = {op_matmul(tape, op_reshape(tape, second.weights, SHAPE(1, 1, 3)), h),
                      second.weights};
    claim_checked(run, "row_of_word", "the weights kept for word 2 give back its context, but for",
                  largest_difference(again.context->data, m->context->data, 2), "<=", 1e-6);
}

static void show_one_step(Run *run, void *context) {
    (void)context;
    Tape tape = tape_new();
    Model m;
    tape.recording = false;
    Tensor *h = tape_constant(&tape, "h", cat_h, SHAPE(1, 3, 2));
    Tensor *s = tape_constant(&tape, "s", cat_s, SHAPE(1, 2));
    model_declare(&m, run, 8, 8, 2, LUONG_DOT, 0, run_rng(run, "3.1 weights"));
    print_scores(run, &tape, s, h);
    print_step(run, &m, &tape, s, h);
    params_free(&m.params);
    tape_free(&tape);
}

/* ---- models compared on the phrases, each trained on the same batches ---- */

typedef struct Luong { /* the lesson */
    int score;         /* LuongScore of the window and of --data */
    int hidden;        /* H; E is half of it */
    int window;        /* D */
    float rate;
    OwnPairs own; /* --data */
} Luong;

enum { OLD = SCORES, WINDOW, MODELS }; /* a model for each score, and two more */

/* The first `models` of them with states of size H; aer: their alignment errors. */
static Contest compete(Run *run, const Luong *lesson, int H, int models, int steps, double *aer) {
    static const char *const names[] = {"dot", "general", "concat", "dot, old state", "window"};
    static Model model[MODELS];
    Contest contest = contest_new(
        task_phrases(run_size(run, 20000, 400), run_size(run, 500, 20), run->flags.seed));
    for (int i = 0; i < models; i++) {
        int score = i < SCORES ? i : i == OLD ? LUONG_DOT : lesson->score;
        model_declare(&model[i], run, contest.task.source->size, contest.task.target->size, H,
                      score, i == WINDOW ? lesson->window : 0, run_rng(run, "weights"));
        model[i].old_state = i == OLD;
        contest_add(&contest, names[i], translator(&model[i]));
    }
    TrainingPlan plan = {.steps = steps, .B = 64, .pool = 16, .rate = lesson->rate};
    plan.rng = run_rng(run, "batches");
    contest_train(run, &contest, plan);
    for (int i = 0; i < models; i++) {
        const Translations *forced = &contest.by[i].trial.forced;
        Aer rate = translations_alignment_error(forced, contest.task.phrases, 0);
        aer[i] = aer_rate(&rate);
    }
    return contest;
}

/* ---- 3.2 ---- */

/* Words with any weight at all, mean over the words written. */
static double words_seen(const Translations *list) {
    double seen = 0.0, rows = 0.0;
    for (int n = 0; n < list->count; n++) {
        rows += list->item[n].rows;
        for (int i = 0; i < list->item[n].rows * list->item[n].columns; i++) {
            seen += list->item[n].weights[i] > 0.0f;
        }
    }
    return seen / rows;
}

static void claim_phrases(Run *run, const Contest *all, const double *aer) {
    char id[32], text[64];
    for (int i = 0; i < MODELS; i++) {
        snprintf(id, sizeof id, "exact_%s", i == OLD ? "old" : all->by[i].label);
        snprintf(text, sizeof text, "%s: phrases all right, %%", all->by[i].label);
        claim_trained(run, id, text, all->by[i].exact, ">=", i < SCORES ? 0.95 : 0.8);
    }
    for (int i = 0; i < SCORES; i++) {
        snprintf(id, sizeof id, "aer_%s", all->by[i].label);
        snprintf(text, sizeof text, "%s: alignment error", all->by[i].label);
        claim_trained(run, id, text, aer[i], "<=", i == LUONG_CONCAT ? 0.15 : 0.06);
    }
    claim_trained(run, "aer_old", "asked by the old state it is greater than dot's, by",
                  aer[OLD] - aer[LUONG_DOT], ">", 0.01);
}

static void show_phrases(Run *run, void *context) {
    static const int lengths[] = {4, 8, 12};
    const Luong *lesson = context;
    double aer[MODELS];
    run_say(run,
            "English to French, the phrases of lesson 02. Does the simplest score do worse? Two "
            "more models take part. \"dot, old state\" asks before it makes its new state, as "
            "Bahdanau's does. \"window\" is Luong's local attention (%s score): the decoder first "
            "says where to look, and sees no more than %d words to either side of that place.",
            score_names[lesson->score], lesson->window);
    Contest all = compete(run, lesson, lesson->hidden, MODELS, run_steps(run, 1000, 3), aer);
    double seen = words_seen(&all.by[WINDOW].trial.forced);
    int chosen[1],
        count = sheet_choose_phrases(all.task.phrases, all.task.held_out->count, 1, chosen);
    contest_table(run, &all, "alignment error", aer);
    contest_by_length(run, &all, lengths, 3, 0, "phrases_by_length",
                      "Phrases: exact match by length");
    contest_plot(run, &all, "phrases_learning", "Phrases: learning curves");
    contest_sheet(run, &all, chosen, count, "alignment.png", "One phrase, five ways to look");
    claim_phrases(run, &all, aer);
    claim_checked(run, "window_size", "window: words seen at a time, mean", seen,
                  "<=", 2.0 * lesson->window + 1.0);
    run_say(run,
            "The window let %.1f words through at a time, however long the source; the others "
            "look at all of them, %.1f here.",
            seen, words_seen(&all.by[LUONG_DOT].trial.forced));
    if (all.by[LUONG_DOT].exact > 0.9 && all.by[OLD].exact > 0.9) {
        run_say(run,
                "So the score needs no network of its own here. What counts is who asks: the new "
                "state has read the last word written, the old one has not. The old one gets "
                "%.0f %% of the phrases right all the same, with %.3f of its links wrong instead "
                "of %.3f.",
                100.0 * all.by[OLD].exact, aer[OLD], aer[LUONG_DOT]);
    }
    contest_free(&all);
}

/* ---- 3.3 ---- */

static void show_quality_by_size(Run *run, const Luong *lesson) {
    enum { SIZES = 4 };
    double H[SIZES], exact[SCORES][SIZES], aer[SCORES];
    int steps = run_steps(run, 300, 2), sizes = run_size(run, SIZES, 1);
    run_table(run, "H\tdot\tgeneral\tconcat\tAER: dot\tgeneral\tconcat");
    for (int k = 0; k < sizes && !run_stopped(run); k++) {
        H[k] = 16 << k;
        Contest three = compete(run, lesson, 16 << k, SCORES, steps, aer);
        for (int i = 0; i < SCORES; i++) {
            exact[i][k] = three.by[i].exact;
        }
        run_table_row(run, "%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f", 16 << k, exact[0][k],
                      exact[1][k], exact[2][k], aer[0], aer[1], aer[2]);
        contest_free(&three);
    }
    run_table_end(run);
    Plot plot = {.name = "quality_by_size",
                 .title = "Phrases all right after a short training",
                 .x_label = "size of the states H",
                 .y_label = "exact match, held out",
                 .x_log = true,
                 .y_max = 1.0};
    if (sizes == SIZES && !run_stopped(run)) {
        run_lines(run, plot, score_names, SCORES, H, exact[0], SIZES);
        double best = fmax(exact[LUONG_DOT][SIZES - 1], exact[LUONG_GENERAL][SIZES - 1]);
        claim_trained(run, "size_128",
                      "H = 128: concat has more phrases right than the better of "
                      "dot and general, by %",
                      exact[LUONG_CONCAT][SIZES - 1] - best, "<", 0.1);
    }
}

static void show_cost(Run *run, void *context) {
    enum { B = 32, S = 30, D64 = 2 };
    run_say(run,
            "What does a score cost? Counted are the multiply-adds of one step of the decoder, %d "
            "sentences of %d words, all vectors of size d; a tanh counts as one:",
            B, S);
    ScoreCosts costs = score_costs_show(run, B, S);
    double ratio = costs.seconds[WAY_ADDITIVE][D64] / costs.seconds[WAY_DOT][D64];
    run_say(run,
            "A dot product needs as many as there are numbers in the states. The additive score "
            "pays for turning the question (d times d) and for a tanh per number, and far more "
            "if the keys are not turned once per sentence but at every step. In seconds, on this "
            "machine, at d = 64: %.1f times as long as dot (all sizes: timing_score_cost.png).",
            ratio);
    claim_checked(run, "additive_count", "d = 64: multiply-adds of additive over those of dot",
                  costs.adds[WAY_ADDITIVE][D64] / costs.adds[WAY_DOT][D64], ">", 2.0);
    claim_timing(run, "additive_time", "d = 64: time of additive over that of dot", ratio, ">",
                 2.0);
    run_say(run, "What dot cannot do is compare vectors of different size. Let s have 4 numbers "
                 "and h 6:");
    claim_checked(run, "sizes", "scores that cope with s of size 4 and h of size 6",
                  scores_that_cope(run, 4, 6), "==", 2.0);
    run_say(run, "And the quality? The same phrases, a short training, states of size H:");
    show_quality_by_size(run, context);
}

/* ---- 3.4 ---- */

/* The scores are divided by d to the power of ... */
enum { PLAIN, SCALED, FLAT, SCALES };

static void show_sharpness(Run *run, float root) {
    enum { KEYS = 32, LAST = SCALE_SIZES - 1 };
    ScoreScale scales[SCALES] = {{.name = "not scaled"},
                                 {.name = "by 1/sqrt(d)", .power = root},
                                 {.name = "by 1/d", .power = 1.0f}};
    double worst = 0.0;
    run_say(run,
            "A sum of d products of numbers from N(0, 1) has the variance d: the longer the "
            "vectors, the larger their dot products. What does softmax make of that, with %d keys?",
            KEYS);
    softmax_scale_compare(run, scales, SCALES, KEYS, run_size(run, 1500, 400));
    for (int k = 0; k < SCALE_SIZES; k++) {
        worst = fmax(worst, fabs(scales[PLAIN].at[k].variance / (4 << 2 * k) - 1.0));
    }
    const SoftmaxScale *plain = &scales[PLAIN].at[LAST], *scaled = &scales[SCALED].at[LAST],
                       *flat = &scales[FLAT].at[LAST];
    claim_checked(run, "variance_is_d", "not scaled: variance differs from d by at most, %", worst,
                  "<", 0.08);
    claim_checked(run, "scaled_variance", "scaled: variance at d = 1024", scaled->variance, "<",
                  1.1);
    claim_checked(run, "unscaled_sharp", "not scaled: largest weight at d = 1024", plain->largest,
                  ">", 0.9);
    claim_checked(run, "scaled_soft", "scaled: largest weight at d = 1024", scaled->largest, "<",
                  0.25);
    claim_checked(run, "too_flat", "by 1/d: largest weight at d = 1024 (all alike: 0.031)",
                  flat->largest, "<", 0.05);
    claim_checked(run, "median_gradient", "not scaled: median gradient at d = 1024",
                  plain->gradient_median, "<", 1e-3);
    claim_checked(run, "mean_gradient", "not scaled: mean gradient at d = 1024",
                  plain->gradient_mean, ">", 0.01);
    run_say(run,
            "Said often: \"without the scale the gradient vanishes\". Not so on average. At d = "
            "1024 the median is %.1e, but the mean %.2f: now and then two keys are almost equally "
            "good, and there the gradient is large. Dividing by d itself is no cure: with a "
            "largest weight of %.2f all %d keys look nearly alike.",
            plain->gradient_median, plain->gradient_mean, flat->largest, KEYS);
}

static void show_scaled_training(Run *run, const Luong *lesson, float root) {
    static const int d_k[] = {16, 256, 1024};
    static const char *const names[] = {"scaled", "not scaled"};
    int steps = run_steps(run, 800, 4), sizes = run_size(run, COUNT_OF(d_k), 1);
    double reached[COUNT_OF(d_k)][2];
    AssociativePlan plan = {.pairs = 16, .keys = 64, .values = 10, .d_model = 64, .B = 64};
    plan.steps = steps;
    plan.check_every = (steps + 99) / 100;
    plan.test = run_size(run, 512, 32);
    plan.rate = lesson->rate;
    run_say(run,
            "Now trained, with queries and keys of size d_k: %d pairs are shown, one key is asked "
            "for, its value is to be named.",
            plan.pairs);
    associative_compare(run, plan, d_k, sizes, (const float[]){root, 0.0f}, names, reached,
                        "scale_learning");
    if (sizes < COUNT_OF(d_k)) {
        return;
    }
    double without = isnan(reached[1][1]) ? steps : reached[1][1]; /* at least so many */
    claim_trained(run, "scale_speeds", "d_k = 256: steps without the scale over steps with it",
                  without / reached[1][0], ">=", 2.0);
    if (!isnan(reached[2][1])) {
        run_say(run,
                "Without the scale learning is slower, but it does not fail: even with "
                "d_k = 1024 it got there, after %.0f steps.",
                reached[2][1]);
    }
}

static void show_scale(Run *run, void *context) {
    float root = run_broken(run, "no_scale") ? 0.0f : 0.5f;
    show_sharpness(run, root);
    show_scaled_training(run, context, root);
}

/* ---- 3.5 ---- */

static void show_own(Run *run, void *context) {
    const Luong *lesson = context;
    const PairData *data = &lesson->own.data;
    if (own_pairs_given(run, &lesson->own)) {
        Model m;
        model_declare(&m, run, data->source_vocab->size, data->target_vocab->size,
                      2 * lesson->hidden, lesson->score, 0, run_rng(run, "3.5 weights"));
        Translator own = translator(&m);
        own_pairs_study(run, &lesson->own, &own, lesson->rate, run_rng(run, "3.5 batches"),
                        "own_alignment.png");
        params_free(&m.params);
    }
}

static bool validate(Run *run, void *context, Error *error) {
    Luong *lesson = context;
    if (lesson->hidden % 2 != 0) {
        snprintf(error->text, sizeof error->text,
                 "--hidden must be even, not %d: half of it for each direction", lesson->hidden);
        return false;
    }
    return own_pairs_load(&lesson->own, run, error);
}

int main(int argc, char **argv) {
    Luong lesson = {LUONG_GENERAL, .hidden = 64, .window = 3, .rate = 3e-3f, own_pairs_new()};
    const Option options[] = {
        OPTION_CHOICE("score", 0, &lesson.score, score_names, "of the window and of --data"),
        OPTION_INT("hidden", 'H', &lesson.hidden, 2, 1024, "size of the states, even"),
        OPTION_INT("window", 'D', &lesson.window, 1, 50, "words local attention sees each side"),
        OPTION_FLOAT("rate", 0, &lesson.rate, 1e-6, 1, "learning rate"),
        OWN_PAIRS_OPTIONS(lesson.own),
    };
    const Step steps[] = {
        {"3.1", "Three scores by hand", show_one_step, NULL},
        {"3.2", "Translation with each of them, and in a window", show_phrases, NULL},
        {"3.3", "What a score costs", show_cost, NULL},
        {"3.4", "Why the product is scaled", show_scale, NULL},
        {"3.5", "Your own sentences", show_own, NULL},
    };
    const Mistake mistakes[] = {
        {"no_scale", "the scores are never divided by sqrt(d)"},
        {"shift_alignment", "each word is shown with the weights of the word before"},
        {"no_input_feeding", "the decoder is not told what it found at the step before"},
    };
    const Lesson about = {
        .number = "03",
        .name = "luong",
        .title = "A dot product is enough",
        .question = "Does the score need a network of its own?",
        .duration = "about 40 s",
        .steps = steps,
        .step_count = COUNT_OF(steps),
        .mistakes = mistakes,
        .mistake_count = COUNT_OF(mistakes),
        .options = options,
        .option_count = COUNT_OF(options),
        .examples = "--only 3.2 --score dot --window 2\n--break no_scale\n--only 3.5 --data "
                    "pairs.tsv",
        .context = &lesson,
        .validate = validate,
    };
    int code = walkthrough_run(&about, argc, argv);
    own_pairs_free(&lesson.own);
    return code;
}
