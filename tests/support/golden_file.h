/* Reference values: the reader of `.gold` files.
 *
 *     gold 1                          the version of the format
 *     kind NAME                       what is computed
 *     attr KEY VALUE                  any number of settings
 *     tensor NAME ndim d1 .. dn       any number of tensors, each followed by its numbers,
 * row-major
 *
 * in.X are inputs, out.X results, cot.X the weights of the results in the loss
 * L = sum of out.X * cot.X, and grad.X is dL / d in.X. */
#ifndef TESTS_SUPPORT_GOLDEN_FILE_H
#define TESTS_SUPPORT_GOLDEN_FILE_H

#include "core/tensor.h"

enum { GOLDEN_NAME = 64, GOLDEN_MAX_ATTRS = 16, GOLDEN_MAX_TENSORS = 512 };

typedef struct GoldenTensor {
    char name[GOLDEN_NAME];
    int ndim;
    int dim[TENSOR_MAX_DIMS];
    size_t size;
    double *values;
} GoldenTensor;

typedef struct GoldenAttr {
    char key[GOLDEN_NAME], value[GOLDEN_NAME];
} GoldenAttr;

typedef struct Golden {
    char file[256]; /* name without its folder */
    char kind[GOLDEN_NAME];
    GoldenAttr attrs[GOLDEN_MAX_ATTRS];
    int attr_count;
    GoldenTensor tensors[GOLDEN_MAX_TENSORS];
    int tensor_count;
} Golden;

/* Why a file cannot be used, in one line that begins with its name. */
typedef struct GoldenError {
    char text[512];
} GoldenError;

/* Reads a file, or explains in `error` what is wrong with it: numbers that are missing, too many or
 * not finite, shapes that make no sense, words out of place. NULL on error; else golden_free(). */
Golden *golden_read(const char *path, GoldenError *error);

void golden_free(Golden *golden);

/* The tensor of that name ("in.x"), or NULL. */
const GoldenTensor *golden_find(const Golden *golden, const char *name);

/* The value of that setting, or NULL. */
const char *golden_attr(const Golden *golden, const char *key);

#endif
