#include "lesson/experiments/score_cost.h"

#include "core/check.h"
#include "lesson/lines.h"
#include "lesson/refusal.h"
#include "lesson/stopwatch.h"
#include "nn/attention.h"

const char *const score_way_names[SCORE_WAYS] = {"dot", "general", "additive, keys once",
                                                 "additive, keys at every step"};

double score_multiply_adds(ScoreWay way, int B, int S, int d) {
    double words = (double)B * S * d, query = (double)B * d * d, keys = query * S;
    switch (way) {
    case WAY_DOT:
        return words;
    case WAY_GENERAL:
        return query + words;
    case WAY_ADDITIVE:
        return query + 3.0 * words; /* W_q s; then add, tanh, times v */
    default:
        return query + keys + 3.0 * words;
    }
}

typedef struct Scoring {
    ScoreWay way;
    Tape tape;
    Tensor *s, *h, *keys; /* (B, d), (B, S, d), (B, S, d) */
    Tensor *w_q, *w_k;    /* (d, d) */
    Tensor *v;            /* (d) */
} Scoring;

static Tensor *scores_of(Scoring *x) {
    Tensor *turned;
    switch (x->way) {
    case WAY_GENERAL: /* s W h: turning the one query round is less work than turning S keys */
        /* Exercise 3.2 */
        turned = op_matmul(&x->tape, x->s, x->w_k);
        /* End of exercise 3.2 */
        return luong_score(&x->tape, &(LuongAttention){.score = LUONG_DOT}, turned, x->h);
    case WAY_ADDITIVE:
        return op_additive_score(&x->tape, op_linear(&x->tape, x->s, x->w_q, NULL), x->keys, x->v);
    case WAY_ADDITIVE_EVERY:
        return op_additive_score(&x->tape, op_linear(&x->tape, x->s, x->w_q, NULL),
                                 op_linear(&x->tape, x->h, x->w_k, NULL), x->v);
    default:
        return luong_score(&x->tape, &(LuongAttention){.score = LUONG_DOT}, x->s, x->h);
    }
}

static void score_once(void *context) {
    Scoring *x = context;
    tape_reset(&x->tape);
    scores_of(x);
}

static Tensor *random_constant(Tape *tape, Rng *rng, int ndim, const int *dim) {
    Tensor *tensor = tape_constant(tape, "random", NULL, ndim, dim);
    for (size_t i = 0; i < tensor_size(tensor); i++) {
        tensor->data[i] = rng_normal(rng);
    }
    return tensor;
}

double score_seconds(ScoreWay way, int B, int S, int d, double budget, Rng *rng) {
    Tape inputs = tape_new();
    Scoring x = {.way = way, .tape = tape_new()};
    x.s = random_constant(&inputs, rng, SHAPE(B, d));
    x.h = random_constant(&inputs, rng, SHAPE(B, S, d));
    x.w_q = random_constant(&inputs, rng, SHAPE(d, d));
    x.w_k = random_constant(&inputs, rng, SHAPE(d, d));
    x.v = random_constant(&inputs, rng, SHAPE(d));
    x.keys = op_linear(&inputs, x.h, x.w_k, NULL);
    double seconds = stopwatch_best(score_once, &x, budget);
    tape_free(&x.tape);
    tape_free(&inputs);
    return seconds;
}

static void plot_costs(Run *run, const char *name, const char *title, const char *y_label,
                       const ScoreCosts *costs, const double *y) {
    Plot plot = {.name = name,
                 .title = title,
                 .x_label = "size of the vectors d",
                 .y_label = y_label,
                 .x_log = true,
                 .y_log = true};
    run_lines(run, plot, score_way_names, SCORE_WAYS, costs->d, y, SCORE_COST_SIZES);
}

ScoreCosts score_costs_show(Run *run, int B, int S) {
    ScoreCosts costs = {.d = {0}};
    double budget = run_size(run, 60, 2) * 1e-3;
    Rng rng = run_rng(run, "score cost");
    run_table(run, "d\tdot\tgeneral\tadditive, keys once\tevery step\tadditive / dot");
    for (int k = 0; k < SCORE_COST_SIZES && !run_stopped(run); k++) {
        int d = 16 << k;
        costs.d[k] = d;
        for (int way = 0; way < SCORE_WAYS; way++) {
            costs.adds[way][k] = score_multiply_adds((ScoreWay)way, B, S, d);
            costs.seconds[way][k] = score_seconds((ScoreWay)way, B, S, d, budget, &rng);
        }
        run_table_row(run, "%d\t%.3g\t%.3g\t%.3g\t%.3g\t%.1f", d, costs.adds[WAY_DOT][k],
                      costs.adds[WAY_GENERAL][k], costs.adds[WAY_ADDITIVE][k],
                      costs.adds[WAY_ADDITIVE_EVERY][k],
                      costs.adds[WAY_ADDITIVE][k] / costs.adds[WAY_DOT][k]);
    }
    run_table_end(run);
    plot_costs(run, "score_cost", "One step of scoring, counted", "multiply-adds", &costs,
               costs.adds[0]);
    plot_costs(run, "timing_score_cost", "One step of scoring, timed", "seconds", &costs,
               costs.seconds[0]);
    return costs;
}

/* ---- sizes ---- */

typedef struct SizeTrial {
    LuongScore score;
    int Dq, Dk;
    Tape tape;
    Params params;
} SizeTrial;

static void try_sizes(void *context) {
    SizeTrial *trial = context;
    Tape *tape = &trial->tape;
    LuongAttention a = luong_new(&trial->params, "a", trial->score, trial->Dq, trial->Dk, 5);
    if (trial->params.count > 0) {
        Rng rng = rng_seeded(1, 1);
        params_allocate(&trial->params, &rng);
    }
    Tensor *h = tape_constant(tape, "h", NULL, SHAPE(2, 3, trial->Dk));
    luong_score(tape, &a, tape_constant(tape, "s", NULL, SHAPE(2, trial->Dq)),
                luong_keys(tape, &a, h));
}

int scores_that_cope(Run *run, int Dq, int Dk) {
    static const char *const names[] = {"dot", "general", "concat"};
    int cope = 0;
    for (int score = LUONG_DOT; score <= LUONG_CONCAT; score++) {
        SizeTrial trial = {(LuongScore)score, Dq, Dk, tape_new(), params_new()};
        Refusal refusal = refusal_of(try_sizes, &trial);
        run_say(run, "%s: %s.", names[score], refusal.refused ? refusal.message : "copes");
        cope += !refusal.refused;
        params_free(&trial.params);
        tape_free(&trial.tape);
    }
    return cope;
}
