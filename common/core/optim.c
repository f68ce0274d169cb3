#include "core/optim.h"

#include "core/check.h"
#include "core/kernels/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double params_grad_norm(const Params *params) {
    return sqrt(sum_squares(params->grad, (long)params->size));
}

double params_clip_norm(Params *params, double max_norm) {
    CHECK(max_norm > 0.0, "params_clip_norm: the limit %g is not positive", max_norm);
    double norm = params_grad_norm(params);
    if (norm > max_norm) {
        float factor = (float)(max_norm / (norm + 1e-6));
        for (size_t i = 0; i < params->size; i++) {
            params->grad[i] *= factor;
        }
    }
    return norm;
}

static float *moment_new(const Params *params) {
    CHECK(params->data != NULL, "an optimiser needs allocated parameters: call params_allocate");
    return check_alloc(params->size * sizeof(float));
}

Sgd sgd_new(Params *params, float momentum) {
    return (Sgd){params, momentum, moment_new(params)};
}

void sgd_step(Sgd *sgd, float lr) {
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

/* With the corrected moments m / (1 - beta1^t) and v / (1 - beta2^t), the step
 * lr m^ / (sqrt(v^) + eps) is rearranged so that the corrections are two numbers per call. */
void adam_step(Adam *adam, float lr) {
    adam->step++;
    double correct1 = 1.0 - pow((double)adam->beta1, (double)adam->step);
    double correct2 = 1.0 - pow((double)adam->beta2, (double)adam->step);
    float rate = (float)((double)lr / correct1), root = (float)(1.0 / sqrt(correct2));
    float keep = 1.0f - lr * adam->weight_decay;
    float b1 = adam->beta1, b2 = adam->beta2, eps = adam->eps;
    float *restrict p = adam->params->data, *restrict m = adam->m, *restrict v = adam->v;
    const float *restrict g = adam->params->grad;
    for (size_t i = 0; i < adam->params->size; i++) {
        m[i] = b1 * m[i] + (1.0f - b1) * g[i];
        v[i] = b2 * v[i] + (1.0f - b2) * g[i] * g[i];
        p[i] = keep * p[i] - rate * m[i] / (sqrtf(v[i]) * root + eps);
    }
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
