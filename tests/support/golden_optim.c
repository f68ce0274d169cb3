#include "support/golden_case.h"
#include "support/golden_kinds.h"

#include "core/optim.h"

/* A parameter block of one weight "p" that holds in.p. */
static Tensor *weight_of(GoldenCase *c, Params *params) {
    const GoldenTensor *p = golden_need(c, "p");
    Rng rng = rng_seeded(0, 0);
    *params = params_new();
    Tensor *w = params_add(params, NULL, "p", init_zeros(), p->ndim, p->dim);
    params_allocate(params, &rng);
    for (size_t i = 0; i < p->size; i++) {
        w->data[i] = (float)p->values[i];
    }
    return w;
}

/* The gradients of each step in turn, a step, and what p is then. */
static void run_steps(GoldenCase *c, Params *params, Tensor *w,
                      void (*step)(void *optimiser, float lr), void *optimiser) {
    const GoldenTensor *grads = golden_need(c, "grads");
    size_t n = tensor_size(w);
    float lr = (float)golden_number(c, "lr");
    double *after = arena_alloc(&c->tape.arena, grads->size * sizeof *after);
    if (grads->size % n != 0) {
        golden_fail(c, "%zu gradients for %zu numbers", grads->size, n);
    }
    for (size_t i = 0; i < grads->size; i += n) {
        params_zero_grad(params);
        for (size_t j = 0; j < n; j++) {
            w->grad[j] = (float)grads->values[i + j];
        }
        step(optimiser, lr);
        for (size_t j = 0; j < n; j++) {
            after[i + j] = (double)w->data[j];
        }
    }
    golden_numbers(c, "p", after, grads->size);
    golden_end(c);
}

static void step_sgd(void *optimiser, float lr) {
    sgd_step(optimiser, lr);
}

static void step_adam(void *optimiser, float lr) {
    adam_step(optimiser, lr);
}

static void run_sgd(const Golden *golden) {
    GoldenCase *c = golden_begin(golden, "sgd");
    Params params;
    Tensor *w = weight_of(c, &params);
    Sgd sgd = sgd_new(&params, (float)golden_number(c, "momentum"));
    run_steps(c, &params, w, step_sgd, &sgd);
    sgd_free(&sgd);
    params_free(&params);
}

static void adam_with_decay(const Golden *golden, bool decays) {
    GoldenCase *c = golden_begin(golden, decays ? "adamw" : "adam");
    Params params;
    Tensor *w = weight_of(c, &params);
    Adam adam = adam_new(&params);
    adam.beta1 = (float)golden_number(c, "beta1");
    adam.beta2 = (float)golden_number(c, "beta2");
    adam.eps = (float)golden_number(c, "eps");
    adam.weight_decay = decays ? (float)golden_number(c, "weight_decay") : 0.0f;
    run_steps(c, &params, w, step_adam, &adam);
    adam_free(&adam);
    params_free(&params);
}

static void run_adam(const Golden *golden) {
    adam_with_decay(golden, false);
}

static void run_adamw(const Golden *golden) {
    adam_with_decay(golden, true);
}

static void run_noam(const Golden *golden) {
    GoldenCase *c = golden_begin(golden, "noam");
    c->atol = 0.0;
    c->rtol = 1e-5; /* rates are small numbers: only the relative error counts */
    size_t n = golden_need(c, "step")->size;
    const int *steps = golden_integers(c, "step");
    int d_model = (int)golden_number(c, "d_model");
    long warmup = (long)golden_number(c, "warmup");
    double *rates = arena_alloc(&c->tape.arena, n * sizeof *rates);
    for (size_t i = 0; i < n; i++) {
        rates[i] = schedule_noam(steps[i], d_model, warmup);
    }
    golden_numbers(c, "lr", rates, n);
    golden_end(c);
}

/* Declares "g0", "g1" ... as weights of their own, as many as the file has. */
static int declare_gradients(GoldenCase *c, Params *params, Tensor **weights) {
    char name[16];
    int count = 0;
    for (; count < GOLDEN_MAX_INPUTS; count++) {
        snprintf(name, sizeof name, "g%d", count);
        if (!golden_has(c, name)) {
            break;
        }
        const GoldenTensor *g = golden_need(c, name);
        weights[count] = params_add(params, NULL, name, init_zeros(), g->ndim, g->dim);
    }
    return count;
}

static void run_clip_norm(const Golden *golden) {
    GoldenCase *c = golden_begin(golden, "clip_norm");
    Params params = params_new();
    Tensor *weights[GOLDEN_MAX_INPUTS];
    Rng rng = rng_seeded(0, 0);
    int count = declare_gradients(c, &params, weights);
    if (count == 0) {
        golden_fail(c, "the file has no tensor in.g0");
    }
    params_allocate(&params, &rng);
    for (int i = 0; i < count; i++) {
        const GoldenTensor *g = golden_need(c, weights[i]->name);
        for (size_t j = 0; j < g->size; j++) {
            weights[i]->grad[j] = (float)g->values[j];
        }
    }
    double norm = params_clip_norm(&params, golden_number(c, "max_norm"));
    golden_numbers(c, "norm", &norm, 1);
    for (int i = 0; i < count; i++) {
        size_t n = tensor_size(weights[i]);
        double *clipped = arena_alloc(&c->tape.arena, n * sizeof *clipped);
        for (size_t j = 0; j < n; j++) {
            clipped[j] = (double)weights[i]->grad[j];
        }
        golden_numbers(c, weights[i]->name, clipped, n);
    }
    golden_end(c);
    params_free(&params);
}

const GoldenKind golden_optim_kinds[] = {
    {"optim_sgd", run_sgd},      {"optim_adam", run_adam},     {"optim_adamw", run_adamw},
    {"schedule_noam", run_noam}, {"clip_norm", run_clip_norm}, {NULL, NULL},
};
