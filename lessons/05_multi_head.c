/* Lesson 05. Several questions at once.
 *
 * In lesson 04 every token asked one question of its sequence and got one answer: one row of
 * weights, one weighted sum. Who wants to know two things at once gets the average of both. Vaswani
 * et al. (2017, section 3.2.2) cut the d_model numbers of a token into H heads of d_k = d_model / H
 * and let each attend for itself:
 *
 *     head_h = softmax(q_h k_h^T / sqrt(d_k)) v_h      q_h, k_h, v_h: columns of x W_q^T, ...
 *     y      = [head_1 .. head_H] W_o^T                H questions for the price of one
 *
 * You will see how heads are cut and joined, and what they cost (5.1), a task with four questions
 * that needs four heads, and whether more do harm (5.2), what kinds of heads there are, found by
 * numbers and not by eye, and what a dead one is (5.3), and the heads of a translator (5.4), most
 * of which nobody would miss. It takes about 15 seconds; with --quick one. The translator is a
 * black box until lesson 07.
 *
 * B batch, L length, d or d_model size of a token, H heads, D = d_k = d / H, V vocabulary. */
#include "core/check.h"
#include "core/measure.h"
#include "lesson/experiments/head_cost.h"
#include "lesson/experiments/head_patterns.h"
#include "lesson/experiments/head_removal.h"
#include "lesson/experiments/offsets.h"
#include "lesson/experiments/phrase_heads.h"
#include "lesson/lesson.h"
#include "nn/dot_product.h"
#include "notes/05_multi_head.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the new idea ---- */

/* What --break does; all false: nothing. */
typedef struct Wrong {
    bool split, merge; /* without the transpose */
    bool same;         /* all heads ask the question of the first */
    float dropout;     /* of the weights, in training */
    uint64_t key;      /* of that dropout: another one for each pass */
} Wrong;

/* Exercise 5.1. (B, L, H D) -> (B, H, L, D). The columns of a token become H rows of D, then the
 * heads move in front of the tokens. Without that second step the numbers are cut in the order in
 * which they lie in memory: the "head" gets all of one token, then all of the next. */
Tensor *split_heads(Tape *tape, Tensor *x, int H, bool transposed) {
    int B = x->dim[0], L = x->dim[1], D = x->dim[2] / H;
    CHECK(x->dim[2] % H == 0, "split_heads: %s: %d columns cannot be divided among %d heads",
          tensor_text(x).text, x->dim[2], H);
    if (!transposed) {
        return op_reshape(tape, x, SHAPE(B, H, L, D));
    }
    Tensor *cut = op_reshape(tape, x, SHAPE(B, L, H, D));
    return op_permute(tape, cut, (const int[]){0, 2, 1, 3});
}

/* Exercise 5.2. (B, H, L, D) -> (B, L, H D): the way back. */
Tensor *merge_heads(Tape *tape, Tensor *heads, bool transposed) {
    int B = heads->dim[0], H = heads->dim[1], L = heads->dim[2], D = heads->dim[3];
    Tensor *tokens =
        transposed ? op_permute(tape, heads, (const int[]){0, 2, 1, 3}) : heads; /* (B, L, H, D) */
    return op_reshape(tape, tokens, SHAPE(B, L, H * D));
}

/* --break same_head: the first D columns, H times. */
static Tensor *first_head_only(Tape *tape, Tensor *x, int H) {
    Tensor *first = op_slice_last(tape, x, 0, tensor_cols(x) / H), *all[ONE_LAYER_HEADS];
    for (int h = 0; h < H; h++) {
        all[h] = first;
    }
    return op_concat(tape, x->ndim - 1, all, H);
}

/* x (B, Lq, d) asks, m (B, Lk, d) answers: m is x itself, or another sequence. The layer brings
 * four d x d matrices with biases, q, k, v and out. `weights`, unless NULL: set to (B, H, Lq, Lk).
 */
Tensor *multi_head(Tape *tape, const MultiHead *layer, Tensor *x, Tensor *m, const Mask *mask,
                   Wrong wrong, Tensor **weights) {
    int H = layer->heads;
    Tensor *qkv[] = {linear_forward(tape, &layer->q, x), linear_forward(tape, &layer->k, m),
                     linear_forward(tape, &layer->v, m)};
    for (int i = 0; i < 3; i++) {
        qkv[i] = wrong.same ? first_head_only(tape, qkv[i], H) : qkv[i];
        qkv[i] = split_heads(tape, qkv[i], H, !wrong.split); /* (B, H, L, D) */
    }
    DotProductOptions options = {.mask = mask, /* lesson 04, for all B H pairs at once */
                                 .dropout = tape->recording ? wrong.dropout : 0.0f,
                                 .dropout_key = wrong.key};
    DotProduct a = dot_product_attention(tape, qkv[0], qkv[1], qkv[2], options);
    if (weights != NULL) {
        *weights = a.weights;
    }
    return linear_forward(tape, &layer->out, merge_heads(tape, a.y, !wrong.merge));
}

/* The same three projections as one matrix, w (3 d, d) with bias (3 d): rows of q, then k, then v.
 * One product instead of three; the result (B, L, 3 d) is cut afterwards. */
void packed_projections(Tape *tape, Tensor *w, Tensor *bias, Tensor *x, Tensor *qkv[3]) {
    int d = tensor_cols(x);
    Tensor *all = op_linear(tape, x, w, bias);
    for (int i = 0; i < 3; i++) {
        qkv[i] = op_slice_last(tape, all, i * d, (i + 1) * d);
    }
}

/* ---- the lesson; its multi_head() is what all models of 5.2 and 5.3 are trained with ---- */

typedef struct Heads {
    int d_model; /* of 5.2 and 5.3; 5.4: twice that */
    int heads;   /* of 5.3 and 5.4 */
    Wrong wrong;
} Heads;

static void read_mistakes(Run *run, Heads *lesson) {
    lesson->wrong = (Wrong){.split = run_broken(run, "split_without_transpose"),
                            .merge = run_broken(run, "merge_without_transpose"),
                            .same = run_broken(run, "same_head"),
                            .dropout = run_broken(run, "head_dropout_high") ? 0.9f : 0.0f};
}

static Tensor *attend_here(void *context, Tape *tape, const MultiHead *layer, Tensor *x,
                           Tensor **weights) {
    Heads *lesson = context;
    lesson->wrong.key++;
    return multi_head(tape, layer, x, x, NULL, lesson->wrong, weights);
}

/* ---- 5.1 ---- */

/* Two tokens of two heads: a b | e f and c d | g h. */
static const float two_tokens[] = {1, 2, 5, 6, 3, 4, 7, 8};
static const float two_heads[] = {1, 2, 3, 4, 5, 6, 7, 8};

static void show_cutting(Run *run, const Wrong *wrong) {
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", two_tokens, SHAPE(1, 2, 4));
    Tensor *split = split_heads(&tape, x, 2, !wrong->split);
    Tensor *heads = tape_constant(&tape, "heads", two_heads, SHAPE(1, 2, 2, 2));
    Tensor *merged = merge_heads(&tape, heads, !wrong->merge);
    run_say(run, "One row of weights is one question. Two tokens of four numbers are to ask two. "
                 "Head 0 gets the first two columns of each token, head 1 the last two:");
    run_print(run, "    [a b e f]      head 0: [a b]   head 1: [e f]\n"
                   "    [c d g h]              [c d]           [g h]\n\n");
    run_say(run, "With a = 1, b = 2 .. h = 8 the tokens x become the heads below, a matrix for "
                 "each, and the heads become tokens again:");
    run_tensor(run, "x", x);
    run_tensor(run, "split_heads(x)", split);
    run_tensor(run, "merge_heads(heads)", merged);
    run_say(run, "In memory the two heads lie as a b c d e f g h. Merged in that order, without "
                 "the transpose, they give [a b c d] and [e f g h]: token 0 would get head 0 of "
                 "both tokens, and no head 1. The shape is right and nothing complains. With "
                 "--break merge_without_transpose 5.2 does not even notice; 5.3 does.");
    claim_checked(run, "split", "split by hand, difference",
                  largest_difference(split->data, two_heads, 8), "<=", 0);
    claim_checked(run, "merge", "merge by hand, difference",
                  largest_difference(merged->data, two_tokens, 8), "<=", 0);
    tape_free(&tape);
}

static void show_one_pass(Run *run, Heads *lesson) {
    static const char *const words[] = {"the", "black", "cat", "sleeps"};
    enum { H = 2, L = 4, d = 8 };
    HeadSample s = head_sample_new(run, H, L, d);
    Tensor *weights, *again;
    Tensor *training = attend_here(lesson, &s.tape, &s.layer, s.x, &weights);
    s.tape.recording = false;
    Tensor *evaluation = attend_here(lesson, &s.tape, &s.layer, s.x, &again);
    run_say(run,
            "In between each head does what lesson 04 did. Four tokens of %d numbers, two heads, "
            "random weights: two maps, and each token gets both answers side by side.",
            d);
    for (int h = 0; h < H; h++) {
        char title[32];
        snprintf(title, sizeof title, "head %d looks at", h);
        run_matrix_labelled(run, title, weights->data + h * L * L, L, L, words, words);
    }
    claim_checked(run, "heads_differ", "two heads: largest difference of a weight",
                  largest_difference(weights->data, weights->data + L * L, L * L), ">", 0.05);
    claim_checked(run, "same_output", "output in training and in evaluation: difference",
                  largest_difference(training->data, evaluation->data, L * d), "<=", 1e-6);
    Tensor *library = multi_head_self(&s.tape, &s.layer, s.x, (Look){0});
    claim_checked(run, "library", "this multi_head() and that of common/nn: difference",
                  largest_difference(training->data, library->data, L * d), "<=", 1e-5);
    head_sample_free(&s);
}

static void show_packed(Run *run) {
    enum { H = 4, L = 6, d = 32 };
    HeadSample s = head_sample_new(run, H, L, d);
    const Linear *three[] = {&s.layer.q, &s.layer.k, &s.layer.v};
    Tensor *w = tape_constant(&s.tape, "w", NULL, SHAPE(3 * d, d)), *packed[3];
    Tensor *bias = tape_constant(&s.tape, "bias", NULL, SHAPE(3 * d));
    for (int i = 0; i < 3; i++) {
        memcpy(w->data + i * d * d, three[i]->w->data, (size_t)(d * d) * sizeof(float));
    }
    packed_projections(&s.tape, w, bias, s.x, packed);
    double off = 0.0;
    for (int i = 0; i < 3; i++) {
        Tensor *alone = linear_forward(&s.tape, three[i], s.x);
        off = fmax(off, largest_difference(packed[i]->data, alone->data, L * d));
    }
    run_say(run, "Libraries often keep W_q, W_k and W_v as one matrix of 3 d rows: one product, "
                 "not three. Same numbers, and as many of them: no parameter is saved.");
    claim_checked(run, "packed", "packed or three projections, difference", off, "<=", 1e-6);
    run_say(run, "With one trap. Glorot's rule makes weights smaller when a matrix has more rows, "
                 "and the packed one has three times as many (in common/nn it is filled as three, "
                 "so that both begin alike). The same rule for both draws:");
    claim_checked(run, "glorot", "size of weights, three matrices over packed: off sqrt 2 by",
                  fabs(glorot_packed_ratio(run, 256) - sqrt(2.0)), "<", 0.02);
    head_sample_free(&s);
}

static void show_cost(Run *run, Heads *lesson) {
    enum { B = 8, L = 32, d = 64, LAST = HEAD_COST_SIZES - 1 };
    HeadCost cost[HEAD_COST_SIZES];
    run_say(run, "What do more heads cost? Counted while a layer runs, d_model = %d, %d tokens:", d,
            L);
    head_costs_show(run, attend_here, lesson, B, L, d, cost);
    const HeadCost *one = &cost[0], *most = &cost[LAST];
    claim_checked(run, "parameters", "parameters, 16 heads over 1",
                  (double)most->parameters / (double)one->parameters, "==", 1);
    claim_checked(run, "multiply_adds", "multiply-adds, 16 heads over 1",
                  (most->with_weights + most->with_each_other) /
                      (one->with_weights + one->with_each_other),
                  "==", 1);
    claim_timing(run, "time", "seconds, 16 heads over 1", most->seconds / one->seconds, ">", 1);
    run_say(run,
            "Said often: \"more heads add parameters\". Not so: the same matrices are cut finer. "
            "The price is equal in multiply-adds, but not in all else: each head has a softmax of "
            "its own, %d times the exponentials, and many thin products keep a processor less busy "
            "than one thick one.",
            most->heads);
}

static void show_by_hand(Run *run, void *context) {
    read_mistakes(run, context);
    show_cutting(run, &((Heads *)context)->wrong);
    show_one_pass(run, context);
    show_packed(run);
    show_cost(run, context);
}

/* ---- 5.2 ---- */

enum { EARLY = 250 };

static void show_head_size(Run *run, OffsetsPlan plan) {
    OffsetsTrial *trials[3];
    const int heads[] = {1, 4, 8};
    run_say(run, "Is it the number of heads, or their size? Twice the width, d_model = %d for all:",
            2 * plan.d_model);
    plan.d_model *= 2;
    int count = plan.d_model % 8 == 0 ? 3 : plan.d_model % 4 == 0 ? 2 : 1;
    offsets_sweep(run, plan, heads, count, trials, "offsets_head_size",
                  "Four offsets, one width: heads of different size");
    offsets_table(run, trials, count, EARLY);
    offsets_claim(run, "wide_head", plan.d_model, trials, count, 1, 0, "<", 0.6);
    offsets_claim(run, "heads_of_16", plan.d_model, trials, count, 4, 0, ">", 0.99);
    offsets_claim(run, "heads_of_8", plan.d_model, trials, count, 8, 0, ">", 0.99);
    for (int i = 0; i < count; i++) {
        offsets_free(trials[i]);
    }
}

static void show_offsets(Run *run, void *context) {
    Heads *lesson = context;
    read_mistakes(run, lesson);
    OffsetsPlan plan =
        offsets_plan(run_steps(run, 1500, 4), run_size(run, 256, 32), attend_here, lesson);
    OffsetsTrial *trials[5];
    int heads[5], count = 0;
    plan.d_model = lesson->d_model;
    for (int h = 1; h <= 16 && plan.d_model % h == 0; h *= 2) {
        heads[count++] = h;
    }
    run_say(run,
            "A task with four questions: of %d random letters each position from the fifth on is "
            "to name the one before it, the second, the third and the fourth before it. (The first "
            "four are asked nothing: their rows in the maps are arbitrary.) The model is one bare "
            "layer of attention, no residual connection, no feed-forward network: what it knows of "
            "other positions comes through its heads.",
            OFFSETS_L);
    offsets_sweep(run, plan, heads, count, trials, "offsets_learning",
                  "Four offsets: right answers by number of heads");
    offsets_table(run, trials, count, EARLY);
    offsets_sheet(run, offsets_find(trials, count, 4), "offsets_heads.png",
                  "Four offsets, four heads");
    offsets_claims(run, plan.d_model, trials, count, EARLY);
    run_conclude(run,
                 "One head has one row of weights. It knows one letter, or a blend of several, out "
                 "of which it can guess; two heads blend, too. Four heads take one offset each and "
                 "look at four different places: their maps have hardly anything in common "
                 "(\"alike\", the mean cosine between two heads' maps). More heads share the work, "
                 "and it rises. Said often: \"too many heads hurt\". Not so: with %d numbers each, "
                 "16 heads get there as well. They only learn later.",
                 plan.d_model / 16);
    for (int i = 0; i < count; i++) {
        offsets_free(trials[i]);
    }
    show_head_size(run, plan);
    run_conclude(run, "A wide head still has one row of weights. What counts is how many questions "
                      "are asked, as long as a head has room for what it carries back.");
}

/* ---- 5.3 ---- */

/* A head whose value projection is zero: what is it good for, and what does its map say? */
static void show_dead_head(Run *run, PatternTrial *trial) {
    double before = trial->loss;
    HeadLabel was = head_label(trial->kind[0], &trial->measures[0]);
    head_kill(&trial->model.heads, 0);
    pattern_study(trial);
    run_say(
        run,
        "Let us kill one: head 0 (%s) gets a value projection of zeros. Its map is as beautiful as "
        "before, but there is nothing it could carry. The loss rises from %.2f to %.2f:",
        was.text, before, trial->loss);
    pattern_table(run, trial);
    claim_trained(run, "killed", "loss rises when head 0 is killed", trial->loss - before, ">",
                  0.1);
    claim_checked(run, "dead", "it rises further when the dead head is removed", trial->rise[0],
                  "<", 0.01);
    claim_checked(run, "rows", "a row of the dead head's map sums to 1, but for",
                  pattern_row_error(trial, 0), "<=", 1e-5);
    run_say(run, "A dead head is not one \"whose weights are all zero\": each row of a softmax "
                 "sums to 1. It is dead when nobody needs what it says: when the loss rises by "
                 "less than 0.01 without it.");
}

static void show_uniform_head(Run *run, PatternPlan plan) {
    plan.heads = 1;
    memcpy(plan.weight, (float[]){0, 0, 0, 1}, sizeof plan.weight);
    run_say(run, "And a head that looks everywhere alike, has it learnt nothing? One head, asked "
                 "only for the counts of the whole row (d):");
    PatternTrial *alone = pattern_train(run, &plan, "only d, one head");
    pattern_table(run, alone);
    claim_trained(run, "uniform", "only d: entropy of the head", alone->measures[0].entropy, ">",
                  0.9);
    claim_trained(run, "uniform_needed", "only d: the loss rises without it", alone->rise[0], ">",
                  0.1);
    run_conclude(run, "\"A uniform head has learnt nothing\": not so. It is the right answer when "
                      "the target is an average.");
    pattern_free(alone);
}

static void show_patterns(Run *run, void *context) {
    Heads *lesson = context;
    read_mistakes(run, lesson);
    PatternPlan plan =
        pattern_plan(run_steps(run, 1200, 4), run_size(run, 128, 16), attend_here, lesson);
    plan.d_model = lesson->d_model;
    plan.heads = lesson->heads;
    run_say(run,
            "What kinds of heads are there? A row of %d letters is cut into four segments at "
            "random, and each position is asked for (a) the letter before it, (b) the first letter "
            "of the row, (c) how often each letter occurs in its own segment, (d) in the whole "
            "row. Which head does what is told by four numbers, in this order:",
            PATTERN_L);
    pattern_rules(run);
    PatternTrial *trial = pattern_train(run, &plan, "patterns");
    pattern_table(run, trial);
    run_say(run,
            "Loss by target: a %.3f, b %.3f, c %.3f, d %.3f; 0 is perfect (in training the entropy "
            "of the right answers is not taken off). c and d count twice: %.2f in all.",
            trial->each[0], trial->each[1], trial->each[2], trial->each[3], trial->loss);
    pattern_sheet(run, trial, "pattern_heads.png", "What kind of head? Letter and segment");
    pattern_claims(run, trial);
    run_conclude(run,
                 "Nobody told the heads who does what. One took the diagonal, at least one the "
                 "first letter, at least one the segments. For (d) there is no head of its own: it "
                 "is averaged out of the others, and most of the loss is left with (c) and (d).");
    show_dead_head(run, trial);
    pattern_free(trial);
    show_uniform_head(run, plan);
}

/* ---- 5.4 ---- */

static void show_phrases(Run *run, void *context) {
    const Heads *lesson = context;
    PhraseHeadsPlan plan = phrase_heads_plan(run, 2 * lesson->d_model, lesson->heads);
    run_say(run, "Now heads that learnt something real: a small Transformer (lesson 07) translates "
                 "the phrases of lesson 02. Its heads look in three places: English at English "
                 "(the encoder), French back at French (the decoder), and French across at "
                 "English. The same classifier, without blocks:");
    PhraseTrial *trial = phrase_train(run, &plan);
    phrase_table(run, trial);
    phrase_sheets(run, trial);
    run_say(run,
            "Held-out loss %.4f, and without all heads of one place: encoder %+.3f, decoder %+.3f, "
            "across %+.3f.",
            trial->loss, trial->rise[SITE_ENCODER], trial->rise[SITE_DECODER],
            trial->rise[SITE_CROSS]);
    phrase_claims(run, trial);
    run_conclude(run,
                 "Few real heads are pure, and %d of %d are dead by the rule of 5.3, each on its "
                 "own: without it the loss rises by less than 0.01. (Little, not nothing: all of "
                 "it is %.4f.) It does not mean that nobody needs them together: without all that "
                 "look back, or all that look across, the loss is up. The maps of the encoder are "
                 "as busy as the rest, yet this translator hardly uses them. A picture shows where "
                 "a head looks, not whether anybody listens.",
                 phrase_count(trial, PHRASE_SITES, HEAD_DEAD),
                 PHRASE_SITES * PHRASE_LAYERS * plan.heads, trial->loss);
    phrase_free(trial);
}

static bool check_sizes(Run *run, void *context, Error *error) {
    const Heads *lesson = context;
    (void)run;
    return lesson->d_model % lesson->heads == 0 ||
           error_set(error, "--d-model %d cannot be divided among --heads %d", lesson->d_model,
                     lesson->heads);
}

int main(int argc, char **argv) {
    Heads lesson = {.d_model = 32, .heads = 4};
    const Option options[] = {
        OPTION_INT("d-model", 0, &lesson.d_model, 1, 256, "size of a token; in 5.4 twice that"),
        OPTION_INT("heads", 'H', &lesson.heads, 1, 16, "of 5.3 and 5.4; they divide d-model"),
    };
    const Step steps[] = {
        {"5.1", "Split and merge by hand, and the price", show_by_hand, NULL},
        {"5.2", "Four offsets, one to sixteen heads", show_offsets, NULL},
        {"5.3", "What kind of head?", show_patterns, NULL},
        {"5.4", "The heads of a translator", show_phrases, NULL},
    };
    const Mistake mistakes[] = {
        {"merge_without_transpose", "heads are joined in the order they lie in memory"},
        {"split_without_transpose", "tokens are cut in the order they lie in memory"},
        {"same_head", "all heads share the weights of the first"},
        {"head_dropout_high", "nine of ten attention weights are dropped in training"},
    };
    const Lesson program = {.number = "05",
                            .name = "multi_head",
                            .title = "Several questions at once",
                            .question = "Why should a token look at one place at a time?",
                            .duration = "about 15 s",
                            LESSON_TABLES(steps, mistakes, options),
                            LESSON_NOTES(notes),
                            .judged_with = "d-model heads",
                            .examples = "--heads 8 --only 5.3\n--break same_head --only 5.2",
                            .context = &lesson,
                            .validate = check_sizes};
    return walkthrough_run(&program, argc, argv);
}
