#include "core/params.h"

#include "core/check.h"
#include "core/pages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ParamEntry {
    Tensor tensor;
    Init init;
    size_t offset; /* in floats from the start of the block */
    ParamEntry *next;
};

static void fill_constant(Tensor *w, const Init *init, Rng *rng) {
    (void)rng;
    for (size_t i = 0; i < tensor_size(w); i++) {
        w->data[i] = init->a;
    }
}

static void fill_uniform(Tensor *w, const Init *init, Rng *rng) {
    for (size_t i = 0; i < tensor_size(w); i++) {
        w->data[i] = rng_range(rng, -init->a, init->a);
    }
}

static void fill_normal(Tensor *w, const Init *init, Rng *rng) {
    for (size_t i = 0; i < tensor_size(w); i++) {
        w->data[i] = init->a * rng_normal(rng);
    }
}

static void fill_xavier(Tensor *w, const Init *init, Rng *rng) {
    (void)init;
    CHECK(w->ndim == 2, "init_xavier: %s is no matrix", tensor_text(w).text);
    Init uniform = init_uniform(sqrtf(6.0f / (float)(w->dim[0] + w->dim[1])));
    fill_uniform(w, &uniform, rng);
}

/* Rows of normal numbers, each made orthogonal to the ones before it (twice: once leaves rounding
 * errors of the size of what was subtracted), then scaled to length `gain`. */
static void fill_orthogonal(Tensor *w, const Init *init, Rng *rng) {
    CHECK(w->ndim == 2 && w->dim[0] == w->dim[1], "init_orthogonal: %s is no square matrix",
          tensor_text(w).text);
    int n = w->dim[0];
    double *q = check_alloc((size_t)n * (size_t)n * sizeof *q);
    for (int i = 0; i < n; i++) {
        double *row = q + (size_t)i * (size_t)n, length = 0.0;
        for (int j = 0; j < n; j++) {
            row[j] = (double)rng_normal(rng);
        }
        for (int r = 0; r < 2 * i; r++) {
            const double *other = q + (size_t)(r % i) * (size_t)n;
            double along = 0.0;
            for (int j = 0; j < n; j++) {
                along += row[j] * other[j];
            }
            for (int j = 0; j < n; j++) {
                row[j] -= along * other[j];
            }
        }
        for (int j = 0; j < n; j++) {
            length += row[j] * row[j];
        }
        for (int j = 0; j < n; j++) {
            row[j] /= sqrt(length);
            w->data[(size_t)i * (size_t)n + (size_t)j] = init->a * (float)row[j];
        }
    }
    free(q);
}

Init init_zeros(void) {
    return init_constant(0.0f);
}

Init init_constant(float value) {
    return (Init){.fill = fill_constant, .a = value};
}

Init init_uniform(float bound) {
    return (Init){.fill = fill_uniform, .a = bound};
}

Init init_normal(float std) {
    return (Init){.fill = fill_normal, .a = std};
}

Init init_xavier(void) {
    return (Init){.fill = fill_xavier};
}

Init init_orthogonal(float gain) {
    return (Init){.fill = fill_orthogonal, .a = gain};
}

Params params_new(void) {
    return (Params){.names = arena_new()};
}

ParamPrefix param_prefix(const char *outer, const char *inner) {
    ParamPrefix prefix;
    bool both = outer != NULL && outer[0] != '\0';
    int length = snprintf(prefix.text, sizeof prefix.text, "%s%s%s", both ? outer : "",
                          both ? "." : "", inner);
    CHECK(length < (int)sizeof prefix.text, "param_prefix: the name %s.%s is too long",
          both ? outer : "", inner);
    return prefix;
}

Tensor *params_add(Params *params, const char *prefix, const char *name, Init init, int ndim,
                   const int *dim) {
    ParamPrefix full = param_prefix(prefix, name);
    CHECK(params->data == NULL, "params_add: %s comes after params_allocate", full.text);
    CHECK(params_find(params, full.text) == NULL, "params_add: there is a %s already", full.text);
    size_t size = tensor_check_shape(full.text, ndim, dim);
    ParamEntry *entry = arena_alloc_zeroed(&params->names, sizeof *entry);
    char *copy = arena_alloc(&params->names, strlen(full.text) + 1);
    entry->tensor = (Tensor){.ndim = ndim, .name = strcpy(copy, full.text)};
    for (int i = 0; i < TENSOR_MAX_DIMS; i++) {
        entry->tensor.dim[i] = i < ndim ? dim[i] : 1;
    }
    entry->init = init;
    entry->offset = params->size;
    *(params->last != NULL ? &params->last->next : &params->first) = entry;
    params->last = entry;
    size_t line = ARENA_ALIGNMENT / sizeof(float);
    params->size += (size + line - 1) / line * line; /* every weight starts on a cache line */
    params->count++;
    return &entry->tensor;
}

static float *block_new(size_t floats) {
    float *block = pages_new(floats * sizeof(float));
    CHECK(block != NULL, "out of memory: %zu parameters", floats);
    memset(block, 0, floats * sizeof(float));
    return block;
}

void params_allocate(Params *params, Rng *rng) {
    CHECK(params->data == NULL, "params_allocate: the block has been made already");
    CHECK(params->count > 0, "params_allocate: no parameter has been declared");
    params->data = block_new(params->size);
    params->grad = block_new(params->size);
    for (ParamEntry *entry = params->first; entry != NULL; entry = entry->next) {
        entry->tensor.data = params->data + entry->offset;
        entry->tensor.grad = params->grad + entry->offset;
    }
    params_initialise(params, rng);
}

void params_initialise(Params *params, Rng *rng) {
    for (ParamEntry *entry = params->first; entry != NULL; entry = entry->next) {
        entry->init.fill(&entry->tensor, &entry->init, rng);
    }
}

void params_zero_grad(Params *params) {
    for (ParamEntry *entry = params->first; entry != NULL; entry = entry->next) {
        entry->tensor.grad = params->grad + entry->offset;
        entry->tensor.grad_comes = false;
    }
    memset(params->grad, 0, params->size * sizeof(float));
}

void params_begin_grad(Params *params) {
    for (ParamEntry *entry = params->first; entry != NULL; entry = entry->next) {
        entry->tensor.grad = NULL;
        entry->tensor.grad_comes = true;
        entry->tensor.grad_home = params->grad + entry->offset;
    }
}

void params_end_grad(Params *params) {
    for (ParamEntry *entry = params->first; entry != NULL; entry = entry->next) {
        Tensor *tensor = &entry->tensor;
        if (tensor->grad == NULL) {
            tensor->grad = params->grad + entry->offset;
            memset(tensor->grad, 0, tensor_size(tensor) * sizeof(float));
        }
        tensor->grad_comes = false;
    }
}

Tensor *params_find(const Params *params, const char *name) {
    for (ParamEntry *entry = params->first; entry != NULL; entry = entry->next) {
        if (strcmp(entry->tensor.name, name) == 0) {
            return &entry->tensor;
        }
    }
    return NULL;
}

ParamEntry *params_next(const Params *params, const ParamEntry *entry) {
    return entry == NULL ? params->first : entry->next;
}

Tensor *param_tensor(const ParamEntry *entry) {
    return (Tensor *)&entry->tensor;
}

size_t params_count_numbers(const Params *params) {
    size_t count = 0;
    for (ParamEntry *entry = params->first; entry != NULL; entry = entry->next) {
        count += tensor_size(&entry->tensor);
    }
    return count;
}

void params_free(Params *params) {
    free(params->data);
    free(params->grad);
    arena_free(&params->names);
    *params = params_new();
}
