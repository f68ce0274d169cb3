#include "nn/beam.h"

#include "core/check.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A way to go on: `token` behind what living beam `beam` has said, and the log probability of it
 * all. */
typedef struct Candidate {
    double log_p;
    int beam, token;
} Candidate;

/* The answer so far: what row `row` said at step `steps` - 1, and all that led there. */
typedef struct Best {
    double score, log_p;
    int steps, row;
    bool ended, found;
} Best;

typedef struct Search {
    BeamOptions options;
    int B, V, K, rows; /* rows = B K */
    int *living;       /* (B): its first so many beams live; 0: the search for it is over */
    double *log_p;     /* (rows) of the living ones */
    int *previous;     /* (rows): said last */
    int *parent;       /* (rows) */
    Best *best;        /* (B) */
    int *token, *from; /* (max_steps, rows): what was chosen at each step, and the row (of that
                          step) it was read from */
    int *order;        /* (min(K, V)) and (K): scratch */
    Candidate *chosen;
} Search;

static Search search_new(int B, int V, BeamOptions options) {
    int K = options.beams, rows = B * K;
    size_t n = (size_t)rows, history = n * (size_t)options.max_steps;
    Search search = {.options = options, .B = B, .V = V, .K = K, .rows = rows};
    search.living = check_alloc((size_t)B * sizeof *search.living);
    search.log_p = check_alloc(n * sizeof *search.log_p);
    search.previous = check_alloc(n * sizeof *search.previous);
    search.parent = check_alloc(n * sizeof *search.parent);
    search.best = check_alloc((size_t)B * sizeof *search.best);
    search.token = check_alloc(history * sizeof *search.token);
    search.from = check_alloc(history * sizeof *search.from);
    search.order = check_alloc((size_t)(K < V ? K : V) * sizeof *search.order);
    search.chosen = check_alloc((size_t)K * sizeof *search.chosen);
    for (int b = 0; b < B; b++) {
        search.living[b] = 1; /* K beams that are all alike would stay alike: one begins */
    }
    for (int r = 0; r < rows; r++) {
        search.previous[r] = options.start;
    }
    return search;
}

static void search_free(Search *search) {
    free(search->living);
    free(search->log_p);
    free(search->previous);
    free(search->parent);
    free(search->best);
    free(search->token);
    free(search->from);
    free(search->order);
    free(search->chosen);
}

/* ---- one step of one sequence ---- */

/* The `most` tokens with the largest logits into order[], the largest first, of equal ones the
 * lower token; returns how many there are. NaN and -inf are none: both fail the comparison. */
static int best_tokens(const float *logits, int V, int most, int *order) {
    int count = 0;
    for (int v = 0; v < V; v++) {
        if (!(logits[v] > -INFINITY) || (count == most && logits[v] <= logits[order[count - 1]])) {
            continue;
        }
        int at = count < most ? count++ : count - 1;
        for (; at > 0 && logits[v] > logits[order[at - 1]]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = v;
    }
    return count;
}

/* logit - largest, and 0 for the largest itself even where that is infinite. */
static double below(float logit, float largest) {
    return logit == largest ? 0.0 : (double)logit - (double)largest;
}

/* log(sum of exp(logit - largest)), at least 0, so that no log probability comes out above 0. */
static double log_sum(const float *logits, int V, float largest) {
    double sum = 0.0;
    for (int v = 0; v < V; v++) {
        if (logits[v] > -INFINITY) {
            sum += exp(below(logits[v], largest));
        }
    }
    return sum > 1.0 ? log(sum) : 0.0; /* the largest alone makes 1 */
}

/* Puts a candidate into its place among the `count` best of at most K. Candidates come in the order
 * of their beams, and within a beam the best first: so only a better one goes in front. */
static int insert_candidate(Candidate *chosen, int count, int K, Candidate candidate) {
    if (count == K && candidate.log_p <= chosen[K - 1].log_p) {
        return count;
    }
    int at = count < K ? count : K - 1;
    for (; at > 0 && candidate.log_p > chosen[at - 1].log_p; at--) {
        chosen[at] = chosen[at - 1];
    }
    chosen[at] = candidate;
    return count < K ? count + 1 : K;
}

/* Exercise 7.7 */
/* The K best continuations of all living beams of sequence b; returns how many there are. */
static int choose(Search *search, int b, const float *scores) {
    int V = search->V, K = search->K, count = 0;
    for (int k = 0; k < search->living[b]; k++) {
        const float *logits = scores + ((size_t)b * (size_t)K + (size_t)k) * (size_t)V;
        int here = best_tokens(logits, V, K < V ? K : V, search->order);
        if (here == 0) {
            continue;
        }
        float largest = logits[search->order[0]];
        double sofar = search->log_p[b * K + k] - log_sum(logits, V, largest);
        for (int i = 0; i < here; i++) {
            int token = search->order[i];
            Candidate candidate = {sofar + below(logits[token], largest), k, token};
            if (candidate.log_p > -INFINITY) { /* beside +inf all others are impossible */
                count = insert_candidate(search->chosen, count, K, candidate);
            }
        }
    }
    return count;
}

/* Exercise 7.7 */
/* The value of a sequence of n tokens, by which finished ones are compared. */
static double score_of(const Search *search, double log_p, int n) {
    return log_p / pow((double)n, (double)search->options.normalise);
}

/* A sequence of `steps` tokens that ends in `row` competes for the answer. */
static void compete(Search *search, int b, double log_p, int steps, int row, bool ended) {
    double score = steps > 0 ? score_of(search, log_p, steps) : 0.0;
    Best *best = &search->best[b];
    if (!best->found || score > best->score) {
        *best = (Best){score, log_p, steps, row, ended, true};
    }
}

/* Can a beam with this log probability still come to more than the best so far? The words to come
 * cannot make it more probable: log_p <= 0 only falls. But its score is log_p / n^normalise, and
 * that rises towards 0 with n; so the most it may hope for is that all words to come are certain
 * and that there are as many of them as possible: log_p / max_steps^normalise. (The usual stop
 * compares the scores of now, log_p / n^normalise, and gives up sequences that would have won; see
 * Huang, Zhao and Ma 2017.) Beams are sorted, so the first one speaks for all. */
static bool can_win(const Search *search, int b) {
    const Best *best = &search->best[b];
    double hope = score_of(search, search->log_p[b * search->K], search->options.max_steps);
    return search->living[b] > 0 && (!best->found || hope > best->score);
}

/* Step t of sequence b, its scores being there. */
static void advance(Search *search, int b, int t, const float *scores) {
    int K = search->K, first = b * K, *token = search->token + (size_t)t * (size_t)search->rows,
        *from = search->from + (size_t)t * (size_t)search->rows;
    int count = choose(search, b, scores), lives = 0, ended = K;
    if (count == 0) { /* nothing can be said any more */
        compete(search, b, search->log_p[first], t, first, false);
        search->living[b] = 0;
    }
    for (int i = 0; i < count; i++) {
        const Candidate *one = &search->chosen[i];
        bool ends = one->token == search->options.end;
        int row = first + (ends ? --ended : lives++); /* the living in front, the ended behind */
        token[row] = one->token;
        from[row] = first + one->beam;
        search->log_p[row] = one->log_p;
        if (ends || t + 1 == search->options.max_steps) {
            compete(search, b, one->log_p, t + 1, row, ends);
        }
    }
    if (count > 0) {
        search->living[b] = lives;
        search->living[b] = can_win(search, b) ? lives : 0;
    }
    for (int k = 0; k < K; k++) {
        bool lives_on = k < search->living[b];
        search->previous[first + k] = lives_on ? token[first + k] : search->options.end;
        search->parent[first + k] = lives_on ? from[first + k] : first + k;
    }
}

/* ---- the whole search ---- */

/* All sequences that are not finished take step t; false when there are none left. */
static bool take_step(Search *search, int t, BeamStep step, void *decoder) {
    bool moved = false, any = false;
    for (int r = 0; r < search->rows && t > 0; r++) {
        moved = moved || search->parent[r] != r;
    }
    const float *scores =
        step(decoder, moved ? search->parent : NULL, search->previous, search->rows);
    for (int b = 0; b < search->B; b++) {
        if (search->living[b] > 0) {
            advance(search, b, t, scores);
        }
        any = any || search->living[b] > 0;
    }
    return any;
}

/* Back from the last token of the best sequence to its first one. */
static void trace_back(const Search *search, int b, BeamResult *result) {
    const Best *best = &search->best[b];
    size_t begin = (size_t)b * (size_t)search->options.max_steps;
    int row = best->row;
    for (int t = best->steps - 1; t >= 0; t--) {
        size_t at = (size_t)t * (size_t)search->rows + (size_t)row;
        row = search->from[at];
        result->tokens[begin + (size_t)t] = search->token[at];
        result->row[begin + (size_t)t] = row;
    }
    result->said[b] = best->steps;
    result->length[b] = best->steps - best->ended;
    result->log_probability[b] = best->log_p;
    result->score[b] = best->score;
}

static void check_options(int B, int V, BeamOptions options) {
    CHECK(B >= 1 && V >= 1 && options.beams >= 1 && options.max_steps >= 1,
          "beam_search: B %d, V %d, beams %d and max_steps %d", B, V, options.beams,
          options.max_steps);
    CHECK(options.beams <= INT_MAX / B, "beam_search: %d beams of %d sequences are too many rows",
          options.beams, B);
    CHECK(options.end >= 0 && options.end < V, "beam_search: the end token %d is not one of %d",
          options.end, V);
    CHECK(options.normalise >= 0.0f && isfinite(options.normalise),
          "beam_search: normalise is %g; it must be a number from 0 on", (double)options.normalise);
}

BeamResult beam_search(BeamStep step, void *decoder, int B, int V, BeamOptions options) {
    check_options(B, V, options);
    Search search = search_new(B, V, options);
    for (int t = 0; t < options.max_steps && take_step(&search, t, step, decoder); t++) {
    }
    size_t n = (size_t)B, all = n * (size_t)options.max_steps;
    BeamResult result = {.tokens = check_alloc(all * sizeof *result.tokens),
                         .length = check_alloc(n * sizeof *result.length),
                         .said = check_alloc(n * sizeof *result.said),
                         .row = check_alloc(all * sizeof *result.row),
                         .log_probability = check_alloc(n * sizeof *result.log_probability),
                         .score = check_alloc(n * sizeof *result.score)};
    for (int b = 0; b < B; b++) {
        trace_back(&search, b, &result);
    }
    search_free(&search);
    return result;
}

void beam_free(BeamResult *result) {
    free(result->tokens);
    free(result->length);
    free(result->said);
    free(result->row);
    free(result->log_probability);
    free(result->score);
    *result = (BeamResult){0};
}
