#include "lesson/experiments/race.h"

#include "core/chain.h"
#include "core/check.h"
#include "core/optim.h"
#include "lesson/experiments/beams.h"
#include "lesson/stopwatch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RACE_CHECKS = 24 };

const char *const racer_names[RACER_KINDS] = {"one vector", "Bahdanau", "Luong", "Transformer"};

/* ---- the recurrent ones ---- */

static void look_at(Seq2seq *base, Tape *tape, Tensor *first) {
    RecurrentRacer *m = (RecurrentRacer *)base;
    m->s = first;
    m->c = first; /* stays so where there is no attention: all that is known of the sentence */
    m->found = tape_constant(tape, "h~", NULL, SHAPE(base->h->dim[0], base->H));
    m->keys = m->kind == RACER_BAHDANAU ? additive_keys(tape, &m->additive, base->h)
              : m->kind == RACER_LUONG  ? luong_keys(tape, &m->general, base->h)
                                        : NULL;
}

static void look(RecurrentRacer *m, Tape *tape, Tensor *scores) {
    Attended attended = attend(tape, scores, m->base.h, &m->base.mask);
    m->base.weights = attended.weights;
    m->c = attended.context;
}

/* Bahdanau asks before the new state is made and feeds it what was found; Luong asks with the new
 * state and hands on h~. */
static Tensor *advance(Seq2seq *base, Tape *tape, Tensor *y) {
    RecurrentRacer *m = (RecurrentRacer *)base;
    if (m->kind == RACER_BAHDANAU) {
        look(m, tape, additive_score(tape, &m->additive, m->s, m->keys));
    }
    Tensor *with = m->kind == RACER_LUONG ? m->found : m->c;
    m->s = gru_step_fused(tape, &m->decoder, op_concat(tape, 1, (Tensor *[]){y, with}, 2), m->s);
    if (m->kind == RACER_LUONG) {
        look(m, tape, luong_score(tape, &m->general, m->s, m->keys));
    }
    Tensor *both = op_concat(tape, 1, (Tensor *[]){m->c, m->s}, 2);
    m->found = op_tanh(tape, linear_forward(tape, &m->combine, both));
    return m->found;
}

static DecoderOutput step_without_weights(void *model, Tape *tape, const int *previous) {
    RecurrentRacer *m = model;
    Tensor *y = embedding_step(tape, &m->base.words, previous, m->base.h->dim[0]);
    return (DecoderOutput){linear_forward(tape, &m->base.out, advance(&m->base, tape, y)), NULL};
}

Translator recurrent_racer(RecurrentRacer *racer, RacerKind kind, int V_source, int V, int E,
                           Rng rng) {
    int H = 2 * E;
    CHECK(kind < RACER_TRANSFORMER, "recurrent_racer: kind %d is not recurrent", (int)kind);
    *racer = (RecurrentRacer){.base = seq2seq_new(V_source, V, E, H), .kind = kind};
    Params *params = &racer->base.params;
    racer->base.look_at = look_at;
    racer->base.advance = advance;
    if (kind == RACER_BAHDANAU) {
        racer->additive = additive_new(params, "score", H, H, H);
    } else if (kind == RACER_LUONG) {
        racer->general = luong_new(params, "score", LUONG_GENERAL, H, H, H);
    }
    racer->decoder = gru_new(params, "decoder", E + H, H, 0.0f);
    racer->combine = linear_new(params, "combine", 2 * H, H, false);
    params_allocate(params, &rng);
    Translator translator = seq2seq_translator(&racer->base);
    translator.step = kind == RACER_VECTOR ? step_without_weights : translator.step;
    return translator;
}

/* ---- how far, how many in a row ---- */

int racer_path(RacerKind kind, int n, bool across) {
    if (kind == RACER_TRANSFORMER) {
        return 1; /* one look */
    }
    if (!across) {
        return n - 1; /* steps of the decoder */
    }
    if (kind == RACER_VECTOR) {
        return (n + 1) / 2 + 1; /* from the middle to the nearer end; one step of the decoder */
    }
    return kind == RACER_LUONG ? 2 : 3; /* a step of the encoder, the look; Bahdanau: and the step
                                           of the decoder that is fed with it */
}

int racer_chain(const Translator *translator, RacerKind kind, int n) {
    Arena arena = arena_new();
    size_t bytes = (size_t)(n + 1) * sizeof(int);
    int *word = arena_alloc(&arena, bytes), *answer = arena_alloc(&arena, bytes), length = n;
    int answer_length = n + 1, pair = 0;
    for (int i = 0; i <= n; i++) {
        word[i] = VOCAB_SPECIALS;
        answer[i] = i < n ? VOCAB_SPECIALS : VOCAB_END;
    }
    int *given = arena_alloc(&arena, bytes);
    given[0] = VOCAB_START;
    for (int i = 0; i < n; i++) {
        given[i + 1] = answer[i];
    }
    Batch batch = {1, n, n + 1, word, &length, given, answer, &answer_length, &pair, n + 1};
    Tape tape = tape_new();
    translator->loss(translator->model, &tape, &batch);
    int chain = tape_longest_chain(&tape) + (kind != RACER_TRANSFORMER ? n - 1 : 0);
    tape_free(&tape);
    arena_free(&arena);
    return chain;
}

/* ---- judging ---- */

struct RaceRoom {
    RecurrentRacer racer[RACER_TRANSFORMER];
    FitCurve curve[RACER_TRANSFORMER];
    bool used[RACER_TRANSFORMER];
};

Race race_new(const Task *task, int B) {
    return (Race){.task = task, .B = B, .room = check_alloc(sizeof(struct RaceRoom))};
}

void race_free(Race *race) {
    for (int kind = 0; kind < RACER_TRANSFORMER; kind++) {
        if (race->room->used[kind]) {
            params_free(&race->room->racer[kind].base.params);
        }
    }
    free(race->room);
    *race = (Race){0};
}

void race_add(Race *race, RacerKind kind, Translator translator, const FitCurve *curve) {
    CHECK(race->count < RACER_KINDS, "race_add: more than %d", RACER_KINDS);
    race->by[race->count++] = (Racer){.kind = kind,
                                      .translator = translator,
                                      .curve = curve,
                                      .parameters = params_count_numbers(translator.params)};
}

static double cool_down(long step, long total) {
    return schedule_cooldown(step, total, 0.1);
}

void race_recurrent(Run *run, Race *race, RacerKind kind, int steps, int E) {
    const Task *task = race->task;
    CHECK(kind < RACER_TRANSFORMER && !race->room->used[kind],
          "race_recurrent: kind %d is not recurrent, or entered already", (int)kind);
    Translator translator = recurrent_racer(&race->room->racer[kind], kind, task->source->size,
                                            task->target->size, E, run_rng(run, "weights"));
    TrainingPlan plan = {.label = racer_names[kind],
                         .steps = steps,
                         .B = race->B,
                         .rate = 3e-3f,
                         .schedule = cool_down,
                         .clip = 1.0,
                         .rng = run_rng(run, "batches"),
                         .check_every = (steps + RACE_CHECKS - 1) / RACE_CHECKS,
                         .source = task->source,
                         .target = task->target,
                         .held_out = task->held_out,
                         .check_pairs = 100};
    race->room->used[kind] = true;
    race->room->curve[kind] = translator_train(run, &translator, task->train, &plan);
    race_add(race, kind, translator, &race->room->curve[kind]);
}

const Racer *race_of(const Race *race, RacerKind kind) {
    for (int i = 0; i < race->count; i++) {
        if (race->by[i].kind == kind) {
            return &race->by[i];
        }
    }
    check_fail("race_of: %s takes no part", racer_names[kind]);
}

double racer_sentences(const Race *race, RacerKind kind, double share) {
    return race->B * fit_step_reaching(race_of(race, kind)->curve, share);
}

/* Some training steps, always on the same batches, that move nothing. */
typedef struct Training {
    const Translator *translator;
    Tape tape;
    Adam adam;
    Batcher *batcher;
    int B;
} Training;

enum { TIMED_STEPS = 4 };

static void train_in_vain(void *context) {
    Training *training = context;
    const Translator *translator = training->translator;
    for (int i = 0; i < TIMED_STEPS; i++) {
        int begin = i * training->B;
        tape_reset(&training->tape);
        params_begin_grad(translator->params);
        const Batch *batch = batcher_range(training->batcher, begin, begin + training->B);
        Tensor *loss = translator->loss(translator->model, &training->tape, batch);
        tape_backward(&training->tape, loss);
        adam_step_clipped(&training->adam, 0.0f, 1.0);
    }
}

static double seconds_of_step(const Race *race, const Translator *translator, double budget) {
    BatchOptions options = {race->B, translator->source_end, 0};
    Training training = {.translator = translator,
                         .tape = tape_new(),
                         .adam = adam_new(translator->params),
                         .batcher = batcher_new(race->task->train, options, rng_seeded(0, 0)),
                         .B = race->B};
    training.tape.recycle = true;
    double seconds = stopwatch_best(train_in_vain, &training, budget) / TIMED_STEPS;
    batcher_free(training.batcher);
    adam_free(&training.adam);
    tape_free(&training.tape);
    return seconds;
}

void race_judge(Run *run, Race *race) {
    double budget = run_size(run, 300, 1) * 1e-3;
    for (int i = 0; i < race->count && !run_stopped(run); i++) {
        Racer *racer = &race->by[i];
        Translations done = translator_translate(run, &racer->translator, race->task->held_out,
                                                 (TranslateOptions){.B = 100});
        racer->exact = translations_right(&done);
        racer->bleu = translations_bleu(&done);
        racer->seconds = seconds_of_step(race, &racer->translator, budget);
        translations_free(&done);
    }
}

/* ---- showing ---- */

/* Exact match against steps times `factor` of each. */
static void plot_race(Run *run, const Race *race, Plot plot, const double *factor) {
    double x[RACER_KINDS][FIT_POINTS];
    PlotSeries series[RACER_KINDS];
    for (int i = 0; i < race->count; i++) {
        const FitCurve *curve = race->by[i].curve;
        for (int k = 0; k < curve->n; k++) {
            x[i][k] = curve->step[k] * factor[i];
        }
        series[i] = (PlotSeries){.label = racer_names[race->by[i].kind],
                                 .x = x[i],
                                 .y = curve->metric,
                                 .n = curve->n,
                                 .style = PLOT_LINES_POINTS};
    }
    plot.y_label = "exact match, held out";
    plot.y_max = 1.0;
    plot.series = series;
    plot.count = race->count;
    run_plot(run, &plot);
}

void race_show_paths(Run *run, const Race *race, int few, int many) {
    char header[160];
    run_say(run,
            "The paper's reasons (its table 1). By the wiring: the longest way, in steps and "
            "looks, from a word read to a word written, and from the first word written to the "
            "last. Counted: how many operations wait for each other in one pass of training.");
    snprintf(header, sizeof header,
             "n = %d words\tsource to target\tfirst to last\tin a row\tin a row, n = %d", few,
             many);
    run_table(run, header);
    for (int i = 0; i < race->count; i++) {
        const Racer *r = &race->by[i];
        run_table_row(run, "%s\t%d\t%d\t%d\t%d", racer_names[r->kind],
                      racer_path(r->kind, few, true), racer_path(r->kind, few, false),
                      racer_chain(&r->translator, r->kind, few),
                      racer_chain(&r->translator, r->kind, many));
    }
    run_table_end(run);
}

double race_common_seconds(const Race *race) {
    double least = INFINITY;
    for (int i = 0; i < race->count; i++) {
        const FitCurve *curve = race->by[i].curve;
        double all = curve->n > 0 ? curve->step[curve->n - 1] * race->by[i].seconds : 0.0;
        least = fmin(least, all);
    }
    return least;
}

double racer_exact_within(const Racer *racer, double seconds) {
    double exact = 0.0;
    for (int k = 0; k < racer->curve->n; k++) {
        bool in_time = racer->curve->step[k] * racer->seconds <= seconds;
        exact = in_time ? racer->curve->metric[k] : exact;
    }
    return exact;
}

void race_show(Run *run, const Race *race) {
    double sentences[RACER_KINDS], seconds[RACER_KINDS], common = race_common_seconds(race);
    char header[128];
    snprintf(header, sizeof header,
             "model\tparameters\texact match\tBLEU\t90 %% after sentences\tafter %.1f s", common);
    run_table(run, header);
    for (int i = 0; i < race->count; i++) {
        const Racer *r = &race->by[i];
        double reached = racer_sentences(race, r->kind, 0.9);
        char text[32];
        snprintf(text, sizeof text, isnan(reached) ? "-" : "%.0f", reached);
        sentences[i] = race->B;
        seconds[i] = r->seconds;
        run_table_row(run, "%s\t%zu\t%.1f %%\t%.1f\t%s\t%.0f %%", racer_names[r->kind],
                      r->parameters, 100.0 * r->exact, 100.0 * r->bleu, text,
                      100.0 * racer_exact_within(r, common));
    }
    run_table_end(run);
    run_say(run, "The last column is exact match in the same seconds: those of the one that was "
                 "done first (timing_race.png has them all).");
    plot_race(run, race,
              (Plot){.name = "race_sentences",
                     .title = "The race: against sentences seen",
                     .x_label = "sentences seen in training"},
              sentences);
    plot_race(run, race,
              (Plot){.name = "timing_race",
                     .title = "The race: against time",
                     .x_label = "seconds of training"},
              seconds);
}

/* ---- claims ---- */

void race_claims(Run *run, const Race *race, int few, int many) {
    const Racer *t = race_of(race, RACER_TRANSFORMER), *luong = race_of(race, RACER_LUONG);
    const Racer *bahdanau = race_of(race, RACER_BAHDANAU);
    double at[] = {racer_sentences(race, RACER_BAHDANAU, 0.9),
                   racer_sentences(race, RACER_LUONG, 0.9),
                   racer_sentences(race, RACER_TRANSFORMER, 0.9)};
    claim_trained(run, "race_vector", "one vector: phrases right, %",
                  race_of(race, RACER_VECTOR)->exact, "<=", 0.6);
    claim_trained(run, "race_looking", "the three that look: phrases right, at least, %",
                  fmin(t->exact, fmin(luong->exact, bahdanau->exact)), ">=", 0.95);
    claim_trained(run, "sentences", "sentences until 90 %: the faster RNN's over the Transformer's",
                  fmin(at[0], at[1]) / at[2], ">", 1.2);
    claim_checked(run, "in_a_row", "Transformer: operations in a row, longer for more words by",
                  racer_chain(&t->translator, t->kind, many) -
                      racer_chain(&t->translator, t->kind, few),
                  "==", 0);
    claim_timing(run, "step_time", "seconds of a training step, Transformer over Luong",
                 t->seconds / luong->seconds, ">", 1);
    double ours = at[2] / race->B * t->seconds, theirs = at[1] / race->B * luong->seconds;
    run_conclude(run,
                 "Sentence for sentence the Transformer learns fastest. %s (90 %% after %.1f s, "
                 "Luong's after %.1f s on this machine): its step takes %.1f times as long, with "
                 "%.1f times the weights. That the operations which wait for each other grow no "
                 "more with the sentence pays where thousands run at once, as on the machines of "
                 "the paper, and in training only: it writes word by word, like the others.",
                 ours > theirs ? "By the clock it does not" : "By the clock, too", ours, theirs,
                 t->seconds / luong->seconds, (double)t->parameters / (double)luong->parameters);
}
