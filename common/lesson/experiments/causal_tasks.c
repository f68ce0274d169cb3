#include "lesson/experiments/causal_tasks.h"

#include "core/check.h"
#include "core/measure.h"
#include "lesson/experiments/small_decoder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT = ADDITION_LENGTH - 1 };

CausalPlan causal_plan(void) {
    return (CausalPlan){.d_model = 64,
                        .heads = 4,
                        .layers = 2,
                        .B = 64,
                        .steps = 1000,
                        .rate = 2e-3f,
                        .held = 1000,
                        .test = 1000};
}

typedef struct Learner {
    SmallDecoder model;
    CausalPlan plan;
    Rng rng;            /* of the batches */
    int *order;         /* (ADDITION_COUNT): the first `held` are never trained on */
    int *ids, *targets; /* of a batch, (B, L) */
} Learner;

static Learner learner_new(Run *run, Looker looker, CausalPlan plan, int L) {
    DecoderSize size = {.V = DIGITS_VOCABULARY,
                        .L = L,
                        .d_model = plan.d_model,
                        .heads = plan.heads,
                        .layers = plan.layers,
                        .d_ff = 4 * plan.d_model};
    Rng weights = run_rng(run, "causal weights"), split = run_rng(run, "held out");
    int rows = plan.B > plan.test ? plan.B : plan.test;
    Learner learner = {.model = small_decoder_new(size, looker, &weights), .plan = plan};
    learner.rng = run_rng(run, "causal batches");
    learner.order = check_alloc(ADDITION_COUNT * sizeof(int));
    learner.ids = check_alloc((size_t)(rows * L) * sizeof(int));
    learner.targets = check_alloc((size_t)(rows * L) * sizeof(int));
    rng_permutation(&split, ADDITION_COUNT, learner.order);
    return learner;
}

static void learner_free(Learner *learner) {
    small_decoder_free(&learner->model);
    free(learner->order);
    free(learner->ids);
    free(learner->targets);
}

static Tensor *learner_logits(Learner *learner, Tape *tape, int B, int L) {
    return small_decoder_forward(tape, &learner->model, learner->ids, B, L);
}

static Tensor *learner_loss(Learner *learner, Tape *tape, int B, int L) {
    /* The start symbol is never asked for: as a target it says "not counted". */
    return op_cross_entropy(tape, learner_logits(learner, tape, B, L), learner->targets,
                            (CrossEntropy){.ignore = DIGITS_START});
}

static Fit fit_of(Learner *learner, const char *label) {
    const CausalPlan *plan = &learner->plan;
    return (Fit){.label = label,
                 .params = &learner->model.params,
                 .model = learner,
                 .steps = plan->steps,
                 .rate = plan->rate,
                 .clip = 1.0,
                 .check_every = (plan->steps + 99) / 100};
}

/* ---- additions ---- */

/* Row b: the input without the last symbol, and for each symbol of the answer the one before it. */
static void addition_fill(Learner *learner, int b, int number) {
    int ids[ADDITION_LENGTH];
    addition_write(number, ids);
    for (int i = 0; i < INPUT; i++) {
        learner->ids[b * INPUT + i] = ids[i];
        learner->targets[b * INPUT + i] = i + 1 < ADDITION_QUESTION ? DIGITS_START : ids[i + 1];
    }
}

static Tensor *addition_loss(void *model, Tape *tape) {
    Learner *learner = model;
    int held = learner->plan.held, B = learner->plan.B;
    for (int b = 0; b < B; b++) {
        uint32_t i = rng_below(&learner->rng, (uint32_t)(ADDITION_COUNT - held));
        addition_fill(learner, b, learner->order[held + (int)i]);
    }
    return learner_loss(learner, tape, B, INPUT);
}

/* The likeliest symbol at the last of L positions of row b. */
static int symbol_at(const Tensor *logits, int b, int place) {
    int L = logits->dim[1], V = logits->dim[2];
    return tensor_argmax(logits->data + (size_t)(b * L + place) * (size_t)V, V);
}

/* Which of the answers are right when every symbol before is? */
static void addition_forced(Learner *learner, Tape *tape, CausalResult *result) {
    int n = learner->plan.test, right = 0;
    for (int b = 0; b < n; b++) {
        addition_fill(learner, b, learner->order[b]);
    }
    tape_reset(tape);
    result->loss = (double)learner_loss(learner, tape, n, INPUT)->data[0];
    Tensor *logits = learner_logits(learner, tape, n, INPUT);
    for (int b = 0; b < n; b++) {
        int hits = 0;
        for (int i = ADDITION_QUESTION - 1; i < INPUT; i++) {
            hits += symbol_at(logits, b, i) == learner->targets[b * INPUT + i];
        }
        right += hits == ADDITION_ANSWER;
    }
    result->forced = (double)right / n;
}

/* Writes the answers one symbol after another, from the question alone. */
static void addition_free(const Run *run, Learner *learner, Tape *tape, CausalResult *result) {
    int n = learner->plan.test, right = 0, wanted[ADDITION_LENGTH];
    int *text = check_alloc((size_t)(n * ADDITION_LENGTH) * sizeof(int));
    for (int b = 0; b < n; b++) {
        addition_write(learner->order[b], text + b * ADDITION_LENGTH);
    }
    for (int L = ADDITION_QUESTION; L < ADDITION_LENGTH && !run_stopped(run); L++) {
        for (int b = 0; b < n; b++) { /* what is known so far: L symbols of each */
            memcpy(learner->ids + b * L, text + b * ADDITION_LENGTH, (size_t)L * sizeof(int));
        }
        tape_reset(tape);
        Tensor *logits = learner_logits(learner, tape, n, L);
        for (int b = 0; b < n; b++) {
            text[b * ADDITION_LENGTH + L] = symbol_at(logits, b, L - 1);
        }
    }
    for (int b = 0; b < n; b++) {
        addition_write(learner->order[b], wanted);
        right += memcmp(wanted, text + b * ADDITION_LENGTH, sizeof wanted) == 0;
    }
    result->exact = (double)right / n;
    addition_write(learner->order[0], wanted);
    digits_text(wanted, ADDITION_QUESTION, result->question);
    digits_text(wanted + ADDITION_QUESTION, ADDITION_ANSWER, result->answer);
    digits_text(text + ADDITION_QUESTION, ADDITION_ANSWER, result->free);
    free(text);
}

CausalResult addition_train(Run *run, const char *label, Looker looker, CausalPlan plan) {
    CHECK(plan.held >= plan.test && plan.test >= 1 && plan.held < ADDITION_COUNT,
          "addition_train: %d additions held out of %d, %d tested", plan.held, ADDITION_COUNT,
          plan.test);
    Learner learner = learner_new(run, looker, plan, INPUT);
    Fit fit = fit_of(&learner, label);
    fit.loss = addition_loss;
    CausalResult result = {.curve = fit_train(run, &fit), .loss = NAN, .forced = NAN, .exact = NAN};
    Tape tape = tape_new();
    tape.recording = false;
    if (!run_stopped(run)) { /* testing takes long, too */
        addition_forced(&learner, &tape, &result);
        addition_free(run, &learner, &tape, &result);
    }
    tape_free(&tape);
    learner_free(&learner);
    return result;
}

/* ---- random digits ---- */

/* The start symbol and all digits but the last, and below each the digit that follows. */
static void digits_fill(Learner *learner, int B) {
    int row[RANDOM_DIGITS + 1];
    for (int b = 0; b < B; b++) {
        digits_draw(&learner->rng, 1, RANDOM_DIGITS, row);
        memcpy(learner->ids + b * RANDOM_DIGITS, row, RANDOM_DIGITS * sizeof(int));
        memcpy(learner->targets + b * RANDOM_DIGITS, row + 1, RANDOM_DIGITS * sizeof(int));
    }
}

static Tensor *digits_loss(void *model, Tape *tape) {
    Learner *learner = model;
    digits_fill(learner, learner->plan.B);
    return learner_loss(learner, tape, learner->plan.B, RANDOM_DIGITS);
}

CausalResult random_digits_train(Run *run, const char *label, Looker looker, CausalPlan plan) {
    enum { TEST = 256 };
    plan.test = TEST;
    Learner learner = learner_new(run, looker, plan, RANDOM_DIGITS);
    Fit fit = fit_of(&learner, label);
    fit.loss = digits_loss;
    CausalResult result = {.curve = fit_train(run, &fit), .loss = NAN, .forced = NAN, .exact = NAN};
    Tape tape = tape_new();
    tape.recording = false;
    if (!run_stopped(run)) {
        learner.rng = run_rng(run, "digits test"); /* whatever the training has drawn */
        digits_fill(&learner, TEST);
        result.loss = (double)learner_loss(&learner, &tape, TEST, RANDOM_DIGITS)->data[0];
    }
    tape_free(&tape);
    learner_free(&learner);
    return result;
}

double random_digits_leak(Run *run, Looker looker, CausalPlan plan) {
    enum { L = RANDOM_DIGITS };
    Learner learner = learner_new(run, looker, plan, L);
    Tape tape = tape_new();
    tape.recording = false;
    digits_fill(&learner, 1);
    Tensor *before = learner_logits(&learner, &tape, 1, L);
    learner.ids[L - 1] = (learner.ids[L - 1] + 1) % 10;
    Tensor *after = learner_logits(&learner, &tape, 1, L);
    double moved =
        largest_difference(before->data, after->data, (size_t)((L - 1) * DIGITS_VOCABULARY));
    tape_free(&tape);
    learner_free(&learner);
    return moved;
}
