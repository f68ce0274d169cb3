/* Optimisers, gradient clipping and learning-rate schedules. Each optimiser is one pass over the
 * flat parameter block; its moments are blocks of the same size. */
#ifndef CORE_OPTIM_H
#define CORE_OPTIM_H

#include "core/params.h"

/* Scales all gradients together so that their joint L2 norm is at most max_norm: by
 * max_norm / (norm + 1e-6) when it exceeds it (Pascanu, Mikolov and Bengio 2013, algorithm 1, over
 * all parameters at once, never one by one). Returns the norm before scaling. */
double params_clip_norm(Params *params, double max_norm);

/* Joint L2 norm of all gradients. */
double params_grad_norm(Params *params);

/* Stochastic gradient descent with momentum: v = momentum v + g, p -= lr v. */
typedef struct Sgd {
    Params *params;
    float momentum;
    float *velocity;
} Sgd;

Sgd sgd_new(Params *params, float momentum);
void sgd_step(Sgd *sgd, float lr);
void sgd_free(Sgd *sgd);

/* Adam (Kingma and Ba 2015, algorithm 1, with bias correction). A weight_decay above zero is
 * decoupled from the gradient: AdamW (Loshchilov and Hutter 2019, algorithm 2),
 * p -= lr weight_decay p before the step. */
typedef struct Adam {
    Params *params;
    float beta1, beta2, eps, weight_decay;
    float *m, *v; /* first and second moment */
    long step;    /* steps taken */
} Adam;

/* beta .9 and .999, eps 1e-8, no decay: change the fields before the first step if need be. */
Adam adam_new(Params *params);
void adam_step(Adam *adam, float lr);

/* params_clip_norm(params, max_norm), then adam_step(adam, lr), to the same bits, but for the
 * gradients, which stay as they are: they are scaled as they are read. Returns the norm. */
double adam_step_clipped(Adam *adam, float lr, double max_norm);

/* Moments and step count back to zero, for training again from fresh weights. */
void adam_reset(Adam *adam);
void adam_free(Adam *adam);

/* ---- schedules: the rate at a step; steps count from 1 ---- */

/* d_model^-.5 min(step^-.5, step warmup^-1.5): Vaswani et al. 2017, equation 3. */
double schedule_noam(long step, int d_model, long warmup);

/* `factor` of 1 up to step total * (1 - part), then linearly down to 0 at `total`. */
double schedule_cooldown(long step, long total, double part);

/* Linear warm-up to 1 over `warmup` steps, then half a cosine down to `floor` at `total`
 * (Loshchilov and Hutter 2017). */
double schedule_cosine(long step, long total, long warmup, double floor);

#endif
