/* The parameters of a model: one contiguous block of numbers and a twin for the gradients.
 *
 * A model is declared first (params_add for each weight), then made (params_allocate). With
 * everything in one block, clipping, the optimiser and saving are each one loop over one array. */
#ifndef CORE_PARAMS_H
#define CORE_PARAMS_H

#include "core/arena.h"
#include "core/rng.h"
#include "core/tensor.h"

typedef struct Init Init;

/* How a weight gets its first values. `fill` may be a layer's own function. */
struct Init {
    void (*fill)(Tensor *w, const Init *init, Rng *rng);
    float a, b;
};

Init init_zeros(void);
Init init_constant(float value);
Init init_uniform(float bound); /* U(-bound, bound) */
Init init_normal(float std);    /* N(0, std^2) */
Init init_xavier(void);         /* U(-r, r), r = sqrt(6 / (fan_in + fan_out)) of a matrix (out, in);
                                   Glorot and Bengio 2010, equation 16 */
Init init_orthogonal(
    float gain); /* a random orthogonal square matrix times gain; Saxe et al. 2014 */

typedef struct ParamEntry ParamEntry;

typedef struct Params {
    Arena names; /* tensors, their names and the list of entries */
    ParamEntry *first, *last;
    size_t size; /* number of floats in all tensors together, each padded to a cache line */
    int count;   /* number of tensors */
    float *data; /* NULL until params_allocate */
    float *grad;
} Params;

Params params_new(void);

/* Declares a weight called "prefix.name" (or "name" where the prefix is empty or NULL). The tensor
 * is valid from now on, its data and gradient from params_allocate() on. Stops when the block has
 * been made already. */
Tensor *params_add(Params *params, const char *prefix, const char *name, Init init, int ndim,
                   const int *dim);

/* Makes the block and fills each weight by its Init, in the order of declaration, from `rng`. */
void params_allocate(Params *params, Rng *rng);

/* Fills all weights again, as params_allocate did: a fresh model in the same memory. */
void params_initialise(Params *params, Rng *rng);

/* All gradients zero: what the next backward pass adds to. */
void params_zero_grad(Params *params);

/* The same for a training that wants to save the time: between these two calls, around one backward
 * pass, a weight has a gradient as soon as something arrives, which is stored and not added, and
 * `grad` is NULL until then. The second call gives those that nothing has reached their zeros; the
 * functions of optim.h begin with it. Other threads and other tapes must not be in between. */
void params_begin_grad(Params *params);
void params_end_grad(Params *params);

/* The weight of that full name, or NULL. */
Tensor *params_find(const Params *params, const char *name);

/* Visits the weights in order: params_next(params, NULL) is the first, NULL the end. */
ParamEntry *params_next(const Params *params, const ParamEntry *entry);
Tensor *param_tensor(const ParamEntry *entry);

/* Number of trainable numbers, padding not counted. */
size_t params_count_numbers(const Params *params);

/* "encoder" and "forward" -> "encoder.forward", for layers inside layers. */
typedef struct ParamPrefix {
    char text[64];
} ParamPrefix;
ParamPrefix param_prefix(const char *outer, const char *inner);

void params_free(Params *params);

#endif
