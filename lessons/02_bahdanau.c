/* Lesson 02. Let the decoder look back.
 *
 * An encoder reads a sentence word by word, a decoder writes its translation. Without attention,
 * all that the decoder ever learns of the sentence is the encoder's last state: one vector, a
 * bottleneck (Cho et al. 2014; Sutskever et al. 2014). Bahdanau, Cho and Bengio (2015) let it look
 * back, before each word it writes, at all states of the encoder:
 *
 *     e_i = v . tanh(W_q s + W_k h_i)      score: does source word i answer the question s?
 *     a   = softmax(e)                     weights: how the attention is shared out
 *     c   = sum_i a_i h_i                  context: what was found
 *     s'  = GRU([y; c], s)                 next state, from the last word y and the context
 *
 * s is the state of the decoder before it writes, h_i that of the encoder at source word i. Nobody
 * says where to look: the weights are learnt with all the rest, because looking helps.
 *
 * You will see one step in numbers (2.1), the bottleneck and its cure (2.2), pictures of where the
 * decoder looks, held against the truth (2.3, 2.4), and your own sentences (2.5). It takes about 30
 * seconds; with --quick about one.
 *
 * B batch, S source and T target length, V vocabulary, E embedding, H states, A = H in the score.
 */
#include "core/measure.h"
#include "lesson/experiments/alignment_sheet.h"
#include "lesson/experiments/contest.h"
#include "lesson/experiments/own_pairs.h"
#include "lesson/lesson.h"
#include "nn/encoder.h"
#include "nn/linear.h"
#include "notes/02_bahdanau.h"

#include <math.h>
#include <string.h>

enum { ONE_VECTOR, BOTH_WAYS, ONE_WAY, MODELS }; /* the models that are compared */

/* ---- the new idea ---- */

/* Exercise 2.1. e_i = v . tanh(q + k_i): q = W_q s (B, A), k_i = W_k h_i (B, S, A), v (1, A) ->
 * (B, S). Without the tanh: a mistake to try. */
Tensor *bahdanau_score(Tape *tape, Tensor *v, Tensor *q, Tensor *keys, bool with_tanh) {
    Tensor *sum = op_add_middle(tape, keys, q); /* the question meets every word: (B, S, A) */
    Tensor *hidden = with_tanh ? op_tanh(tape, sum) : sum;
    Tensor *scores = op_linear(tape, hidden, v, NULL); /* (B, S, 1) */
    return op_reshape(tape, scores, SHAPE(keys->dim[0], keys->dim[1]));
}

/* a = softmax(e) over the words of each sentence (B, S); padding is no word. The mistake: over the
 * sentences of the batch. */
Tensor *bahdanau_weights(Tape *tape, Tensor *scores, const Mask *mask, bool over_words) {
    return over_words ? op_masked_softmax(tape, scores, mask)
                      : op_transpose(tape, op_softmax(tape, op_transpose(tape, scores)));
}

/* Exercise 2.2. c = sum_i a_i h_i: one (1, S) times (S, H) for each sentence -> (B, H). */
Tensor *bahdanau_context(Tape *tape, Tensor *weights, Tensor *h) {
    int B = h->dim[0], S = h->dim[1], H = h->dim[2];
    Tensor *context = op_matmul(tape, op_reshape(tape, weights, SHAPE(B, 1, S)), h);
    return op_reshape(tape, context, SHAPE(B, H));
}

/* ---- the model around it ---- */

typedef struct Model {
    const Run *run; /* knows about --break */
    bool attention; /* false: the context is the encoder's last state, at every step */
    Params params;
    Encoder encoder;   /* GRU, one way or both ways, E -> H */
    Linear bridge;     /* H -> H: from the encoder's last state to the decoder's first */
    Tensor *w_q, *w_k; /* (A, H) */
    Tensor *v;         /* (1, A) */
    Embedding words;   /* (V, E) of the target */
    Gru decoder;       /* E + H -> H */
    Linear out;        /* 2 H -> V */

    /* of the batch in hand */
    Mask mask;       /* (B, 1, S): true = a word, may be looked at */
    Tensor *h;       /* (B, S, H) */
    Tensor *keys;    /* (B, S, A): k_i = W_k h_i */
    Tensor *last;    /* (B, H): the encoder's last state */
    Tensor *s;       /* (B, H): the decoder's state */
    Tensor *weights; /* (B, S) of the last step; NULL without attention */
} Model;

/* Once per sentence: the keys, and which of the states are words. */
static void look_prepare(Model *m, Tape *tape, Tensor *h, const int *length) {
    m->h = h;
    m->mask = mask_padding(&tape->arena, length, h->dim[0], h->dim[1]);
    m->keys = op_linear(tape, h, m->w_k, NULL);
    if (run_broken(m->run, "ignore_encoder")) {
        m->keys = op_scale(tape, m->keys, 0.0f);
    }
}

/* Once per target word: ask, weigh, fetch. The context (B, H). */
static Tensor *look_back(Model *m, Tape *tape) {
    Tensor *q = op_linear(tape, m->s, m->w_q, NULL);
    Tensor *e = bahdanau_score(tape, m->v, q, m->keys, !run_broken(m->run, "no_tanh"));
    const Mask *mask = run_broken(m->run, "no_pad_mask") ? NULL : &m->mask;
    m->weights = bahdanau_weights(tape, e, mask, !run_broken(m->run, "softmax_axis"));
    return bahdanau_context(tape, m->weights, m->h);
}

static void model_begin(void *model, Tape *tape, const Batch *batch) {
    Model *m = model;
    Encoded source =
        encoder_forward(tape, &m->encoder, batch->source, batch->source_length, batch->S, batch->B);
    m->last = source.last;
    m->s = op_tanh(tape, linear_forward(tape, &m->bridge, source.last));
    if (m->attention) {
        look_prepare(m, tape, source.states, batch->source_length);
    }
}

/* From the last word y (B, E) to what the next one is read from, [s'; c] (B, 2 H). */
static Tensor *model_advance(Model *m, Tape *tape, Tensor *y) {
    Tensor *c = m->attention ? look_back(m, tape) : m->last; /* all the difference there is */
    m->s = gru_step_fused(tape, &m->decoder, op_concat(tape, 1, (Tensor *[]){y, c}, 2), m->s);
    return op_concat(tape, 1, (Tensor *[]){m->s, c}, 2);
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
    Tensor *y = embedding_step(tape, &m->words, previous, m->s->dim[0]);
    Tensor *scores = linear_forward(tape, &m->out, model_advance(m, tape, y));
    return (DecoderOutput){scores, m->weights};
}

/* Fresh weights, and the model as training and evaluation see it. */
static Translator model_new(Model *m, const Run *run, int kind, int V_source, int V, int E,
                            Rng rng) {
    int H = 2 * E;
    *m = (Model){.run = run, .attention = kind != ONE_VECTOR, .params = params_new()};
    m->encoder = encoder_new(&m->params, "encoder", V_source, E, H, kind != ONE_WAY);
    m->bridge = linear_new(&m->params, "bridge", H, H, true);
    if (m->attention) {
        Init init = init_uniform(1.0f / sqrtf((float)H));
        m->w_q = params_add(&m->params, "attention", "w_q", init, SHAPE(H, H));
        m->w_k = params_add(&m->params, "attention", "w_k", init, SHAPE(H, H));
        m->v = params_add(&m->params, "attention", "v", init, SHAPE(1, H));
    }
    m->words = embedding_new(&m->params, "words", V, E);
    m->decoder = gru_new(&m->params, "decoder", E + H, H, 0.0f);
    m->out = linear_new(&m->params, "out", 2 * H, V, true);
    params_allocate(&m->params, &rng);
    return (Translator){.model = m,
                        .params = &m->params,
                        .V = V,
                        .loss = model_loss,
                        .begin = model_begin,
                        .step = model_step};
}

/* ---- 2.1 ---- */

/* Looks at the first S words of "the black cat", in B copies with `length` of them real; `change`
 * is added to the state of the last. Numbers for a pocket calculator. */
static Tensor *look_at_cat(Model *m, Tape *tape, int B, int S, const int *length, float change) {
    static const float states[] = {-1, 0.5f, 0, -1, 1, 1}; /* (3, 2) */
    Tensor *h = tape_constant(tape, "h", NULL, SHAPE(B, S, 2));
    for (int i = 0; i < 2 * B * S; i++) {
        h->data[i] = states[i % (2 * S)];
    }
    h->data[2 * S - 1] += change;
    m->s = tape_constant(tape, "s", (const float[]){1, -0.5f, 1, -0.5f}, SHAPE(B, 2));
    look_prepare(m, tape, h, length);
    return look_back(m, tape);
}

static void print_look(Run *run, Model *m, Tape *tape) {
    static const char *const words[] = {"the", "black", "cat"};
    Tensor *c = look_at_cat(m, tape, 1, 3, (const int[]){3}, 0.0f);
    Tensor *q = op_linear(tape, m->s, m->w_q, NULL);
    Tensor *sum, *hidden;
    /* Exercise 2.1 */
    sum = op_add_middle(tape, m->keys, q);
    hidden = op_tanh(tape, sum);
    /* End of exercise 2.1 */
    Tensor *e = bahdanau_score(tape, m->v, q, m->keys, !run_broken(m->run, "no_tanh"));
    run_say(run,
            "\"The black cat\" has been read, and each word has left a state h. \"Le\" has been "
            "written, and the decoder's state s is the question: what now? (H = A = 2.)");
    run_matrix_labelled(run, "h", m->h->data, 3, 2, words, NULL);
    run_tensor(run, "s", m->s);
    run_tensor(run, "W_q", m->w_q);
    run_tensor(run, "W_k", m->w_k);
    run_tensor(run, "v", m->v);
    run_say(run, "Question and words are brought to a common form, added, squeezed, and weighed:");
    run_tensor(run, "q = W_q s", q);
    run_matrix_labelled(run, "k = W_k h", m->keys->data, 3, 2, words, NULL);
    run_matrix_labelled(run, "q + k", sum->data, 3, 2, words, NULL);
    run_matrix_labelled(run, "tanh(q + k)", hidden->data, 3, 2, words, NULL);
    run_matrix_labelled(run, "e = v . tanh(q + k)", e->data, 1, 3, NULL, words);
    run_matrix_labelled(run, "a = softmax(e)", m->weights->data, 1, 3, NULL, words);
    run_tensor(run, "c = a_1 h_1 + a_2 h_2 + a_3 h_3", c);
    Tensor *found = model_advance(m, tape, embedding_step(tape, &m->words, (const int[]){1}, 1));
    run_say(run, "The context stands beside the last word as the input of an ordinary GRU, and the "
                 "next word is read from both (with weights as they come: this is a guess):");
    run_tensor(run, "[s'; c] with s' = GRU([y; c], s)", found);
    run_tensor(run, "probabilities", op_softmax(tape, linear_forward(tape, &m->out, found)));
    claim_checked(run, "score_by_hand", "the score of cat differs from 2 tanh(3) + tanh(1.5) by",
                  fabs((double)e->data[2] - (2.0 * tanh(3.0) + tanh(1.5))), "<=", 1e-5);
}

/* Mistakes that are easily made and hardly seen: a check for each, and a --break. */
static void check_look(Run *run, Model *m, Tape *tape) {
    look_at_cat(m, tape, 1, 3, (const int[]){3}, 0.0f);
    const float *before = m->weights->data;
    look_at_cat(m, tape, 1, 3, (const int[]){3}, -1.0f);
    claim_checked(run, "encoder_matters", "another state of cat moves a weight by",
                  largest_difference(before, m->weights->data, 3), ">", 0.05);
    Tensor *alone = look_at_cat(m, tape, 1, 2, (const int[]){2}, 0.0f);
    claim_checked(run, "weights_sum", "the weights of two words add up to 1, but for",
                  fabs((double)m->weights->data[0] + (double)m->weights->data[1] - 1.0),
                  "<=", 1e-6);
    Tensor *beside = look_at_cat(m, tape, 2, 3, (const int[]){2, 3}, 0.0f);
    run_say(run, "Sentences of a batch differ in length; the mask hides what is no word:");
    run_mask(run, "mask, 1 = may look: a sentence of 2 words, one of 3", &m->mask);
    claim_checked(run, "padding_invariance", "beside a longer sentence the context moves by",
                  largest_difference(alone->data, beside->data, 2), "<=", 1e-6);
}

static void show_one_step(Run *run, void *context) {
    (void)context;
    Tape tape = tape_new();
    Model m;
    tape.recording = false;
    model_new(&m, run, BOTH_WAYS, 10, 4, 1, run_rng(run, "2.1 weights"));
    memcpy(m.w_q->data, (const float[]){1, 0, 0, -1}, 4 * sizeof(float));
    memcpy(m.w_k->data, (const float[]){1, 1, 0, 1}, 4 * sizeof(float));
    memcpy(m.v->data, (const float[]){2, 1}, 2 * sizeof(float));
    print_look(run, &m, &tape);
    check_look(run, &m, &tape);
    params_free(&m.params);
    tape_free(&tape);
}

/* ---- three models, each trained on the same batches ---- */

typedef struct Bahdanau { /* the lesson */
    int embedding;        /* E; H is twice that */
    float rate;
    OwnPairs own; /* --data */
    Model model[MODELS];
} Bahdanau;

static Contest compete(Run *run, Bahdanau *lesson, Task task, int models, int steps, int B) {
    static const char *const names[] = {"one vector", "attention", "attention, one way"};
    int V_source = task.source->size, V = task.target->size, E = lesson->embedding;
    Contest contest = contest_new(task);
    for (int i = 0; i < models; i++) {
        Model *m = &lesson->model[i];
        contest_add(&contest, names[i],
                    model_new(m, run, i, V_source, V, E, run_rng(run, "weights")));
    }
    TrainingPlan plan = {.steps = steps, .B = B, .rate = lesson->rate};
    plan.rng = run_rng(run, "batches");
    contest_train(run, &contest, plan);
    return contest;
}

/* ---- 2.2 ---- */

static void show_bottleneck(Run *run, void *context) {
    static const int lengths[] = {3, 5, 8, 10, 15, 20, 25};
    int steps = run_steps(run, 1500, 6), n = COUNT_OF(lengths);
    Task task = task_reversal(run_size(run, 48000, 200), 20, 3, 20, run_size(run, 200, 5), lengths,
                              n, run_rng(run, "2.2 data"));
    run_say(run, "Write 3 to 20 symbols backwards: nothing to understand, much to remember. Two "
                 "models try, alike but for one line in model_advance(): the context is the "
                 "encoder's last state, the same at every step, or what is found by looking back.");
    Contest two = compete(run, context, task, 2, steps, 32);
    contest_by_length(run, &two, lengths, n, 20, "reversal_by_length",
                      "Writing symbols backwards: one vector against attention");
    contest_sheet(run, &two, (const int[]){3}, 1, "reversal_alignment.png",
                  "Backwards: each row looks one place further left");
    double vector = contest_exact_at(&two.by[ONE_VECTOR], 10);
    double attention = contest_exact_at(&two.by[BOTH_WAYS], 10);
    double beyond = contest_exact_at(&two.by[BOTH_WAYS], 25);
    claim_trained(run, "vector_10", "one vector: 10 symbols all right, %", vector, "<", 0.25);
    claim_trained(run, "attention_10", "attention: 10 symbols all right, %", attention, ">", 0.9);
    claim_trained(run, "attention_25", "attention: 25 symbols all right, %", beyond, "<", 0.8);
    run_say(run,
            "Bahdanau, Cho and Bengio drew this picture for English to French (figure 2), BLEU "
            "against length: without attention it falls beyond 20 to 30 words, with attention, "
            "trained on up to 50 words, it holds to the end of their axis, at 60. On all "
            "sentences they report 17.8 without and 26.8 with (table 1).");
    run_conclude(run,
                 "Here, at 10 symbols, %.0f %% without and %.0f %% with: one vector holds a few "
                 "symbols and no more; looking back has no such limit. Not so: \"with attention, "
                 "length does not matter\". 25 symbols are more than it was ever trained on, and "
                 "it loses its place.",
                 100.0 * vector, 100.0 * attention);
    contest_free(&two);
}

/* ---- 2.3 ---- */

static void show_phrases(Run *run, void *context) {
    int steps = run_steps(run, 600, 4), bounds[] = {4, 6, 8, 10, 12, 14}, chosen[2];
    Task task = task_phrases(run_size(run, 20000, 500), run_size(run, 500, 30), run->flags.seed);
    run_say(run,
            "English to French: adjectives move behind their nouns and agree with them, \"not\" "
            "becomes \"ne .. pas\" around the verb. The grammar that makes both sentences knows "
            "which word comes from which: the gold alignment, which no model sees. The third "
            "model's encoder reads from left to right only.");
    contest_show_example(run, &task);
    Contest all = compete(run, context, task, MODELS, steps, 64);
    const Contender *by = all.by;
    const Translations *both = &by[BOTH_WAYS].trial.forced, *one = &by[ONE_WAY].trial.forced;
    double aer[] = {NAN, translations_alignment_rate(both, task.phrases, 0),
                    translations_alignment_rate(one, task.phrases, 0)};
    double shifted = translations_alignment_rate(both, task.phrases, 1);
    const char *the = "le la les l'";
    double others = tally_share(translations_links_right(both, task.phrases, the, true));
    double articles = tally_share(translations_links_right(both, task.phrases, the, false));
    double blind = tally_share(translations_links_right(one, task.phrases, the, false));
    contest_table(run, &all, "alignment error", aer);
    contest_by_length(run, &all, bounds, COUNT_OF(bounds), 0, "phrases_by_length",
                      "Phrases: by length");
    contest_plot(run, &all, "phrases_learning", "Phrases: learning curves");
    int count = sheet_choose_phrases(task.phrases, both->count, 2, chosen);
    contest_sentences(run, &all, chosen, count);
    contest_sheet(run, &all, chosen, count, "phrases_alignment.png", "Where the decoder looks");
    claim_trained(run, "phrases", "attention: phrases right, %", by[BOTH_WAYS].exact, ">=", 0.95);
    claim_trained(run, "vector", "one vector: phrases right, %", by[ONE_VECTOR].exact, "<=", 0.6);
    claim_trained(run, "aer", "alignment error of the argmax", aer[BOTH_WAYS], "<=", 0.25);
    claim_trained(run, "aer_gap", "alignment error: one way less both", aer[2] - aer[1], ">", 0.03);
    claim_trained(run, "aer_shifted", "alignment error, read one word off", shifted, ">=", 0.8);
    claim_trained(run, "links", "gold links found, but for articles, %", others, ">=", 0.85);
    claim_trained(run, "blind", "one way: articles that look at \"the\", %", blind, "<=", 0.3);
    claim_trained(run, "one_way", "one way: phrases right, %", by[ONE_WAY].exact, ">=", 0.9);
    run_conclude(
        run,
        "Learnt from translations alone, the weights find %.0f %% of the gold links, the "
        "articles apart. Le, la, les or l' is for the noun to decide. Read both ways, the "
        "state of \"the\" knows its noun, and either will do: %.0f %% of the articles look at "
        "\"the\". Read one way it cannot know, and %.0f %% do. So it is not so that \"a wrong "
        "picture means a wrong model\": one way, %.0f %% of the phrases come out right, with "
        "an alignment error of %.2f.",
        100.0 * others, 100.0 * articles, 100.0 * blind, 100.0 * by[ONE_WAY].exact, aer[2]);
    contest_free(&all);
}

/* ---- 2.4 ---- */

static void show_dates(Run *run, void *context) {
    int steps = run_steps(run, 300, 4);
    Task task =
        task_dates(run_size(run, 19200, 200), run_size(run, 500, 20), run_rng(run, "2.4 data"));
    run_say(run,
            "\"Saturday, 5 March 1988\", \"3/5/88\" and eight other ways to write a day become "
            "1988-03-05, character by character. The days held out were in no training date.");
    Contest all = compete(run, context, task, MODELS, steps, 64);
    const Contender *by = all.by;
    double month[] = {NAN, tally_share(translations_month_right(&by[1].trial.forced, task.dates)),
                      tally_share(translations_month_right(&by[2].trial.forced, task.dates))};
    contest_table(run, &all, "month looks at month", month);
    contest_plot(run, &all, "dates_learning", "Dates: learning curves");
    const int chosen[] = {task_find_date(&task, 0), task_find_date(&task, 5)};
    contest_sentences(run, &all, chosen, 2);
    contest_sheet(run, &all, chosen, 2, "dates_alignment.png", "Where the decoder looks");
    claim_trained(run, "dates", "attention: dates right, %", by[BOTH_WAYS].exact, ">=", 0.95);
    claim_trained(run, "dates_vector", "one vector: dates right, %", by[ONE_VECTOR].exact,
                  "<=", 0.75);
    claim_trained(run, "month", "digits of the month that look at it, %", month[1], ">=", 0.85);
    claim_trained(run, "month_one_way", "one way, fewer of them look there, by %",
                  month[1] - month[2], ">", 0.05);
    run_conclude(run,
                 "Nobody said what a month is. Both ways, %.0f %% of the digits of the month look "
                 "at the month; one way %.0f %%, since a later state has read as much and more.",
                 100.0 * month[1], 100.0 * month[2]);
    contest_free(&all);
}

/* ---- 2.5 ---- */

static void show_own(Run *run, void *context) {
    Bahdanau *lesson = context;
    const PairData *data = &lesson->own.data;
    if (own_pairs_given(run, &lesson->own)) {
        int V_source = data->source_vocab->size, V = data->target_vocab->size;
        Model *m = &lesson->model[BOTH_WAYS];
        Translator translator = model_new(m, run, BOTH_WAYS, V_source, V, 2 * lesson->embedding,
                                          run_rng(run, "weights"));
        own_pairs_study(run, &lesson->own, &translator, lesson->rate, run_rng(run, "batches"),
                        "own_alignment.png");
        params_free(&m->params);
    }
}

static bool read_own_data(Run *run, void *context, Error *error) {
    return own_pairs_load(&((Bahdanau *)context)->own, run, error);
}

int main(int argc, char **argv) {
    Bahdanau lesson = {.embedding = 32, .rate = 3e-3f, .own = own_pairs_new()};
    const Option options[] = {
        OPTION_INT("embedding", 'E', &lesson.embedding, 1, 512, "size of a word; states: twice"),
        OPTION_FLOAT("rate", 0, &lesson.rate, 1e-6, 1, "learning rate"),
        OWN_PAIRS_OPTIONS(lesson.own),
    };
    const Step steps[] = {
        {"2.1", "One look, by hand", show_one_step, NULL},
        {"2.2", "The bottleneck", show_bottleneck, NULL},
        {"2.3", "Translation, and where the decoder looks", show_phrases, NULL},
        {"2.4", "Dates, character by character", show_dates, NULL},
        {"2.5", "Your own sentences", show_own, NULL},
    };
    const Mistake mistakes[] = {
        {"no_pad_mask", "padding gets attention, as if it were words"},
        {"no_tanh", "the score is v . (q + k): the weights forget the question"},
        {"ignore_encoder", "the weights are computed without the states of the encoder"},
        {"softmax_axis", "the softmax runs over the sentences of the batch, not over the words"},
    };
    const Lesson about = {
        .number = "02",
        .name = "bahdanau",
        .title = "Let the decoder look back",
        .question = "Why should all that a sentence says fit into one vector?",
        .duration = "about 30 s",
        LESSON_TABLES(steps, mistakes, options),
        LESSON_NOTES(notes),
        .judged_with = "embedding rate",
        .examples = "--only 2.3 --seed 2\n--break no_pad_mask\n--only 2.5 --data pairs.tsv",
        .context = &lesson,
        .validate = read_own_data,
    };
    int code = walkthrough_run(&about, argc, argv);
    own_pairs_free(&lesson.own);
    return code;
}
