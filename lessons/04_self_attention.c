/* Lesson 04. The sequence looks at itself.
 *
 * In lessons 02 and 03 a decoder looked at the states of an encoder, which came one after another
 * out of a recurrent network. Vaswani et al. (2017) leave that network out: every token looks at
 * every token of its own sequence, all at the same time. Each one has a question (q), a label by
 * which it is found (k) and something to say (v), all three made from the same x:
 *
 *     q = x W_q^T    k = x W_k^T    v = x W_v^T
 *     y = softmax(q k^T / sqrt(d_k)) v                              their equation 1
 *
 * A mask says who may look where: true = may look.
 *
 * You will see four words with every matrix (4.1), why there are three projections (4.2), that
 * attention knows no order (4.3), how far back its gradient reaches (4.4), what it costs, as the
 * paper says and as we count (4.5), and what masks hide (4.6): why a wrong one looks better than
 * the right one, and what becomes of somebody who may look at nothing. It takes about 20 seconds;
 * with --quick one. The decoder around the attention of 4.6 is a black box until lesson 07.
 *
 * B batch, L or n length, d size of a token, d_k and d_v of keys and values, H heads. */
#include "core/measure.h"
#include "lesson/experiments/attention_time.h"
#include "lesson/experiments/distance.h"
#include "lesson/experiments/layer_cost.h"
#include "lesson/experiments/mask_contest.h"
#include "lesson/experiments/masking.h"
#include "lesson/experiments/permutation.h"
#include "lesson/experiments/projections.h"
#include "lesson/lesson.h"
#include "notes/04_self_attention.h"

#include <math.h>

/* ---- the new idea ---- */

typedef struct Projections {
    Tensor *w_q, *w_k; /* (d_k, d) each */
    Tensor *w_v;       /* (d_v, d) */
} Projections;

typedef struct SelfAttention {
    Tensor *q, *k, *v;        /* (B, L, d_k), (B, L, d_k), (B, L, d_v); or (B, H, L, ...) */
    Tensor *scores, *weights; /* (B, L, L): queries down, keys across; or (B, H, L, L) */
    Tensor *y;                /* (B, L, d_v) */
} SelfAttention;

/* Exercise 4.1. Their equation 1. `how` is MASK_OUT, but for 4.6 and --break: see masking.h. */
static SelfAttention attention(Tape *tape, Tensor *q, Tensor *k, Tensor *v, const Mask *mask,
                               Masking how) {
    SelfAttention a = {.q = q, .k = k, .v = v};
    a.scores = op_scale(tape, op_matmul_nt(tape, q, k), 1.0f / sqrtf((float)tensor_cols(q)));
    a.weights = how == MASK_OUT ? op_masked_softmax(tape, a.scores, mask)
                                : masked_weights(tape, a.scores, mask, how);
    a.y = op_matmul(tape, a.weights, v);
    return a;
}

/* x (B, L, d): the sequence looks at itself. */
SelfAttention self_attention(Tape *tape, const Projections *w, Tensor *x, const Mask *mask,
                             Masking how) {
    Tensor *q = op_linear(tape, x, w->w_q, NULL);
    Tensor *k = op_linear(tape, x, w->w_k, NULL);
    Tensor *v = op_linear(tape, x, w->w_v, NULL);
    return attention(tape, q, k, v, mask, how);
}

/* ---- the same for the experiments (look.h), which make q, k and v themselves ---- */

typedef struct Looking {
    Pattern pattern;
    Masking masking;
} Looking;

static const Looking everywhere = {SEES_ALL, MASK_OUT};

static Tensor *look(const void *how, Tape *tape, Tensor *q, Tensor *k, Tensor *v,
                    Tensor **weights) {
    const Looking *way = how;
    Mask mask = mask_pattern(&tape->arena, way->pattern, k->dim[k->ndim - 2]);
    const Mask *shown = way->pattern == SEES_ALL ? NULL : &mask;
    SelfAttention a = attention(tape, q, k, v, shown, way->masking);
    if (weights != NULL) {
        *weights = a.weights;
    }
    return a.y;
}

/* ---- 4.1 ---- */

enum { WORDS = 4 };
static const char *const words[] = {"the", "cat", "drinks", "milk"};
static const char *const traits[] = {"small word", "thing", "doing"};
static const float X[] = {1, 0, 0, 0, 1, 0.5f, 0, 0.5f, 1, 0, 1, -0.5f}; /* (4, 3) */
static const float W_q[] = {2, 0, 2, 0, 2, 0};                           /* (2, 3) each */
static const float W_k[] = {0, 1, 0, 0, 0, 1};
static const float W_v[] = {1, 1, 0, 0, 1, 2};

static void print_projections(Run *run, const Projections *w, const SelfAttention *a) {
    static const char *const needs[] = {"a thing", "a doing"};
    run_say(run, "Where does meaning come from? From the words around. Four words, each a vector "
                 "of three numbers:");
    run_matrix_labelled(run, "X", X, WORDS, 3, words, traits);
    run_say(run, "Three matrices make three things of each word. Its query says what it looks for, "
                 "q = x W_q^T: small words and doings look for a thing, things for a doing.");
    run_tensor(run, "W_q", w->w_q);
    run_matrix_labelled(run, "q: looks for", a->q->data, WORDS, 2, words, needs);
    run_say(run, "Its key says what it is, k = x W_k^T:");
    run_tensor(run, "W_k", w->w_k);
    run_matrix_labelled(run, "k: is", a->k->data, WORDS, 2, words, needs);
    run_say(run, "And its value is what it has to tell, v = x W_v^T:");
    run_tensor(run, "W_v", w->w_v);
    run_matrix_labelled(run, "v", a->v->data, WORDS, 2, words, NULL);
}

static void print_attention(Run *run, const Mask *mask, const SelfAttention *a) {
    run_say(run,
            "Every query meets every key: scores = q k^T / sqrt(2), queries down, keys across. "
            "\"drinks\" asks \"cat\": (2 1 + 1 0.5) / 1.414 = %.3f.",
            (double)a->scores->data[9]);
    run_matrix_labelled(run, "scores", a->scores->data, WORDS, WORDS, words, words);
    run_say(run, "A writer cannot look at words that are not yet written. The causal mask says who "
                 "may look where, 1 = may look:");
    run_mask(run, "mask", mask);
    run_say(run, "Softmax turns each row into weights that sum to 1, over the words one may look "
                 "at; the others get exactly 0:");
    run_matrix_labelled(run, "weights", a->weights->data, WORDS, WORDS, words, words);
    run_say(run, "What comes out are the values, mixed by these weights, y = weights v: \"drinks\" "
                 "now knows of the cat.");
    run_matrix_labelled(run, "y", a->y->data, WORDS, 2, words, NULL);
}

static void show_four_words(Run *run, void *context) {
    (void)context;
    Tape tape = tape_new();
    Projections w = {tape_constant(&tape, "W_q", W_q, SHAPE(2, 3)),
                     tape_constant(&tape, "W_k", W_k, SHAPE(2, 3)),
                     tape_constant(&tape, "W_v", W_v, SHAPE(2, 3))};
    Tensor *x = tape_constant(&tape, "X", X, SHAPE(1, WORDS, 3));
    Mask mask = mask_pattern(&tape.arena, causal_asked(run), WORDS);
    SelfAttention all = self_attention(&tape, &w, x, NULL, MASK_OUT);
    SelfAttention a = self_attention(&tape, &w, x, &mask, masking_asked(run));
    print_projections(run, &w, &a);
    print_attention(run, &mask, &a);
    const float *p = a.weights->data;
    mask_effect_show(run, "four_words.png", all.weights->data, p, WORDS, words);
    double later = (double)(p[1] + p[2] + p[3] + p[6] + p[7] + p[11]);
    double e_cat = exp(2.5 / sqrt(2.0)), e_self = exp(2.0 / sqrt(2.0)); /* the: e^0 = 1 */
    double y_drinks = (1.0 + e_cat + 0.5 * e_self) / (1.0 + e_cat + e_self);
    claim_checked(run, "score_by_hand", "score of drinks and cat, by hand 2.5 / sqrt(2), off by",
                  fabs((double)a.scores->data[9] - 2.5 / sqrt(2.0)), "<=", 1e-6);
    claim_checked(run, "y_by_hand", "first number of y of drinks, by hand, off by",
                  fabs((double)a.y->data[4] - y_drinks), "<=", 1e-6);
    claim_checked(run, "rows", "every row of the weights sums to 1, off by",
                  rows_off_from_one(p, WORDS), "<=", 1e-6);
    claim_checked(run, "later", "weight on words not yet written", later, "==", 0);
    tape_free(&tape);
}

/* ---- 4.2 ---- */

static void show_projections(Run *run, void *context) {
    (void)context;
    enum { ITSELF, UNIT, ONE, TWO, CASES };
    ProjectionWay apart = run_broken(run, "no_projections") ? PROJECT_NONE : PROJECT_APART;
    const ProjectionCase cases[CASES] = {
        {"x itself", PROJECT_NONE, 1, false, false},
        {"x itself, of length 1", PROJECT_NONE, 1, true, true},
        {"one matrix for q and k", PROJECT_SHARED, 1, false, false},
        {"W_q and W_k", apart, 1, false, false},
    };
    DiagonalShare share[CASES];
    int trials = run_size(run, 100, 20);
    Looker looker = {look, &everywhere};
    run_say(run,
            "Why three matrices? Could x not be its own query and key? %d random tokens of size "
            "%d, numbers from N(0, 1), nothing trained. All alike would be %.4f:",
            PROJECTION_TOKENS, PROJECTION_SIZE, 1.0 / PROJECTION_TOKENS);
    projections_compare(run, looker, cases, CASES, trials, share);
    projections_plot(run, looker, apart, trials);
    run_say(run,
            "Nothing is as much like a vector as itself: x . x = |x|^2. So without projections a "
            "token looks at itself and nowhere else (%.2f of the weight). One matrix for queries "
            "and keys does not help much, and it makes scores symmetric: the cat would find the "
            "milk just as interesting as the milk the cat. With two, the token has no reason to "
            "prefer itself. The third, W_v, lets what a word tells differ from how it is found.",
            share[ITSELF].weight);
    run_say(
        run,
        "Said often: \"without projections the diagonal takes all\". Not so for short vectors. "
        "Tokens of length 1, their scores not scaled, keep %.2f for themselves, though that is "
        "still the largest weight of the row in %.0f %%. By size, scaled: projection_sizes.png.",
        share[UNIT].weight, 100.0 * share[UNIT].largest);
    claim_checked(run, "itself", "x itself: weight on itself", share[ITSELF].weight, ">", 0.9);
    claim_checked(run, "apart", "W_q and W_k: weight on itself", share[TWO].weight, "<", 0.12);
    claim_checked(run, "short", "x of length 1: weight on itself", share[UNIT].weight, "<", 0.2);
    claim_checked(run, "largest", "x of length 1: looks at itself most, %", share[UNIT].largest,
                  ">=", 0.99);
    claim_checked(run, "symmetric", "one matrix: asymmetry of the scores", share[ONE].asymmetry,
                  "<", 1e-4);
    claim_checked(run, "asymmetric", "W_q and W_k: asymmetry of the scores", share[TWO].asymmetry,
                  ">", 0.5);
}

/* ---- 4.3 ---- */

static void show_permutation(Run *run, void *context) {
    (void)context;
    const Looking causal = {causal_asked(run), masking_asked(run)};
    Looker all = {look, &everywhere}, past = {look, &causal};
    Rng rng = run_rng(run, "permutation");
    run_say(run, "Does it matter who bites whom? One self-attention over three random words. What "
                 "comes out for each of them:");
    double same = permutation_sentences_show(run, all, false);
    run_say(run, "A word gets what it gets, wherever it and the others stand: a sum over all words "
                 "knows no order. Now with a position added to each word (lesson 06 says how):");
    double moved = permutation_sentences_show(run, all, true);
    double plain = permutation_gap(all, false, rng), placed = permutation_gap(all, true, rng);
    double masked = permutation_gap(past, false, rng);
    run_say(run,
            "In general: f(P x) = P f(x) for every order P. Shuffle the tokens, and the results "
            "are shuffled the same way. Two things break it, positions and a mask. Largest |f(P x) "
            "- P f(x)| over %d tokens:",
            PERMUTATION_TOKENS);
    claim_checked(run, "dog", "dog bites man, man bites dog: differ by", same, "<=", 1e-5);
    claim_checked(run, "dog_placed", "dog bites man, with positions: differ by", moved, ">", 0.01);
    claim_checked(run, "no_order", "16 tokens shuffled: outputs differ by", plain, "<=", 1e-5);
    claim_checked(run, "positions", "shuffled, with positions: outputs differ by", placed, ">",
                  0.5);
    claim_checked(run, "causal_order", "shuffled, causal mask: outputs differ by", masked, ">",
                  0.5);
}

/* ---- 4.4 ---- */

static void show_distance(Run *run, void *context) {
    (void)context;
    static const int lengths[] = {16, 32, 64, 128, 256, 512};
    double slope[READERS], typical[COUNT_OF(lengths)];
    Looker looker = {look, &everywhere};
    run_say(run, "How far back does the last output reach? As in lesson 01, before any training: "
                 "the length of dL/dx for every token x, now for all the ways we know to read a "
                 "sequence. Decades (powers of ten) that the gradient loses in 10 steps:");
    readers_compare(run, looker, 64, 16, slope);
    run_say(run,
            "The recurrent networks forget, step by step. The CNN, %d layers that see a token and "
            "the two before it, ends like a cut: its field is %d tokens, beyond it the gradient is "
            "exactly 0. Attention is one hop from everything: flat (distance.png).",
            READER_LAYERS, READER_FIELD);
    run_say(run,
            "Not for free: n tokens share weights that sum to 1. Untrained each gets about 1/n:");
    int count = run_size(run, COUNT_OF(lengths), 4);
    double power = attention_by_length(run, looker, lengths, count, typical);
    claim_checked(run, "flat", "attention: decades in 10 steps, at most",
                  fabs(slope[READER_ATTENTION]), "<", 0.05);
    claim_checked(run, "rnn", "RNN: decades in 10 steps", slope[READER_RNN], "<", -2.5);
    claim_checked(run, "gates", "LSTM and GRU: decades in 10 steps, at most",
                  fmax(slope[READER_LSTM], slope[READER_GRU]), "<", -1.5);
    claim_checked(run, "cnn", "CNN: farthest token with any gradient", slope[READER_CNN],
                  "==", READER_FIELD - 1);
    claim_checked(run, "one_over_n", "attention: gradient goes like n to the power -1, off by",
                  fabs(power + 1.0), "<", 0.1);
}

/* ---- 4.5 ---- */

static void show_cost(Run *run, void *context) {
    (void)context;
    enum { D = 64 };
    LayerCost cost[LAYER_KINDS][2];
    static const int lengths[] = {16, 64, 256, 1024, 2048};
    Looker looker = {look, &everywhere};
    run_say(run,
            "What does it cost? Table 1 of Vaswani et al. (2017) compares layers that map n tokens "
            "of size d to n others, with kernels of width k and windows of r tokens. Beside the "
            "paper's terms: what we count on our own, run with d = %d. First the work:",
            D);
    layer_costs_show(run, looker, D, D, cost);
    run_say(run,
            "\"In order\" is the longest chain of operations that wait for each other: in the "
            "recurrent layer each token waits for the one before, elsewhere the length does not "
            "matter. A path, from the first token to the last, is as long as the number of layers "
            "(or of steps in time) after which a gradient arrives. All this is as the paper says "
            "(O(n/k) in its text). From n^2 d < n d^2 for n < d it concludes that self-attention "
            "is faster, too. In multiply-adds it is not: its n^2 d are scores and weighted sum; "
            "the projections, 3 n d^2, which the table leaves out, are more than the whole "
            "recurrent layer, 2 n d^2. What self-attention saves is waiting, not work.");
    layer_costs_claim(run, cost, D);
    layer_crossing_show(run, looker, 32);
    run_say(run,
            "And in seconds? One sequence, d = 64, forward, on one thread and on two. \"In "
            "blocks\" is the same attention without ever holding an L x L matrix (a black "
            "box here: op_attention). A processor with few cores feels the work, and attention is "
            "more work; a graphics card, with thousands of them, feels the waiting.");
    attention_times_show(run, looker, lengths, run_size(run, COUNT_OF(lengths), 3), D);
}

/* ---- 4.6 ---- */

static CausalPlan plan_of(Run *run, const CausalPlan *lesson) {
    CausalPlan plan = *lesson;
    plan.steps = run_steps(run, lesson->steps, 3);
    plan.test = run_size(run, lesson->test, 20);
    return plan;
}

static void show_additions(Run *run, const CausalPlan *lesson) {
    const Looking ways[] = {
        {causal_asked(run), masking_asked(run)}, {SEES_ALL, MASK_OUT}, {SEES_FUTURE, MASK_OUT}};
    const MaskArm arms[] = {{"causal", {look, &ways[0]}, 0, false},
                            {"no mask", {look, &ways[1]}, 0, false},
                            {"reversed", {look, &ways[2]}, 0, false}};
    CausalResult result[COUNT_OF(arms)];
    run_say(
        run,
        "What does a mask hide? A small decoder learns to add. 27+58=580 means that 27 + 58 is "
        "085, ones first. It is trained on whole lines at once: each symbol of the answer is to be "
        "predicted from those before it. But the whole line is its input, so the next symbol "
        "stands one place to the right, and only the mask hides it. %d of the %d additions are "
        "kept for the test. Forced (teacher forcing): the right symbols are given up to each one. "
        "Running free: it reads what it wrote itself, as it will have to.",
        lesson->held, ADDITION_COUNT);
    additions_compare(run, arms, COUNT_OF(arms), plan_of(run, lesson), result);
    double causal = result[0].loss, none = result[1].loss;
    double early[] = {early_loss(&result[0].curve), early_loss(&result[2].curve)};
    run_conclude(
        run,
        "Said often: \"with a missing or reversed mask the loss stays high\". Not so. Without a "
        "mask it is the lowest of all, %.4f against %.4f. Reversed, it falls faster than it should "
        "(%.2f against %.2f at an eighth of the way) and stops only where the last digit is "
        "nowhere to be seen. Both have the answer in their input and copy it; asked to write one "
        "themselves they get %.1f and %.1f %% right. No loss can tell that. Running free tells.",
        none, causal, early[1], early[0], 100.0 * result[1].exact, 100.0 * result[2].exact);
    claim_trained(run, "causal_free", "additions, causal: right running free, %", result[0].exact,
                  ">=", 0.9);
    claim_trained(run, "none_free", "additions, no mask: right running free, %", result[1].exact,
                  "<", 0.1);
    claim_trained(run, "reversed_free", "additions, reversed: right running free, %",
                  result[2].exact, "<", 0.1);
    claim_trained(run, "none_loss", "additions: loss without a mask over the causal one",
                  none / causal, "<", 1);
    claim_trained(run, "reversed_early", "additions: reversed over causal, at an eighth of the way",
                  early[1] / early[0], "<", 0.5);
}

enum { CAUSAL, NONE, REVERSED, ZERO, BILLION, INFINITE, ARMS };

static void claim_digits(Run *run, const CausalResult *result, const double *leak) {
    claim_checked(run, "leak", "causal: change the last digit, logits before it move by",
                  leak[CAUSAL], "==", 0);
    claim_checked(run, "empty_leak", "empty row: change the last digit, logits before it move by",
                  leak[ZERO], "==", 0);
    claim_checked(run, "nan", "-infinity: steps with a loss that is a number",
                  finite_losses(&result[INFINITE].curve), "==", 0);
    claim_trained(run, "digits_causal", "random digits, causal: loss", result[CAUSAL].loss, ">",
                  2.29);
    claim_trained(run, "digits_none", "random digits, no mask: loss", result[NONE].loss, "<", 1);
    claim_trained(run, "digits_reversed", "random digits, reversed: loss", result[REVERSED].loss,
                  "<", 1);
    claim_trained(run, "digits_zero", "random digits, empty row zero: loss", result[ZERO].loss, ">",
                  2.29);
    claim_trained(run, "digits_1e9", "random digits, empty row -1e9: loss", result[BILLION].loss,
                  "<", 2.25);
}

static void show_random_digits(Run *run, const CausalPlan *lesson) {
    Masking masking = masking_asked(run);
    const Looking ways[ARMS] = {{causal_asked(run), masking}, {SEES_ALL, MASK_OUT},
                                {SEES_FUTURE, MASK_OUT},      {SEES_BEFORE, masking},
                                {SEES_BEFORE, MASK_BILLION},  {SEES_BEFORE, MASK_INFINITY}};
    int some = run_steps(run, 100, 3), more = run_steps(run, 600, 3);
    bool broken = masking == MASK_INFINITY;
    const MaskArm arms[ARMS] = {{"causal", {look, &ways[CAUSAL]}, some, false},
                                {"no mask", {look, &ways[NONE]}, some, false},
                                {"reversed", {look, &ways[REVERSED]}, some, false},
                                {"empty row: zero", {look, &ways[ZERO]}, more, broken},
                                {"empty row: -1e9", {look, &ways[BILLION]}, more, false},
                                {"empty row: -infinity (nan)", {look, &ways[INFINITE]}, 3, true}};
    CausalResult result[ARMS];
    double leak[ARMS];
    run_say(run,
            "\nIs there a loss that can tell? That of a task nobody can learn: %d random digits, "
            "each to be predicted from those before. Whoever gets below ln 10 = 2.303 has looked; "
            "who sees all but the last gets down to ln 10 / %d = %.3f. In the last three rows "
            "nobody may look at itself either, so the first has nobody. Leak: change the last "
            "digit; by how much do the logits before it move, untrained?",
            RANDOM_DIGITS, RANDOM_DIGITS, log(10.0) / RANDOM_DIGITS);
    random_digits_compare(run, arms, ARMS, plan_of(run, lesson), result, leak);
    run_conclude(run,
                 "A hundred steps, and the loss says that a mask leaks: the best test of a mask "
                 "there is. -infinity makes noise at once: nan at the first step. With -1e9 all "
                 "goes well, and the first place, which may look at nothing, looks at everything; "
                 "in the second layer the others read it there. That leak takes longer to show: "
                 "after %d steps the loss is %.2f. Zero is the right answer: %.2f.",
                 more, result[BILLION].loss, result[ZERO].loss);
    claim_digits(run, result, leak);
}

static void show_masks(Run *run, void *context) {
    mask_patterns_show(run, 8);
    show_additions(run, context);
    empty_rows_show(run, masking_asked(run));
    show_random_digits(run, context);
}

static bool check_sizes(Run *run, void *context, Error *error) {
    const CausalPlan *p = context;
    (void)run;
    return p->d_model % p->heads == 0 ||
           error_set(error, "--d-model %d cannot be divided among --heads %d", p->d_model,
                     p->heads);
}

int main(int argc, char **argv) {
    CausalPlan plan = causal_plan();
    const Option options[] = {
        OPTION_INT("d-model", 0, &plan.d_model, 1, 512, "size of a token in 4.6"),
        OPTION_INT("heads", 'H', &plan.heads, 1, 64, "heads in 4.6; they divide d-model"),
        OPTION_INT("layers", 0, &plan.layers, 1, 4, "layers in 4.6"),
        OPTION_FLOAT("rate", 0, &plan.rate, 1e-6, 1, "learning rate in 4.6"),
    };
    const Step steps[] = {
        {"4.1", "Four words look at each other", show_four_words, NULL},
        {"4.2", "Why three projections", show_projections, NULL},
        {"4.3", "Dog bites man", show_permutation, NULL},
        {"4.4", "How far back the gradient reaches", show_distance, NULL},
        {"4.5", "What it costs", show_cost, NULL},
        {"4.6", "What a mask hides", show_masks, NULL},
    };
    const Mistake mistakes[] = {
        {"no_mask", "the causal mask is left out: everybody sees what comes next"},
        {"reversed_mask", "the causal mask the wrong way round: only what comes is seen"},
        {"empty_row_inf", "-infinity for what is hidden: an empty row is nan"},
        {"empty_row_1e9", "-1e9 for what is hidden: an empty row looks everywhere"},
        {"mask_after_softmax", "zeros after the softmax: rows do not sum to 1"},
        {"softmax_axis", "softmax down the queries instead of along the keys"},
        {"no_projections", "the tokens themselves are queries and keys, in 4.2"},
    };
    const Lesson lesson = {.number = "04",
                           .name = "self_attention",
                           .title = "The sequence looks at itself",
                           .question = "Can a sequence read itself without a recurrent network?",
                           .duration = "about 20 s",
                           LESSON_TABLES(steps, mistakes, options),
                           LESSON_NOTES(notes),
                           .judged_with = "d-model heads layers rate",
                           .examples = "--only 4.1\n--break no_mask --only 4.6\n--layers 1",
                           .context = &plan,
                           .validate = check_sizes};
    return walkthrough_run(&lesson, argc, argv);
}
