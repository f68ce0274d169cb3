#include "core/optim.h"

#include "core/check.h"
#include "core/kernels/parallel.h"
#include "core/kernels/rows.h"
#include "core/pages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double params_grad_norm(Params *params) {
    params_end_grad(params);
    return sqrt(sum_squares(params->grad, (long)params->size));
}

/* What brings gradients of this norm down to max_norm; 1 when they are not above it. */
static float clip_factor(const char *who, double norm, double max_norm) {
    CHECK(max_norm > 0.0, "%s: the limit %g is not positive", who, max_norm);
    /* Exercise 1.3 */
    return norm > max_norm ? (float)(max_norm / (norm + 1e-6)) : 1.0f;
    /* End of exercise 1.3 */
}

static void scale_chunk(float *g, float factor, long n) {
    for (long i = 0; i < n; i++) {
        g[i] *= factor;
    }
}

static void scale_all(float *g, float factor, long size) {
    if (!worth_chunks(size)) {
        scale_chunk(g, factor, size);
        return;
    }
#pragma omp parallel for schedule(static)
    for (long begin = 0; begin < size; begin += PARALLEL_CHUNK) {
        scale_chunk(g + begin, factor, chunk_length(begin, size));
    }
}

double params_clip_norm(Params *params, double max_norm) {
    double norm;
    /* Exercise 1.3 */
    norm = params_grad_norm(params);
    float factor = clip_factor("params_clip_norm", norm, max_norm);
    if (factor != 1.0f) {
        scale_all(params->grad, factor, (long)params->size);
    }
    /* End of exercise 1.3 */
    return norm;
}

static float *moment_new(const Params *params) {
    CHECK(params->data != NULL, "an optimiser needs allocated parameters: call params_allocate");
    float *moment = pages_new(params->size * sizeof(float));
    CHECK(moment != NULL, "out of memory: an optimiser for %zu parameters", params->size);
    return memset(moment, 0, params->size * sizeof(float));
}

Sgd sgd_new(Params *params, float momentum) {
    return (Sgd){params, momentum, moment_new(params)};
}

void sgd_step(Sgd *sgd, float lr) {
    params_end_grad(sgd->params);
    float *restrict p = sgd->params->data, *restrict v = sgd->velocity;
    const float *restrict g = sgd->params->grad;
    float momentum = sgd->momentum;
    for (size_t i = 0; i < sgd->params->size; i++) {
        v[i] = momentum * v[i] + g[i];
        p[i] -= lr * v[i];
    }
}

void sgd_free(Sgd *sgd) {
    free(sgd->velocity);
    sgd->velocity = NULL;
}

Adam adam_new(Params *params) {
    return (Adam){.params = params,
                  .beta1 = 0.9f,
                  .beta2 = 0.999f,
                  .eps = 1e-8f,
                  .m = moment_new(params),
                  .v = moment_new(params)};
}

/* One step in numbers: what the formula needs besides the arrays. */
typedef struct AdamRates {
    float b1, b2, eps, keep, rate, root;
    float scale; /* of the gradients */
} AdamRates;

/* Exercise 7.6 */
/* With the corrected moments m / (1 - beta1^t) and v / (1 - beta2^t), the step
 * lr m^ / (sqrt(v^) + eps) is rearranged so that the corrections are two numbers per call. */
static AdamRates adam_rates(const Adam *adam, float lr, float scale) {
    double correct1 = 1.0 - pow((double)adam->beta1, (double)adam->step);
    double correct2 = 1.0 - pow((double)adam->beta2, (double)adam->step);
    return (AdamRates){.b1 = adam->beta1,
                       .b2 = adam->beta2,
                       .eps = adam->eps,
                       .keep = 1.0f - lr * adam->weight_decay,
                       .rate = (float)((double)lr / correct1),
                       .root = (float)(1.0 / sqrt(correct2)),
                       .scale = scale};
}

/* Exercise 7.6 */
static void adam_chunk(AdamRates r, float *restrict p, float *restrict m, float *restrict v,
                       const float *restrict grad, long n) {
    for (long i = 0; i < n; i++) {
        float g = r.scale * grad[i];
        m[i] = r.b1 * m[i] + (1.0f - r.b1) * g;
        v[i] = r.b2 * v[i] + (1.0f - r.b2) * g * g;
        p[i] = r.keep * p[i] - r.rate * m[i] / (sqrtf(v[i]) * r.root + r.eps);
    }
}

static void adam_step_scaled(Adam *adam, float lr, float scale) {
    AdamRates rates;
    /* Exercise 7.6 */
    adam->step++;
    rates = adam_rates(adam, lr, scale);
    /* End of exercise 7.6 */
    float *p = adam->params->data, *m = adam->m, *v = adam->v;
    const float *g = adam->params->grad;
    long size = (long)adam->params->size;
    if (!worth_chunks(size)) {
        adam_chunk(rates, p, m, v, g, size);
        return;
    }
#pragma omp parallel for schedule(static)
    for (long i = 0; i < size; i += PARALLEL_CHUNK) {
        adam_chunk(rates, p + i, m + i, v + i, g + i, chunk_length(i, size));
    }
}

void adam_step(Adam *adam, float lr) {
    params_end_grad(adam->params);
    adam_step_scaled(adam, lr, 1.0f);
}

double adam_step_clipped(Adam *adam, float lr, double max_norm) {
    double norm;
    /* Exercise 7.6 */
    norm = params_grad_norm(adam->params);
    adam_step_scaled(adam, lr, clip_factor("adam_step_clipped", norm, max_norm));
    /* End of exercise 7.6 */
    return norm;
}

void adam_reset(Adam *adam) {
    memset(adam->m, 0, adam->params->size * sizeof(float));
    memset(adam->v, 0, adam->params->size * sizeof(float));
    adam->step = 0;
}

void adam_free(Adam *adam) {
    free(adam->m);
    free(adam->v);
    adam->m = adam->v = NULL;
}

/* Exercise 7.5 */
double schedule_noam(long step, int d_model, long warmup) {
    double s = (double)step, w = (double)warmup;
    return pow((double)d_model, -0.5) * fmin(pow(s, -0.5), s * pow(w, -1.5));
}

double schedule_cooldown(long step, long total, double part) {
    double begin = (double)total * (1.0 - part), s = (double)step;
    return s <= begin ? 1.0 : fmax(0.0, ((double)total - s) / ((double)total - begin));
}

double schedule_cosine(long step, long total, long warmup, double floor) {
    if (step < warmup) {
        return (double)step / (double)warmup;
    }
    double done = fmin(1.0, (double)(step - warmup) / fmax(1.0, (double)(total - warmup)));
    return floor + (1.0 - floor) * 0.5 * (1.0 + cos(acos(-1.0) * done));
}
