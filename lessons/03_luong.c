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
 * You will see one step in numbers (3.1), translation with each score and with a window instead of
 * the whole source (3.2), what a score costs (3.3), why a dot product of long vectors is scaled
 * (3.4), and your own sentences (3.5). It takes about 40 seconds; with --quick two.
 *
 * B batch, S source and T target length, E embedding, H states, V vocabulary; D, A: any size. */
#include "core/measure.h"
#include "lesson/experiments/alignment_sheet.h"
#include "lesson/experiments/associative.h"
#include "lesson/experiments/contest.h"
#include "lesson/experiments/looking.h"
#include "lesson/experiments/luong_table.h"
#include "lesson/experiments/own_pairs.h"
#include "lesson/experiments/score_cost.h"
#include "lesson/experiments/seq2seq.h"
#include "lesson/experiments/softmax_scale.h"
#include "lesson/lesson.h"
#include "nn/attention.h"
#include "nn/local_attention.h"
#include "notes/03_luong.h"

#include <math.h>

/* ---- the new idea: three scores, each for states s (B, D) and h (B, S, D) -> (B, S) ---- */

/* Exercise 3.1. s . h_i: one number for each word of the source. */
Tensor *score_dot(Tape *tape, Tensor *s, Tensor *h) {
    int B = h->dim[0], S = h->dim[1], D = s->dim[1];
    Tensor *products = op_matmul_nt(tape, op_reshape(tape, s, SHAPE(B, 1, D)), h); /* (B, 1, S) */
    return op_reshape(tape, products, SHAPE(B, S));
}

/* Exercise 3.2. s . W h_i = (s W) . h_i with w (Ds, Dh): turn the one question, not the S words. */
Tensor *score_general(Tape *tape, Tensor *w, Tensor *s, Tensor *h) {
    return score_dot(tape, op_matmul(tape, s, w), h);
}

/* Exercise 3.3. v . tanh(W [s; h_i]) with w (A, Ds + Dh) and v (A). W [s; h] = W_1 s + W_2 h, so
 * the half that belongs to the words is done once per sentence: keys (B, S, A). */
Tensor *concat_keys(Tape *tape, Tensor *w, Tensor *h) {
    int all = tensor_cols(w);
    return op_linear(tape, h, op_slice_last(tape, w, all - tensor_cols(h), all), NULL);
}

/* Exercise 3.3. The other half, and the rest of it as in lesson 02. */
Tensor *score_concat(Tape *tape, Tensor *w, Tensor *v, Tensor *s, Tensor *keys) {
    Tensor *q = op_linear(tape, s, op_slice_last(tape, w, 0, tensor_cols(s)), NULL); /* (B, A) */
    return op_additive_score(tape, q, keys, v);
}

/* ---- the decoder around it; encoder, training and translating are those of lesson 02 ---- */

static const char *const score_names[] = {"dot", "general", "concat", NULL};
enum { OLD = 3, WINDOW, MODELS, SCORES = OLD }; /* compared: one for each score, and two more */

typedef struct Model {
    Seq2seq base;         /* must come first; base.h are the states of the encoder, (B, S, H) */
    const Run *run;       /* knows about --break */
    bool old_state;       /* asks with s_{t-1}, as Bahdanau does, instead of s_t */
    LuongAttention score; /* which, and its weights */
    float factor;         /* of the scores: 1, or 1 / sqrt(H); see 3.4 */
    LocalAttention local; /* says where to look; D = 0: sees everything */
    Gru decoder;          /* E + H -> H */
    Linear combine;       /* 2 H -> H: W_c */

    /* of the batch in hand */
    Tensor *keys;                /* (B, S, H): what concat makes of the encoder's states */
    Tensor *s, *context, *found; /* (B, H) each: s_t, c, h~_t */
    Tensor *weights;             /* (B, S) */
} Model;

/* Once per sentence. */
static void model_look_at(Seq2seq *base, Tape *tape, Tensor *first) {
    Model *m = (Model *)base;
    m->keys = m->score.score == LUONG_CONCAT ? concat_keys(tape, m->score.w, base->h) : NULL;
    m->s = first;
    m->found = tape_constant(tape, "h~", NULL, SHAPE(base->h->dim[0], base->H));
    m->weights = base->weights;
}

static Tensor *model_weights(const Model *m, Tape *tape, Tensor *s) {
    const LuongAttention *by = &m->score;
    Tensor *scores = by->score == LUONG_DOT       ? score_dot(tape, s, m->base.h)
                     : by->score == LUONG_GENERAL ? score_general(tape, by->w, s, m->base.h)
                                                  : score_concat(tape, by->w, by->v, s, m->keys);
    scores = op_scale(tape, scores, m->factor);
    if (m->local.D == 0) {
        return op_masked_softmax(tape, scores, &m->base.mask);
    }
    Tensor *place = local_attention_place(tape, &m->local, s);
    return local_attention_weights(tape, m->local.D, scores, place, m->base.length);
}

/* Exercise 2.2. c = sum_i a_i h_i, from weights (B, S) and states h (B, S, H): (B, 1, H). */
static Tensor *mixture(Tape *tape, Tensor *weights, Tensor *h) {
    return op_matmul(tape, op_reshape(tape, weights, SHAPE(h->dim[0], 1, h->dim[1])), h);
}

/* One step of the decoder: from the last word y (B, E) to h~ (B, H). */
static Tensor *model_advance(Seq2seq *base, Tape *tape, Tensor *y) {
    Model *m = (Model *)base;
    int B = base->h->dim[0], H = base->H;
    bool fed = !run_broken(m->run, "no_input_feeding");
    Tensor *old = m->s, *weights_before = m->weights;
    Tensor *found = fed ? m->found : tape_constant(tape, "zero", NULL, SHAPE(B, H));
    m->s = gru_step_fused(tape, &m->decoder, op_concat(tape, 1, (Tensor *[]){y, found}, 2), m->s);
    m->weights = model_weights(m, tape, m->old_state ? old : m->s);
    m->context = op_reshape(tape, mixture(tape, m->weights, base->h), SHAPE(B, H));
    Tensor *both = op_concat(tape, 1, (Tensor *[]){m->context, m->s}, 2);
    m->found = op_tanh(tape, linear_forward(tape, &m->combine, both));
    base->weights = run_broken(m->run, "shift_alignment") ? weights_before : m->weights;
    return m->found;
}

static Translator model_new(Model *m, const Run *run, int V_source, int V, int E, int score,
                            int window, Rng rng) {
    int H = 2 * E;
    *m = (Model){.base = seq2seq_new(V_source, V, E, H), .run = run, .factor = 1.0f};
    Params *params = &m->base.params;
    m->base.look_at = model_look_at;
    m->base.advance = model_advance;
    m->score = luong_new(params, "score", (LuongScore)score, H, H, H);
    m->local = window > 0 ? local_attention_new(params, "local", H, window) : (LocalAttention){0};
    m->decoder = gru_new(params, "decoder", E + H, H, 0.0f);
    m->combine = linear_new(params, "combine", 2 * H, H, false);
    params_allocate(params, &rng);
    return seq2seq_translator(&m->base);
}

/* ---- 3.1 ---- */

/* "the black cat" has been read: states for a pocket calculator. */
static const char *const words[] = {"the", "black", "cat"};
static const float cat_h[] = {-1, 0.5f, 0, -1, 1.5f, 1}, cat_s[] = {1, -0.5f}; /* (3, 2), (2) */
static const float cat_w[] = {0, 2, 1, 0}, cat_both[] = {1, 0, 1, 1, 0, -1, 0, 1}, cat_v[] = {2, 1};

static void print_scores(Run *run, Tape *tape, Tensor *s, Tensor *h) {
    Tensor *w = tape_constant(tape, "W", cat_w, SHAPE(2, 2));
    Tensor *both = tape_constant(tape, "W", cat_both, SHAPE(2, 4));
    Tensor *v = tape_constant(tape, "v", cat_v, SHAPE(2));
    Tensor *dot = score_dot(tape, s, h), *general = score_general(tape, w, s, h);
    Tensor *concat = score_concat(tape, both, v, s, concat_keys(tape, both, h));
    run_say(run, "How alike are two vectors? The shortest answer is their dot product. Three words "
                 "have been read and left a state each; the decoder has made its new state s:");
    run_matrix_labelled(run, "h", h->data, 3, 2, words, NULL);
    run_tensor(run, "s", s);
    run_say(run, "Multiply and add; \"the\": 1 (-1) + (-0.5) 0.5 = %g.", (double)dot->data[0]);
    run_matrix_labelled(run, "dot: s . h", dot->data, 1, 3, NULL, words);
    run_say(run, "A matrix in between lets the decoder ask in a language of its own:");
    run_tensor(run, "W", w);
    run_matrix_labelled(run, "general: s . W h", general->data, 1, 3, NULL, words);
    run_say(run, "And with a layer of tanh it is Bahdanau's score again, of s and h joined:");
    run_tensor(run, "W", both);
    run_tensor(run, "v", v);
    run_matrix_labelled(run, "concat: v . tanh(W [s; h])", concat->data, 1, 3, NULL, words);
    claim_checked(run, "dot_by_hand", "dot: cat by hand 1*1.5 - 0.5*1, difference",
                  fabs((double)dot->data[2] - 1.0), "<=", 1e-6);
    claim_checked(run, "general_by_hand", "general: cat by hand 1*2 - 0.5*1.5, difference",
                  fabs((double)general->data[2] - 1.25), "<=", 1e-6);
    claim_checked(run, "concat_by_hand", "concat: cat by hand 2 tanh(3.5) + tanh(1.5), difference",
                  fabs((double)concat->data[2] - (2.0 * tanh(3.5) + tanh(1.5))), "<=", 1e-5);
}

/* One whole step after the score, and two checks of it that a --break turns red. */
static void print_step(Run *run, Translator *translator, Tape *tape, Tensor *s, Tensor *h) {
    Model *m = translator->model;
    Tensor *after[2];
    const int three = 3, word = 5, next = 6;
    for (int fed = 0; fed < 2; fed++) { /* the same step, but something else was found before */
        seq2seq_look_at(&m->base, tape, h, &three, s);
        m->found->data[0] = (float)fed;
        translator->step(m, tape, &word);
        after[fed] = m->s;
    }
    run_say(run, "From here on all three go the same way; here with dot, in a decoder with random "
                 "weights. It makes its new state s, asks, and joins what it finds with what it "
                 "knows. The next word is read from h~, and h~ is part of the next input:");
    run_tensor(run, "s = GRU([y; h~ of the step before], s of the step before)", m->s);
    run_matrix_labelled(run, "a = softmax(s . h)", m->weights->data, 1, 3, NULL, words);
    run_tensor(run, "c = a_1 h_1 + a_2 h_2 + a_3 h_3", m->context);
    run_tensor(run, "h~ = tanh(W_c [c; s])", m->found);
    claim_checked(run, "input_feeding", "had it found something else before, s would move by",
                  largest_difference(after[0]->data, after[1]->data, 2), ">", 0.001);
    Tensor *again = mixture(tape, translator->step(m, tape, &next).weights, h);
    claim_checked(run, "row_of_word", "the weights kept for word 2 give back its context, but for",
                  largest_difference(again->data, m->context->data, 2), "<=", 1e-6);
}

static void show_one_step(Run *run, void *context) {
    (void)context;
    Tape tape = tape_new();
    Model m;
    tape.recording = false;
    Tensor *h = tape_constant(&tape, "h", cat_h, SHAPE(1, 3, 2));
    Tensor *s = tape_constant(&tape, "s", cat_s, SHAPE(1, 2));
    Translator translator = model_new(&m, run, 8, 8, 1, LUONG_DOT, 0, run_rng(run, "3.1 weights"));
    print_scores(run, &tape, s, h);
    print_step(run, &translator, &tape, s, h);
    params_free(&m.base.params);
    tape_free(&tape);
}

/* ---- models compared on the phrases, each trained on the same batches ---- */

typedef struct Luong {            /* the lesson */
    int score, embedding, window; /* of 3.2's window and of --data; E, H is twice that; D */
    float rate;
    OwnPairs own; /* --data */
} Luong;

/* The first `models` of them with words of size E; aer: their alignment errors. */
static Contest compete(Run *run, const Luong *lesson, int E, int models, int steps, double *aer) {
    static const char *const names[] = {"dot", "general", "concat", "old state", "window"};
    static Model model[MODELS];
    Contest contest = contest_new(
        task_phrases(run_size(run, 20000, 400), run_size(run, 500, 20), run->flags.seed));
    const Task *task = &contest.task;
    for (int i = 0; i < models; i++) {
        int score = i < SCORES ? i : i == OLD ? LUONG_DOT : lesson->score;
        contest_add(&contest, names[i],
                    model_new(&model[i], run, task->source->size, task->target->size, E, score,
                              i == WINDOW ? lesson->window : 0, run_rng(run, "weights")));
        model[i].old_state = i == OLD;
    }
    TrainingPlan plan = {.steps = steps, .B = 64, .pool = 16, .rate = lesson->rate};
    plan.rng = run_rng(run, "batches");
    contest_train(run, &contest, plan);
    for (int i = 0; i < models; i++) {
        aer[i] = translations_alignment_rate(&contest.by[i].trial.forced, task->phrases, 0);
    }
    return contest;
}

/* ---- 3.2 ---- */

static void claim_phrases(Run *run, const Contender *by, const double *aer) {
    claim_trained(run, "dot", "dot: phrases right, %", by[0].exact, ">=", 0.95);
    claim_trained(run, "general", "general: phrases right, %", by[1].exact, ">=", 0.95);
    claim_trained(run, "concat", "concat: phrases right, %", by[2].exact, ">=", 0.95);
    claim_trained(run, "old", "old state: phrases right, %", by[OLD].exact, ">=", 0.9);
    claim_trained(run, "window", "window: phrases right, %", by[WINDOW].exact, ">=", 0.9);
    claim_trained(run, "aer_dot", "dot: alignment error", aer[0], "<=", 0.06);
    claim_trained(run, "aer_general", "general: alignment error", aer[1], "<=", 0.06);
    claim_trained(run, "aer_concat", "concat: alignment error", aer[2], "<=", 0.1);
    claim_trained(run, "aer_old", "alignment error, old less dot", aer[OLD] - aer[0], ">", 0.005);
}

static void show_phrases(Run *run, void *context) {
    const Luong *lesson = context;
    int steps = run_steps(run, 1000, 3), bounds[] = {4, 8, 12}, chosen[1];
    double aer[MODELS];
    run_say(run,
            "English to French, the phrases of lesson 02. Does the simplest score do worse? Two "
            "more models take part. \"Old state\" is dot, but asks before it has made its new "
            "state, as Bahdanau's does. \"Window\" is Luong's local attention (%s score): the "
            "decoder says where to look and sees no more than %d words to either side of there.",
            score_names[lesson->score], lesson->window);
    Contest all = compete(run, lesson, lesson->embedding, MODELS, steps, aer);
    const Contender *by = all.by;
    double seen = translations_words_seen(&by[WINDOW].trial.forced);
    int count = sheet_choose_phrases(all.task.phrases, by[0].trial.forced.count, 1, chosen);
    contest_table(run, &all, "alignment error", aer);
    luong_table_show(run, &all, aer, WINDOW, lesson->score);
    contest_by_length(run, &all, bounds, 3, 0, "phrases_by_length", "Phrases: by length");
    contest_plot(run, &all, "phrases_learning", "Phrases: learning curves");
    contest_sheet(run, &all, chosen, count, "alignment.png", "One phrase, five ways to look");
    claim_phrases(run, by, aer);
    claim_checked(run, "window_size", "window: words seen", seen, "<=", 2.0 * lesson->window + 1.0);
    run_conclude(run,
                 "The score needs no network of its own here. Who asks matters more: the new state "
                 "has read the word written last, the old one has not, and looks past the right "
                 "word more often (%.3f, not %.3f). Not so: \"then it translates badly\": %.0f %% "
                 "are right. And a window of %.1f words does nearly as well as all %.1f.",
                 aer[OLD], aer[0], 100.0 * by[OLD].exact, seen,
                 translations_words_seen(&by[0].trial.forced));
    contest_free(&all);
}

/* ---- 3.3 ---- */

static void show_quality_by_size(Run *run, const Luong *lesson) {
    enum { SIZES = 4 };
    double aer[SCORES], ahead = 0.0;
    int steps = run_steps(run, 300, 2), sizes = run_size(run, SIZES, 1);
    run_say(run, "And the quality? The same phrases, a short training, states of size H:");
    run_table(run, "H\tdot\tgeneral\tconcat\tAER: dot\tgeneral\tconcat");
    for (int k = 0; k < sizes && !run_stopped(run); k++) {
        Contest three = compete(run, lesson, 8 << k, SCORES, steps, aer);
        double dot = three.by[0].exact, general = three.by[1].exact, concat = three.by[2].exact;
        ahead = concat - fmax(dot, general);
        run_table_row(run, "%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f", 16 << k, dot, general, concat,
                      aer[0], aer[1], aer[2]);
        contest_free(&three);
    }
    run_table_end(run);
    claim_trained(run, "size_128", "H = 128: phrases right, concat less the better other, %", ahead,
                  "<", 0.1);
}

static void show_cost(Run *run, void *context) {
    enum { B = 32, S = 30, D64 = 2 };
    run_say(run,
            "What does a score cost? Counted are the multiply-adds of one step of the decoder, %d "
            "sentences of %d words, all vectors of size d; a tanh counts as one:",
            B, S);
    ScoreCosts costs = score_costs_show(run, B, S);
    double adds = costs.adds[WAY_ADDITIVE][D64] / costs.adds[WAY_DOT][D64];
    double time = costs.seconds[WAY_ADDITIVE][D64] / costs.seconds[WAY_DOT][D64];
    run_say(run, "A dot product needs as many as there are numbers in the states. The additive "
                 "score pays for turning the question (d times d) and for a tanh per number, and "
                 "far more where the keys are turned at every step, not once per sentence.");
    claim_checked(run, "additive_count", "d = 64: multiply-adds, additive over dot", adds, ">", 2);
    claim_timing(run, "additive_time", "d = 64: seconds, additive over dot", time, ">", 2);
    run_say(run, "What dot cannot do is compare vectors of different size. Let s have 4 numbers "
                 "and h 6:");
    claim_checked(run, "sizes", "scores that cope with that", scores_that_cope(run, 4, 6), "==", 2);
    show_quality_by_size(run, context);
}

/* ---- 3.4 ---- */

static void show_scaled_training(Run *run, float root) {
    static const int d_k[] = {16, 256, 1024};
    static const char *const names[] = {"scaled", "not scaled"};
    int steps = run_steps(run, 1000, 4), sizes = run_size(run, 3, 1);
    double reached[3][2] = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}};
    AssociativePlan plan = associative_plan(steps, run_size(run, 256, 32));
    run_say(run, "Now trained: 16 pairs are shown, one key is asked for, its value is to be named. "
                 "Queries and keys are of size d_k.");
    associative_compare(run, plan, d_k, sizes, (const float[]){root, 0.0f}, names, reached,
                        "scale_learning");
    claim_trained(run, "slower", "d_k = 256: steps without the scale over steps with it",
                  reached[1][1] / reached[1][0], ">=", 2);
    claim_trained(run, "learns", "d_k = 1024, not scaled: 95 % at step", reached[2][1],
                  "<=", steps);
    run_conclude(run, "Without the scale learning is slower, the more so the longer the vectors. "
                      "It does not fail.");
}

static void show_scale(Run *run, void *context) {
    enum { PLAIN, SCALED, FLAT, SCALES, KEYS = 32, LAST = SCALE_SIZES - 1 };
    float root = run_broken(run, "no_scale") ? 0.0f : 0.5f; /* divide by d to the power of that */
    (void)context;
    ScoreScale scales[SCALES] = {{.name = "not scaled"},
                                 {.name = "by 1/sqrt(d)", .power = root},
                                 {.name = "by 1/d", .power = 1}};
    double off = 0.0;
    run_say(run,
            "A sum of d products of numbers from N(0, 1) has the variance d: the longer the "
            "vectors, the larger their dot products. What does softmax make of that, with %d keys?",
            KEYS);
    softmax_scale_compare(run, scales, SCALES, KEYS, run_size(run, 1500, 800));
    for (int k = 0; k < SCALE_SIZES; k++) {
        off = fmax(off, fabs(scales[PLAIN].at[k].variance / (4 << 2 * k) - 1.0));
    }
    const SoftmaxScale *plain = &scales[PLAIN].at[LAST], *scaled = &scales[SCALED].at[LAST];
    double flat = scales[FLAT].at[LAST].largest, median = plain->gradient_median;
    claim_checked(run, "variance", "not scaled: variance differs from d by, %", off, "<", 0.08);
    run_say(run, "With d = %d:", 4 << 2 * LAST);
    claim_checked(run, "scaled_variance", "scaled: variance", scaled->variance, "<", 1.1);
    claim_checked(run, "sharp", "not scaled: largest weight", plain->largest, ">", 0.9);
    claim_checked(run, "soft", "scaled: largest weight", scaled->largest, "<", 0.25);
    claim_checked(run, "flat", "by 1/d: largest weight (all alike: 0.031)", flat, "<", 0.05);
    claim_checked(run, "median", "not scaled: median gradient", median, "<", 1e-3);
    claim_checked(run, "mean", "not scaled: mean gradient", plain->gradient_mean, ">", 0.01);
    run_say(run,
            "Said often: \"without the scale the gradient vanishes\". Not so on average. The "
            "median is %.1e, but the mean %.2f: now and then two keys are almost equally good, "
            "and there the gradient is large. Dividing by d itself is no cure: with a largest "
            "weight of %.2f all %d keys look nearly alike.",
            median, plain->gradient_mean, flat, KEYS);
    show_scaled_training(run, root);
}

/* ---- 3.5 ---- */

static void show_own(Run *run, void *context) {
    Luong *lesson = context;
    const PairData *data = &lesson->own.data;
    if (own_pairs_given(run, &lesson->own)) {
        Model m;
        Translator translator =
            model_new(&m, run, data->source_vocab->size, data->target_vocab->size,
                      2 * lesson->embedding, lesson->score, 0, run_rng(run, "weights"));
        bool scaled = lesson->score != LUONG_CONCAT && !run_broken(run, "no_scale");
        m.factor = scaled ? 1.0f / sqrtf((float)m.base.H) : 1.0f;
        run_say(run, "All scores are multiplied by %.3f; see 3.4.", (double)m.factor);
        own_pairs_study(run, &lesson->own, &translator, lesson->rate, run_rng(run, "batches"),
                        "own_alignment.png");
        params_free(&m.base.params);
    }
}

static bool read_own_data(Run *run, void *context, Error *error) {
    return own_pairs_load(&((Luong *)context)->own, run, error);
}

int main(int argc, char **argv) {
    Luong lesson = {LUONG_GENERAL, .embedding = 32, .window = 3, .rate = 3e-3f, own_pairs_new()};
    const Option options[] = {
        OPTION_CHOICE("score", 0, &lesson.score, score_names, "of the window and of --data"),
        OPTION_INT("embedding", 'E', &lesson.embedding, 1, 512, "size of a word; states: twice"),
        OPTION_INT("window", 'D', &lesson.window, 1, 50, "words local attention sees each side"),
        OPTION_FLOAT("rate", 0, &lesson.rate, 1e-6, 1, "learning rate of the translators"),
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
        LESSON_TABLES(steps, mistakes, options),
        LESSON_NOTES(notes),
        .judged_with = "score embedding window rate",
        .examples = "--only 3.2 --window 2\n--break no_scale\n--only 3.5 --data pairs.tsv",
        .context = &lesson,
        .validate = read_own_data,
    };
    int code = walkthrough_run(&about, argc, argv);
    own_pairs_free(&lesson.own);
    return code;
}
