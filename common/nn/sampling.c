#include "nn/sampling.h"

#include "core/check.h"
#include "core/tensor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_settings(int V, Sampling sampling) {
    double temperature = (double)sampling.temperature, top_p = (double)sampling.top_p;
    CHECK(V >= 1, "sampling: %d tokens to choose from", V);
    CHECK(temperature >= 0.0 && isfinite(temperature),
          "sampling: the temperature is %g; it must be a number from 0 on", temperature);
    CHECK(sampling.top_k >= 0, "sampling: top_k is %d; it must be at least 1, or 0 to keep all",
          sampling.top_k);
    CHECK(top_p >= 0.0 && top_p <= 1.0, "sampling: top_p is %g; it must lie between 0 and 1",
          top_p);
}

static void check_logits(const float *logits, int V) {
    bool any = false;
    for (int v = 0; v < V; v++) {
        CHECK(!isnan(logits[v]) && logits[v] != INFINITY, "sampling: the logit of token %d is %g",
              v, (double)logits[v]);
        any = any || logits[v] > -INFINITY;
    }
    CHECK(any, "sampling: the logits of all %d tokens are -inf: there is nothing to choose", V);
}

/* p_v = exp((logit_v - largest) / temperature), not yet divided by their sum. No exponent is above
 * 0, so nothing overflows however small the temperature is, and the largest gives 1. */
static void weigh(const float *logits, int V, float temperature, float *p) {
    double largest = (double)logits[tensor_argmax(logits, V)];
    for (int v = 0; v < V; v++) {
        p[v] = (float)exp(((double)logits[v] - largest) / (double)temperature);
    }
}

static void normalise(float *p, int V) {
    double sum = 0.0;
    for (int v = 0; v < V; v++) {
        sum += (double)p[v];
    }
    for (int v = 0; v < V; v++) {
        p[v] = (float)((double)p[v] / sum);
    }
}

/* ---- the two filters ---- */

typedef struct Choice {
    float logit;
    int token;
} Choice;

/* The most probable first. Logits are compared, not probabilities: at a low temperature many of
 * those are 0 alike. */
static int compare_choices(const void *a, const void *b) {
    const Choice *left = a, *right = b;
    if (left->logit != right->logit) {
        return left->logit > right->logit ? -1 : 1;
    }
    return left->token < right->token ? -1 : 1;
}

/* How many of the `count` most probable tokens it takes to reach p of what they have together. .5
 * and .3 reach .8, although as floats they fall short of it by a rounding: hence the millionth. */
static int count_reaching(const Choice *order, int count, float p, const float *probability) {
    double sum = 0.0, reached = 0.0;
    for (int i = 0; i < count; i++) {
        sum += (double)probability[order[i].token];
    }
    for (int i = 0; i < count; i++) {
        reached += (double)probability[order[i].token];
        if (reached >= (double)p * sum * (1.0 - 1e-6)) {
            return i + 1;
        }
    }
    return count;
}

static void filter(const float *logits, int V, Sampling sampling, float *probability) {
    Choice *order = check_alloc((size_t)V * sizeof *order);
    for (int v = 0; v < V; v++) {
        order[v] = (Choice){logits[v], v};
    }
    qsort(order, (size_t)V, sizeof *order, compare_choices);
    int kept = sampling.top_k > 0 && sampling.top_k < V ? sampling.top_k : V;
    if (sampling.top_p > 0.0f && sampling.top_p < 1.0f) {
        kept = count_reaching(order, kept, sampling.top_p, probability);
    }
    for (int i = kept; i < V; i++) {
        probability[order[i].token] = 0.0f;
    }
    free(order);
}

void sampling_probabilities(const float *logits, int V, Sampling sampling, float *probability) {
    check_settings(V, sampling);
    check_logits(logits, V);
    if (sampling.temperature == 0.0f) {
        memset(probability, 0, (size_t)V * sizeof *probability);
        probability[tensor_argmax(logits, V)] = 1.0f; /* whatever is filtered, this one stays */
        return;
    }
    weigh(logits, V, sampling.temperature, probability);
    if ((sampling.top_k > 0 && sampling.top_k < V) ||
        (sampling.top_p > 0.0f && sampling.top_p < 1.0f)) {
        filter(logits, V, sampling, probability);
    }
    normalise(probability, V);
}

int sampling_draw(const float *logits, int V, Sampling sampling, Rng *rng) {
    check_settings(V, sampling);
    float *probability = check_alloc((size_t)V * sizeof *probability);
    sampling_probabilities(logits, V, sampling, probability);
    double left = (double)(rng_bits(rng) >> 11) * 0x1p-53; /* uniform in [0, 1), 53 bits */
    int token = tensor_argmax(logits, V); /* in case rounding leaves a little of `left` */
    for (int v = 0; v < V; v++) {
        left -= (double)probability[v];
        if (left < 0.0) {
            token = v;
            break;
        }
    }
    free(probability);
    return token;
}
